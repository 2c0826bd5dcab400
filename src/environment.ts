/**
 * The schema of each environment variable. An error message has two lines, what is wrong and what works. It never repeats
 * the value, which may be a secret in the wrong variable.
 */
import { isIP, isIPv6 } from 'node:net';
import type { LevelWithSilent } from 'pino';
import { z } from 'zod';
import type { TrustedHost } from './http/address.ts';

const MAKE_KEY = 'Make a key with `openssl rand -base64 32`';
const MAKE_SECRET = 'Make one with `openssl rand -hex 32`.';
const LEVELS = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
] as const satisfies LevelWithSilent[];
const APP_PAGE = 'It’s on the app’s page under Basic Information, App Credentials.';
const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;

const message = (what: string, works: string): string => `${what}\n${works}`;
const notSet = (works: string): string => message('is not set', works);

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

const required = <T extends z.ZodType>(schema: T, works: string) =>
  z.string({ error: notSet(works) }).pipe(schema as z.ZodType<z.output<T>, string>);

const slackToken = (prefix: string, name: string) =>
  z.string().regex(new RegExp(`^${prefix}[\\w.-]+$`), {
    error: message(`is not ${name}`, `It begins with ${prefix}, then letters, digits and hyphens.`),
  });

/** Secrets and IDs: one word, and not a Slack token, which belongs in another variable. */
const word = (name: string, works: string) =>
  z.string().regex(/^(?!x(?:ox|app))\S+$/, { error: message(`is not ${name}`, works) });

type Fail = (what: string, works: string) => never;

function parseUrl(text: string, works: string, fail: Fail): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return fail('is not a web address', works);
  if (url.username || url.password) return fail('has a user name or a password in it', works);
  if (url.search || url.hash) return fail('has a ? or a # part', works);
  return url;
}

const withoutSlash = (url: URL): string => url.href.replace(/\/+$/, '');

const webUrl = parsedBy((text, fail) =>
  withoutSlash(parseUrl(text, 'For example https://api.example.com.', fail)),
);

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65_535);
const portNumber = z.string().refine((text) => port.safeParse(text).success, {
  error: message('is not a port', 'Use a whole number from 1 to 65535, for example 3000.'),
});

const redisUrl = parsedBy((text, fail) => {
  if (/^unix:\/\/\/[^#\s]+$/.test(text)) return text;
  const url = /^rediss?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname && /^(\/\d*)?$/.test(url.pathname)) return text;
  return fail(
    'is not a Redis address',
    'For example redis://127.0.0.1:6379, rediss://user:password@redis.example.com:6380/0 or unix:///run/redis.sock.',
  );
});

const sealingKeys = parsedBy((text, fail) => {
  const entries = text.split(',').map((entry) => entry.trim());
  const keys = entries.map((entry, at) =>
    parseSealingKey(entry, entries.length > 1 ? `key ${at + 1}` : 'the key', fail),
  );
  for (const [at, { id }] of keys.entries()) {
    const first = keys.findIndex((key) => key.id === id);
    if (first < at)
      fail(`gives key ${first + 1} and key ${at + 1} the same name`, 'Each key needs its own name.');
  }
  return keys;
});

function parseSealingKey(entry: string, name: string, fail: Fail) {
  const works = `${MAKE_KEY} and write it as id:key, newest first, separated by commas. An ID has 1 to 32 letters, digits, _ or -.`;
  const [, id, base64] = /^([A-Za-z0-9_-]{1,32}):(.*)$/.exec(entry) ?? [];
  if (id === undefined || base64 === undefined)
    return fail(`is invalid: ${name} is not written id:key`, works);
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) return fail(`is invalid: ${name} is not base64`, works);
  const key = Buffer.from(base64, 'base64');
  if (key.length !== 32) return fail(`is invalid: ${name} has ${key.length} bytes instead of 32`, works);
  return { id, key };
}

const trustedHosts = parsedBy((text, fail): readonly TrustedHost[] => {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map((entry, at) => parseTrustedHost(entry, at + 1, fail));
});

function parseTrustedHost(entry: string, position: number, fail: Fail): TrustedHost {
  const refuse = () =>
    fail(
      `is invalid: entry ${position} is not host or host:port`,
      'For example billing.internal, 10.0.0.5:8443 or [fd00::5]:8443, separated by commas and without https://.',
    );
  const [, host, digits] =
    /^(\[[^\]]*\]|[^\s:/?#@[\]]+)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}/`)) return refuse();
  const hostname = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '');
  if (digits === undefined) return { host: hostname };
  const number = port.safeParse(String(Number(digits)));
  return number.success ? { host: hostname, port: number.data } : refuse();
}

const SLACK_API = 'For example https://slack.com/api/, or http://127.0.0.1:4000/api/ for a sandbox.';
const slackApiUrl = parsedBy((text, fail) => `${withoutSlash(parseUrl(text, SLACK_API, fail))}/`);

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

/** Plain http would expose the bot token to everyone on the network. */
function isSafeForTokens(url: string, trusted: readonly TrustedHost[]): boolean {
  const { protocol, hostname, port: number } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname)) return true;
  const host = hostname.replace(/^\[|\]$/g, '');
  return trusted.some(
    (trustedHost) =>
      trustedHost.host === host && (trustedHost.port ?? Number(number || 80)) === Number(number || 80),
  );
}

