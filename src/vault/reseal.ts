import { UnsealFailed } from '../domain/failure/index.ts';
import { tryParseJson } from '../domain/try-read.ts';
import type { Keyring, SealOwner } from './keyring.ts';

/** An envelope anywhere in a text, such as a record of a kind that this version does not know. */
const ENVELOPE = /(?<![\w.-])v1\.[\w-]{1,32}\.[\w-]{16}\.[\w-]{22,}(?![\w.-])/g;

/**
 * Seals a stored value with the newest key: an envelope, or JSON with one as `sealed`. It is opened in any case, so that
 * an envelope that belongs elsewhere is found.
 *
 * @returns undefined when the newest key sealed it already
 *
 * @throws UnsealFailed
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
  if (typeof envelope !== 'string') throw new UnsealFailed('malformed', undefined, owner.kind);
  return { record, envelope };
}

/** Which key a stored value needs, and which one opens it. @throws UnsealFailed `malformed` */
export const findKey = (keyring: Keyring, owner: SealOwner, value: string) =>
  keyring.identifyKey(envelopeIn(value, owner).envelope, owner);

/** Whether a value contains an envelope that an older key sealed. */
export function holdsOlderEnvelope({ needsReseal }: Keyring, value: string): boolean {
  return [...value.matchAll(ENVELOPE)].some(([envelope]) => needsReseal(envelope));
}
