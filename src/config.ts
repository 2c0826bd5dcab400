import type { LevelWithSilent } from 'pino';
import {
  logLevel,
  MAKE_KEY,
  portNumber,
  Refused,
  redisUrl,
  sealingKeys,
  slackApiUrl,
  slackToken,
  type TrustedHost,
  trustedHosts,
  webUrl,
  word,
} from './variables.ts';
import type { SealingKey } from './vault/keyring.ts';

interface SlackConfig {
  /** Socket Mode as soon as there is an app-level token. */
  readonly mode: { readonly kind: 'http' } | { readonly kind: 'socket'; readonly appToken: string };
  /** Empty in Socket Mode when it was not given: nothing arrives that would be verified with it. */
  readonly signingSecret: string;
  /** One workspace by its token, or many that install Tally by OAuth. */
  readonly credentials:
    | { readonly kind: 'token'; readonly botToken: string }
    | {
        readonly kind: 'oauth';
        readonly clientId: string;
        readonly clientSecret: string;
        readonly stateSecret: string;
        /** Where Slack sends people back to; without a slash at the end. */
        readonly publicUrl: string;
      };
  /** Ends with a slash: Slack's client appends the method's name. */
  readonly apiUrl: string;
}

export interface Config {
  readonly slack: SlackConfig;
  readonly http: { readonly port: number; readonly publicUrl?: string };
  readonly redisUrl: string;
  /** Newest first: the first seals, all open. */
  readonly keys: readonly SealingKey[];
  /** Without a slash at the end. */
  readonly billing: { readonly baseUrl?: string };
  readonly identity: { readonly authUrl?: string };
  /** `host` as `new URL().hostname` writes it, an IPv6 address without its brackets; no `port` means every port. */
  readonly trustedHosts: readonly TrustedHost[];
  readonly log: { readonly level: LevelWithSilent };
}

interface Problem {
  readonly name: string;
  /** Completes "NAME …". Never holds the value, which may be a secret in the wrong place. */
  readonly what: string;
  readonly works: string;
}

/** The environment is not one Tally starts from: every problem at once, so that one look mends them all. */
export class ConfigRefused extends Error {
  override readonly name = 'ConfigRefused';
  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map(({ name, what, works }) => `  ${name} ${what}. ${works}`);
    super(['Tally cannot start from this environment:', ...lines].join('\n'));
  }
}

const SLACK_API = 'https://slack.com/api/';
const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;
const MAKE_SECRET = 'One is made with `openssl rand -hex 32`.';
const SIGNING_SECRET = word('a signing secret', 'One is a word of 32 hexadecimal digits, not a token.');
const SANDBOX = 'To try Tally without a Slack account, run `npm run sandbox`.';

/**
 * Reads the whole configuration. Empty variables count as unset; spaces and quotes around a value are dropped,
 * because `docker --env-file` keeps them. Unknown variables are ignored.
 *
 * @throws ConfigRefused with all that is missing or malformed
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { get, take, problems } = variables(env);
  const appToken = take('SLACK_APP_TOKEN', slackToken('xapp-', 'an app-level token'), '');
  const socket = get('SLACK_APP_TOKEN') !== '';
  const oauth = OAUTH.filter((name) => get(name) !== '');
  const publicUrl = take('PUBLIC_URL', webUrl, oauth.length > 0 ? NO_PUBLIC_URL : '');
  const baseUrl = take('BILLING_BASE_URL', webUrl, '');
  const authUrl = take('IDENTITY_AUTH_URL', webUrl, '');
  const trusted = take('TRUSTED_API_HOSTS', trustedHosts, []);
  const config: Config = {
    slack: {
      mode: socket ? { kind: 'socket', appToken } : { kind: 'http' },
      credentials: oauth.length > 0 ? takeOAuth(take, oauth, publicUrl) : takeToken(take),
      signingSecret: take('SLACK_SIGNING_SECRET', SIGNING_SECRET, socket ? '' : NO_SIGNING_SECRET),
      apiUrl: take('SLACK_API_URL', (text) => slackApiUrl(text, trusted ?? []), SLACK_API),
    },
    http: { port: take('PORT', portNumber, 3000), ...(publicUrl && { publicUrl }) },
    redisUrl: take('REDIS_URL', redisUrl, NO_REDIS),
    keys: take('ENCRYPTION_KEYS', sealingKeys, NO_KEYS),
    billing: baseUrl ? { baseUrl } : {},
    identity: authUrl ? { authUrl } : {},
    trustedHosts: trusted,
    log: { level: take('LOG_LEVEL', logLevel, 'info') },
  };
  if (problems.length > 0) throw new ConfigRefused(problems);
  return deepFreeze(config);
}

function variables(env: NodeJS.ProcessEnv) {
  const problems: Problem[] = [];
  const get = (name: string) => unquote(env[name]?.trim() ?? '');
  /** `otherwise` is the default of an optional variable, or the refusal of a required one. */
  function take<T>(name: string, parse: (text: string) => T, otherwise: T | Refused): T {
    const text = get(name);
    try {
      if (text !== '') return parse(text);
      if (otherwise instanceof Refused) throw otherwise;
      return otherwise;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problems.push({ name, what: error.what, works: error.works });
      // Never seen: a configuration with problems is not handed out.
      return undefined as T;
    }
  }
  return { get, take, problems };
}

