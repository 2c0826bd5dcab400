import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidWord, PeriodJustBegan, SecretPasted } from '../../../src/domain/failure/index.ts';
import { nearestWord } from '../../../src/domain/language/nearest-word.ts';
import {
  parseBalanceText,
  parseCommandText,
  parsePeriodText,
  parseProjectText,
  parseSingleProjectText,
} from '../../../src/domain/language/parse-command.ts';
import { formatPhrase, LAST_7_DAYS } from '../../../src/domain/language/periods/period-ast.ts';
import { normalizeText } from '../../../src/domain/language/text.ts';
import { resolvePeriod } from '../../../src/domain/time/resolve-period.ts';
import { anyText } from '../../support/any-text.ts';
import { runs } from '../../support/thorough.ts';

const read = (text: string, aliases?: ReadonlySet<string>) => {
  const { phrase, ...words } = parseCommandText(text, aliases);
  return { ...words, ...(phrase && { period: formatPhrase(phrase) }) };
};

const refused = (text: string, aliases?: ReadonlySet<string>): InvalidWord => {
  try {
    parseCommandText(text, aliases);
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
  throw new Error(`“${text}” was read`);
};

describe('the words of a command', () => {
  it.each([
    ['', {}],
    ['123', { project: '123' }],
    ['123 last-7-days', { project: '123', period: 'last-7-days' }],
    ['last 7 days 123 storage', { project: '123', period: 'last-7-days', product: 2 }],
    ['storage 123 last 7 days', { project: '123', period: 'last-7-days', product: 2 }],
    ['7 days 7', { project: '7', period: 'last-7-days' }],
    ['123 4 weeks', { project: '123', period: 'last-4-weeks' }],
    ['4 weeks', { period: 'last-4-weeks' }],
    ['123 month to date', { project: '123', period: 'this-month' }],
    ['123 year to date 2', { project: '123', period: 'this-year', product: 2 }],
    ['123 q3', { project: '123', period: 'q3' }],
    ['123 q 3', { project: '123', period: 'q3' }],
    [
      '123 from 2026-10-01 to 2026-10-15 cloud',
      { project: '123', period: '2026-10-01..2026-10-15', product: 1 },
    ],
    ['123 2026-10-01 – 2026-10-15', { project: '123', period: '2026-10-01..2026-10-15' }],
    ['123 and 456', { several: [{ project: '123' }, { project: '456' }] }],
    ['all projects q3', { several: 'all', period: 'q3' }],
    ['top five projects', { several: 'all', top: 5 }],
    ['including today 123', { project: '123', period: 'last-7-days including today' }],
    ['123 including today last 3 days', { project: '123', period: 'last-3-days including today' }],
    ['last3daysincltoday 123', { project: '123', period: 'last-3-days including today' }],
    ['123 — last week', { project: '123', period: 'last-week' }],
    ['123-last-week', { project: '123', period: 'last-week' }],
    ['“123” ‘last week’', { project: '123', period: 'last-week' }],
    ['123, last week.', { project: '123', period: 'last-week' }],
    ['*123* _last week_', { project: '123', period: 'last-week' }],
    ['<tel:123|123> last week?', { project: '123', period: 'last-week' }],
    ['１２３ ｌａｓｔ ｗｅｅｋ', { project: '123', period: 'last-week' }],
    ['1\u200b23\u00a0last\u2011week', { project: '123', period: 'last-week' }],
    ['123 --last-7-days', { project: '123', period: 'last-7-days' }],
    ['today today', { period: 'today' }],
  ])('“%s”', (text, words) => {
    expect(read(text)).toEqual({ help: false, ...words });
  });

  it.each(['help', 'HELP', '?', '--help', '—help', '123 help', 'help banana', 'help 2026-02-30'])(
    '“%s” asks for help, whatever else it says',
    (text) => expect(parseCommandText(text)).toEqual({ help: true }),
  );
});

describe('the first bare number', () => {
  it.each([
    ['2026', { project: '2026' }],
    ['3', { project: '3' }],
    ['#123', { project: '123' }],
    ['project 123', { project: '123' }],
    ['project:123 2', { project: '123', product: 2 }],
    ['2026 q3', { project: '2026', period: 'q3' }],
    ['2026 october', { project: '2026', period: 'october' }],
    ['2026-q3', { period: '2026-q3' }],
    ['q3 2026', { period: '2026-q3' }],
    ['october 2026', { period: '2026-10' }],
    ['october 2026 2026', { project: '2026', period: '2026-10' }],
    ['year 2026', { period: 'year-2026' }],
    ['year 2026 2026', { project: '2026', period: 'year-2026' }],
    ['last year 2026', { project: '2026', period: 'last-year' }],
    ['123 2026', { project: '123', period: 'year-2026' }],
    ['2026 2026', { project: '2026', period: 'year-2026' }],
    ['1 1', { project: '1', product: 1 }],
    ['123 3 2026', { project: '123', product: 3, period: 'year-2026' }],
    ['123 2026 q3', { project: '123', period: '2026-q3' }],
    ['7 quarter 3', { project: '7', period: 'q3' }],
    ['project 7 quarter 3', { project: '7', period: 'q3' }],
    ['123 2026 october', { project: '123', period: '2026-10' }],
    ['123 since 2026', { project: '123', period: 'since year-2026' }],
    ['123 2024 to 2025', { project: '123', period: 'year-2024..year-2025' }],
    ['2024..2025', { period: 'year-2024..year-2025' }],
    ['product 2', { product: 2 }],
    ['product 2 5', { product: 2, project: '5' }],
    ['12345678901234567890123456789012', { project: '12345678901234567890123456789012' }],
  ])('“%s”', (text, words) => {
    expect(read(text)).toEqual({ help: false, ...words });
  });

  it.each([
    ['7001 w2', { project: '7001', period: 'w2' }],
    ['123 week 46', { project: '123', period: 'w46' }],
    ['123 w 46', { project: '123', period: 'w46' }],
    ['prod 2 week 46', { alias: 'prod', product: 2, period: 'w46' }],
    ['7 quarters 3', { project: '3', period: 'last-7-quarters' }],
    ['7-day 123', { project: '123', period: 'last-7-days' }],
    ['4w 123', { project: '123', period: 'last-4-weeks' }],
    ['1 week 123', { project: '123', period: 'last-week' }],
    ['last 7 quarter 3', { project: '3', period: 'last-7-quarters' }],
    ['12 month project 2', { project: '2', period: 'last-12-months' }],
    ['123 7 quarter 3', { project: '123', period: 'last-7-quarters', product: 3 }],
  ])('is part of a count or a week that is clear: “%s”', (text, words) => {
    expect(read(text, new Set(['prod']))).toEqual({ help: false, ...words });
  });
});

describe('the product', () => {
  it.each([
    ['cloud', 1],
    ['Cloud platform', 1],
    ['cloud-platform', 1],
    ['storage', 2],
    ['object storage', 2],
    ['objectstorage', 2],
    ['virtualization', 3],
    ['Virtualisation', 3],
    ['product:2', 2],
    ['product=3', 3],
    ['product 1', 1],
    ['product2', 2],
    ['product storage', 2],
  ])('“%s” is %d', (text, product) => {
    expect(parseCommandText(text)).toEqual({ help: false, product });
  });

  it('is one of three', () => {
    expect(refused('product 5').word).toBe('5');
    expect(refused('product:0 123').works).toContain('storage (2)');
  });
});

describe('an alias', () => {
  const aliases = new Set(['prod', 'mayday', 'team-a', 'storage-2']);

  it('is the project, after which a bare number can be a product or a year', () => {
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

  it('is refused beside another project, and suggested when mistyped', () => {
    expect(refused('prod 123', aliases).why).toBe('You named two projects without a comma, {word}');
    expect(refused('prod mayday', aliases).suggestion).toBe('prod,mayday');
    expect(refused('prdo last week', aliases).suggestion).toBe('prod last week');
    expect(refused('team-b last week', aliases).suggestion).toBe('team-a last week');
  });

  it('is not treated as a secret, however much it looks like one', () => {
    const long = new Set(['productioncluster2026']);
    expect(refused('productioncluster2026 banana', long).word).toBe('banana');
    for (const name of ['qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm', 'ab12-cd34-ef56-7890', 'xapp-prod']) {
      const known = new Set([name]);
      expect(read(`${name} today`, known)).toEqual({ help: false, alias: name, period: 'today' });
      expect(refused(`${name} banana`, known).word).toBe('banana');
    }
  });

  it('is not recognized in place of a project, period or product', () => {
    for (const name of ['prod', 'team-alpha-01', 'mayday', 'marcloud', 'data-may'])
      expect(refused(`${name} last week`)).toMatchObject({
        word: name,
        message: expect.stringContaining(`I don’t recognize “${name}”.`),
      });
  });
});

describe('the nearest known word', () => {
  it('is found among whatever words are known', () => {
    const verbs = ['connect', 'projects', 'schedule', 'schedules', 'status', 'audit'];
    expect(nearestWord('conect', verbs)).toBe('connect');
    expect(nearestWord('shcedule', verbs)).toBe('schedule');
    expect(nearestWord('statsu', verbs)).toBe('status');
    expect(nearestWord('audti', verbs)).toBe('audit');
    expect(nearestWord('balance', verbs)).toBeUndefined();
    expect(nearestWord('', verbs)).toBeUndefined();
  });

  it('is the one with the same first letter if two are equally near', () => {
    expect(nearestWord('prox', ['trox', 'prod'])).toBe('prod');
    expect(nearestWord('trod', ['prod', 'trox'])).toBe('trox');
  });

  it('differs by a few letters at most, and is the word itself when known', () => {
    const known = ['last', 'week', 'month', 'yesterday', 'including'];
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (word) => {
        const found = nearestWord(word, known);
        if (found) expect(Math.abs(found.length - word.length)).toBeLessThanOrEqual(3);
      }),
    );
    for (const word of known) expect(nearestWord(word, known)).toBe(word);
  });
});

describe('an ambiguous word', () => {
  it.each([
    ['123 7m', ['123 7mo', '123 today']],
    ['7m prod', ['7mo prod', 'today prod']],
    ['123 03/04/2026', ['123 2026-04-03', '123 2026-03-04']],
    ['123 lst 7m', []],
  ])('in “%s” offers each meaning', (text, readings) => {
    const refusal = refused(text, new Set(['prod']));
    expect(refusal.suggestion).toBeUndefined();
    expect(refusal.readings).toEqual(readings);
    for (const reading of readings) expect(read(reading, new Set(['prod']))).toHaveProperty('period');
  });

  it('is read as a date if it has only that meaning', () => {
    expect(read('123 25/12/2025')).toMatchObject({ period: '2025-12-25' });
    expect(read('123 05/05/2026')).toMatchObject({ period: '2026-05-05' });
  });
});

describe('a secret', () => {
  it.each([
    'gAAAAABk',
    'xoxb-123-abc',
    'XOXB-1234567890-abcdefghij',
    'eyJhbGciOiJIUzI1NiJ9.e30.x',
    'd41d8cd98f00b204e9800998ecf8427e',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    'F47AC10B-58CC-4372-A567-0E02B2C3D479',
    'abcdEFGHijklMNOPqrstUV',
    '12345678-1234-1234-1234-123456789012',
    'qhzkvmwpxtrbyjdgnlfcsaeuoiqzwkvm',
    'abCD+efGH/ijKLmn==',
    'abcd+efgh/ijkl+mnOPqr==',
    'd41d8cd9-8f00b204-e9800998-ecf8427e',
    '1234-5678-9012-3456-7890-1234',
    'ab12-cd34-ef56-7890',
    'Zm9vYmFyYmF6cXV4MTIz==',
    'prodlast1234567890ab',
    'X-User-Token: abc',
    'x-user-token=abc',
    'Bearer abc',
    'token: hunter2',
    'password=hunter2',
  ])('“%s” is left out of the failure', (secret) => {
    for (const text of [
      secret,
      `123 last-week ${secret}`,
      `banana ${secret}`,
      `lst 7 days ${secret}`,
      `help ${secret}`,
    ]) {
      const failure = new SecretPasted();
      expect(() => parseCommandText(text)).toThrow(failure);
      expect(() => parsePeriodText(text)).toThrow(SecretPasted);
    }
  });

  it.each([
    'last-7-days-includng-today',
    'last7daysincludngtoday',
    'LAST_7_DAYS_INCLUDNG_TODAY',
    'Last7DaysIncludngToday',
    'team-alpha-prod-cluster-01',
    '2026-10-01..2026-10-1x',
    'banana',
    'MonkeyJack',
    'Team/Production/Frankfurt',
    'cloud/storage/virtualization',
    'production-cluster-frankfurt-two',
    'dead-beef-cafe-babe',
    '2026-10-01-2026-10-1x',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  ])('is not what “%s” looks like', (text) => {
    expect(refused(text)).toBeInstanceOf(InvalidWord);
  });

  it.each(['last7daysincludingtoday', '2026-10-01..2026-10-15', 'october2026..november2026', '1'.repeat(32)])(
    'is not what “%s” looks like beside an unknown word',
    (text) => expect(refused(`${text} banana`).word).toBe('banana'),
  );
});

describe('several projects', () => {
  const aliases = new Set(['prod', 'staging', 'web-shop']);
  const named = (text: string) => parseCommandText(text, aliases).several;

  it.each([
    'prod,staging',
    'prod, staging',
    'prod , staging',
    'PROD,Staging',
    'prod,staging,',
    'prod,prod,staging',
    'project prod,staging',
  ])('are joined by a comma, whatever is around it: %s', (text) => {
    expect(named(text)).toEqual([{ alias: 'prod' }, { alias: 'staging' }]);
    expect(named(`last-month ${text} cloud`)).toEqual([{ alias: 'prod' }, { alias: 'staging' }]);
  });

  it('may be IDs that would alone be a product or a year', () => {
    expect(named('prod,2,2026')).toEqual([{ alias: 'prod' }, { project: '2' }, { project: '2026' }]);
    expect(named('123,456 2 2026')).toEqual([{ project: '123' }, { project: '456' }]);
    expect(read('123,456 2 2026')).toMatchObject({ product: 2, period: 'year-2026' });
  });

  it('may be all of them', () => {
    expect(named('all last-week')).toBe('all');
    expect(parseBalanceText('ALL storage')).toMatchObject({ several: 'all', product: 2 });
    expect(() => parseCommandText('all prod', aliases)).toThrow('You named a project and “all” of them');
  });

  it('are not made by a comma between other words', () => {
    expect(parseCommandText('prod, last week, cloud', aliases)).toMatchObject({ alias: 'prod', product: 1 });
    expect(named('prod, last week, cloud')).toBeUndefined();
  });

  it('are at most 20', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => String(100 + n)).join(',');
    expect(parseCommandText(many(20)).several).toHaveLength(20);
    expect(() => parseCommandText(many(21))).toThrow('You named 21 projects');
    expect(parseCommandText('q3 '.repeat(200)).phrase).toEqual(parseCommandText('q3').phrase);
    expect(() => parseCommandText(`${'q3 '.repeat(200)}mtd`)).toThrow(
      '“mtd” comes after 200 words, more than any command has.',
    );
  });

  it('of several words are offered as they are written', () => {
    const names = new Set(['web-shop', 'web-shop-2']);
    expect(refused('web shop last-week', names).offered).toEqual(['web-shop last-week']);
    expect(refused('web shop-2', names).offered).toEqual(['web-shop-2']);
  });

  it('are refused by commands about one project', () => {
    expect(() => parseSingleProjectText('prod,staging', aliases)).toThrow('You named several projects');
    expect(() => parseProjectText('all', aliases)).toThrow('You named several projects');
  });
});

