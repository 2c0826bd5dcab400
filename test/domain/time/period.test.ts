import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidWord } from '../../../src/domain/failure/index.ts';
import { resolvePeriodText } from '../../support/read-words.ts';
import { daysOf, moments, plus, todayAt, zones } from '../wall-clock.ts';

const NOW = '2026-11-21T10:15:30.123Z';
const now = Date.parse(NOW);

const asked = (text: string, zone = 'UTC', at = now) => {
  const { from, to } = resolvePeriodText(text, at, zone);
  return [new Date(from).toISOString(), new Date(to).toISOString()];
};

const refused = (text: string, zone = 'UTC', at = now): InvalidWord => {
  try {
    resolvePeriodText(text, at, zone);
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
  throw new Error(`“${text}” was read`);
};

describe('a period typed on 2026-11-21 at 10:15:30.123 UTC', () => {
  it.each([
    ['last-7-days including today', '2026-11-15T00:00:00.000Z', NOW],
    ['', '2026-11-14T00:00:00.000Z', '2026-11-20T23:59:59.999Z'],
    ['today', '2026-11-21T00:00:00.000Z', NOW],
    ['mtd', '2026-11-01T00:00:00.000Z', NOW],
    ['october', '2026-10-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z'],
    ['2026-10-05', '2026-10-05T00:00:00.000Z', '2026-10-05T23:59:59.999Z'],
  ])('as “%s” lasts from %s to %s', (phrase, from, to) => {
    expect(asked(phrase)).toEqual([from, to]);
  });
});

describe('a period in another time zone', () => {
  it('begins and ends at midnight in that time zone', () => {
    expect(asked('yesterday', 'America/New_York')).toEqual([
      '2026-11-20T05:00:00.000Z',
      '2026-11-21T04:59:59.999Z',
    ]);
    expect(asked('yesterday', 'Asia/Kathmandu')).toEqual([
      '2026-11-19T18:15:00.000Z',
      '2026-11-20T18:14:59.999Z',
    ]);
  });

  it('is in the time zone’s month, which may differ from the month in UTC', () => {
    const turn = Date.parse('2026-10-31T23:00:00Z');
    expect(resolvePeriodText('november', turn, 'UTC').days[0]).toBe('2025-11-01');
    expect(resolvePeriodText('november', turn, 'Pacific/Chatham').days).toEqual(['2026-11-01']);
    expect(refused('2026-11', 'UTC', turn).why).toMatch(/future/);
  });

  it('of a month is an hour shorter if the clocks are set forward during the month', () => {
    const { from, to, days } = resolvePeriodText('2026-03', now, 'Europe/Dublin');
    expect(days).toHaveLength(31);
    expect(to + 1 - from).toBe(31 * 86_400_000 - 3_600_000);
  });
});

describe('a refused period', () => {
  it('has more than 3,660 days; a period of exactly 3,660 is accepted', () => {
    expect(resolvePeriodText('last-3660-days', now, 'UTC').days).toHaveLength(3660);
    expect(resolvePeriodText('since 2016-11-14', now, 'UTC').days).toHaveLength(3660);
    expect(resolvePeriodText('last-10-years', now, 'UTC').days).toHaveLength(3653);
  });

  it('is quoted as typed', () => {
    expect(refused('Q5').word).toBe('Q5');
    expect(refused('SINCE December 2026').word).toBe('December 2026');
    expect(refused('Last-Wek').word).toBe('Last-Wek');
  });

  it.each(['9'.repeat(40), '9'.repeat(4000)])(
    'gets a short message, however long a number in it is',
    (digits) => {
      const refusal = refused(`last-${digits}-days`);
      expect(refusal.why).toMatch(/3,660/);
      expect(refusal.message.length).toBeLessThan(200);
    },
  );
});

describe('a day that the time zone skipped', () => {
  const later = Date.parse('2012-01-02T12:00:00Z');

  it.each([
    ['2011-12-30', 'Pacific/Apia'],
    ['2011-12-30..2011-12-30', 'Pacific/Apia'],
    ['1993-08-21', 'Pacific/Kwajalein'],
  ])('is refused as a period: %s in %s', (text, zone) => {
    expect(refused(text, zone, later).why).toMatch(/doesn’t exist in Pacific/);
  });

  it('is missing from counts, ranges and comparisons', () => {
    const week = resolvePeriodText('2011-12-28..2012-01-01', later, 'Pacific/Apia');
    expect(week.days).toEqual(['2011-12-28', '2011-12-29', '2011-12-31', '2012-01-01']);
    expect(resolvePeriodText('last-3-days', later, 'Pacific/Apia').days).toEqual([
      '2011-12-31',
      '2012-01-01',
      '2012-01-02',
    ]);
    expect(resolvePeriodText('2011-12-31', later, 'Pacific/Apia').comparison?.days).toEqual(['2011-12-24']);
    expect(
      resolvePeriodText('2012-01-01..2012-01-02', Date.parse('2012-01-03T12:00:00Z'), 'Pacific/Apia')
        .comparison?.days,
    ).toEqual(['2011-12-29', '2011-12-31']);
  });

  it('is not the day that “yesterday” means', () => {
    const newDay = Date.parse('2011-12-30T12:00:00Z');
    expect(resolvePeriodText('yesterday', newDay, 'Pacific/Apia').days).toEqual(['2011-12-29']);
  });
});

describe('a period that begins at this millisecond', () => {
  it.each([
    ['today', '2026-11-21T00:00:00.000Z', 'UTC'],
    ['today', '2026-11-21T05:00:00.000Z', 'America/New_York'],
    ['today', '2018-11-04T03:00:00.000Z', 'America/Sao_Paulo'],
    ['mtd', '2026-11-01T00:00:00.000Z', 'UTC'],
    ['this-week', '2026-11-16T00:00:00.000Z', 'UTC'],
    ['q4', '2026-10-01T00:00:00.000Z', 'UTC'],
    ['2026', '2026-01-01T00:00:00.000Z', 'UTC'],
    ['since 2026-11-21', '2026-11-21T00:00:00.000Z', 'UTC'],
  ])('is refused because it has only just begun: “%s” at %s in %s', (text, at, zone) => {
    expect(() => resolvePeriodText(text, Date.parse(at), zone)).toThrow(
      expect.objectContaining({ kind: 'period-just-began' }),
    );
    expect(asked(text, zone, Date.parse(at) + 1)).toEqual([at, new Date(Date.parse(at) + 1).toISOString()]);
  });

  it('is refused, but a period that began earlier and ends at this millisecond is accepted', () => {
    expect(asked('mtd', 'UTC', Date.parse('2026-11-21T00:00:00.000Z'))).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ]);
  });
});

