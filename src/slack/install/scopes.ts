interface Scope {
  readonly scope: string;
  /** Completes “Tally asks for this …”: in the manifest, on the pages that Tally serves and in the docs. */
  readonly why: string;
  /** Slack lets the person who installs Tally decline it. */
  readonly optional?: boolean;
}

/** Every scope that Tally asks for, with its reason: the only list of them. */
export const SCOPES: readonly Scope[] = [
  { scope: 'commands', why: 'to offer slash commands, such as /billing' },
  { scope: 'chat:write', why: 'to answer, and to post what people scheduled' },
  {
    scope: 'im:write',
    why: 'to send direct messages: the result of a form, a warning, a request to a manager',
  },
  { scope: 'users:read', why: 'to know who is an owner, an admin or a guest, and how to write numbers' },
  { scope: 'app_mentions:read', why: 'to read mentions of Tally, also in threads' },
  { scope: 'im:history', why: 'to read direct messages to Tally; it reads no other conversation' },
  { scope: 'channels:read', why: 'to check a public channel before posting there on schedule' },
  {
    scope: 'groups:read',
    why: 'to check a private channel it was invited to before posting there on schedule',
  },
  {
    scope: 'channels:join',
    why: 'to join a public channel when someone schedules a post there',
    optional: true,
  },
  {
    scope: 'channels:history',
    why: 'to see whether a scheduled post arrived in a public channel when Tally was interrupted, so that it is not posted twice',
    optional: true,
  },
  { scope: 'groups:history', why: 'the same in a private channel it was invited to', optional: true },
  { scope: 'usergroups:read', why: 'to let a user group manage Tally', optional: true },
  {
    scope: 'reactions:write',
    why: 'to mark a mention in a channel that it answered privately',
    optional: true,
  },
  { scope: 'files:write', why: 'to send figures and the audit as a CSV file', optional: true },
];
