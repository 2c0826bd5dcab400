import { formatRedisHosts, parseRedisUrl, type RedisAddress, type RedisHost } from '../../redis/url.ts';
import type { Placeholders } from './causes.ts';

/**
 * The parts of REDIS_URL that sentences and commands may show: no password, and no user name either, which may be a
 * password in the wrong place.
 *
 * @param at the server that commands are for; by default the first host
 */
export function redisFigures(url: string, at?: RedisHost): Placeholders {
  const address = parseRedisUrl(url);
  const { host, port, path, isTls, hasUser, hasPassword, database } = { ...partsOf(address), ...at };
  const cli =
    path === undefined ? `redis-cli -h ${host} -p ${port}${isTls ? ' --tls' : ''}` : `redis-cli -s ${path}`;
  const hostAndPort = path ?? `${bracketed(host)}:${port}`;
  const userInfo = hasUser ? 'user:password@' : hasPassword ? ':password@' : '';
  const secure = isTls ? 's' : '';
  const toOne = `redis${secure}://${userInfo}${hostAndPort}`;
  /** The address in the form that it was written in, with some of its parts replaced. */
  const written = ({ s = secure, info = userInfo, db = database === '0' ? '' : `/${database}` }) => {
    if (path !== undefined) return `unix://${path}`;
    if (address.kind === 'single') return `redis${s}://${info}${hostAndPort}${db}`;
    return `redis${s}+${address.kind}://${info}${formatRedisHosts(address)}${address.kind === 'sentinel' ? `/${address.name}${db}` : ''}`;
  };
  return {
    variable: 'REDIS_URL',
    host: path ?? host,
    port: String(port),
    address: hostAndPort,
    cli,
    try: `${cli} ping`,
    example: 'redis://redis.example.com:6379',
    hasPassword: hasUser && !hasPassword ? 'no' : 'yes',
    database,
    user: hasUser ? '…' : 'default',
    folder: '/var/lib/redis',
    asPlain: written({ s: '' }),
    asTls: written({ s: 's' }),
    asSingle: toOne.replace(/:26379$/, ':6379'),
    asCluster: `redis${secure}+cluster://${userInfo}${hostAndPort}`,
    asSentinel: `redis${secure}+sentinel://${userInfo}${hostAndPort}/master-name`,
    asDatabase0: written({ db: '/0' }),
    asPrimary: `redis${secure}://${userInfo}primary.example.com:6379`,
    withPassword: written({ info: hasUser ? 'user:password@' : ':password@' }),
    withOnlyPassword: written({ info: ':password@' }),
    withSentinelPassword: `${written({})}?sentinelPassword=…`,
    moreMemory: '1gb',
    announce: address.kind === 'cluster' ? 'cluster-announce-ip' : 'replica-announce-ip',
    ...(address.kind === 'sentinel' && {
      master: address.name,
      asMaster: written({}).replace(/\/[^/]*(\/\d+)?$/, '/master-name$1'),
    }),
  };
}

/** The URL for another host of the same kind. */
export function redisUrlTo(url: string, host: RedisHost): string {
  const { isTls, hasUser, hasPassword } = partsOf(parseRedisUrl(url));
  const userInfo = hasUser ? 'user:password@' : hasPassword ? ':password@' : '';
  return `${isTls ? 'rediss' : 'redis'}://${userInfo}${bracketed(host.host)}:${host.port}`;
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

function partsOf(address: RedisAddress): ReturnType<typeof partsOfUrl> {
  if (address.kind === 'single') return partsOfUrl(new URL(address.url));
  const [first = { host: '', port: 0 }] = address.kind === 'cluster' ? address.nodes : address.sentinels;
  return {
    ...first,
    isTls: address.isTls,
    hasUser: address.username !== undefined,
    hasPassword: address.password !== undefined,
    database: address.kind === 'sentinel' ? String(address.db) : '0',
  };
}

function partsOfUrl(url: URL) {
  const query = url.searchParams.get('db');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    ...(url.protocol === 'unix:' && { path: url.pathname }),
    isTls: url.protocol === 'rediss:',
    hasUser: url.username !== '',
    hasPassword: url.password !== '' || url.searchParams.has('password'),
    database: query ?? (url.protocol === 'unix:' ? '0' : url.pathname.slice(1) || '0'),
  };
}

/** Where to look when Redis can't be used: its first host. */
export function firstHost(url: string): RedisHost | { readonly path: string } {
  const { host, port, path } = partsOf(parseRedisUrl(url));
  return path === undefined ? { host, port } : { path };
}

/** The user that Redis knows: only for a connection that it accepted. */
export function userOf(url: string): string {
  const address = parseRedisUrl(url);
  const name = address.kind === 'single' ? new URL(address.url).username : address.username;
  if (!name) return 'default';
  return /^[\w.-]+$/.test(name) ? name : '…';
}

export const asksForTls = (url: string): boolean => partsOf(parseRedisUrl(url)).isTls;

/**
 * The parts of a web address that sentences and commands may show.
 *
 * @param variable where it is written
 * @param tried what a person can ask for with curl, by default the address itself
 */
export function webFigures(variable: string, address: string, tried: string = address): Placeholders {
  const url = new URL(address);
  const port = url.port || (url.protocol === 'http:' ? '80' : '443');
  return {
    variable,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    address: `${url.hostname}:${port}`,
    asHttps: address.replace(/^http:/, 'https:'),
    try: `curl -sS ${tried}`,
  };
}
