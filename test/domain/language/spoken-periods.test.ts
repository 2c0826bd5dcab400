/** Periods as people say them, those of corpus/periods.md on any day and in any zone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidWord, isFailure } from '../../../src/domain/failure/index.ts';
import { resolvePeriodText } from '../../support/read-words.ts';
import { runs } from '../../support/thorough.ts';
import { moments, plus, todayAt, zones } from '../wall-clock.ts';
import { readPeriods } from './corpus/pages.ts';

const NOW = Date.parse('2026-11-21T10:15:30.123Z');

/** Some phrases are in the future on other days than the table's, or begin right now. */
function unlessRefused<T>(resolve: () => T): T | undefined {
  try {
    return resolve();
  } catch (error) {
    if (isFailure(error, 'period-just-began')) return undefined;
    if (!(error instanceof InvalidWord)) throw error;
    expect(error.why).toMatch(
      /future|before it begins|begins today|still running|one period|3,660|over|isn’t a (?:date|week)|(?:start|end) on|exist|which day is|either of two|skipped/,
    );
    return undefined;
  }
}

const PERIODS = readPeriods();

it('every period has a name that means the same', { timeout: 60_000 }, () => {
  for (const phrase of PERIODS) {
    const period = resolvePeriodText(phrase, NOW, 'UTC');
    expect([phrase, resolvePeriodText(period.phrase, NOW, 'UTC')]).toEqual([phrase, period]);
    expect([phrase, resolvePeriodText(period.dates, NOW, 'UTC').days]).toEqual([phrase, period.days]);
  }
});

describe('a period in any zone, at any instant', () => {
  it('ends now at the latest, and its name and what an answer prints of it can be typed', () => {
    const phrases = fc.constantFrom(...PERIODS, 'q1', 'q2', 'may', 'since q1', 'jan..mar');
    fc.assert(
      fc.property(phrases, moments, zones, (phrase, at, zone) => {
        const period = unlessRefused(() => resolvePeriodText(phrase, at, zone));
        if (period === undefined) return;
        expect(period.to).toBeLessThanOrEqual(at);
        expect(period.from).toBeLessThan(period.to);
        expect(resolvePeriodText(period.phrase, at, zone)).toEqual(period);
        const { from, to, days } = resolvePeriodText(period.dates, at, zone);
        expect([from, to, days]).toEqual([period.from, period.to, period.days]);
      }),
      { numRuns: runs(400) },
    );
  });

  it('covers the days that an answer prints', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), moments, zones, (before, length, at, zone) => {
        const last = plus(todayAt(at, zone), -before);
        const first = plus(last, -length);
        const period = unlessRefused(() => resolvePeriodText(`${first}..${last}`, at, zone));
        expect(period && resolvePeriodText(period.dates, at, zone).days).toEqual(period?.days);
      }),
      { numRuns: runs(400) },
    );
  });
});
