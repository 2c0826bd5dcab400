import type { Owner } from '../vault/seal.ts';
import { ownerOf as accessOwner } from './accesses.ts';
import { ownerOf as connectionOwner } from './connections.ts';
import { ownerOf as installationOwner } from './installed.ts';

/** Which fields of a workspace's record hold something sealed, and whose it is. */
const KINDS: readonly (readonly [RegExp, (workspace: string, name: string) => Owner])[] = [
  [/^connection:(.+)$/s, connectionOwner],
  [/^access:(.+)$/s, accessOwner],
  [/^installation$/, installationOwner],
];

/** Undefined for a field that holds nothing sealed. */
export function ownerOfField(workspace: string, field: string): Owner | undefined {
  for (const [pattern, ownerOf] of KINDS) {
    const [match, name = ''] = pattern.exec(field) ?? [];
    if (match !== undefined) return ownerOf(workspace, name);
  }
  return undefined;
}
