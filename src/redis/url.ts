/** Parses REDIS_URL: one server, Sentinels or a Cluster. */
import { tryParse } from '../domain/try-parse.ts';

export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | ({
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisHost[];
      readonly name: string;
      readonly db: number;
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    } & Credentials)
  | ({ readonly kind: 'cluster'; readonly nodes: readonly RedisHost[] } & Credentials);

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly isTls: boolean;
}

export function formatRedisHosts(address: RedisAddress): string {
  if (address.kind !== 'single')
    return (address.kind === 'cluster' ? address.nodes : address.sentinels)
      .map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
      .join(',');
  const { protocol, pathname, hostname, port } = new URL(address.url);
  return protocol === 'unix:' ? pathname : `${hostname}:${port || 6379}`;
}

/** The message never quotes the URL, which can contain a password. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
  readonly works =
    'For example redis://127.0.0.1:6379, rediss://user:password@redis.example.com:6380/0 with TLS, unix:///run/redis.sock, redis+sentinel://host1:26379,host2:26379/master-name/0?sentinelPassword=… or redis+cluster://host1:6379,host2:6379. In a password, write / ? # @ % as %2F, %3F, %23, %40 and %25.';
  constructor(readonly what: string) {
    super(what);
  }
}

export function parseRedisUrl(text: string): RedisAddress {
  if (/^unix:\/\/\/[^#\s]+$/.test(text)) return { kind: 'single', url: text };
  const [, tls, mode, user = '', hosts = '', rest = ''] =
    /^redis(s?)(?:\+(sentinel|cluster))?:\/\/([^/?#]*@)?([^/?#@\s]+)([/?][^#@\s]*)?$/i.exec(text) ?? [];
  if (hosts === '') throw new RedisUrlError('is not a Redis address');
  const { username, password, pathname, search } = new URL(`redis://${user}host${rest}`);
  const credentials = { ...decodeAll({ username, password }), isTls: tls !== '' };
  if (mode === 'cluster') {
    if (!['', '/', '/0'].includes(pathname))
      throw new RedisUrlError('names a database, but a Cluster has only one');
    if (search !== '')
      throw new RedisUrlError('has an option after the ?, but a Cluster’s address takes none');
    return { kind: 'cluster', nodes: parseHosts(hosts, 6379), ...credentials };
  }
  if (mode === 'sentinel')
    return {
      kind: 'sentinel',
      sentinels: parseHosts(hosts, 26_379),
      ...parseMaster(pathname),
      ...parseSentinelOptions(search),
      ...credentials,
    };
  if (hosts.includes(',')) throw new RedisUrlError('has several hosts, but redis:// takes one');
  if (!URL.canParse(text)) throw new RedisUrlError('is not a Redis address');
  if (!/^(\/\d*)?$/.test(pathname))
    throw new RedisUrlError('has something other than a database number after the host');
  return { kind: 'single', url: text };
}

function parseMaster(path: string) {
  const [, name, db = '0'] = /^\/([\w.-]+)(?:\/(\d{1,4}))?$/.exec(path) ?? [];
  if (name !== undefined) return { name, db: Number(db) };
  throw new RedisUrlError(
    'has no master’s name after the Sentinels, or something other than a database number after it',
  );
}

function parseSentinelOptions(search: string) {
  const options = new URLSearchParams(search.replaceAll('+', '%2B'));
  const { sentinelUsername = '', sentinelPassword = '', ...unknown } = Object.fromEntries(options);
  // An unknown option may be part of a password, so don't quote its name.
  if (Object.keys(unknown).length > 0) throw new RedisUrlError('has an unknown option after the ?');
  return { ...(sentinelUsername && { sentinelUsername }), ...(sentinelPassword && { sentinelPassword }) };
}

function parseHosts(text: string, defaultPort: number): readonly RedisHost[] {
  return text.split(',').map((entry, at) => {
    const [, bracketed, host = bracketed, digits = defaultPort] =
      /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
    const port = Number(digits);
    if (host === undefined || port < 1 || port > 65_535)
      throw new RedisUrlError(`is invalid: host ${at + 1} is not host:port`);
    return { host, port };
  });
}

function decodeAll({ username, password }: { readonly username: string; readonly password: string }) {
  const decoded = tryParse(() => [username, password].map(decodeURIComponent));
  if (decoded === undefined) throw new RedisUrlError('has an invalid % sequence in the user or password');
  const [user, word] = decoded;
  return { ...(user && { username: user }), ...(word && { password: word }) };
}
