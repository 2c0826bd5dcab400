import type { LevelWithSilent } from 'pino';
import type { Limits } from '../domain/limits.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { TrustedHost } from '../http/address.ts';
import type { SealingKey } from '../vault/keyring.ts';
import {
  findCombinationProblems,
  findSimilarName,
  findWritingProblems,
  trimVariables,
  variables,
} from './variables.ts';

interface SlackConfig {
  /** Socket Mode if an app-level token is set. */
  readonly mode: { readonly kind: 'http' } | { readonly kind: 'socket'; readonly appToken: string };
  /** May be empty in Socket Mode, where no request needs it. */
  readonly signingSecret: string;
  /** A token for one workspace, or OAuth for many that install Tally. */
  readonly credentials:
    | { readonly kind: 'token'; readonly botToken: string }
    | {
        readonly kind: 'oauth';
        readonly clientId: string;
        readonly clientSecret: string;
        readonly stateSecret: string;
        /** Slack redirects people to this URL after the installation. No trailing slash. */
        readonly publicUrl: string;
      };
  /** Ends with a slash, because Slack's client appends the method's name. */
  readonly apiUrl: string;
  /** `acme` where the app's commands are `/acme-spend` and so on. */
  readonly commandPrefix?: string;
}

export interface Config {
  readonly slack: SlackConfig;
  readonly http: {
    readonly port: number;
    readonly publicUrl?: string;
    /** Where people get help, https or mailto: shown on the page `/support`. */
    readonly supportUrl?: string;
    /** How long a stopping process still accepts requests, in ms, until the proxy in front of it sends them elsewhere. */
    readonly shutdownDelay: Millis;
  };
  readonly redisUrl: string;
  /** Newest first: the first one seals, all of them open. */
  readonly keys: readonly SealingKey[];
  /** Without a slash at the end. */
  readonly billing: { readonly baseUrl?: string };
  readonly identity: { readonly authUrl?: string };
  readonly trustedHosts: readonly TrustedHost[];
  /** Each process counts for itself. */
  readonly limits: Limits;
  /** Where to send traces; without it there are none. */
  readonly tracing: { readonly endpoint?: string };
  readonly log: {
    readonly level: LevelWithSilent;
    /** How people are named in it. */
    readonly userIds: 'hashed' | 'plain' | 'none';
  };
}

interface Problem {
  /** The variable. */
  readonly name: string;
  /** Completes "NAME …". Never contains the value, which may be a secret in the wrong variable. */
  readonly what: string;
  /** A value that works, and how to get it. */
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
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const texts = trimVariables(env);
  const parsed = variables.safeParse(texts);
  const single = parsed.error?.issues.map(({ path, message }) => [String(path[0]), message] as const) ?? [];
  // How a value is written says more than what it is not; then the first problem of each variable counts.
  const all = [...findWritingProblems(texts), ...single, ...findCombinationProblems(texts)];
  const problems = [...new Map(all.toReversed())].map(([name, message]): Problem => {
    const [what = '', works = ''] = message.split('\n');
    const similar = what === 'is not set' ? findSimilarName(name, env) : undefined;
    if (similar === undefined) return { name, what, works };
    return { name, what, works: `${similar} is set: did you mean ${name}? ${works}` };
  });
  if (!parsed.success || problems.length > 0) throw new ConfigError(inOrder(problems));
  return deepFreeze(configOf(parsed.data));
}

const ORDER = Object.keys(variables.shape);
const inOrder = (problems: readonly Problem[]): readonly Problem[] =>
  problems.toSorted((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));

function configOf(values: typeof variables._output): Config {
  const { PUBLIC_URL: publicUrl, BILLING_BASE_URL: baseUrl, IDENTITY_AUTH_URL: authUrl } = values;
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: tracesUrl,
    SUPPORT_URL: supportUrl,
    COMMAND_PREFIX: commandPrefix,
  } = values;
  return {
    slack: {
      mode:
        values.SLACK_APP_TOKEN === undefined
          ? { kind: 'http' }
          : { kind: 'socket', appToken: values.SLACK_APP_TOKEN },
      credentials:
        values.SLACK_BOT_TOKEN === undefined
          ? {
              kind: 'oauth',
              clientId: values.SLACK_CLIENT_ID ?? '',
              clientSecret: values.SLACK_CLIENT_SECRET ?? '',
              stateSecret: values.SLACK_STATE_SECRET ?? '',
              publicUrl: publicUrl ?? '',
            }
          : { kind: 'token', botToken: values.SLACK_BOT_TOKEN },
      signingSecret: values.SLACK_SIGNING_SECRET ?? '',
      apiUrl: values.SLACK_API_URL,
      ...(commandPrefix !== undefined && { commandPrefix }),
    },
    http: {
      port: values.PORT,
      ...(publicUrl !== undefined && { publicUrl }),
      ...(supportUrl !== undefined && { supportUrl }),
      shutdownDelay: values.SHUTDOWN_DELAY,
    },
    redisUrl: values.REDIS_URL,
    keys: values.ENCRYPTION_KEYS,
    billing: baseUrl === undefined ? {} : { baseUrl },
    identity: authUrl === undefined ? {} : { authUrl },
    trustedHosts: values.TRUSTED_API_HOSTS,
    limits: {
      requests: { person: values.LIMIT_REQUESTS_PERSON, workspace: values.LIMIT_REQUESTS_WORKSPACE },
      tests: { person: values.LIMIT_TESTS_PERSON, workspace: values.LIMIT_TESTS_WORKSPACE },
      osTokens: values.LIMIT_OS_TOKENS_PERSON,
      serviceConnections: values.LIMIT_SERVICE_CONNECTIONS,
    },
    tracing: tracesUrl === undefined ? {} : { endpoint: tracesUrl },
    log: { level: values.LOG_LEVEL, userIds: values.LOG_USER_IDS },
  };
}

/** Buffers are left out: JavaScript cannot freeze them. */
function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Buffer.isBuffer(part)) deepFreeze(part);
  }
  return Object.freeze(value);
}

/**
 * The configuration of a process.
 *
 * @param print gets what is wrong; then the process ends with 78 (EX_CONFIG)
 */
export function loadConfig(env: NodeJS.ProcessEnv, print: (text: string) => void): Config {
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    print(error.message);
    process.exit(78);
  }
}
