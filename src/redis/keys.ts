import type { SlackId } from '../domain/slack-id.ts';

/**
 * Every name of a key in Redis. The part in braces is the hash tag: a Cluster keeps all keys with the same tag in one
 * slot, and a script may only touch keys of one slot. So all keys of a workspace share its ID as their tag.
 */
function ofWorkspace(id: string): string {
  if (!isSlackId(id)) throw new RangeError('Not the id of a Slack workspace.');
  return `tally:{${id}}`;
}

/** Workspace or organization ID → key. */
export type KeyOf = (id: string) => string;

export const recordKey = (id: string): string => `${ofWorkspace(id)}:record`;
export const auditKey = (id: string): string => `${ofWorkspace(id)}:audit`;
/** Tally's own messages, and watch states. */
export const deliveryLogKey = (id: string): string => `${ofWorkspace(id)}:delivery-log`;
/** The last questions in each thread. */
export const threadsKey = (id: string): string => `${ofWorkspace(id)}:threads`;
/** A sorted set: when each of them was asked. */
export const threadTimesKey = (id: string): string => `${ofWorkspace(id)}:thread-times`;
/** Lock for renewing the Slack token. */
export const tokenLockKey = (id: string): string => `${ofWorkspace(id)}:token-lock`;
/** The workspaces that an organization's installation serves. */
export const membersKey = (id: string): string => `${ofWorkspace(id)}:members`;

/** Keys to delete with a workspace. Add new ones here. */
export const WORKSPACE_KEYS: readonly KeyOf[] = [
  recordKey,
  auditKey,
  deliveryLogKey,
  threadsKey,
  threadTimesKey,
  tokenLockKey,
];

export const keysOf = (workspace: SlackId): readonly string[] => WORKSPACE_KEYS.map((key) => key(workspace));

/** FNV-1a hash bucket, stable across processes. */
export function hashBucket(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0) % count;
}

/** BullMQ's queue; its hash tag keeps all keys in one slot. */
export const QUEUE_NAME = 'deliver';
export const QUEUE_PREFIX = '{tally}';

/** Sorted set of workspaces by last touch. */
export const INDEX_KEY = 'tally:workspaces';

/** The number that `LAYOUT` in `commands.ts` has. */
export const LAYOUT_KEY = 'tally:layout';

/** Marks an event, a request, a state or an access notice as seen. @param id a hash or a nonce: the key names no workspace */
export const onceKey = (kind: 'event' | 'request' | 'state' | 'access', id: string): string =>
  `tally:${kind}:${id}`;

/** Validates Slack IDs before they become part of a key. */
export const isSlackId = (id: string): boolean => /^[A-Z0-9]{1,64}$/.test(id);

/** Fields of a workspace's hash. A trailing colon marks a prefix. */
export const FIELDS = {
  /** The Slack installation, sealed. */
  installation: 'installation',
  /** The organization that serves this workspace. */
  organization: 'served',
  settings: 'settings',
  connection: 'connection:',
  lastUsed: 'used:',
  /** Rejected credentials. */
  rejected: 'rejected:',
  project: 'project:',
  /** A project's last known balance, by ID and product. */
  balance: 'balance:',
  /** Failures, by topic, project and product. */
  failed: 'failed:',
  /** Channel → default alias. */
  channel: 'channel:',
  /** By project ID. */
  access: 'access:',
  schedule: 'schedule:',
  watch: 'watch:',
} as const;
