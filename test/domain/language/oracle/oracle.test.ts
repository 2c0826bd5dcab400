/** Periods as product.md has them, worked out apart from the code, and what the code reads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FailureOf, InvalidWord, isFailure } from '../../../../src/domain/failure/index.ts';
import { formatParsedCommand, type ParsedCommand } from '../../../../src/domain/language/parsed-command.ts';
import { type Period, periodOf } from '../../../../src/domain/time/period.ts';
import { readSpend, resolvePeriodText } from '../../../support/read-words.ts';
import { runs } from '../../../support/thorough.ts';
import { beginning, daysOf, plus, todayAt } from '../../wall-clock.ts';
import { isTooLong, PRODUCTIONS } from './productions.ts';
import { ANSWERED, NOW, REFUSED } from './saturday.ts';

/** A quick run takes a part of the phrases, each test another one. */
const some = (at: number) => {
  const step = Math.ceil(ANSWERED.length / runs(ANSWERED.length));
  return ANSWERED.filter((_, n) => n % step === at % step);
};

const span = ({ days }: Period): string => `${days[0]}..${days.at(-1)}`;

/** What `read` gives, or the refusal. */
const attempt = <T>(read: () => T): T | InvalidWord | FailureOf<'period-just-began'> => {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidWord || isFailure(error, 'period-just-began')) return error;
    throw error;
  }
};

/** The days of a text, `refused`, or `just begun`. */
const daysRead = (text: string, at = NOW, zone = 'UTC'): string => {
  const period = attempt(() => resolvePeriodText(text, at, zone));
  if (period instanceof InvalidWord) return 'refused';
  return isFailure(period, 'period-just-began') ? 'just begun' : span(period);
};

describe('on Saturday 2026-11-21', () => {
  it.each(ANSWERED)('“%s” is %s to %s', (phrase, first, last) => {
    const period = resolvePeriodText(phrase, NOW, 'UTC');
    expect(span(period)).toBe(`${first}..${last}`);
    expect(period.from).toBe(Date.parse(`${first}T00:00Z`));
    expect(period.to).toBe(last === '2026-11-21' ? NOW : Date.parse(`${last}T23:59:59.999Z`));
  });

  /** Phrases whose dashes, dots and commas say something stay as they are. */
  const hasSigns = (phrase: string) => /[-–—….,/]/.test(phrase);

  /** Without them numbers would run together, or small words into others. */
  const needsSpaces = (phrase: string) => /[-–—….,]|\d \d|\b(the|in|on|for|during|of|please)\b/.test(phrase);

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
  ])('a phrase means the same %s', (_, spelled) => {
    const read = ANSWERED.map(([phrase, ...days]) => {
      const text = spelled(phrase);
      return { text, days: days.join('..'), read: daysRead(text) };
    });
    expect(read.filter(({ days, read }) => read !== days)).toEqual([]);
  });

  it.each(REFUSED.map(([phrase, offered = []]) => [phrase, offered] as const))(
    '“%s” is refused, with buttons that mean what was typed',
    (phrase, offered) => {
      const refusal = attempt(() => resolvePeriodText(phrase, NOW, 'UTC'));
      expect(refusal).toBeInstanceOf(InvalidWord);
      const buttons = (refusal as InvalidWord).offered.map((text) => daysRead(text));
      expect(buttons).not.toContain('refused');
      for (const days of offered) expect(buttons).toContain(days.replace('now', '2026-11-21'));
    },
  );
});

