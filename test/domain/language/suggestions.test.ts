/**
 * Checks the commands that Tally offers for texts that it can't read: they keep all that was typed, and add nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidWord } from '../../../src/domain/failure/index.ts';
import type { ParsedCommand } from '../../../src/domain/language/parsed-command.ts';
import { parseQuestion } from '../../../src/domain/language/questions/parse-question.ts';
import { contextWith, readBalance, readSingleProject, readSpend } from '../../support/read-words.ts';
import { runs } from '../../support/test-run.ts';

const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging', 'shop', 'web-shop', 'tree']);

const offeredBy = (read: () => unknown): readonly string[] => {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidWord) return error.offered;
    throw error;
  }
  return [];
};
const namesIn = ({ alias, project, several }: ParsedCommand): readonly string[] =>
  several === undefined || several === 'all'
    ? [alias ?? project ?? several ?? ''].filter(Boolean)
    : several.map((one) => ('alias' in one ? one.alias : one.project));

interface Piece {
  readonly text: string;
  readonly says: Partial<Record<'project' | 'period' | 'product', string>>;
}
const piece = (text: string, says: Piece['says'] = {}): Piece => ({ text, says });

const PROJECTS = [
  piece('prod', { project: 'prod' }),
  piece('staging', { project: 'staging' }),
  piece('project web-shop', { project: 'web-shop' }),
  piece('7001', { project: '7001' }),
];
const PERIODS = [
  piece('last week', { period: 'last-week' }),
  piece('october', { period: '2026-10' }),
  piece('last 30 days', { period: 'last-30-days' }),
  piece('since 2026-08', { period: 'since 2026-08' }),
  piece('3 weeks', { period: 'last-3-weeks' }),
];
const PRODUCTS = [piece('storage', { product: '2' }), piece('product 3', { product: '3' })];
const SLIPS = [
  piece('stagin', { project: 'staging' }),
  piece('wbe-shop', { project: 'web-shop' }),
  piece('stroage', { product: '2' }),
  piece('lst week', { period: 'last-week' }),
  piece('yesterdya', { period: 'yesterday' }),
  piece('lastwek', { period: 'last-week' }),
  piece('since octobr', { period: 'since 2026-10' }),
];
/** Words that no command has. Each is close to a word that means something else. */
const MEANT = [
  ...['without prod', 'not staging', 'except storage', 'excluding prod', 'no storage', 'everything but prod'],
  ...['stop', 'three', 'hourly', 'now', 'half', 'first', 'second monday', 'half a week', 'a third day'],
  ...['prod-2', '-prod', 'next-to-last week', 'lost', 'part of prod', 'last weeks', 'before october'],
];

const maybe = (some: readonly Piece[]) => fc.option(fc.constantFrom(...some), { nil: undefined });
const typedWith = (other: fc.Arbitrary<Piece>) =>
  fc.tuple(maybe(PROJECTS), maybe(PERIODS), maybe(PRODUCTS), other).chain((some) => {
    const pieces = some.filter((one) => one !== undefined);
    return fc.shuffledSubarray(pieces, { minLength: pieces.length });
  });

const QUESTIONS = [
  (text: string) => `how much did we spend on ${text}?`,
  (text: string) => `show me ${text}`,
  (text: string) => text,
];

function offeredFor(text: string) {
  const byGrammar = [readSpend, readSingleProject].flatMap((parse) =>
    offeredBy(() => parse(text, ALIASES)).map((offered) => parse(offered, ALIASES) as ParsedCommand),
  );
  const byQuestion = QUESTIONS.flatMap((ask) => {
    const question = parseQuestion(ask(text), contextWith(ALIASES));
    return question?.kind === 'guess' ? question.reruns : [];
  }).map(
    ({ command, text: offered }): ParsedCommand =>
      command === '/spend' ? readSpend(offered, ALIASES) : readBalance(offered, ALIASES),
  );
  return [...byGrammar, ...byQuestion];
}