const level = z
  .string()
  .toLowerCase()
  .pipe(z.enum(LEVELS, { error: message('is not a log level', `Use one of ${LEVELS.join(', ')}.`) }));

/** Each variable that Tally reads; others are ignored. */
export const variables = z.object({
  SLACK_SIGNING_SECRET: word(
    'a signing secret',
    'It’s 32 hexadecimal digits in one word, not a token.',
  ).optional(),
  SLACK_BOT_TOKEN: slackToken('xoxb-', 'a bot token').optional(),
  SLACK_APP_TOKEN: slackToken('xapp-', 'an app-level token').optional(),
  SLACK_CLIENT_ID: word('a client ID', APP_PAGE).optional(),
  SLACK_CLIENT_SECRET: word('a client secret', APP_PAGE).optional(),
  SLACK_STATE_SECRET: word('a secret in one word', MAKE_SECRET).optional(),
  SLACK_API_URL: slackApiUrl.default('https://slack.com/api/'),
  PUBLIC_URL: webUrl.optional(),
  PORT: portNumber.transform(Number).default(3000),
  REDIS_URL: required(redisUrl, 'For example redis://127.0.0.1:6379. Tally stores everything there.'),
  ENCRYPTION_KEYS: required(
    sealingKeys,
    `${MAKE_KEY} and give it a name: ENCRYPTION_KEYS=2026:<what it printed>. Store it apart from Redis’ backups.`,
  ),
  BILLING_BASE_URL: webUrl.optional(),
  IDENTITY_AUTH_URL: webUrl.optional(),
  TRUSTED_API_HOSTS: trustedHosts.default([]),
  LOG_LEVEL: level.default('info'),
});

type Variable = keyof typeof variables.shape;
type VariableTexts = Partial<Record<Variable, string>>;

type Problems = readonly (readonly [Variable, string])[];

/**
 * Checks the variables that depend on each other. It takes the texts, not parsed values, so that its problems are
 * reported together with those of single variables.
 *
 * @returns pairs of variable and message
 */
export function findCombinationProblems(texts: VariableTexts): Problems {
  return [...credentialProblems(texts), ...signingProblems(texts), ...apiUrlProblems(texts)];
}

function requireSet(texts: VariableTexts, name: Variable, works: string): Problems {
  return texts[name] === undefined ? [[name, notSet(works)]] : [];
}

/** Either a bot token for one workspace, or everything that OAuth needs for many. */
function credentialProblems(texts: VariableTexts): Problems {
  const oauth = OAUTH.filter((name) => texts[name] !== undefined);
  if (oauth.length === 0)
    return requireSet(
      texts,
      'SLACK_BOT_TOKEN',
      `For one workspace, set the bot token (xoxb-…) from the app’s page under OAuth & Permissions. For many, set ${OAUTH.join(', ')} and PUBLIC_URL instead. To try Tally without a Slack account, run \`npm run sandbox\`.`,
    );
  return [
    ...requireSet(texts, 'SLACK_CLIENT_ID', `Installing by OAuth needs the app’s client ID. ${APP_PAGE}`),
    ...requireSet(
      texts,
      'SLACK_CLIENT_SECRET',
      `Installing by OAuth needs the app’s client secret. ${APP_PAGE}`,
    ),
    ...requireSet(
      texts,
      'SLACK_STATE_SECRET',
      `Installing by OAuth needs a secret of your own. ${MAKE_SECRET}`,
    ),
    ...requireSet(
      texts,
      'PUBLIC_URL',
      'Installing by OAuth needs the bot’s own address, for example https://tally.example.com: Slack sends people back there.',
    ),
    // With both, some workspaces would be served with another workspace's token.
    ...(texts.SLACK_BOT_TOKEN === undefined
      ? []
      : [
          [
            'SLACK_BOT_TOKEN',
            message(
              `is set together with ${oauth.join(', ')}`,
              'A bot token serves one workspace, OAuth serves many. Unset one of them.',
            ),
          ] as const,
        ]),
  ];
}

function signingProblems(texts: VariableTexts): Problems {
  if (texts.SLACK_APP_TOKEN !== undefined) return [];
  return requireSet(
    texts,
    'SLACK_SIGNING_SECRET',
    'It’s on the app’s page under Basic Information, Signing Secret. With SLACK_APP_TOKEN (Socket Mode) you don’t need it.',
  );
}

function apiUrlProblems(texts: VariableTexts): Problems {
  const trusted = trustedHosts.safeParse(texts.TRUSTED_API_HOSTS ?? '');
  const api = slackApiUrl.safeParse(texts.SLACK_API_URL ?? '');
  if (!api.success || isSafeForTokens(api.data, trusted.data ?? [])) return [];
  return [
    [
      'SLACK_API_URL',
      message(
        'is plain http to another machine, which would expose the bot token',
        `${SLACK_API} TRUSTED_API_HOSTS can allow a host that has no https.`,
      ),
    ],
  ];
}

/**
 * Removes spaces and quotes around values, which `docker --env-file` keeps.
 *
 * @returns the variables that Tally reads, without empty ones
 */
export function trimVariables(env: NodeJS.ProcessEnv): VariableTexts {
  const texts = Object.keys(variables.shape).map((name) => [name, unquote(env[name]?.trim() ?? '')] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

const unquote = (text: string): string => (/^(["'])(.*)\1$/s.exec(text)?.[2] ?? text).trim();
