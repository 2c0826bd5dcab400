import { describe, expect, it } from 'vitest';
import { SlackFailed } from '../../../src/domain/failure/index.ts';
import {
  canAdopt,
  canEditOwned,
  findOrphans,
  isFullMember,
  type OwnedItem,
} from '../../../src/slack/owned/owned-kind.ts';
import type { Role } from '../../../src/workspace/permissions.ts';
import { requestOf } from '../../support/records.ts';

const OWNED = { id: 'one', owner: 'U0OWNER' };
/** @param channel undefined for what tells people instead */
const itemFor = (channel: string | undefined, owned = OWNED) =>
  (channel === undefined ? { ...owned, people: ['U0OTHER'] } : { ...owned, channel }) as OwnedItem;

/** @param ownerIs what Slack says about the owner */
const request = (
  {
    id = 'U0OTHER',
    canManage = false,
    role = 'member',
  }: { id?: string; canManage?: boolean; role?: Role } = {},
  ownerIs: Role | Error = 'member',
  members: Readonly<Record<string, readonly string[]>> = { C1: ['U0OTHER'] },
) =>
  requestOf({
    user: { id, canManage, role },
    slack: {
      async roleOf(person) {
        if (ownerIs instanceof Error) throw ownerIs;
        return person === OWNED.owner ? ownerIs : 'member';
      },
      channels: {
        ...requestOf().slack.channels,
        has: async (channel, person) => members[channel]?.includes(person) ?? false,
      },
    },
  });

describe('what a person set up', () => {
  it('may be changed by them and by managers', () => {
    expect(canEditOwned(OWNED, request({ id: 'U0OWNER' }))).toBe(true);
    expect(canEditOwned(OWNED, request({ canManage: true }))).toBe(true);
    expect(canEditOwned(OWNED, request())).toBe(false);
  });

  it('is shown to full members', () => {
    const roles = ['admin', 'member', 'guest', 'external', 'nobody'] as const;
    expect(roles.filter((role) => isFullMember(request({ role })))).toEqual(['admin', 'member']);
  });

  it.each<[Role, boolean]>([
    ['nobody', true],
    ['external', true],
    ['guest', false],
    ['member', false],
    ['admin', false],
  ])('can be adopted if its owner is %s: %s', async (role, isOpen) => {
    expect(await canAdopt(itemFor('C1'), request({}, role))).toBe(isOpen);
    expect(await canAdopt(itemFor('C1'), request({ canManage: true, id: 'U0BOSS' }, role))).toBe(isOpen);
  });

  it('is adopted by managers, and by members of the channel that it tells', async () => {
    expect(await canAdopt(itemFor('C1'), request({}, 'nobody'))).toBe(true);
    expect(await canAdopt(itemFor('C2'), request({}, 'nobody'))).toBe(false);
    expect(await canAdopt(itemFor(undefined), request({}, 'nobody'))).toBe(false);
    expect(await canAdopt(itemFor(undefined), request({ canManage: true }, 'nobody'))).toBe(true);
    expect(await canAdopt(itemFor('C1'), request({ id: 'U0OWNER', canManage: true }, 'nobody'))).toBe(false);
  });

  it('stays with its owner if Slack does not say who they are', async () => {
    expect(await canAdopt(itemFor('C1'), request({}, new SlackFailed('users.info', 'ratelimited')))).toBe(
      false,
    );
    const broken = new TypeError('a bug');
    await expect(canAdopt(itemFor('C1'), request({}, broken))).rejects.toBe(broken);
  });

  it('is marked for the people who may adopt it', async () => {
    const items = [
      itemFor('C1'),
      itemFor('C1', { id: 'two', owner: 'U0MEMBER' }),
      itemFor('C2', { id: 'three', owner: 'U0OWNER' }),
    ];
    const isOrphan = await findOrphans(items, request({}, 'nobody'));
    expect(items.filter(isOrphan).map(({ id }) => id)).toEqual(['one']);
  });
});
