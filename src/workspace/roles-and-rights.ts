import { Failure, type FailureOf } from '../domain/failure/index.ts';
import type { Settings } from './settings.ts';

/**
 * What a user is in Slack. `admin`: an admin or owner of the workspace. `external`: from another organization.
 * `nobody`: a bot or a deactivated user.
 */
export type Role = 'admin' | 'member' | 'guest' | 'external' | 'nobody';

/**
 * What a user needs for a command or button. `workspaceUser`: anyone in the workspace, even guests; `ask`: who may ask
 * questions; `member`: full members; `manage`: Tally managers.
 */
export type Right = 'workspaceUser' | 'ask' | 'member' | 'manage';

export interface Permissions {
  readonly role: Role;
  readonly canAsk: boolean;
  readonly canManage: boolean;
}

export function permissionsOf(role: Role, settings: Settings, named: boolean): Permissions {
  const full = role === 'admin' || role === 'member';
  return {
    role,
    canAsk: full || (role === 'guest' && settings.guests) || (role === 'external' && settings.externals),
    canManage: role === 'admin' || (role === 'member' && named),
  };
}

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

export function requireRight(right: Right, permissions: Permissions): void {
  const reason = refusalOf(right, permissions);
  if (reason !== undefined) throw new Failure('not-allowed', { reason });
}

export const meetsRight = (right: Right, permissions: Permissions): boolean =>
  refusalOf(right, permissions) === undefined;
