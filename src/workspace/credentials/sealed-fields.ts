import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import type { SealOwner } from '../../vault/keyring.ts';

/**
 * Which fields hold something sealed: alone, or as `sealed` of a JSON record. A seal opens only for its workspace, kind
 * and ID (the pattern's group), and only beside the same `addresses`, the parts of the record that say where the secret
 * may be sent. The reseal command and the doctor find sealed values by this table. A new kind is a line here and, for
 * messages, a noun of unseal-failed.
 */
const SEALED_KINDS = [
  { kind: 'billing-token', field: /^connection:(.+)$/s, addresses: ['baseUrl', 'authUrl'] },
  { kind: 'application-access', field: /^access:(.+)$/s, addresses: ['authUrl'] },
  { kind: 'slack-installation', field: /^(installation)$/, addresses: [] },
] as const;

export type SealedKind = (typeof SEALED_KINDS)[number]['kind'];

/** @param record the rest of what is stored with it, whose addresses bind the seal */
export function sealOwnerOf(
  kind: SealedKind,
  workspace: SlackId,
  id: string,
  record: object = {},
): SealOwner {
  const addresses = SEALED_KINDS.find((sealed) => sealed.kind === kind)?.addresses ?? [];
  const values = new Map<string, unknown>(Object.entries(record));
  return { workspace, kind, id, audience: addresses.map((name) => String(values.get(name) ?? '')) };
}

/** Undefined for a field that holds nothing sealed. @throws unseal-failed `malformed` */
export function sealOwnerOfField(workspace: SlackId, field: string, value: string): SealOwner | undefined {
  for (const { kind, field: pattern } of SEALED_KINDS) {
    const id = pattern.exec(field)?.[1];
    if (id === undefined) continue;
    const record = value.startsWith('{') ? tryParseJson(value) : {};
    if (record === undefined) throw new Failure('unseal-failed', { reason: 'malformed', what: kind });
    return sealOwnerOf(kind, workspace, id, record as object);
  }
  return undefined;
}
