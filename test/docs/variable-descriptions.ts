/** The descriptions of variables in docs/environment.md and .env.example, as Markdown without line breaks. */
import type { Variable } from '../../src/config/variables.ts';
import { commandText } from '../../src/domain/command-names.ts';

interface VariableDescription {
  readonly section: Section;
  readonly what: string;
  /** A value that works; `…` stands for a secret. */
  readonly example: string;
}

export const SECTIONS = {
  slack: 'Slack',
  oauth: 'Slack, for many workspaces',
  http: 'HTTP',
  store: 'Redis and keys',
  services: 'Billing and identity',
  observability: 'Logs',
} as const;
type Section = keyof typeof SECTIONS;

export const DESCRIPTIONS: Readonly<Record<Variable, VariableDescription>> = {
  SLACK_SIGNING_SECRET: {
    section: 'slack',
    what: 'verifies that a request comes from Slack; on the app’s page under Basic Information. Socket Mode doesn’t need it',
    example: '8f742231b10e…',
  },
  SLACK_BOT_TOKEN: {
    section: 'slack',
    what: 'the token of the one workspace that Tally serves. For many workspaces, set those of [OAuth](running.md#one-workspace-or-many)',
    example: 'xoxb-…',
  },
  SLACK_APP_TOKEN: {
    section: 'slack',
    what: 'an app-level token with `connections:write`. When it’s set, Tally uses [Socket Mode](running.md#http-or-socket-mode)',
    example: 'xapp-…',
  },
  SLACK_CLIENT_ID: { section: 'oauth', what: 'the app’s client ID', example: '1234567890.1234567890123' },
  SLACK_CLIENT_SECRET: { section: 'oauth', what: 'the app’s client secret', example: '4a1c7b0e…' },
  SLACK_STATE_SECRET: {
    section: 'oauth',
    what: 'a secret of your own, the same for all processes',
    example: 'd2f09c51…',
  },
  SLACK_API_URL: {
    section: 'slack',
    what: 'where Slack’s Web API is: another address for GovSlack and the sandbox',
    example: 'https://slack-gov.com/api/',
  },
  PUBLIC_URL: {
    section: 'oauth',
    what: 'Tally’s own address: Slack sends people back there after installing',
    example: 'https://tally.example.com',
  },
  PORT: {
    section: 'http',
    what: 'the port for Slack’s requests, health and metrics: plain http, for a [proxy](running.md#put-a-proxy-in-front)',
    example: '8080',
  },
  REDIS_URL: {
    section: 'store',
    what: 'where everything is stored, in any of [these forms](redis-and-keys.md#say-where-it-is); `compose.yaml` sets its own',
    example: 'redis://127.0.0.1:6379',
  },
  ENCRYPTION_KEYS: {
    section: 'store',
    what: 'the [keys](redis-and-keys.md#change-a-key) for the stored tokens: the first one seals, all of them open. Keep them apart from Redis and its backups',
    example: '2026:…,2025:…',
  },
  BILLING_BASE_URL: {
    section: 'services',
    what: `the address of the [billing service](contracts.md), filled into the form of \`${commandText('/billing connect')}\``,
    example: 'https://api.example.com',
  },
  IDENTITY_AUTH_URL: {
    section: 'services',
    what: 'the address of the [identity service](contracts.md#the-identity-service), ending with `/v3`, filled into the forms that ask for it',
    example: 'https://identity.example.com/v3',
  },
  TRUSTED_API_HOSTS: {
    section: 'services',
    what: 'hosts that may have private addresses and plain http; all others must be public and have https',
    example: 'billing.internal,10.0.0.5:8443',
  },
  LOG_LEVEL: {
    section: 'observability',
    what: 'the least important lines that the log has',
    example: 'warn',
  },
};
