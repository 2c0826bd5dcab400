import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { balanceDocument } from '../billing/graphql-contract.ts';
import { type Config, ConfigError, parseConfig } from '../config/config.ts';
import { findSimilarName } from '../config/problems.ts';
import { variables } from '../config/variables.ts';
import { commandText } from '../domain/command-names.ts';
import { pluralize } from '../domain/language/text.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';
import { checkBaseUrl } from '../http/address.ts';
import { createGuardedHttp, type GuardedHttp } from '../http/request.ts';
import { suggestAuthUrl } from '../identity/client.ts';
import { findingOf } from '../ops/doctor/causes.ts';
import { checkPort, checkPublicAddress } from '../ops/doctor/check-reachability.ts';
import { checkRecords, listWorkspaces } from '../ops/doctor/check-records.ts';
import { checkRedis } from '../ops/doctor/check-redis.ts';
import { checkService, checkTraces, type ServiceParts } from '../ops/doctor/check-services.ts';
import { checkSlack, checkSocketMode } from '../ops/doctor/check-slack.ts';
import {
  boundCheck,
  distinctFindings,
  type Finding,
  formatFindings,
  okFinding,
  serializeFindings,
} from '../ops/doctor/finding.ts';
import { connectRedis, type RedisConnection } from '../redis/connect.ts';
import { isSecondSocketError } from '../redis/errors.ts';
import { parseRedisUrl } from '../redis/url.ts';
import { SCOPES } from '../slack/install/scopes.ts';
import { createKeyring } from '../vault/keyring.ts';
import { printLine, runCommand } from './command.ts';

/** The time limit of a check, in ms. Its requests time out earlier, which leaves time to find the cause. */
const CHECK_TIMEOUT = 8_000;
const REQUEST_TIMEOUT = 4_500;

/** Codes that the doctor's own slowness can cause, by how long it read no answer; in ms. */
const STANDSTILLS: Readonly<Record<string, Millis>> = {
  latency: 100,
  timeout: 500,
  ETIMEDOUT: 500,
  EAI_AGAIN: 500,
};

/** @returns the findings, and whether the environment is one that Tally starts from; else nothing else was checked */
async function diagnose(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly findings: readonly Finding[]; readonly isConfigured: boolean }> {
  try {
    const config = parseConfig(env);
    const valid = okFinding('Configuration', `is valid; Slack uses ${MODE_NAMES[config.slack.mode.kind]}`);
    const findings = [valid, ...(await checkWith(config, env))];
    return { findings, isConfigured: true };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(({ name: code, what, works: todo }): Finding => {
      return { verdict: 'bad', check: 'Configuration', says: `${code} ${what}`, todo, code };
    });
    return { findings, isConfigured: false };
  }
}

const MODE_NAMES = { http: 'HTTP', socket: 'Socket Mode' } as const;

