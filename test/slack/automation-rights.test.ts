import { expect, it } from 'vitest';
import { canEditAutomation, isFullMember } from '../../src/slack/automations/automation.ts';
import { requestOf } from '../support/records.ts';

const as = (user: {
  id?: string;
  canManage?: boolean;
  role?: 'admin' | 'member' | 'guest' | 'external' | 'nobody';
}) => requestOf({ user: { id: 'U0OTHER', canManage: false, role: 'member', ...user } });

it('a schedule or watch can be changed only by its owner and by managers', () => {
  const item = { id: 'one', owner: 'U0OWNER' };
  expect(
    [{ id: 'U0OWNER' }, { canManage: true }, {}].map((user) => canEditAutomation(item, as(user))),
  ).toEqual([...[true, true, false]]);
});

it('a schedule or watch is shown to full members, but not to guests', () => {
  const roles = ['admin', 'member', 'guest', 'external', 'nobody'] as const;
  expect(roles.filter((role) => isFullMember(as({ role })))).toEqual(['admin', 'member']);
});
