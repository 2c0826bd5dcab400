import type { SlackId } from '../domain/slack-id.ts';
import { isCluster, type RedisConnection } from './connect.ts';

/**
 * Every name of a key in Redis. The part in braces is the hash tag: a Cluster keeps all keys with the same tag in one
 * slot, and a script may only touch keys of one slot. So all keys of a workspace share its ID as their tag, and all keys of
 * a shard of the scheduler share the shard's.
 */
function ofWorkspace(id: string): string {
  if (!isSlackId(id)) throw new RangeError('Not the id of a Slack workspace.');
  return `tally:{${id}}`;
}

/** The name of a key, by the ID of its workspace or organization. */
export type KeyOf = (id: string) => string;

export const recordKey = (id: string): string => `${ofWorkspace(id)}:record`;
export const auditKey = (id: string): string => `${ofWorkspace(id)}:audit`;
/** When each person got tokens lately. */
export const issuedKey = (id: string): string => `${ofWorkspace(id)}:issued`;
/** How each due date of its schedules ended. */
export const deliveryLogKey = (id: string): string => `${ofWorkspace(id)}:delivery-log`;
/** The lease of the run that delivers the workspace's posts. */
export const deliveryLockKey = (id: string): string => `${ofWorkspace(id)}:delivery-lock`;
/** Billing's last figures for the watched projects. */
export const watchFiguresKey = (id: string): string => `${ofWorkspace(id)}:watch-figures`;
/** The last questions in each thread. */
export const threadsKey = (id: string): string => `${ofWorkspace(id)}:threads`;
/** A sorted set: when each of them was asked. */
export const threadTimesKey = (id: string): string => `${ofWorkspace(id)}:thread-times`;
/** The lease of the process that refreshes the workspace's Slack token. */
export const tokenLockKey = (id: string): string => `${ofWorkspace(id)}:token-lock`;
/** The workspaces that an organization's installation serves. */
export const membersKey = (id: string): string => `${ofWorkspace(id)}:members`;

/** Every key of a workspace. One that is not in this list stays when the workspace leaves. */
export const WORKSPACE_KEYS: readonly KeyOf[] = [
  recordKey,
  auditKey,
  issuedKey,
  deliveryLogKey,
  deliveryLockKey,
  watchFiguresKey,
  threadsKey,
  threadTimesKey,
  tokenLockKey,
];

export const keysOf = (workspace: SlackId): readonly string[] => WORKSPACE_KEYS.map((key) => key(workspace));

/** A Cluster spreads its slots over many servers; elsewhere each further shard only costs connections. */
const CLUSTER_SHARDS = 16;

/** Among how many shards the scheduler spreads workspaces. */
export const shardCount = (redis: RedisConnection): number => (isCluster(redis) ? CLUSTER_SHARDS : 1);

/** All shards, from 0. */
export const shardsOf = (redis: RedisConnection): readonly number[] => [...Array(shardCount(redis)).keys()];

/** A text's bucket, from 0 to `count` - 1, by FNV-1a: the same in every process. */
export function hashBucket(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0) % count;
}

/** The shard of a workspace: the same in every process. */
export const shardOf = (redis: RedisConnection, workspace: SlackId): number =>
  hashBucket(workspace, shardCount(redis));

/** The name of BullMQ's queue in each shard. */
export const QUEUE_NAME = 'deliver';

/** The prefix of BullMQ's keys for one shard of the scheduler. */
export const queuePrefix = (shard: number): string => `{tally-${shard}}`;

/** BullMQ writes it with each queue: without it nothing was ever scheduled in the shard. */
export const queueKey = (shard: number): string => `${queuePrefix(shard)}:${QUEUE_NAME}:meta`;

/** BullMQ's own: the jobs of a shard that are planned, that can begin, or that run. */
export const queueListKey = (shard: number, list: 'delayed' | 'wait' | 'active'): string =>
  `${queuePrefix(shard)}:${QUEUE_NAME}:${list}`;

const ofShard = (shard: number): string => `tally:${queuePrefix(shard)}`;

/** A sorted set: every workspace of the shard, by the instant when its scheduled runs are checked next. */
export const indexKey = (shard: number): string => `${ofShard(shard)}:workspaces`;
/** The lease of the process that checks the shard. */
export const checkLockKey = (shard: number): string => `${ofShard(shard)}:check-lock`;
/** The version of the time zones' rules that the shard's scheduled runs were derived with. */
export const zonesKey = (shard: number): string => `${ofShard(shard)}:zones`;
/** Written to see whether Redis takes writes; a Cluster has shards on each of its masters. */
export const probeKey = (shard: number): string => `${ofShard(shard)}:probe`;

/** The number of `layout.ts`. */
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
  /** A removed project, by alias, for as long as it can be restored. */
  removedProject: 'removed:',
  /** A project's last known balance, by ID and product. */
  balance: 'balance:',
  /** That a project fails, by what was asked, its ID and product. */
  failed: 'failed:',
  /** The alias that a channel asks about by default. */
  channel: 'channel:',
  /** The application access of a project, by its ID. */
  access: 'access:',
  /** When this person read that tokens appear on their own screen only. */
  tokenNoticeSeen: 'token-notice-seen:',
  schedule: 'schedule:',
  /** A removed schedule, for as long as it can be restored. */
  removedSchedule: 'unscheduled:',
  /** How a schedule's last delivery ended. */
  sent: 'sent:',
  watch: 'watch:',
  /** A removed watch, for as long as it can be restored. */
  removedWatch: 'unwatched:',
} as const;
