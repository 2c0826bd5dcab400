import { UnsealFailed } from '../domain/failure/index.ts';
import type { SealOwner } from '../vault/seal.ts';

/**
 * Which fields of a workspace's record hold something sealed: alone, or as `sealed` of a JSON record. What is sealed
 * opens for its workspace, kind and id (the pattern's group) only, and only beside the same `addresses`, the parts of
 * the record that say where it may be sent. The reseal command and the doctor know by this what there is: a kind is a
 * line here and, for what people read, a noun of UnsealFailed.
 */
const KINDS = [
  { kind: 'billing-token', field: /^connection:(.+)$/s, addresses: ['baseUrl', 'authUrl'] },
  { kind: 'application-access', field: /^access:(.+)$/s, addresses: ['authUrl'] },
  { kind: 'slack-installation', field: /^(installation)$/, addresses: [] },
] as const;

export type SealedKind = (typeof KINDS)[number]['kind'];

/** @param record the rest of what is stored with it, whose addresses bind the seal */
export function sealOwnerOf(kind: SealedKind, workspace: string, id: string, record: object = {}): SealOwner {
  const addresses = KINDS.find((one) => one.kind === kind)?.addresses ?? [];
  const named = new Map<string, unknown>(Object.entries(record));
  return { workspace, kind, id, audience: addresses.map((name) => String(named.get(name) ?? '')) };
}

/** Undefined for a field that holds nothing sealed. @throws UnsealFailed `malformed` */
export function sealOwnerOfField(workspace: string, field: string, value: string): SealOwner | undefined {
  for (const { kind, field: pattern } of KINDS) {
    const id = pattern.exec(field)?.[1];
    if (id !== undefined)
      return sealOwnerOf(kind, workspace, id, value.startsWith('{') ? parse(value, kind) : {});
  }
  return undefined;
}

function parse(json: string, kind: SealedKind): object {
  try {
    return JSON.parse(json) as object;
  } catch {
    throw new UnsealFailed('malformed', undefined, kind);
  }
}
