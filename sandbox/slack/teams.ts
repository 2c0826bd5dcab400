/** The sandbox's workspaces. Orbit exists only with OAuth. */
import type { Person } from '../protocol.ts';
import { CHANNELS, type Conversation, PEOPLE, TEAM, USER_GROUPS, type UserGroup } from './people.ts';

export interface Team {
  id: string;
  name: string;
  domain: string;
}

/** A workspace's initial data. */
export interface WorkspaceSeed {
  team: Team;
  people: readonly Person[];
  channels: readonly Conversation[];
  userGroups: readonly UserGroup[];
}

export const SANDBOX: WorkspaceSeed = {
  team: { id: TEAM, name: 'Sandbox', domain: 'sandbox' },
  people: PEOPLE,
  channels: CHANNELS,
  userGroups: USER_GROUPS,
};

const ORBIT_TEAM = 'T0SANDBOX2';
export const ORBIT_OWNER = 'U0ORBIT001';
export const ORBIT_MEMBER = 'U0ORBIT002';

export const ORBIT: WorkspaceSeed = {
  team: { id: ORBIT_TEAM, name: 'Orbit', domain: 'orbit' },
  people: [
    {
      id: ORBIT_OWNER,
      name: 'noor',
      realName: 'Noor Haddad',
      role: 'owner',
      team: ORBIT_TEAM,
      tz: 'Asia/Dubai',
      locale: 'en-US',
      color: '#a0455f',
    },
    {
      id: ORBIT_MEMBER,
      name: 'kenji',
      realName: 'Kenji Arai',
      role: 'member',
      team: ORBIT_TEAM,
      tz: 'Asia/Tokyo',
      locale: 'ja-JP',
      color: '#4d6fb3',
    },
  ],
  channels: [
    {
      id: 'C0ORBITGEN',
      name: 'general',
      kind: 'public',
      topic: 'Everyone at Orbit',
      members: [ORBIT_OWNER, ORBIT_MEMBER, 'bot'],
    },
    {
      id: 'C0ORBITOPS',
      name: 'operations',
      kind: 'public',
      topic: 'What we run and what it costs',
      members: [ORBIT_OWNER, ORBIT_MEMBER, 'bot'],
    },
  ],
  userGroups: [],
};
