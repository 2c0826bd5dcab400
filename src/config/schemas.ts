/**
 * The schema of each kind of value in the environment. An error message has two lines, what is wrong and what works. It
 * never repeats the value, which may be a secret in the wrong variable.
 */
import { isIP, isIPv6 } from 'node:net';
import type { LevelWithSilent } from 'pino';
import * as z from 'zod';
import type { Rate } from '../domain/rate-limits.ts';
import { isTrusted, type TrustedHost } from '../http/address.ts';
import { parseRedisUrl, RedisUrlError } from '../redis/url.ts';

export const MAKE_KEY = 'Make a key with `openssl rand -base64 32`';
const LEVELS = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
] as const satisfies LevelWithSilent[];

export const message = (what: string, works: string): string => `${what}\n${works}`;
export const notSetMessage = (works: string): string => message('is not set', works);

/** A schema from a function that parses the text. `fail` reports a problem and ends the parsing. */
const parsedBy = <T>(parse: (text: string, fail: (what: string, works: string) => never) => T) =>
  z.string().transform((text, ctx) => {
    try {
      return parse(text, (what, works) => {
        throw new Problem(message(what, works));
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      ctx.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
class Problem extends Error {}

export const required = <T extends z.ZodType>(schema: T, works: string) =>
  z.string({ error: notSetMessage(works) }).pipe(schema as z.ZodType<z.output<T>, string>);

/** Slack's tokens by how they begin, with where each belongs. */
const TOKENS = {
  'xoxb-': 'a bot token, which belongs in SLACK_BOT_TOKEN=xoxb-…',
  'xapp-': 'an app-level token, which belongs in SLACK_APP_TOKEN=xapp-…',
  'xoxp-': 'a user token, which Tally doesn’t need',
  xoxe: 'a token of token rotation, which Tally doesn’t need',
  'xoxc-': 'a token of a browser session, which Tally doesn’t need',
} as const;

/** @param where the token is shown, completes “Copy it …” */
export const slackToken = (prefix: 'xoxb-' | 'xapp-', name: string, line: string) =>
  z.string().regex(new RegExp(`^${prefix}[\\w.-]+$`), {
    error: ({ input }) => {
      const other = Object.entries(TOKENS).find(([start]) => String(input).startsWith(start));
      if (other === undefined || other[0] === prefix)
        return message(
          `is not ${name}`,
          `It begins with ${prefix}, then letters, digits and hyphens. ${line}`,
        );
      const [what = '', belongs = ''] = other[1].split(', which ');
      return message(`is ${what}, not ${name}`, `That one ${belongs}. ${line}`);
    },
  });

/** Secrets and IDs: one word, and not a Slack token, which belongs in another variable. */
export const word = (name: string, works: string) =>
  z.string().regex(/^(?!x(?:ox|app))\S+$/, { error: message(`is not ${name}`, works) });

type Fail = (what: string, works: string) => never;

function parseUrl(text: string, works: string, fail: Fail): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return fail('is not a web address', works);
  if (url.username || url.password) return fail('has a user name or a password in it', works);
  if (url.search || url.hash) return fail('has a ? or a # part', works);
  if (url.hostname.includes(',')) return fail('has several addresses in it, and takes one', works);
  if (url.hostname.endsWith('.')) return fail('has a dot after the host', works);
  return url;
}

const withoutSlash = (url: URL): string => url.href.replace(/\/+$/, '');

export const webUrl = parsedBy((text, fail) =>
  withoutSlash(parseUrl(text, 'For example https://api.example.com.', fail)),
);

/** Slack's limit is 32 characters a command, and `/os-token` is the longest. */
const LONGEST_PREFIX = 22;

/** Slack's commands have no name spaces. Tally goes by the end of a command, so every prefix works. */
export const commandPrefix = z
  .string()
  .max(LONGEST_PREFIX, message('is too long', `It has up to ${LONGEST_PREFIX} characters.`))
  .regex(
    /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/,
    message('is not a prefix', 'It has lower-case letters, digits and hyphens: acme makes /acme-balance.'),
  );

/** @param name completes “is not …” @param unit may be written after the number */
const wholeNumber = (name: string, from: number, to: number, example: number, unit = '') =>
  parsedBy((text, fail) => {
    const [digits = ''] =
      /^\d{1,5}$/.exec(unit !== '' && text.endsWith(unit) ? text.slice(0, -1) : text) ?? [];
    if (digits !== '' && Number(digits) >= from && Number(digits) <= to) return Number(digits);
    if (text.startsWith('tcp://'))
      return fail(
        'is tcp://…, which Kubernetes sets for a Service of that name',
        `Set \`enableServiceLinks: false\` in the pod, or write the number, for example ${example}.`,
      );
    return fail(`is not ${name}`, `Use a whole number from ${from} to ${to}, for example ${example}.`);
  });

export const portNumber = wholeNumber('a port', 1, 65_535, 3000);
export const connectionCount = wholeNumber('a number of connections', 2, 256, 32);
/** Written in seconds, with or without the unit. @returns ms */
export const delay = wholeNumber('a number of seconds', 0, 60, 5, 's').transform((seconds) => seconds * 1000);

const SECONDS = { s: 1, m: 60, h: 3_600 } as const;

/** Written as how many in which time, `20/10s`. */
export const rateLimit = parsedBy((text, fail): Rate => {
  const [, most, span, unit] = /^(\d{1,6}) ?\/ ?(\d{0,5})([smh])$/.exec(text) ?? [];
  const seconds = Number(span || 1) * SECONDS[(unit ?? 's') as keyof typeof SECONDS];
  if (most === undefined)
    return fail(
      'is not a limit',
      'Write how many in which time: 20/10s, 5/1m or 30/1h. 20/10s lets 20 through in 10 seconds.',
    );
  if (Number(most) < 1 || Number(most) > 10_000 || seconds < 1 || seconds > 3_600)
    return fail('is out of range', 'Use 1 to 10000 in 1 second to 1 hour, for example 20/10s.');
  return { most: Number(most), per: seconds * 1_000 };
});

export const redisUrl = parsedBy((text, fail) => {
  try {
    parseRedisUrl(text);
    return text;
  } catch (error) {
    if (error instanceof RedisUrlError) return fail(error.what, error.works);
    throw error;
  }
});

export const sealingKeys = parsedBy((text, fail) => {
  const entries = text.split(',').map((entry) => entry.trim());
  const keys = entries.map((entry, at) =>
    parseSealingKey(entry, entries.length > 1 ? `key ${at + 1}` : 'the key', fail),
  );
  for (const [at, { id }] of keys.entries()) {
    const first = keys.findIndex((key) => key.id === id);
    if (first < at)
      fail(
        `gives key ${first + 1} and key ${at + 1} the same name`,
        'Give the newer one, which comes first, a name of its own: ENCRYPTION_KEYS=new-name:…,old-name:…',
      );
  }
  return keys;
});

function parseSealingKey(entry: string, name: string, fail: Fail) {
  const works = `${MAKE_KEY} and write it as id:key, newest first, separated by commas. An ID has 1 to 32 letters, digits, _ or -.`;
  const [, id = '', base64 = ''] = /^(.*):(.*)$/.exec(entry) ?? [];
  if (/[;\s]/.test(entry)) return fail('has keys that are not separated by commas', works);
  if (id === '') return fail(`is invalid: ${name} is not written id:key`, works);
  if (Buffer.from(id, 'base64').length === 32)
    return fail(
      `is invalid: ${name} is written key:id`,
      `Write its name first: ENCRYPTION_KEYS=id:key. ${works}`,
    );
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id))
    return fail(`is invalid: the ID of ${name} has other characters, or too many`, works);
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) return fail(`is invalid: ${name} is not base64`, works);
  if (/^(?:[0-9a-f]{2}){16,}$/i.test(base64))
    return fail(`is invalid: ${name} is hexadecimal, not base64`, works);
  const key = Buffer.from(base64, 'base64');
  if (key.length !== 32) return fail(`is invalid: ${name} has ${key.length} bytes instead of 32`, works);
  if (key.every((byte) => byte === 0))
    return fail(`is invalid: ${name} is nothing but zeros, which anybody can guess`, works);
  return { id, key };
}

export const trustedHosts = parsedBy((text, fail): readonly TrustedHost[] => {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map((entry, at) => parseTrustedHost(entry, at + 1, fail));
});

function parseTrustedHost(entry: string, position: number, fail: Fail): TrustedHost {
  const refuse = () =>
    fail(
      `is invalid: entry ${position} is not host or host:port`,
      'For example billing.internal, 10.0.0.5:8443 or [fd00::5]:8443, separated by commas, without https://, ranges or *.',
    );
  const [, host, digits] =
    /^(\[[^\]]*\]|[^\s:;/?#@*[\]]+)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}/`)) return refuse();
  const hostname = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '');
  if (digits === undefined) return { host: hostname };
  const number = portNumber.safeParse(String(Number(digits)));
  return number.success ? { host: hostname, port: number.data } : refuse();
}

export const SLACK_API = 'For example https://slack.com/api/, or http://127.0.0.1:4000/api/ for a sandbox.';
export const slackApiUrl = parsedBy((text, fail) => `${withoutSlash(parseUrl(text, SLACK_API, fail))}/`);

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

/** Plain http would expose the bot token to everyone on the network. */
export function isSafeForTokens(url: string, trusted: readonly TrustedHost[]): boolean {
  const to = new URL(url);
  if (to.protocol === 'https:' || isLoopback(to.hostname)) return true;
  return isTrusted(to, trusted);
}

const oneOf = <const T extends string>(values: readonly T[], what: string) =>
  z
    .string()
    .toLowerCase()
    .pipe(z.enum(values, { error: message(what, `Use one of ${values.join(', ')}.`) }));

export const level = oneOf(LEVELS, 'is not a log level');
export const userIds = oneOf(['hashed', 'plain', 'none'], 'is unknown');