describe('a suggested command', () => {
  it('is accepted by Tally, and keeps the typed project, product and period', () => {
    fc.assert(
      fc.property(typedWith(fc.constantFrom(...SLIPS, ...PROJECTS, ...PERIODS, ...PRODUCTS)), (pieces) => {
        const text = pieces.map((one) => one.text).join(' ');
        const typed = (part: keyof Piece['says']) =>
          pieces.map(({ says }) => says[part]).filter((said) => said !== undefined);
        for (const words of offeredFor(text)) {
          expect([text, namesIn(words)]).toEqual([text, expect.arrayContaining(typed('project'))]);
          // Of two periods or products, each offered command has one.
          if (typed('product').length > 0) expect(typed('product'), text).toContain(String(words.product));
          if (typed('period').length > 0) expect(typed('period'), text).toContain(words.phrase?.text);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('about a balance has no period, because Tally only knows the current balance', () => {
    for (const { text } of PERIODS) {
      expect(offeredBy(() => readBalance(`prod ${text} storage`, ALIASES))).toEqual(['prod storage']);
      const reruns = [{ command: '/balance', text: 'prod' }];
      expect(parseQuestion(`what’s left on prod ${text}?`, contextWith(ALIASES))).toMatchObject({ reruns });
    }
    expect(offeredBy(() => readBalance('without prod', ALIASES))).toEqual([]);
  });

  it('is not offered if the text asks for something that no command can do', () => {
    fc.assert(
      fc.property(
        typedWith(fc.constantFrom(...MEANT.filter((text) => text !== 'now').map((text) => piece(text)))),
        (pieces) => {
          const text = pieces.map((one) => one.text).join(' ');
          expect([text, offeredFor(text)]).toEqual([text, []]);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('is neither offered nor run for a question about something that no command can do', () => {
    for (const text of MEANT.filter((one) => one !== 'now'))
      for (const ask of QUESTIONS)
        expect(['nothing', 'which-project'], text).toContain(
          parseQuestion(ask(text), contextWith(ALIASES))?.kind ?? 'nothing',
        );
  });
});

describe('a number after a project', () => {
  it.each(['prod 2026 10', 'prod 2026 10 05', 'prod 2026-10 5', 'prod 10 2026', '7 8 2026'])(
    'is not suggested as a second project if it may be part of a date: %s',
    (text) => expect(offeredBy(() => readSpend(text, ALIASES))).toEqual([]),
  );

  it('is suggested as a second project if it can’t be part of a date', () => {
    expect(offeredBy(() => readSpend('prod 10', ALIASES))).toEqual(['prod,10']);
    expect(offeredBy(() => readSpend('prod 456 2026', ALIASES))).toEqual(['prod,456 2026']);
  });
});

describe('a number in a date', () => {
  const MONTHS = 'january feb march apr may june july aug sept october nov december'.split(' ');
  const day = fc.integer({ min: 1, max: 28 });
  const month = fc.integer({ min: 1, max: 12 });
  const joint = fc.constantFrom(' ', '-', ' the ', '. ');
  const named = (at: number) => MONTHS[at - 1] ?? '';
  const canonical = (at: number, number: number) => {
    const date = `${String(at).padStart(2, '0')}-${String(number).padStart(2, '0')}`;
    return date === '11-21' ? '2026-11-21' : `${date > '11-21' ? 2025 : 2026}-${date}`;
  };

  it('after a month’s name is a day, never a project or a product', () => {
    fc.assert(
      fc.property(month, day, joint, fc.constantFrom('prod ', '7001 ', ''), (at, number, sign, before) => {
        const read = readSpend(`${before}${named(at)}${sign}${number}`, ALIASES);
        expect(read.phrase?.text).toBe(canonical(at, number));
        expect(read).not.toHaveProperty('product');
        expect(read.alias ?? read.project ?? '').toBe(before.trim());
      }),
      { numRuns: runs(60) },
    );
  });

  it('before a month’s name may be a day or a project, unless another word names the project', () => {
    fc.assert(
      fc.property(month, day, fc.constantFrom('', 'storage '), (at, number, before) => {
        const typed = `${before}${number} ${named(at)}`;
        const readings = [canonical(at, number), `project ${number} ${named(at)}`];
        expect(offeredBy(() => readSpend(typed, ALIASES))).toEqual(
          readings.map((reading) => before + reading),
        );
        for (const other of ['prod', 'project 77', 'all', '7001', 'prod,staging']) {
          const { phrase } = readSpend(`${typed} ${other}`, ALIASES);
          expect(phrase?.text).toBe(canonical(at, number));
        }
      }),
    );
  });

  it.each([
    ['3 oct 2026', ['2026-10-03', 'project 3 oct 2026']],
    ['3 october - november', ['since 2026-10-03', 'project 3 october - november']],
    ['friday 13', ['2026-11-13', 'project 13 friday']],
    ['mon-fri 7', []],
    ['the 17', ['2026-11-17', '17']],
    ['prod the 3', ['prod 2026-11-03', 'prod 3']],
    ['prod the 17', ['prod 2026-11-17']],
    ['prod october 12 13', []],
    ['in 2025', ['year-2025', 'project 2025']],
    ['spend 3 october', []],
    ['prod,3 october', []],
    ['3 october 2', []],
    ['prod last october 2', []],
    ['prod 2 oct 3', []],
  ])('is refused if it has several meanings, with a button for each clear meaning: %s', (typed, readings) => {
    expect(() => readSpend(typed, ALIASES)).toThrow(InvalidWord);
    expect(offeredBy(() => readSpend(typed, ALIASES))).toEqual(readings);
  });
});
