/**
 * How the value of each kind of variable is read. A refusal tells the place within the value and never the value: it
 * may be a secret, set in the wrong variable.
 */
import { isIP, isIPv6 } from 'node:net';
import type { LevelWithSilent } from 'pino';
import type { SealingKey } from './vault/keyring.ts';

export interface TrustedHost {
  readonly host: string;
  readonly port?: number;
}

export class Refused extends Error {
  constructor(
    readonly what: string,
    readonly works: string,
  ) {
    super(what);
  }
}

export const MAKE_KEY = 'A key is made with `openssl rand -base64 32`';
const LEVELS: readonly LevelWithSilent[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export function slackToken(prefix: string, called: string) {
  return (text: string): string => {
    const rest = text.slice(prefix.length);
    if (text.startsWith(prefix) && /^[\w.-]+$/.test(rest)) return text;
    throw new Refused(`is not ${called}`, `One begins with ${prefix}, then letters, digits and hyphens.`);
  };
}

/** Secrets and ids that Slack or the operator made up: one word, and no token, which belongs elsewhere. */
export function word(called: string, works: string) {
  return (text: string): string => {
    if (/^\S+$/.test(text) && !/^x(ox|app)/.test(text)) return text;
    throw new Refused(`is not ${called}`, works);
  };
}

/** @param trusted where plain http may go as well */
export function slackApiUrl(text: string, trusted: readonly TrustedHost[]): string {
  const works = 'For example https://slack.com/api/, or http://127.0.0.1:4000/api/ for a sandbox.';
  const url = parseUrl(text, works);
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isAmong(trusted, url))
    throw new Refused(
      'is plain http to another machine, and the bot token would travel along',
      `${works} TRUSTED_API_HOSTS can allow a host that has no https.`,
    );
  return `${withoutSlash(url)}/`;
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

function isAmong(trusted: readonly TrustedHost[], { hostname, port }: URL): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return trusted.some((one) => one.host === bare && (one.port ?? Number(port || 80)) === Number(port || 80));
}

export function webUrl(text: string): string {
  return withoutSlash(parseUrl(text, 'For example https://api.example.com.'));
}

function parseUrl(text: string, works: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Refused('is not a web address', works);
  if (url.username || url.password) throw new Refused('carries a user name or a password', works);
  if (url.search || url.hash) throw new Refused('carries a ? or a # part', works);
  return url;
}

function withoutSlash(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new Refused('is not a port', 'A whole number from 1 to 65535, for example 3000.');
}

export function redisUrl(text: string): string {
  if (/^unix:\/\/\/[^#\s]+$/.test(text)) return text;
  const url = /^rediss?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname && /^(\/\d*)?$/.test(url.pathname)) return text;
  throw new Refused(
    'is not an address of Redis',
    'For example redis://127.0.0.1:6379, rediss://user:password@redis.example.com:6380/0 or unix:///run/redis.sock.',
  );
}

export function sealingKeys(text: string): readonly SealingKey[] {
  const entries = text.split(',').map((entry) => entry.trim());
  const keys = entries.map((entry, i) => sealingKey(entry, entries.length > 1 ? `key ${i + 1}` : 'the key'));
  keys.forEach(({ id }, i) => {
    const first = keys.findIndex((key) => key.id === id);
    if (first < i)
      throw new Refused(`names key ${first + 1} and key ${i + 1} alike`, 'Every key has a name of its own.');
  });
  return keys;
}

function sealingKey(entry: string, which: string): SealingKey {
  const works = `${MAKE_KEY} and written id:key, newest first, with commas between; an id has 1 to 32 letters, digits, _ or -.`;
  const [, id, base64] = /^([A-Za-z0-9_-]{1,32}):(.*)$/.exec(entry) ?? [];
  if (id === undefined || base64 === undefined)
    throw new Refused(`is refused: ${which} is not written id:key`, works);
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64))
    throw new Refused(`is refused: ${which} is not base64`, works);
  const key = Buffer.from(base64, 'base64');
  if (key.length !== 32)
    throw new Refused(`is refused: ${which} has ${key.length} bytes instead of 32`, works);
  return { id, key };
}

export function trustedHosts(text: string): readonly TrustedHost[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map((entry, i) => trustedHost(entry, i + 1));
}

function trustedHost(entry: string, place: number): TrustedHost {
  const refusal = new Refused(
    `is refused: entry ${place} is not host or host:port`,
    'For example billing.internal, 10.0.0.5:8443 or [fd00::5]:8443, with commas between and without https://.',
  );
  const [, host, port] =
    /^(\[[^\]]*\]|[^\s:/?#@[\]]+)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}/`)) throw refusal;
  const hostname = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '');
  if (port === undefined) return { host: hostname };
  if (Number(port) < 1 || Number(port) > 65_535) throw refusal;
  return { host: hostname, port: Number(port) };
}

export function logLevel(text: string): LevelWithSilent {
  const known = LEVELS.find((level) => level === text.toLowerCase());
  if (known !== undefined) return known;
  throw new Refused('is not a level of the log', `One of ${LEVELS.join(', ')}.`);
}
