/** The sandbox's workspaces, their people, user groups and conversations. The workspace Orbit exists only with OAuth. */
import type { Channel, Person, Role } from '../protocol.ts';

export interface Conversation extends Channel {
  /** People's IDs; `bot` if the bot is a member. */
  members: string[];
  archived?: boolean;
  shared?: boolean;
}

interface UserGroup {
  id: string;
  handle: string;
  name: string;
  members: string[];
}

export interface Team {
  id: string;
  name: string;
  domain: string;
  /** The ID of the workspace's organization. */
  enterprise?: string;
  /** The app is installed for the whole organization. */
  whole?: boolean;
  /** The lifetime of bot tokens in seconds; turns token rotation on. */
  expires?: number;
}

export interface WorkspaceSeed {
  team: Team;
  people: readonly Person[];
  channels: readonly Conversation[];
  userGroups: readonly UserGroup[];
}

export const TEAM = 'T0SANDBOX1';
export const APP = 'A0TALLYAPP';
export const BOT_ID = 'B0TALLYBOT';
export const BOT_USER = 'U0TALLYBOT';

export const OWNER = 'U0OWNER001';
export const MEMBER = 'U0MEMBER01';
export const GUEST = 'U0GUEST001';
export const ADMIN = 'U0ADMIN001';
export const EXTERNAL = 'U0STRANGER';
export const OTHER_TEAM = 'T0ACMECORP';
export const FINOPS = 'S0FINOPS01';
const ORBIT_TEAM = 'T0SANDBOX2';
export const ORBIT_OWNER = 'U0ORBIT001';
const ORBIT_MEMBER = 'U0ORBIT002';

const person = (
  id: string,
  realName: string,
  role: Role,
  [tz, locale, color]: [string, string, string],
  team?: string,
): Person => {
  const name = realName.split(' ')[0]?.toLowerCase() ?? '';
  return { id, name, realName, role, tz, locale, color, ...(team !== undefined && { team }) };
};

const channel = (
  id: string,
  name: string,
  topic: string,
  members: string[],
  rest: Partial<Conversation> = {},
): Conversation => ({ id, name, kind: 'public', topic, members, ...rest });

/** The bot isn't in #finance: people can try `/invite` there. */
export const SANDBOX: WorkspaceSeed = {
  team: { id: TEAM, name: 'Sandbox', domain: 'sandbox' },
  people: [
    person(OWNER, 'Olivia Okafor', 'owner', ['Europe/London', 'en-GB', '#8a4fff']),
    person(MEMBER, 'Mateus Lindner', 'member', ['Europe/Berlin', 'de-DE', '#0b7fab']),
    person(GUEST, 'Priya Raman', 'guest', ['Asia/Kolkata', 'en-IN', '#b54f15']),
    person(ADMIN, 'Amara Nwosu', 'admin', ['America/New_York', 'en-US', '#2f7d4f']),
    person(EXTERNAL, 'Sven Ekholm', 'external', ['Europe/Stockholm', 'sv-SE', '#6b6f76'], OTHER_TEAM),
  ],
  channels: [
    channel('C0GENERAL1', 'general', 'Everyone, including guests', [OWNER, ADMIN, MEMBER, GUEST, 'bot']),
    channel('C0COSTS001', 'cloud-costs', 'What our projects cost', [OWNER, ADMIN, MEMBER, 'bot']),
    channel('C0FINANCE1', 'finance', 'Private. Invite Tally first.', [OWNER, MEMBER], { kind: 'private' }),
    channel('C0SHARED01', 'with-acme', 'Shared with another organization', [OWNER, MEMBER, EXTERNAL, 'bot'], {
      shared: true,
    }),
  ],
  userGroups: [{ id: FINOPS, handle: 'finops', name: 'FinOps', members: [MEMBER] }],
};

const INHABITANTS = [ORBIT_OWNER, ORBIT_MEMBER, 'bot'];

export const ORBIT: WorkspaceSeed = {
  team: { id: ORBIT_TEAM, name: 'Orbit', domain: 'orbit' },
  people: [
    person(ORBIT_OWNER, 'Noor Haddad', 'owner', ['Asia/Dubai', 'en-US', '#a0455f'], ORBIT_TEAM),
    person(ORBIT_MEMBER, 'Kenji Arai', 'member', ['Asia/Tokyo', 'ja-JP', '#4d6fb3'], ORBIT_TEAM),
  ],
  channels: [
    channel('C0ORBITGEN', 'general', 'Everyone at Orbit', INHABITANTS),
    channel('C0ORBITOPS', 'operations', 'What we run and what it costs', INHABITANTS),
  ],
  userGroups: [],
};

export const teamOf = ({ team }: Person): string => team ?? TEAM;
