/** Every way to be refused: which word, what is wrong with it, what to type, and what is offered instead. */
import { describe, expect, it } from 'vitest';
import { InvalidWord } from '../../../src/domain/failure/index.ts';
import {
  parseBalanceText,
  parseCommandText,
  parsePeriodText,
  parseProjectText,
  parseSingleProjectText,
} from '../../../src/domain/language/parse-command.ts';
import { LAST_7_DAYS } from '../../../src/domain/language/periods/period-ast.ts';
import { resolvePeriod } from '../../../src/domain/time/resolve-period.ts';

/** Saturday */
const NOW = Date.parse('2026-11-21T10:15:30.123Z');
const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging']);

const read = (text: string) =>
  resolvePeriod(parseCommandText(text, ALIASES).phrase ?? LAST_7_DAYS, NOW, 'UTC');
function refusalOf(work: () => unknown): InvalidWord {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
  throw new Error('It was read.');
}

/** What a sentence gives as examples: dates, quarters and periods. */
const EXAMPLES =
  /\b(?:\d{4}-[\dq][\d.q-]*\d|q[1-4]|(?:last|past|this)-[\w-]+|mtd|year \d{4})(?:\.\.year \d{4})?/g;

describe('a text that cannot be read', () => {
  it.each<[text: string, word: string, offered: string | readonly string[] | undefined]>([
    ['2026-13', '2026-13', undefined],
    ['1800-01', '1800-01', undefined],
    ['2200-01', '2200-01', undefined],
    ['2026-02-30', '2026-02-30', '2026-02-28'],
    ['2026-00-10', '2026-00-10', undefined],
    ['2026-10-0', '2026-10-0', undefined],
    ['2026-10-32', '2026-10-32', '2026-10-31'],
    ['2025-02-29', '2025-02-29', '2025-02-28'],
    ['03/04/2026', '03/04/2026', ['2026-04-03', '2026-03-04']],
    ['31/12/2026', '31/12/2026', 'today'],
    ['12/31/2026', '12/31/2026', 'today'],
    ['32/13/2026', '32/13/2026', undefined],
    ['00/05/2026', '00/05/2026', undefined],
    ['13/2026', '13/2026', undefined],
    ['0/2026', '0/2026', undefined],
    ['03/04/26', '03/04/26', undefined],
    ['32/12', '32/12', undefined],
    ['32oct2026', '32oct2026', undefined],
    ['0oct2026', '0oct2026', undefined],
    ['product 5', '5', undefined],
    ['product 0', '0', undefined],
    ['007', '007', '7'],
    ['000', '000', undefined],
    ['today yesterday', 'yesterday', undefined],
    ['all prod', 'all prod', undefined],
    ['cloud storage', 'storage', undefined],
    ['month 2', 'month 2', 'february'],
    ['quarter 5', 'quarter 5', undefined],
    ['quarters 0', 'quarters 0', undefined],
    ['month 2', 'month 2', 'february'],
    ['month 13', 'month 13', undefined],
    ['month 0', 'month 0', undefined],
    ['day 5', 'day 5', undefined],
    ['year 12', 'year 12', undefined],
    ['year 20260', 'year 20260', undefined],
    ['week', 'week', ['this-week', 'last-week']],
    ['day', 'day', ['today', 'yesterday']],
    ['month', 'month', ['this-month', 'last-month']],
    ['years', 'years', undefined],
    ['since', 'since', undefined],
    ['from', 'from', undefined],
    ['since 2026', 'since', 'since year 2026'],
    ['to', 'to', undefined],
    ['until', 'until', undefined],
    ['last', 'last', undefined],
    ['this', 'this', undefined],
    ['past', 'past', undefined],
    ['including', 'including', 'including today'],
    ['incl', 'incl', 'including today'],
    ['project', 'project', undefined],
    ['product', 'product', undefined],
    ['object', 'object', 'object storage'],
    ['platform', 'platform', 'cloud platform'],
    ['date', 'date', undefined],
    ['-5', '-5', '5'],
    ['--5', '--5', '5'],
    ['2026-10-01..', '2026-10-01..', 'since 2026-10-01'],
    ['..2026-10-01', '..2026-10-01', undefined],
    ['2024 to 2025', '2024 to 2025', 'year 2024..year 2025'],
    ['2024 - 2025', '2024 - 2025', 'year 2024..year 2025'],
    ['7m', '7m', ['7mo', 'today']],
    ['last 0 days', 'last 0 days', undefined],
    ['0 weeks', '0 weeks', undefined],
    ['last 4000 days', 'last 4000 days', undefined],
    ['3661 days', '3661 days', undefined],
    ['last 11 years', 'last 11 years', 'last-3-years'],
    ['next week', 'next week', 'this-week'],
    ['next 3 days', 'next 3 days', 'today'],
    ['next 2 months', 'next 2 months', 'this-month'],
    ['next', 'next', undefined],
    ['next year', 'next year', 'this-year'],
    ['tomorrow', 'tomorrow', 'today'],
    ['q7', 'q7', undefined],
    ['q0', 'q0', undefined],
    ['2026-q5', 'q5', undefined],
    ['year 1800', '1800', undefined],
    ['year 2200', '2200', undefined],
    ['year 2030', 'year 2030', 'this-year'],
    ['2027-01-01', '2027-01-01', 'today'],
    ['2027-01', '2027-01', 'this-month'],
    ['2027-q1', '2027-q1', 'this-quarter'],
    ['since 2027-01-01', '2027-01-01', undefined],
    ['2026-11-01..2027-01-05', '2027-01-05', 'since 2026-11-01'],
    ['2026-11-01..2027-02', '2027-02', 'since 2026-11-01'],
    ['2026-10-15..2026-10-01', '2026-10-15..2026-10-01', '2026-10-01..2026-10-15'],
    ['october..september', 'september', '2025-10..2026-09'],
    ['q3..q2', 'q2', '2025-q3..2026-q2'],
    ['2026-10..2026-09', '2026-10..2026-09', '2026-09..2026-10'],
    ['yesterday..2026-10', 'yesterday..2026-10', '2026-10..yesterday'],
    ['today..yesterday', 'today..yesterday', 'yesterday..today'],
    ['last week including today', 'including today', undefined],
    ['yesterday including today', 'including today', undefined],
    ['2026-10 including today', 'including today', undefined],
    ['since 1900-01-01', 'since 1900-01-01', 'last-3-years'],
    ['1,000', '000', undefined],
    ['1.000.000', '1.000.000', '1000000'],
    ['12.5', '12.5', undefined],
    ['#12x', '#12x', undefined],
    ['2026-10-05T10:00', '2026-10-05T10:00', '2026-10-05'],
    ['2026-10-05t1', '2026-10-05t1', '2026-10-05'],
    ['q3 q4', 'q4', undefined],
    ['last-week-123', 'last-week-123', undefined],
    ['excluding storage', 'excluding', undefined],
    ['november excluding today', 'excluding today', undefined],
    ['excluding today including today', 'including today', undefined],
    ['year to 31 october', 'year to 31 october', undefined],
    ['trailing month', 'trailing', undefined],
    ['sep, nov', 'sep,nov', undefined],
    ['this year by month', 'by month', undefined],
    ['per month in 2025', 'per month in 2025', undefined],
    ['last weeks', 'last weeks', undefined],
    ['week 54', 'week 54', undefined],
    ['3 oct 2026', '3 oct 2026', ['2026-10-03', 'project 3 2026-10']],
    ['30 february 2026', '30 february 2026', undefined],
    ['week to day', 'week', undefined],
    ['month-to-dat', 'month-to-dat', 'month-to-date'],
    ['lst 7 dyas clod x', 'lst', undefined],
  ])('“%s” is refused for “%s”, and %j is offered', (text, word, offered) => {
    const refusal = refusalOf(() => read(text));
    const { suggestion, readings } = refusal;
    expect(refusal.word).toBe(word);
    expect(readings.length > 0 ? readings : suggestion).toEqual(offered);
    for (const one of [offered ?? []].flat()) parseCommandText(one);
  });

  const texts = [
    '2026-13',
    '1800-01',
    '2200-01',
    '2026-02-30',
    '2026-00-10',
    '2026-10-0',
    '2026-10-32',
    '2025-02-29',
    '03/04/2026',
    '31/12/2026',
    '12/31/2026',
    '32/13/2026',
    '00/05/2026',
    '13/2026',
    '0/2026',
    '03/04/26',
    '32/12',
    '32oct2026',
    '0oct2026',
    'product 5',
    'product 0',
    '007',
    '000',
    'today yesterday',
    'all prod',
    'cloud storage',
    'month 2',
    'quarter 5',
    'quarters 0',
    'month 2',
    'month 13',
    'month 0',
    'week 54',
    'day 5',
    'year 12',
    'year 20260',
    'week',
    'day',
    'month',
    'years',
    'since',
    'from',
    'since 2026',
    'to',
    'until',
    'last',
    'this',
    'past',
    'including',
    'incl',
    'project',
    'product',
    'object',
    'platform',
    'date',
    '-5',
    '--5',
    '2026-10-01..',
    '..2026-10-01',
    '2024 to 2025',
    '2024 - 2025',
    '7m',
    'last 0 days',
    '0 weeks',
    'last 4000 days',
    '3661 days',
    'last 11 years',
    'next week',
    'next 3 days',
    'next 2 months',
    'next',
    'next year',
    'tomorrow',
    'q7',
    'q0',
    '2026-q5',
    'year 1800',
    'year 2200',
    'year 2030',
    '2027-01-01',
    '2027-01',
    '2027-q1',
    'since 2027-01-01',
    '2026-11-01..2027-01-05',
    '2026-11-01..2027-02',
    '2026-10-15..2026-10-01',
    'october..september',
    'q3..q2',
    '2026-10..2026-09',
    'yesterday..2026-10',
    'today..yesterday',
    'last week including today',
    'yesterday including today',
    '2026-10 including today',
    'since 1900-01-01',
    '1,000',
    '1.000.000',
    '12.5',
    '#12x',
    '2026-10-05T10:00',
    '2026-10-05t1',
    'q3 q4',
    'last-week-123',
    'week to day',
    'month-to-dat',
    'lst 7 dyas clod x',
  ];

  it('gets a reply that says what is wrong and, in whole sentences with examples that work, what to type', () => {
    const examples = new Set<string>();
    for (const text of texts) {
      const { why, works, message, word } = refusalOf(() => read(text));
      expect([text, why]).toEqual([
        text,
        expect.stringMatching(/^(?:[a-z]+’?[a-z]* \S|.*\{word\}|You named)/),
      ]);
      expect([text, works]).toEqual([text, expect.stringMatching(/^[A-Z].+[a-z0-9)]\.$/)]);
      expect(message).toContain(why.startsWith('You named') ? 'You named' : `“${word}”`);
      for (const [example] of works.matchAll(EXAMPLES)) examples.add(example);
    }
    expect(examples.size).toBeGreaterThan(25);
    for (const example of examples) expect(() => parseCommandText(example)).not.toThrow();
  });

  it.each<
    [string, (text: string, aliases: ReadonlySet<string>) => unknown, string, string | undefined, string]
  >([
    ['prod last week', parseBalanceText, 'last week', undefined, 'Only /spend takes periods.'],
    ['last 0 days prod', parseBalanceText, 'last 0 days', undefined, 'Only /spend takes periods.'],
    ['prod including today', parseBalanceText, 'including today', undefined, 'Only /spend takes periods.'],
    ['banana', parseBalanceText, 'banana', undefined, 'Only /spend takes periods.'],
    ['banana', parseProjectText, 'banana', undefined, 'Type a project’s name or ID.'],
    ['prod,staging', parseProjectText, 'prod,staging', undefined, 'Name one project here.'],
    ['all', parseSingleProjectText, 'all', undefined, 'Name one project here.'],
    ['banana', parseSingleProjectText, 'banana', undefined, 'Type a project, a period (last-7-days'],
    ['banana', parsePeriodText, 'banana', undefined, 'Type a period, such as last-7-days'],
    ['123', parsePeriodText, '123', undefined, 'Type a period, such as last-7-days'],
    ['cloud', parsePeriodText, 'cloud', undefined, 'Type a period, such as last-7-days'],
    ['last wek', parsePeriodText, 'wek', 'last week', 'Type a period, such as last-7-days'],
  ])('“%s” is refused by %o for what it takes', (text, parse, word, suggestion, works) => {
    const refusal = refusalOf(() => parse(text, ALIASES));
    expect(refusal).toMatchObject({ word, suggestion });
    expect(refusal.message).toContain(works);
    expect(refusal.fact).toMatch(/^(?:I don’t recognize “|You named several projects\.$|“).*\.?$/);
  });
});

