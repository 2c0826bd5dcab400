import { UnsealFailed } from '../domain/failure/index.ts';
import type { Keyring } from './keyring.ts';
import type { SealOwner } from './seal.ts';

/** An envelope anywhere in a text, such as in a record that this version does not know. */
const ENVELOPE = /(?<![\w.-])v1\.[\w-]{1,32}\.[\w-]{16}\.[\w-]{22,}(?![\w.-])/g;

/**
 * A stored value under the newest key: an envelope, or JSON with one as `sealed`. Undefined when it is under that key
 * already; it is opened all the same, so that one which does not belong here is found.
 *
 * @throws UnsealFailed
 */
export function reseal(keyring: Keyring, owner: SealOwner, value: string): string | undefined {
  const record = value.startsWith('{') ? parse(value) : undefined;
  const envelope = record === undefined ? value : record.sealed;
  if (typeof envelope !== 'string') throw new UnsealFailed('malformed', undefined, owner.kind);
  const plain = keyring.open(envelope, owner);
  if (!keyring.needsReseal(envelope)) return undefined;
  const sealed = keyring.seal(plain, owner);
  return record === undefined ? sealed : JSON.stringify({ ...record, sealed });
}

/** Whether something that an older key sealed stands in a value, whosever it is. */
export function holdsOlderEnvelope({ needsReseal }: Keyring, value: string): boolean {
  return [...value.matchAll(ENVELOPE)].some(([envelope]) => needsReseal(envelope));
}

function parse(json: string): { readonly sealed?: unknown } {
  try {
    return JSON.parse(json) as { readonly sealed?: unknown };
  } catch {
    throw new UnsealFailed('malformed');
  }
}
