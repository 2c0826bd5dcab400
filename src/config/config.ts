/** Reads Tally's configuration from environment variables, or lists everything that is wrong with them. */
import {
  APP_PAGE,
  MAKE_SECRET,
  problemText,
  trimVariables,
  type Variable,
  type VariableTexts,
  variables,
} from './variables.ts';

/** Tally's configuration; deeply frozen. */
export type Config = ReturnType<typeof configOf>;

interface Problem {
  /** The variable's name. */
  readonly name: string;
  /** What is wrong, as the end of a sentence that begins with the name. Without the value, which may be a secret. */
  readonly what: string;
  /** An example of a valid value, and how to get one. */
  readonly works: string;
}

/** The environment is invalid. The message lists every problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map(({ name, what, works }) => `  ${name} ${what}. ${works}`);
    super(['Tally can’t start: check these environment variables.', ...lines].join('\n'));
  }
}

/**
 * Reads the configuration from environment variables.
 *
 * @returns a deeply frozen configuration
 * @throws ConfigError with every variable that is missing or malformed
 */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const texts = trimVariables(env);
  const parsed = variables.safeParse(texts);
  const single = parsed.error?.issues.map(({ path, message }) => [String(path[0]), message] as const) ?? [];
  // Report only the first problem of each variable.
  const all = [...single, ...findCombinationProblems(texts)];
  const problems = [...new Map(all.toReversed())].map(([name, message]): Problem => {
    const [what = '', works = ''] = message.split('\n');
    return { name, what, works };
  });
  if (!parsed.success || problems.length > 0) {
    const order = Object.keys(variables.shape);
    throw new ConfigError(problems.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)));
  }
  return deepFreeze(configOf(parsed.data));
}

function configOf(values: typeof variables._output) {
  const { PUBLIC_URL: publicUrl, BILLING_BASE_URL: baseUrl, IDENTITY_AUTH_URL: authUrl } = values;
  const { SLACK_APP_TOKEN: appToken, SLACK_BOT_TOKEN: botToken } = values;
  return {
    slack: {
      /** Socket Mode if an app-level token is set. */
      mode: appToken === undefined ? ({ kind: 'http' } as const) : ({ kind: 'socket', appToken } as const),
      /** A token for one workspace, or OAuth for many that install Tally. */
      credentials:
        botToken === undefined
          ? ({
              kind: 'oauth',
              clientId: values.SLACK_CLIENT_ID ?? '',
              clientSecret: values.SLACK_CLIENT_SECRET ?? '',
              stateSecret: values.SLACK_STATE_SECRET ?? '',
              /** Slack redirects people to this URL after the installation. No trailing slash. */
              publicUrl: publicUrl ?? '',
            } as const)
          : ({ kind: 'token', botToken } as const),
      /** May be empty in Socket Mode, where Tally receives no HTTP requests from Slack. */
      signingSecret: values.SLACK_SIGNING_SECRET ?? '',
      /** Ends with a slash, because Slack's client appends the method's name. */
      apiUrl: values.SLACK_API_URL,
    },
    http: {
      port: values.PORT,
      ...(publicUrl !== undefined && { publicUrl }),
      /** How long a stopping process still accepts requests, in ms, until the proxy in front of it sends them elsewhere. */
      shutdownDelay: values.SHUTDOWN_DELAY * 1_000,
    },
    redisUrl: values.REDIS_URL,
    /** The encryption keys, newest first. The newest encrypts; all can decrypt. */
    keys: values.ENCRYPTION_KEYS,
    /** The services' addresses, without a slash at the end. */
    billing: baseUrl === undefined ? {} : { baseUrl },
    identity: authUrl === undefined ? {} : { authUrl },
    trustedHosts: values.TRUSTED_API_HOSTS,
    log: { level: values.LOG_LEVEL },
  };
}

/** Freezes an object and all objects in it, except Buffers, which can't be frozen. */
function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Buffer.isBuffer(part)) deepFreeze(part);
  }
  return Object.freeze(value);
}

/**
 * Reads the configuration, or ends the process if it isn't valid.
 *
 * @param print gets the problems as text before the process ends with exit code 78 (EX_CONFIG)
 */
export function loadConfig(env: NodeJS.ProcessEnv, print: (text: string) => void): Config {
  try {
    return parseConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    print(error.message);
    process.exit(78);
  }
}

/** Variables required for installations by OAuth. (With a bot token for one workspace, `PUBLIC_URL` is optional.) */
const OAUTH_NEEDS = {
  SLACK_CLIENT_ID: `the app’s client ID. ${APP_PAGE}`,
  SLACK_CLIENT_SECRET: `the app’s client secret. ${APP_PAGE}`,
  SLACK_STATE_SECRET: `a secret of your own. ${MAKE_SECRET}`,
  PUBLIC_URL: 'the bot’s own address, for example https://tally.example.com: Slack sends people back there.',
} satisfies VariableTexts;
const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;

type Problems = readonly (readonly [Variable, string])[];

/** Takes unparsed texts, so that these checks run even if a variable is invalid. @returns [name, message] pairs */
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
  // With both, Tally would use the one bot token for workspaces that it doesn't belong to.
  const both = problemText(
    `is set together with ${oauth.join(', ')}`,
    'A bot token serves one workspace, OAuth serves many. Unset one of them.',
  );
  return [
    ...credentials,
    ...(oauth.length > 0 && SLACK_BOT_TOKEN !== undefined ? [['SLACK_BOT_TOKEN', both] as const] : []),
    ...(SLACK_APP_TOKEN === undefined ? missing('SLACK_SIGNING_SECRET', signing) : []),
  ];
}
