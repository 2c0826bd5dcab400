import { balanceDocument } from '../billing/graphql.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { commandText } from '../domain/commands.ts';
import { pluralize } from '../domain/language/text.ts';
import { checkBaseUrl } from '../http/address.ts';
import { createHttp, type GuardedHttp } from '../http/request.ts';
import { suggestAuthUrl } from '../identity/auth-url.ts';
import type { ServiceParts } from '../ops/doctor/check-service.ts';
import { formatFindings, runChecks, serializeFindings } from '../ops/doctor/doctor.ts';
import { type Finding, failedFinding, okFinding } from '../ops/doctor/finding.ts';
import { connectRedis, type RedisConnection } from '../redis/connect.ts';
import { isSecondSocketError } from '../redis/errors.ts';
import { SCOPES } from '../slack/install/scopes.ts';
import { createKeyring } from '../vault/keyring.ts';

/** How long each check may take, in ms; a request of it ends earlier, so that the cause can still be found. */
const CHECK_TIMEOUT = 8_000;
const REQUEST_TIMEOUT = 4_500;

/** @returns the findings, and whether the environment is one that Tally starts from; else nothing else was checked */
async function diagnose(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly findings: readonly Finding[]; readonly isConfigured: boolean }> {
  try {
    const config = readConfig(env);
    const valid = okFinding('Configuration', `is valid; Slack uses ${MODE_NAMES[config.slack.mode.kind]}`);
    const findings = [valid, ...(await checkWith(config, env))];
    return { findings, isConfigured: true };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(({ name, what, works }) => ({
      ...failedFinding('Configuration', `${name} ${what}`, works),
      code: name,
    }));
    return { findings, isConfigured: false };
  }
}

const MODE_NAMES = { http: 'HTTP', socket: 'Socket Mode' } as const;

async function checkWith(config: Config, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const { credentials, mode, signingSecret } = config.slack;
  const botToken = credentials.kind === 'token' ? credentials.botToken : undefined;
  const client = credentials.kind === 'oauth' && {
    client: { id: credentials.clientId, secret: credentials.clientSecret },
  };
  const store = connectStore(config.redisUrl);
  const http = createHttp({
    trustedHosts: config.trustedHosts,
    limits: { deadline: REQUEST_TIMEOUT, tries: 1 },
  });
  try {
    return await runChecks({
      configuration: {
        signingSecret: mode.kind === 'http' ? signingSecret : undefined,
        clientSecret: credentials.kind === 'oauth' ? credentials.clientSecret : undefined,
        authorities: env.NODE_EXTRA_CA_CERTS,
        trustsAll: env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
      },
      address: {
        ...{ port: config.http.port, publicUrl: config.http.publicUrl },
        ...{ takesEvents: mode.kind === 'http', timeout: REQUEST_TIMEOUT },
      },
      tracesUrl: config.tracing.endpoint,
      redisUrl: config.redisUrl,
      slack: {
        ...config.slack,
        ...{ botToken, scopes: SCOPES },
        ...client,
        clock: Date.now,
        timeout: REQUEST_TIMEOUT,
      },
      redis: store.ready,
      keyIds: config.keys.map(({ id }) => id),
      keyring: createKeyring(config.keys),
      services: servicesOf(config, http),
      timeout: CHECK_TIMEOUT,
    });
  } finally {
    await http.close();
    store.redis.disconnect();
  }
}

/** `ready` rejects with the first error, so that an operator does not wait for ten attempts. What Redis refuses ends no other check. */
function connectStore(url: string): { redis: RedisConnection; ready: Promise<RedisConnection> } {
  let fail: (error: Error) => void = () => undefined;
  const redis = connectRedis(url, { onOutage: (error) => fail(error), staysWithReplica: true });
  const ready = new Promise<RedisConnection>((resolve, reject) => {
    fail = reject;
    redis.once('ready', () => resolve(redis));
  });
  return { redis, ready };
}

function servicesOf({ billing, identity, trustedHosts }: Config, http: GuardedHttp): ServiceParts[] {
  const body = JSON.stringify({ query: balanceDocument({ project: '1', product: 1 }) });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return [
    {
      check: 'Billing',
      variable: 'BILLING_BASE_URL',
      unset: `people enter the address in the form of ${commandText('/billing connect')}`,
      works: 'BILLING_BASE_URL is the part of the address before /bill/graphql, for example',
      example: 'https://api.example.com',
      address: billing.baseUrl,
      ask: (address) =>
        http.request({
          service: 'billing',
          method: 'POST',
          url: `${checkBaseUrl(address, trustedHosts)}/bill/graphql`,
          headers,
          secrets: [],
          body,
        }),
    },
    {
      check: 'Identity',
      variable: 'IDENTITY_AUTH_URL',
      unset: 'people enter the address when they register an application access',
      works: 'IDENTITY_AUTH_URL ends with /v3, as the console shows it, for example',
      example: 'https://identity.example.com/v3',
      suggest: (address) => suggestAuthUrl(checkBaseUrl(address, trustedHosts)),
      address: identity.authUrl,
      ask: (address) =>
        http.request({
          service: 'identity',
          method: 'GET',
          url: checkBaseUrl(address, trustedHosts),
          headers,
          secrets: [],
        }),
    },
  ];
}

const USAGE = [
  'Usage: tally doctor [--json]',
  '',
  'Checks what the bot would start with, and changes nothing. With --json it prints an array of findings.',
].join('\n');
/** EX_USAGE and EX_CONFIG of sysexits.h */
const [WRONG_USAGE, WRONG_CONFIGURATION] = [64, 78];

/** @returns the exit code */
async function run(options: readonly string[]): Promise<number> {
  const [option, ...more] = options;
  if (more.length > 0 || (option !== undefined && option !== '--json')) {
    console.error(USAGE);
    return WRONG_USAGE;
  }
  const { findings, isConfigured } = await diagnose(process.env);
  const bad = findings.filter(({ verdict }) => verdict === 'bad').length;
  if (option === '--json') console.log(serializeFindings(findings));
  else
    console.log(
      `${formatFindings(findings)}\n\n${bad === 0 ? 'Tally can start.' : `${pluralize(bad, 'problem')} to fix.`}`,
    );
  if (!isConfigured) return WRONG_CONFIGURATION;
  return bad === 0 ? 0 : 1;
}

// The first is in the findings.
process.on('uncaughtException', (error) => {
  if (!isSecondSocketError(error)) throw error;
});
// A client that gave up may still have a timer running.
process.exit(await run(process.argv.slice(3)));
