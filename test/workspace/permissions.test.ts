import { describe, expect, it } from 'vitest';
import {
  meetsRight,
  permissionsOf,
  type Right,
  type Role,
  requireRight,
} from '../../src/workspace/roles-and-rights.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';
import { aFailure } from '../support/failures.ts';

const settings = (guests: boolean, externals: boolean) => ({ ...DEFAULT_SETTINGS, guests, externals });

describe('the rights', () => {
  it.each<[Role, { guests: boolean; externals: boolean; named: boolean }, string]>([
    ['admin', { guests: false, externals: false, named: false }, 'ask, manage'],
    ['member', { guests: false, externals: false, named: false }, 'ask'],
    ['member', { guests: false, externals: false, named: true }, 'ask, manage'],
    ['guest', { guests: false, externals: true, named: true }, ''],
    ['guest', { guests: true, externals: false, named: true }, 'ask'],
    ['external', { guests: true, externals: false, named: true }, ''],
    ['external', { guests: false, externals: true, named: true }, 'ask'],
    ['nobody', { guests: true, externals: true, named: true }, ''],
  ])('of the role “%s” with the settings %o are “%s”', (role, { guests, externals, named }, expected) => {
    const { canAsk, canManage } = permissionsOf(role, settings(guests, externals), named);
    expect([...(canAsk ? ['ask'] : []), ...(canManage ? ['manage'] : [])].join(', ')).toBe(expected);
  });

  it.each<[Role, 'workspaceUser' | 'ask' | 'manage', string]>([
    ['guest', 'ask', 'guest'],
    ['guest', 'manage', 'guest'],
    ['external', 'ask', 'external'],
    ['nobody', 'manage', 'external'],
    ['nobody', 'workspaceUser', 'external'],
    ['member', 'manage', 'not-manager'],
  ])('that the role “%s” lacks (“%s”) lead to a refusal with the reason “%s”', (role, right, reason) => {
    const rights = permissionsOf(role, DEFAULT_SETTINGS, false);
    expect(() => requireRight(right, rights)).toThrow(
      expect.objectContaining({ kind: 'not-allowed', data: expect.objectContaining({ reason }) }),
    );
  });

  it('of a higher role include the rights of each lower role', () => {
    const RIGHTS: readonly Right[] = ['workspaceUser', 'ask', 'member', 'manage'];
    const all = { ...DEFAULT_SETTINGS, guests: true, externals: true };
    const rightsOf = (role: Role) =>
      RIGHTS.filter((right) => meetsRight(right, permissionsOf(role, all, true))).join(', ');
    expect(rightsOf('admin')).toBe('workspaceUser, ask, member, manage');
    expect(rightsOf('member')).toBe('workspaceUser, ask, member, manage');
    expect(rightsOf('guest')).toBe('workspaceUser, ask');
    expect(rightsOf('external')).toBe('ask');
    expect(rightsOf('nobody')).toBe('');
    expect(() => requireRight('member', permissionsOf('external', all, true))).toThrow(
      aFailure('not-allowed', 'not-member'),
    );
    expect(meetsRight('manage', permissionsOf('member', all, false))).toBe(false);
  });
});
