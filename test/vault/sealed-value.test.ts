import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyring, reseal, type SealingKey } from '../../src/vault/keyring.ts';

const sealingKey = (id: string): SealingKey => ({ id, key: randomBytes(32) });
const [OLD, NEW, LOST] = [sealingKey('old'), sealingKey('new'), sealingKey('lost')];

describe('a stored value', () => {
  const owner = { workspace: 'T1', kind: 'billing-token', id: 'main' };
  const both = createKeyring([NEW, OLD]);

  it('is encrypted again, whether alone or in a JSON field, and other fields do not change', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (secret, rest) => {
        const envelope = createKeyring([OLD]).seal(secret, owner);
        const bare = reseal(both, owner, envelope)!;
        const json = JSON.stringify({ ...rest, sealed: envelope, after: 1 });
        const record = JSON.parse(reseal(both, owner, json)!);
        expect(createKeyring([NEW]).open(bare, owner)).toBe(secret);
        expect(createKeyring([NEW]).open(record.sealed, owner)).toBe(secret);
        expect({ ...record, sealed: '' }).toEqual({ ...JSON.parse(json), sealed: '' });
      }),
    );
  });

  it('stays as it is if the newest key encrypted it', () => {
    expect(reseal(both, owner, both.seal('secret', owner))).toBeUndefined();
  });

  it.each(['{}', '', '{', '{"sealed":7}', 'null', '[]', 'v1.new.x.y', '{"sealed":"xoxb-1"}'])(
    'that contains no encrypted text is refused as malformed: “%s”',
    (value) => {
      expect(() => reseal(both, owner, value)).toThrow(
        expect.objectContaining({ data: expect.objectContaining({ reason: 'malformed' }) }),
      );
    },
  );

  it('with an encrypted text inside a list is refused as malformed', () => {
    const sealed = [createKeyring([OLD]).seal('secret', owner)];
    expect(() => reseal(both, owner, JSON.stringify({ sealed }))).toThrow(
      expect.objectContaining({
        data: expect.objectContaining({ reason: 'malformed', what: 'billing-token' }),
      }),
    );
  });

  it('of another owner is refused, even if the newest key encrypted it', () => {
    for (const key of [OLD, NEW]) {
      const moved = createKeyring([key]).seal('secret', { ...owner, workspace: 'T2' });
      expect(() => reseal(both, owner, moved)).toThrow(
        expect.objectContaining({ data: expect.objectContaining({ reason: 'not-authentic' }) }),
      );
    }
  });

  it('whose key is missing is refused with an error that names the key', () => {
    const envelope = createKeyring([LOST]).seal('secret', owner);
    expect(() => reseal(both, owner, envelope)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ reason: 'unknown-key', keyId: 'lost' }) }),
    );
  });
});
