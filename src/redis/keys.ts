/** Every key that Tally uses in Redis. */
import type { SlackId } from '../domain/slack-id.ts';

/** In a Redis Cluster, a script may use only keys of one slot. Keys with the same text in braces share a slot. */
function ofWorkspace(id: string): string {
  if (!isSlackId(id)) throw new RangeError('Not the id of a Slack workspace.');
  return `tally:{${id}}`;
}

export type KeyOf = (id: string) => string;

export const recordKey = (id: string): string => `${ofWorkspace(id)}:record`;
export const auditKey = (id: string): string => `${ofWorkspace(id)}:audit`;
/** Which messages Tally has sent on its own, and the states of watches. */
export const deliveryLogKey = (id: string): string => `${ofWorkspace(id)}:delivery-log`;
/** The last questions of each thread. */
export const threadsKey = (id: string): string => `${ofWorkspace(id)}:threads`;
/** A sorted set: when each question in `threadsKey` was asked. */
export const threadTimesKey = (id: string): string => `${ofWorkspace(id)}:thread-times`;
/** A process takes this lock while it renews the Slack token. */
export const tokenLockKey = (id: string): string => `${ofWorkspace(id)}:token-lock`;
/** The workspaces that use an organization's installation. */
export const membersKey = (id: string): string => `${ofWorkspace(id)}:members`;

/** These are deleted with the workspace. */
export const WORKSPACE_KEYS: readonly KeyOf[] = [
  recordKey,
  auditKey,
  deliveryLogKey,
  threadsKey,
  threadTimesKey,
  tokenLockKey,
];

export const keysOf = (workspace: SlackId): readonly string[] => WORKSPACE_KEYS.map((key) => key(workspace));

/** Puts a text into one of `count` buckets (FNV-1a): the same one in every process. */
export function hashBucket(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0) % count;
}

/** BullMQ's queue. The braces keep all its keys in one Cluster slot. */
export const QUEUE_NAME = 'deliver';
export const QUEUE_PREFIX = '{tally}';

/** A sorted set: when Tally last announced a write to a workspace's record. */
export const INDEX_KEY = 'tally:workspaces';

export const LAYOUT_KEY = 'tally:layout';

/** Marks something as handled, so that it isn't repeated. @param id a hash or a nonce */
export const onceKey = (kind: 'event' | 'request' | 'state' | 'access', id: string): string =>
  `tally:${kind}:${id}`;

export const isSlackId = (id: string): boolean => /^[A-Z0-9]{1,64}$/.test(id);

/** The fields of a workspace's Redis hash. An ID follows a name that ends with a colon. */
export const FIELDS = {
  /** Sealed. */
  installation: 'installation',
  /** The organization whose installation this workspace uses. */
  organization: 'served',
  settings: 'settings',
  connection: 'connection:',
  lastUsed: 'used:',
  /** The stored credentials that a service has rejected. */
  rejected: 'rejected:',
  project: 'project:',
  /** The last known balance, by project ID and product. */
  balance: 'balance:',
  /** Failed billing queries, by project ID and product. */
  failed: 'failed:',
  /** The alias of the default project, by channel ID. */
  channel: 'channel:',
  /** Sealed credentials for OpenStack tokens, by project ID. */
  access: 'access:',
  schedule: 'schedule:',
  watch: 'watch:',
} as const;
