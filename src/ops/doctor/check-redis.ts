import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { connectRedis, isCluster, type RedisConnection, waitUntilReady } from '../../redis/connect.ts';
import { identifyPeer, RedisRefusal } from '../../redis/diagnose-connection.ts';
import { parseRedisUrl, type RedisHost } from '../../redis/url.ts';
import type { Placeholders } from './causes.ts';
import { distinctFindings, errorCode, type Finding, networkCode, toPlainLine } from './finding.ts';
import { asksForTls, firstHost, redisFigures, userOf } from './redacted-addresses.ts';
import { dryRun, serversOf } from './redis-dry-run.ts';
import {
  databaseFindings,
  fetchInfo,
  figuresOf,
  finding,
  good,
  type Info,
  isPlainWord,
  type Server,
  serverFindings,
} from './redis-server.ts';

/** @param error of ioredis, or the failure that it became @returns the operator's next step */
export function redisAdvice(error: unknown, url: string): string {
  const code = replyCode(isFailure(error) ? error.cause : error);
  // The doctor asks for every command.
  if (VAGUE.has(code) || code === 'NOPERM' || code === 'ERR') return 'Find out why: `tally doctor`';
  return finding(code, { ...redisFigures(url), ...announcedIn(error) }).todo ?? '';
}

/** @returns why Redis refused something, as a sentence; undefined if it did not answer */
export function refusalCause(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return `Redis ${finding(replyCode(error), {}).says}.`;
}

/**
 * Changes nothing.
 *
 * @param ready the connection; rejects with the error that prevents it. Never rejects itself.
 * @param url REDIS_URL
 */
export async function checkRedis(ready: Promise<RedisConnection>, url: string): Promise<readonly Finding[]> {
  const figures = redisFigures(url);
  try {
    return await checkConnected(await ready, url, figures);
  } catch (error) {
    return [await unusableFinding(error, url, figures)];
  }
}

/** Longer codes than the first word of a reply, which is ERR for many causes. */
const LONG_CODES = [
  'ERR DB index is out of range',
  'ERR This instance has cluster support disabled',
  'ERR max number of clients reached',
  'ERR max number of clients + cluster connections reached',
  'ERR unknown command',
];

const codeIn = (text: string): string | undefined =>
  LONG_CODES.find((code) => text.startsWith(code)) ?? /^([A-Z]{3,}) /.exec(text)?.[1];

const replyCode = (error: unknown): string =>
  (error instanceof Error && error.name === 'ReplyError' ? codeIn(error.message) : undefined) ??
  errorCode(error);

/** How long a Sentinel may take to name its masters. */
const SENTINEL_TIMEOUT: Millis = 2_000;

/** What ioredis says when a connection ends, whatever the cause. */
const VAGUE: ReadonlySet<string> = new Set([
  ...['closed', 'EPIPE', 'ECONNRESET', 'ETIMEDOUT', 'timeout', 'protocol error', 'no reason given'],
  ...['MaxRetriesPerRequestError', 'AbortError', 'ClusterAllFailedError'],
]);

