import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Money } from '../../../src/domain/money/amount.ts';
import { type AlertedLevel, evaluateRule } from '../../../src/domain/money/watch-evaluation.ts';
import { measureWatch, type WatchFigures } from '../../../src/domain/money/watch-measurement.ts';
import type { WatchRule } from '../../../src/domain/money/watch-rule.ts';
import { addDays, type Day } from '../../../src/domain/time/calendar.ts';

const amount = (value: Money | number) => ({ value: new Big(value), raw: String(value) });
const BALANCE: WatchRule = { kind: 'balance', below: new Big(50_000) };
const BUDGET: WatchRule = { kind: 'budget', amount: new Big(1000) };
const SPIKE: WatchRule = { kind: 'spike', factor: new Big(2), floor: new Big(50) };

/** The costs of the days up to yesterday; null for an unreported day. */
const daysUntil = (today: Day, amounts: readonly (number | null)[]): ReadonlyMap<Day, Money> =>
  new Map(
    amounts.flatMap((value, n) =>
      value === null ? [] : [[addDays(today, n - amounts.length), new Big(value)] as const],
    ),
  );

function judgeAll(rule: WatchRule, checks: readonly WatchFigures[], since = '2020-01-01') {
  let alerted: readonly AlertedLevel[] = [];
  return checks.map((figures, n) => {
    const judgement = evaluateRule(rule, measureWatch(rule.kind, figures), alerted, {
      episode: `${n}`,
      since,
    });
    alerted = judgement.alerted;
    return judgement;
  });
}

const NO_DAYS: ReadonlyMap<Day, Money> = new Map();
const balanceOf = (value: number): WatchFigures => ({
  today: '2026-11-20',
  zone: 'UTC',
  amounts: NO_DAYS,
  account: { balance: amount(value), bonuses: amount(0) },
});

describe('a watch on a balance', () => {
  test('alerts once, and again only after the balance has been at least 2 % above the threshold', () => {
    const balances = [50_000, 49_999, 40_000, 50_999, 49_000, 51_000, 49_999];
    expect(judgeAll(BALANCE, balances.map(balanceOf)).map(({ crossings }) => crossings.length)).toEqual([
      0, 1, 0, 0, 0, 0, 1,
    ]);
  });

  test('neither alerts nor reports a recovery while the balance is unknown', () => {
    const unreadable = { ...balanceOf(0), account: { balance: { unreadable: 'x' }, bonuses: amount(0) } };
    const [, second, third] = judgeAll(BALANCE, [balanceOf(1), unreadable, balanceOf(1)]);
    expect(second).toMatchObject({ isKnown: false, crossings: [], recoveries: [] });
    expect(third?.crossings).toEqual([]);
  });

  test('reports a recovery between any two alerts, however the balance changes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 48_000, max: 53_000 }), { maxLength: 60 }), (balances) => {
        const judged = judgeAll(BALANCE, balances.map(balanceOf));
        const events = judged.flatMap(({ crossings, recoveries }) => [
          ...crossings.map(() => 'crossed'),
          ...recoveries.map(() => 'recovered'),
        ]);
        expect(events).toEqual(events.map((_, n) => (n % 2 === 0 ? 'crossed' : 'recovered')));
        for (const [n, { crossings }] of judged.entries())
          if (crossings.length > 0) expect(balances[n]).toBeLessThan(50_000);
      }),
    );
  });
});

describe('a watch on a budget', () => {
  const inMonth = (today: Day, ...amounts: (number | null)[]): WatchFigures => ({
    today,
    zone: 'UTC',
    amounts: daysUntil(today, amounts),
  });
  const levels = (checks: readonly WatchFigures[], since?: Day) =>
    judgeAll(BUDGET, checks, since).map(({ crossings }) =>
      crossings.map(({ episode, level }) => `${episode} ${level}`),
    );

  test('alerts only about the highest of several levels reached at once', () => {
    const checks = [
      inMonth('2026-11-02', 400),
      inMonth('2026-11-03', 400, 450),
      inMonth('2026-11-04', 400, 450, 200),
    ];
    expect(levels(checks)).toEqual([[], ['2026-11 80'], ['2026-11 100']]);
  });

  test('alerts about a month’s last day if billing reports the day late', () => {
    const november = [600, ...Array<number>(28).fill(10)];
    const checks = [
      inMonth('2026-12-01', ...november, null),
      inMonth('2026-12-02', ...november, 150, 1),
      inMonth('2026-12-03', ...november, 150, 1, 1),
    ];
    expect(levels(checks, '2026-11-01')).toEqual([['2026-11 80'], ['2026-11 100'], []]);
  });

  test('does not alert about months before the watch was set up', () => {
    expect(levels([inMonth('2026-12-02', 2000, ...Array(30).fill(1))], '2026-12-02')).toEqual([[]]);
  });
});

describe('a watch on spikes', () => {
  const TODAY = '2026-11-21';
  const usual = Array<number>(40).fill(100);
  const spikes = (checks: readonly (readonly (number | null)[])[], since?: Day) =>
    judgeAll(
      SPIKE,
      checks.map((amounts) => ({ today: TODAY, zone: 'UTC', amounts: daysUntil(TODAY, amounts) })),
      since,
    ).map(({ crossings }) => crossings.map(({ episode }) => episode));

  test('alerts again if a correction puts a usual day between two expensive days', () => {
    const first = [...usual, 300, 300, 300];
    const corrected = [...usual, 300, 100, 300];
    expect(spikes([first, corrected, first, corrected])).toEqual([['2026-11-18'], ['2026-11-20'], [], []]);
  });
});
