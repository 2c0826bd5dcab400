import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createTokenWindows, type TokenWindow } from '../../src/workspace/credentials/credential-records.ts';
import { encodingsOf } from '../support/secrets.ts';
import { runs } from '../support/thorough.ts';

const WINDOW = {
  value: `gAAAAA${'x'.repeat(198)}`,
  authUrl: 'https://id.example.com/v3',
  project: '123',
} as const satisfies TokenWindow;
const key = (id: string) => ({ id, key: randomBytes(32) });
const keys = [key('new'), key('old')];
const windows = createTokenWindows(createKeyring(keys));

describe('a window of /os-token', () => {
  it('opens as it was sealed, for the same person in the same workspace', () => {
    const text = windows.seal('T1', 'U1', WINDOW);
    expect(windows.open('T1', 'U1', text)).toEqual(WINDOW);
    expect(windows.open('T1', 'U2', text)).toBeUndefined();
    expect(windows.open('T2', 'U1', text)).toBeUndefined();
  });

  it('opens after a new key came, and no more when its own is gone', () => {
    const text = createTokenWindows(createKeyring(keys.slice(1))).seal('T1', 'U1', WINDOW);
    expect(windows.open('T1', 'U1', text)).toEqual(WINDOW);
    expect(createTokenWindows(createKeyring(keys.slice(0, 1))).open('T1', 'U1', text)).toBeUndefined();
  });

  it('is another one each time it is drawn', () => {
    expect(windows.seal('T1', 'U1', WINDOW)).not.toBe(windows.seal('T1', 'U1', WINDOW));
  });

  it('does not contain the token, in any encoding', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x21-\x7e]{12,400}$/), (value) => {
        const text = windows.seal('T1', 'U1', { ...WINDOW, value });
        for (const encoded of encodingsOf(value)) expect(text).not.toContain(encoded);
      }),
      { numRuns: runs(30) },
    );
  });

  it('does not open with a character changed', () => {
    const text = windows.seal('T1', 'U1', WINDOW);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'AZaz09-_. '), (at, sign) => {
        const changed = text.slice(0, at) + sign + text.slice(at + 1);
        if (changed !== text) expect(windows.open('T1', 'U1', changed)).toBeUndefined();
      }),
      { numRuns: runs(100) },
    );
  });

  it.each(['', 'x', ' ', '../../etc', '__proto__', 'A'.repeat(22), 'v1.new.x.y', 'v1.once.AAAA.BBBB'])(
    'is none when the metadata is “%s”',
    (text) => expect(windows.open('T1', 'U1', text)).toBeUndefined(),
  );

  it('of a token of 1,500 characters fits into the metadata', () => {
    const value = 'x'.repeat(1_500);
    expect(windows.seal('T1', 'U1', { ...WINDOW, value }).length).toBeLessThanOrEqual(3_000);
  });
});
