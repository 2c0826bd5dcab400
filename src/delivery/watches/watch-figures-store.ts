import * as z from 'zod';
import { type BillingClient, emptyIfNoData, type Subscription } from '../../billing/client.ts';
import { storedFailure } from '../../domain/failure/index.ts';
import { type Amount, type Money, parseAmount, type WireScalar } from '../../domain/money/amount.ts';
import { computeUsage } from '../../domain/money/usage.ts';
import type { WatchFigures } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import {
  addDays,
  type Day,
  daysInRange,
  endOfDay,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { guardRead } from '../../redis/guard.ts';
import { watchFiguresKey } from '../../redis/keys.ts';
import { projectValue } from '../../workspace/projects/chosen-project.ts';
import type { OpenedConnection } from '../../workspace/projects/resolve-project.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { type DeliveryLease, setWithLease } from '../log/delivery-log.ts';

const schema = z.object({
  /** Name of the connection that was asked: another one may mean another project by the same ID. */
  connection: z.string(),
  /** Amounts as they came; '' for what was not readable. Times in ms: when billing was asked. */
  account: z.object({ balance: z.string(), bonuses: z.string(), at: z.int() }).exactOptional(),
  /** The last balance that was asked on each of the last days, by day. */
  balances: z.record(z.string(), z.string()).exactOptional(),
  /** The complete days up to `until` that are reported, in days of `zone`. */
  usage: z
    .object({ days: z.record(z.string(), z.string()), until: z.string(), zone: z.string(), at: z.int() })
    .exactOptional(),
  problem: z
    .object({
      cause: storedFailure,
      at: z.int(),
      /** Fingerprint of the token, if the service rejected it. */
      rejected: z.string().exactOptional(),
    })
    .exactOptional(),
});

/** What billing last said about one project. */
export type StoredFigures = Readonly<z.infer<typeof schema>>;

/** Names of one project may have different connections, and so different accounts. */
export const figuresField = projectValue;

/**
 * The last answers of billing about watched projects, so that many watches cost one question and a message can be drawn
 * without asking. Can be lost: then billing is asked again.
 *
 * @throws StoreUnavailable from each method
 */
export type WatchFiguresStore = ReturnType<typeof createWatchFiguresStore>;

export function createWatchFiguresStore(redis: RedisConnection) {
  return {
    /** @returns the figures of each project, by `figuresField` */
    async load(workspace: SlackId): Promise<ReadonlyMap<string, StoredFigures>> {
      const fields = await guardRead(() => redis.hgetall(watchFiguresKey(workspace)));
      return new Map(
        Object.entries(fields).flatMap(([field, json]) => {
          const parsed = tryParseRecord(schema, json);
          return parsed === undefined ? [] : [[field, parsed] as const];
        }),
      );
    },
    /** Nothing when the lease is lost. */
    async save(lease: DeliveryLease, field: string, figures: StoredFigures): Promise<void> {
      await setWithLease(redis, lease, watchFiguresKey, field, JSON.stringify(figures));
    },
  };
}

const amountOf = (digits: string): Amount => parseAmount({ text: digits });

/** The balance and the bonuses, parsed. */
export const accountOf = ({ balance, bonuses }: NonNullable<StoredFigures['account']>) => ({
  balance: amountOf(balance),
  bonuses: amountOf(bonuses),
});

/** The readable ones of amounts by day. */
const amountsOf = (digitsByDay: Readonly<Record<Day, string>>): readonly (readonly [Day, Money])[] =>
  Object.entries(digitsByDay).flatMap(([day, digits]) => {
    const amount = amountOf(digits);
    return 'value' in amount ? [[day, amount.value] as const] : [];
  });

/** Cached, because many watches of a project are judged by the same figures. */
const judgedFigures = new WeakMap<StoredFigures, WatchFigures>();

/** What a watch is judged by on `today`, a day of `zone`. */
export function parseWatchFigures(figures: StoredFigures, today: Day, zone: Zone): WatchFigures {
  const known = judgedFigures.get(figures);
  if (known?.today === today && known.zone === zone) return known;
  const { account, usage } = figures;
  const spent = usage?.zone === zone ? amountsOf(usage.days) : [];
  const judged = {
    today,
    zone,
    amounts: new Map(spent.filter(([day]) => day < today)),
    ...(account && { account: accountOf(account) }),
  };
  judgedFigures.set(figures, judged);
  return judged;
}

/** The last balance of each day on which billing was asked for it, in order. */
export const knownBalances = ({ balances = {} }: StoredFigures): ReadonlyMap<Day, Money> =>
  new Map(amountsOf(balances).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Whether a rule uses the balance; the others only use the spend. */
export const needsBalance = ({ kind }: WatchRule): boolean => kind === 'balance' || kind === 'runway';
/** Whether a rule needs the spend, which for a balance is only an explanation. */
export const needsUsage = ({ kind }: WatchRule): boolean => kind !== 'balance';

const digitsOf = (wire: WireScalar): string => ('text' in wire ? wire.text : '');

/** @param at ms since the epoch: now @throws Failure */
export async function fetchAccount(
  billing: BillingClient,
  access: OpenedConnection,
  project: Subscription,
  at: Millis,
): Promise<NonNullable<StoredFigures['account']>> {
  const { balance, bonuses } = await billing.balance(access, project);
  return { balance: digitsOf(balance), bonuses: digitsOf(bonuses), at };
}

/** Asks about complete days, from `from` to the day before `today`. @returns without days if nothing is reported @throws Failure */
export async function fetchUsage(
  billing: BillingClient,
  access: OpenedConnection,
  project: Subscription,
  { from, today, zone, at }: { from: Day; today: Day; zone: Zone; at: Millis },
): Promise<NonNullable<StoredFigures['usage']>> {
  const until = addDays(today, -1);
  const range = {
    from: startOfDay(from, zone),
    to: endOfDay(until, zone),
    zone,
    running: false,
    days: { first: from, last: until, today },
  };
  const { charges } = await billing.consumption(access, project, range).catch(emptyIfNoData);
  const { rows, reported } = computeUsage(charges, { days: daysInRange(from, until, zone) });
  const wanted = new Set(reported);
  const digits = rows.flatMap(({ day, amount }) =>
    day !== undefined && wanted.has(day) && 'raw' in amount ? [[day, amount.raw] as const] : [],
  );
  return { days: Object.fromEntries(digits), until, zone, at };
}