function unquote(text: string): string {
  return (/^(["'])(.*)\1$/s.exec(text)?.[2] ?? text).trim();
}

const NO_SIGNING_SECRET = new Refused(
  'is not set',
  'It stands on the app’s page under Basic Information, Signing Secret; with SLACK_APP_TOKEN (Socket Mode) it is not needed.',
);
const NO_REDIS = new Refused(
  'is not set',
  'For example redis://127.0.0.1:6379; Tally keeps everything there.',
);
const NO_KEYS = new Refused(
  'is not set',
  `${MAKE_KEY} and given a name: ENCRYPTION_KEYS=2026:<what it printed>. Keep it apart from Redis’ backups.`,
);

const NO_BOT_TOKEN = new Refused(
  'is not set',
  `For one workspace it is the bot token (xoxb-…) on the app’s page under OAuth & Permissions; for many set ${OAUTH.join(', ')} and PUBLIC_URL instead. ${SANDBOX}`,
);
const NO_PUBLIC_URL = new Refused(
  'is not set',
  'Installing by OAuth needs the bot’s own address, for example https://tally.example.com: Slack sends people back there.',
);
const notSet = (where: string) => new Refused('is not set', `Installing by OAuth needs ${where}`);

type Take = ReturnType<typeof variables>['take'];
type Credentials = SlackConfig['credentials'];

const takeToken = (take: Take): Credentials => ({
  kind: 'token',
  botToken: take('SLACK_BOT_TOKEN', slackToken('xoxb-', 'a bot token'), NO_BOT_TOKEN),
});

/** With both, some workspaces would be served by a token that is not theirs: so it is the one or the other. */
function takeOAuth(take: Take, given: readonly string[], publicUrl: string): Credentials {
  const both = new Refused(
    `is set together with ${given.join(', ')}`,
    'The token serves one workspace, OAuth serves many: unset the one or the other.',
  );
  take(
    'SLACK_BOT_TOKEN',
    () => {
      throw both;
    },
    '',
  );
  const onPage = 'It stands on the app’s page under Basic Information, App Credentials.';
  return {
    kind: 'oauth',
    clientId: take('SLACK_CLIENT_ID', word('a client ID', onPage), notSet(`the app’s client ID. ${onPage}`)),
    clientSecret: take(
      'SLACK_CLIENT_SECRET',
      word('a client secret', onPage),
      notSet(`the app’s client secret. ${onPage}`),
    ),
    stateSecret: take(
      'SLACK_STATE_SECRET',
      word('a secret in one word', MAKE_SECRET),
      notSet(`a secret of your own. ${MAKE_SECRET}`),
    ),
    publicUrl,
  };
}

/** Buffers stay as they are: JavaScript has no frozen ones. */
function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Buffer.isBuffer(part)) deepFreeze(part);
  }
  return Object.freeze(value);
}
