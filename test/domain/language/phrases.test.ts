/**
 * Spells the period phrases of corpus/periods.md in other ways, puts them into commands, and reads them on other days.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidWord } from '../../../src/domain/failure/index.ts';
import { formatParsedCommand, type ParsedCommand } from '../../../src/domain/language/parsed-command.ts';
import { periodOf } from '../../../src/domain/time/period.ts';
import { attempt, readSpend, resolvePeriodText, span } from '../../support/read-words.ts';
import { isThorough, runs } from '../../support/test-run.ts';
import { moments, zones } from '../wall-clock.ts';
import { readPeriods, readRows } from './corpus/pages.ts';

const NOW = Date.parse('2026-11-21T10:15:30.123Z');
const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging', 'web-shop']);

const PHRASES = readPeriods();
const DAYS = new Map(PHRASES.map((phrase) => [phrase, span(resolvePeriodText(phrase, NOW, 'UTC'))]));
const REFUSED = readRows('periods.md')
  // “By month” is a word of a command, not a period.
  .filter(({ reply }) => reply.startsWith('“…”') && !reply.includes('Tally picks days, weeks or months'))
  .flatMap(({ texts }) => texts)
  .filter((phrase) => !phrase.endsWith('-'));

/** Every 20th phrase (every third in a thorough run), starting at a different one in each test. */
const some = (at: number): readonly string[] => {
  const step = isThorough ? 3 : 20;
  return PHRASES.filter((_, n) => n % step === at % step);
};

const daysRead = (text: string): string => {
  const period = attempt(() => resolvePeriodText(text, NOW, 'UTC'));
  return period instanceof Error ? 'refused' : span(period);
};

describe('a period phrase', () => {
  /** Phrases whose spaces or signs have a meaning. */
  const hasSigns = (phrase: string) => /[^a-z0-9 ]|\d.*\d|day \d|today \d/i.test(phrase);
  const needsSpaces = (phrase: string) =>
    hasSigns(phrase) || /\b(the|in|on|for|during|of|please|a|to|this|today|without|incl)\b/i.test(phrase);

  it.each<[string, (phrase: string) => string]>([
    ['in capital letters', (phrase) => phrase.toUpperCase()],
    ['as a title', (phrase) => phrase.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())],
    ['with hyphens', (phrase) => (hasSigns(phrase) ? phrase : phrase.replaceAll(' ', '-'))],
    ['with underscores', (phrase) => (hasSigns(phrase) ? phrase : phrase.replaceAll(' ', '_'))],
    ['without spaces', (phrase) => (needsSpaces(phrase) ? phrase : phrase.replaceAll(' ', ''))],
    ['with wide spaces', (phrase) => ` ${phrase.replaceAll(' ', '  ')} `],
    ['as a question', (phrase) => `${phrase}?`],
    ['as a sentence', (phrase) => (phrase.endsWith('.') ? phrase : `${phrase}.`)],
    ['in curly quotes', (phrase) => `“${phrase}”`],
  ])('means the same days if it is written %s', (manner, spelled) => {
    const read = some(manner.length).map((phrase) => [spelled(phrase), daysRead(spelled(phrase))]);
    expect(read).toEqual(some(manner.length).map((phrase) => [spelled(phrase), DAYS.get(phrase)]));
  });

  it('means the same days as Tally’s own wording for it, and as the dates that Tally shows for it', () => {
    const periods = some(4).map((phrase) => resolvePeriodText(phrase, NOW, 'UTC'));
    for (const period of new Map(periods.map((period) => [period.phrase, period])).values()) {
      expect(resolvePeriodText(period.phrase, NOW, 'UTC')).toEqual(period);
      expect([period.phrase, daysRead(period.dates)]).toEqual([period.phrase, span(period)]);
    }
  });

  it('never means a period that ends in the future, at any time in any time zone', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PHRASES), moments, zones, (phrase, at, zone) => {
        const period = attempt(() => resolvePeriodText(phrase, at, zone));
        if (period instanceof Error) return;
        expect(period.to).toBeLessThanOrEqual(at);
        expect(period.from).toBeLessThan(period.to);
        expect(resolvePeriodText(period.phrase, at, zone)).toEqual(period);
        // A bare year before 2000 would be a project.
        if (/^19\d\d$/.test(period.dates)) return;
        const { from, to, days } = resolvePeriodText(period.dates, at, zone);
        expect([from, to, days]).toEqual([period.from, period.to, period.days]);
      }),
      { numRuns: runs(400) },
    );
  });
});

