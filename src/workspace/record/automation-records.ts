/** The stored records of schedules and watches. */
import * as z from 'zod';
import { toPlainDigits } from '../../domain/money/amount.ts';
import { MAX_RUNWAY_DAYS, MAX_THRESHOLD_DIGITS } from '../../domain/money/watch-rule.ts';
import { REPORT_NAMES } from '../../domain/report.ts';
import { isChannel, type SlackId } from '../../domain/slack-id.ts';
import { isTimeZone } from '../../domain/time/calendar.ts';
import { millis, money, person, projectChoice, slackId } from './record-schemas.ts';

/** Every request reads the whole record, so its size is limited. */
export const MAX_SCHEDULES = 100;
export const MAX_DIGEST_PROJECTS = 12;

export const DEFAULT_WAIT_HOURS = 3;
export const MAX_WAIT_HOURS = 12;

const cadence = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('daily') }),
  z.object({ kind: z.literal('weekdays') }),
  z.object({ kind: z.literal('weekly'), weekday: z.int().min(1).max(7) }),
  z.object({ kind: z.literal('monthly'), day: z.union([z.int().min(1).max(31), z.literal('last')]) }),
]);

export const scheduleContentSchema = z.object({
  report: z.literal(REPORT_NAMES),
  projects: z.array(projectChoice).min(1).max(MAX_DIGEST_PROJECTS).readonly(),
  timing: z.object({
    cadence,
    time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
    zone: z.string().refine(isTimeZone),
  }),
});

export const scheduleSchema = scheduleContentSchema.extend({
  id: z.string().regex(/^[a-z0-9]{8}$/),
  channel: slackId,
  /** How long a post waits for a day that billing hasn't reported; 0 if it doesn't wait. */
  waitHours: z.int().min(0).max(MAX_WAIT_HOURS).default(DEFAULT_WAIT_HOURS),
  owner: slackId,
  createdBy: z.string(),
  createdAt: millis,
  /** When the schedule was created, changed or resumed. Only posts that are due after this time are sent. */
  since: z.int(),
  paused: z.object({ at: millis, by: z.string() }).exactOptional(),
});

export type Schedule = Readonly<z.infer<typeof scheduleSchema>>;

export const MAX_WATCHES = 500;
export const MAX_WATCH_PEOPLE = 5;

const threshold = money
  .refine((value) => value.gte(0))
  .refine((value) => toPlainDigits(value).replace('.', '').length <= MAX_THRESHOLD_DIGITS);
const positive = threshold.refine((value) => value.gt(0));

const rule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('balance'), below: threshold }),
  z.object({ kind: z.literal('runway'), days: z.int().min(1).max(MAX_RUNWAY_DAYS) }),
  z.object({ kind: z.literal('budget'), amount: positive }),
  z.object({ kind: z.literal('spike'), factor: positive, floor: threshold }),
]);

const storedWatch = z
  .object({
    id: z.string().regex(/^[a-z0-9]{8}$/),
    projects: z.tuple([projectChoice]).readonly(),
    rule,
    channel: z.string().refine(isChannel).optional(),
    people: z.array(person).min(1).max(MAX_WATCH_PEOPLE).readonly().optional(),
    owner: slackId,
    createdBy: z.string(),
    createdAt: millis,
    /** When the watch's rule was last changed. Older alerts were about another rule. */
    since: z.int(),
    snoozedUntil: z.int().exactOptional(),
    paused: z.object({ at: z.int(), by: z.string() }).exactOptional(),
  })
  .refine(({ channel, people }) => (channel === undefined) !== (people === undefined));

export type Destination =
  | { readonly channel: SlackId; readonly people?: undefined }
  | { readonly channel?: undefined; readonly people: readonly SlackId[] };

export type Watch = Readonly<Omit<z.infer<typeof storedWatch>, keyof Destination>> & Destination;

export const watchSchema = storedWatch as unknown as z.ZodType<Watch>;

export const serializeWatch = (watch: Watch): string => JSON.stringify(storedWatch.encode(watch));
