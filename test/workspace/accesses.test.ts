import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { UnsealFailed } from '../../src/domain/failure/index.ts';
import { createKeyring, reseal } from '../../src/vault/keyring.ts';
import {
  accessSummary,
  describeAccess,
  isIssuers,
  isNamedIssuer,
  MAX_ISSUER_GROUPS,
  MAX_ISSUERS,
  type NewAccess,
  parseAccess,
  serializeAccess,
  serializeRevocable,
  withRevocable,
} from '../../src/workspace/credentials/access-record.ts';
import { sealOwnerOfField } from '../../src/workspace/credentials/sealed-fields.ts';

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
  it('opens to what was registered, and shows four characters of its ID', () => {
    expect(json).not.toContain(GIVEN.secret);
    expect(json).not.toContain(GIVEN.id);
    const { id, secret, authUrl } = GIVEN;
    expect(parseAccess(keyring, 'T1', '123', json).open()).toEqual({ id, secret, authUrl });
    expect(access.lastFour).toBe('abcd');
  });

  it('does not open in another workspace, for another project, or for another address', () => {
    expect(() => parseAccess(keyring, 'T2', '123', json).open()).toThrow(UnsealFailed);
    expect(() => parseAccess(keyring, 'T1', '124', json)).toThrow(UnsealFailed);
    const moved = json.replace('"project":"123"', '"project":"124"');
    expect(() => parseAccess(keyring, 'T1', '124', moved).open()).toThrow(UnsealFailed);
    const sentElsewhere = json.replace('identity.example.com', 'evil.example.com');
    expect(() => parseAccess(keyring, 'T1', '123', sentElsewhere).open()).toThrow(UnsealFailed);
  });

  it('is sealed again with the other records', () => {
    const both = createKeyring([NEW, OLD]);
    const owner = sealOwnerOfField('T1', 'access:123', json)!;
    const resealed = reseal(both, owner, json)!;
    expect(parseAccess(createKeyring([NEW]), 'T1', '123', resealed).open().secret).toBe(GIVEN.secret);
  });

  it('says when it expires if that is known, and masks a short ID completely', () => {
    const at = Date.UTC(2026, 10, 21);
    expect(describeAccess(access, at, 'UTC')).toBe('access ending abcd, expiry unknown');
    const expiring = { ...access, expiresAt: at + 12 * 86_400_000 };
    expect(describeAccess(expiring, at, 'UTC')).toBe('access ending abcd, expires Thu 3 Dec 2026 (12 days)');
    expect(serializeAccess(keyring, 'T1', { ...GIVEN, id: 'short' }).access.lastFour).toBe('····');
  });

  it('is summed up for Tally managers and for people it names, and for nobody else', () => {
    const summary = (id: string, canManage: boolean) =>
      accessSummary(access, { id, canManage }, Date.UTC(2026, 10, 21), 'UTC');
    expect(summary('U1', false)).toBe('access ending abcd, expiry unknown');
    expect(summary('U2', true)).toBe('access ending abcd, expiry unknown');
    expect(summary('U2', false)).toBeUndefined();
    expect(accessSummary(undefined, { id: 'U1', canManage: true }, 0, 'UTC')).toBeUndefined();
    expect([isNamedIssuer(access, 'U1'), isNamedIssuer(access, 'U2')]).toEqual([true, false]);
  });

  it.each([
    ['nobody', { people: [], groups: [] }, true],
    [
      'as many as there may be',
      { people: Array(MAX_ISSUERS).fill('U1'), groups: Array(MAX_ISSUER_GROUPS).fill('S1') },
      true,
    ],
    ['one more', { people: Array(MAX_ISSUERS + 1).fill('U1'), groups: [] }, false],
    ['one more group', { people: [], groups: Array(MAX_ISSUER_GROUPS + 1).fill('S1') }, false],
    ['a group among the people', { people: ['S1'], groups: [] }, false],
    ['a person among the groups', { people: [], groups: ['U1'] }, false],
    ['no groups', { people: ['U1'] }, false],
    ['nothing', undefined, false],
  ])('accepts as its issuers %s: %#', (_, given, isValid) => {
    expect(isIssuers(given)).toBe(isValid);
  });

  it('stores for each registration whether the service revokes tokens', () => {
    const open = () => ({ id: '', secret: '', authUrl: '' });
    const later = { ...access, registeredAt: access.registeredAt + 1, open };
    const noteOf = (revocable: boolean) => serializeRevocable(access, revocable);
    expect(withRevocable({ ...access, open }, noteOf(true)).revocable).toBe(true);
    expect(withRevocable({ ...access, open }, noteOf(false)).revocable).toBe(false);
    expect(withRevocable(later, noteOf(true)).revocable).toBeUndefined();
    expect(withRevocable({ ...access, open }, undefined).revocable).toBeUndefined();
  });

  it.each([
    ['a-id-of-11c', '····'],
    ['an-id-of-12c', '-12c'],
  ])('shows no more than a third of its ID: %s', (id, shown) => {
    expect(serializeAccess(keyring, 'T1', { ...GIVEN, id }).access.lastFour).toBe(shown);
  });
});
