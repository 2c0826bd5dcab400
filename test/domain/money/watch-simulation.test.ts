import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { Money } from '../../../src/domain/money/amount.ts';
import { simulateWatch, simulationFrom } from '../../../src/domain/money/watch-evaluation.ts';
import type { WatchFigures } from '../../../src/domain/money/watch-measurement.ts';
import type { WatchRule } from '../../../src/domain/money/watch-rule.ts';
import { addDays, type Day, daysBetween } from '../../../src/domain/time/calendar.ts';

const TODAY = '2026-11-21';
const FIRST = simulationFrom(TODAY);
const amount = (value: number) => ({ value: new Big(value), raw: String(value) });

/** @param costOn by how many days ago a day was, from 1 for yesterday on */
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
/** By how many days ago the watch would have alerted. */
const alertsOf = (rule: WatchRule, figures: WatchFigures) =>
  simulateWatch(rule, figures).map((day) => daysBetween(day, TODAY));

describe('the simulation of a watch’s past alerts', () => {
  it('covers ninety days, and compares their costs with earlier costs', () => {
    expect(daysBetween(FIRST, TODAY)).toBe(200);
    const rule = { kind: 'spike', factor: new Big(2), floor: new Big(0) } as const;
    const spikeOn = (day: number) => figuresOf((ago) => (ago === day ? 100 : 10));
    expect([90, 91].map((day) => alertsOf(rule, spikeOn(day)))).toEqual([[90], []]);
  });

  it('computes past balances from what has since been spent', () => {
    const figures = figuresOf(() => 10);
    // Ten days ago, the balance was 1,100; nine days ago 1,090.
    expect(alertsOf({ kind: 'balance', below: new Big(1100) }, figures)).toEqual([10]);
    expect(alertsOf({ kind: 'balance', below: new Big('1099.99') }, figures)).toEqual([10]);
    expect(alertsOf({ kind: 'balance', below: new Big('1090') }, figures)).toEqual([9]);
  });

  it('ignores alerts that began more than ninety days ago, and finds none for an unknown balance', () => {
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
    // A day costs 10, on three days six weeks ago 100.
    const figures = figuresOf((ago) => (ago >= 40 && ago <= 42 ? 100 : 10));
    expect(alertsOf({ kind: 'runway', days: 60 }, figures)).toEqual([41]);
  });

  it('for a budget, counts only days that were complete at the time of the alert', () => {
    const dates = alertsOf(
      { kind: 'budget', amount: new Big(310) },
      figuresOf(() => 10),
    );
    // Spent: 50 % on the 16th, 80 % on the 25th, and 100 % on the 31st of August and October.
    expect(dates.map((ago) => addDays(TODAY, -ago).slice(5))).toEqual([
      ...['08-25', '08-31', '09-16', '09-25', '10-16', '10-25', '10-31', '11-16'],
    ]);
  });

  it('finds each spike by comparing its cost with the usual cost at the time', () => {
    const figures = figuresOf((ago) => ([5, 6, 60, 89].includes(ago) ? 100 : 10));
    const rule = { kind: 'spike', factor: new Big(2), floor: new Big(0) } as const;
    expect(alertsOf(rule, figures)).toEqual([89, 60, 6]);
    expect(alertsOf({ ...rule, floor: new Big(101) }, figures)).toEqual([]);
    expect(alertsOf({ ...rule, factor: new Big(10) }, figures)).toEqual([]);
    expect(alertsOf({ ...rule, factor: new Big('9.99') }, figures)).toEqual([89, 60, 6]);
  });
});
