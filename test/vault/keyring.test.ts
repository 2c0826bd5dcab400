import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFailure } from '../../src/domain/failure/index.ts';
import { createKeyring, type Keyring, type SealOwner } from '../../src/vault/keyring.ts';
import { anyText } from '../support/any-text.ts';
import { runs } from '../support/test-run.ts';

const OLD = { id: 'old', key: randomBytes(32) };
const NEW = { id: 'new', key: randomBytes(32) };
const OWNER: SealOwner = { workspace: 'T1', kind: 'billing-token', id: 'main' };
const keyring = createKeyring([NEW]);

const unicode = anyText(300);
const owners = fc.record({ workspace: unicode, kind: unicode, id: unicode });

function reasonOf(envelope: string, owner = OWNER, other: Keyring = keyring): string {
  try {
    other.open(envelope, owner);
  } catch (error) {
    if (isFailure(error, 'unseal-failed')) return error.data.reason;
    throw error;
  }
  return 'opened';
}

describe('an encrypted text', () => {
  it('is decrypted to exactly what was encrypted, for any text and owner', () => {
    fc.assert(
      fc.property(unicode, owners, (plain, owner) => {
        expect(keyring.open(keyring.seal(plain, owner), owner)).toBe(plain);
      }),
    );
  });

  it('can be decrypted if an earlier version of Tally encrypted it', () => {
    const stored = 'v1.k1.PZcgp8F8ETrvzAAZ.wrsk6V9lMACIhVs-9QUTmxa9thoJQmK-iV3GH6nX2IYtuT15';
    const other = createKeyring([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
    expect(other.open(stored, OWNER)).toBe('a-plainly-fake-token');
  });

  it('is refused as malformed if anything stands before or after it', () => {
    const envelope = keyring.seal('secret', OWNER);
    for (const text of [`x${envelope}`, `${envelope}.`, `${envelope}\n`])
      expect(reasonOf(text), text).toBe('malformed');
  });

  it('is different each time the same text is encrypted, and never shows that text', () => {
    const plain = 'a-plainly-fake-token';
    const seals = Array.from({ length: 1_000 }, () => keyring.seal(plain, OWNER));
    expect(new Set(seals).size).toBe(1_000);
    expect(new Set(seals.map((envelope) => envelope.split('.')[2])).size).toBe(1_000);
    expect(seals[0]).toMatch(/^v1\.new\.[\w-]{16}\.[\w-]+$/);
    expect(seals[0]).not.toContain(plain);
  });

  it('cannot be decrypted if any single bit is changed', () => {
    const [version, id, nonce, sealed] = keyring.seal('secret', OWNER).split('.') as [
      string,
      string,
      string,
      string,
    ];
    for (const [part, rebuild] of [
      [nonce, (text: string) => [version, id, text, sealed].join('.')],
      [sealed, (text: string) => [version, id, nonce, text].join('.')],
    ] as const) {
      const bytes = Buffer.from(part, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        expect(reasonOf(rebuild(flipped.toString('base64url')))).toBe('not-authentic');
      }
    }
  });

  it('cannot be decrypted for another owner', () => {
    fc.assert(
      fc.property(owners, owners, (owner, other) => {
        fc.pre(JSON.stringify(owner) !== JSON.stringify(other));
        expect(reasonOf(keyring.seal('secret', owner), other)).toBe('not-authentic');
      }),
    );
  });

  it.each([
    [
      { workspace: 'T1', kind: 'a', id: 'bc' },
      { workspace: 'T1', kind: 'ab', id: 'c' },
    ],
    [
      { workspace: 'T1', kind: 'a","b', id: 'c' },
      { workspace: 'T1', kind: 'a', id: 'b","c' },
    ],
    [
      { workspace: 'T1', kind: 'a', id: 'b' },
      { workspace: 'T1', kind: 'b', id: 'a' },
    ],
  ])('of the owner %o cannot be decrypted for %o', (owner, other) => {
    expect(reasonOf(keyring.seal('secret', owner), other)).toBe('not-authentic');
  });

  it('cannot be decrypted if its parts come from two encrypted texts', () => {
    const one = keyring.seal('first secret', OWNER).split('.');
    const two = keyring.seal('other secret', OWNER).split('.');
    expect(reasonOf([one[0], one[1], two[2], one[3]].join('.'))).toBe('not-authentic');
    expect(reasonOf([one[0], one[1], one[3], one[2]].join('.'))).not.toBe('opened');
  });

  it('cannot be decrypted with another key of the same name', () => {
    const impostor = createKeyring([{ id: 'new', key: randomBytes(32) }]);
    expect(reasonOf(keyring.seal('secret', OWNER), OWNER, impostor)).toBe('not-authentic');
  });

  it('cannot be decrypted under another key’s name, even if both keys have the same bytes', () => {
    const twins = createKeyring([NEW, { id: 'twin', key: NEW.key }]);
    const relabelled = twins.seal('secret', OWNER).replace('.new.', '.twin.');
    expect(reasonOf(relabelled, OWNER, twins)).toBe('not-authentic');
  });

  it('is refused with one kind of error, whatever is wrong with it', () => {
    const pieces = fc.array(fc.oneof(fc.constantFrom('v1', 'v2', 'new', ''), fc.base64String(), fc.string()));
    const anything = fc.oneof(
      anyText(),
      pieces.map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(['malformed', 'unknown-key', 'not-authentic']).toContain(reasonOf(text));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('is refused with an error that does not show its contents', () => {
    const envelope = keyring.seal('secret', OWNER);
    const refused = () => keyring.open(envelope, { ...OWNER, workspace: 'T2' });
    expect(refused).toThrow('Tally can’t read the stored access token.');
    expect(refused).not.toThrow(expect.objectContaining({ cause: expect.anything() }));
  });
});

describe('a keyring with several keys', () => {
  const before = createKeyring([OLD]);
  const during = createKeyring([NEW, OLD]);
  const after = createKeyring([NEW]);

  it('decrypts with every key, and encrypts with the first', () => {
    const old = before.seal('secret', OWNER);
    expect(during.open(old, OWNER)).toBe('secret');
    expect(during.needsReseal(old)).toBe(true);
    const resealed = during.seal(during.open(old, OWNER), OWNER);
    expect(during.needsReseal(resealed)).toBe(false);
    expect(after.open(resealed, OWNER)).toBe('secret');
  });

  it('reports a removed key as unknown', () => {
    expect(reasonOf(before.seal('secret', OWNER), OWNER, after)).toBe('unknown-key');
  });

  it('refuses a value that is not an encrypted text', () => {
    expect(() => during.needsReseal('v1.new.short')).toThrow(
      expect.objectContaining({ kind: 'unseal-failed' }),
    );
  });
});

it('a keyring needs a key, and each key needs 32 bytes', () => {
  expect(() => createKeyring([])).toThrow(new RangeError('A keyring needs a key.'));
  expect(() => createKeyring([NEW, { id: 'short', key: randomBytes(16) }])).toThrow(
    new RangeError('A key has 32 bytes.'),
  );
});