describe('a period phrase in a command', () => {
  type Words = Partial<ParsedCommand> & { readonly days?: string };

  const wordsRead = (text: string): Words | 'refused' => {
    const read = attempt(() => {
      const { phrase, help: _, ...others } = readSpend(text, ALIASES);
      const days = phrase && span(periodOf(phrase, NOW, 'UTC'));
      return { ...others, ...(days && { days }) };
    });
    return read instanceof Error ? 'refused' : read;
  };

  // Alone, the year would be the project.
  const beginsWithYear = (phrase: string) => /^(?:in |since )?\d{4}(?: |$|-\d{4})/.test(phrase);

  it.each<[string, Words]>([
    ['prod *', { alias: 'prod' }],
    ['* prod', { alias: 'prod' }],
    ['7001 * storage', { project: '7001', product: 2 }],
    ['storage prod * csv', { alias: 'prod', product: 2, output: 'csv' }],
    ['prod,staging *', { several: [{ alias: 'prod' }, { alias: 'staging' }] }],
    ['all *', { several: 'all' }],
    ['web-shop * details', { alias: 'web-shop', output: 'details' }],
  ])('does not affect the other words if it is written in place of the * in “%s”', (command, words) => {
    const phrases = some(command.length).filter(
      (phrase) => !(/^(\*|all)/.test(command) && beginsWithYear(phrase)),
    );
    const read = phrases.map((phrase) => [phrase, wordsRead(command.replace('*', phrase))]);
    expect(read).toEqual(phrases.map((phrase) => [phrase, { ...words, days: DAYS.get(phrase) }]));
  });

  it.each(['prod', 'project 7001', 'project 5'])(
    'after “%s” keeps its meaning when Tally rewrites the command in a standard form',
    (project) => {
      for (const phrase of some(project.length)) {
        const canonical = formatParsedCommand(readSpend(`${project} ${phrase} storage`, ALIASES));
        const expected = { product: 2, days: DAYS.get(phrase) };
        expect([phrase, wordsRead(canonical)]).toMatchObject([phrase, expected]);
        expect(formatParsedCommand(readSpend(canonical, ALIASES))).toBe(canonical);
      }
    },
  );

  it('means the same days after “vs” as it does alone', () => {
    // After “vs”, “last year” means the same days a year before, and “previous” the days before the period.
    const read = some(1)
      .filter((phrase) => !/cluding|incl|year|1y|prev|prior|before/.test(phrase))
      .map((phrase) => {
        const words = attempt(() => readSpend(`prod april vs ${phrase} csv`, ALIASES));
        const { versus = words } = words instanceof Error ? {} : words;
        return [phrase, 'text' in versus ? span(periodOf(versus, NOW, 'UTC')) : versus];
      });
    expect(read.filter(([phrase, days]) => days !== DAYS.get(phrase as string))).toEqual([]);
  });

  it('is refused beside other words if it is refused alone', () => {
    const read = REFUSED.map((phrase) => [phrase, wordsRead(`prod ${phrase} csv`)]);
    expect(read.filter(([, words]) => words !== 'refused')).toEqual([]);
  });

  it('that is refused gets buttons that keep the project and the word “csv”', () => {
    for (const phrase of [...REFUSED, ...some(2)].filter((phrase) => !beginsWithYear(phrase))) {
      const refusal = attempt(() => readSpend(`${phrase} prod csv`, ALIASES));
      for (const button of refusal instanceof InvalidWord ? refusal.offered : [])
        expect([phrase, button, wordsRead(button)]).toMatchObject([
          ...[phrase, button],
          { alias: 'prod', output: 'csv' },
        ]);
    }
  });

  it('without a project is read as a period, or gets a button for each meaning', () => {
    for (const phrase of some(3).filter((phrase) => !beginsWithYear(phrase))) {
      const days = DAYS.get(phrase);
      const refusal = attempt(() => readSpend(phrase, ALIASES));
      if (!(refusal instanceof InvalidWord)) expect([phrase, wordsRead(phrase)]).toEqual([phrase, { days }]);
      else
        expect([phrase, refusal.offered.map(wordsRead)]).toEqual([
          phrase,
          [{ days }, expect.objectContaining({ project: phrase.match(/\d+/)?.[0] })],
        ]);
    }
  });
});