describe('a refused word', () => {
  it.each([
    ['123 <script>*x*', '<script>*x*'],
    ['<script>*x* 123', '<script>*x*'],
    ['123 ba_nana!', 'ba_nana!'],
    ['123 “banana”', 'banana'],
    ['123 LAST_WEK', 'LAST_WEK'],
    ['123 07/08/2026', '07/08/2026'],
    ['<http://banana.example.com|banana.example.com>', 'banana.example.com'],
    ['123 ba\u202enana', 'banana'],
    ['123 *4* 456', '123 *4*'],
    ['123 *ba\u202enana*', '*banana*'],
    ['123 <http://x.example|*banana*>', '*banana*'],
    ['123 *Last*  *0*  days', '*Last* *0* days'],
  ])('in “%s” is quoted as it was typed', (text, word) => {
    expect(refused(text).word).toBe(word);
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

  it('is read or refused in few words, and what is suggested can be read', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          resolvePeriod(parseCommandText(text).phrase ?? LAST_7_DAYS, now, 'UTC');
        } catch (error) {
          if (error instanceof SecretPasted || error instanceof PeriodJustBegan) return;
          if (!(error instanceof InvalidWord)) throw error;
          expect([...error.word].length).toBeLessThanOrEqual(40);
          for (const word of error.message.split(/\s/)) expect([...word].length).toBeLessThanOrEqual(45);
          if (error.suggestion !== undefined) parseCommandText(error.suggestion);
        }
      }),
      { numRuns: runs(1500) },
    );
  });

  it('is read the same after it was normalized', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (some) => {
        const once = normalizeText(some.join(' '));
        expect(normalizeText(once)).toBe(once);
      }),
      { examples: [[['project', ':', ':']]] },
    );
  });

  it.each([
    '7',
    'a',
    '-',
    '.',
    '_',
    '<',
    '<|',
    'today ',
    'product ',
    'last ',
    '7 days ',
    'q',
    'a_',
    '?',
    '2026-',
    'a, ',
    'ﷺ',
  ])('of 4,000 characters is answered shortly: %j', (piece) => {
    const text = piece.repeat(4000 / piece.length);
    try {
      parseCommandText(text);
    } catch (error) {
      if (!(error instanceof InvalidWord)) throw error;
      expect(error.message.length).toBeLessThan(400);
      expect(error.suggestion ?? '').not.toMatch(/.{201}/);
    }
  });
});

describe('a normalized text', () => {
  it('stays the same when it is normalized again', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab7-_–— .?#"“'), maxLength: 12 });
    fc.assert(
      fc.property(text, (typed) => {
        expect(normalizeText(normalizeText(typed))).toBe(normalizeText(typed));
      }),
      { numRuns: runs(2_000), examples: [['last-_-a'], ['a_-_b'], ['.._.']] },
    );
  });
});

describe('a question about now', () => {
  it.each(['2026', '2026 2', 'project 2026 cloud'])(
    'takes a project that looks like a year: “%s”',
    (text) => {
      expect(parseBalanceText(text)).toMatchObject({ help: false, project: '2026' });
    },
  );
});