describe('the text of a period', () => {
  it('means “last-7-days” if it is blank', () => {
    expect(resolvePeriodText('last-7-days', now, 'UTC')).toEqual(resolvePeriodText(' ', now, 'UTC'));
  });

  it('loses the words “including today” if they add nothing', () => {
    expect(resolvePeriodText('mtd including today', now, 'UTC').phrase).toBe('this-month');
    expect(resolvePeriodText('7d incl today', now, 'UTC').phrase).toBe('last-7-days including today');
  });

  it.each(['this-month excluding today', 'mtd excluding today', 'since 1 december excluding today'])(
    'is refused on the first of a month if it excludes today: “%s”',
    (text) => {
      const refused = () => resolvePeriodText(text, Date.parse('2026-12-01T09:00:00Z'), 'UTC');
      expect(refused).toThrow(/begins today, and today is left out\. Type today\./);
    },
  );
});

describe('any period', () => {
  it('means the same whichever characters join its words', () => {
    const texts = ['last 7 days including today', 'week to date', 'last 4 weeks', 'month to date', 'q3 2026'];
    const joints = fc.array(fc.constantFrom('-', '_', ' ', '', '–', '\u00a0', ' - '), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.constantFrom(...texts), joints, fc.boolean(), (text, some, upper) => {
        const joined = text.split(' ').reduce((all, word, n) => `${all}${some[n - 1]}${word}`);
        expect(resolvePeriodText(upper ? joined.toUpperCase() : joined, now, 'UTC')).toEqual(
          resolvePeriodText(text, now, 'UTC'),
        );
      }),
    );
  });

  it('of one day ends when the period of the next day begins', () => {
    fc.assert(
      fc.property(moments, zones, (at, zone) => {
        const day = plus(todayAt(at, zone), -3);
        fc.pre(daysOf(day, plus(day, 1), zone).length === 2);
        const [one, two] = [resolvePeriodText(day, at, zone), resolvePeriodText(plus(day, 1), at, zone)];
        expect(one.to + 1).toBe(two.from);
      }),
    );
  });
});

describe('a period that is shared later', () => {
  const WEEK = 7 * 86_400_000;
  const later = (text: string) => resolvePeriodText(text, now + WEEK, 'UTC', now);

  it.each(['last-7-days', 'yesterday', 'last-month', 'q3', 'last-4-weeks', '2026-10-05'])(
    'still covers the same days if it was already over when it was typed: “%s”',
    (text) => {
      const { days, from, to, comparison } = resolvePeriodText(text, now, 'UTC');
      expect(later(text)).toMatchObject({ days, from, to, comparison: { days: comparison?.days } });
      expect(later(text)).not.toHaveProperty('today');
    },
  );

  it.each(['mtd', 'last-7-days including today', 'since 2026-11-01', '2026-11-21', '2026-11', 'today'])(
    'moves on to the current days if it was still running when it was typed: “%s”',
    (text) => expect(later(text)).toEqual(resolvePeriodText(text, now + WEEK, 'UTC')),
  );
});
