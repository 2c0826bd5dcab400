import { divide, type Money, sumMoney, toRoundedDigits, ZERO } from '../domain/money/amount.ts';
import { spikeLimit } from '../domain/money/thresholds.ts';
import { measureWatch, type WatchFigures } from '../domain/money/watch-measurement.ts';
import type { WatchRule } from '../domain/money/watch-rule.ts';
import {
  addDays,
  type Day,
  daysBefore,
  daysInRange,
  formatDays,
  startOfUnit,
} from '../domain/time/calendar.ts';
import { barChart, type Chart } from '../slack/kit/chart.ts';

const DAYS = 14;
/** Slack's limit. */
const MAX_DAYS = 20;

/** A day, its measurement (undefined without data), and the threshold. */
interface Bar {
  readonly day: Day;
  readonly value: Money | undefined;
  readonly threshold: Money | undefined;
}

/**
 * The last days beside the threshold; undefined when there is too little to draw.
 *
 * @param balances known ones, by day; for the others it is worked out from what was spent since
 */
export function alertChart(
  rule: WatchRule,
  figures: WatchFigures,
  balances: ReadonlyMap<Day, Money>,
): Chart | undefined {
  const { title, name, threshold, bars } = chartOf(rule, figures, balances);
  if (bars.filter(({ value }) => value !== undefined).length < 2) return undefined;
  const drawn = (value: Money | undefined) => (value === undefined ? 0 : Number(toRoundedDigits(value)));
  // Longer labels run into each other: `Tue 17` within one month, else `17 Nov`.
  const isOneMonth = new Set(bars.map(({ day }) => day.slice(0, 7))).size === 1;
  const labelOf = (day: Day) => (isOneMonth ? dayText(day).replace(/ \w{3}$/, '') : dayText(day).slice(4));
  return barChart(
    title,
    name,
    bars.map(({ day, value }) => ({
      label: value === undefined ? `${dayText(day).slice(4)}: no data` : labelOf(day),
      value: drawn(value),
    })),
    { name: threshold, values: bars.map((bar) => drawn(bar.threshold)) },
  );
}

function chartOf(rule: WatchRule, figures: WatchFigures, balances: ReadonlyMap<Day, Money>) {
  const { amounts, today, zone } = figures;
  const days = daysBefore(today, DAYS, zone);
  switch (rule.kind) {
    case 'balance': {
      const value = balanceOn(figures, balances);
      const bars = [...days, today].map((day) => ({ day, value: value(day), threshold: rule.below }));
      // Before the first known balance there is nothing to say.
      const first = bars.findIndex((bar) => bar.value !== undefined);
      return {
        title: 'Balance by day',
        name: 'Left',
        threshold: 'Alert below',
        bars: bars.slice(first),
      };
    }
    case 'runway': {
      const measured = measureWatch('runway', figures);
      const left = measured.kind === 'runway' && measured.runway !== undefined && 'left' in measured.runway;
      const most = left ? divide(measured.runway.left, rule.days) : undefined;
      const bars = days.map((day) => ({ day, value: amounts.get(day), threshold: most }));
      return { title: 'Spent per day', name: 'Spent', threshold: `Lasts ${rule.days} days`, bars };
    }
    case 'budget':
      return {
        title: 'Spent this month',
        name: 'Spent',
        threshold: 'Budget',
        bars: monthBars(rule.amount, figures),
      };
    case 'spike': {
      const measured = measureWatch('spike', figures);
      const known = measured.kind === 'spike' ? measured.days : [];
      const limit = (day: Day) => spikeLimit(rule, known.find((one) => one.day === day) ?? {});
      const bars = days.map((day) => ({ day, value: amounts.get(day), threshold: limit(day) }));
      return { title: 'Spent per day', name: 'Spent', threshold: 'Alert above', bars };
    }
  }
}

/** Known, or worked out backwards from the balance now; undefined across a day that is not reported. */
function balanceOn({ account, amounts, today }: WatchFigures, balances: ReadonlyMap<Day, Money>) {
  const known = new Map(balances);
  if (account !== undefined && 'value' in account.balance) known.set(today, account.balance.value);
  return (day: Day): Money | undefined => {
    let spent: readonly Money[] = [];
    for (let at = day; at <= today; at = addDays(at, 1)) {
      const balance = known.get(at);
      if (balance !== undefined) return balance.plus(sumMoney(spent));
      // What today has cost so far isn't known.
      const next = addDays(at, 1) === today ? ZERO : amounts.get(addDays(at, 1));
      if (next === undefined) return undefined;
      spent = [...spent, next];
    }
    return undefined;
  };
}

/** The sum so far on each reported day of the month that yesterday was in. */
function monthBars(budget: Money, { amounts, today, zone }: WatchFigures): readonly Bar[] {
  const yesterday = addDays(today, -1);
  const days = daysInRange(startOfUnit('month', yesterday), yesterday, zone);
  let spent: readonly Money[] = [];
  const bars = days.map((day) => {
    const amount = amounts.get(day);
    if (amount !== undefined) spent = [...spent, amount];
    return { day, value: amount === undefined ? undefined : sumMoney(spent), threshold: budget };
  });
  return bars.slice(-MAX_DAYS);
}

/** `Wed 18 Nov` */
const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));
