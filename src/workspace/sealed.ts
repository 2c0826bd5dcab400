import { SealBroken } from '../domain/failure.ts';
import type { Owner } from '../vault/seal.ts';

/**
 * Which fields of a workspace's record hold something sealed: alone, or as `sealed` of a JSON record. What is sealed
 * opens for its workspace, kind and id (the pattern's group) only, and only beside the same `addresses`, the parts of
 * the record that say where it may be sent. The reseal command and the doctor know by this what there is: a kind is a
 * line here and, for what people read, a noun of SealBroken.
 */
const KINDS = [
  { kind: 'billing-token', field: /^connection:(.+)$/s, addresses: ['baseUrl', 'authUrl'] },
  { kind: 'application-access', field: /^access:(.+)$/s, addresses: ['authUrl'] },
  { kind: 'slack-installation', field: /^(installation)$/, addresses: [] },
] as const;

export type Sealed = (typeof KINDS)[number]['kind'];

/** @param record the rest of what is stored with it, whose addresses bind the seal */
export function ownerOf(kind: Sealed, workspace: string, id: string, record: object = {}): Owner {
  const addresses = KINDS.find((one) => one.kind === kind)?.addresses ?? [];
  const named = new Map<string, unknown>(Object.entries(record));
  return { workspace, kind, id, audience: addresses.map((name) => String(named.get(name) ?? '')) };
}

/** Undefined for a field that holds nothing sealed. @throws SealBroken `malformed` */
export function ownerOfField(workspace: string, field: string, value: string): Owner | undefined {
  for (const { kind, field: pattern } of KINDS) {
    const id = pattern.exec(field)?.[1];
    if (id !== undefined)
      return ownerOf(kind, workspace, id, value.startsWith('{') ? parse(value, kind) : {});
  }
  return undefined;
}

function parse(json: string, kind: Sealed): object {
  try {
    return JSON.parse(json) as object;
  } catch {
    throw new SealBroken('malformed', undefined, kind);
  }
}
