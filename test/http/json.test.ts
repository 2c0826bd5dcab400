import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonNumber, readJson, writeJson } from '../../src/http/json.ts';
import { finish } from '../support/usage.ts';

const LIMITS = { elements: 100, values: 1_000 };
const read = (text: string, limits = LIMITS, mask = (outside: string) => outside) =>
  finish(readJson(text, limits, mask));
/** JSON numbers as JavaScript's own, to compare. */
const plain = (value: unknown): unknown => {
  if (value instanceof JsonNumber) return Number(value.digits);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
};

describe('JSON from outside', () => {
  const json = fc.jsonValue({ maxDepth: 5 });

  it('means the same as to JSON.parse, with any spaces', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t', '\n\r '), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(plain(read(` ${text}\n`, { elements: 1e4, values: 1e5 }))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is refused where JSON.parse refuses it', () => {
    const nearly = fc
      .tuple(
        json,
        fc.nat(),
        fc.constantFrom('', ',', ']', '}', ':', '"', '0', '-', '.', 'e', 'null', '\u0000'),
      )
      .map(([value, at, sign]) => {
        const text = JSON.stringify(value);
        const place = at % (text.length + 1);
        return text.slice(0, place) + sign + text.slice(place + (sign === '' ? 1 : 0));
      })
      .filter((text) => !text.includes('\\'));
    const parses = (parse: (text: string) => unknown, text: string): boolean => {
      try {
        parse(text);
        return true;
      } catch (error) {
        // JSON.parse takes the last of two values with one name.
        return error instanceof Error && error.message === 'duplicate';
      }
    };
    fc.assert(
      fc.property(nearly, (text) => {
        expect(parses((one) => read(one, { elements: 1e4, values: 1e5 }), text)).toBe(
          parses(JSON.parse, text),
        );
      }),
    );
  });

  it('keeps each digit of a number, and writes it again', () => {
    const text = '{"a":[1.50,-0.10,1e3,12345678901234567890.123456789],"b":{"c":"\\"\\u00e9\\n"}}';
    expect(writeJson(read(text))).toBe(
      '{"a":[1.50,-0.10,1e3,12345678901234567890.123456789],"b":{"c":"\\"é\\n"}}',
    );
  });

  it('has its texts masked', () => {
    const masked = read('{"a":["secret",{"b":"a sec\\u0072et"}]}', LIMITS, (text) =>
      text.replace('secret', '…'),
    );
    expect(plain(masked)).toEqual({ a: ['…', { b: 'a …' }] });
  });

  it('has its long texts shortened, escaped or not', () => {
    expect(read(`"${'x'.repeat(1_000_000)}"`)).toBe('x'.repeat(1_000));
    expect(read(`"${'\\u00e9'.repeat(10_000)}"`)).toBe('é'.repeat(1_000));
    expect(read(`"${'\\"'.repeat(200_000)}"`)).toBe('"'.repeat(1_000));
    expect(read(`{"${'x'.repeat(100_000)}":1}`)).toHaveProperty('x'.repeat(1_000));
    expect(read('7'.repeat(100_000))).toEqual(new JsonNumber('7'.repeat(1_000)));
  });

  it('is parsed correctly wherever its parser pauses', () => {
    const text = JSON.stringify(['aé😀"\\', 1.5, null, true, { é: -2e3 }]);
    const sixteen = 16 * 1024;
    for (let spaces = sixteen - text.length - 20; spaces <= sixteen; spaces += 1)
      expect(plain(read(' '.repeat(spaces) + text))).toEqual(JSON.parse(text));
  });

  const many = (count: number, item: string) => Array.from({ length: count }, () => item).join(',');
  /** What follows is no JSON: whoever reads on, finds that out. */
  const REST = ',{{{{';
  it.each([
    ['elements', 'a list of too many elements', `[${many(101, '{}')}${REST}`],
    ['elements', 'such a list inside', `{"data":{"items":[${many(101, '1')}${REST}`],
    ['values', 'too many values in all', `[${many(12, `[${many(90, '{}')}]`)}${REST}`],
    [
      'values',
      'too many fields',
      `{${Array.from({ length: 1_001 }, (_, n) => `"n${n}":0`).join(',')}${REST}`,
    ],
    ['deep', 'too many lists in lists', `${'['.repeat(101)}${REST}`],
    ['deep', 'too many objects in objects', `${'{"a":'.repeat(101)}${REST}`],
    ['duplicate', 'two values with one name', `{"a":1,"a":2${REST}`],
    ['duplicate', 'two objects with one name', `{"a":{},"a":{}${REST}`],
  ])('is not read on after the limit of %s: %s', (reason, _, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ name: 'Error', reason }));
  });

  it('is accepted up to exactly the limit', () => {
    expect(read(`[${many(100, '{}')}]`)).toHaveLength(100);
    expect(read(`${'['.repeat(100)}${']'.repeat(100)}`)).toHaveLength(1);
    expect(plain(read('{"a":1,"a":1}'))).toEqual({ a: 1 });
  });

  it('pauses after every sixteen thousand characters or so', () => {
    const work = readJson(`[${many(90, `"${'x'.repeat(1_000)}"`)}]`, LIMITS, (text) => text);
    let pauses = 0;
    while (!work.next().done) pauses += 1;
    expect(pauses).toBeGreaterThan(4);
    const short = readJson('[1]', LIMITS, (text) => text);
    expect(short.next().done).toBe(true);
  });
});
