import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { UnsealFailed } from '../../src/domain/failure/index.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { reseal } from '../../src/vault/reseal.ts';
import {
  describeAccess,
  type NewAccess,
  parseAccess,
  serializeAccess,
} from '../../src/workspace/accesses.ts';
import { sealOwnerOfField } from '../../src/workspace/fields.ts';

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

  it('is sealed anew with the other records', () => {
    const both = createKeyring([NEW, OLD]);
    const owner = sealOwnerOfField('T1', 'access:123', json)!;
    const resealed = reseal(both, owner, json)!;
    expect(parseAccess(createKeyring([NEW]), 'T1', '123', resealed).open().secret).toBe(GIVEN.secret);
  });

  it('tells when it expires where that is known, and hides a short ID whole', () => {
    const at = Date.UTC(2026, 10, 21);
    expect(describeAccess(access, at, 'UTC')).toBe('access ending abcd');
    const expiring = { ...access, expiresAt: at + 12 * 86_400_000 };
    expect(describeAccess(expiring, at, 'UTC')).toBe('access ending abcd, expires Thu 3 Dec 2026 (12 days)');
    expect(serializeAccess(keyring, 'T1', { ...GIVEN, id: 'short' }).access.lastFour).toBe('····');
  });
});
