import { type BillingClient, emptyIfNoData, type Subscription } from '../../billing/client.ts';
import type { WireScalar } from '../../domain/money/amount.ts';
import { computeUsage, type Usage } from '../../domain/money/usage.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import {
  addDays,
  type Day,
  daysInRange,
  endOfDay,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import type { OpenedConnection } from '../../workspace/projects/resolve-project.ts';
import type { StoredFigures } from './watch-figures.ts';

/** Whether a rule uses the balance; the others only use the spend. */
export const needsBalance = ({ kind }: WatchRule): boolean => kind === 'balance' || kind === 'runway';
/** A balance is judged without what was spent, which only explains it. */
export const needsUsage = ({ kind }: WatchRule): boolean => kind !== 'balance';

const digitsOf = (wire: WireScalar): string => ('text' in wire ? wire.text : '');

/** @param at ms since the epoch: now @throws Failure */
export async function askAccount(
  billing: BillingClient,
  access: OpenedConnection,
  project: Subscription,
  at: Millis,
): Promise<NonNullable<StoredFigures['account']>> {
  const { balance, bonuses } = await billing.balance(access, project);
  return { balance: digitsOf(balance), bonuses: digitsOf(bonuses), at };
}

/** Complete days, from `from` to the day before `today`. */
export interface StoredUsageQuestion {
  readonly from: Day;
  readonly today: Day;
  readonly zone: Zone;
  readonly at: Millis;
}

/** @returns without days if nothing is reported @throws Failure */
export async function askUsage(
  billing: BillingClient,
  access: OpenedConnection,
  project: Subscription,
  { from, today, zone, at }: StoredUsageQuestion,
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
  const usage = computeUsage(charges, { days: daysInRange(from, until, zone) });
  return { days: reportedDigits(usage), until, zone, at };
}

const reportedDigits = ({ rows, reported }: Usage): Record<Day, string> => {
  const wanted = new Set(reported);
  return Object.fromEntries(
    rows.flatMap(({ day, amount }) =>
      day !== undefined && wanted.has(day) && 'raw' in amount ? [[day, amount.raw]] : [],
    ),
  );
};
