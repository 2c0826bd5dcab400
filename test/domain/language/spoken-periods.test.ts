/** Days as people say them, by the table of the product: all from Saturday 2026-11-21. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidWord, PeriodJustBegan } from '../../../src/domain/failure/index.ts';
import { resolvePeriodText } from '../../../src/domain/time/resolve-period.ts';
import { runs } from '../../support/thorough.ts';
import { moments, plus, todayAt, zones } from '../wall-clock.ts';

const NOW = Date.parse('2026-11-21T10:15:30.123Z');
const TODAY = '2026-11-21';

const daysOf = (text: string): string => {
  const { days, to } = resolvePeriodText(text, NOW, 'UTC');
  const last = days.at(-1) ?? '';
  return `${days[0]} ${to === NOW ? 'now' : last}`;
};

function refusal(text: string): InvalidWord {
  try {
    resolvePeriodText(text, NOW, 'UTC');
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
  throw new Error(`“${text}” was read`);
}

/** Some phrases are in the future on other days than the table's, or begin right now. */
function unlessRefused<T>(resolve: () => T): T | undefined {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof PeriodJustBegan) return undefined;
    if (!(error instanceof InvalidWord)) throw error;
    expect(error.why).toMatch(
      /future|before it begins|3,660|over|isn’t a (?:date|week)|(?:start|end) on|exist|which day is|skipped/,
    );
    return undefined;
  }
}

