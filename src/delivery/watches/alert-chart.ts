import { pluralize } from '../../domain/language/text.ts';
import { divide, type Money, sumMoney, toRoundedDigits, ZERO } from '../../domain/money/amount.ts';
import { spikeLimit } from '../../domain/money/watch-evaluation.ts';
import { measureWatch, type WatchFigures } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { addDays, type Day, daysBefore, daysInRange, endOfUnit } from '../../domain/time/calendar.ts';
import { type Chart, SLACK_LIMITS } from '../../slack/kit/blocks.ts';
import { chart } from '../../slack/kit/charts.ts';
import { dayText } from './alert-wording.ts';

const DAYS = 14;

/** What a chart shows for each day: the measurement (undefined without data), and the threshold. */
interface Lines {
  readonly title: string;
  readonly name: string;
  readonly threshold: string;
  readonly days: readonly Day[];
  value(day: Day): Money | undefined;
  limit(day: Day): Money | undefined;
}

/**
 * A line through the last days and a line for the threshold; undefined when there is too little to draw. A day that is
 * not known has no point, because a line can't leave one out.
 *
 * @param balances the known balances by day; other days' are worked out from what was spent since
 * @param episode of a budget its month
 * @param isOver whether money may have been added since, so that only known balances are drawn
 */
export function alertChart(
  rule: WatchRule,
  figures: WatchFigures,
  balances: ReadonlyMap<Day, Money>,
  episode: string,
  isOver = false,
): Chart | undefined {
  const { title, name, threshold, days, value, limit } = linesOf(rule, figures, balances, episode, isOver);
  const known = everyFew(days.filter((day) => value(day) !== undefined));
  if (known.length < 2) return undefined;
  const drawn = (amount: Lines['value']) =>
    known.flatMap((day) => {
      const of = amount(day);
      return of === undefined ? [] : Number(toRoundedDigits(of));
    });
  const limits = drawn(limit);
  // Longer labels run into each other: `Tue 17` within one month, else `17 Nov`.
  const isOneMonth = new Set(known.map((day) => day.slice(0, 7))).size === 1;
  return chart(
    'line',
    title,
    known.map((day) => (isOneMonth ? dayText(day).replace(/ \w{3}$/, '') : dayText(day).slice(4))),
    [
      { name, values: drawn(value) },
      ...(limits.length === known.length ? [{ name: threshold, values: limits }] : []),
    ],
  );
}

/** As many points as Slack draws: evenly spaced, the last point included. */
function everyFew(days: readonly Day[]): readonly Day[] {
  const step = Math.ceil(days.length / SLACK_LIMITS.chartPoints);
  return days.filter((_, at) => (days.length - 1 - at) % step === 0);
}

function linesOf(
  rule: WatchRule,
  figures: WatchFigures,
  balances: ReadonlyMap<Day, Money>,
  episode: string,
  isOver: boolean,
): Lines {
  const { amounts, today, zone } = figures;
  const days = daysBefore(today, DAYS, zone);
  const spending = { title: 'Spent per day', name: 'Spent', days, value: (day: Day) => amounts.get(day) };
  switch (rule.kind) {
    case 'balance': {
      const value = balanceOn(figures, balances, !isOver);
      const words = { title: 'Balance by day', name: 'Left', threshold: 'Alert below' };
      return { ...words, days: [...days, today], value, limit: () => rule.below };
    }
    case 'runway': {
      const { runway } = measureWatch('runway', figures);
      const left = runway && 'left' in runway && runway.left.gt(0) ? runway.left : undefined;
      const most = left && divide(left, rule.days);
      return { ...spending, threshold: `Lasts ${pluralize(rule.days, 'day')}`, limit: () => most };
    }
    case 'budget': {
      const spent = monthSoFar(episode, figures);
      const words = { title: 'Spent so far in the month', name: 'Spent so far', threshold: 'Budget' };
      return { ...words, days: [...spent.keys()], value: (day) => spent.get(day), limit: () => rule.amount };
    }
    case 'spike': {
      const { days: known } = measureWatch('spike', figures);
      const limit = (day: Day) => spikeLimit(rule, known.find((spend) => spend.day === day) ?? {});
      return { ...spending, threshold: 'Alert above', limit };
    }
  }
}

/** Known, or worked out backwards from the balance now; undefined across a day that is not reported. */
function balanceOn(
  { account, amounts, today }: WatchFigures,
  balances: ReadonlyMap<Day, Money>,
  isWorkedOut: boolean,
) {
  const known = new Map(balances);
  if (account !== undefined && 'value' in account.balance) known.set(today, account.balance.value);
  return (day: Day): Money | undefined => {
    let spent: readonly Money[] = [];
    for (let at = day; at <= today; at = addDays(at, 1)) {
      const balance = known.get(at);
      if (balance !== undefined) return balance.plus(sumMoney(spent));
      if (!isWorkedOut) return undefined;
      // What today has cost so far isn't known.
      const next = addDays(at, 1) === today ? ZERO : amounts.get(addDays(at, 1));
      if (next === undefined) return undefined;
      spent = [...spent, next];
    }
    return undefined;
  };
}

/** The sum so far on each reported day of the month, which may be over. */
function monthSoFar(month: string, { amounts, today, zone }: WatchFigures): ReadonlyMap<Day, Money> {
  // An alert that was made before the watch became a budget is about no month.
  if (!/^\d{4}-\d\d$/.test(month)) return new Map();
  const first = `${month}-01`;
  let spent = ZERO;
  return new Map(
    daysInRange(first, endOfUnit('month', first), zone).flatMap((day) => {
      const amount = day < today ? amounts.get(day) : undefined;
      spent = spent.plus(amount ?? ZERO);
      return amount === undefined ? [] : [[day, spent] as const];
    }),
  );
}
