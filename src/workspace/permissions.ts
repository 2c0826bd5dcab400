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
  readonly standing: Role;
  readonly ask: boolean;
  readonly manage: boolean;
}

/** @param named whether the workspace named this person, or a user group the person is in, to manage */
export function permissionsOf(standing: Role, settings: Settings, named: boolean): Permissions {
  const full = standing === 'admin' || standing === 'member';
  return {
    standing,
    ask: full || (standing === 'guest' && settings.guests) || (standing === 'stranger' && settings.strangers),
    manage: standing === 'admin' || (standing === 'member' && named),
  };
}

/** @throws NotAllowed unless the right is there */
export function requireRight(right: Right, { standing, ask, manage }: Permissions): void {
  const isFull = standing === 'admin' || standing === 'member';
  if (right === 'belong' ? !isFull && standing !== 'guest' : !ask)
    throw new NotAllowed(standing === 'guest' ? 'guest' : 'stranger');
  if (right === 'member' && !isFull) throw new NotAllowed('not-member');
  if (right === 'manage' && !manage) throw new NotAllowed('not-manager');
}
