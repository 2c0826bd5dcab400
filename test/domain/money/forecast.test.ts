import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainDigits } from '../../../src/domain/money/amount.ts';
import {
  forecastFrom,
  forecastFromAmounts,
  forecastMonth,
  formatForecast,
} from '../../../src/domain/money/forecast.ts';
import {
  addDays,
  type Day,
  daysBetween,
  daysInRange,
  isoWeekday,
} from '../../../src/domain/time/calendar.ts';
import { usageOfItems } from '../../support/usage.ts';

/** Saturday; November has 30 days, 20 of them over. */
const TODAY = '2026-11-21';

/** What is forecast where billing reports `costOn` of each day back to `from`; undefined: no item. */
function forecast(
  costOn: (day: Day) => string | undefined,
  { today = TODAY, zone = 'UTC', from = forecastFrom(today) } = {},
) {
  const days = daysInRange(from, addDays(today, -1), zone);
  const items = days.flatMap((day) => {
    const amount = costOn(day);
    return amount === undefined
      ? []
      : [{ day: { text: day }, totalAmount: { text: amount }, totalBonuses: { text: '0' } }];
  });
  const found = forecastMonth(usageOfItems(items, { days, zone }), today, zone);
  return (
    found && {
      ...found,
      total: toPlainDigits(found.total),
      spent: toPlainDigits(found.spent),
      error: found.error && toPlainDigits(found.error),
    }
  );
}

const since = (first: Day, amount: string) => (day: Day) => (day >= first ? amount : undefined);

describe('the forecast of a running month', () => {
  it('is what is reported so far and the average day for each day that is left, today among them', () => {
    expect(forecast(() => '10.01')).toEqual({
      total: '300.3',
      spent: '200.2',
      left: 10,
      reported: 28,
      of: 28,
      error: '0',
    });
  });

  it('gives each weekday its own average', () => {
    // 15 weekdays and 5 days of weekends are over; 6 and 4 are left, today, a Saturday, among them.
    const { total, spent } = forecast((day) => (isoWeekday(day) > 5 ? '1' : '10')) ?? {};
    expect([spent, total]).toEqual(['155', '219']);
  });

  it('gives a weekday with fewer than three reported days the average of all', () => {
    // Of the last 28 days only two Saturdays and no other weekend day is reported: 20 × 10 + 2 × 120 over 22.
    const costOn = (day: Day) => {
      if (isoWeekday(day) < 6) return '10';
      return day === '2026-11-07' || day === '2026-11-14' ? '120' : undefined;
    };
    const found = forecast(costOn, { from: '2026-10-24' });
    // 15 weekdays and two Saturdays are reported; then six weekdays, and 1, 8, 15, 21, 22, 28 and 29 at 20 each.
    expect(found).toMatchObject({ spent: '390', left: 13, reported: 22, of: 28 });
    expect(found?.total).toBe('590');
  });

  it('expects a missing day to cost what such a day does, and counts a reported zero as a day', () => {
    const some = forecast((day) => (day === '2026-11-16' ? undefined : '10'));
    expect(some).toMatchObject({ total: '300', spent: '190', left: 11, reported: 27 });
    expect(forecast(() => '0')).toMatchObject({ total: '0', reported: 28 });
  });

  it('is there on the first day of a month, from the days of the month before', () => {
    expect(forecast(() => '10', { today: '2026-11-01' })).toMatchObject({
      total: '300',
      spent: '0',
      left: 30,
    });
  });

  it('needs seven reported days among the last 28, and no others', () => {
    expect(forecast(since('2026-11-15', '10'))).toBeUndefined();
    expect(forecast(since('2026-11-14', '10'))).toMatchObject({ total: '300', left: 23, reported: 7 });
    expect(forecast((day) => (day < '2026-10-24' ? '10' : undefined))).toBeUndefined();
  });

  it('keeps credits negative and every digit', () => {
    expect(forecast(() => '-0.0000000000000000000000001')?.total).toBe('-0.000000000000000000000003');
  });

  it('counts the days that the zone had', () => {
    // Apia left out 30 December 2011.
    expect(forecast(() => '1', { today: '2011-12-15', zone: 'Pacific/Apia' })).toMatchObject({
      total: '30',
      left: 16,
    });
  });

  it('looks at no day before its first, at none from today on, and adds up', () => {
    const amounts = fc.array(fc.option(fc.integer({ min: -50, max: 500 })), {
      minLength: 200,
      maxLength: 200,
    });
    const todays = fc.integer({ min: 0, max: 800 }).map((n) => addDays('2025-06-01', n));
    fc.assert(
      fc.property(amounts, todays, (list, today) => {
        const first = addDays(today, -190);
        const costOn = (day: Day) => list[daysBetween(first, day)]?.toString();
        const found = forecast(costOn, { today });
        expect(forecast(costOn, { today, from: first })).toEqual(found);
        if (found === undefined) return;
        expect(found.left).toBeGreaterThan(0);
        const one = forecast((day) => (costOn(day) === undefined ? undefined : '1'), { today });
        const month = daysInRange(`${today.slice(0, 8)}01`, addDays(today, 31), 'UTC');
        const length = month.filter((day) => day.slice(0, 7) === today.slice(0, 7)).length;
        expect(Number(one?.total)).toBeCloseTo(length, 10);
      }),
      { numRuns: 30 },
    );
  });
});

