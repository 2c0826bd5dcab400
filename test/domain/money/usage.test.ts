import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumMoney, toPlainDigits } from '../../../src/domain/money/amount.ts';
import type { WireCharge } from '../../../src/domain/money/charges.ts';
import { formatCoverage } from '../../../src/domain/money/comparison.ts';
import {
  describeUnreadable,
  formatReportedDays,
  sumReported,
  type Usage,
} from '../../../src/domain/money/usage.ts';
import { addDays } from '../../../src/domain/time/calendar.ts';
import { daysFrom, item, usageOfItems } from '../../support/usage.ts';

const WEEK = daysFrom('2026-11-14', 7);
const usageOf = (items: readonly WireCharge[], days = WEEK, today?: string) =>
  usageOfItems(items, { days, zone: 'UTC', ...(today && { today }) });
const digits = (figure: Usage['rows'][number]['amount']) =>
  'value' in figure ? toPlainDigits(figure.value) : figure.unreadable;
const table = (usage: Usage) =>
  usage.rows.map(({ shown, amount, bonuses }) => [shown, digits(amount), digits(bonuses)]);

describe('a completely reported period', () => {
  const usage = usageOf(WEEK.map((day, n) => item(day, `${n + 1}.10`, '0.5')).reverse());

  it('has one row for each day, sorted by date, even if billing sorts the days differently', () => {
    expect(usage.rows.map(({ day }) => day)).toEqual(WEEK);
    expect(usage.rows.every(({ merged, outside }) => merged === 1 && !outside)).toBe(true);
  });

  it('has separate totals of amounts and bonuses', () => {
    expect(toPlainDigits(usage.total.value)).toBe('28.7');
    expect(toPlainDigits(usage.bonuses.value)).toBe('3.5');
    expect(usage.total).toMatchObject({ incomplete: false, readable: 7, unreadable: 0 });
  });

  it('has a daily average and a most expensive day', () => {
    expect(toPlainDigits(usage.average!)).toBe('4.1');
    expect(usage.highest?.day).toBe('2026-11-20');
    expect(toPlainDigits(usage.highest!.value)).toBe('7.1');
  });

  it('has the earliest of equally expensive days as its most expensive day', () => {
    expect(usageOf(WEEK.map((day) => item(day, '5'))).highest?.day).toBe('2026-11-14');
  });
});

describe('a day without a billing item', () => {
  const usage = usageOf([item('2026-11-14', '10'), item('2026-11-15', '0'), item('2026-11-18', '20')]);

  it('counts as missing, unlike a day with a reported cost of zero', () => {
    expect(usage.missing).toEqual(['2026-11-16', '2026-11-17', '2026-11-19', '2026-11-20']);
    expect(usage.reported).toEqual(['2026-11-14', '2026-11-15', '2026-11-18']);
    expect(usage.fullDays).toBe(7);
  });

  it('leaves the period without an average if no other day is reported', () => {
    const nothing = usageOf([]);
    expect(nothing).toMatchObject({ rows: [], fullDays: 7, reported: [], missing: WEEK });
    expect(nothing).not.toHaveProperty('average');
    expect(nothing).not.toHaveProperty('highest');
    expect(nothing.total).toMatchObject({ readable: 0, incomplete: false });
  });
});

describe('an unreadable amount', () => {
  const usage = usageOf([
    item('2026-11-14', '10', null),
    item('2026-11-15', null),
    item('2026-11-16', '12,5', '1'),
  ]);

  it('is shown as billing sent it and makes the total incomplete', () => {
    expect(table(usage)).toEqual([
      ['2026-11-14', '10', 'no value'],
      ['2026-11-15', 'no value', '0'],
      ['2026-11-16', '12,5', '1'],
    ]);
    expect(toPlainDigits(usage.total.value)).toBe('10');
    expect(usage.total).toMatchObject({ incomplete: true, readable: 1, unreadable: 2 });
    expect(usage.bonuses).toMatchObject({ incomplete: true, readable: 2, unreadable: 1 });
  });

  it('makes its day “unreadable”, neither reported nor missing', () => {
    expect(usage.unreadableDays).toEqual(['2026-11-15', '2026-11-16']);
    expect(usage.reported).toEqual(['2026-11-14']);
    expect(usage.missing).toHaveLength(4);
    expect(toPlainDigits(usage.average!)).toBe('10');
  });
});

