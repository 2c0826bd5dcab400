import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBillingDay } from '../../../src/domain/money/charges.ts';
import { anyText } from '../../support/any-text.ts';
import { runs } from '../../support/test-run.ts';

const read = (text: string, zone = 'UTC') => parseBillingDay({ text }, zone);
const WEST = 'America/New_York';
const EAST = 'Asia/Tokyo';

describe('a billing item’s ISO date', () => {
  it.each(['UTC', WEST, EAST])('means the same day in the time zone %s', (zone) => {
    expect(read('2026-11-14', zone)).toEqual({ day: '2026-11-14' });
    expect(read(' 2024-02-29 ', zone)).toEqual({ day: '2024-02-29' });
  });

  it.each(['2026-02-30', '2026-02-29', '2026-13-01', '2026-00-10', '2026-11-31', '2026-1-5', '0000-01-01'])(
    'that is invalid is shown as billing sent it: %s',
    (text) => {
      expect(read(text)).toEqual({ unplaced: text });
    },
  );
});

it.each([
  ...['2026-11-14T00:00:00Z', '2026-11-14T00:00:00.000Z', '2026-11-14T00:00:00.000000000Z'],
  ...['2026-11-14t00:00:00z', '2026-11-14T00:00Z', '2026-11-14T00:00:00+00:00'],
  ...['2026-11-14T00:00:00-00:00', '2026-11-14T00:00:00+0000', '2026-11-14T00:00:00+00'],
  ...['2026-11-14 00:00:00 +0000', '2026-11-14 00:00:00 UTC', '2026-11-14T00:00:00'],
  ...['2026-11-14 00:00:00', '2026-11-14 00:00:00.000', '2026-11-14T03:00:00+03:00'],
  ...['2026-11-13T19:00:00-05:00'],
])('a billing item’s timestamp at midnight UTC means its UTC date in every time zone: %s', (text) => {
  for (const zone of ['UTC', WEST, EAST]) expect(read(text, zone)).toEqual({ day: '2026-11-14' });
});

describe('a billing item’s timestamp', () => {
  it.each([
    ['2026-11-14T00:00:00.001Z', WEST, '2026-11-13'],
    ['2026-11-14T00:00:00.0000001Z', WEST, '2026-11-13'],
    ['2026-11-14T00:00:01', WEST, '2026-11-13'],
    ['2026-11-14T04:59:59.999Z', WEST, '2026-11-13'],
    ['2026-11-14T05:00:00Z', WEST, '2026-11-14'],
    ['2026-11-14T12:00:00', WEST, '2026-11-14'],
    ['2026-11-14 15:00:00', EAST, '2026-11-15'],
    ['2026-11-14T14:59:59Z', EAST, '2026-11-14'],
    ['2026-11-14T00:00:00+03:00', 'UTC', '2026-11-13'],
    ['2026-11-14T00:00:00+03:00', 'Europe/Moscow', '2026-11-14'],
    ['2026-11-14T23:30:00-0530', 'UTC', '2026-11-15'],
    ['2026-11-14T12:00:00,5Z', 'UTC', '2026-11-14'],
    // The offset is subtracted from the time.
    ['2026-11-14T00:00:30Z', 'UTC', '2026-11-14'],
    ['2026-11-14T00:00:00.500Z', 'UTC', '2026-11-14'],
    ['2026-11-13T23:59:59.500000Z', 'UTC', '2026-11-13'],
    ['2026-11-14T00:15:00+00:30', 'UTC', '2026-11-13'],
    ['2026-11-14T00:30:00+00:15', 'UTC', '2026-11-14'],
    ['2026-11-14T22:30:00+23:00', 'UTC', '2026-11-13'],
    ['2026-11-14T00:58:00+00:59', 'UTC', '2026-11-13'],
    [`${' '.repeat(44)}2026-11-14T12:00:00Z`, 'UTC', '2026-11-14'],
    // New York’s clocks show the first hour twice and skip the second.
    ['2026-11-01T05:30:00Z', WEST, '2026-11-01'],
    ['2026-03-08T04:59:59Z', WEST, '2026-03-07'],
  ])('means the date in the reporting time zone: %s in %s', (text, zone, day) => {
    expect(read(text, zone)).toEqual({ day });
  });

  it.each([
    ...['2026-11-14T24:00:00Z', '2026-11-14T12:60:00Z', '2026-11-14T12:00:60Z', '2026-02-30T12:00:00Z'],
    ...['2026-11-14T12:00:00+25:00', '2026-11-14T12:00:00+03:75', '2026-11-14T12'],
    ...['2026-11-14T12:00:00 CET', '9999-12-31T23:00:00-12:00', '0001-01-01T12:00:00Z'],
  ])('that Tally can’t read is shown as billing sent it: %s', (text) => {
    expect(read(text, WEST)).toEqual({ unplaced: text });
  });
});

