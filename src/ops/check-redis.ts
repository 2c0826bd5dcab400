import type { Redis } from 'ioredis';
import { type Finding, failedFinding, okFinding, reasonText, warningFinding } from './finding.ts';

const ABOUT = 'Redis';

const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there: start it, or correct host and port in REDIS_URL.',
  ENOENT: 'There is no such socket: start it, or correct the path in REDIS_URL.',
  ENOTFOUND: 'Nobody knows that host name: correct it in REDIS_URL.',
  NOAUTH: 'It wants a password, which stands before the host in REDIS_URL.',
  WRONGPASS: 'User or password are wrong: correct them in REDIS_URL.',
};
const ELSE = 'Check that it runs, that REDIS_URL leads to it, and whether it wants rediss:// or a password.';

/** @param reached the connection, once it is ready; rejects with what stood in the way */
export async function checkRedis(reached: Promise<Redis>): Promise<readonly Finding[]> {
  try {
    const redis = await reached;
    const info = fieldsOf(await redis.info());
    return [version(info), ...role(info), await persistence(redis, info), eviction(info)];
  } catch (error) {
    const reason = reasonText(error);
    if (reason === 'NOPERM')
      return [
        warningFinding(
          ABOUT,
          'answers, but may not tell about itself',
          'Allow the command INFO to see more here.',
        ),
      ];
    return [failedFinding(ABOUT, `cannot be used (${reason})`, WHY[reason] ?? ELSE)];
  }
}

type Info = ReadonlyMap<string, string>;

function fieldsOf(info: string): Info {
  return new Map([...info.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
}

function version(info: Info): Finding {
  const valkey = info.get('valkey_version');
  return okFinding(
    ABOUT,
    valkey === undefined ? `${info.get('redis_version')} answers` : `Valkey ${valkey} answers`,
  );
}

function role(info: Info): readonly Finding[] {
  if (info.get('role') !== 'slave') return [];
  return [
    failedFinding(
      ABOUT,
      'is a replica, where nothing can be saved',
      'Give the address of the primary in REDIS_URL.',
    ),
  ];
}

async function persistence(redis: Redis, info: Info): Promise<Finding> {
  if (info.get('aof_enabled') === '1') return okFinding(ABOUT, 'writes every change to disk');
  const todo =
    'Set `appendonly yes`: without it, tokens have to be registered again after a loss, and posts may come twice.';
  try {
    const [, save = ''] = (await redis.config('GET', 'save')) as string[];
    const says =
      save === '' ? 'keeps nothing on disk' : 'writes snapshots only, and loses what came after the last';
    return warningFinding(ABOUT, says, todo);
  } catch {
    return warningFinding(
      ABOUT,
      'has no append-only file, and does not say whether it writes snapshots',
      todo,
    );
  }
}

function eviction(info: Info): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return okFinding(ABOUT, 'evicts nothing when memory runs out');
  const todo =
    'Set `maxmemory-policy noeviction`: other policies delete records, tokens among them, to make room.';
  return warningFinding(ABOUT, `has the eviction policy ${policy}`, todo);
}
