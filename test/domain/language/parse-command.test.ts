import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure, InvalidWord, isFailure } from '../../../src/domain/failure/index.ts';
import { periodOf } from '../../../src/domain/time/period.ts';
import { anyText } from '../../support/any-text.ts';
import { readBalance, readPeriod, readSingleProject, readSpend } from '../../support/read-words.ts';
import { runs } from '../../support/test-run.ts';

const read = (text: string, aliases?: ReadonlySet<string>) => {
  const { phrase, ...words } = readSpend(text, aliases);
  return { ...words, ...(phrase && { period: phrase.text }) };
};

const refused = (text: string, aliases?: ReadonlySet<string>): InvalidWord => {
  try {
    readSpend(text, aliases);
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
  throw new Error(`“${text}” was read`);
};

it.each([
  ...['*123* _last week_', '1\u200b23\u00a0last\u2011week', '１２３ ｌａｓｔ ｗｅｅｋ', '“123”—last week?'],
])('characters that phones and Slack add do not change a command: %j', (text) =>
  expect(read(text)).toEqual({ help: false, project: '123', period: 'last-week' }),
);

describe('a project’s name', () => {
  const aliases = new Set(['prod', 'mayday', 'team-a', 'storage-2']);

  it('is recognized anywhere in a command, and a number after the name means a product or a year', () => {
    expect(read('prod 2 2026', aliases)).toEqual({
      help: false,
      alias: 'prod',
      product: 2,
      period: 'year-2026',
    });
    expect(read('last month mayday', aliases)).toEqual({
      help: false,
      alias: 'mayday',
      period: 'last-month',
    });
    expect(read('Team_A', aliases)).toEqual({ help: false, alias: 'team-a' });
    expect(read('storage-2 today', aliases)).toEqual({ help: false, alias: 'storage-2', period: 'today' });
    expect(read('project prod', aliases)).toEqual({ help: false, alias: 'prod' });
  });

  it('is accepted even if it looks like a secret', () => {
    const long = new Set(['productioncluster2026']);
    expect(refused('productioncluster2026 banana', long).word).toBe('banana');
    for (const name of ['qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm', 'ab12-cd34-ef56-7890', 'xapp-prod']) {
      const known = new Set([name]);
      expect(read(`${name} today`, known)).toEqual({ help: false, alias: name, period: 'today' });
      expect(refused(`${name} banana`, known).word).toBe('banana');
    }
  });
});

it('a date is accepted if it can be read in only one way', () => {
  expect(read('123 25/12/2025')).toMatchObject({ period: '2025-12-25' });
  expect(read('123 05/05/2026')).toMatchObject({ period: '2026-05-05' });
});

describe('a pasted secret', () => {
  it.each([
    ...['gAAAAABk', 'xoxb-123-abc', 'XOXB-1234567890-abcdefghij', 'eyJhbGciOiJIUzI1NiJ9.e30.x'],
    ...['d41d8cd98f00b204e9800998ecf8427e', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    ...['F47AC10B-58CC-4372-A567-0E02B2C3D479', 'abcdEFGHijklMNOPqrstUV'],
    ...['12345678-1234-1234-1234-123456789012', 'qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm', 'abCD+efGH/ijKLmn=='],
    ...['abcd+efgh/ijkl+mnOPqr==', 'd41d8cd9-8f00b204-e9800998-ecf8427e', '1234-5678-9012-3456-7890-1234'],
    ...['ab12-cd34-ef56-7890', 'Zm9vYmFyYmF6cXV4MTIz==', 'prodlast1234567890ab', 'X-User-Token: abc'],
    ...['x-user-token=abc', 'Bearer abc', 'token: hunter2', 'password=hunter2'],
  ])('is refused, and not quoted: “%s”', (secret) => {
    for (const text of [
      secret,
      `123 last-week ${secret}`,
      `banana ${secret}`,
      `lst 7 days ${secret}`,
      `help ${secret}`,
    ]) {
      const failure = new Failure('secret-pasted');
      expect(() => readSpend(text)).toThrow(failure);
      expect(() => readPeriod(text)).toThrow(expect.objectContaining({ kind: 'secret-pasted' }));
    }
  });

  const ORDINARY =
    `last-7-days-includng-today last7daysincludngtoday LAST_7_DAYS_INCLUDNG_TODAY Last7DaysIncludngToday
    team-alpha-prod-cluster-01 2026-10-01..2026-10-1x banana MonkeyJack Team/Production/Frankfurt
    cloud/storage/virtualization production-cluster-frankfurt-two dead-beef-cafe-babe 2026-10-01-2026-10-1x
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`.split(/\s+/);
  it.each(ORDINARY)('is not suspected in ordinary words: “%s”', (text) => {
    expect(refused(text)).toBeInstanceOf(InvalidWord);
  });

  it.each(['last7daysincludingtoday', '2026-10-01..2026-10-15', 'october2026..november2026', '1'.repeat(32)])(
    'is not suspected in a period or a number, even beside an unknown word: “%s”',
    (text) => expect(refused(`${text} banana`).word).toBe('banana'),
  );
});

describe('several projects', () => {
  const aliases = new Set(['prod', 'staging', 'web-shop']);
  const named = (text: string) => readSpend(text, aliases).several;

  it('can be written as “all”, but not if a project is named too', () => {
    expect(named('all last-week')).toBe('all');
    expect(readBalance('ALL storage')).toMatchObject({ several: 'all', product: 2 });
    expect(() => readSpend('all prod', aliases)).toThrow('You named a project and also “all”');
  });

  it('are recognized only if a project stands on each side of the comma', () => {
    expect(readSpend('prod, last week, cloud', aliases)).toMatchObject({ alias: 'prod', product: 1 });
    expect(named('prod, last week, cloud')).toBeUndefined();
  });

  it('are refused if there are more than 20, or if the command has more than 80 words', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => String(100 + n)).join(',');
    expect(readSpend(many(20)).several).toHaveLength(20);
    expect(() => readSpend(many(21))).toThrow('You named 21 projects');
    expect(readSpend('q3 '.repeat(80)).phrase).toEqual(readSpend('q3').phrase);
    expect(() => readSpend(`${'q3 '.repeat(80)}mtd`)).toThrow(
      '“mtd” comes after 80 words, more than Tally reads.',
    );
  });

  it('are refused by commands about one project', () => {
    expect(() => readSingleProject('prod,staging', aliases)).toThrow('You named several projects');
    expect(() => readSingleProject('all', aliases)).toThrow('You named several projects');
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...'last past this next 7 123 2026 3 07 0 days day d w m mo q q3 q5 y year to date .. - — including today yesterday'.split(
      ' ',
    ),
    ...'october may 2026-10 2026-10-05 2026-02-30 03/04/2026 since from until cloud object storage product project'.split(
      ' ',
    ),
    ...'help ? # : = , . * _ < > | <a|b> lst wek banana “ ’ ½ ‥ ﷺ \u0000 \ud800 \u200b 🙂 é'.split(' '),
    ' ',
    '\n',
  );
  const texts = fc.oneof(
    anyText(60),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.array(pieces, { maxLength: 12 }).map((some) => some.join('')),
    fc.array(pieces, { maxLength: 12 }).map((some) => some.join(' ')),
  );
  const now = Date.parse('2026-11-21T10:15:30.123Z');

  it('is understood, or refused with a short quotation and suggested commands that Tally accepts', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          periodOf(readSpend(text).phrase ?? readPeriod(''), now, 'UTC');
        } catch (error) {
          if (isFailure(error, 'secret-pasted') || isFailure(error, 'period-just-began')) return;
          if (!(error instanceof InvalidWord)) throw error;
          expect([...error.word].length).toBeLessThanOrEqual(40);
          for (const word of error.message.split(/\s/)) expect([...word].length).toBeLessThanOrEqual(45);
          for (const offered of error.offered) readSpend(offered);
        }
      }),
      { numRuns: runs(700) },
    );
  });

  it.each([
    ...['7', 'a', '-', '.', '_', '<', '<|', 'today ', 'product ', 'last ', '7 days ', 'q', 'a_', '?'],
    ...['2026-', 'a, ', 'ﷺ'],
  ])('of 4,000 characters gets a message of fewer than 400 characters if it is refused: %j', (piece) => {
    const text = piece.repeat(4000 / piece.length);
    try {
      readSpend(text);
    } catch (error) {
      if (!(error instanceof InvalidWord)) throw error;
      expect(error.message.length).toBeLessThan(400);
      expect(error.offered.join('\n')).not.toMatch(/.{201}/);
    }
  });
});