describe('a number that billing sends as a day', () => {
  it.each([
    // 2026-11-14T00:00:00Z. Unlike a timestamp, a number at midnight UTC is also an instant.
    ['1794614400', 'UTC', '2026-11-14'],
    ['1794614400', WEST, '2026-11-13'],
    ['1794614400000', 'UTC', '2026-11-14'],
    ['1794614400000', WEST, '2026-11-13'],
    ['1794668399', EAST, '2026-11-14'],
    ['1794668400', EAST, '2026-11-15'],
    ['999999999', 'UTC', '2001-09-09'],
    ['999999999999', 'UTC', '2001-09-09'],
    ['9999999999999', 'UTC', '2286-11-20'],
    ['100000000', 'UTC', '1973-03-03'],
    ['100000000000', 'UTC', '1973-03-03'],
    ['9999999999', 'UTC', '2286-11-20'],
    ['1794614400.0', 'UTC', '2026-11-14'],
    ['1794614400000.0', WEST, '2026-11-13'],
    ['1.7946144e9', 'UTC', '2026-11-14'],
    ['1.7946144E+12', 'UTC', '2026-11-14'],
    ['1794614399.999', 'UTC', '2026-11-13'],
    ['1794614400.5', 'UTC', '2026-11-14'],
  ])(
    'is read as seconds or milliseconds since 1970, in the reporting time zone: %s in %s',
    (text, zone, day) => {
      expect(read(text, zone)).toEqual({ day });
    },
  );

  it.each([
    ...['20261114', '17946144000', '99999999', '10000000000', '99999999999', '10000000000000'],
    ...['17946144000000', '-1794614400', '0794614400', '17946144000.0', '1.7e7', '1.7e99', '1794614400e0'],
    ...['17.9e8', '1.7946144e-9'],
  ])('of the wrong length or form is shown as billing sent it: %s', (text) => {
    expect(read(text)).toEqual({ unplaced: text });
  });
});

describe('a billing item’s unreadable day', () => {
  it.each(['14.11.2026', '11/14/2026', 'Nov 14', 'yesterday', '2026-W46', '2026-318', 'true'])(
    'is shown as billing sent it: %s',
    (text) => {
      expect(read(text)).toEqual({ unplaced: text });
    },
  );

  it('is shown as “no day” if billing sent nothing', () => {
    expect(parseBillingDay({ missing: true }, 'UTC')).toEqual({ unplaced: 'no day' });
    expect(read('')).toEqual({ unplaced: 'no day' });
    expect(read('  ')).toEqual({ unplaced: 'no day' });
  });

  it('is any text longer than 64 characters, even if it contains a date', () => {
    expect(read(`${' '.repeat(54)}2026-11-14`)).toEqual({ day: '2026-11-14' });
    expect(read(`${' '.repeat(55)}2026-11-14`)).toEqual({ unplaced: '2026-11-14' });
  });

  it('is shown as JSON if billing sent an object', () => {
    expect(parseBillingDay({ odd: '{"date":"2026-11-14"}' }, 'UTC')).toEqual({
      unplaced: '{"date":"2026-11-14"}',
    });
  });

  it('is cut to 40 characters and an ellipsis', () => {
    expect(read('x'.repeat(100_000))).toEqual({ unplaced: `${'x'.repeat(40)}…` });
  });

  it('always has a text to show, whatever billing sends', () => {
    const digits = fc.stringMatching(/^\d{1,15}$/);
    const nearly = fc.stringMatching(
      /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/,
    );
    const zones = fc.constantFrom('UTC', WEST, EAST, 'Pacific/Kiritimati', 'Pacific/Pago_Pago');
    fc.assert(
      fc.property(fc.oneof(anyText(300), digits, nearly), zones, (text, zone) => {
        const placed = read(text, zone);
        if ('day' in placed) expect(placed.day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
        else expect(placed.unplaced).not.toBe('');
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is never a valid timestamp: a timestamp’s day is at most one day from its UTC date', () => {
    const instants = fc.date({
      min: new Date('1901-01-01'),
      max: new Date('2200-01-01'),
      noInvalidDate: true,
    });
    const zones = fc.constantFrom(WEST, EAST, 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Dublin');
    fc.assert(
      fc.property(instants, zones, (instant, zone) => {
        const placed = read(instant.toISOString(), zone);
        if (!('day' in placed)) throw new Error('a timestamp without a day');
        const away = Date.parse(placed.day) - Date.parse(instant.toISOString().slice(0, 10));
        expect(Math.abs(away)).toBeLessThanOrEqual(86_400_000);
      }),
    );
  });
});
