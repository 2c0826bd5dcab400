/** The people, user groups and conversations of the first workspace. */
import type { Channel, Person } from '../protocol.ts';

export interface Conversation extends Channel {
  /** IDs of people; `bot` when the bot is a member. */
  members: string[];
  archived?: boolean;
  /** Shared with another organization by Slack Connect. */
  shared?: boolean;
}

export interface UserGroup {
  id: string;
  handle: string;
  name: string;
  /** IDs of people. */
  members: string[];
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
/** The external user's workspace. */
export const OTHER_TEAM = 'T0ACMECORP';
export const FINOPS = 'S0FINOPS01';

export const PEOPLE: readonly Person[] = [
  {
    id: OWNER,
    name: 'olivia',
    realName: 'Olivia Okafor',
    role: 'owner',
    tz: 'Europe/London',
    locale: 'en-GB',
    color: '#8a4fff',
  },
  {
    id: MEMBER,
    name: 'mateus',
    realName: 'Mateus Lindner',
    role: 'member',
    tz: 'Europe/Berlin',
    locale: 'de-DE',
    color: '#0b7fab',
  },
  {
    id: GUEST,
    name: 'priya',
    realName: 'Priya Raman',
    role: 'guest',
    tz: 'Asia/Kolkata',
    locale: 'en-IN',
    color: '#b54f15',
  },
  {
    id: ADMIN,
    name: 'amara',
    realName: 'Amara Nwosu',
    role: 'admin',
    tz: 'America/New_York',
    locale: 'en-US',
    color: '#2f7d4f',
  },
  {
    id: EXTERNAL,
    name: 'sven',
    realName: 'Sven Ekholm',
    role: 'external',
    tz: 'Europe/Stockholm',
    locale: 'sv-SE',
    color: '#6b6f76',
  },
];

/** The members of `@finops`. */
export const USER_GROUPS: readonly UserGroup[] = [
  { id: FINOPS, handle: 'finops', name: 'FinOps', members: [MEMBER] },
];

/** The workspace or organization that a person belongs to. */
export const teamOf = ({ role, team }: Person): string => team ?? (role === 'external' ? OTHER_TEAM : TEAM);

/** The bot is not in #finance, so that people can try `/invite` there. */
export const CHANNELS: readonly Conversation[] = [
  {
    id: 'C0GENERAL1',
    name: 'general',
    kind: 'public',
    topic: 'Everyone, including guests',
    members: [OWNER, ADMIN, MEMBER, GUEST, 'bot'],
  },
  {
    id: 'C0COSTS001',
    name: 'cloud-costs',
    kind: 'public',
    topic: 'What our projects cost',
    members: [OWNER, ADMIN, MEMBER, 'bot'],
  },
  {
    id: 'C0FINANCE1',
    name: 'finance',
    kind: 'private',
    topic: 'Private. Invite Tally first.',
    members: [OWNER, MEMBER],
  },
  {
    id: 'C0SHARED01',
    name: 'with-acme',
    kind: 'public',
    topic: 'Shared with another organization',
    members: [OWNER, MEMBER, EXTERNAL, 'bot'],
    shared: true,
  },
];

/** The direct messages between a person and the bot. */
export function directMessage(person: Person, botName: string): Conversation {
  return {
    id: person.id.replace(/^U/, 'D'),
    name: botName,
    kind: 'im',
    topic: '',
    members: [person.id, 'bot'],
  };
}
