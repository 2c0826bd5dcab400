import * as z from 'zod';
import { REPORT_NAMES, REPORTS, type ReportName } from '../../domain/report.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Cadence, type Timing, WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { isTimeZone, type Zone } from '../../domain/time/calendar.ts';
import { tryParseJson } from '../../domain/try-read.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { type FormFields, selectedValues, withErrorAtTop } from '../../slack/kit/modal.ts';
import {
  DEFAULT_WAIT_HOURS,
  MAX_DIGEST_PROJECTS,
  MAX_WAIT_HOURS,
  type Schedule,
} from '../../workspace/owned/schedules.ts';
import {
  type ChosenProject,
  parseProjectValue,
  projectKey,
} from '../../workspace/projects/chosen-project.ts';
import { isChannel } from '../../workspace/record/record-schema.ts';
import type { ScheduleWords } from './words.ts';

/** A schedule as the form has it: fields may be empty, and nothing is checked against the record. */
export interface ScheduleDraft {
  /** The id of the edited schedule; '' for a new one. */
  readonly before: string;
  readonly projects: readonly ChosenProject[];
  readonly report: ReportName;
  readonly timing: Timing;
  /** Slack's id; '' for none. */
  readonly channel: SlackId;
  readonly skipsEmpty: boolean;
  /** Percent; 0 for never. */
  readonly correctsFrom: number;
  /** How long a post waits for a day that billing has not reported, in hours; 0 for not at all. */
  readonly waitHours: number;
  /** Let Tally join the channel. */
  readonly joins: boolean;
  /** Time, zone and report have their alternative action ids. */
  readonly isRefilled: boolean;
  /** Whether the fields under More are shown. */
  readonly isUnfolded: boolean;
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

/** A choice of another cadence proposes its usual report; a balance stays. */
export function withDefaultReport(draft: ScheduleDraft): ScheduleDraft {
  const report = USUAL_REPORT[draft.timing.cadence.kind];
  if (!REPORTS[draft.report].coversDays || draft.report === report) return draft;
  return { ...draft, report, isRefilled: !draft.isRefilled };
}

export const isCadenceKind = (value: string): boolean => Object.hasOwn(USUAL_REPORT, value);

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
    correctsFrom: REPORTS[report].coversDays ? DEFAULT_CORRECTION : 0,
    waitHours: words.waitHours ?? DEFAULT_WAIT_HOURS,
    joins: true,
    isRefilled: false,
    isUnfolded: words.waitHours !== undefined,
  };
}

interface Place {
  readonly channel: SlackId | undefined;
  readonly zone: Zone;
}

export const draftOfSchedule = (schedule: Schedule): ScheduleDraft => ({
  ...schedule,
  before: schedule.id,
  joins: true,
  isRefilled: false,
  isUnfolded: false,
});

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** The form's values; those of hidden fields are in its metadata. */
export function parseFormState(fields: FormFields, metadata: string, zone: Zone): ScheduleDraft {
  const { projects = '', report = '', time = '', channel = '', options = '' } = fields;
  const { before, isRefilled, isUnfolded, folded } = decodeScheduleMetadata(metadata);
  const corrects = Number(fields.corrects ?? folded.correctsFrom ?? DEFAULT_CORRECTION);
  const waits = Number(fields.waits ?? folded.waitHours ?? DEFAULT_WAIT_HOURS);
  const skips = fields.options === undefined ? folded.skipsEmpty : selectedValues(options).includes('skip');
  const chosenZone = fields.zone ?? folded.zone ?? '';
  const chosen = REPORT_NAMES.find((name) => name === report) ?? 'yesterday';
  const { coversDays } = REPORTS[chosen];
  return {
    before,
    projects: selectedValues(projects).flatMap((value) => parseProjectValue(value) ?? []),
    report: chosen,
    timing: {
      cadence: cadenceIn(fields),
      time: TIME.test(time) ? time : DEFAULT_TIME,
      zone: isTimeZone(chosenZone) ? chosenZone : zone,
    },
    channel: isChannel(channel) ? channel : '',
    // A balance belongs to an instant: it covers no days without spend, and does not change later.
    skipsEmpty: coversDays && skips === true,
    correctsFrom: coversDays && corrects >= 0 && corrects <= 100 ? corrects : 0,
    waitHours: Number.isInteger(waits) && waits >= 0 && waits <= MAX_WAIT_HOURS ? waits : DEFAULT_WAIT_HOURS,
    joins: fields.join === undefined || fields.join === 'yes',
    isRefilled,
    isUnfolded,
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

/** Block ID → error, for errors that need no look-up. */
export function validateFormState(fields: FormFields): Record<string, string> {
  const chosen = selectedValues(fields.projects);
  const isRight = chosen.every((value) => parseProjectValue(value) !== undefined);
  const errors = withoutUndefined({
    projects:
      chosen.length > 0 && chosen.length <= MAX_DIGEST_PROJECTS && isRight
        ? undefined
        : `Choose 1 to ${MAX_DIGEST_PROJECTS} projects. Type a name or an ID.`,
    time: TIME.test(fields.time ?? '') ? undefined : 'Choose a time.',
    zone:
      fields.zone === undefined || isTimeZone(fields.zone) ? undefined : 'Choose a time zone from the list.',
    channel: isChannel(fields.channel ?? '') ? undefined : 'Choose a channel, not a direct message.',
  });
  const isValid = Object.keys(errors).length === 0;
  return isValid ? {} : withErrorAtTop(errors, ['projects', 'channel', 'report'], 'When');
}

const metadataSchema = z.object({
  before: z.string().default(''),
  channel: z.string().default(''),
  isRefilled: z.boolean().default(false),
  isUnfolded: z.boolean().default(false),
  /** The fields under More, which Slack sends only while they are shown. */
  folded: z
    .object({
      zone: z.string(),
      skipsEmpty: z.boolean(),
      correctsFrom: z.number(),
      waitHours: z.number(),
    })
    .partial()
    .default({}),
});
type ScheduleMetadata = Readonly<z.infer<typeof metadataSchema>>;

/** The form's metadata: the schedule it edits, the channel it was rendered for, and the values of hidden fields. */
export const encodeScheduleMetadata = (draft: ScheduleDraft): string => {
  const { before, channel, isRefilled, isUnfolded, skipsEmpty, correctsFrom, waitHours, timing } = draft;
  const folded = { zone: timing.zone, skipsEmpty, correctsFrom, waitHours };
  return JSON.stringify({ before, channel, isRefilled, isUnfolded, folded } satisfies ScheduleMetadata);
};

/** @returns a new form's metadata if the text is invalid */
export function decodeScheduleMetadata(metadata: string): ScheduleMetadata {
  return metadataSchema.safeParse(tryParseJson(metadata)).data ?? metadataSchema.parse({});
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
      projects.map(projectKey).sort(),
    ]);
  return draft.before !== schedule.id && key(draft) === key(schedule);
}