const TABLE: readonly [first: string, last: string, phrases: readonly string[]][] = [
  [
    '2026-10-03',
    '2026-10-03',
    [
      ...[
        '3 october',
        'october 3',
        '3rd of oct',
        'oct 3, 2026',
        '3 oct 2026',
        'on 3 october',
        'October the 3rd',
      ],
      ...[
        'oct-3',
        'oct3',
        'oct. 3',
        'oct.3',
        '2026-oct-3',
        'saturday 3 october',
        'Sat, 3 Oct',
        '3oct',
        '3-oct-2026',
      ],
      ...[
        'the 3rd of october',
        '3 october this year',
        'the third of october',
        'sat 2026-10-03',
        'sat 2026-oct-3',
        'on the 3rd of October, 2026',
      ],
      ...['3.10.', '3.10.2026', '03.10.2026', '3.10.2026 please'],
    ],
  ],
  [
    '2026-10-01',
    '2026-10-15',
    [
      ...['oct 1-15', '1-15 oct', '1 to 15 october', 'between 1 and 15 october', 'from oct 1 through oct 15'],
      ...['oct 1- 15', '1- 15 oct', '1 oct- 15 oct'],
      ...[
        '1.10.-15.10.',
        '1.10. - 15.10.',
        'from 1.10. to 15.10.',
        '1 – 15 oct 2026',
        'oct 1 - oct 15',
        '1 oct till 15 oct',
      ],
      ...[
        'between october 1 and 15',
        'between 1 october and 15 october',
        'from the 1st to the 15th of october',
      ],
      ...[
        'first half of october',
        'the first half of oct 2026',
        '1st half of 2026-10',
        '1.10.2026-15.10.2026',
      ],
      ...[
        'from 1 to 15 october',
        '1st to 15th october',
        '1 october to 2026-10-15',
        '1..15 october',
        'oct 1 thru 15',
      ],
      ...['1.-15.10.', '1.-15. october', '1.–15.10.2026', 'first half of last month'],
    ],
  ],
  [
    '2025-12-20',
    '2026-01-05',
    ['20 dec - 5 jan', 'dec 20 to jan 5', '20 dec 2025 - 5 jan', '20 dec - 5 jan 2026'],
  ],
  [
    '2026-11-02',
    'now',
    [
      'since nov 2',
      'from 2 november',
      'since the 2nd',
      'since 2.11.',
      'from nov 2 to now',
      'since nov 2 until today',
    ],
  ],
  [
    '2026-11-16',
    '2026-11-16',
    ['monday', 'on monday', 'last monday', 'Mon', 'Mon 16 Nov', 'monday this week', 'this monday'],
  ],
  ['2026-11-14', '2026-11-14', ['saturday', 'last saturday', '7 days ago', 'day 1 week ago']],
  [
    '2026-11-16',
    'now',
    ['since monday', 'since last monday', 'from monday to now', 'current week', 'this week so far'],
  ],
  [
    '2026-11-16',
    '2026-11-18',
    [
      'monday to wednesday',
      'mon-wed',
      'between monday and wednesday',
      'this monday to wednesday',
      'nov 16 until wednesday',
    ],
  ],
  ['2026-11-18', '2026-11-18', ['3 days ago', 'three days ago', 'wednesday', '3-days-ago']],
  ['2026-11-18', 'now', ['since 3 days ago']],
  [
    '2026-11-10',
    'now',
    ['10 nov onwards', 'from 10 nov onward', 'starting 10 nov', 'starting on 10 november'],
  ],
  ['2026-11-09', 'now', ['since last week', 'from last week to now']],
  ['2026-10-01', 'now', ['since last month', 'oct and nov', 'last month until today']],
  ['2025-01-01', 'now', ['since last year']],
  ['2026-11-20', 'now', ['since yesterday', 'yesterday and today', 'today and yesterday']],
  ['2026-11-20', '2026-11-20', ['a day ago']],
  ['2026-11-01', '2026-11-15', ['first half of this month']],
  ['2026-11-01', '2026-11-20', ['this month to yesterday']],
  ['2026-11-16', '2026-11-17', ['monday and tuesday']],
  ['2025-12-01', '2026-01-31', ['dec and jan', 'december and january 2026']],
  [
    '2026-11-07',
    '2026-11-20',
    ['last fourteen days'.replace('fourteen', '14'), 'the last 14 days', 'for the past 14 days'],
  ],
  ['2026-11-02', '2026-11-15', ['two weeks', 'last two weeks', 'the past two weeks', 'w45..w46', 'w45-w46']],
  [
    '2026-09-01',
    '2026-10-31',
    ['past two months', 'two months', 'in the last two months', 'september and october', 'sep to oct'],
  ],
  ['2025-11-01', '2026-10-31', ['last twelve months']],
  ['2026-11-14', '2026-11-15', ['last weekend', 'weekend', 'on the weekend']],
  ['2026-11-21', 'now', ['this weekend']],
  [
    '2026-11-02',
    '2026-11-08',
    [
      'w45',
      'week 45',
      '2026-w45',
      'w45 2026',
      'week 45 of 2026',
      'the week of 4 november',
      'week starting 2 november',
      'week of nov 4',
      'week starting on monday 2 november',
      'the week of the 4th',
      'week 2 weeks ago',
    ],
  ],
  ['2025-12-22', '2025-12-28', ['w52', '2025-w52']],
  ['2020-12-28', '2021-01-03', ['w53', '2020-w53']],
  [
    '2026-01-01',
    '2026-06-30',
    [
      'h1',
      'h1 2026',
      'first half of 2026',
      '2026-h1',
      'the first half of this year',
      'H1 this year',
      '1st half of 2026',
    ],
  ],
  ['2026-07-01', 'now', ['h2', 'second half of 2026', 'h2 2026']],
  ['2025-07-01', '2025-12-31', ['h2 last year', 'last h2', 'h2 2025']],
  ['2026-10-16', '2026-10-31', ['second half of october', '16-31 oct']],
  [
    '2026-11-01',
    'now',
    [
      'current month',
      'this month so far',
      'so far this month',
      'mtd',
      'from 1 november to now',
      'since the 1st',
      'this november',
      'november so far',
      'since the start of the month',
      'since the beginning of november',
    ],
  ],
  [
    '2026-10-01',
    '2026-10-31',
    [
      'prev month',
      'previous month',
      'last october',
      'this october',
      'october this year',
      '10/2026',
      'in october',
      'month 1 month ago',
      'in the month of october',
      'month of october',
      'all of october',
      'the whole of october',
      'whole october',
      'the entire last month',
    ],
  ],
  ['2025-11-01', '2025-11-30', ['last november', 'november last year', 'november 2025']],
  [
    '2025-10-01',
    '2025-10-31',
    ['october in 2025', 'october last year', 'october of last year', 'last year october'],
  ],
  ['2026-09-01', '2026-09-30', ['this september']],
  ['2026-11-05', '2026-11-05', ['5.11.2026', '5.11.', 'the 5th', 'thursday 5 november', 'thursday the 5th']],
  [
    '2026-11-13',
    '2026-11-13',
    [
      '13/11/2026',
      '11/13/2026',
      '13-11-2026',
      'last week friday',
      'friday last week',
      'friday of last week',
      'friday the 13th',
      '13/11',
      '11/13',
    ],
  ],
  ['2024-02-29', '2024-02-29', ['29 feb', 'february 29', '29.2.', '29 feb 2024']],
  ['2026-11-13', '2026-11-13', ['friday 13', 'friday 13th', 'fri the 13th']],
  ['2026-11-16', '2026-11-20', ['monday 16 to friday 20']],
  ['2026-11-17', '2026-11-17', ['the 17th', 'on the 17th', '17th', 'nov 17', '17.11.']],
  ['2026-10-31', '2026-10-31', ['the 31st', 'on the 31st of october']],
  [
    '2026-11-19',
    '2026-11-19',
    ['the day before yesterday', 'day before yesterday', '2 days ago', 'two days ago'],
  ],
  [
    '2026-07-01',
    '2026-09-30',
    [
      'third quarter of 2026',
      'q3 this year',
      'third quarter',
      '3rd quarter 2026',
      'q3 of 2026',
      'the third quarter of this year',
      'quarter 3',
      'quarter 3 2026',
      'last q3',
    ],
  ],
  ['2025-01-01', '2025-12-31', ['in 2025', 'during 2025', 'of 2025']],
  ['2024-01-01', '2025-12-31', ['2024 and 2025', 'year 2024 and year 2025', '2024 & 2025']],
  ['2025-12-01', '2026-01-31', ['december and january', 'dec 2025 and jan 2026', '2025-12 and 2026-01']],
  ['2026-10-03', '2026-10-04', ['3 october and 4 october', '3 and 4 october', '3rd and 4th of october']],
  ['2026-10-01', '2026-10-31', ['last month’s', "last month's"]],
  [
    '2026-08-01',
    '2026-10-31',
    ['aug to oct', 'august through october', 'between august and october', 'last three months'],
  ],
  ['2025-01-01', '2025-03-31', ['jan-mar 2025', 'january to march 2025', 'q1..march 2025']],
  ['2025-01-01', '2025-09-30', ['q1 to q3 2025', 'h1 - q3 2025']],
  ['2025-11-01', '2026-02-28', ['nov - feb 2026', 'november until february 2026']],
  ['2026-07-01', '2026-09-30', ['in 2026-q3', 'of q3 2026']],
  ['2026-11-14', '2026-11-20', ['14–20 Nov', '14–20 Nov 2026', 'seven days', 'over the last 7 days']],
  [
    '2026-10-31',
    '2026-10-31',
    ['last day of october', 'last day in oct 2026', 'the last day of last month', 'last saturday of october'],
  ],
  ['2026-10-01', '2026-10-01', ['first day of october', 'first day of last month', 'first of last month']],
  ['2026-10-22', '2026-10-31', ['last 10 days of october', 'the last ten days of last month']],
  ['2026-10-01', '2026-10-10', ['first 10 days of october', 'the first ten days of 2026-10']],
  ['2026-11-01', '2026-11-01', ['the first day of the month', '1st of the month', 'first day of this month']],
  ['2026-10-03', '2026-10-03', ['3rd of last month', 'the 3rd of last month', 'on the 3rd last month']],
  ['2026-11-03', '2026-11-03', ['the 3rd of this month', 'third day of november']],
  ['2025-11-30', '2025-11-30', ['last day of november', '30 november']],
  ['2026-11-21', 'now', ['last 10 days of november', 'last 10 days of the month']],
  ['2026-01-01', '2026-01-01', ['first day of the year', 'first day of 2026', 'first day of this year']],
  ['2025-12-31', '2025-12-31', ['last day of 2025', 'last day of last year', 'last day of q4 2025']],
  ['2026-10-05', '2026-10-05', ['first monday of october', 'first monday in october']],
  ['2026-10-30', '2026-10-30', ['last friday of october', 'the last friday of last month']],
  [
    '2025-10-01',
    '2025-12-31',
    [
      ...['last quarter of 2025', 'last quarter of last year', 'fourth quarter of last year'],
      ...['last 3 months of 2025', 'the last three months of last year'],
    ],
  ],
  ['2025-01-01', '2025-03-31', ['first quarter of last year', 'first three months of 2025']],
  [
    '2025-12-01',
    '2025-12-31',
    ['last month of 2025', 'the last month of q4 2025', 'last month of last year'],
  ],
  ['2026-07-01', '2026-07-31', ['first month of q3', 'first month of last quarter', 'first month of h2']],
  ['2025-07-01', '2025-12-31', ['last half of 2025', 'last two quarters of 2025', 'last 6 months of 2025']],
  ['2026-10-16', '2026-10-31', ['last half of october', 'last 16 days of october']],
  [
    '2026-11-02',
    '2026-11-08',
    ['week before last', 'the week before last', 'the week before last week', 'week ending 8 november'],
  ],
  ['2026-09-01', '2026-09-30', ['month before last', 'the month before last month']],
  ['2026-04-01', '2026-06-30', ['quarter before last', 'the quarter before last quarter']],
  ['2024-01-01', '2024-12-31', ['year before last', 'the year before last']],
  ['2026-11-07', '2026-11-08', ['the weekend before last', 'weekend before last weekend']],
  [
    '2026-09-28',
    '2026-11-08',
    ['week 40 to 45', 'weeks 40-45', 'w40-w45', 'w40-45', 'weeks 40 to 45 2026', 'from week 40 through 45'],
  ],
  [
    '2026-11-02',
    '2026-11-15',
    ['weeks 45 and 46', 'week 45 & 46', 'between weeks 45 and 46', 'wk 45 - wk 46'],
  ],
  [
    '2026-11-02',
    '2026-11-08',
    [
      ...['w/c 2 november', 'wc 2 nov', 'W/B 2nd nov', 'week commencing 2 november', 'w/e 8 nov'],
      ...['w45/2026', 'calendar week 45', 'wk45', 'week of 2/Nov/2026'],
    ],
  ],
  [
    '2026-10-01',
    'now',
    [
      ...['october through now', 'october to date', 'october 2026 to date', 'q4 to date', 'oct 1 to date'],
      ...['october up to now', 'from october up to now'],
    ],
  ],
  ['2026-11-14', '2026-11-20', ['within the last 7 days']],
  ['2026-10-01', '2026-10-15', ['between 1 october to 15 october']],
  ['2026-11-16', '2026-11-16', ['this past monday', 'this last monday']],
  ['2026-11-14', '2026-11-15', ['this past weekend']],
  ['2026-11-14', '2026-11-14', ['a week ago today', 'one week ago today']],
  ['2025-11-21', '2025-11-21', ['a year ago today']],
  ['2026-10-01', '2026-10-01', ['october the first', 'october first', 'the first of october']],
  [
    '2026-10-01',
    '2026-10-15',
    [
      ...[
        'the 1st to the 15th of last month',
        '1-15 of last month',
        'between the 1st and 15th of last month',
      ],
      ...['2026-10-01/2026-10-15'],
    ],
  ],
  ['2026-07-01', '2026-09-30', ['q3/2026', 'last qtr', 'prior quarter']],
  ['2026-01-01', '2026-06-30', ['q1 & q2', 'q1&q2']],
  [
    '2026-10-01',
    '2026-10-31',
    ['prior month', 'last calendar month', 'last full month', 'oct/2026', '1 mth'],
  ],
  ['2026-08-01', '2026-10-31', ['last 3 complete months', '3 mos', 'last three calendar months']],
  ['2026-10-22', '2026-11-20', ['last thirty days', 'past thirty days']],
  ['2026-08-23', '2026-11-20', ['last ninety days']],
  ['2026-11-09', '2026-11-15', ['last wk', '1 wk', 'the last full week']],
  ['2025-01-01', '2025-12-31', ['last yr', 'prior year', 'last calendar year', '1yr']],
  ['2026-11-09', '2026-11-09', ['monday before last', 'the monday before last']],
  ['2025-12-28', '2026-01-03', ['28 Dec 2025 – 3 Jan 2026']],
];

