import { NotAllowed } from '../domain/failure/index.ts';
import type { Settings } from './settings.ts';

/**
 * What Slack says of a person: an owner or admin, a full member, a guest, a member of another organisation; nobody is
 * who has left, or a program.
 */
export type Role = 'admin' | 'member' | 'guest' | 'stranger' | 'nobody';

/**
 * What a handler demands of who asks: that they belong to the workspace, guests included whatever the settings say;
 * that they may ask, that they are full members, that they manage.
 */
export type Right = 'belong' | 'ask' | 'member' | 'manage';

export interface Permissions {
  readonly role: Role;
  readonly canAsk: boolean;
  readonly canManage: boolean;
}

/** @param named whether the workspace named this person, or a user group the person is in, to manage */
export function permissionsOf(role: Role, settings: Settings, named: boolean): Permissions {
  const full = role === 'admin' || role === 'member';
  return {
    role,
    canAsk: full || (role === 'guest' && settings.guests) || (role === 'stranger' && settings.strangers),
    canManage: role === 'admin' || (role === 'member' && named),
  };
}

/** @throws NotAllowed unless the right is there */
export function requireRight(right: Right, { role, canAsk, canManage }: Permissions): void {
  const isFull = role === 'admin' || role === 'member';
  if (right === 'belong' ? !isFull && role !== 'guest' : !canAsk)
    throw new NotAllowed(role === 'guest' ? 'guest' : 'stranger');
  if (right === 'member' && !isFull) throw new NotAllowed('not-member');
  if (right === 'manage' && !canManage) throw new NotAllowed('not-manager');
}

/** Whether a person has the right. */
export function meetsRight(right: Right, permissions: Permissions): boolean {
  try {
    requireRight(right, permissions);
    return true;
  } catch (error) {
    if (error instanceof NotAllowed) return false;
    throw error;
  }
}
