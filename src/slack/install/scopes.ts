import { commandText } from '../../domain/commands.ts';

interface Scope {
  readonly scope: string;
  /** Shown on the install page. */
  readonly why: string;
  /** Slack lets the person who installs Tally decline it. */
  readonly optional?: boolean;
}

/** The scopes that Tally asks for. manifest.yml lists the same: Slack grants no others. */
export const SCOPES: readonly Scope[] = [
  {
    scope: 'commands',
    why: `to be called by ${commandText('/balance')}, ${commandText('/spend')} and /billing`,
  },
  { scope: 'chat:write', why: 'to answer' },
  { scope: 'im:write', why: 'to tell one person how their form ended' },
  { scope: 'users:read', why: 'to know who is an owner, an admin or a guest, and how to write numbers' },
  { scope: 'app_mentions:read', why: 'to be asked by mention, in threads as well' },
  { scope: 'im:history', why: 'to be asked in its own direct messages' },
  { scope: 'channels:read', why: 'to check a public channel before posting there on schedule' },
  {
    scope: 'groups:read',
    why: 'to check a private channel it was invited to before posting there on schedule',
  },
  {
    scope: 'channels:join',
    why: 'to join a public channel when somebody schedules a post there',
    optional: true,
  },
  {
    scope: 'channels:history',
    why: 'to see whether a scheduled post arrived in a public channel when Tally was interrupted, so that it is not posted twice',
    optional: true,
  },
  { scope: 'groups:history', why: 'the same in a private channel it was invited to', optional: true },
  { scope: 'usergroups:read', why: 'to let a user group manage Tally', optional: true },
  { scope: 'files:write', why: 'to hand over the audit as a file', optional: true },
];
