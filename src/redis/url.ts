import { tryParse } from '../domain/try-parse.ts';

/** Where Redis is, as `REDIS_URL` says: one server, the master that Sentinels name, or a Cluster. */
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

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly isTls: boolean;
}

/** Where that is, for people: `redis.example.com:6379`, a socket's path, or several hosts. Nothing secret. */
export function formatRedisHosts(address: RedisAddress): string {
  if (address.kind !== 'single')
    return (address.kind === 'cluster' ? address.nodes : address.sentinels)
      .map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
      .join(',');
  const { protocol, pathname, hostname, port } = new URL(address.url);
  return protocol === 'unix:' ? pathname : `${hostname}:${port || 6379}`;
}

/** Says which part is wrong and what works, but not the value, which can be a password. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError';
  constructor(
    readonly what: string,
    readonly works: string,
  ) {
    super(`${what}. ${works}`);
  }
}

const ANY_FORM =
  'For example redis://127.0.0.1:6379, rediss://user:password@redis.example.com:6380/0, unix:///run/redis.sock, redis+sentinel://host1:26379,host2:26379/master-name or redis+cluster://host1:6379,host2:6379.';
const SENTINEL_FORM =
  'For example redis+sentinel://user:password@host1:26379,host2:26379/master-name, with rediss+sentinel:// for TLS, /2 after the name for database 2, and ?sentinelPassword= for the Sentinels’ own password.';
const CLUSTER_FORM =
  'For example redis+cluster://user:password@host1:6379,host2:6379, with rediss+cluster:// for TLS. Some of the nodes are enough.';

const SEVERAL_HOSTS = /^redis(s?)\+(sentinel|cluster):\/\/(.*)$/s;

/** Schemes that people write for Redis; any other word may be a part of a password. */
const OTHER_SCHEME = /^(?:https?|tcp|tls|ssl|valkeys?|rediss?[-+]\w+):\/\//i;

