import { describe, expect, it } from 'vitest';
import { permissionsOf, type Role, requireRight } from '../../src/workspace/permissions.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';

const settings = (guests: boolean, strangers: boolean) => ({ ...DEFAULT_SETTINGS, guests, strangers });

describe('rights', () => {
  it.each<[Role, { guests: boolean; strangers: boolean; named: boolean }, string]>([
    ['admin', { guests: false, strangers: false, named: false }, 'ask, manage'],
    ['member', { guests: false, strangers: false, named: false }, 'ask'],
    ['member', { guests: false, strangers: false, named: true }, 'ask, manage'],
    ['guest', { guests: false, strangers: true, named: true }, ''],
    ['guest', { guests: true, strangers: false, named: true }, 'ask'],
    ['stranger', { guests: true, strangers: false, named: true }, ''],
    ['stranger', { guests: false, strangers: true, named: true }, 'ask'],
    ['nobody', { guests: true, strangers: true, named: true }, ''],
  ])('of a %s with %o: %s', (standing, { guests, strangers, named }, expected) => {
    const { canAsk, canManage } = permissionsOf(standing, settings(guests, strangers), named);
    expect([...(canAsk ? ['ask'] : []), ...(canManage ? ['manage'] : [])].join(', ')).toBe(expected);
  });

  it.each<[Role, 'belong' | 'ask' | 'manage', string]>([
    ['guest', 'ask', 'guest'],
    ['guest', 'manage', 'guest'],
    ['stranger', 'ask', 'stranger'],
    ['nobody', 'manage', 'stranger'],
    ['nobody', 'belong', 'stranger'],
    ['member', 'manage', 'not-manager'],
  ])('that a %s lacks to %s are refused with the reason: %s', (standing, right, reason) => {
    const rights = permissionsOf(standing, DEFAULT_SETTINGS, false);
    expect(() => requireRight(right, rights)).toThrow(
      expect.objectContaining({ kind: 'not-allowed', reason }),
    );
  });

  it('to do what needs belonging alone are a guest’s whatever the settings, and never a stranger’s', () => {
    expect(() => requireRight('belong', permissionsOf('guest', settings(false, false), false))).not.toThrow();
    expect(() => requireRight('belong', permissionsOf('stranger', settings(true, true), true))).toThrow(
      expect.objectContaining({ kind: 'not-allowed', reason: 'stranger' }),
    );
  });

  it('that are there are not refused', () => {
    expect(() => requireRight('ask', permissionsOf('member', DEFAULT_SETTINGS, false))).not.toThrow();
    expect(() => requireRight('manage', permissionsOf('admin', DEFAULT_SETTINGS, false))).not.toThrow();
  });
});