describe('how far off a forecast was', () => {
  it('is the mean of what it missed on the same day of the last three months', () => {
    // From the 21st on a day costs 3 more than before, in October alone: 11 days.
    const costOn = (day: Day) => (day >= '2026-10-21' && day <= '2026-10-31' ? '13' : '10');
    expect(forecast(costOn)?.error).toBe('11');
  });

  it('is judged on the last day of a month that is shorter', () => {
    // On 31 March there is no such day in February: the 28th is the one day left of it.
    const costOn = (day: Day) => (day === '2026-02-28' ? '16' : '10');
    expect(forecast(costOn, { today: '2026-03-31' })?.error).toBe('2');
  });

  it('is judged by the reported days where four fifths of a month are reported, and else not', () => {
    const without = (last: Day) => (day: Day) => (day >= '2026-09-01' && day <= last ? undefined : '10');
    expect(forecast(without('2026-09-06'))?.error).toBe('0');
    expect(forecast(without('2026-09-07'))?.error).toBeUndefined();
  });

  it('is not known where a month before has nothing to go by', () => {
    expect(forecast(since('2026-09-01', '10'))).toMatchObject({ total: '300', error: undefined });
    // 21 August needs days before it; from the 11th on they are ten, but August is not reported.
    expect(forecast(since('2026-08-11', '10'))?.error).toBeUndefined();
  });
});

describe('a forecast in words', () => {
  const FORECAST = {
    ...{ total: new Big(861_234), spent: new Big(1), left: 3, reported: 27, of: 28 },
    error: new Big(12_000),
  };
  const { error: _, ...WITHOUT_ERROR } = FORECAST;

  it('names the month, the range where it is known, and what it rests on', () => {
    expect(formatForecast(FORECAST, '2026-11-21', toPlainDigits)).toBe(
      'Estimate for Nov 2026: about 861234 ± 12000, from 27 of the last 28 days',
    );
    expect(formatForecast(WITHOUT_ERROR, '2026-09-30', toPlainDigits)).toBe(
      'Estimate for Sep 2026: about 861234, from 27 of the last 28 days',
    );
  });
});

it('a day that is reported before it is over counts as one that is left', () => {
  const amounts = new Map(
    daysInRange(forecastFrom(TODAY), addDays(TODAY, 3), 'UTC').map((day) => [
      day,
      new Big(day < TODAY ? 10 : 500),
    ]),
  );
  const found = forecastFromAmounts(amounts, TODAY, 'UTC');
  expect(found).toMatchObject({ left: 10, reported: 28 });
  expect([found?.total, found?.spent].map((one) => one?.toFixed())).toEqual(['300', '200']);
});

it('a weekday of which three days are reported has an average of its own', () => {
  // The last three Saturdays cost 40, the weekdays 10.
  const costOn = (day: Day) => {
    if (isoWeekday(day) < 6) return '10';
    return isoWeekday(day) === 6 && day > '2026-10-24' && day < TODAY ? '40' : undefined;
  };
  // 15 weekdays and two Saturdays are spent; then six weekdays, two Saturdays, and five Sundays at 320 / 23.
  const found = forecast(costOn, { from: '2026-10-24' });
  expect(found).toMatchObject({ reported: 23, spent: '230' });
  expect(Number(found?.total)).toBeCloseTo(230 + 60 + 80 + (5 * 320) / 23, 10);
});

it('the error of a month is what it cost from the day on, not before', () => {
  // Cheap until the 20th of each month: from the 21st on nothing is different from the days before.
  const costOn = (day: Day) => (day <= '2026-10-10' && day >= '2026-10-01' ? '110' : '10');
  expect(Number(forecast(costOn)?.error)).toBeGreaterThan(100);
});