describe('several billing items of one day', () => {
  it('are added up in one row that says how many items there are', () => {
    const usage = usageOf([item('2026-11-14', '1.10', '1'), item('2026-11-14T00:00:00Z', '2.20', '2')]);
    expect(table(usage)).toEqual([['2026-11-14', '3.3', '3']]);
    expect(usage.rows[0]).toMatchObject({ merged: 2, amount: { raw: '3.3', incomplete: false } });
    expect(usage.total).toMatchObject({ readable: 2 });
  });

  it('are added up without the unreadable amounts, and the sum is marked incomplete', () => {
    const usage = usageOf([item('2026-11-14', '1.10'), item('2026-11-14', null), item('2026-11-15', '1')]);
    expect(usage.rows[0]?.amount).toMatchObject({ raw: '1.10', incomplete: true });
    expect(usage.reported).toEqual(['2026-11-15']);
    expect(usage.unreadableDays).toEqual(['2026-11-14']);
    expect(usage.total).toMatchObject({ incomplete: true, unreadable: 1 });
  });

  it('are shown with the first item’s text if no amount is readable', () => {
    const usage = usageOf(['a', null, 'a', 'b', 'c'].map((amount) => item('2026-11-14', amount)));
    expect(usage.rows[0]?.amount).toEqual({ unreadable: 'a' });
    expect(usage.unreadableDays).toEqual(['2026-11-14']);
  });
});

it('a credit counts as a negative amount in the total and the average', () => {
  const usage = usageOf([item('2026-11-14', '-5.00'), item('2026-11-15', '2')]);
  expect(toPlainDigits(usage.total.value)).toBe('-3');
  expect(toPlainDigits(usage.average!)).toBe('-1.5');
  expect(usage.highest?.day).toBe('2026-11-15');
});

describe('today’s cost so far', () => {
  const items = [item('2026-11-20', '1'), item('2026-11-21', '100')];

  it.each([
    ['among the requested days', [...WEEK, '2026-11-21']],
    ['in addition to the requested days', WEEK],
  ])('counts toward the total, but not toward the average, if billing sends it %s', (_, days) => {
    const usage = usageOf(items, days, '2026-11-21');
    expect(usage.rows.at(-1)).toMatchObject({ day: '2026-11-21', outside: false });
    expect(toPlainDigits(usage.total.value)).toBe('101');
    expect(usage.today?.day).toBe('2026-11-21');
    expect(usage.fullDays).toBe(7);
    expect(usage.reported).toEqual(['2026-11-20']);
    expect(toPlainDigits(usage.average!)).toBe('1');
    expect(usage.highest?.day).toBe('2026-11-20');
    expect(usage.missing).not.toContain('2026-11-21');
  });

  it('is not called missing if billing sends no amount for today', () => {
    const usage = usageOf([], ['2026-11-21'], '2026-11-21');
    expect(usage).toMatchObject({ fullDays: 0, missing: [], reported: [] });
    expect(usage).not.toHaveProperty('today');
  });
});

