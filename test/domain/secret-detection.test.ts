import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InvalidWord, isFailure } from '../../src/domain/failure/index.ts';
import { couldBeSecret, looksLikeSecret } from '../../src/domain/secret-detection.ts';
import { mentionHelp } from '../../src/features/mentions/index.ts';
import {
  type KnownCommands,
  parseQuestionMention,
  parseTypedCommand,
  splitMention,
} from '../../src/features/mentions/parse-mention.ts';
import { parseProjectsText, requireProject } from '../../src/features/projects/parse-project-command.ts';
import { parseScheduleText } from '../../src/features/schedules/parse-schedule-command.ts';
import { routeSubcommands } from '../../src/slack/commands/subcommands.ts';
import { contextWith, readBalance, readPeriod, readSpend } from '../support/read-words.ts';
import { requestOf } from '../support/records.ts';
import { runs } from '../support/test-run.ts';

const REQUEST = requestOf();
const bytes = (minLength: number, maxLength = 64) =>
  fc.uint8Array({ minLength, maxLength }).filter((some) => new Set(some).size > minLength / 2);
const written = (encoding: 'hex' | 'base64' | 'base64url') => (some: Uint8Array) =>
  Buffer.from(some).toString(encoding);
const of = (alphabet: string, minLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength, maxLength: 60 }).map((signs) => signs.join(''));
const ALNUM = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

const SHAPES = {
  uuid: fc.uuid(),
  hexadecimal: bytes(8)
    .map(written('hex'))
    .filter((text) => /[a-f]/.test(text) && /\d/.test(text)),
  base64: bytes(18).map(written('base64')),
  base64url: bytes(24).map(written('base64url')),
  'JSON web token': bytes(32).map(
    (some) => `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.e30.${written('base64url')(some)}`,
  ),
  digits: of('0123456789', 33),
  mixed: of(ALNUM, 20).filter((text) => /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)),
  'small letters and digits': of(ALNUM.replace(/[A-Z]/g, ''), 16).filter((text) =>
    /\d.*[a-z].*\d/.test(text),
  ),
  'Slack’s': bytes(12).map((some) => `xoxb-${written('hex')(some)}`),
};

/** A verb of `/billing` gets its words in lower case. */
const verb = (read: (text: string) => unknown) => (text: string) => {
  const routed = routeSubcommands({ verb: { right: 'manage', run: async (rest) => void read(rest) } });
  return routed.run(`verb ${text}`, REQUEST);
};

const READERS: Readonly<Record<string, (word: string) => unknown>> = {
  '/spend': (word) => readSpend(`123 ${word}`),
  '/balance': (word) => readBalance(word),
  'a period': (word) => readPeriod(word),
  '/billing schedule': verb((text) =>
    parseScheduleText(`prod daily ${text}`, contextWith(new Set(['prod']))),
  ),
  '/billing projects': verb((text) => parseProjectsText(`chnge ${text}`)),
  '/billing default': verb((text) => requireProject(text, REQUEST.workspace, 'projects edit')),
  'a mention': (word) => {
    const known: KnownCommands = {
      commands: ['/spend'],
      verbs: ['connect'],
      context: contextWith(),
      acceptsWords: () => true,
    };
    const mention =
      parseTypedCommand(splitMention(word), known) ?? parseQuestionMention(splitMention(word), known);
    return mention.kind === 'nothing' ? mentionHelp([], mention.fact) : mention;
  },
};

describe.each(Object.entries(SHAPES))('a secret of the shape %s', (_, shape) => {
  it('is detected, alone and after another word', () => {
    fc.assert(
      fc.property(shape, (secret) => {
        expect(couldBeSecret(secret)).toBe(true);
        expect(couldBeSecret(`prod ${secret}`)).toBe(true);
      }),
      // One random word in many thousands looks like a name.
      { seed: 20_261_122 },
    );
  });

  it.each(Object.entries(READERS))('is not quoted in the reply to %s', async (__, read) => {
    await fc.assert(
      fc.asyncProperty(shape, async (secret) => {
        fc.pre(couldBeSecret(secret));
        let said = '';
        try {
          const found = await read(secret);
          said = JSON.stringify(found ?? '');
        } catch (error) {
          if (!isFailure(error)) throw error;
          const { word = '', offered = [] } = error as Partial<InvalidWord>;
          said = [error.message, word, ...offered].join(' ');
        }
        expect(said.toLowerCase()).not.toContain(secret.slice(0, 12).toLowerCase());
      }),
      { numRuns: runs(30) },
    );
  });

  it('is not offered as a project’s name', () => {
    fc.assert(
      fc.property(shape, (secret) => {
        const request = attempt(() =>
          parseProjectsText(`add ${secret.toLowerCase()} storage`, `add ${secret} storage`),
        );
        expect(request).not.toMatchObject({ filled: { alias: expect.anything() } });
      }),
    );
  });
});

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!isFailure(error)) throw error;
    return undefined;
  }
}

