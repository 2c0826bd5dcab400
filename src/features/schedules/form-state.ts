import type { InputBlock } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { pluralize } from '../../domain/language/text.ts';
import { REPORT_NAMES, REPORTS, type ReportName } from '../../domain/report.ts';
import { type Cadence, type Timing, WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { isTimeZone, type Zone } from '../../domain/time/calendar.ts';
import { zoneInput } from '../../slack/commands/zone-picker.ts';
import { actions, type Block, button, compact, option, plainText } from '../../slack/kit/blocks.ts';
import { checksInput, choiceInput, input } from '../../slack/kit/inputs.ts';
import type { DrawnParts, FormDraft } from '../../slack/owned/form-state.ts';
import { type FormFields, selectedValues } from '../../slack/request/form-fields.ts';
import { DEFAULT_WAIT_HOURS, MAX_WAIT_HOURS, type Schedule } from '../../workspace/owned/schedule-record.ts';
import type { ScheduleWords } from './parse.ts';
import { previewBlocks, type SchedulePreview } from './timing-preview.ts';

export interface ScheduleFields {
  readonly report: ReportName;
  readonly timing: Timing;
  readonly skipsEmpty: boolean;
  /** Percent; 0 for never. */
  readonly correctsFrom: number;
  /** How long a post waits for a day that billing has not reported, in hours; 0 for not at all. */
  readonly waitHours: number;
}
export interface ScheduleFormTypes {
  readonly item: Schedule;
  readonly own: ScheduleFields;
  readonly figures: SchedulePreview;
}
export type ScheduleDraft = FormDraft<ScheduleFormTypes>;

const USUAL_REPORT: Readonly<Record<Cadence['kind'], ReportName>> = {
  daily: 'yesterday',
  weekdays: 'yesterday',
  weekly: 'last-week',
  monthly: 'month-to-date',
};
const DEFAULT_TIME = '09:00';
const DEFAULT_CORRECTION = 5;

/** A choice of another cadence proposes its usual report; a balance stays. */
export function withUsualReport(draft: ScheduleDraft, choice: string): ScheduleDraft {
  const report = USUAL_REPORT[draft.timing.cadence.kind];
  const isCadence = Object.hasOwn(USUAL_REPORT, choice);
  if (!isCadence || !REPORTS[draft.report].coversDays || draft.report === report) return draft;
  return { ...draft, report, isRefilled: !draft.isRefilled };
}

/** What a new form begins with. @param zone of the person who opens the form */
export function newScheduleFields(words: ScheduleWords, zone: Zone): ScheduleFields {
  const { cadence = { kind: 'daily' }, time = DEFAULT_TIME } = words;
  return {
    report: words.report ?? USUAL_REPORT[cadence.kind],
    timing: { cadence, time, zone },
    skipsEmpty: false,
    correctsFrom: DEFAULT_CORRECTION,
    waitHours: words.waitHours ?? DEFAULT_WAIT_HOURS,
  };
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

export function parseScheduleFields(fields: FormFields): ScheduleFields {
  const { report, time = '', zone = '', options, corrects, waits } = fields;
  const correctsFrom = Number(corrects ?? DEFAULT_CORRECTION);
  return {
    report: REPORT_NAMES.find((name) => name === report) ?? 'yesterday',
    timing: {
      cadence: cadenceIn(fields),
      time: TIME.test(time) ? time : DEFAULT_TIME,
      zone: isTimeZone(zone) ? zone : 'UTC',
    },
    skipsEmpty: selectedValues(options).includes('skip'),
    correctsFrom: correctsFrom >= 0 && correctsFrom <= 100 ? correctsFrom : DEFAULT_CORRECTION,
    waitHours: within(waits, 0, MAX_WAIT_HOURS) ?? DEFAULT_WAIT_HOURS,
  };
}

export const fieldsUnderMore = (fields: ScheduleFields): FormFields => ({
  zone: fields.timing.zone,
  waits: String(fields.waitHours),
  options: fields.skipsEmpty ? 'skip' : '',
  corrects: String(fields.correctsFrom),
});

function cadenceIn({ cadence, weekday, day }: FormFields): Cadence {
  if (cadence === 'weekdays') return { kind: 'weekdays' };
  if (cadence === 'weekly') return { kind: 'weekly', weekday: within(weekday, 1, WEEKDAY_NAMES.length) ?? 1 };
  if (cadence === 'monthly') return { kind: 'monthly', day: within(day, 1, 31) ?? 'last' };
  return { kind: 'daily' };
}

/** The whole number that a field holds, if it is one of these. */
function within(field: string | undefined, least: number, most: number): number | undefined {
  const number = Number(field ?? Number.NaN);
  return Number.isInteger(number) && number >= least && number <= most ? number : undefined;
}

export const scheduleErrors = ({ time = '', zone = '' }: FormFields): Record<string, string> => ({
  ...(!TIME.test(time) && { time: 'Choose a time.' }),
  ...(zone !== '' && !isTimeZone(zone) && { zone: 'Choose a time zone from the list.' }),
});

export const SCHEDULE_TEST = { me: 'schedule-test-me', channel: 'schedule-test' } as const;

/** The fields of the form and its preview, which is undefined when the store cannot say what was posted. */
export function scheduleBlocks(
  draft: ScheduleDraft,
  parts: DrawnParts<ScheduleFormTypes>,
): readonly (Block | InputBlock)[] {
  const { projects, target, figures: preview, result = [], live, request } = parts;
  const { isRefilled, isExpanded, report, timing } = draft;
  return compact([
    projects,
    ...target,
    live(
      choiceInput({
        block: 'report',
        label: 'Report',
        options: REPORT_NAMES.map((name) => option(REPORTS[name].title, name)),
        initial: report,
      }),
      isRefilled,
    ),
    ...cadenceInputs(timing.cadence).map((field) => live(field)),
    live(
      input(
        { block: 'time', label: 'At' },
        { type: 'timepicker', initial_time: timing.time, placeholder: plainText(DEFAULT_TIME) },
      ),
    ),
    ...(preview === undefined ? [] : previewBlocks(preview, timing.zone)),
    actions(
      button(SCHEDULE_TEST.me, 'Send a test to me'),
      button(SCHEDULE_TEST.channel, 'Send a test to the channel'),
      button('schedule-more', isExpanded ? 'Less' : 'More…'),
    ),
    ...result,
    isExpanded && live(zoneInput('Time zone', ZONE_HINT, timing.zone, request.at)),
    ...(isExpanded && REPORTS[report].coversDays ? dayInputs(draft) : []),
  ]);
}

function cadenceInputs(cadence: Cadence): readonly InputBlock[] {
  const often = {
    block: 'cadence',
    label: 'How often',
    options: [
      option('Every day', 'daily'),
      option('Monday to Friday', 'weekdays'),
      option('Every week', 'weekly'),
      option('Every month', 'monthly'),
    ],
    initial: cadence.kind,
  };
  const days = Array.from({ length: 31 }, (_, at) => option(`Day ${at + 1}`, String(at + 1)));
  const on =
    cadence.kind === 'weekly'
      ? {
          block: 'weekday',
          options: WEEKDAY_NAMES.map((day, at) => option(day, String(at + 1))),
          initial: String(cadence.weekday),
        }
      : cadence.kind === 'monthly' && {
          block: 'day',
          hint: 'In shorter months, day 29, 30 or 31 means the last day.',
          options: [option('The last day', 'last'), ...days],
          initial: String(cadence.day),
        };
  return compact([choiceInput(often), on && choiceInput({ label: 'On', ...on })]);
}

const ZONE_HINT = `For the time above. The days of a report follow the reporting time zone in ${commandText('/billing settings')}.`;

const CORRECTIONS = [1, 2, 5, 10, 25, 50];

const WAITS = [0, 1, 2, 3, 6, 12];

const including = (usual: readonly number[], current: number): readonly number[] =>
  [...new Set([...usual, current])].sort((a, b) => a - b);

function dayInputs({ skipsEmpty, correctsFrom, waitHours }: ScheduleFields): InputBlock[] {
  const shares = including(CORRECTIONS, correctsFrom).filter((share) => share > 0);
  return [
    choiceInput({
      block: 'waits',
      label: 'When billing hasn’t reported the day yet',
      hint: 'Tally looks every 30 minutes, then posts without that day and says so.',
      options: including(WAITS, waitHours).map((hours) =>
        option(hours === 0 ? 'Don’t wait' : `Wait up to ${pluralize(hours, 'hour')}`, String(hours)),
      ),
      initial: String(waitHours),
    }),
    checksInput(
      { block: 'options', label: 'When nothing was spent' },
      [option('Post nothing', 'skip')],
      skipsEmpty ? ['skip'] : [],
    ),
    choiceInput({
      block: 'corrects',
      label: 'Correct a post',
      hint: 'Figures of past days can change. Tally then edits the post and replies with what changed.',
      options: [
        ...shares.map((share) => option(`When its total changes by more than ${share} %`, String(share))),
        option('Never', '0'),
      ],
      initial: String(correctsFrom),
    }),
  ];
}