/** Runs all checks in parallel. @returns their findings in a fixed order */
async function checkWith(config: Config, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const { redisUrl, trustedHosts } = config;
  const { credentials, mode } = config.slack;
  const store = connectStore(redisUrl);
  const http = createGuardedHttp({ trustedHosts, limits: { deadline: REQUEST_TIMEOUT, tries: 1 } });
  const slack = {
    ...config.slack,
    scopes: SCOPES,
    clock: Date.now,
    timeout: REQUEST_TIMEOUT,
    workspaces: store.ready.then(listWorkspaces).then(
      ({ workspaces }) => workspaces,
      () => [],
    ),
    botToken: credentials.kind === 'token' ? credentials.botToken : undefined,
    ...(credentials.kind === 'oauth' && {
      client: { id: credentials.clientId, secret: credentials.clientSecret },
    }),
  };
  const signingSecret = mode.kind === 'http' ? config.slack.signingSecret : undefined;
  const address = { ...config.http, slackUrl: config.slack.apiUrl, signingSecret, timeout: REQUEST_TIMEOUT };
  const keyIds = config.keys.map(({ id }) => id);
  const [newest, ...older] = keyIds;
  const others = older.length === 0 ? '' : `; ${older.length} older: ${older.join(', ')}`;
  const bounded = (check: string, findings: Promise<readonly Finding[]>) =>
    boundCheck(check, findings, CHECK_TIMEOUT);
  const eventLoop = monitorEventLoopDelay();
  eventLoop.enable();
  try {
    const findings = await Promise.all([
      checkConfiguration(config, env),
      [okFinding('Keys', `new records are sealed with “${newest}”${others}`)],
      bounded('Redis', checkRedis(store.ready, redisUrl)),
      bounded('Sealed records', checkRecords(store.ready, createKeyring(config.keys), keyIds)),
      bounded('Slack', checkSlack(slack)),
      bounded('Slack', checkSocketMode(slack)),
      bounded('Port', checkPort(address)),
      bounded('Public address', checkPublicAddress(address)),
      bounded('Traces', checkTraces(config.tracing.endpoint, env, REQUEST_TIMEOUT)),
      ...servicesOf(config, http).map((service) => bounded(service.check, checkService(service))),
    ]);
    const ms = Math.round(eventLoop.max / 1e6);
    const busy = findingOf('CONFIGURATION', 'This machine', 'event loop', { ms: String(ms) });
    const isSuspect = findings
      .flat()
      .some(({ code = '' }) => ms > (STANDSTILLS[code] ?? Number.POSITIVE_INFINITY));
    return distinctFindings([...(isSuspect ? [busy] : []), ...findings.flat()]);
  } finally {
    eventLoop.disable();
    await http.close();
    store.redis.disconnect();
  }
}

/** Finds what Tally starts with and fails by later. */
function checkConfiguration({ slack, keys }: Config, env: NodeJS.ProcessEnv): readonly Finding[] {
  const found = (code: string, figures = {}) => findingOf('CONFIGURATION', 'Configuration', code, figures);
  const { mode, signingSecret, credentials } = slack;
  const authorities = env.NODE_EXTRA_CA_CERTS;
  const { clientSecret, stateSecret } = credentials.kind === 'oauth' ? credentials : {};
  const isSigned = mode.kind === 'http';
  const variable = PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()]).find((name) => env[name]);
  const heap = Math.round(getHeapStatistics().heap_size_limit / 2 ** 20);
  // Absent where the system doesn't say.
  const [, limit] = /^Max open files +(\d+)/m.exec(readText('/proc/self/limits')) ?? [];
  const container = Math.round((process.constrainedMemory?.() ?? 0) / 2 ** 20);
  const needed = env.NODE_OPTIONS?.includes('--max-old-space-size') ? Math.max(heap, CONTAINER) : CONTAINER;
  const [twin, original] = findSameKey(keys);
  const guessable = keys.find(({ key }) => key.every((byte) => byte === key[0]));
  const lengthOf = (secret: string) => ({ length: String(secret.length) });
  return [
    isSigned && signingSecret === clientSecret && found('client secret'),
    isSigned && !/^[0-9a-f]{32}$/.test(signingSecret) && found('signing secret', lengthOf(signingSecret)),
    stateSecret && stateSecret.length < SECRET_LENGTH && found('state secret', lengthOf(stateSecret)),
    authorities && !readText(authorities).includes('BEGIN CERTIFICATE') && found('authorities'),
    env.NODE_TLS_REJECT_UNAUTHORIZED === '0' && found('any certificate'),
    variable && found('proxy', { variable }),
    ...Object.keys(variables.shape).map((meant) => {
      const other = env[meant] ? undefined : findSimilarName(meant, env);
      return other && found('similar name', { other, meant });
    }),
    twin && original && found('same key', { id: twin.id, older: original.id }),
    guessable && found('guessable key', { id: guessable.id }),
    heap < HEAP && found('memory', { heap: String(heap) }),
    container > 0 &&
      container < needed &&
      found('container memory', { needed: String(needed), limit: String(container) }),
    limit && Number(limit) < OPEN_FILES && found('open files', { limit, needed: String(OPEN_FILES) }),
  ].filter((finding) => typeof finding === 'object');
}

