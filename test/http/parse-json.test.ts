import { isLosslessNumber, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { JsonError, parseJson } from '../../src/http/parse-json.ts';

const asSent = (text: string) => text;
const read = (text: string, mask = asSent) => parseJson(text, mask);
/** Turns lossless numbers into numbers, to compare them. */
const plain = (value: unknown): unknown => {
  if (isLosslessNumber(value)) return Number(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
};

describe('JSON from a service', () => {
  it('keeps each digit of a number', () => {
    const text = '{"a":[1.50,-0.10,1e3,12345678901234567890.123456789],"b":{"c":"\\"é\\n"}}';
    expect(stringify(read(text))).toBe(text);
  });

  it('has the secrets in its texts and numbers masked', () => {
    const mask = (text: string) => text.replace(/secret|1234567890/, '…');
    expect(plain(read('{"a":["secret",1234567890,{"b":"a sec\\u0072et"}]}', mask))).toEqual({
      a: ['…', '…', { b: 'a …' }],
    });
  });

  it('has its long texts and numbers shortened', () => {
    expect(read(`"${'x'.repeat(500_000)}"`)).toBe('x'.repeat(1_000));
    expect(read('7'.repeat(100_000))).toBe('7'.repeat(1_000));
  });

  it.each([
    ['is cut off in a string', '{"a":"b', true],
    ['is cut off in a list', '[{}', true],
    ['is plain text', 'hello', false],
    ['goes on after its end', '[1] trailing', false],
    ['never closes a list', '['.repeat(500_000), false],
    ['is nested too deeply', `${'['.repeat(102)}${']'.repeat(102)}`, false],
    ['has a name twice with two values', '{"a":1,"a":2}', false],
    ['has a name twice with two objects', '{"a":{},"a":{"b":1}}', false],
  ])('is refused, without being quoted, if it %s', (_, text, isCutOff) => {
    expect(() => read(text)).toThrow(new JsonError(isCutOff));
  });

  it('may contain a name twice if both values are the same', () => {
    expect(plain(read('{"a":1,"a":1}'))).toEqual({ a: 1 });
  });
});
