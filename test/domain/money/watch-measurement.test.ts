import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { Amount, Money } from '../../../src/domain/money/amount.ts';
import { measureWatch, spendOf, type WatchFigures } from '../../../src/domain/money/watch-measurement.ts';
import type { WatchKind } from '../../../src/domain/money/watch-rule.ts';
import { addDays, type Day } from '../../../src/domain/time/calendar.ts';

const TODAY = '2026-11-21';
const amount = (value: number): Amount => ({ value: new Big(value), raw: String(value) });
const costs = (...days: readonly (readonly [Day, number])[]): ReadonlyMap<Day, Money> =>
  new Map(days.map(([day, cost]) => [day, new Big(cost)]));
const eachDay = (first: Day, count: number, cost = 10): readonly (readonly [Day, number])[] =>
  Array.from({ length: count }, (_, n) => [addDays(first, n), cost] as const);

const measure = <K extends WatchKind>(kind: K, figures: Partial<WatchFigures> = {}) => {
  const measurement = measureWatch(kind, { today: TODAY, zone: 'UTC', amounts: new Map(), ...figures });
  // JSON has amounts as digits, which are easier to compare.
  return JSON.parse(JSON.stringify(measurement)) as unknown;
};

it('a watch on the balance measures the balance without bonuses', () => {
  const account = { balance: amount(5), bonuses: amount(7) };
  expect(measure('balance', { account })).toMatchObject({ kind: 'balance', balance: '5' });
  expect(measure('balance')).toEqual({ kind: 'balance' });
  const unreadable = { balance: { unreadable: 'x' }, bonuses: amount(7) };
  expect(measure('balance', { account: unreadable })).toEqual({ kind: 'balance' });
});

it('a watch on the balance computes the runway without bonuses', () => {
  const account = { balance: amount(100), bonuses: amount(4000) };
  expect(measure('balance', { account, amounts: costs(...eachDay('2026-11-14', 7)) })).toMatchObject({
    runway: { kind: 'estimate', days: 10, until: '2026-12-01' },
  });
});

describe('a watch on the runway', () => {
  const account = { balance: amount(100), bonuses: amount(40) };

  it('measures how long balance and bonuses last at last week’s average', () => {
    const amounts = costs(['2026-11-13', 500], ...eachDay('2026-11-14', 5), ['2026-11-21', 500]);
    expect(measure('runway', { account, amounts })).toMatchObject({
      kind: 'runway',
      runway: { kind: 'estimate', days: 14, reported: 5, of: 7, until: '2026-12-05', average: '10' },
    });
  });

  it('measures nothing without a balance, or without three reported days', () => {
    expect(measure('runway', { amounts: costs(...eachDay('2026-11-14', 7)) })).toEqual({ kind: 'runway' });
    const amounts = costs(...eachDay('2026-11-19', 2));
    expect(measure('runway', { account, amounts })).toMatchObject({
      runway: { kind: 'unknown', reason: 'too-few-days', reported: 2 },
    });
  });
});

describe('a watch on a budget', () => {
  it('measures the cost of the month up to yesterday, and the forecast of the month', () => {
    const amounts = costs(
      ...eachDay('2026-10-20', 12, 1),
      ...eachDay('2026-11-01', 18),
      ...eachDay(TODAY, 5, 999),
    );
    expect(measure('budget', { amounts })).toMatchObject({
      months: [{ month: '2026-11', spent: '180', reported: 18, of: 20, forecast: expect.any(String) }],
    });
    const few = measure('budget', { amounts: costs(...eachDay('2026-11-15', 6)) });
    expect(few).toEqual({ kind: 'budget', months: [{ month: '2026-11', spent: '60', reported: 6, of: 20 }] });
  });

  it.each([
    ['2026-11-01', ['2026-10 310 31/31', '2026-11 0 0/0']],
    ['2026-11-07', ['2026-10 310 31/31', '2026-11 60 6/6']],
    ['2026-11-08', ['2026-11 70 7/7']],
    ['2027-01-03', ['2026-12 310 31/31', '2027-01 20 2/2']],
  ])('on %s measures these months (cost, reported days): %j', (today, months) => {
    const measurement = measureWatch('budget', {
      today,
      zone: 'UTC',
      amounts: costs(...eachDay('2026-10-01', 150)),
    });
    const measured = measurement.kind === 'budget' ? measurement.months : [];
    expect(
      measured.map(({ month, spent, reported, of }) => `${month} ${spent.toFixed()} ${reported}/${of}`),
    ).toEqual(months);
    expect(measured.map(({ forecast }) => forecast !== undefined)).toEqual(
      months.map((_, n) => n === months.length - 1),
    );
  });
});

describe('a watch on spikes', () => {
  it('measures the costs of the reported days among the last 45', () => {
    const amounts = costs(['2026-10-06', 1], ['2026-10-07', 2], ['2026-11-20', 3], ['2026-11-21', 4]);
    expect(measure('spike', { amounts })).toEqual({
      kind: 'spike',
      today: TODAY,
      days: [
        { day: '2026-10-07', amount: '2' },
        { day: '2026-11-20', amount: '3' },
      ],
    });
  });

  /** The usual cost of today. @param days what earlier days cost, each by how many days ago it was */
  const baselineOf = (...days: readonly (readonly [ago: number, cost: number])[]) => {
    const amounts = costs([TODAY, 1], ...days.map(([ago, cost]) => [addDays(TODAY, -ago), cost] as const));
    const found = spendOf([TODAY], amounts)[0];
    return found?.baseline === undefined ? undefined : `${found.baseline.toFixed()} ${found.basis}`;
  };
  const daily = (from: number, count: number, cost = 10) =>
    Array.from({ length: count }, (_, n) => [from + n, cost] as const);

  it('compares a day with the median of the same weekday in the last four weeks', () => {
    const weeks = [
      [7, 30],
      [14, 10],
      [21, 40],
      [28, 21],
    ] as const;
    expect(baselineOf(...weeks)).toBe('25.5 weekday');
    expect(baselineOf(...weeks.slice(0, 3))).toBe('30 weekday');
    expect(baselineOf(...weeks.slice(1))).toBe('21 weekday');
    expect(baselineOf(...weeks.slice(0, 2))).toBeUndefined();
    expect(baselineOf([7, 30], [14, 10], [35, 40])).toBeUndefined();
    expect(baselineOf([7, 1], [14, 1], [21, 1], [28, 5])).toBe('1 weekday');
  });

  it('compares a day with the average of fourteen days if too few of the same weekday are reported', () => {
    expect(baselineOf([1, 24], ...daily(2, 13), [16, 999])).toBe('11 days');
    expect(baselineOf(...daily(1, 13))).toBeUndefined();
    expect(baselineOf(...daily(1, 6), ...daily(50, 6), [58, 10], [60, 150])).toBe('20 days');
    expect(baselineOf(...daily(1, 6), ...daily(50, 6), [58, 10], [61, 150])).toBeUndefined();
    expect(baselineOf()).toBeUndefined();
  });
});
