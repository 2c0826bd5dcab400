import type { SlackId } from '../../domain/slack-id.ts';
import { guardRead, isCluster, type RedisConnection } from '../../redis/connect.ts';
import { LAYOUT_KEY } from '../../redis/keys.ts';
import { hasOldKeys } from './old-layout.ts';

/** The version of the names in `keys.ts`. */
const LAYOUT_VERSION = 2;

/** How the keys are laid out: one record for all processes. */
export interface Layout {
  /** 1 when there is no record yet and the keys have the names of an earlier version. */
  readonly version: number;
  /** Among how many shards the scheduler spreads workspaces. */
  readonly shards: number;
  /** The largest number of shards so far. Shards from `shards` on are being emptied. */
  readonly mostShards: number;
  /** How many ms until workspaces move to this version. Undefined when all of them have. */
  readonly movesIn: number | undefined;
}

/** A Cluster spreads its slots over many servers; elsewhere each further shard only costs connections. */
const CLUSTER_SHARDS = 16;

const READ = `
local now = redis.call('TIME')
local layout = redis.call('HMGET', KEYS[1], 'version', 'shards', 'most-shards', 'moves-at')
if not layout[1] then return false end
local moves = layout[4] and tostring(math.floor(layout[4] - now[1] * 1000 - now[2] / 1000)) or ''
return { layout[1], layout[2], layout[3], moves }`;

/** `moves-at` by the clock of Redis, which is one for all processes. */
const CREATE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'shards', ARGV[2], 'most-shards', ARGV[2])
if ARGV[3] ~= '' then
  local now = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'moves-at', string.format('%.0f', now[1] * 1000 + now[2] / 1000 + ARGV[3]))
end
return 1`;

const known = new WeakMap<RedisConnection, Promise<Layout>>();

/**
 * The record of the layout, which is written if Redis holds nothing of Tally. It is read once for a connection, again and
 * again only while workspaces have yet to move.
 *
 * @throws StoreUnavailable
 */
export function layoutOf(redis: RedisConnection): Promise<Layout> {
  const layout = known.get(redis) ?? readLayout(redis);
  known.set(redis, layout);
  const forget = () => known.delete(redis);
  layout.then(
    ({ version, movesIn }) => (version < LAYOUT_VERSION || movesIn !== undefined) && forget(),
    forget,
  );
  return layout;
}

async function readLayout(redis: RedisConnection): Promise<Layout> {
  const read = () => guardRead(() => redis.eval(READ, 1, LAYOUT_KEY)) as Promise<string[] | null>;
  const found = await read();
  if (found !== null) return parseLayout(found);
  // Earlier versions had no Cluster.
  if (!isCluster(redis) && (await hasOldKeys(redis))) return FIRST_LAYOUT;
  await createLayout(redis);
  return parseLayout((await read()) ?? []);
}

const FIRST_LAYOUT: Layout = { version: 1, shards: 1, mostShards: 1, movesIn: undefined };

function parseLayout([version, shards, mostShards, moves = '']: readonly string[]): Layout {
  return {
    version: Number(version),
    shards: Number(shards),
    mostShards: Number(mostShards),
    movesIn: moves === '' ? undefined : Math.max(0, Number(moves)),
  };
}

/** Writes the record of today's layout, unless there is one. @param movesIn in how many ms workspaces begin to move to it */
export async function createLayout(redis: RedisConnection, movesIn?: number): Promise<void> {
  const shards = isCluster(redis) ? CLUSTER_SHARDS : 1;
  await guardRead(() => redis.eval(CREATE, 1, LAYOUT_KEY, LAYOUT_VERSION, shards, movesIn ?? ''));
}

/** Notes that every workspace has moved. */
export async function finishLayout(redis: RedisConnection): Promise<void> {
  await guardRead(() => redis.hdel(LAYOUT_KEY, 'moves-at'));
}

/** Spreads workspaces over this many shards when bots restart. */
export async function setShards(redis: RedisConnection, shards: number): Promise<void> {
  const { mostShards } = await layoutOf(redis);
  const fields = { shards, 'most-shards': Math.max(shards, mostShards) };
  await guardRead(() => redis.hset(LAYOUT_KEY, fields));
}

/** The shard of a workspace: FNV-1a, the same in every process. */
export function shardOf(workspace: SlackId, shards: number): number {
  let hash = 0x811c9dc5;
  for (const character of workspace) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0) % shards;
}
