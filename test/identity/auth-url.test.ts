import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InvalidWord } from '../../src/domain/failure/index.ts';
import { parseAuthUrl, suggestAuthUrl } from '../../src/identity/client.ts';

const read = (text: string) => parseAuthUrl(text, [{ host: '127.0.0.1' }]);

const refusalOf = (text: string): unknown => {
  try {
    return read(text);
  } catch (error) {
    return error;
  }
};

describe('an identity URL', () => {
  it.each([
    ['https://identity.example.com/v3', 'https://identity.example.com/v3'],
    ['  https://identity.example.com/v3/ ', 'https://identity.example.com/v3'],
    ['https://identity.example.com/v3/auth/tokens', 'https://identity.example.com/v3'],
    ['https://identity.example.com/v3/auth/tokens/', 'https://identity.example.com/v3'],
    ['https://identity.example.com/v3/auth', 'https://identity.example.com/v3'],
    ['https://identity.example.com//v3//', 'https://identity.example.com/v3'],
    ['https://example.com:5000/identity//v3//auth//tokens', 'https://example.com:5000/identity/v3'],
    ['https://IDENTITY.example.com/v3', 'https://identity.example.com/v3'],
    ['http://127.0.0.1:5000/v3', 'http://127.0.0.1:5000/v3'],
  ])('is accepted if it is typed as “%s”', (text, authUrl) => {
    expect(read(text)).toBe(authUrl);
  });

  it.each([
    ['https://identity.example.com', 'https://identity.example.com/v3'],
    ['https://identity.example.com/', 'https://identity.example.com/v3'],
    ['https://identity.example.com/identity', 'https://identity.example.com/identity/v3'],
    ['https://identity.example.com/auth/tokens', 'https://identity.example.com/v3'],
    ['https://identity.example.com/v2.0', 'https://identity.example.com/v3'],
    ['https://identity.example.com/v3/projects/7', 'https://identity.example.com/v3'],
    ['https://identity.example.com/V3', 'https://identity.example.com/v3'],
    ['https://v3', undefined],
    ['https://v3.example.com', 'https://v3.example.com/v3'],
    ['https://example.com/v33', 'https://example.com/v33/v3'],
  ])('such as “%s” is refused, with a corrected URL if there is one', (text, suggestion) => {
    const refusal = refusalOf(text);
    expect(refusal).toMatchObject(
      suggestion === undefined
        ? { kind: 'address-refused' }
        : { kind: 'invalid-word', offered: [suggestion] },
    );
    if (suggestion === undefined) return;
    expect((refusal as InvalidWord).message).toContain(suggestion);
    expect(read(suggestion)).toBe(suggestion);
  });

  it.each([
    'http://identity.example.com/v3',
    'https://10.0.0.1/v3',
    'https://user:hunter2@identity.example.com/v3',
    'https://identity.example.com/v3?x=1',
    'identity.example.com/v3',
    '',
  ])('is refused if it breaks the general rules for addresses: “%s”', (text) => {
    const refusal = refusalOf(text);
    expect(refusal).toMatchObject({ kind: 'address-refused' });
    expect((refusal as Error).message).not.toContain('hunter2');
  });

  it('needs no second correction after the first', () => {
    const part = fc.constantFrom('v3', 'v2.0', 'auth', 'tokens', 'identity', '', 'a');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const given = `https://identity.example.com/${parts.join('/')}`;
        const corrected = suggestAuthUrl(given) ?? given;
        expect(corrected).toMatch(/^https:\/\/identity\.example\.com(?:\/[\w.]+)*\/v3$/);
        expect(suggestAuthUrl(corrected)).toBeUndefined();
        expect(read(corrected)).toBe(corrected);
      }),
    );
  });
});
