/**
 * Every name of a key in Redis. What stands in braces is the hash tag: a Cluster keeps all keys with the same tag in one
 * slot, and a script may only touch keys of one slot. So all keys of a workspace share its ID as their tag, and all keys of
 * a shard of the scheduler share the shard's.
 */
const ofWorkspace = (id: string): string => `tally:{${checked(id)}}`;

export const recordKey = (id: string): string => `${ofWorkspace(id)}:record`;
export const auditKey = (id: string): string => `${ofWorkspace(id)}:audit`;
/** Grants of the modals that show tokens. */
export const grantsKey = (id: string): string => `${ofWorkspace(id)}:grants`;
/** When each person got tokens lately. */
export const issuedKey = (id: string): string => `${ofWorkspace(id)}:issued`;
/** How each due date of its schedules ended. */
export const deliveryLogKey = (id: string): string => `${ofWorkspace(id)}:delivery-log`;
/** The lease of the run that delivers the workspace's posts. */
export const deliveryLockKey = (id: string): string => `${ofWorkspace(id)}:delivery-lock`;
/** Billing's last figures for the watched projects. */
export const watchFiguresKey = (id: string): string => `${ofWorkspace(id)}:watch-figures`;
/** The lease of the process that refreshes the workspace's Slack token. */
export const tokenLockKey = (id: string): string => `${ofWorkspace(id)}:token-lock`;
/** The workspaces that an organisation's installation serves. */
export const membersKey = (id: string): string => `${ofWorkspace(id)}:members`;

/** What was copied here from another Redis, as a digest: what differs from it was changed here. */
export const copiedKey = (id: string): string => `${ofWorkspace(id)}:copied`;

/** Every key of a workspace. A key that is not in this list stays when the workspace leaves. */
export const keysOf = (workspace: string): readonly string[] =>
  [
    recordKey,
    auditKey,
    grantsKey,
    issuedKey,
    deliveryLogKey,
    deliveryLockKey,
    watchFiguresKey,
    tokenLockKey,
    copiedKey,
  ].map((key) => key(workspace));

/** The prefix of BullMQ's keys for one shard of the scheduler. */
export const queuePrefix = (shard: number): string => `{tally-${shard}}`;

const ofShard = (shard: number): string => `tally:${queuePrefix(shard)}`;

/** A sorted set: every workspace of the shard, by the instant when its scheduled runs are checked next. */
export const indexKey = (shard: number): string => `${ofShard(shard)}:workspaces`;
/** The lease of the process that checks the shard. */
export const checkLockKey = (shard: number): string => `${ofShard(shard)}:check-lock`;
/** The version of the time zones' rules that the shard's scheduled runs were derived with. */
export const zonesKey = (shard: number): string => `${ofShard(shard)}:zones`;

/** The version of the names in this table, and the number of shards. */
export const LAYOUT_KEY = 'tally:layout';

/** What may happen once. @param id a hash or a nonce: the key names no workspace */
export const onceKey = (kind: 'event' | 'request' | 'state', id: string): string => `tally:${kind}:${id}`;

/** IDs of Slack's teams and organisations have capitals and digits only; anything else could name another key. */
function checked(id: string): string {
  if (!/^[A-Z0-9]{1,64}$/.test(id)) throw new RangeError('Not the id of a Slack workspace.');
  return id;
}
