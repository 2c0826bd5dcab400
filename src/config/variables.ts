/**
 * The environment variables that Tally reads. An error says what works, and never quotes a value, which may be a
 * secret.
 */
import { isIPv6 } from 'node:net';
import type { LevelWithSilent } from 'pino';
import * as z from 'zod';
import type { TrustedHost } from '../http/address-rules.ts';
import { parseRedisUrl, RedisUrlError } from '../redis/url.ts';

export const problemText = (what: string, works: string): string => `${what}\n${works}`;

type Fail = (what: string, works: string) => never;

const parsedBy = <T>(parse: (text: string, fail: Fail) => T) =>
  z.string().transform((text, ctx) =>
    parse(text, (what, works) => {
      ctx.addIssue({ code: 'custom', message: problemText(what, works) });
      return z.NEVER;
    }),
  );

const required = <T extends z.ZodType>(schema: T, works: string) =>
  z.string({ error: problemText('is not set', works) }).pipe(schema as z.ZodType<z.output<T>, string>);

const slackToken = (prefix: 'xoxb-' | 'xapp-', name: string, where: string) =>
  z
    .string()
    .regex(
      new RegExp(`^${prefix}[\\w.-]+$`),
      problemText(`is not ${name}`, `It begins with ${prefix}. ${where}`),
    );

/** A schema for secrets and IDs. Slack tokens are refused, because they belong in another variable. */
const word = (name: string, works: string) =>
  z.string().regex(/^(?!x(?:ox|app))[^\s"'<>${}]+$/, problemText(`is not ${name}`, works));

function parseUrl(text: string, works: string, fail: Fail): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname.includes(',') || url.hostname.endsWith('.'))
    return fail('is not a web address', works);
  if (url.username || url.password || url.search || url.hash)
    return fail('contains a user name, a ? or a #', works);
  return url.href.replace(/\/+$/, '');
}

const webUrlLike = (example: string) =>
  parsedBy((text, fail) => parseUrl(text, `For example ${example}.`, fail));
export const webUrl = webUrlLike('https://api.example.com');

const SLACK_API = 'For example https://slack.com/api/, or http://127.0.0.1:4000/api/ for a sandbox.';

/** The address ends with a slash, because Slack's client appends the method's name. */
const slackApiUrl = parsedBy((text, fail) => {
  const address = `${parseUrl(text, SLACK_API, fail)}/`;
  if (/^https:|^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])[:/]/.test(address)) return address;
  return fail('is plain http to another machine, which would expose the bot token', SLACK_API);
});

const port = parsedBy((text, fail) => {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= 65_535) return number;
  return fail('is not a port', 'Use a whole number from 1 to 65535, for example 3000.');
});

const redisUrl = parsedBy((text, fail) => {
  try {
    parseRedisUrl(text);
    return text;
  } catch (error) {
    if (error instanceof RedisUrlError) return fail(error.what, error.works);
    throw error;
  }
});

const MAKE_KEY = 'Create a key with `openssl rand -base64 32`';
const KEY_FORM = `${MAKE_KEY} and write it as id:key, newest first, separated by commas. An ID has 1 to 32 letters, digits, _ or -.`;

const sealingKeys = parsedBy((text, fail) => {
  const keys = text.split(',').map((entry, at) => {
    const [, id = '', base64] = /^([\w-]{1,32}):([\w+/-]+={0,2})$/.exec(entry.trim()) ?? [];
    if (base64 === undefined) return fail(`is invalid: key ${at + 1} is not written id:key`, KEY_FORM);
    const key = Buffer.from(base64, 'base64');
    if (key.length !== 32)
      return fail(`is invalid: key ${at + 1} has ${key.length} bytes instead of 32`, KEY_FORM);
    if (key.every((byte) => byte === 0))
      return fail(`is invalid: key ${at + 1} is all zeros, which anyone can guess`, KEY_FORM);
    return { id, key };
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    return fail('gives two keys the same name', 'Give each its own: ENCRYPTION_KEYS=new-name:…,old-name:…');
  return keys;
});

export const trustedHosts = parsedBy((text, fail): readonly TrustedHost[] => {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map((entry, at) => parseTrustedHost(entry, at + 1, fail));
});

function parseTrustedHost(entry: string, position: number, fail: Fail): TrustedHost {
  const [, host, digits] =
    /^(\[[^\]]*\]|[^\s:;/?#@*[\]]+)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  const number = port.safeParse(digits ?? '1');
  if (host === undefined || !URL.canParse(`http://${host}/`) || !number.success)
    return fail(
      `is invalid: entry ${position} is not host or host:port`,
      'For example billing.internal, 10.0.0.5:8443 or [fd00::5]:8443, separated by commas, without https://, ranges or *.',
    );
  const hostname = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '');
  return { host: hostname, ...(digits !== undefined && { port: number.data }) };
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] satisfies LevelWithSilent[];

export const MAKE_SECRET = 'Create one with `openssl rand -hex 32`.';
export const APP_PAGE = 'It’s on the app’s page under Basic Information, App Credentials.';

export const variables = z.object({
  SLACK_SIGNING_SECRET: z
    .string()
    .regex(/^[0-9a-f]{32}$/, problemText('is not a signing secret', 'It has 32 characters, 0–9 and a–f.'))
    .optional(),
  SLACK_BOT_TOKEN: slackToken(
    'xoxb-',
    'a bot token',
    'It’s on the app’s page under OAuth & Permissions: SLACK_BOT_TOKEN=xoxb-…',
  ).optional(),
  SLACK_APP_TOKEN: slackToken(
    'xapp-',
    'an app-level token',
    'It’s on the app’s page under Basic Information, App-Level Tokens: SLACK_APP_TOKEN=xapp-…',
  ).optional(),
  SLACK_CLIENT_ID: word('a client ID', APP_PAGE).optional(),
  SLACK_CLIENT_SECRET: word('a client secret', APP_PAGE).optional(),
  SLACK_STATE_SECRET: word('a secret without spaces or quotes', MAKE_SECRET).optional(),
  SLACK_API_URL: slackApiUrl.default('https://slack.com/api/'),
  PUBLIC_URL: webUrl.optional(),
  PORT: port.default(3000),
  REDIS_URL: required(redisUrl, 'For example redis://127.0.0.1:6379. Tally stores everything there.'),
  ENCRYPTION_KEYS: required(
    sealingKeys,
    `${MAKE_KEY} and give it a name: ENCRYPTION_KEYS=2026:<what it printed>. Keep it separate from the Redis backups.`,
  ),
  BILLING_BASE_URL: webUrl.optional(),
  IDENTITY_AUTH_URL: webUrlLike('https://api.example.com/v3').optional(),
  TRUSTED_API_HOSTS: trustedHosts.default([]),
  LOG_LEVEL: z
    .string()
    .toLowerCase()
    .pipe(z.enum(LEVELS, { error: problemText('is not a log level', `Use one of ${LEVELS.join(', ')}.`) }))
    .default('info'),
});

export type Variable = keyof typeof variables.shape;
export type VariableTexts = Partial<Record<Variable, string>>;

/** Removes quotes and outer spaces, which `docker --env-file` keeps. */
export function trimVariables(env: NodeJS.ProcessEnv): VariableTexts {
  const texts = Object.keys(variables.shape).map((name) => [name, unquote(env[name]?.trim() ?? '')] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

const unquote = (text: string): string => (/^(["'])(.*)\1$/s.exec(text)?.[2] ?? text).trim();
