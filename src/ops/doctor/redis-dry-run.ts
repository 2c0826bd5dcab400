/**
 * What Redis would refuse, without changing anything: it checks rights, memory, replicas and its disk when it puts a
 * command into a transaction, which is then discarded.
 */
import { isCluster, type RedisConnection } from '../../redis/connect.ts';
import { probeKey, QUEUE_NAME, queuePrefix, shardsOf } from '../../redis/keys.ts';

type Server = Pick<RedisConnection, 'call'>;

/** One server, or every master of a Cluster. */
export const serversOf = (
  redis: RedisConnection,
): readonly Pick<RedisConnection, 'call' | 'info' | 'config'>[] =>
  isCluster(redis) ? redis.nodes('master') : [redis];

/** Each command that Tally and its queue send, with arguments that fit. A test compares it with what a bot sent. */
export const neededCommands = (key: string): readonly (readonly string[])[] => [
  ...['del', 'exists', 'get', 'hgetall', 'incr', 'smembers', 'unlink', 'zpopmin'].map((name) => [name, key]),
  ['bzpopmin', key, '1'],
  ['client', 'setname', 'tally'],
  ['eval', 'return 1', '0'],
  ['evalsha', '0'.repeat(40), '0'],
  ['hdel', key, 'field'],
  ['hget', key, 'field'],
  ['hmget', key, 'field'],
  ['hmset', key, 'field', 'value'],
  ['hset', key, 'field', 'value'],
  ['lrange', key, '0', '1'],
  ['ping'],
  ['rpoplpush', key, key],
  ['set', key, 'value'],
  ['time'],
  ['xadd', key, '*', 'field', 'value'],
  ['xrevrange', key, '+', '-'],
  ['xtrim', key, 'MAXLEN', '1'],
  ['zadd', key, '1', 'member'],
  ['zrange', key, '0', '1'],
  ['zrangebyscore', key, '0', '1'],
  ['zrem', key, 'member'],
  ['zrevrangebyscore', key, '1', '0'],
  ['zscan', key, '0'],
  ['zscore', key, 'member'],
];

/** @throws the error that closes the connection */
export async function dryRun(redis: RedisConnection) {
  const keys = shardsOf(redis).map(probeKey);
  const ofQueue = `${queuePrefix(0)}:${QUEUE_NAME}:meta`;
  const servers = serversOf(redis);
  const all = await Promise.all(servers.map((server) => queueAndDiscard(server, keys, ofQueue)));
  const refuses = all.findIndex(({ isRefused }) => isRefused);
  return {
    /** The first that refuses something. */
    server: servers[refuses] ?? servers[0],
    commands: [...new Set(all.flatMap(({ commands }) => commands))].sort(),
    missing: [...new Set(all.flatMap(({ missing }) => missing))].sort(),
    keys: all.some((found) => found.keys),
    write: all.flatMap(({ write }) => write ?? [])[0],
  };
}

async function queueAndDiscard(server: Server, keys: readonly string[], ofQueue: string) {
  const transaction = await inTransaction(server, []);
  // Outside of a transaction these commands would be run.
  if (transaction.length > 0) return refusalsOf(transaction);
  const [key = ofQueue] = keys;
  return refusalsOf(
    await inTransaction(server, [
      ...keys.map((shardKey) => ['set', shardKey, 'value']),
      ['set', ofQueue, 'value'],
      ...neededCommands(key),
    ]),
  );
}

/** All in one turn, so that no other command of this connection comes between. */
async function inTransaction(server: Server, commands: readonly (readonly string[])[]) {
  const sent = [['multi'], ...commands, ['discard']].map(async ([name = '', ...args]) => {
    try {
      await server.call(name, ...args);
      return [];
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
      return [{ command: name === 'client' ? `client|${args[0]}` : name, error }];
    }
  });
  return (await Promise.all(sent)).flat();
}

/** Proxies and services say it in words of their own. */
const isMissing = ({ message }: Error): boolean =>
  /^ERR .*(unknown|unsupported|not (allowed|supported)|disabled)/i.test(message);

type Refusal = Awaited<ReturnType<typeof inTransaction>>[number];

/** Refusals by command: the rights of each command, and whether a change is taken. */
function refusalsOf(refusals: readonly Refusal[]) {
  const forbidden = refusals.filter(({ error }) => error.message.startsWith('NOPERM'));
  const isAboutKeys = ({ error }: Refusal) =>
    /\bkeys?\b/.test(error.message) && !/command/.test(error.message);
  return {
    isRefused: refusals.some(({ error }) => !/^(MOVED|ASK|TRYAGAIN)/.test(error.message)),
    /** Commands that the user may not run. */
    commands: forbidden.filter((refusal) => !isAboutKeys(refusal)).map(({ command }) => command),
    /** Commands that the server, or a proxy before it, doesn't have. The queue also works if its connection has no name. */
    missing: refusals
      .filter(({ command, error }) => command !== 'client|setname' && isMissing(error))
      .map(({ command }) => command),
    /** Whether the user may not touch Tally's keys. */
    keys: forbidden.some(isAboutKeys),
    /** Why changes are refused, by any server; undefined if they are taken. Another master of the Cluster may have that shard. */
    write: refusals.find(
      ({ command, error }) =>
        command === 'set' && !isMissing(error) && !/^(NOPERM|MOVED|ASK|TRYAGAIN)/.test(error.message),
    )?.error,
  };
}