describe('in a command', () => {
  const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging', 'web-shop']);
  type Words = Partial<ParsedCommand> & { readonly days?: string; readonly output?: string };

  const parse = (text: string) => readSpend(text, ALIASES);
  const wordsRead = (text: string): Words | 'refused' => {
    const read = attempt(() => {
      const { phrase, help: _, ...others } = parse(text);
      const days = phrase && span(periodOf(phrase, NOW, 'UTC'));
      return { ...others, ...(days && { days }) };
    });
    return read instanceof Error ? 'refused' : read;
  };

  // The first bare number is the project, a year too.
  const isBareYear = (phrase: string) => /^(in )?\d{4}$/.test(phrase);

  it.each<[string, Words]>([
    ['prod *', { alias: 'prod' }],
    ['* prod', { alias: 'prod' }],
    ['7001 * storage', { project: '7001', product: 2 }],
    ['storage prod * csv', { alias: 'prod', product: 2, output: 'csv' }],
    ['prod,staging *', { several: [{ alias: 'prod' }, { alias: 'staging' }] }],
    ['all *', { several: 'all' }],
    ['web-shop * details', { alias: 'web-shop', output: 'details' }],
  ])('“%s” keeps its other words beside each phrase', (command, words) => {
    const phrases = some(command.length).filter(
      ([phrase]) => !(/^(\*|all)/.test(command) && isBareYear(phrase)),
    );
    const texts = phrases.map(([phrase]) => command.replace('*', phrase));
    expect(texts.map((text) => [text, wordsRead(text)])).toEqual(
      phrases.map(([, first, last], index) => [texts[index], { ...words, days: `${first}..${last}` }]),
    );
  });

  it.each(['prod', 'project 7001', 'project 5'])(
    'reads the canonical text of %s and a phrase back',
    (project) => {
      const phrases = some(project.length);
      const read = phrases.map(([phrase]) => {
        const canonical = formatParsedCommand(parse(`${project} ${phrase} storage`));
        return [phrase, wordsRead(canonical), formatParsedCommand(parse(canonical)) === canonical];
      });
      expect(read).toEqual(
        phrases.map(([phrase, first, last]) => [
          phrase,
          expect.objectContaining({ product: 2, days: `${first}..${last}` }),
          true,
        ]),
      );
    },
  );

  it('reads each phrase after “vs” too', () => {
    // There “last year” is the same days a year before, and “previous” is what comes before the period.
    const phrases = ANSWERED.filter(([phrase]) => !/includ|incl|year|1y|prev/.test(phrase));
    const read = phrases.map(([phrase]) => {
      const { phrase: asked, versus } = parse(`prod april vs ${phrase} csv`);
      const days = [asked, versus].map((one) =>
        one && 'text' in one ? span(periodOf(one, NOW, 'UTC')) : one,
      );
      return [phrase, ...days];
    });
    expect(read).toEqual(
      phrases.map(([phrase, first, last]) => [phrase, '2026-04-01..2026-04-30', `${first}..${last}`]),
    );
  });

  it('refuses text that is not a period', () => {
    for (const [phrase] of REFUSED) {
      const text = `prod ${phrase} csv`;
      expect([text, wordsRead(text)]).toEqual([text, 'refused']);
    }
  });

  it('keeps project and file in each button', () => {
    for (const [phrase] of [...REFUSED, ...ANSWERED].filter(([phrase]) => !isBareYear(phrase))) {
      const text = `${phrase} prod csv`;
      const refusal = attempt(() => parse(text));
      for (const button of refusal instanceof InvalidWord ? refusal.offered : [])
        expect([text, button, wordsRead(button)]).toMatchObject([
          text,
          button,
          { alias: 'prod', output: 'csv' },
        ]);
    }
  });

  it('reads a phrase without a project as a period, or offers both readings of its number', () => {
    for (const [phrase, first, last] of ANSWERED.filter(([phrase]) => !isBareYear(phrase))) {
      const refusal = attempt(() => readSpend(phrase, ALIASES));
      const days = `${first}..${last}`;
      if (refusal instanceof InvalidWord) {
        const readings = refusal.offered.map(wordsRead);
        expect([phrase, readings]).toEqual([
          phrase,
          [{ days }, expect.objectContaining({ project: phrase.match(/\d+/)?.[0] })],
        ]);
      } else expect([phrase, wordsRead(phrase)]).toEqual([phrase, { days }]);
    }
  });

  it.each(['3 october', '2 nov', '17 october'])('“%s” alone may be a project and a month', (text) => {
    expect(wordsRead(text)).toBe('refused');
  });
});

/** Where counting days or stepping over midnight is not plain. */
const ZONES = [
  ...[
    'UTC',
    'America/New_York',
    'America/St_Johns',
    'America/Sao_Paulo',
    'America/Havana',
    'Africa/Casablanca',
  ],
  ...[
    'Africa/Cairo',
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Pacific/Kiritimati',
  ],
];
/** Ends of months and years, Mondays and Sundays, 29 February, changes of clocks, the first moment of a day, a day left out. */
const TURNS = [
  ...['2024-02-29T12:00Z', '2025-03-01T00:00Z', '2026-01-01T00:00Z', '2026-12-31T23:59:59.999Z'],
  ...[
    '2026-11-16T09:00Z',
    '2026-11-15T23:30Z',
    '2026-11-22T20:00Z',
    '2018-11-04T03:00Z',
    '2018-11-04T02:59Z',
  ],
  ...['2026-03-08T07:00Z', '2026-11-01T05:30Z', '2026-10-31T23:59:59.999Z', '2012-01-02T12:00Z'],
  ...['2011-12-31T12:00Z', '2027-01-03T12:00Z', '2021-01-03T22:00Z', '2028-02-29T00:00:00.001Z'],
].map((text) => Date.parse(text));
const moments = fc.oneof(
  fc.constantFrom(...TURNS),
  fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2035, 11, 31) }),
  fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 11, 31) }),
);

describe('at any time, in any zone', () => {
  it.each(Object.entries(PRODUCTIONS))('reads %s', (_, phrases) => {
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
  });
});
