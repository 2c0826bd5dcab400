import { isProductId, isProjectId, type ProductId } from '../../domain/product.ts';
import { type Cadence, type Timing, WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { type FormFields, selectedValues } from '../../slack/kit/modal.ts';
import { isKnownZone } from '../../slack/time-zones.ts';
import { isChannel } from '../../workspace/record-schema.ts';
import { MAX_DIGEST_PROJECTS, REPORTS, type ReportName, type Schedule } from '../../workspace/schedules.ts';
import type { ScheduleWords } from './words.ts';

export interface ChosenProject {
  readonly id: string;
  readonly product: ProductId;
}

/** A schedule as the form has it: fields may be empty, and nothing is checked against the record. */
export interface ScheduleDraft {
  /** The id of the edited schedule; '' for a new one. */
  readonly before: string;
  readonly projects: readonly ChosenProject[];
  readonly report: ReportName;
  readonly timing: Timing;
  /** Slack's id; '' for none. */
  readonly channel: string;
  readonly skipsEmpty: boolean;
  /** Percent; 0 for never. */
  readonly correctsFrom: number;
  /** Let Tally join the channel. */
  readonly joins: boolean;
  /** Time and zone have their alternative block ids. */
  readonly isRefilled: boolean;
}

/** The usual report of each cadence. */
const USUAL_REPORT: Readonly<Record<Cadence['kind'], ReportName>> = {
  daily: 'yesterday',
  weekdays: 'yesterday',
  weekly: 'last-week',
  monthly: 'month-to-date',
};
const DEFAULT_TIME = '09:00';
const DEFAULT_CORRECTION = 5;

/** What a new form begins with. @param place where and in whose zone it was asked for */
export function newFormState(
  words: ScheduleWords,
  projects: readonly ChosenProject[],
  place: Place,
): ScheduleDraft {
  const { cadence = { kind: 'daily' }, time = DEFAULT_TIME } = words;
  const report = words.report ?? USUAL_REPORT[cadence.kind];
  return {
    before: '',
    projects,
    report,
    timing: { cadence, time, zone: place.zone },
    channel: isChannel(place.channel ?? '') ? (place.channel ?? '') : '',
    skipsEmpty: false,
    correctsFrom: DEFAULT_CORRECTION,
    joins: true,
    isRefilled: false,
  };
}

interface Place {
  readonly channel: string | undefined;
  readonly zone: string;
}

export const draftOfSchedule = (schedule: Schedule): ScheduleDraft => ({
  ...schedule,
  before: schedule.id,
  joins: true,
  isRefilled: false,
});

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** `123:1`: the value of an option. */
export const projectValue = ({ id, product }: ChosenProject): string => `${id}:${product}`;

function projectIn(value: string): ChosenProject | undefined {
  const [id = '', digit] = value.split(':');
  const product = Number(digit);
  return isProjectId(id) && isProductId(product) ? { id, product } : undefined;
}

/** What the form holds while somebody fills it in; a field that is not shown has its default. */
export function parseFormState(fields: FormFields, metadata: string, zone: string): ScheduleDraft {
  const { projects = '', report = '', time = '', channel = '', options = '' } = fields;
  const corrects = Number(fields.corrects ?? DEFAULT_CORRECTION);
  const isBalance = report === 'balance';
  const { before, isRefilled } = decodeScheduleMetadata(metadata);
  return {
    before,
    projects: selectedValues(projects).flatMap((value) => projectIn(value) ?? []),
    report: REPORTS.find((name) => name === report) ?? 'yesterday',
    timing: {
      cadence: cadenceIn(fields),
      time: TIME.test(time) ? time : DEFAULT_TIME,
      zone: isKnownZone(fields.zone ?? '') ? (fields.zone ?? zone) : zone,
    },
    channel: isChannel(channel) ? channel : '',
    // A balance belongs to an instant: it covers no days without spend, and does not change later.
    skipsEmpty: !isBalance && selectedValues(options).includes('skip'),
    correctsFrom: !isBalance && corrects >= 0 && corrects <= 100 ? corrects : 0,
    joins: fields.join === undefined || fields.join === 'yes',
    isRefilled,
  };
}

function cadenceIn({ cadence, weekday = '1', day = 'last' }: FormFields): Cadence {
  if (cadence === 'weekdays') return { kind: 'weekdays' };
  if (cadence === 'weekly')
    return { kind: 'weekly', weekday: atMost(Number(weekday), WEEKDAY_NAMES.length) ?? 1 };
  if (cadence === 'monthly') return { kind: 'monthly', day: atMost(Number(day), 31) ?? 'last' };
  return { kind: 'daily' };
}

const atMost = (number: number, most: number): number | undefined =>
  Number.isInteger(number) && number >= 1 && number <= most ? number : undefined;

/** Block id → sentence, for what is wrong with the fields alone. */
export function validateFormState(fields: FormFields): Record<string, string> {
  const chosen = selectedValues(fields.projects);
  const isRight = chosen.every((value) => projectIn(value) !== undefined);
  const found: Record<string, string | undefined> = {
    projects:
      chosen.length > 0 && chosen.length <= MAX_DIGEST_PROJECTS && isRight
        ? undefined
        : `Choose 1 to ${MAX_DIGEST_PROJECTS} projects. Type a name or an ID.`,
    time: TIME.test(fields.time ?? '') ? undefined : 'Choose a time.',
    zone: isKnownZone(fields.zone ?? '') ? undefined : 'Choose a time zone from the list.',
    channel: isChannel(fields.channel ?? '') ? undefined : 'Choose a channel, not a direct message.',
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([block, sentence]) => (sentence === undefined ? [] : [[block, sentence]])),
  );
}

/** What the form carries beside its fields: the schedule it edits, and the channel it was drawn for. */
export const encodeScheduleMetadata = ({ before, channel, isRefilled }: ScheduleDraft): string =>
  `${before} ${channel}${isRefilled ? ' refilled' : ''}`;

export function decodeScheduleMetadata(
  metadata: string,
): Pick<ScheduleDraft, 'before' | 'channel' | 'isRefilled'> {
  const [before = '', channel = '', refilled = ''] = metadata.split(' ');
  return { before, channel, isRefilled: refilled !== '' };
}

/** Whether the two would post the same at the same times. */
export function isSameSchedule(draft: ScheduleDraft, schedule: Schedule): boolean {
  const key = ({ report, timing, channel, projects }: ScheduleDraft | Schedule) =>
    JSON.stringify([
      report,
      channel,
      timing.time,
      timing.zone,
      Object.values(timing.cadence),
      projects.map(projectValue).sort(),
    ]);
  return draft.before !== schedule.id && key(draft) === key(schedule);
}
