import { isCluster, type RedisConnection } from '../redis/connect.ts';
import { storeErrorKind } from '../redis/errors.ts';
import { type Finding, failedFinding, okFinding, reasonText, warningFinding } from './finding.ts';
import { tryWrite } from './health.ts';

const ABOUT = 'Redis';

const UNKNOWN_AUTHORITY =
  'Its certificate is signed by an authority that Node doesn’t trust. Set NODE_EXTRA_CA_CERTS to a file with the authority’s certificate.';

/** Error code → next step. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Start Redis, or correct the host and port in REDIS_URL.',
  ENOENT: 'There is no socket at that path. Start Redis, or correct the path in REDIS_URL.',
  ENOTFOUND: 'The host name is unknown. Correct it in REDIS_URL.',
  NOAUTH: 'Redis needs a password. Put it before the host in REDIS_URL.',
  OOM: 'Redis is full. Give it more memory (`maxmemory`), or remove what is not Tally’s.',
  NOREPLICAS: 'Too few replicas are connected for `min-replicas-to-write`. Bring them back.',
  MISCONF: 'Redis can’t write to its disk. Free space there and look at its log.',
  READONLY: 'Set the address of the primary in REDIS_URL.',
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
    const writes = await writeFinding(redis);
    if (!isCluster(redis)) return [...(await checkServer(redis)), writes];
    const masters = redis.nodes('master');
    const found = (await Promise.all(masters.map(checkServer))).flat();
    const distinct = new Map(found.map((finding) => [`${finding.verdict} ${finding.says}`, finding]));
    return [okFinding(ABOUT, `is a Cluster with ${masters.length} masters`), ...distinct.values(), writes];
  } catch (error) {
    const reason = storeErrorKind(error) === 'timeout' ? 'no answer in time' : reasonText(error);
    return [failedFinding(ABOUT, `can’t be used (${reason})`, redisAdvice(error))];
  }
}

const writeFinding = (redis: RedisConnection): Promise<Finding> =>
  tryWrite(redis).then(
    () => okFinding(ABOUT, 'takes writes'),
    (error: unknown) => failedFinding(ABOUT, `refuses writes (${reasonText(error)})`, redisAdvice(error)),
  );

async function checkServer(redis: Server): Promise<readonly Finding[]> {
  const text = await redis.info().catch((error: unknown) => {
    if (isForbidden(error)) return undefined;
    throw error;
  });
  if (text === undefined)
    return [
      warningFinding(
        ABOUT,
        'doesn’t allow INFO, so the doctor could not check persistence and memory',
        'Allow the command INFO, or check both yourself.',
      ),
    ];
  const info = parseInfo(text);
  return [
    versionFinding(info),
    ...roleFindings(info),
    ...(await persistenceFindings(redis, info)),
    memoryFinding(info),
    evictionFinding(info),
  ];
}

/** By the rights of the user, or because a cloud service doesn't have the command. */
const isForbidden = (error: unknown): boolean =>
  error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message);

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

async function persistenceFindings(redis: Server, info: Info): Promise<readonly Finding[]> {
  const snapshots = info.get('rdb_last_bgsave_status') ?? 'ok';
  const failed = [
    ...(snapshots === 'ok'
      ? []
      : [warningFinding(ABOUT, `could not write its last snapshot (${snapshots})`, CHECK_DISK)]),
  ];
  if (info.get('aof_enabled') !== '1') return [await snapshotFinding(redis), ...failed];
  const status = info.get('aof_last_write_status') ?? 'ok';
  if (status !== 'ok')
    return [failedFinding(ABOUT, `can’t write its append-only file (${status})`, CHECK_DISK), ...failed];
  return [fsyncFinding(await readSetting(redis, 'appendfsync')), ...failed];
}

const CHECK_DISK = 'Free space on its disk, and look at its log.';

/** Undefined if Redis doesn't tell. */
async function readSetting(redis: Server, name: string): Promise<string | undefined> {
  const [, value] = (await redis.config('GET', name).catch(() => [])) as string[];
  return value;
}

async function snapshotFinding(redis: Server): Promise<Finding> {
  const save = await readSetting(redis, 'save');
  const says =
    save === undefined
      ? 'has no append-only file; the doctor could not check whether it writes snapshots'
      : save === ''
        ? 'keeps nothing on disk'
        : 'writes snapshots only, and loses what came after the last one';
  return warningFinding(
    ABOUT,
    says,
    'Set `appendonly yes`. Without it, a crash loses tokens, which people must register again, and posts may come twice.',
  );
}

function fsyncFinding(appendfsync: string | undefined): Finding {
  if (appendfsync === undefined)
    return okFinding(ABOUT, 'writes every change to its append-only file; could not check appendfsync');
  if (appendfsync !== 'no')
    return okFinding(
      ABOUT,
      `writes every change to its append-only file, and syncs it ${appendfsync === 'always' ? 'each time' : 'every second'}`,
    );
  return warningFinding(
    ABOUT,
    'writes every change to its append-only file, and leaves it to the system when it reaches the disk',
    'Set `appendfsync everysec`. Without it, a crash of the machine loses what half a minute brought.',
  );
}

/** From this share of its limit on, Redis is called almost full. */
const ALMOST_FULL = 0.9;

function memoryFinding(info: Info): Finding {
  const limit = Number(info.get('maxmemory'));
  if (info.get('maxmemory') === undefined) return okFinding(ABOUT, 'doesn’t say how much memory it may use');
  if (limit === 0) return okFinding(ABOUT, 'has no limit of its own for memory');
  const share = Number(info.get('used_memory')) / limit;
  const says = `uses ${Math.round(share * 100)} % of its ${(limit / 2 ** 20).toFixed(1)} MiB`;
  if (share < ALMOST_FULL) return okFinding(ABOUT, says);
  return warningFinding(ABOUT, says, 'Raise `maxmemory`. When it is full, Redis refuses every change.');
}

function evictionFinding(info: Info): Finding {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined) return okFinding(ABOUT, 'doesn’t say what it evicts: could not check');
  if (policy === 'noeviction') return okFinding(ABOUT, 'evicts nothing when memory runs out');
  const todo =
    'Set `maxmemory-policy noeviction`. Other policies delete records, including tokens, to free memory.';
  return warningFinding(ABOUT, `has the eviction policy ${policy}`, todo);
}
