import { isCluster, type RedisConnection } from '../redis.ts';
import { layoutOf } from '../workspace/layout.ts';
import { hasOldKeys } from '../workspace/old-layout.ts';
import { type Finding, failedFinding, okFinding, reasonText, warningFinding } from './finding.ts';

const ABOUT = 'Redis';

const UNKNOWN_AUTHORITY =
  'Its certificate is signed by an authority that Node doesn’t trust. Set NODE_EXTRA_CA_CERTS to a file with the authority’s certificate.';

/** Error code → next step. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Start Redis, or correct the host and port in REDIS_URL.',
  ENOENT: 'There is no socket at that path. Start Redis, or correct the path in REDIS_URL.',
  ENOTFOUND: 'The host name is unknown. Correct it in REDIS_URL.',
  NOAUTH: 'Redis needs a password. Put it before the host in REDIS_URL.',
  WRONGPASS: 'The user or the password is wrong. Correct it in REDIS_URL.',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'Its certificate has expired. Renew it, or correct the clock of this machine.',
  CERT_NOT_YET_VALID: 'Its certificate isn’t valid yet. Correct the clock of this machine.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Its certificate is for another name. Use that name in REDIS_URL, and let the nodes of a Cluster and Sentinels announce it.',
};
const OTHER_ADVICE =
  'Check that Redis runs, that REDIS_URL leads to it, and whether it needs rediss:// or a password.';

/** @returns the next step of whoever operates the bot */
export const redisAdvice = (error: unknown): string => ADVICE[reasonText(error)] ?? OTHER_ADVICE;

/** @param ready the connection; rejects with the error that prevents it. Never rejects itself. */
export async function checkRedis(ready: Promise<RedisConnection>): Promise<readonly Finding[]> {
  try {
    const redis = await ready;
    if (!isCluster(redis)) return await checkServer(redis);
    const masters = redis.nodes('master');
    const found = (await Promise.all(masters.map(checkServer))).flat();
    const distinct = new Map(found.map((finding) => [`${finding.verdict} ${finding.says}`, finding]));
    return [okFinding(ABOUT, `is a Cluster with ${masters.length} masters`), ...distinct.values()];
  } catch (error) {
    const reason = reasonText(error);
    if (reason === 'NOPERM')
      return [
        warningFinding(
          ABOUT,
          'answers, but doesn’t allow INFO',
          'Allow the command INFO, so that the doctor can check persistence and eviction.',
        ),
      ];
    return [failedFinding(ABOUT, `can’t be used (${reason})`, redisAdvice(error))];
  }
}

async function checkServer(redis: Server): Promise<readonly Finding[]> {
  const info = parseInfo(await redis.info());
  return [
    versionFinding(info),
    ...roleFindings(info),
    await persistenceFinding(redis, info),
    evictionFinding(info),
  ];
}

type Server = Pick<RedisConnection, 'info' | 'config'>;

type Info = ReadonlyMap<string, string>;

function parseInfo(info: string): Info {
  return new Map([...info.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
}

function versionFinding(info: Info): Finding {
  const valkey = info.get('valkey_version');
  return okFinding(
    ABOUT,
    valkey === undefined ? `${info.get('redis_version')} answers` : `Valkey ${valkey} answers`,
  );
}

function roleFindings(info: Info): readonly Finding[] {
  if (info.get('role') !== 'slave') return [];
  return [
    failedFinding(
      ABOUT,
      'is a replica, which refuses writes',
      'Set the address of the primary in REDIS_URL.',
    ),
  ];
}

async function persistenceFinding(redis: Server, info: Info): Promise<Finding> {
  if (info.get('aof_enabled') === '1') return okFinding(ABOUT, 'writes every change to disk');
  const todo =
    'Set `appendonly yes`. Without it, a crash loses tokens, which people must register again, and posts may come twice.';
  try {
    const [, save = ''] = (await redis.config('GET', 'save')) as string[];
    const says =
      save === '' ? 'keeps nothing on disk' : 'writes snapshots only, and loses what came after the last one';
    return warningFinding(ABOUT, says, todo);
  } catch {
    return warningFinding(ABOUT, 'has no append-only file, and may not write snapshots either', todo);
  }
}

function evictionFinding(info: Info): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return okFinding(ABOUT, 'evicts nothing when memory runs out');
  const todo =
    'Set `maxmemory-policy noeviction`. Other policies delete records, including tokens, to free memory.';
  return warningFinding(ABOUT, `has the eviction policy ${policy}`, todo);
}

const KEYS = 'Keys in Redis';

/** @returns no finding when Redis is unreachable, which the check of Redis reports */
export async function checkLayout(ready: Promise<RedisConnection>): Promise<readonly Finding[]> {
  const redis = await ready.catch(() => undefined);
  if (redis === undefined) return [];
  const { version, shards, movesIn } = await layoutOf(redis);
  const todo = 'Update every bot, then run npm run migrate.';
  if (version === 1) return [warningFinding(KEYS, 'have the names of an earlier version', todo)];
  if (movesIn !== undefined)
    return [
      warningFinding(KEYS, 'have not all moved to the names of this version', 'Run npm run migrate again.'),
    ];
  if (await hasOldKeys(redis))
    return [warningFinding(KEYS, 'were also written by a bot of an earlier version', todo)];
  return [
    okFinding(KEYS, `have the names of this version, in ${shards} ${shards === 1 ? 'shard' : 'shards'}`),
  ];
}