describe('a billing item outside the requested days', () => {
  const usage = usageOf([
    item('14.11.2026', '4'),
    item('2026-11-13', '1'),
    item('2026-11-21', '2'),
    item(null, '8'),
    item('2026-11-16', '16'),
    item(null, '32'),
  ]);

  it('is listed after the requested days, before items without a readable day', () => {
    expect(usage.rows.map(({ shown, outside }) => [shown, outside])).toEqual([
      ['2026-11-16', false],
      ['2026-11-13', true],
      ['2026-11-21', true],
      ['14.11.2026', false],
      ['no day', false],
      ['no day', false],
    ]);
    expect(usage).toMatchObject({
      outside: { readable: 2, unreadable: 0 },
      unplaced: { readable: 3, unreadable: 0 },
    });
    expect([usage.outside, usage.unplaced].map(({ value }) => toPlainDigits(value))).toEqual(['3', '44']);
  });

  it('is in no total if its amount is unreadable', () => {
    const odd = usageOf([
      item(null, null),
      item('soon', 'x'),
      item('2026-11-13', null),
      item('2026-11-13', '1'),
    ]);
    expect(odd).toMatchObject({
      outside: { readable: 1, unreadable: 1 },
      unplaced: { readable: 0, unreadable: 2 },
    });
    expect(toPlainDigits(odd.total.value)).toBe('1');
  });

  it('counts toward the total, but not toward the average', () => {
    expect(toPlainDigits(usage.total.value)).toBe('63');
    expect(usage.reported).toEqual(['2026-11-16']);
    expect(toPlainDigits(usage.average!)).toBe('16');
    expect(usage.highest?.day).toBe('2026-11-16');
  });
});

describe('the summary of random billing items', () => {
  const dayText = fc.oneof(
    fc.integer({ min: -3, max: 12 }).map((n) => addDays('2026-11-14', n)),
    fc.constantFrom('', 'x', '14.11.2026', '1794614400', '2026-11-15T10:00:00+02:00'),
    fc.constant(null),
  );
  const amountText = fc.oneof(
    fc
      .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 12 }))
      .map(([n, e]) => `${n}e-${e}`),
    fc.constantFrom('0', 'rubbish', null),
  );
  const items = fc.array(
    fc.tuple(dayText, amountText, amountText).map(([d, a, b]) => item(d, a, b)),
    { maxLength: 40 },
  );
  const zone = fc.constantFrom('UTC', 'America/New_York', 'Asia/Tokyo');
  const today = fc.constantFrom(undefined, '2026-11-20', '2026-11-21');
  const asked = fc.record({ zone, today }).map((some) => ({
    days: WEEK,
    zone: some.zone,
    ...(some.today && { today: some.today }),
  }));

  it('has each item in exactly one row', () => {
    fc.assert(
      fc.property(items, asked, (sent, period) => {
        const { rows } = usageOfItems(sent, period);
        expect(rows.reduce((count, { merged }) => count + merged, 0)).toBe(sent.length);
        const days = rows.flatMap(({ day }) => day ?? []);
        expect(new Set(days).size).toBe(days.length);
      }),
    );
  });

  it('has a total that equals the sum of the rows', () => {
    fc.assert(
      fc.property(items, asked, (sent, period) => {
        const usage = usageOfItems(sent, period);
        const of = (column: 'amount' | 'bonuses') =>
          toPlainDigits(
            sumMoney(
              usage.rows
                .map((row) => row[column])
                .flatMap((figure) => ('value' in figure ? figure.value : [])),
            ),
          );
        expect(of('amount')).toBe(toPlainDigits(usage.total.value));
        expect(of('bonuses')).toBe(toPlainDigits(usage.bonuses.value));
        expect(usage.total.readable + usage.total.unreadable).toBe(sent.length);
      }),
    );
  });

  it('counts each complete day as reported, missing or unreadable', () => {
    fc.assert(
      fc.property(items, asked, (sent, period) => {
        const { reported, missing, unreadableDays, fullDays } = usageOfItems(sent, period);
        const all = [...reported, ...missing, ...unreadableDays].sort();
        expect(all).toEqual(WEEK.filter((day) => day !== period.today));
        expect(all).toHaveLength(fullDays);
      }),
    );
  });

  it('has an average if any day is reported, and the average is at most the highest daily cost', () => {
    fc.assert(
      fc.property(items, asked, (sent, period) => {
        const usage = usageOfItems(sent, period);
        const spent = sumReported(usage.amounts, usage.reported);
        expect(spent.reported).toBe(usage.reported.length);
        expect(usage.average === undefined).toBe(usage.reported.length === 0);
        // The average is rounded at the 20th digit or later.
        if (usage.average && usage.highest)
          expect(usage.average.minus(usage.highest.value).lte('1e-19')).toBe(true);
      }),
    );
  });
});