it.each([
  ...[
    ...['main', 'eu-finance', 'web-shop', 'team7', 'k8s-prod', 's3-backup', 'us-east-1a', 'customer42'],
    ...['mlops-gpu-a100'],
  ],
  ...[
    ...['acme-production-2024', 'production2024', 'kubernetes-cluster', 'data-warehouse-2'],
    ...['crypt-rhythms', 'WebShopProd'],
  ],
  ...[
    ...['lst7dys', 'last7dayz', 'yestreday', 'last-7-dsys', 'stroage', 'virtulization', 'last-week-123'],
    ...['quarter3of2026'],
  ],
  ...[
    ...['2026-13-45', '2026-10-05T10:15:30Z', '1oct2026-3nov2026', '2025q3..2026q1', '123abc', '1,234'],
    ...['12/13/2026', '7d5'],
  ],
  ...[
    ...['banana', 'connect prod', '12345678901234567890', 'https://example.com/path', 'münchen-büro'],
    ...['会計部門'],
  ],
])('a typo or an ordinary name is not taken for a secret: %s', (word) => {
  expect(couldBeSecret(word)).toBe(false);
  expect(looksLikeSecret(word)).toBe(false);
});

describe('a short or simple secret', () => {
  it.each([
    ['16 hexadecimal digits in groups', 'a1b2-c3d4-e5f6-0718', 'a1b2-c3d4-e5f6'],
    ['24 decimal digits in groups', '1111-2222-3333-4444-5555-6666', '1111-2222-3333-4444-5555'],
    ['at most 128 digits in groups', Array(32).fill('a1b2').join('-'), Array(33).fill('a1b2').join('-')],
    ['letters and a digit in groups', 'dead-beef-cafe-fac1', 'dead-beef-cafe-face'],
    ['twelve characters beside a word', 'septemberx7k2m9q4w8z1', 'septemberx7k2m9q4w8z'],
    ['a small letter among capitals', 'ABCDEFGHIJkLMNOPQRSTU', 'ABCDEFGHIJKLMNOPQRSTU'],
    ['eight different letters', 'abcdefgh'.repeat(4), 'abcdefg'.repeat(5)],
  ])('is treated as a secret, unlike a similar name: %s', (_, secret, name) => {
    expect([looksLikeSecret(secret), looksLikeSecret(name)]).toEqual([true, false]);
  });

  it.each([
    ['more than 32 digits', '1'.repeat(33), '1'.repeat(32)],
    ['the beginning of a token', 'xoxb-lomiro', 'xob-lomiro'],
    ['eight letters and digits', 'k1m2n3p4', 'k1m2n3p'],
    ['five different characters', 'a1b2c1a2b1', 'a1b2a1b2a1'],
    ['digits that are not a date', '26-11-09a1b2c3', '2026-11-09a1b2c3'],
    ['a punctuation mark among letters and digits', 'lomi!rota1', 'lomi.rota1'],
    ['two parts of letters and digits', 'ab1-cd2-efg', 'ab1-cd-efgh'],
    ['parts of three characters', 'ab1-cd2-efg', 'a1-b2-defgh'],
    ['four capitals inside the parts', 'aB-cD-eF-gH-ij', 'aB-cD-eF-ghij'],
    ['three capitals inside one part', 'loMirOtaDe', 'loMirOtade'],
    ['three changes between letters and digits', 'lo1mirot2', 'lo1mirota'],
    ['two changes between letters and digits in twelve characters', 'lomiro1tadek', 'lomiro1tade'],
    ['hexadecimal digits', 'deadbe12', 'deadbo12'],
    ['six consonants in a row', 'abcdfgha', 'abcdfgae'],
    ['five consonants in a row in twelve characters', 'abcdfgaeoaeo', 'abcdfgaeoae'],
    ['32 characters', 'lomiro-tadeka-nuveli-sipaga-rotemu-ak', 'lomiro-tadeka-nuveli-sipaga-rotemu-a'],
    ['one part of letters and digits', 'lomiro-k1m2n3p4', 'lomiro-tadekane'],
    ['letters and digits without a weekday', 'xya1a2b3c', 'xyamonday1a2b3c'],
    ['letters and digits without a quarter', 'xya1a2b3c', 'xya2026q31a2b3c'],
  ])('is treated as a possible secret, unlike a similar name: %s', (_, secret, name) => {
    expect([couldBeSecret(secret), couldBeSecret(name)]).toEqual([true, false]);
  });
});
