/** Every key that Tally uses in Redis. */
import { isSlackId, type SlackId } from '../domain/slack-id.ts';

/** A Redis script may use only keys of one Cluster slot. All keys with the same text in braces share a slot. */
function ofWorkspace(id: string): string {
  if (!isSlackId(id)) throw new RangeError('Not the id of a Slack workspace.');
  return `tally:{${id}}`;
}

export type KeyOf = (id: string) => string;

export const recordKey = (id: string): string => `${ofWorkspace(id)}:record`;
export const auditKey = (id: string): string => `${ofWorkspace(id)}:audit`;
export const deliveryLogKey = (id: string): string => `${ofWorkspace(id)}:delivery-log`;
export const threadsKey = (id: string): string => `${ofWorkspace(id)}:threads`;
export const threadTimesKey = (id: string): string => `${ofWorkspace(id)}:thread-times`;
/** The lock that a process takes while it renews the Slack token. */
export const tokenLockKey = (id: string): string => `${ofWorkspace(id)}:token-lock`;
export const membersKey = (id: string): string => `${ofWorkspace(id)}:members`;

/** The keys that are deleted with a workspace. */
export const WORKSPACE_KEYS: readonly KeyOf[] = [
  recordKey,
  auditKey,
  deliveryLogKey,
  threadsKey,
  threadTimesKey,
  tokenLockKey,
];

export const keysOf = (workspace: SlackId): readonly string[] => WORKSPACE_KEYS.map((key) => key(workspace));

/** The name and the prefix of BullMQ's queue. The braces keep all its keys in one Cluster slot. */
export const QUEUE_NAME = 'deliver';
export const QUEUE_PREFIX = '{tally}';

/** A set of workspaces, sorted by when they were installed or first stored. */
export const INDEX_KEY = 'tally:workspaces';

export const LAYOUT_KEY = 'tally:layout';

/** Marks something as handled, so that it isn't handled twice. @param id a hash or a nonce */
export const onceKey = (kind: 'event' | 'state' | 'access', id: string): string => `tally:${kind}:${id}`;

/** The fields of a workspace's Redis hash. Each colon is followed by an ID. */
export const FIELDS = {
  installation: 'installation',
  /** The organization whose installation this workspace uses. */
  organization: 'served',
  settings: 'settings',
  connection: 'connection:',
  lastUsed: 'used:',
  rejected: 'rejected:',
  project: 'project:',
  balance: 'balance:',
  failed: 'failed:',
  channel: 'channel:',
  access: 'access:',
  schedule: 'schedule:',
  watch: 'watch:',
} as const;
