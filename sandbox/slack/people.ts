/** Who is there, and where they talk. */
import type { Channel, Person } from '../protocol.ts';

export interface Place extends Channel {
  /** Ids of people; `bot` when the bot is a member. */
  members: string[];
  archived?: boolean;
}

export const TEAM = 'T0SANDBOX1';
export const APP = 'A0TALLYAPP';
export const BOT = 'B0TALLYBOT';
export const BOT_USER = 'U0TALLYBOT';

export const OWNER = 'U0OWNER001';
export const MEMBER = 'U0MEMBER01';
export const GUEST = 'U0GUEST001';

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
    color: '#c2571a',
  },
];

/** The bot is not in #finance, so that there is somewhere to try `/invite`. */
export const CHANNELS: readonly Place[] = [
  {
    id: 'C0GENERAL1',
    name: 'general',
    kind: 'public',
    topic: 'Everybody, guests too',
    members: [OWNER, MEMBER, GUEST, 'bot'],
  },
  {
    id: 'C0COSTS001',
    name: 'cloud-costs',
    kind: 'public',
    topic: 'What the projects cost',
    members: [OWNER, MEMBER, 'bot'],
  },
  {
    id: 'C0FINANCE1',
    name: 'finance',
    kind: 'private',
    topic: 'Private; Tally has to be invited',
    members: [OWNER, MEMBER],
  },
];

/** The conversation of one person with the bot. */
export function directMessage(person: Person, botName: string): Place {
  return {
    id: person.id.replace(/^U/, 'D'),
    name: botName,
    kind: 'im',
    topic: '',
    members: [person.id, 'bot'],
  };
}
