import { REPORT_NAMES, REPORTS, type ReportName } from '../../domain/report.ts';
import { type Cadence, type Timing, WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { isTimeZone, type Zone } from '../../domain/time/calendar.ts';
import type { FormDraft } from '../../slack/owned/form-state.ts';
import { type FormFields, selectedValues } from '../../slack/request/form-fields.ts';
import { DEFAULT_WAIT_HOURS, MAX_WAIT_HOURS, type Schedule } from '../../workspace/owned/schedule-record.ts';
import { projectKey } from '../../workspace/projects/project-key.ts';
import type { ScheduleWords } from './parse.ts';
import type { SchedulePreview } from './preview.ts';

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
  const waitHours = Number(waits ?? DEFAULT_WAIT_HOURS);
  return {
    report: REPORT_NAMES.find((name) => name === report) ?? 'yesterday',
    timing: {
      cadence: cadenceIn(fields),
      time: TIME.test(time) ? time : DEFAULT_TIME,
      zone: isTimeZone(zone) ? zone : 'UTC',
    },
    skipsEmpty: selectedValues(options).includes('skip'),
    correctsFrom: correctsFrom >= 0 && correctsFrom <= 100 ? correctsFrom : DEFAULT_CORRECTION,
    waitHours:
      Number.isInteger(waitHours) && waitHours >= 0 && waitHours <= MAX_WAIT_HOURS
        ? waitHours
        : DEFAULT_WAIT_HOURS,
  };
}

export const fieldsUnderMore = ({
  timing,
  skipsEmpty,
  correctsFrom,
  waitHours,
}: ScheduleFields): FormFields => ({
  zone: timing.zone,
  waits: String(waitHours),
  options: skipsEmpty ? 'skip' : '',
  corrects: String(correctsFrom),
});

function cadenceIn({ cadence, weekday = '1', day = 'last' }: FormFields): Cadence {
  if (cadence === 'weekdays') return { kind: 'weekdays' };
  if (cadence === 'weekly')
    return { kind: 'weekly', weekday: atMost(Number(weekday), WEEKDAY_NAMES.length) ?? 1 };
  if (cadence === 'monthly') return { kind: 'monthly', day: atMost(Number(day), 31) ?? 'last' };
  return { kind: 'daily' };
}

const atMost = (number: number, most: number): number | undefined =>
  Number.isInteger(number) && number >= 1 && number <= most ? number : undefined;

export const scheduleErrors = ({ time = '', zone = '' }: FormFields): Record<string, string> => ({
  ...(!TIME.test(time) && { time: 'Choose a time.' }),
  ...(zone !== '' && !isTimeZone(zone) && { zone: 'Choose a time zone from the list.' }),
});

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
  return key(draft) === key(schedule);
}
