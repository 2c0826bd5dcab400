import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  announcedSize,
  createBodyReader,
  isSslCheck,
  parseBody,
  SERVER_LIMITS,
} from '../../src/slack/server/signed-request.ts';

const FORM = 'application/x-www-form-urlencoded';
const MB = 1024 * 1024;

/** A request whose body the test sends; as a socket does, it may break. */
const request = () => new PassThrough() as PassThrough & IncomingMessage;

async function readIn(chunks: readonly Buffer[], reader = createBodyReader()) {
  const req = request();
  const read = reader(req);
  for (const chunk of chunks) req.write(chunk);
  req.end();
  return read;
}

describe('a body', () => {
  it('is read as it was sent, in however many chunks', async () => {
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, n) => n % 251));
    const cuts = [bytes.subarray(0, 1), bytes.subarray(1, 20_000), bytes.subarray(20_000)];
    expect(bytes.equals((await readIn(cuts)) as Buffer)).toBe(true);
    expect(((await readIn([])) as Buffer).length).toBe(0);
  });

  it('is refused from one byte too many', async () => {
    const reader = createBodyReader({ bodyBytes: 20_000, totalBodyBytes: 100_000 });
    expect(await readIn([Buffer.alloc(20_000)], reader)).toHaveLength(20_000);
    expect(await readIn([Buffer.alloc(20_001)], reader)).toBe('too-large');
    expect(await readIn([Buffer.alloc(10_000), Buffer.alloc(10_001)], reader)).toBe('too-large');
  });

  it('that breaks off is refused, and nothing else fails', async () => {
    const req = request();
    const read = createBodyReader()(req);
    req.write('half');
    req.destroy(new Error('gone'));
    expect(await read).toBe('malformed');
  });

  it('counts while it is read: beyond the limit for all of them, the oldest of the largest is given up', async () => {
    const reader = createBodyReader({ bodyBytes: 20_000, totalBodyBytes: 40_000 });
    const [first, second, third] = [request(), request(), request()];
    const reads = [reader(first), reader(second), reader(third)];
    for (const req of [first, second, third]) req.write(Buffer.alloc(20_000));
    expect(await reads[0]).toBe('overloaded');
    second.end();
    expect(await reads[1]).toHaveLength(20_000);
    expect(await readIn([Buffer.alloc(20_000)], reader)).toHaveLength(20_000);
    third.destroy();
    expect(await reads[2]).toBe('malformed');
    const [fourth, fifth] = [request(), request()];
    const more = [reader(fourth), reader(fifth)];
    for (const req of [fourth, fifth]) req.end(Buffer.alloc(20_000));
    expect(await Promise.all(more)).toEqual([expect.any(Buffer), expect.any(Buffer)]);
  });

  it('finds room beside larger ones, however many of them there are', async () => {
    const reader = createBodyReader({ bodyBytes: 100_000, totalBodyBytes: 400_000 });
    const large = Array.from({ length: 20 }, () => {
      const req = request();
      const read = reader(req);
      req.write(Buffer.alloc(100_000));
      return read;
    });
    expect(await Promise.all(large.slice(0, 16))).toEqual(Array(16).fill('overloaded'));
    expect(await readIn([Buffer.alloc(40_000)], reader)).toHaveLength(40_000);
  });

  it('that is refused frees its memory, and took at most twice its length', async () => {
    const reader = createBodyReader({ bodyBytes: 100_000, totalBodyBytes: 100_000 });
    for (let turn = 0; turn < 5; turn += 1)
      expect(await readIn([Buffer.alloc(60_000), Buffer.alloc(50_000)], reader)).toBe('too-large');
    const [small, large] = [request(), request()];
    const reads = [reader(small), reader(large)];
    // 16 KB each at first, however little is sent.
    small.write('x');
    large.write(Buffer.alloc(100_000 - 16 * 1024));
    large.end();
    expect(await reads[1]).toHaveLength(100_000 - 16 * 1024);
    small.write(Buffer.alloc(16 * 1024));
    const beside = readIn([Buffer.alloc(100_000 - 2 * 16 * 1024 + 1)], reader);
    expect(await beside).toBe('overloaded');
    small.end();
    expect(await reads[0]).toHaveLength(16 * 1024 + 1);
  });
});

describe('the size that a request announces', () => {
  it('is a number if the header has one', () => {
    const size = (headers: object) => announcedSize({ headers } as IncomingMessage);
    expect([size({ 'content-length': '12' }), size({})]).toEqual([12, undefined]);
  });
});

describe('the fields of a body', () => {
  const parse = (text: string, type?: string) => parseBody(Buffer.from(text), type);

  it.each<[string, string | undefined, object | undefined]>([
    ['a=1&b=%C3%A9', FORM, { a: '1', b: 'é' }],
    ['a=1', `${FORM}; charset=utf-8`, { a: '1' }],
    ['a=1', ` ${FORM.toUpperCase()} ;x`, { a: '1' }],
    ['payload={"a":[1]}', FORM, { a: [1] }],
    ['{"a":1}', 'application/json', { a: 1 }],
    ['{"a":1}', undefined, { a: 1 }],
    ['a=1', 'application/json', undefined],
    ['', FORM, {}],
    ['', 'application/json', undefined],
    ['payload=', FORM, undefined],
    ...['null', '[]', '1', '"a"', '{', 'true'].flatMap((json): [string, string, undefined][] => [
      [json, 'application/json', undefined],
      [`payload=${json}`, FORM, undefined],
    ]),
    ['a=1&a=1', FORM, undefined],
    ['payload={}&payload={}', FORM, undefined],
  ])('%j as %s is %j', (text, type, fields) => expect(parse(text, type)).toEqual(fields));

  it('may have sixty-four fields', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=1`).join('&');
    expect(Object.keys(parse(fields(SERVER_LIMITS.formFields), FORM) ?? {})).toHaveLength(64);
    expect(parse(fields(SERVER_LIMITS.formFields + 1), FORM)).toBeUndefined();
  });
});

describe('a test of a certificate', () => {
  const isCheck = (text: string, type?: string) => isSslCheck(Buffer.from(text), type);

  it.each([
    ['ssl_check=1&token=x', FORM, true],
    ['token=x&ssl_check=1', `${FORM}; charset=utf-8`, true],
    ['ssl_check=0', FORM, false],
    ['ssl_check=11', FORM, false],
    ['ssl_check=1&ssl_check=1', FORM, false],
    ['ssl_check=1', 'application/json', false],
    ['ssl_check=1', undefined, false],
    [`ssl_check=1&${'a'.repeat(1024 - 12)}`, FORM, true],
    [`ssl_check=1&${'a'.repeat(1024 - 11)}`, FORM, false],
  ])('is recognized by its field, type and size: case %#', (text, type, is) =>
    expect(isCheck(text, type)).toBe(is),
  );
});

it('the limits are what the documents say: a mebibyte each, thirty-two together', () => {
  expect([SERVER_LIMITS.bodyBytes, SERVER_LIMITS.totalBodyBytes]).toEqual([MB, 32 * MB]);
});
