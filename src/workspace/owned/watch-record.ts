import * as z from 'zod';
import { type Money, parseAmount, toPlainDigits, ZERO } from '../../domain/money/amount.ts';
import { MAX_RUNWAY_DAYS, MAX_THRESHOLD_DIGITS, type WatchRule } from '../../domain/money/watch-rule.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { isChannel, millis, person, projectChoice, slackId } from '../record/parse-record.ts';

/** Bounded because every request reads the whole record. */
export const MAX_WATCHES = 500;
/** Each of them gets a direct message. */
export const MAX_WATCH_PEOPLE = 5;

function moneyOf(digits: string): Money {
  const amount = parseAmount({ text: digits });
  return 'value' in amount ? amount.value : ZERO;
}

/** Plain digits of at most 30; they are stored as text. */
const money = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .refine((digits) => digits.replace('.', '').length <= MAX_THRESHOLD_DIGITS)
  .transform(moneyOf);
const positive = money.refine((value) => value.gt(0));

const rule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('balance'), below: money }),
  z.object({ kind: z.literal('runway'), days: z.int().min(1).max(MAX_RUNWAY_DAYS) }),
  z.object({ kind: z.literal('budget'), amount: positive }),
  z.object({ kind: z.literal('spike'), factor: positive, floor: money }),
]);

const schema = z
  .object({
    /** Eight letters and digits. */
    id: z.string().regex(/^[a-z0-9]{8}$/),
    projects: z.tuple([projectChoice]).readonly(),
    rule,
    channel: z.string().refine(isChannel).exactOptional(),
    people: z.array(person).min(1).max(MAX_WATCH_PEOPLE).readonly().exactOptional(),
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
export type Watch = Readonly<Omit<z.infer<typeof schema>, 'rule' | keyof Target>> &
  Target & { readonly rule: WatchRule };

/** Plain digits, which the schema reads; `JSON.stringify` would write an exponent. */
export function serializeWatch({ rule: of, ...watch }: Watch): string {
  const amounts = Object.entries(of).map(([name, value]) => [
    name,
    typeof value === 'object' ? toPlainDigits(value) : value,
  ]);
  return JSON.stringify({ ...watch, rule: Object.fromEntries(amounts) });
}

/** How `createOwnedStore` stores them. */
export const WATCHES = {
  kind: 'watch',
  schema: schema as unknown as z.ZodType<Watch>,
  serialize: serializeWatch,
} as const;
