import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createBodyReader, isSslCheck, parseBody } from '../../src/slack/server/signed-request.ts';

const FORM = 'application/x-www-form-urlencoded';

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
