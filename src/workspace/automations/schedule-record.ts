import * as z from 'zod';
import { storedFailure } from '../../domain/failure/index.ts';
import { REPORT_NAMES } from '../../domain/report.ts';
import { isTimeZone } from '../../domain/time/calendar.ts';
import { millis, projectChoice, slackId, tryParseRecord } from '../record/parse-record.ts';

/** Bounded because every request reads the whole record. */
export const MAX_SCHEDULES = 100;
/** Projects of one schedule, so that a post stays readable. */
export const MAX_DIGEST_PROJECTS = 12;

/** How long a post waits for a day that billing has not reported, in hours. */
export const DEFAULT_WAIT_HOURS = 3;
export const MAX_WAIT_HOURS = 12;

const cadence = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('daily') }),
  z.object({ kind: z.literal('weekdays') }),
  z.object({ kind: z.literal('weekly'), weekday: z.int().min(1).max(7) }),
  z.object({ kind: z.literal('monthly'), day: z.union([z.int().min(1).max(31), z.literal('last')]) }),
]);

/** What a schedule posts, and when. Each post stores it too. */
export const scheduleContentSchema = z.object({
  report: z.literal(REPORT_NAMES),
  projects: z.array(projectChoice).min(1).max(MAX_DIGEST_PROJECTS).readonly(),
  timing: z.object({
    cadence,
    time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
    zone: z.string().refine(isTimeZone),
  }),
});

const schema = scheduleContentSchema.extend({
  /** Eight letters and digits. */
  id: z.string().regex(/^[a-z0-9]{8}$/),
  channel: slackId,
  /** How long a post waits for a day that billing has not reported, in hours; 0 for not at all. */
  waitHours: z.int().min(0).max(MAX_WAIT_HOURS).default(DEFAULT_WAIT_HOURS),
  owner: slackId,
  createdBy: z.string(),
  createdAt: millis,
  /** Dates due after this instant (ms) are posted. Set when the schedule is created, changed or resumed. */
  since: z.int(),
  /** By a person. */
  paused: z.object({ at: millis, by: z.string() }).exactOptional(),
});

/** A report that is posted to a channel regularly. */
export type Schedule = Readonly<z.infer<typeof schema>>;

/** How `createOwnedStore` stores them. */
export const SCHEDULES = {
  kind: 'schedule',
  schema,
  serialize: (schedule: Schedule): string => JSON.stringify(schedule),
} as const;

/** How the last delivery ended, to show to people. */
const sent = z.object({
  /** The local date it was due on. */
  date: z.string(),
  /** ms since the epoch: when it was due, and when this came out */
  due: z.int(),
  at: z.int(),
  /** `paused`: nothing can be posted until somebody mends the cause. */
  result: z.enum(['posted', 'posted-late', 'failed', 'trying', 'waiting', 'paused']),
  /** Why it failed, for `failed`, `trying` and `paused`. */
  cause: storedFailure.exactOptional(),
  /** For `waiting`: the day that billing has not reported. */
  awaits: z.string().exactOptional(),
  /** When the next attempt is, in ms, for `trying` and `waiting`. */
  next: z.int().exactOptional(),
});
export type LastDelivery = Readonly<z.infer<typeof sent>>;

/** Undefined if there is none or it can't be read, because nothing depends on it. */
export const parseLastDelivery = (json: string | undefined): LastDelivery | undefined =>
  tryParseRecord(sent, json);
