/** Compares what the grammar reads with a second implementation of the periods. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidWord, isFailure } from '../../../../src/domain/failure/index.ts';
import { attempt, resolvePeriodText, span } from '../../../support/read-words.ts';
import { runs } from '../../../support/test-run.ts';
import { beginning, daysOf, plus, todayAt } from '../../wall-clock.ts';
import { isTooLong, PRODUCTIONS } from './productions.ts';

const daysRead = (text: string, at: number, zone: string): string => {
  const period = attempt(() => resolvePeriodText(text, at, zone));
  if (period instanceof InvalidWord) return 'refused';
  return isFailure(period, 'period-just-began') ? 'just begun' : span(period);
};

/** Zones in which days have 23 or 25 hours, skip midnight, or were left out. */
const ZONES =
  `UTC America/New_York America/St_Johns America/Sao_Paulo America/Havana Africa/Casablanca Africa/Cairo
  Asia/Kolkata Asia/Kathmandu Australia/Lord_Howe Pacific/Apia Pacific/Kiritimati`.split(/\s+/);
/**
 * Ends of months and years, Mondays and Sundays, 29 February, clock changes, first moments of days, a day that a zone
 * left out.
 */
const TURNS = `2024-02-29T12:00Z 2025-03-01T00:00Z 2026-01-01T00:00Z 2026-12-31T23:59:59.999Z
  2026-11-16T09:00Z 2026-11-15T23:30Z 2026-11-22T20:00Z 2018-11-04T03:00Z 2018-11-04T02:59Z
  2026-03-08T07:00Z 2026-11-01T05:30Z 2026-10-31T23:59:59.999Z 2012-01-02T12:00Z
  2011-12-31T12:00Z 2027-01-03T12:00Z 2021-01-03T22:00Z 2028-02-29T00:00:00.001Z`
  .split(/\s+/)
  .map((text) => Date.parse(text));
const moments = fc.oneof(
  fc.constantFrom(...TURNS),
  fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2035, 11, 31) }),
  fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 11, 31) }),
);

describe('a period phrase', () => {
  it.each(Object.entries(PRODUCTIONS))(
    'means the days that an independent calculation finds, at any time in any time zone: %s',
    (_, phrases) => {
      fc.assert(
        fc.property(phrases, moments, fc.constantFrom(...ZONES), ({ text, days }, at, zone) => {
          const today = todayAt(at, zone);
          const expected = days(today, zone);
          const inZone = expected && !isTooLong(expected) ? daysOf(...expected, zone) : [];
          const [first, last] = [inZone[0], inZone.at(-1)];
          if (first === undefined || last === undefined) {
            expect(daysRead(text, at, zone)).toBe('refused');
            return;
          }
          if (beginning(first, zone) === at) {
            expect(daysRead(text, at, zone)).toBe('just begun');
            return;
          }
          const period = resolvePeriodText(text, at, zone);
          expect(span(period)).toBe(`${first}..${last}`);
          expect(period.from).toBe(beginning(first, zone));
          expect(period.to).toBe(last === today ? at : beginning(plus(last, 1), zone) - 1);

          const again = resolvePeriodText(period.phrase, at, zone);
          expect(again).toMatchObject({ phrase: period.phrase, from: period.from, to: period.to });
          expect(daysRead(period.dates, at, zone)).toBe(`${first}..${last}`);
        }),
        { numRuns: runs(100) },
      );
    },
  );
});
