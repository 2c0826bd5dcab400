/** Reads Tally's configuration from environment variables, or lists everything that is wrong with them. */
import type { LevelWithSilent } from 'pino';
import type { TrustedHost } from '../http/address-rules.ts';
import type { SealingKey } from '../vault/keyring.ts';
import {
  APP_PAGE,
  MAKE_SECRET,
  problemText,
  trimVariables,
  type Variable,
  type VariableTexts,
  variables,
} from './variables.ts';

export interface Config {
  readonly slack: {
    readonly mode: { readonly kind: 'http' } | { readonly kind: 'socket'; readonly appToken: string };
    /** A bot token serves one workspace; OAuth serves many. */
    readonly credentials:
      | { readonly kind: 'token'; readonly botToken: string }
      | {
          readonly kind: 'oauth';
          readonly clientId: string;
          readonly clientSecret: string;
          readonly stateSecret: string;
          /** Slack redirects people here after the installation. No trailing slash. */
          readonly publicUrl: string;
        };
    /** Empty in Socket Mode, where Slack sends Tally no HTTP requests. */
    readonly signingSecret: string;
    /** Ends with a slash, because Slack's client appends the method's name. */
    readonly apiUrl: string;
  };
  readonly http: { readonly port: number };
  readonly redisUrl: string;
  /** Newest first. The newest encrypts; all can decrypt. */
  readonly keys: readonly SealingKey[];
  readonly billing: { readonly baseUrl: string | undefined };
  readonly identity: { readonly authUrl: string | undefined };
  readonly trustedHosts: readonly TrustedHost[];
  readonly log: { readonly level: LevelWithSilent };
}

interface Problem {
  readonly name: string;
  /** The end of a sentence that begins with the variable's name. The value may be a secret, so it isn't quoted. */
  readonly what: string;
  readonly works: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map(({ name, what, works }) => `  ${name} ${what}. ${works}`);
    super(['Tally can’t start: check these environment variables.', ...lines].join('\n'));
  }
}

export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const texts = trimVariables(env);
  const parsed = variables.safeParse(texts);
  const single = parsed.error?.issues.map(({ path, message }) => [String(path[0]), message] as const) ?? [];
  // Reports only the first problem of each variable.
  const all = [...single, ...findCombinationProblems(texts)];
  const problems = [...new Map(all.toReversed())].map(([name, message]): Problem => {
    const [what = '', works = ''] = message.split('\n');
    return { name, what, works };
  });
  if (!parsed.success || problems.length > 0) {
    const order = Object.keys(variables.shape);
    throw new ConfigError(problems.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)));
  }
  return configOf(parsed.data);
}

function configOf(values: typeof variables._output): Config {
  const { SLACK_APP_TOKEN: appToken, SLACK_BOT_TOKEN: botToken } = values;
  return {
    slack: {
      mode: appToken === undefined ? { kind: 'http' } : { kind: 'socket', appToken },
      credentials:
        botToken === undefined
          ? {
              kind: 'oauth',
              clientId: values.SLACK_CLIENT_ID ?? '',
              clientSecret: values.SLACK_CLIENT_SECRET ?? '',
              stateSecret: values.SLACK_STATE_SECRET ?? '',
              publicUrl: values.PUBLIC_URL ?? '',
            }
          : { kind: 'token', botToken },
      signingSecret: values.SLACK_SIGNING_SECRET ?? '',
      apiUrl: values.SLACK_API_URL,
    },
    http: { port: values.PORT },
    redisUrl: values.REDIS_URL,
    keys: values.ENCRYPTION_KEYS,
    billing: { baseUrl: values.BILLING_BASE_URL },
    identity: { authUrl: values.IDENTITY_AUTH_URL },
    trustedHosts: values.TRUSTED_API_HOSTS,
    log: { level: values.LOG_LEVEL },
  };
}

export function loadConfig(env: NodeJS.ProcessEnv, print: (text: string) => void): Config {
  try {
    return parseConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    print(error.message);
    process.exit(78);
  }
}

/** With a bot token for one workspace, `PUBLIC_URL` is optional. */
const OAUTH_NEEDS = {
  SLACK_CLIENT_ID: `the app’s client ID. ${APP_PAGE}`,
  SLACK_CLIENT_SECRET: `the app’s client secret. ${APP_PAGE}`,
  SLACK_STATE_SECRET: `a secret of your own. ${MAKE_SECRET}`,
  PUBLIC_URL:
    'the bot’s public address, for example https://tally.example.com. Slack sends people back there.',
} satisfies VariableTexts;
const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;

type Problems = readonly (readonly [Variable, string])[];

/** Checks the texts before they are parsed, so these checks run even if a variable is invalid. */
function findCombinationProblems(texts: VariableTexts): Problems {
  const { SLACK_APP_TOKEN, SLACK_BOT_TOKEN } = texts;
  const missing = (name: Variable, works: string): Problems =>
    texts[name] === undefined ? [[name, problemText('is not set', works)]] : [];
  const oauth = OAUTH.filter((name) => texts[name] !== undefined);
  const signing =
    'It’s on the app’s page under Basic Information, Signing Secret. With SLACK_APP_TOKEN (Socket Mode) you don’t need it.';
  const credentials =
    oauth.length === 0
      ? missing(
          'SLACK_BOT_TOKEN',
          `For one workspace, set the bot token (xoxb-…) from the app’s page under OAuth & Permissions. For many, set ${OAUTH.join(', ')} and PUBLIC_URL instead. To try Tally without a Slack account, run \`npm run sandbox\` in a checkout.`,
        )
      : Object.entries(OAUTH_NEEDS).flatMap(([name, needs]) =>
          missing(name as Variable, `Installing by OAuth needs ${needs}`),
        );
  // With a bot token and OAuth, Tally would use the token for all workspaces.
  const both = problemText(
    `is set together with ${oauth.join(', ')}`,
    'A bot token serves one workspace, OAuth serves many. Keep one and unset the other.',
  );
  return [
    ...credentials,
    ...(oauth.length > 0 && SLACK_BOT_TOKEN !== undefined ? [['SLACK_BOT_TOKEN', both] as const] : []),
    ...(SLACK_APP_TOKEN === undefined ? missing('SLACK_SIGNING_SECRET', signing) : []),
  ];
}
