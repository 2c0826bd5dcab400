import { describe, expect, it } from 'vitest';
import { parseAuthUrl } from '../../src/identity/client.ts';
import { aFailure } from '../support/failures.ts';

const parse = (text: string) => parseAuthUrl(text, [{ host: '127.0.0.1' }]);

describe('an identity URL', () => {
  it.each([
    ['https://identity.example.com/v3', 'https://identity.example.com/v3'],
    ['  https://identity.example.com/v3/ ', 'https://identity.example.com/v3'],
    ['https://identity.example.com/v3/auth/tokens/', 'https://identity.example.com/v3'],
    ['https://IDENTITY.example.com:5000/identity/v3', 'https://identity.example.com:5000/identity/v3'],
    ['http://127.0.0.1:5000/v3', 'http://127.0.0.1:5000/v3'],
  ])('is accepted if it is typed as “%s”', (text, authUrl) => {
    expect(parse(text)).toBe(authUrl);
  });

  it.each([
    'https://identity.example.com',
    'https://v3.example.com/v2.0',
    'https://identity.example.com/v33',
    'https://identity.example.com/v3/projects/7',
  ])('is refused if it doesn’t end with /v3: “%s”', (text) => {
    expect(() => parse(text)).toThrow(`“${text}” doesn’t end with /v3. Copy it from the console`);
  });

  it.each(['http://identity.example.com/v3', 'https://10.0.0.1/v3', 'identity.example.com/v3', ''])(
    'is refused if it breaks the general rules for addresses: “%s”',
    (text) => {
      expect(() => parse(text)).toThrow(aFailure('address-refused'));
    },
  );
});