/** Names a day by its number: `14`. */
const nameOf = (day: string, last = day) => [...new Set([day.slice(8), last.slice(8)])].join('–');

describe('the text about the reported days', () => {
  const reported = (...missing: readonly string[]) =>
    formatReportedDays(
      usageOf(WEEK.filter((day) => !missing.includes(nameOf(day))).map((day) => item(day))),
      nameOf,
    );

  it.each([
    [[], '7 of 7 days reported'],
    [['16'], '6 of 7 days reported, no data for 16'],
    [['16', '18'], '5 of 7 days reported, no data for 16 and 18'],
    [['14', '16', '18'], '4 of 7 days reported, no data for 14, 16 and 18'],
    [['14', '15', '17', '18', '19'], '2 of 7 days reported, no data for 14, 15 and 17–19'],
    [['14', '15', '16', '17', '18', '19'], '1 of 7 days reported, no data for 14–19'],
  ])('for the missing days %j is “%s”', (missing, text) => expect(reported(...missing)).toBe(text));

  it('is “no data yet” if the only requested day is missing, but empty if that day is today', () => {
    expect(formatReportedDays(usageOf([item('2026-11-14')], ['2026-11-14']), nameOf)).toBe('');
    expect(formatReportedDays(usageOf([], ['2026-11-14']), nameOf)).toBe('no data yet');
    expect(formatReportedDays(usageOf([], ['2026-11-14'], '2026-11-14'), nameOf)).toBe('');
  });
});

describe('the note on unreadable amounts', () => {
  const DAYS = daysFrom('2026-11-14', 3);
  const said = (...items: readonly WireCharge[]) => describeUnreadable(usageOf(items, DAYS), nameOf);

  it('is absent if every amount is readable', () => {
    expect(said(item('2026-11-14', '1'))).toEqual([]);
  });

  it('names the days, and says how many amounts the total lacks', () => {
    expect(said(item('2026-11-14', 'x'), item('2026-11-15', 'y'), item('2026-11-16', '1'))).toEqual([
      'The amount for 14 and 15 couldn’t be read in full, so it isn’t in the average.',
      'The total is incomplete: 2 amounts couldn’t be read.',
    ]);
  });

  it('names a day even if only one of its items is unreadable', () => {
    expect(said(item('2026-11-14', 'x'), item('2026-11-14', '1'))).toEqual([
      'The amount for 14 couldn’t be read in full, so it isn’t in the average.',
      'The total is incomplete: 1 amount couldn’t be read.',
    ]);
  });

  it('says whether some or all bonuses are unreadable', () => {
    expect(said(item('2026-11-14', '1', 'x'), item('2026-11-15', '1'))).toEqual([
      'The bonuses are incomplete: 1 amount couldn’t be read.',
    ]);
    expect(said(item('2026-11-14', '1', 'x'), item('2026-11-15', '1', 'x'))).toEqual([
      'The bonuses are incomplete: none could be read.',
    ]);
  });
});

describe('the text about the reported days of a period', () => {
  it.each([
    [0, 1, 'not reported'],
    [1, 1, 'reported'],
    [6, 7, '6 of 7 days reported'],
    [0, 0, '0 of 0 days reported'],
  ])('for %i of %i days is “%s”', (reported, of, text) =>
    expect(formatCoverage({ reported, of })).toBe(text),
  );
});