const ROWS = TABLE.flatMap(([first, last, phrases]) =>
  phrases.map((phrase): [string, string] => [phrase, `${first} ${last}`]),
);

describe(`on ${TODAY}`, () => {
  it.each(ROWS)('“%s” is %s', (phrase, days) => expect(daysOf(phrase)).toBe(days));

  it.each(ROWS)('“%s” has a name that means the same', (phrase) => {
    const period = resolvePeriodText(phrase, NOW, 'UTC');
    expect(resolvePeriodText(period.phrase, NOW, 'UTC')).toEqual(period);
    expect(resolvePeriodText(period.dates, NOW, 'UTC').days).toEqual(period.days);
  });
});

describe('a period in any zone, at any instant', () => {
  it('ends now at the latest, and its name and what an answer prints of it can be typed', () => {
    const phrases = fc.constantFrom(...ROWS.map(([phrase]) => phrase));
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
      { numRuns: runs(1_000) },
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
      { numRuns: runs(1_000) },
    );
  });
});

describe('a phrase with several meanings, or none', () => {
  it.each<[string, string, string | readonly string[] | undefined]>([
    ['05/11/2026', '05/11/2026', ['2026-11-05', '2026-05-11']],
    ['2 weeks ago', '2 weeks ago', ['day-2-weeks-ago', 'week-2-weeks-ago']],
    ['a month ago', 'a month ago', ['day-1-month-ago', 'last-month']],
    ['one month ago', 'one month ago', ['day-1-month-ago', 'last-month']],
    ['weekly', 'weekly', ['last-week', 'last-12-weeks']],
    ['by month', 'by month', ['last-month', 'last-12-months']],
    ['month by month', 'month by month', ['last-month', 'last-12-months']],
    ['each quarter', 'each quarter', ['last-quarter', 'last-8-quarters']],
    ['a week', 'a week', undefined],
    ['last week and this week', 'last week and this week', undefined],
    ['last fortnight', 'last fortnight', ['last-14-days', 'last-2-weeks']],
    ['last couple of months', 'last couple of months', ['last-2-months', 'last-3-months']],
    ['5/11', '5/11', ['november-5', 'may-11']],
    ['32/11', '32/11', undefined],
    ['oct and dec', 'oct and dec', undefined],
    ['october 2025 and november', 'october 2025 and november', undefined],
    ['monday and friday', 'monday and friday', undefined],
    ['past 2 weekends', 'past 2 weekends', undefined],
    ['weekdays', 'weekdays', undefined],
    ['before october', 'before october', undefined],
    ['after 3 october', 'after 3 october', undefined],
    ['until yesterday', 'until yesterday', undefined],
    ['up to yesterday', 'up to yesterday', undefined],
    ['until now', 'until now', undefined],
    ['last 7 days until yesterday', 'until yesterday', undefined],
    ['last wks', 'last wks', undefined],
    ['last mos', 'last mos', undefined],
    ['last thirty one days', 'last', undefined],
    ['w/c 3 november', 'w/c 3 november', 'week-of-november-3'],
    ['one day in october', 'one day in october', undefined],
    ['7 days of october', '7 days of october', undefined],
    ['a week in october', 'a week in october', undefined],
    ['5.11', '5.11', undefined],
    ['last month to date', 'last month to date', ['last-month', 'since last-month']],
    ['last week to date', 'last week to date', ['last-week', 'since last-week']],
    ['last quarter to date', 'last quarter to date', ['last-quarter', 'since last-quarter']],
    ['last-year-to-date', 'last-year-to-date', ['last-year', 'since last-year']],
    ['last weekend to date', 'last weekend to date', ['last-weekend', 'since last-weekend']],
    ['first days of october', 'first days', undefined],
    ['the 1st days of october', '1st days', undefined],
    ['last days of october', 'last days', undefined],
    ['last days of this month', 'last days', undefined],
    ['last months of 2025', 'last months', undefined],
    ['first quarters of 2025', 'first quarters', undefined],
    ['first weeks of october', 'first weeks', undefined],
    ['since last weeks', 'last weeks', undefined],
    ['first few days of october', 'first few days', undefined],
    ['first couple of weeks of october', 'first couple of weeks', undefined],
    ['a few days of october', 'a few days of october', undefined],
    ['couple of days in october', 'couple of days in october', undefined],
    ['november to january', 'january', '2025-11..2026-01'],
    ['november 2024 to june 2027', 'june 2027', 'since 2024-11'],
    ['w1-w52', 'w52', undefined],
    ['h2 to h1', 'h1', undefined],
    ['15 november to january', 'january', undefined],
    ['november 2024 to january', 'november 2024 to january', ['2024-11..2025-01-31', '2024-11..2026-01-31']],
    ['2024-q3 to october', '2024-q3 to october', ['2024-q3..2024-10-31', '2024-q3..2026-10-31']],
    ['2024 and 2026', '2024 and 2026', undefined],
    ['2025 and 2024', '2025 and 2024', undefined],
    ['october last year and november last year', 'october last year and november last year', undefined],
    ['3 october and 5 october', '3 october and 5 october', undefined],
    ['monday week', 'monday week', undefined],
    ['10th month', '10th month', undefined],
    ['first week', 'first week', undefined],
    ['the month', 'month', ['this-month', 'last-month']],
    ['in the last 24 hours', 'last 24 hours', 'in yesterday'],
    ['weeks 40 and 45', 'weeks 40 and 45', undefined],
    ['weeks 45 to 40', 'weeks 45 to 40', undefined],
    ['week 40 to 54', 'to', undefined],
    ['sep/oct', 'sep/oct', undefined],
    ['the 1st to the last day of november', 'to the last day of november', undefined],
    ['10 november on', '10 november on', ['november-10', 'since november-10']],
    ['end of month', 'end of month', ['this-month', 'last-month']],
    ['beginning of october', 'beginning of october', ['first-half-of-october', 'october']],
    ['7m', '7m', ['7mo', 'today']],
    ['30 february', '30 february', undefined],
    ['february 30', 'february 30', undefined],
    ['31.4.', '31.4.', undefined],
    ['29 feb 2025', '29 feb 2025', undefined],
    ['friday 3 october', 'friday 3 october', undefined],
    ['friday 2026-10-03', 'friday 2026-10-03', undefined],
    ['first week of october', 'first week of october', ['october-1..october-7', 'week-of-october-1']],
    ['last week of october', 'last week of october', ['october-25..october-31', 'week-of-october-31']],
    ['late last month', 'late last month', 'last-month'],
    ['few days', 'few days', ['last-3-days', 'last-7-days']],
    ['past few weeks', 'past few weeks', ['last-2-weeks', 'last-3-weeks']],
    ['last 3 hours', 'last 3 hours', 'today'],
    ['24 hours', '24 hours', 'yesterday'],
    ['all time', 'all time', 'last-3-years'],
    ['next monday', 'next monday', 'today'],
    ['in 3 days', 'in 3 days', 'last-3-days'],
    ['week starting 3 november', 'week starting 3 november', 'week-of-november-3'],
    ['last week of 2025', 'last week of 2025', undefined],
    ['december 2026', 'december 2026', 'this-month'],
    ['this december', 'this december', 'this-month'],
    ['22 november 2026', '22 november 2026', 'today'],
    ['nov 10 - nov 30', 'nov 30', 'since november-10'],
    ['october to friday', 'october to friday', ['october..2026-10-02', 'october..2026-11-20']],
    ['2026-10-05 to monday', '2026-10-05 to monday', ['2026-10-05..2026-10-05', '2026-10-05..2026-11-16']],
    ['1st until october', '1st until october', undefined],
    ['monday to 2025', 'monday to 2025', undefined],
    ['nov 20 until monday', 'monday', 'since november-20'],
    ['october ’25', '’25', ['october 2025', 'october 25']],
    ["oct '25", '’25', ['oct 2025', 'oct 25']],
    ['w54', 'w54', undefined],
    ['2025-w53', '2025-w53', undefined],
    ['h3', 'h3', undefined],
    ['3 october 5', '5', undefined],
    ['last october 3', '3', undefined],
    ['monday last week so', 'so', undefined],
    ['half', 'half', undefined],
    ['last day of the month', 'last day of the month', 'today'],
    ['last 3 days of the month', 'last 3 days of the month', 'today'],
    ['first 31 days of september', 'first 31 days of september', undefined],
    ['31st of this month', '31st of this month', undefined],
    ['5th friday of november 2026', '5th friday of november 2026', undefined],
    ['last 0 days of october', 'last 0 days of october', undefined],
    ['first two weeks of october', 'first two weeks of october', undefined],
    ['second week of last month', 'second week of last month', undefined],
    ['first week of feb 2024', 'first week of feb 2024', ['2024-02-01..2024-02-07', 'week-of-2024-02-01']],
    ['last week of feb 2024', 'last week of feb 2024', ['2024-02-23..2024-02-29', 'week-of-2024-02-29']],
    ['week ending 6 november', 'week ending 6 november', 'week-of-november-6'],
    ['two weeks before last', 'before', undefined],
    ['day before last', 'day', undefined],
    ['nov -', '-', undefined],
    ['1 nov –', '–', undefined],
    ['nov-', '-', undefined],
    ['oct 1- 15 -', '-', undefined],
    ['this sunday', 'this sunday', 'today'],
  ])('“%s” is refused for “%s”, and %j is offered', (text, word, offered) => {
    const { suggestion, readings, ...refused } = refusal(text);
    expect(refused.word).toBe(word);
    expect(readings.length > 0 ? readings : suggestion).toEqual(offered);
    for (const reading of [offered ?? []].flat()) expect(() => daysOf(reading)).not.toThrow();
  });
});
