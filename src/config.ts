import type { LevelWithSilent } from 'pino';
import { missingTogether, trimVariables, variables } from './environment.ts';
import type { TrustedHost } from './http/address.ts';
import type { SealingKey } from './vault/keyring.ts';

interface SlackConfig {
  /** Socket Mode as soon as there is an app-level token. */
  readonly mode: { readonly kind: 'http' } | { readonly kind: 'socket'; readonly appToken: string };
  /** '' in Socket Mode where it is not set: nothing arrives that would be verified with it. */
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
  readonly trustedHosts: readonly TrustedHost[];
  readonly log: { readonly level: LevelWithSilent };
}

interface Problem {
  /** Of the variable. */
  readonly name: string;
  /** Completes "NAME …". Never holds the value, which may be a secret in the wrong place. */
  readonly what: string;
  readonly works: string;
}

/** Tally cannot start from this environment. Names every problem at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigRefused';
  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map(({ name, what, works }) => `  ${name} ${what}. ${works}`);
    super(['Tally can’t start: check these environment variables.', ...lines].join('\n'));
  }
}

/**
 * Reads the whole configuration from environment variables.
 *
 * @throws ConfigError with every variable that is missing or malformed
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = trimVariables(env);
  const read = variables.safeParse(given);
  const single = read.error?.issues.map(({ path, message }) => [String(path[0]), message] as const) ?? [];
  const names = new Set(single.map(([name]) => name));
  const together = missingTogether(given).filter(([name]) => !names.has(name));
  const problems = [...single, ...together].map(([name, message]): Problem => {
    const [what = '', works = ''] = message.split('\n');
    return { name, what, works };
  });
  if (!read.success || problems.length > 0) throw new ConfigError(inOrder(problems));
  return deepFreeze(configOf(read.data));
}

const ORDER = Object.keys(variables.shape);
const inOrder = (problems: readonly Problem[]): readonly Problem[] =>
  problems.toSorted((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));

function configOf(read: typeof variables._output): Config {
  const { PUBLIC_URL: publicUrl, BILLING_BASE_URL: baseUrl, IDENTITY_AUTH_URL: authUrl } = read;
  return {
    slack: {
      mode:
        read.SLACK_APP_TOKEN === undefined
          ? { kind: 'http' }
          : { kind: 'socket', appToken: read.SLACK_APP_TOKEN },
      credentials:
        read.SLACK_BOT_TOKEN === undefined
          ? {
              kind: 'oauth',
              clientId: read.SLACK_CLIENT_ID ?? '',
              clientSecret: read.SLACK_CLIENT_SECRET ?? '',
              stateSecret: read.SLACK_STATE_SECRET ?? '',
              publicUrl: publicUrl ?? '',
            }
          : { kind: 'token', botToken: read.SLACK_BOT_TOKEN },
      signingSecret: read.SLACK_SIGNING_SECRET ?? '',
      apiUrl: read.SLACK_API_URL,
    },
    http: { port: read.PORT, ...(publicUrl !== undefined && { publicUrl }) },
    redisUrl: read.REDIS_URL,
    keys: read.ENCRYPTION_KEYS,
    billing: baseUrl === undefined ? {} : { baseUrl },
    identity: authUrl === undefined ? {} : { authUrl },
    trustedHosts: read.TRUSTED_API_HOSTS,
    log: { level: read.LOG_LEVEL },
  };
}

/** Buffers stay as they are: JavaScript has no frozen ones. */
function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Buffer.isBuffer(part)) deepFreeze(part);
  }
  return Object.freeze(value);
}
