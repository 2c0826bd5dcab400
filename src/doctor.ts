import type { Redis } from 'ioredis';
import { balanceDocument } from './billing/documents.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { checkBaseUrl } from './http/address.ts';
import { createHttp, type GuardedHttp } from './http/request.ts';
import type { ServiceParts } from './ops/check-service.ts';
import { formatFindings, runChecks } from './ops/doctor.ts';
import { type Finding, failedFinding, okFinding } from './ops/finding.ts';
import { connectRedis } from './redis.ts';
import { createKeyring } from './vault/keyring.ts';
import { reseal } from './vault/reseal.ts';
import { sealOwnerOfField } from './workspace/fields.ts';

/** For each check, in ms. */
const PATIENCE = 5_000;

async function findings(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  try {
    const config = readConfig(env);
    const read = okFinding('Configuration', `reads well; Slack comes in by ${WAYS[config.slack.mode.kind]}`);
    return [read, ...(await examineWith(config))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ name, what, works }) =>
      failedFinding('Configuration', `${name} ${what}`, works),
    );
  }
}

const WAYS = { http: 'HTTP', socket: 'Socket Mode' } as const;

async function examineWith(config: Config): Promise<readonly Finding[]> {
  const { credentials } = config.slack;
  const botToken = credentials.kind === 'token' ? credentials.botToken : undefined;
  const store = reach(config.redisUrl);
  const http = createHttp({
    trustedHosts: config.trustedHosts,
    limits: { deadline: PATIENCE - 500, tries: 1 },
  });
  const keyring = createKeyring(config.keys);
  try {
    return await runChecks({
      slack: { ...config.slack, botToken, clock: Date.now, patience: PATIENCE - 500 },
      redis: store.reached,
      keyIds: config.keys.map(({ id }) => id),
      opens(workspace, field, value) {
        const owner = sealOwnerOfField(workspace, field, value);
        if (owner !== undefined) reseal(keyring, owner, value);
        return owner !== undefined;
      },
      services: services(config, http),
      patience: PATIENCE,
    });
  } finally {
    await http.close();
    store.redis.disconnect();
  }
}

/** The first error ends the waiting: an operator would rather know now than when it was tried ten times. */
function reach(url: string): { redis: Redis; reached: Promise<Redis> } {
  let fail: (error: Error) => void = () => undefined;
  const redis = connectRedis(url, { onOutage: (error) => fail(error) });
  const reached = new Promise<Redis>((resolve, reject) => {
    fail = reject;
    redis.once('ready', () => resolve(redis));
  });
  return { redis, reached };
}

function services({ billing, identity, trustedHosts }: Config, http: GuardedHttp): ServiceParts[] {
  const body = JSON.stringify({ query: balanceDocument({ project: '1', product: 1 }) });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return [
    {
      about: 'Billing',
      variable: 'BILLING_BASE_URL',
      unset: 'people type the address into the form of /billing connect',
      works: 'BILLING_BASE_URL is the address in front of /bill/graphql.',
      address: billing.baseUrl,
      ask: (address) =>
        http.request({
          service: 'billing',
          method: 'POST',
          url: `${checkBaseUrl(address, trustedHosts)}/bill/graphql`,
          headers,
          body,
        }),
    },
    {
      about: 'Identity',
      variable: 'IDENTITY_AUTH_URL',
      unset: 'people type the address where they register an application access',
      works: 'IDENTITY_AUTH_URL ends with /v3, as the console lists it.',
      address: identity.authUrl,
      ask: (address) =>
        http.request({
          service: 'identity',
          method: 'GET',
          url: checkBaseUrl(address, trustedHosts),
          headers,
        }),
    },
  ];
}

const found = await findings(process.env);
const ill = found.filter(({ verdict }) => verdict === 'bad').length;
console.log(formatFindings(found));
console.log(ill === 0 ? '\nNothing is in the way.' : `\n${ill} to mend.`);
// A client that gave up may still have a timer running.
process.exit(ill === 0 ? 0 : 1);