/** @throws RedisUrlError */
export function parseRedisUrl(given: string): RedisAddress {
  const text = given.replace(/^[a-z+]+:\/\//i, (scheme) => scheme.toLowerCase());
  if (/\s/.test(text.replace(/,\s+/g, ',')))
    throw new RedisUrlError('has a space in it; in a password, write it as %20', ANY_FORM);
  const [, tls, mode, rest] = SEVERAL_HOSTS.exec(text) ?? [];
  if (rest === undefined) return parseSingle(text);
  const form = mode === 'sentinel' ? SENTINEL_FORM : CLUSTER_FORM;
  const { userInfo, hosts, path, query } = splitAddress(rest, form);
  const credentials = { ...parseUserInfo(userInfo, form), isTls: tls === 's' };
  if (mode === 'cluster') {
    if (path !== '' && path !== '0')
      throw new RedisUrlError(
        'names a database, and a Cluster has only one',
        `Leave out what follows the hosts. ${form}`,
      );
    parseQuery(query, [], form);
    return { kind: 'cluster', nodes: parseHosts(hosts, 6379, form), ...credentials };
  }
  const [name = '', db = '0', ...more] = path.split('/');
  if (!/^[\w.-]+$/.test(name)) throw new RedisUrlError('has no name of a master after the Sentinels', form);
  if (!/^\d{1,4}$/.test(db) || more.length > 0)
    throw new RedisUrlError('has something other than a database’s number after the master’s name', form);
  return {
    kind: 'sentinel',
    sentinels: parseHosts(hosts, 26_379, form),
    name,
    db: Number(db),
    ...parseQuery(query, ['sentinelUsername', 'sentinelPassword'], form),
    ...credentials,
  };
}

/** Bytes, of Linux. */
const SOCKET_PATH_LIMIT = 107;

function parseSingle(text: string): RedisAddress {
  if (Buffer.byteLength(text) > 'unix://'.length + SOCKET_PATH_LIMIT && text.startsWith('unix:'))
    throw new RedisUrlError(
      `has a socket’s path of more than ${SOCKET_PATH_LIMIT} bytes, which no program can open`,
      'Make a short link to its folder: `ln -s /long/path /run/redis`, then REDIS_URL=unix:///run/redis/redis.sock',
    );
  if (/^unix:\/\/\/[^#\s]+$/.test(text)) return { kind: 'single', url: text };
  if (text.startsWith('unix:'))
    throw new RedisUrlError(
      'has no path of a socket',
      'Begin it with three slashes: unix:///run/redis.sock.',
    );
  const [other] = OTHER_SCHEME.exec(text) ?? [];
  if (other) throw new RedisUrlError(`begins with ${other}, which isn’t Redis’ scheme`, ANY_FORM);
  if (/^[^/]+$/.test(text) && !/^rediss?:/.test(text))
    throw new RedisUrlError(
      'doesn’t begin with redis://',
      `Put it in front, or rediss:// for TLS. ${ANY_FORM}`,
    );
  if (!/^rediss?:\/\//.test(text)) throw new RedisUrlError('is not a Redis address', ANY_FORM);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url && /^[^/]*\/\/[^/]*,/.test(text))
    throw new RedisUrlError(
      'has several hosts, which redis:// does not take',
      'Use redis+sentinel://host1:26379,host2:26379/master-name for Sentinels, or redis+cluster://host1:6379,host2:6379 for a Cluster.',
    );
  if (!url?.hostname)
    throw new RedisUrlError(
      'has a host or a port that can’t be read',
      `A port goes up to 65535, an address of IPv6 has brackets, [::1]:6379, and a password has / ? # @ as %2F, %3F, %23 and %40. ${ANY_FORM}`,
    );
  if (!/^(\/\d*)?$/.test(url.pathname))
    throw new RedisUrlError(
      'has something other than a database’s number after the host',
      `In a password, write / ? # @ as %2F, %3F, %23 and %40. ${ANY_FORM}`,
    );
  // The client decodes them, and throws.
  parseUserInfo(`${url.username}:${url.password}`, ANY_FORM);
  return { kind: 'single', url: text };
}

/** What may be after the ? of one server's address. The client would take any setting of its own from there. */
const SERVER_OPTIONS: readonly string[] = ['db', 'family', 'password', 'username'];

/** @returns the address of one server without the options that Tally ignores */
export function withoutIgnoredOptions(url: string): string {
  const [, address = url, query = ''] = /^([^?]*)\?([^#]*)/.exec(url) ?? [];
  const known = query.split('&').filter((entry) => SERVER_OPTIONS.includes(optionName(entry)));
  return known.length === 0 ? address : `${address}?${known.join('&')}`;
}

/** A word that isn't an option's name may be a secret. */
const optionName = (entry: string): string =>
  entry === '' ? '' : (/^([a-z]\w{0,31})=/i.exec(entry)?.[1] ?? '…');

function splitAddress(rest: string, form: string) {
  const [, userInfo, hosts = '', path = '', query = ''] =
    /^(?:(.*)@)?([^/?#@]*)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/s.exec(rest) ?? [];
  if (hosts === '') throw new RedisUrlError('has no host', form);
  if (userInfo !== undefined && /[/?#@]/.test(userInfo))
    throw new RedisUrlError(
      'has a / ? # or @ in the user name or the password',
      'Write them as %2F, %3F, %23 and %40 there.',
    );
  return { userInfo, hosts, path, query };
}

function parseUserInfo(text: string | undefined, form: string) {
  if (text === undefined || text === '') return {};
  const [user = '', ...rest] = text.split(':');
  const username = decode(user, 'the user name', form);
  if (rest.length === 0) return { username };
  const password = decode(rest.join(':'), 'the password', form);
  return username === '' ? { password } : { username, password };
}

function parseHosts(text: string, defaultPort: number, form: string): readonly RedisHost[] {
  return text.split(',').map((entry, at) => {
    const [, bracketed, plain, digits] =
      /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(entry.trim()) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined) throw new RedisUrlError(`is invalid: host ${at + 1} is not host:port`, form);
    const port = digits === undefined ? defaultPort : Number(digits);
    if (port < 1 || port > 65_535)
      throw new RedisUrlError(`is invalid: the port of host ${at + 1} is not from 1 to 65535`, form);
    return { host, port };
  });
}

function parseQuery<Name extends string>(
  text: string,
  names: readonly Name[],
  form: string,
): Partial<Record<Name, string>> {
  const options: Partial<Record<Name, string>> = {};
  for (const entry of text === '' ? [] : text.split('&')) {
    const [key, ...value] = entry.split('=');
    const name = names.find((known) => known === key);
    if (name === undefined)
      throw new RedisUrlError(`has the unknown option ${optionName(entry)} after the ?`, form);
    options[name] = decode(value.join('='), name, form);
  }
  return options;
}

function decode(text: string, part: string, form: string): string {
  const decoded = tryParse(() => decodeURIComponent(text));
  if (decoded === undefined)
    throw new RedisUrlError(`has a % in ${part} that encodes nothing`, `Write % as %25. ${form}`);
  return decoded;
}
