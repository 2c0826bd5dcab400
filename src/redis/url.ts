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

const IN_PASSWORDS = 'In a password, write / ? # @ % as %2F, %3F, %23, %40 and %25.';
const ANY_FORM = `For example redis://127.0.0.1:6379, rediss://user:password@redis.example.com:6380/0, unix:///run/redis.sock, redis+sentinel://host1:26379,host2:26379/master-name or redis+cluster://host1:6379,host2:6379. ${IN_PASSWORDS}`;
const SENTINEL_FORM = `For example redis+sentinel://user:password@host1:26379,host2:26379/master-name, with rediss+sentinel:// for TLS, /2 after the name for database 2, and ?sentinelPassword=…&sentinelUsername=… for the Sentinels’ own password and user. ${IN_PASSWORDS}`;
const CLUSTER_FORM = `For example redis+cluster://user:password@host1:6379,host2:6379, with rediss+cluster:// for TLS. Some of the nodes are enough. ${IN_PASSWORDS}`;

/** @throws RedisUrlError */
export function parseRedisUrl(url: string): RedisAddress {
  const text = url.replace(/^[a-z+]+:\/\//i, (scheme) => scheme.toLowerCase());
  const [, tls, mode, rest] = /^redis(s?)\+(sentinel|cluster):\/\/(.*)$/s.exec(text) ?? [];
  if (rest === undefined) return { kind: 'single', url: checkSingle(text) };
  const form = mode === 'sentinel' ? SENTINEL_FORM : CLUSTER_FORM;
  const [, userInfo, hosts, path = '', query = ''] =
    /^(?:([^/?#@]*)@)?([^/?#@]+)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/.exec(rest) ?? [];
  if (hosts === undefined) throw new RedisUrlError('has no hosts that can be read', form);
  const credentials = { ...parseUserInfo(userInfo, form), isTls: tls === 's' };
  if (mode === 'cluster') {
    if (!['', '0'].includes(path))
      throw new RedisUrlError('names a database, and a Cluster has only one', form);
    if (query !== '') throw new RedisUrlError('has an option after the ?, where none is known', form);
    return { kind: 'cluster', nodes: parseHosts(hosts, 6379, form), ...credentials };
  }
  const [, name, db = '0'] = /^([\w.-]+)(?:\/(\d{1,4}))?$/.exec(path) ?? [];
  if (name === undefined)
    throw new RedisUrlError(
      'has no name of a master after the Sentinels, or no database’s number after it',
      form,
    );
  const options = query.split('&').map((entry) => /^([^=]*)=?(.*)$/s.exec(entry)?.slice(1) ?? []);
  const { sentinelUsername, sentinelPassword, '': _, ...unknown } = Object.fromEntries(options);
  // Its name may be a secret.
  if (Object.keys(unknown).length > 0) throw new RedisUrlError('has an unknown option after the ?', form);
  return {
    kind: 'sentinel',
    sentinels: parseHosts(hosts, 26_379, form),
    name,
    db: Number(db),
    ...decodeAll({ sentinelUsername, sentinelPassword }, form),
    ...credentials,
  };
}

/** @returns the text itself */
function checkSingle(text: string): string {
  if (/^unix:\/\/\/[^#\s]+$/.test(text)) return text;
  const url = /^rediss?:\/\/\S+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (/^redis[^/]*\/\/[^/]*,/.test(text) && url === undefined)
    throw new RedisUrlError('has several hosts, which redis:// does not take', ANY_FORM);
  if (!url?.hostname) throw new RedisUrlError('is not a Redis address', ANY_FORM);
  if (!/^(\/\d*)?$/.test(url.pathname))
    throw new RedisUrlError('has something other than a database’s number after the host', ANY_FORM);
  // The client decodes them, and throws.
  parseUserInfo(`${url.username}:${url.password}`, ANY_FORM);
  return text;
}

/** The client would take any setting of its own from there. @returns the address of one server with what may be after its ? */
export function withoutIgnoredOptions(url: string): string {
  const [, address = url, query = ''] = /^([^?]*)\?([^#]*)/.exec(url) ?? [];
  const known = query.split('&').filter((entry) => /^(?:db|family|password|username)=/.test(entry));
  return known.length === 0 ? address : `${address}?${known.join('&')}`;
}

function parseUserInfo(text = '', form: string) {
  const [username, ...password] = text.split(':');
  return decodeAll({ username, password: password.join(':') }, form);
}

function parseHosts(text: string, defaultPort: number, form: string): readonly RedisHost[] {
  return text.split(',').map((entry, at) => {
    const [, bracketed, host = bracketed, digits = defaultPort] =
      /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(entry.trim()) ?? [];
    const port = Number(digits);
    if (host === undefined || port < 1 || port > 65_535)
      throw new RedisUrlError(`is invalid: host ${at + 1} is not host:port`, form);
    return { host, port };
  });
}

/** Without what is empty. */
function decodeAll<Name extends string>(
  parts: Readonly<Record<Name, string | undefined>>,
  form: string,
): Partial<Record<Name, string>> {
  const decoded = tryParse(() =>
    Object.entries<string | undefined>(parts).flatMap(([name, text]) =>
      text ? [[name, decodeURIComponent(text)]] : [],
    ),
  );
  if (decoded === undefined)
    throw new RedisUrlError('has a % in a user or a password that encodes nothing', form);
  return Object.fromEntries(decoded) as Partial<Record<Name, string>>;
}
