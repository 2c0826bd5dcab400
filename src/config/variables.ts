/** The environment variables that Tally reads. */
import * as z from 'zod';
import { DEFAULT_LIMITS } from '../domain/rate-limits.ts';
import {
  commandPrefix,
  connectionCount,
  delay,
  level,
  MAKE_KEY,
  portNumber,
  rateLimit,
  redisUrl,
  required,
  sealingKeys,
  slackApiUrl,
  slackToken,
  trustedHosts,
  userIds,
  webUrl,
  word,
} from './schemas.ts';

export const MAKE_SECRET = 'Make one with `openssl rand -hex 32`.';
export const APP_PAGE = 'It’s on the app’s page under Basic Information, App Credentials.';

/** Each variable that Tally reads; others are ignored. */
export const variables = z.object({
  SLACK_SIGNING_SECRET: word(
    'a signing secret',
    'It’s 32 hexadecimal digits in one word, not a token.',
  ).optional(),
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
  SLACK_STATE_SECRET: word('a secret in one word', MAKE_SECRET).optional(),
  SLACK_API_URL: slackApiUrl.default('https://slack.com/api/'),
  COMMAND_PREFIX: commandPrefix.optional(),
  PUBLIC_URL: webUrl.optional(),
  PORT: portNumber.default(3000),
  SHUTDOWN_DELAY: delay.default(0),
  REDIS_URL: required(redisUrl, 'For example redis://127.0.0.1:6379. Tally stores everything there.'),
  ENCRYPTION_KEYS: required(
    sealingKeys,
    `${MAKE_KEY} and give it a name: ENCRYPTION_KEYS=2026:<what it printed>. Store it apart from Redis’ backups.`,
  ),
  BILLING_BASE_URL: webUrl.optional(),
  IDENTITY_AUTH_URL: webUrl.optional(),
  TRUSTED_API_HOSTS: trustedHosts.default([]),
  LIMIT_REQUESTS_PERSON: rateLimit.default(DEFAULT_LIMITS.requests.person),
  LIMIT_REQUESTS_WORKSPACE: rateLimit.default(DEFAULT_LIMITS.requests.workspace),
  LIMIT_TESTS_PERSON: rateLimit.default(DEFAULT_LIMITS.tests.person),
  LIMIT_TESTS_WORKSPACE: rateLimit.default(DEFAULT_LIMITS.tests.workspace),
  LIMIT_OS_TOKENS_PERSON: rateLimit.default(DEFAULT_LIMITS.osTokens),
  LIMIT_SERVICE_CONNECTIONS: connectionCount.default(DEFAULT_LIMITS.serviceConnections),
  LOG_LEVEL: level.default('info'),
  LOG_USER_IDS: userIds.default('hashed'),
});

export type Variable = keyof typeof variables.shape;
export type VariableTexts = Partial<Record<Variable, string>>;

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
