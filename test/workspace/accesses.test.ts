import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { tryParse } from '../../src/domain/try-parse.ts';
import { createKeyring, reseal } from '../../src/vault/keyring.ts';
import {
  accessSummary,
  describeAccess,
  expiresSoon,
  isNamedIssuer,
  MAX_ISSUER_GROUPS,
  MAX_ISSUERS,
  type NewAccess,
  parseAccess,
  sealOwnerOf,
  sealOwnerOfField,
  serializeAccess,
} from '../../src/workspace/credentials/credential-records.ts';
import { aFailure } from '../support/failures.ts';

const OLD = { id: 'old', key: randomBytes(32) };
const NEW = { id: 'new', key: randomBytes(32) };
const keyring = createKeyring([OLD]);
const GIVEN: NewAccess = {
  project: '123',
  authUrl: 'https://identity.example.com/v3',
  id: '5a9db0c0000000000000000000000abcd',
  secret: 'a-secret-for-tests-only',
  issuers: { people: ['U1'], groups: [] },
  registeredBy: 'U1',
  registeredAt: Date.UTC(2026, 10, 21),
};
const { access, json } = serializeAccess(keyring, 'T1', GIVEN);

describe('an application access', () => {
  it('can be decrypted to the registered values, and shows four characters of its ID', () => {
    expect(json).not.toContain(GIVEN.secret);
    expect(json).not.toContain(GIVEN.id);
    const { id, secret, authUrl } = GIVEN;
    expect(parseAccess(keyring, 'T1', '123', json).open()).toEqual({ id, secret, authUrl });
    expect(access.lastFour).toBe('abcd');
  });

  it('can’t be decrypted for another workspace, project or address', () => {
    expect(() => parseAccess(keyring, 'T2', '123', json).open()).toThrow(aFailure('unseal-failed'));
    expect(() => parseAccess(keyring, 'T1', '124', json)).toThrow(aFailure('unseal-failed'));
    const moved = json.replace('"project":"123"', '"project":"124"');
    expect(() => parseAccess(keyring, 'T1', '124', moved).open()).toThrow(aFailure('unseal-failed'));
    const sentElsewhere = json.replace('identity.example.com', 'evil.example.com');
    expect(() => parseAccess(keyring, 'T1', '123', sentElsewhere).open()).toThrow(aFailure('unseal-failed'));
  });

  it('can be encrypted again with a new key', () => {
    const both = createKeyring([NEW, OLD]);
    const owner = sealOwnerOfField('T1', 'access:123', json)!;
    const resealed = reseal(both, owner, json)!;
    expect(parseAccess(createKeyring([NEW]), 'T1', '123', resealed).open().secret).toBe(GIVEN.secret);
  });

  it('is described with its expiry, and a short ID is masked completely', () => {
    const at = Date.UTC(2026, 10, 21);
    expect(describeAccess(access, at, 'UTC')).toBe('access ending abcd, expiry unknown');
    const expiring = { ...access, expiresAt: at + 12 * 86_400_000 };
    expect(describeAccess(expiring, at, 'UTC')).toBe('access ending abcd, expires Thu 3 Dec 2026 (12 days)');
    expect(serializeAccess(keyring, 'T1', { ...GIVEN, id: 'short' }).access.lastFour).toBe('····');
  });

  it('is described only to Tally managers and people whom it lists', () => {
    const summary = (id: string, canManage: boolean) =>
      accessSummary(access, { id, canManage }, Date.UTC(2026, 10, 21), 'UTC');
    expect(summary('U1', false)).toBe('access ending abcd, expiry unknown');
    expect(summary('U2', true)).toBe('access ending abcd, expiry unknown');
    expect(summary('U2', false)).toBeUndefined();
    expect(accessSummary(undefined, { id: 'U1', canManage: true }, 0, 'UTC')).toBeUndefined();
    expect([isNamedIssuer(access, 'U1'), isNamedIssuer(access, 'U2')]).toEqual([true, false]);
  });

  it.each([
    ['as many of each as allowed', Array(MAX_ISSUERS).fill('U1'), Array(MAX_ISSUER_GROUPS).fill('S1'), true],
    ['one person too many', Array(MAX_ISSUERS + 1).fill('U1'), [], false],
    ['one group too many', [], Array(MAX_ISSUER_GROUPS + 1).fill('S1'), false],
    ['a group among the people', ['S1'], [], false],
  ])('accepts only a valid list of people and groups: %s', (_, people, groups, isValid) => {
    const { json } = serializeAccess(keyring, 'T1', { ...GIVEN, issuers: { people, groups } });
    const parsed = tryParse(() => parseAccess(keyring, 'T1', GIVEN.project, json));
    expect(parsed !== undefined).toBe(isValid);
  });

  it.each([
    ['a-id-of-11c', '····'],
    ['an-id-of-12c', '-12c'],
  ])('shows at most a third of its ID: %s', (id, shown) => {
    expect(serializeAccess(keyring, 'T1', { ...GIVEN, id }).access.lastFour).toBe(shown);
  });
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('a token', () => {
  it('is said to expire soon in its last 14 days, counted in the given time zone', () => {
    const at = Date.UTC(2026, 10, 20, 23);
    const soon = (expiresAt: number, zone = 'UTC') => expiresSoon({ expiresAt }, at, zone);
    expect([soon(at + 15 * DAY), soon(at + 14 * DAY), soon(at - DAY)]).toEqual([false, true, true]);
    expect(soon(at + 14 * DAY + 2 * HOUR)).toBe(false);
    expect(soon(at + 14 * DAY + 2 * HOUR, 'Europe/Rome')).toBe(true);
    expect(expiresSoon({}, at, 'UTC')).toBe(false);
  });
});

describe('an encrypted field', () => {
  it('is tied to the addresses to which its secret may be sent', () => {
    const record = { baseUrl: 'https://b', authUrl: 'https://a', name: 'x' };
    expect(sealOwnerOf('billing-token', 'T1', 'main', record).audience).toEqual(['https://b', 'https://a']);
    expect(sealOwnerOf('application-access', 'T1', '7', record).audience).toEqual(['https://a']);
    expect(sealOwnerOf('application-access', 'T1', '7').audience).toEqual(['']);
    expect(sealOwnerOf('slack-installation', 'T1', 'installation', record).audience).toEqual([]);
    expect(sealOwnerOfField('T1', 'connection:main', JSON.stringify(record))).toEqual(
      sealOwnerOf('billing-token', 'T1', 'main', record),
    );
    expect(sealOwnerOfField('T1', 'installation', 'sealed')).toEqual(
      sealOwnerOf('slack-installation', 'T1', 'installation'),
    );
    for (const field of ['settings', 'project:prod', 'xaccess:7', 'installation2', 'connection:'])
      expect(sealOwnerOfField('T1', field, '{}')).toBeUndefined();
    expect(() => sealOwnerOfField('T1', 'access:7', '{')).toThrow(aFailure('unseal-failed', 'malformed'));
  });
});
