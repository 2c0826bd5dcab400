import { createSecretKey, type KeyObject } from 'node:crypto';
import { UnsealFailed } from '../domain/failure/index.ts';
import { parseEnvelope, type SealOwner, seal, unseal } from './seal.ts';

export interface SealingKey {
  readonly id: string;
  /** 32 bytes */
  readonly key: Buffer;
}

export interface Keyring {
  seal(plain: string, owner: SealOwner): string;
  /** @throws UnsealFailed, and nothing else, for any text */
  open(envelope: string, owner: SealOwner): string;
  /** Whether another key than the newest sealed it. @throws UnsealFailed `malformed` */
  needsReseal(envelope: string): boolean;
}

const KEY_BYTES = 32;

/** @param keys newest first: the first one seals, all of them open */
export function createKeyring(keys: readonly SealingKey[]): Keyring {
  if (keys.some(({ key }) => key.length !== KEY_BYTES)) throw new RangeError('A key has 32 bytes.');
  const byId = new Map(keys.map(({ id, key }) => [id, createSecretKey(key)] as const));
  const [newest] = byId;
  if (newest === undefined) throw new RangeError('A keyring needs a key.');
  const [newestId, newestKey] = newest;
  return {
    seal: (plain, owner) => seal(plain, owner, newestId, newestKey),
    open(text, owner) {
      const envelope = parseEnvelope(text, owner.kind);
      return unseal(envelope, owner, keyOf(byId, envelope.keyId, owner.kind));
    },
    needsReseal: (text) => parseEnvelope(text).keyId !== newestId,
  };
}

function keyOf(byId: ReadonlyMap<string, KeyObject>, id: string, what: string): KeyObject {
  const key = byId.get(id);
  if (key === undefined) throw new UnsealFailed('unknown-key', id, what);
  return key;
}
