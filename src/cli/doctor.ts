import { balanceDocument } from '../billing/graphql.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { commandText } from '../domain/commands.ts';
import { pluralize } from '../domain/language/text.ts';
import { checkBaseUrl } from '../http/address.ts';
import { createHttp, type GuardedHttp } from '../http/request.ts';
import type { ServiceParts } from '../ops/check-service.ts';
import { formatFindings, runChecks } from '../ops/doctor.ts';
import { type Finding, failedFinding, okFinding } from '../ops/finding.ts';
import { connectRedis, type RedisConnection } from '../redis/connect.ts';
import { SCOPES } from '../slack/install/scopes.ts';
import { createKeyring } from '../vault/keyring.ts';

/** How long each check may take, in ms; a request of it ends earlier, so that its own error is reported. */
const CHECK_TIMEOUT = 5_000;
const REQUEST_TIMEOUT = CHECK_TIMEOUT - 500;

async function diagnose(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  try {
    const config = readConfig(env);
    const mode = MODE_NAMES[config.slack.mode.kind];
    return [okFinding('Configuration', `is valid; Slack uses ${mode}`), ...(await checkWith(config))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ name, what, works }) =>
      failedFinding('Configuration', `${name} ${what}`, works),
    );
  }
}

const MODE_NAMES = { http: 'HTTP', socket: 'Socket Mode' } as const;

async function checkWith(config: Config): Promise<readonly Finding[]> {
  const { credentials } = config.slack;
  const botToken = credentials.kind === 'token' ? credentials.botToken : undefined;
  const scopes = SCOPES.flatMap(({ scope, optional }) => (optional ? [] : scope));
  const store = connectStore(config.redisUrl);
  const http = createHttp({
    trustedHosts: config.trustedHosts,
    limits: { deadline: REQUEST_TIMEOUT, tries: 1 },
  });
  try {
    return await runChecks({
      slack: { ...config.slack, ...{ botToken, scopes }, clock: Date.now, timeout: REQUEST_TIMEOUT },
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
      about: 'Billing',
      variable: 'BILLING_BASE_URL',
      unset: `people enter the address in the form of ${commandText('/billing connect')}`,
      works: 'BILLING_BASE_URL is the part of the address before /bill/graphql.',
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
      about: 'Identity',
      variable: 'IDENTITY_AUTH_URL',
      unset: 'people enter the address when they register an application access',
      works: 'IDENTITY_AUTH_URL ends with /v3, as the console shows it.',
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

const findings = await diagnose(process.env);
const bad = findings.filter(({ verdict }) => verdict === 'bad').length;
console.log(formatFindings(findings));
console.log(bad === 0 ? '\nTally can start.' : `\n${pluralize(bad, 'problem')} to fix.`);
// A client that gave up may still have a timer running.
process.exit(bad === 0 ? 0 : 1);
