import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { Money } from '../../../src/domain/money/amount.ts';
import { simulateWatch, simulationFrom } from '../../../src/domain/money/watch-evaluation.ts';
import type { WatchFigures, WatchRule } from '../../../src/domain/money/watch-measurement.ts';
import { addDays, type Day, daysBetween } from '../../../src/domain/time/calendar.ts';

const TODAY = '2026-11-21';
const FIRST = simulationFrom(TODAY);
const amount = (value: number) => ({ value: new Big(value), raw: String(value) });

/** A project that costs `costOn` each day, counted back from yesterday, which is 1. */
const figuresOf = (costOn: (ago: number) => number | undefined, balance = 1000): WatchFigures => ({
  today: TODAY,
  zone: 'UTC',
  account: { balance: amount(balance), bonuses: amount(0) },
  amounts: new Map(
    Array.from({ length: 200 }, (_, n) => n + 1).flatMap((ago): (readonly [Day, Money])[] => {
      const cost = costOn(ago);
      return cost === undefined ? [] : [[addDays(TODAY, -ago), new Big(cost)]];
    }),
  ),
});
/** The days that would have made the watch alert, counted back from today. */
const alertsOf = (rule: WatchRule, figures: WatchFigures) =>
  simulateWatch(rule, figures).map((day) => daysBetween(day, TODAY));

describe('looking back at the alerts a watch would have sent', () => {
  it('uses ninety days, and the earlier days that the first of them needs', () => {
    expect(daysBetween(FIRST, TODAY)).toBe(200);
    const rule = { kind: 'spike', factor: new Big(2), floor: new Big(0) } as const;
    const spikeOn = (day: number) => figuresOf((ago) => (ago === day ? 100 : 10));
    expect([90, 91].map((day) => alertsOf(rule, spikeOn(day)))).toEqual([[90], []]);
  });

  it('works out each balance from what was spent since, and names the day after which it was below', () => {
    const figures = figuresOf(() => 10);
    // Ten days ago it was at 1,100, after that day at 1,090.
    expect(alertsOf({ kind: 'balance', below: new Big(1100) }, figures)).toEqual([10]);
    expect(alertsOf({ kind: 'balance', below: new Big('1099.99') }, figures)).toEqual([10]);
    expect(alertsOf({ kind: 'balance', below: new Big('1090') }, figures)).toEqual([9]);
  });

  it('reports nothing that was crossed before the first day, and nothing without a balance', () => {
    expect(
      alertsOf(
        { kind: 'balance', below: new Big(5000) },
        figuresOf(() => 10),
      ),
    ).toEqual([]);
    const { account: _, ...unknown } = figuresOf(() => 10);
    expect(alertsOf({ kind: 'balance', below: new Big(1100) }, unknown)).toEqual([]);
    const unreadable = {
      ...figuresOf(() => 10),
      account: { balance: { unreadable: '?' }, bonuses: amount(0) },
    };
    expect(alertsOf({ kind: 'balance', below: new Big(1100) }, unreadable)).toEqual([]);
  });

  it('computes a day’s runway from the week before it', () => {
    // Ten a day; for three days, six weeks ago, a hundred.
    const figures = figuresOf((ago) => (ago >= 40 && ago <= 42 ? 100 : 10));
    expect(alertsOf({ kind: 'runway', days: 60 }, figures)).toEqual([41]);
  });

  it('computes a budget from the days that were over by then', () => {
    const dates = alertsOf(
      { kind: 'budget', amount: new Big(310) },
      figuresOf(() => 10),
    );
    // Half on the 16th, four fifths on the 25th, and all of it on the 31st of August and October.
    expect(dates.map((ago) => addDays(TODAY, -ago).slice(5))).toEqual([
      ...['08-25', '08-31', '09-16', '09-25', '10-16', '10-25', '10-31', '11-16'],
    ]);
  });

  it('reports each spike of the ninety days, with the baseline of that time', () => {
    const figures = figuresOf((ago) => ([5, 6, 60, 89].includes(ago) ? 100 : 10));
    const rule = { kind: 'spike', factor: new Big(2), floor: new Big(0) } as const;
    expect(alertsOf(rule, figures)).toEqual([89, 60, 6]);
    expect(alertsOf({ ...rule, floor: new Big(101) }, figures)).toEqual([]);
    expect(alertsOf({ ...rule, factor: new Big(10) }, figures)).toEqual([]);
    expect(alertsOf({ ...rule, factor: new Big('9.99') }, figures)).toEqual([89, 60, 6]);
  });
});
