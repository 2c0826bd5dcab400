import { Failure, type FailureOf } from '../domain/failure/index.ts';
import type { Settings } from './settings.ts';

/**
 * What Slack says a person is: an owner or admin, a full member, a guest, a member of another organization, or nobody:
 * a bot, or somebody who left.
 */
export type Role = 'admin' | 'member' | 'guest' | 'external' | 'nobody';

/**
 * What a handler requires: `workspaceUser` for everybody of the workspace, guests included whatever the settings say; `ask` for
 * people who may ask questions; `member` for full members; `manage` for Tally managers.
 */
export type Right = 'workspaceUser' | 'ask' | 'member' | 'manage';

export interface Permissions {
  readonly role: Role;
  readonly canAsk: boolean;
  readonly canManage: boolean;
}

/** @param named whether the settings list this person, or a user group of theirs, as a manager */
export function permissionsOf(role: Role, settings: Settings, named: boolean): Permissions {
  const full = role === 'admin' || role === 'member';
  return {
    role,
    canAsk: full || (role === 'guest' && settings.guests) || (role === 'external' && settings.externals),
    canManage: role === 'admin' || (role === 'member' && named),
  };
}

/** Why a person lacks the right; undefined if they have it. */
function refusalOf(
  right: Right,
  { role, canAsk, canManage }: Permissions,
): FailureOf<'not-allowed'>['data']['reason'] | undefined {
  const isFull = role === 'admin' || role === 'member';
  if (right === 'workspaceUser' ? !isFull && role !== 'guest' : !canAsk)
    return role === 'guest' ? 'guest' : 'external';
  if (right === 'member' && !isFull) return 'not-member';
  return right === 'manage' && !canManage ? 'not-manager' : undefined;
}

/** @throws not-allowed without the right */
export function requireRight(right: Right, permissions: Permissions): void {
  const reason = refusalOf(right, permissions);
  if (reason !== undefined) throw new Failure('not-allowed', { reason });
}

export const meetsRight = (right: Right, permissions: Permissions): boolean =>
  refusalOf(right, permissions) === undefined;