/** @returns a key and an older one that is the same */
function findSameKey(keys: Config['keys']): Config['keys'] {
  const twin = keys.find((one, at) => keys.slice(at + 1).some(({ key }) => key.equals(one.key)));
  return keys.filter(({ key }) => twin?.key.equals(key));
}

const readText = (path: string): string => tryParse(() => readFileSync(path, 'utf8')) ?? '';

/** A shorter secret may be a word. */
const SECRET_LENGTH = 16;

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

/** In MiB, as docs/sizing.md names it, and what Node takes in it. */
const CONTAINER = 192;
const HEAP = 96;

/** For the connections to Slack, billing, identity and Redis, and those that come in. */
const OPEN_FILES = 1_024;

/** `ready` rejects with the first error, so that an operator does not wait for ten attempts. What Redis refuses ends no other check. */
function connectStore(url: string): { redis: RedisConnection; ready: Promise<RedisConnection> } {
  let fail: (error: Error) => void = () => undefined;
  // A Cluster is there although one of the nodes in the address is not.
  const patience = parseRedisUrl(url).kind === 'cluster' ? 500 : 0;
  const redis = connectRedis(url, {
    onOutage: (error) => void setTimeout(() => fail(error), patience),
    staysWithReplica: true,
  });
  const ready = new Promise<RedisConnection>((resolve, reject) => {
    fail = reject;
    redis.once('ready', () => resolve(redis));
  });
  return { redis, ready };
}

function servicesOf({ billing, identity, trustedHosts }: Config, http: GuardedHttp): ServiceParts[] {
  const body = JSON.stringify({ query: balanceDocument({ project: '1', product: 1 }) });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const ask =
    (question: Pick<Parameters<GuardedHttp['request']>[0], 'service' | 'method' | 'body'>, path = '') =>
    (address: string) => {
      const url = `${checkBaseUrl(address, trustedHosts)}${path}`;
      return http.request({ ...question, url, headers, secrets: [] });
    };
  return [
    {
      check: 'Billing',
      variable: 'BILLING_BASE_URL',
      unset: `people enter the address in the form of ${commandText('/billing connect')}`,
      works: 'BILLING_BASE_URL is the part of the address before /bill/graphql, for example',
      example: 'https://api.example.com',
      fields: ['data', 'errors'],
      address: billing.baseUrl,
      ask: ask({ service: 'billing', method: 'POST', body }, '/bill/graphql'),
    },
    {
      check: 'Identity',
      variable: 'IDENTITY_AUTH_URL',
      unset: 'people enter the address when they register an application access',
      works: 'IDENTITY_AUTH_URL ends with /v3, as the console shows it, for example',
      example: 'https://identity.example.com/v3',
      // Only of the version itself: what lists versions is somewhere else.
      fields: ['version', 'error'],
      suggest: (address) => suggestAuthUrl(checkBaseUrl(address, trustedHosts)),
      address: identity.authUrl,
      ask: ask({ service: 'identity', method: 'GET' }),
    },
  ];
}

const USAGE = [
  'Usage: tally doctor [--json]',
  '',
  'Checks what the bot would start with, and changes nothing.',
];
/** EX_CONFIG of sysexits.h */
const WRONG_CONFIGURATION = 78;

// The findings have the error that came first.
process.on('uncaughtException', (error) => {
  if (!isSecondSocketError(error)) throw error;
});
await runCommand(
  { usage: USAGE, options: { json: ['', 'prints an array of findings'] } },
  async ({ json }) => {
    const { findings, isConfigured } = await diagnose(process.env);
    const bad = findings.filter(({ verdict }) => verdict === 'bad').length;
    const sum = bad === 0 ? 'Tally can start.' : `${pluralize(bad, 'problem')} to fix.`;
    printLine(json ? serializeFindings(findings) : `${formatFindings(findings)}\n\n${sum}`);
    if (!isConfigured) return WRONG_CONFIGURATION;
    return bad === 0 ? 0 : 1;
  },
);
// A client that gave up may still have a timer running.
process.exit();
