import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainDigits } from '../../../src/domain/money/amount.ts';
import {
  forecastFrom,
  forecastMonth,
  formatForecast,
  formatForecastBasis,
} from '../../../src/domain/money/forecast.ts';
import {
  addDays,
  type Day,
  daysBetween,
  daysInRange,
  isoWeekday,
} from '../../../src/domain/time/calendar.ts';
import { runs } from '../../support/test-run.ts';
import { item, itemsOf, usageOfItems } from '../../support/usage.ts';

const TODAY = '2026-11-21';

/** Forecasts from the days since `from`. @param costOn undefined for an unreported day */
function forecast(
  costOn: (day: Day) => string | undefined,
  { today = TODAY, zone = 'UTC', from = forecastFrom(today), spentToday = '0', extra = '0' } = {},
) {
  const days = daysInRange(from, addDays(today, -1), zone);
  const { amounts } = usageOfItems(itemsOf(days, costOn), { days, zone });
  const month = days.filter((day) => day.slice(0, 7) === today.slice(0, 7));
  const items = [...itemsOf(month, costOn), item(today, spentToday), item('soon', extra)];
  const soFar = usageOfItems(items, { days: [...month, today], today, zone });
  const found = forecastMonth(amounts, today, zone, soFar);
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

describe('the forecast of the current month', () => {
  it('is the reported cost plus the cost of a usual day for today and each later day', () => {
    expect(forecast(() => '10.01')).toEqual({
      total: '300.3',
      spent: '200.2',
      left: 10,
      reported: 28,
      of: 28,
      error: undefined,
    });
  });

  it('uses today’s cost so far if that exceeds the cost of a usual day', () => {
    const usual = () => '10';
    expect(forecast(usual, { spentToday: '4' })?.total).toBe('300');
    expect(forecast(usual, { spentToday: '70.123456789012345' })?.total).toBe('360.123456789012345');
    expect(forecast(usual, { today: '2026-11-30', spentToday: '70' })?.total).toBe('360');
  });

  it('never falls below the amount already spent, unless that amount is negative', () => {
    const credits = (day: Day) => (day < '2026-11-01' ? '-10' : day === '2026-11-10' ? '500' : '-10');
    const spent = '310';
    expect(forecast(credits)).toMatchObject({ spent, total: spent });
    expect(forecast(credits, { spentToday: '90' })?.total).toBe('400');
    // Items without a readable day are in the total, too.
    expect(forecast(() => '10', { extra: '700' })?.total).toBe('900');
    expect(forecast(() => '-10')?.total).toBe('-300');
  });

  it('expects each day to cost what its weekday usually costs', () => {
    // Before today: 15 weekdays and 5 days of weekends. Left, with today: 6 weekdays and 4 days of weekends.
    const { total, spent } = forecast((day) => (isoWeekday(day) > 5 ? '1' : '10')) ?? {};
    expect([spent, total]).toEqual(['155', '219']);
    expect(forecast((day) => (isoWeekday(day) === 3 ? '70' : '0'))?.total).toBe('280');
  });

  it('estimates an unreported day, but counts a reported zero as zero', () => {
    const some = forecast((day) => (day === '2026-11-16' ? undefined : '10'));
    expect(some).toMatchObject({ total: '300', spent: '190', left: 11, reported: 27, of: 28 });
    expect(forecast(() => '0')).toMatchObject({ total: '0', reported: 28 });
  });

  it('on the first day of a month is based on earlier months', () => {
    expect(forecast(() => '10', { today: '2026-11-01' })).toMatchObject({
      total: '300',
      spent: '0',
      left: 30,
    });
  });

  it('needs seven reported days out of the last 28', () => {
    expect(forecast(since('2026-11-15', '10'))).toBeUndefined();
    expect(forecast(since('2026-11-14', '10'))).toMatchObject({ total: '300', left: 23, reported: 7, of: 7 });
    expect(forecast((day) => (day < '2026-10-24' ? '10' : undefined))).toBeUndefined();
  });

  it('uses only the days since a change in daily cost once the change has lasted three days', () => {
    const changed = (first: Day) => (day: Day) => (day >= first ? '30' : '10');
    expect(forecast(changed('2026-11-18'))).toMatchObject({ total: '560', spent: '260', reported: 3, of: 3 });
    expect(forecast(changed('2026-10-25'))).toMatchObject({ total: '900', reported: 27, of: 27 });
    expect(forecast(changed('2026-11-19'))).toMatchObject({ total: '340', spent: '240' });
  });

  it('estimates an unreported day from the days around it, even before a change in daily cost', () => {
    const costOn = (day: Day) => (day === '2026-11-05' ? undefined : day < '2026-11-10' ? '10' : '40');
    expect(forecast(costOn)?.total).toBe('930');
  });

  it('expects no further expensive day unless there have been several', () => {
    expect(forecast((day) => (day === '2026-11-12' ? '200' : '10'))?.total).toBe('490');
    const huge = ['2026-07-15', '2026-08-06', '2026-09-13', '2026-10-02', '2026-11-12'];
    // 140 days have cost 5 × 190 more than usual.
    expect(Number(forecast((day) => (huge.includes(day) ? '200' : '10'))?.total)).toBeCloseTo(
      490 + (10 * 5 * 190) / 140,
      8,
    );
  });

  it('expects a charge that came on the same day of the month in each of the last two months', () => {
    const charged =
      (dates: readonly string[], last = '2026-12') =>
      (day: Day) =>
        dates.includes(day.slice(8)) && day < last ? '500' : '10';
    expect(forecast(charged(['01']))?.total).toBe('790');
    expect(forecast(charged(['01']), { today: '2026-11-01' })?.total).toBe('790');
    expect(forecast(charged(['25']))?.total).toBe('790');
    expect(forecast(charged(['25'], '2026-10'))?.total).toBe('300');
    const onLast = (day: Day) => (addDays(day, 1).endsWith('-01') ? '500' : '10');
    expect(forecast(onLast)?.total).toBe('790');
  });

  it('continues a trend, up or down', () => {
    const grows = (rate: number) => (day: Day) => (1_000 * rate ** daysBetween('2026-11-01', day)).toFixed(4);
    for (const rate of [1.02, 0.98]) {
      const truth = [...Array(30).keys()].reduce((all, n) => all + 1_000 * rate ** n, 0);
      const found = Number(forecast(grows(rate), { today: '2026-11-10' })?.total);
      expect(Math.abs(found / truth - 1)).toBeLessThan(0.04);
    }
  });

  it('keeps credits negative, and keeps every digit of the reported amounts', () => {
    expect(forecast(() => '-0.0000000000000000000000001')?.total).toBe('-0.000000000000000000000003');
    const spent = '1000000000000000000000000.01';
    expect(forecast((day) => (day === '2026-11-20' ? spent : '0'))?.total).toBe(spent);
  });

  it('leaves out a day that the time zone skipped', () => {
    // Samoa skipped 30 December 2011, when it crossed the date line.
    expect(forecast(() => '1', { today: '2011-12-15', zone: 'Pacific/Apia' })).toMatchObject({
      total: '30',
      left: 16,
    });
  });

  it('estimates today and later days even if billing already reports them', () => {
    const amounts = new Map(
      daysInRange(forecastFrom(TODAY), addDays(TODAY, 3), 'UTC').map((day) => [
        day,
        new Big(day < TODAY ? 10 : 500),
      ]),
    );
    const found = forecastMonth(amounts, TODAY, 'UTC');
    expect(found).toMatchObject({ left: 10, reported: 28 });
    expect([found?.total, found?.spent].map((money) => money?.toFixed())).toEqual(['300', '200']);
  });
});

describe('the forecast of random costs', () => {
  const amounts = fc.oneof(
    fc.array(fc.option(fc.integer({ min: -50, max: 500 })), { minLength: 150, maxLength: 150 }),
    fc.array(fc.constantFrom(0, 0, 1, 100, 1_000_000), { minLength: 150, maxLength: 150 }),
  );
  const todays = fc.integer({ min: 0, max: 800 }).map((n) => addDays('2025-06-01', n));
  const costFrom =
    (list: readonly (number | null)[], today: Day, factor = 1n) =>
    (day: Day) => {
      const amount = list[daysBetween(addDays(today, -150), day)];
      return amount === undefined || amount === null ? undefined : String(BigInt(amount) * factor);
    };

  it('ignores the days before the last four months, and never falls below a positive amount spent', () => {
    fc.assert(
      fc.property(amounts, todays, (list, today) => {
        const costOn = costFrom(list, today);
        const found = forecast(costOn, { today });
        expect(forecast(costOn, { today, from: addDays(today, -190) })).toEqual(found);
        if (found === undefined) return;
        expect(found.left).toBeGreaterThan(0);
        expect(Number(found.total)).not.toBeNaN();
        expect(found.error === undefined || Number(found.error) > 0).toBe(true);
        if (Number(found.spent) > 0) expect(Number(found.total)).toBeGreaterThanOrEqual(Number(found.spent));
      }),
      { numRuns: runs(40) },
    );
  });

  it('is proportional to the costs', () => {
    const isNear = (a = '0', b = '0') =>
      Math.abs(Number(a) / 2 ** 70 - Number(b)) <= 1e-9 * Math.abs(Number(b));
    fc.assert(
      fc.property(amounts, todays, (list, today) => {
        const [found, large] = [1n, 2n ** 70n].map((factor) =>
          forecast(costFrom(list, today, factor), { today }),
        );
        expect(large === undefined).toBe(found === undefined);
        expect(isNear(large?.total, found?.total)).toBe(true);
        expect(isNear(large?.error, found?.error)).toBe(true);
      }),
      { numRuns: runs(40) },
    );
  });

  it('made on the last day of a month is the amount spent plus the cost of one usual day', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 90, max: 110 }), { minLength: 190, maxLength: 190 }), (list) => {
        const found = forecast((day) => list[daysBetween('2026-05-24', day)]?.toString(), {
          today: '2026-11-30',
        });
        const last = Number(found?.total) - Number(found?.spent);
        expect(last).toBeGreaterThan(80);
        expect(last).toBeLessThan(125);
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('the range of a forecast', () => {
  const wavy = (day: Day) => String(100 + ((daysBetween('2026-01-01', day) * 37) % 20));
  const on = (today: Day, costOn: (day: Day) => string | undefined = wavy) =>
    forecast(costOn, { today })?.error;

  it('is only shown in the last quarter of the month', () => {
    expect(on('2026-11-23')).toBeUndefined();
    expect(Number(on('2026-11-24'))).toBeGreaterThan(20);
    expect(Number(on('2026-11-24'))).toBeLessThan(200);
    expect(Number(on('2026-11-30'))).toBeLessThan(Number(on('2026-11-24')));
  });

  it('is at least 5 % of the cost expected for the remaining days', () => {
    expect(on('2026-11-28', () => '10')).toBe('1.5');
    expect(on('2026-11-28', () => '0')).toBeUndefined();
  });

  it('is not shown in the first days after an expensive day or after a change in daily cost', () => {
    const changed = (first: Day) => (day: Day) => (day >= first ? '300' : wavy(day));
    expect(on('2026-11-26', changed('2026-11-20'))).toBeUndefined();
    expect(on('2026-11-26', changed('2026-11-19'))).toBeDefined();
    const huge = (day: Day) => (day === '2026-11-23' ? '9000' : wavy(day));
    expect(on('2026-11-26', huge)).toBeUndefined();
    expect(on('2026-11-27', huge)).toBeDefined();
  });

  it('is not shown if Tally’s earlier forecasts would have been wrong or impossible', () => {
    const changes = (day: Day) => (Math.floor(daysBetween('2026-01-01', day) / 9) % 2 === 0 ? '10' : '90');
    expect(on('2026-11-26', changes)).toBeUndefined();
    expect(on('2026-11-26', (day) => (day < '2026-09-15' ? undefined : wavy(day)))).toBeUndefined();
  });

  it('does not get wider because of a monthly charge', () => {
    const charged = (day: Day) => (day.endsWith('-01') || day.endsWith('-27') ? '5000' : wavy(day));
    expect(Number(on('2026-11-26', charged))).toBeLessThan(0.1 * Number(forecast(charged)?.total));
  });
});

describe('the text of a forecast', () => {
  const FORECAST = {
    total: new Big(861_234),
    spent: new Big(1),
    left: 3,
    reported: 27,
    of: 28,
    error: new Big(12_000),
  };
  const { error: _, ...WITHOUT_ERROR } = FORECAST;

  it('names the month’s last day, the days it is based on, and the range', () => {
    expect(formatForecast(FORECAST.total, '2026-11-21', toPlainDigits)).toBe('about 861200 by 30 Nov');
    expect(formatForecastBasis(FORECAST, toPlainDigits)).toBe(
      'estimated from 27 of the last 28 days, ± 12000',
    );
    expect(formatForecastBasis({ ...WITHOUT_ERROR, of: 27 }, toPlainDigits)).toBe(
      'estimated from the last 27 days',
    );
  });
});
