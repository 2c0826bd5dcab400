/** Encrypts (“seals”) secrets with AES-256-GCM, decrypts (“opens”) them, and re-encrypts them with a newer key. */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Failure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { tryParseJson } from '../domain/try-parse.ts';

export interface SealingKey {
  readonly id: string;
  /** 32 bytes */
  readonly key: Buffer;
}

export interface Keyring {
  /** @returns an envelope: `v1.<key id>.<nonce>.<ciphertext+tag>`, in base64url */
  seal(plain: string, owner: SealOwner): string;
  /** @throws unseal-failed for any text that isn't an envelope of this owner */
  open(text: string, owner: SealOwner): string;
  needsReseal(text: string): boolean;
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
    seal(plain, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, newestKey, nonce, { authTagLength: TAG_BYTES }).setAAD(
        boundData(newestId, owner),
      );
      const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return `v1.${newestId}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`;
    },
    open(text, owner) {
      const envelope = parseEnvelope(text, owner.kind);
      const key = byId.get(envelope.keyId);
      if (key === undefined)
        throw new Failure('unseal-failed', {
          reason: 'unknown-key',
          keyId: envelope.keyId,
          what: owner.kind,
        });
      return unseal(envelope, owner, key);
    },
    needsReseal: (text) => parseEnvelope(text).keyId !== newestId,
  };
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ENVELOPE = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

/** What a secret belongs to. An envelope copied to another owner or service address doesn't open. */
export interface SealOwner {
  readonly workspace: SlackId;
  readonly kind: string;
  readonly id: string;
  /** The service addresses that may get the secret, always in the same order. */
  readonly audience?: readonly string[];
}

type Envelope = ReturnType<typeof parseEnvelope>;

function parseEnvelope(text: string, what?: string) {
  const match = ENVELOPE.exec(text);
  if (match === null) throw new Failure('unseal-failed', { reason: 'malformed', what });
  const [, keyId, nonceText, sealedText] = match as unknown as [string, string, string, string];
  return { keyId, nonce: Buffer.from(nonceText, 'base64url'), sealed: Buffer.from(sealedText, 'base64url') };
}

function unseal({ keyId, nonce, sealed }: Envelope, owner: SealOwner, key: KeyObject): string {
  const end = sealed.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(boundData(keyId, owner))
      .setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]).toString('utf8');
  } catch {
    throw new Failure('unseal-failed', { reason: 'not-authentic', keyId, what: owner.kind });
  }
}

/** The owner as JSON, because plain concatenation would make ('a', 'bc') and ('ab', 'c') the same text. */
function boundData(keyId: string, { workspace, kind, id, audience = [] }: SealOwner): Buffer {
  return Buffer.from(JSON.stringify(['tally', 'v1', keyId, workspace, kind, id, ...audience]));
}

/**
 * Opens the envelope even if the newest key sealed it, to notice a copied envelope. @returns undefined if nothing
 * changes
 */
export function reseal(keyring: Keyring, owner: SealOwner, value: string): string | undefined {
  const { record, envelope } = envelopeIn(value, owner);
  const plain = keyring.open(envelope, owner);
  if (!keyring.needsReseal(envelope)) return undefined;
  const sealed = keyring.seal(plain, owner);
  return record === undefined ? sealed : JSON.stringify({ ...record, sealed });
}

function envelopeIn(value: string, owner: SealOwner) {
  const record = value.startsWith('{')
    ? (tryParseJson(value) as { sealed?: unknown } | undefined)
    : undefined;
  const envelope = record === undefined ? value : record.sealed;
  if (typeof envelope !== 'string')
    throw new Failure('unseal-failed', { reason: 'malformed', what: owner.kind });
  return { record, envelope };
}
