import type { SlackId } from '../domain/slack-id.ts';

/**
 * Every name of a key in Redis. The part in braces is the hash tag: a Cluster keeps all keys with the same tag in one
 * slot, and a script may only touch keys of one slot. So all keys of a workspace share its ID as their tag.
 */
function ofWorkspace(id: string): string {
  if (!isSlackId(id)) throw new RangeError('Not the id of a Slack workspace.');
  return `tally:{${id}}`;
}

/** The name of a key, by the ID of its workspace or organization. */
export type KeyOf = (id: string) => string;

export const recordKey = (id: string): string => `${ofWorkspace(id)}:record`;
export const auditKey = (id: string): string => `${ofWorkspace(id)}:audit`;
/** Every message that Tally sends by itself, and the states of watches. */
export const deliveryLogKey = (id: string): string => `${ofWorkspace(id)}:delivery-log`;
/** The last questions in each thread. */
export const threadsKey = (id: string): string => `${ofWorkspace(id)}:threads`;
/** A sorted set: when each of them was asked. */
export const threadTimesKey = (id: string): string => `${ofWorkspace(id)}:thread-times`;
/** That a process renews the workspace's Slack token. */
export const tokenLockKey = (id: string): string => `${ofWorkspace(id)}:token-lock`;
/** The workspaces that an organization's installation serves. */
export const membersKey = (id: string): string => `${ofWorkspace(id)}:members`;

/** Every key of a workspace. One that is not in this list stays when the workspace leaves. */
export const WORKSPACE_KEYS: readonly KeyOf[] = [
  recordKey,
  auditKey,
  deliveryLogKey,
  threadsKey,
  threadTimesKey,
  tokenLockKey,
];

export const keysOf = (workspace: SlackId): readonly string[] => WORKSPACE_KEYS.map((key) => key(workspace));

/** A text's bucket, from 0 to `count` - 1, by FNV-1a: the same in every process. */
export function hashBucket(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0) % count;
}

/** The name of BullMQ's queue, and the prefix of its keys: with their hash tag they share one slot of a Cluster. */
export const QUEUE_NAME = 'deliver';
export const QUEUE_PREFIX = '{tally}';

/** A sorted set: every workspace that has a record, by when it was last touched. */
export const INDEX_KEY = 'tally:workspaces';

/** The number that `LAYOUT` in `outage.ts` has. */
export const LAYOUT_KEY = 'tally:layout';

/** Marks an event, a request, a state or an access notice as seen. @param id a hash or a nonce: the key names no workspace */
export const onceKey = (kind: 'event' | 'request' | 'state' | 'access', id: string): string =>
  `tally:${kind}:${id}`;

/** IDs of Slack's teams and organizations have capitals and digits only; anything else could name another key. */
export const isSlackId = (id: string): boolean => /^[A-Z0-9]{1,64}$/.test(id);

/** The fields of a workspace's record: whole names, and with a colon at the end prefixes of a name or an ID. */
export const FIELDS = {
  /** What Slack gave for the workspace, sealed. */
  installation: 'installation',
  /** The organization whose installation a workspace uses if it has none itself. */
  organization: 'served',
  settings: 'settings',
  /** By name. */
  connection: 'connection:',
  /** When a connection last gave an answer. */
  lastUsed: 'used:',
  /** That a service rejected a credential, by its kind and name. */
  rejected: 'rejected:',
  /** By alias. */
  project: 'project:',
  /** A project's last known balance, by ID and product. */
  balance: 'balance:',
  /** That a project fails, by what was asked, its ID and product. */
  failed: 'failed:',
  /** The alias that a channel asks about by default. */
  channel: 'channel:',
  /** The application access of a project, by its ID. */
  access: 'access:',
  schedule: 'schedule:',
  watch: 'watch:',
} as const;
