import * as z from 'zod';
import { toPlainDigits } from '../../domain/money/amount.ts';
import { MAX_RUNWAY_DAYS, MAX_THRESHOLD_DIGITS } from '../../domain/money/watch-measurement.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { isChannel, millis, money, person, projectChoice, slackId } from '../record/parse-record.ts';

/** Bounded because every request reads the whole record. */
export const MAX_WATCHES = 500;
/** Each of them gets a direct message. */
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

const schema = z
  .object({
    /** Eight letters and digits. */
    id: z.string().regex(/^[a-z0-9]{8}$/),
    projects: z.tuple([projectChoice]).readonly(),
    rule,
    channel: z.string().refine(isChannel).optional(),
    people: z.array(person).min(1).max(MAX_WATCH_PEOPLE).readonly().optional(),
    owner: slackId,
    createdBy: z.string(),
    createdAt: millis,
    /** When its rule was last set, in ms: alerts from before are about another rule. */
    since: z.int(),
    /** Sends no alerts until then, in ms. */
    snoozedUntil: z.int().exactOptional(),
    paused: z.object({ at: z.int(), by: z.string() }).exactOptional(),
  })
  .refine(({ channel, people }) => (channel === undefined) !== (people === undefined));

/** Where alerts or posts go: a channel, or people by direct message. */
export type Target =
  | { readonly channel: SlackId; readonly people?: undefined }
  | { readonly channel?: undefined; readonly people: readonly SlackId[] };

/** Checks a project's money and alerts a channel or people when it crosses a threshold. */
export type Watch = Readonly<Omit<z.infer<typeof schema>, keyof Target>> & Target;

export const serializeWatch = (watch: Watch): string => JSON.stringify(schema.encode(watch));

/** How `createOwnedStore` stores them. */
export const WATCHES = {
  kind: 'watch',
  schema: schema as unknown as z.ZodType<Watch>,
  serialize: serializeWatch,
} as const;