describe('a refusal says what would work', () => {
  it.each([
    ['123 quarter 5', '“quarter 5” isn’t how to type a quarter. Type q3 or 2026-q3.', undefined],
    ['123 quarter 12', '“quarter 12” isn’t how to type a quarter. Type q3 or 2026-q3.', undefined],
    ['123 month 3', '“month 3” isn’t how to type a month. Type march or 2026-03.', '123 march'],
    [
      '123 fy26',
      '“fy26” needs the month in which your fiscal year begins, which Tally doesn’t know. Name the first and the last month, such as 2025-04..2026-03.',
      undefined,
    ],
    [
      '123 Christmas',
      '“Christmas” isn’t a date that Tally knows. Name the first and the last day, such as 2025-12-24..2025-12-26.',
      undefined,
    ],
    ['123 month 13', '“month 13” isn’t how to type a month. Type february or 2026-02.', undefined],
    ['123 week 54', '“week 54” isn’t how to type a week. Type w45 or 2026-w45.', undefined],
    ['123 day 3', '“day 3” isn’t how to type a day. Type its date, such as 2026-10-05.', undefined],
    ['123 year 20', '“year 20” isn’t how to type a year. Type year 2026.', undefined],
    [
      '123 since',
      '“since” needs a date after it. Type since 2026-10-05, since october or since year 2026.',
      undefined,
    ],
    [
      '123 to',
      '“to” needs a date on both sides. Type 2026-10-01 to 2026-10-15, or 2026-08..2026-10.',
      undefined,
    ],
    ['123 last', '“last” doesn’t say which unit of time. Type last-week or last-month.', undefined],
    ['123 this', '“this” doesn’t say which unit of time. Type this-week or this-month.', undefined],
    ['project', '“project” needs a project ID after it. Type project 123, or just 123.', undefined],
    ['product', '“product” needs a product after it. Type product 2, or storage.', undefined],
    [
      '123 object',
      '“object” is only part of a product. Type storage or object storage.',
      '123 object storage',
    ],
    [
      '123 platform',
      '“platform” is only part of a product. Type cloud or cloud platform.',
      '123 cloud platform',
    ],
    ['-123', '“-123” isn’t a project ID. Project IDs are digits only, such as 123.', '123'],
    [
      '2026-10-01..',
      '“2026-10-01..” has no end. Type since 2026-10-01, or 2026-10-01..2026-10-15.',
      'since 2026-10-01',
    ],
    [
      '2024-2025',
      '“2024-2025” could be years or projects. For years, type year 2024..year 2025.',
      'year 2024..year 2025',
    ],
  ])('after %j', (typed, message, suggestion) => {
    const refused = refusalOf(() => parseCommandText(typed, new Set()));
    expect([refused.message, refused.suggestion]).toEqual([message, suggestion]);
  });

  it.each(['123 -5x', '..', '2024-2025 x', 'x 2024-2025', '123 2024 - 2025 zzz'])(
    'by what the command takes where it is no more than a word: %j',
    (typed) => {
      const { message } = refusalOf(() => parseCommandText(typed, new Set()));
      expect(message).toMatch(/^I don’t recognize “(-5x|\.\.|x|zzz)”\. Type a project, a period/);
    },
  );
});
