import type { SlackId } from '../domain/slack-id.ts';

/**
 * The start of all keys of a workspace. The part in braces is the key's hash tag: a Redis Cluster keeps keys with equal
 * tags in one slot, and a script may use only keys of one slot. So the tag of a workspace's keys is its ID.
 */
function ofWorkspace(id: string): string {
  if (!isSlackId(id)) throw new RangeError('Not the id of a Slack workspace.');
  return `tally:{${id}}`;
}

/** Makes a Redis key from the ID of a workspace or organization. */
export type KeyOf = (id: string) => string;

export const recordKey = (id: string): string => `${ofWorkspace(id)}:record`;
export const auditKey = (id: string): string => `${ofWorkspace(id)}:audit`;
/** Stores which messages Tally has sent on its own, and the states of watches. */
export const deliveryLogKey = (id: string): string => `${ofWorkspace(id)}:delivery-log`;
/** Stores the last questions in each thread. */
export const threadsKey = (id: string): string => `${ofWorkspace(id)}:threads`;
/** A sorted set with the time of each question in `threadsKey`. */
export const threadTimesKey = (id: string): string => `${ofWorkspace(id)}:thread-times`;
/** The lock that a process takes while it renews the Slack token. */
export const tokenLockKey = (id: string): string => `${ofWorkspace(id)}:token-lock`;
/** The IDs of the workspaces that use an organization's installation. */
export const membersKey = (id: string): string => `${ofWorkspace(id)}:members`;

/** All keys of a workspace, to delete with it. Add each new kind of key here. */
export const WORKSPACE_KEYS: readonly KeyOf[] = [
  recordKey,
  auditKey,
  deliveryLogKey,
  threadsKey,
  threadTimesKey,
  tokenLockKey,
];

export const keysOf = (workspace: SlackId): readonly string[] => WORKSPACE_KEYS.map((key) => key(workspace));

/** Assigns a text to one of `count` buckets by its FNV-1a hash: the same bucket in every process. */
export function hashBucket(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0) % count;
}

/** Name and key prefix of BullMQ's queue. The braces (hash tag) keep all its keys in one Cluster slot. */
export const QUEUE_NAME = 'deliver';
export const QUEUE_PREFIX = '{tally}';

/** A sorted set: workspace ID → when Tally last announced a write to its record. */
export const INDEX_KEY = 'tally:workspaces';

/** Stores the layout version: the value of `LAYOUT` in `commands.ts`. */
export const LAYOUT_KEY = 'tally:layout';

/** Marks something as handled, so that it isn't repeated. @param id a hash or a nonce: names no workspace */
export const onceKey = (kind: 'event' | 'request' | 'state' | 'access', id: string): string =>
  `tally:${kind}:${id}`;

/** Whether a text is a Slack ID: checked before it becomes part of a key. */
export const isSlackId = (id: string): boolean => /^[A-Z0-9]{1,64}$/.test(id);

/** The fields of a workspace's Redis hash. A name that ends with a colon is a prefix, followed by an ID. */
export const FIELDS = {
  /** The Slack installation, encrypted. */
  installation: 'installation',
  /** The ID of the organization whose installation this workspace uses. */
  organization: 'served',
  settings: 'settings',
  connection: 'connection:',
  lastUsed: 'used:',
  /** Which stored credentials a service has rejected. */
  rejected: 'rejected:',
  project: 'project:',
  /** A project's last known balance, by ID and product. */
  balance: 'balance:',
  /** Failed billing queries, by project and product. */
  failed: 'failed:',
  /** A channel's default project, as an alias, by channel ID. */
  channel: 'channel:',
  /** The credentials for OpenStack tokens, by project ID. */
  access: 'access:',
  schedule: 'schedule:',
  watch: 'watch:',
} as const;
