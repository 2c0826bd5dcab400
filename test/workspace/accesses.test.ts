import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SealBroken } from '../../src/domain/failure.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { reseal } from '../../src/vault/reseal.ts';
import { accessWords, type NewAccess, readAccess, writeAccess } from '../../src/workspace/accesses.ts';
import { ownerOfField } from '../../src/workspace/sealed.ts';

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
const { access, json } = writeAccess(keyring, 'T1', GIVEN);

describe('an application access', () => {
  it('opens to what was registered, and shows four characters of its ID', () => {
    expect(json).not.toContain(GIVEN.secret);
    expect(json).not.toContain(GIVEN.id);
    const { id, secret, authUrl } = GIVEN;
    expect(readAccess(keyring, 'T1', '123', json).open()).toEqual({ id, secret, authUrl });
    expect(access.lastFour).toBe('abcd');
  });

  it('does not open in another workspace, for another project, or for another address', () => {
    expect(() => readAccess(keyring, 'T2', '123', json).open()).toThrow(SealBroken);
    expect(() => readAccess(keyring, 'T1', '124', json)).toThrow(SealBroken);
    const moved = json.replace('"project":"123"', '"project":"124"');
    expect(() => readAccess(keyring, 'T1', '124', moved).open()).toThrow(SealBroken);
    const sentElsewhere = json.replace('identity.example.com', 'evil.example.com');
    expect(() => readAccess(keyring, 'T1', '123', sentElsewhere).open()).toThrow(SealBroken);
  });

  it('is sealed anew with the other records', () => {
    const both = createKeyring([NEW, OLD]);
    const owner = ownerOfField('T1', 'access:123', json)!;
    const resealed = reseal(both, owner, json)!;
    expect(readAccess(createKeyring([NEW]), 'T1', '123', resealed).open().secret).toBe(GIVEN.secret);
  });

  it('tells when it lapses where that is known, and hides a short ID whole', () => {
    const at = Date.UTC(2026, 10, 21);
    expect(accessWords(access, at, 'UTC')).toBe('access ····abcd');
    const lapsing = { ...access, lapsesAt: at + 12 * 86_400_000 };
    expect(accessWords(lapsing, at, 'UTC')).toBe('access ····abcd, lapses in 12 days (Thu 3 Dec 2026)');
    expect(writeAccess(keyring, 'T1', { ...GIVEN, id: 'short' }).access.lastFour).toBe('····');
  });
});