async function unusableFinding(error: unknown, url: string, figures: Placeholders): Promise<Finding> {
  const code = replyCode(error);
  const seen = VAGUE.has(code) ? await identify(url, code) : code;
  const text = error instanceof Error ? error.message : '';
  const [, command = ''] = /['`‘]([a-z|]+)['`’]/i.exec(text.toLowerCase()) ?? [];
  // The client asks these before it is ready.
  if (command && seen === 'NOPERM')
    return finding(seen, { ...figures, user: userOf(url), commands: command, rules: `'+${command}'` });
  if (command === 'cluster' && seen === 'ERR unknown command') {
    const name = await knownMaster(url);
    const asSentinel = figures.asSentinel?.replace('master-name', name) ?? '';
    if (name !== 'master-name') return finding('redis_mode:sentinel', { ...figures, asSentinel });
  }
  if (command && command !== 'sentinel' && seen === 'ERR unknown command')
    return missingFinding([command], figures);
  if (seen === 'ERR' || seen === 'ReplyError') {
    // Nothing secret was sent, so its answer repeats nothing secret.
    const refusal = await identifyPeer(firstHost(url), asksForTls(url));
    if (refusal.includes(' ')) return finding('refused', { ...figures, text: toPlainLine(refusal) });
  }
  if (seen === 'WRONGPASS' && figures.hasPassword === 'no') return finding('WRONGPASS user', figures);
  if (seen === 'unknown master') {
    const { asMaster = '' } = figures;
    const name = await knownMaster(url);
    return finding(seen, { ...figures, asMaster: asMaster.replace('master-name', name) });
  }
  return finding(seen, { ...figures, ...announcedIn(error) });
}

/** The host that the error came from, if it is not the first host of the address. */
const announcedIn = (error: unknown): Placeholders =>
  error instanceof RedisRefusal && error.at ? { announced: `${error.at.host}:${error.at.port}` } : {};

/** @returns what answers there, if that tells more than the code */
async function identify(url: string, code: string): Promise<string> {
  const isTls = asksForTls(url);
  const to = firstHost(url);
  const peer = await identifyPeer(to, isTls);
  if (peer === (isTls ? 'TLS' : 'plain')) return code;
  return codeIn(peer) ?? ('host' in to ? networkCode(peer, to.host) : peer);
}

async function checkConnected(
  redis: RedisConnection,
  url: string,
  figures: Placeholders,
): Promise<readonly Finding[]> {
  // Runs in parallel with the other questions, which take as long.
  const latency = measureLatency(redis);
  const servers = serversOf(redis);
  const infos = await Promise.all(
    servers.map((server) =>
      fetchInfo(server).catch((error: Error) => {
        throw isCluster(redis) ? lostNode(server, error) : error;
      }),
    ),
  );
  const [first] = infos;
  const knownOf = async (server: Server | undefined, info: Info | undefined) => ({
    ...redisFigures(url, hostOf(server, redis)),
    ...{ url, user: userOf(url) },
    ...(info && (await figuresOf(server, info))),
  });
  const known = await knownOf(servers[0], first);
  const lost = lostHosts(url);
  if (first !== undefined && !isCluster(redis)) {
    const wrongMode = await modeFinding(redis, first, known);
    if (wrongMode !== undefined) return [wrongMode];
  }
  const found = await Promise.all(
    servers.map(async (server, at) => serverFindings(server, infos[at], await knownOf(server, infos[at]))),
  );
  const findings = [
    ...(isCluster(redis) ? [good(`is a Cluster with ${servers.length} masters`)] : []),
    ...distinctFindings(found.flat()),
    ...(first === undefined || isCluster(redis) ? [] : databaseFindings(first, known)),
  ];
  const rights = await rightFindings(redis, known).catch(async (error: unknown) => {
    const isTls = asksForTls(url);
    const isAnswering = (await identifyPeer(firstHost(url), isTls)) === (isTls ? 'TLS' : 'plain');
    if (errorCode(error) !== 'timeout' || !isAnswering) throw error;
    return [finding('pause', figures)];
  });
  const [host, ...others] = await lost;
  if (host !== undefined) {
    const hosts = [host, ...others].map((each) => `${each.host}:${each.port}`).join(', ');
    findings.push(finding('lost host', { ...redisFigures(url, host), hosts }));
  }
  const ms = await latency;
  if (ms > SLOW) findings.push(finding('latency', { ...figures, ms: String(Math.round(ms)) }));
  return [...findings, ...rights.filter(({ code }) => !isKnown(findings, code))].filter(
    // The snapshot that failed is why changes are refused.
    ({ code }) => code !== 'rdb_last_bgsave_status' || !isKnown(rights, 'MISCONF'),
  );
}

/** @returns where a node of a Cluster is, or the master that the Sentinels name; undefined for the address of the URL itself */
function hostOf(server: Server | undefined, redis: RedisConnection): RedisHost | undefined {
  if (isCluster(redis)) return (server as { options?: RedisHost }).options;
  const { remoteAddress: host, remotePort: port } = redis.options.sentinels ? redis.stream : {};
  return host && port ? { host, port } : undefined;
}

/** What answers at a host that is there. */
const THERE = /^(?!E(?!RR)|timeout|closed)/;

/** @returns the Sentinels or nodes of the address where nothing answers */
async function lostHosts(url: string): Promise<readonly RedisHost[]> {
  const address = parseRedisUrl(url);
  if (address.kind === 'single') return [];
  const hosts = address.kind === 'cluster' ? address.nodes : address.sentinels;
  const peers = await Promise.all(hosts.map((host) => identifyPeer(host, address.isTls)));
  return hosts.filter((_, at) => !THERE.test(peers[at] ?? ''));
}

/** ioredis only says that the connection was closed. */
function lostNode(server: Server, error: Error): Error {
  const { host, port } = (server as { options?: Partial<RedisHost> }).options ?? {};
  if (error.name === 'ReplyError' || host === undefined || port === undefined) return error;
  return new RedisRefusal('announced address', { host, port });
}

/** In ms: a person notices such a wait. */
const SLOW: Millis = 100;

/** @returns the fastest of three: the doctor's own start makes the first slow */
async function measureLatency(redis: RedisConnection): Promise<Millis> {
  const times: Millis[] = [];
  for (let count = 0; count < 3; count++) {
    const start = performance.now();
    // A refusal takes as long.
    await redis.ping().catch(() => undefined);
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

/** A replica, and a file that can't be written, show in INFO and again in what is refused. */
const isKnown = (findings: readonly Finding[], code: string | undefined): boolean =>
  code !== undefined && findings.some((finding) => finding.code === code);

/** A server of another kind than REDIS_URL says still accepts the connection. */
async function modeFinding(redis: Server, info: Info, figures: Placeholders): Promise<Finding | undefined> {
  const mode = info.get('redis_mode');
  if (mode === 'cluster') return finding('redis_mode:cluster', figures);
  if (mode !== 'sentinel') return undefined;
  const asSentinel = figures.asSentinel?.replace('master-name', await masterOf(redis)) ?? '';
  return finding('redis_mode:sentinel', { ...figures, asSentinel });
}

/** @returns the name of a master that this Sentinel watches; `master-name` if it doesn't tell */
async function masterOf(sentinel: Pick<Server, 'call'>): Promise<string> {
  const masters = (await sentinel.call('SENTINEL', 'MASTERS').catch(() => [])) as string[][];
  const name = masters[0]?.[1];
  return isPlainWord(name) ? name : 'master-name';
}

/** Asks the first Sentinel of the address. */
async function knownMaster(url: string): Promise<string> {
  const host = firstHost(url);
  if ('path' in host) return 'master-name';
  const scheme = asksForTls(url) ? 'rediss' : 'redis';
  const at = host.host.includes(':') ? `[${host.host}]` : host.host;
  const sentinel = connectRedis(`${scheme}://${at}:${host.port}`, { staysWithReplica: true });
  try {
    await waitUntilReady(sentinel, SENTINEL_TIMEOUT);
    return await masterOf(sentinel);
  } catch {
    return 'master-name';
  } finally {
    sentinel.disconnect();
  }
}

/** As in docs/redis.md, quoted for a shell. */
export const DOCUMENTED_RIGHTS =
  "+@read +@write +@blocking +@scripting +@transaction +@connection -@dangerous +time +info '+cluster|slots' '+cluster|info' '+client|list'";
/** Up to this many missing commands are named one by one. */
const FEW_COMMANDS = 6;

const missingFinding = (commands: readonly string[], figures: Placeholders): Finding =>
  finding('unknown command', { ...figures, commands: commands.join(', '), command: commands[0] ?? '' });

/** What a connection refuses that Tally needs: bad findings alone, none if it doesn't answer. Changes nothing. Never rejects. */
export async function findRefusals(redis: RedisConnection, url: string): Promise<readonly Finding[]> {
  const figures = { ...redisFigures(url), url, user: userOf(url) };
  const findings = await rightFindings(redis, figures).catch(() => []);
  return findings.filter(({ verdict }) => verdict === 'bad');
}

async function rightFindings(
  redis: RedisConnection,
  known: Placeholders & Readonly<Record<'url' | 'user', string>>,
): Promise<readonly Finding[]> {
  const { server, commands, missing, keys, write } = await dryRun(redis);
  const { cli = '', address = '' } = redisFigures(known.url, hostOf(server, redis));
  const figures = { ...known, cli, address };
  const isFew = commands.length <= FEW_COMMANDS && !commands.includes('multi');
  const rules = isFew
    ? commands.map((command) => (command.includes('|') ? `'+${command}'` : `+${command}`)).join(' ')
    : DOCUMENTED_RIGHTS;
  const refused = [
    ...(commands.length > 0 ? [finding('NOPERM', { ...figures, rules, commands: commands.join(', ') })] : []),
    ...(missing.length > 0 ? [missingFinding(missing, figures)] : []),
    ...(keys ? [finding('NOPERM keys', figures)] : []),
    ...(write === undefined ? [] : [finding(replyCode(write), figures)]),
  ];
  return refused.length > 0 ? refused : [good('takes writes')];
}