it.each(['2026', '2026 2', 'project 2026 cloud'])(
  '/balance reads a number that looks like a year as the project: “%s”',
  (text) => {
    expect(readBalance(text)).toMatchObject({ help: false, project: '2026' });
  },
);

const FILLERS = ['the', 'in', 'on', 'for', 'during', 'of', 'please', 'so far'];

describe('a filler word in a command', () => {
  const FILLER_NAMES: ReadonlySet<string> = new Set(['prod', 'the', 'infra']);

  it.each(FILLERS)('changes nothing: %s', (filler) => {
    const { phrase, alias } = readSpend(`prod ${filler} this month`, new Set(['prod']));
    expect([alias, phrase?.text]).toEqual(['prod', 'this-month']);
    expect(readSpend(`${filler} this month`).phrase).toMatchObject({ text: 'this-month' });
    expect(readSpend(`this month ${filler}`).phrase).toMatchObject({ text: 'this-month' });
  });

  it.each(['spend', 'so', 'far', 'so long', 'at', 'our'])(
    'is refused unless Tally knows it: “%s”',
    (word) => {
      expect(() => readSpend(`${word} last week`)).toThrow();
    },
  );

  it('is a project if the workspace has a project of this name', () => {
    expect(readSpend('the last week', FILLER_NAMES)).toMatchObject({ alias: 'the' });
    expect(readBalance('infra please', FILLER_NAMES)).toMatchObject({ alias: 'infra' });
  });

  it.each(['prod so far', 'last week so far', 'so far 7 days'])(
    'is refused if it is “so far” and the command has no period that is still running: %s',
    (text) => expect(() => readSpend(text, FILLER_NAMES)).toThrow('“so far” needs a period'),
  );
});

it('a command with both “csv” and “details” is refused', () => {
  expect(() => readSpend('csv details prod', new Set(['prod']))).toThrow(
    'You asked for “csv” and “details”. Ask for one of them.',
  );
});

it('the word “csv” means a project if a project has this name', () => {
  expect(readSpend('CSV today', new Set(['prod', 'csv']))).toMatchObject({ alias: 'csv' });
  expect(readSpend('csv details', new Set(['prod', 'csv']))).toMatchObject({
    alias: 'csv',
    output: 'details',
  });
});
