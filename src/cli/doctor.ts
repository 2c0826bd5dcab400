/** `tally doctor`: finds what stops Tally from working now or later, and says how to fix it. Changes nothing. */
import { balanceDocument } from '../billing/graphql-contract.ts';
import { type Config, ConfigError, parseConfig } from '../config/config.ts';
import { type FailureOf, isFailure, NO_PUBLIC_ADDRESS } from '../domain/failure/index.ts';
import { tryParse, tryParseJson } from '../domain/try-parse.ts';
import { pluralize } from '../domain/wording.ts';
import { checkBaseUrl } from '../http/address-rules.ts';
import { createGuardedHttp } from '../http/client.ts';
import { createSecretMask } from '../http/secret-mask.ts';
import { parseAuthUrl } from '../identity/client.ts';
import { redact } from '../ops/redact.ts';
import { connectRedis, isCluster, type RedisConnection } from '../redis/connect.ts';
import { QUEUE_NAME, QUEUE_PREFIX } from '../redis/keys.ts';
import { isSecondSocketError } from '../redis/outages.ts';
import { formatRedisHosts, parseRedisUrl } from '../redis/url.ts';
import { SCOPES } from '../slack/install/manifest.ts';
import { createKeyring } from '../vault/keyring.ts';
import { printLine, runCliCommand, toPlainLine } from './command.ts';
import { readSealed } from './reseal.ts';

const USAGE = `Usage: tally doctor

Checks the configuration and the services, and says what to fix. Changes nothing.

Exit code: 0 if Tally can start, 1 if there is a problem.`;

export async function runDoctor(): Promise<void> {
  // A failed TLS socket emits two errors. The findings already show the first.
  process.on('uncaughtException', (error) => {
    if (!isSecondSocketError(error)) throw error;
  });
  await runCliCommand(USAGE, {}, async () => {
    const findings = await diagnose(process.env);
    printLine(format(findings));
    return findings.some(isBad) ? 1 : 0;
  });
  // A client that has given up may have a timer that keeps the process running.
  process.exit();
}

function format(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ verdict, check, says, todo }) => [
    `${(verdict === 'bad' ? 'BAD' : verdict).padEnd(7)}  ${check.padEnd(width)}  ${says}`,
    ...(todo === undefined ? [] : [`${' '.repeat(width + 11)}${todo}`]),
  ]);
  const bad = findings.filter(isBad).length;
  return [...lines, '', bad === 0 ? 'Tally can start.' : `${pluralize(bad, 'problem')} to fix.`].join('\n');
}

/** `bad`: Tally can't start or answer. `warning`: Tally works now, but will fail later. */
interface Finding {
  readonly verdict: 'good' | 'warning' | 'bad';
  readonly check: string;
  readonly says: string;
  readonly todo?: string;
}

const isBad = ({ verdict }: Finding): boolean => verdict === 'bad';

export async function diagnose(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const mask = createMask(env);
  const findings = await checkAll(env);
  return findings.map(({ says, todo, ...rest }) => ({
    ...rest,
    says: mask(says),
    ...(todo !== undefined && { todo: mask(todo) }),
  }));
}

async function checkAll(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  try {
    const config = parseConfig(env);
    const uses = config.slack.mode.kind === 'http' ? 'HTTP' : 'Socket Mode';
    const findings = await Promise.all([
      about('Configuration').good(`is valid; Slack uses ${uses}`),
      checkStore(config),
      checkSlack(config),
      checkServices(config),
    ]);
    return findings.flat();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ name, what, works }) => ({
      verdict: 'bad',
      check: 'Configuration',
      says: `${name} ${what}`,
      todo: works,
    }));
  }
}

function createMask(env: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.keys(env).filter((name) => /^SLACK_.*(TOKEN|SECRET)$/.test(name));
  const keys = env.ENCRYPTION_KEYS?.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1));
  const password = /:([^:]*)@/.exec(env.REDIS_URL ?? '')?.[1];
  const all = [...secrets.map((name) => env[name]), ...(keys ?? []), password];
  const mask = createSecretMask(all.filter((text = '') => text.length >= 8) as string[]);
  return (text) => redact(mask(text));
}

/** Rows: code of an error or finding | what it means | how to fix it. Other errors show their own message. */
const TABLE = `
ECONNREFUSED | can’t be reached: nothing listens at {at} | Start it, or correct {variable}; in a container, localhost is the container itself.
ENOTFOUND | can’t be reached: the host name {at} is unknown | Correct {variable}, its DNS record, or this machine’s DNS.
ETIMEDOUT | doesn’t answer at {at} | Check the firewall in between. If Redis doesn’t use TLS, write redis:// instead of rediss://.
ECONNRESET | closes every connection at {at} | If it accepts only TLS, write rediss:// in place of redis://.
closed | can’t be reached at {at} | Start it, or correct REDIS_URL. If it accepts only TLS, write rediss in place of redis.
untrusted | has a certificate from an authority that Node doesn’t trust | Trust the authority: NODE_EXTRA_CA_CERTS=/path/ca.pem
NOAUTH | needs a password, and REDIS_URL has none | Put it before the host: redis://:password@…
WRONGPASS | rejects the user or the password in REDIS_URL | Correct them; write / @ : % as %2F %40 %3A %25.
NOPERM | doesn’t give this user enough rights: {detail} | As a Redis admin: ACL SETUSER {user} +@all '~tally:*' '~{tally}:*', or the rights in docs/redis-and-keys.md.
READONLY | is a read-only replica | Set REDIS_URL to the master, {detail}, or to its Sentinels.
OOM | is full and rejects every write | Give it more memory: CONFIG SET maxmemory …
MISCONF | can’t write to its disk and rejects every write | Free disk space there (the Redis log has the reason), then run BGSAVE.
maxmemory-policy | has the eviction policy {detail}, which deletes records when memory runs low | Turn eviction off: CONFIG SET maxmemory-policy noeviction
not on disk | has no append-only file: a crash loses everything since the last snapshot | Turn it on: CONFIG SET appendonly yes, and in redis.conf.
too old | is version {detail} | Upgrade it to Redis 7 or Valkey 8.
a cluster | is a node of a Cluster, and REDIS_URL is for one server | Write redis+cluster://{at}, with user and password as before.
a sentinel | is a Sentinel, and REDIS_URL is for a server | Write redis+sentinel://{at}/name-of-the-master.
one server | is one server, and REDIS_URL is for several | Write redis://{at}, with user and password as before.
unknown-key | {count} can’t be decrypted: ENCRYPTION_KEYS lacks “{key}” | Put it back under its name; nothing is lost: ENCRYPTION_KEYS=newest:…,{key}:…
not-authentic | {count} can’t be decrypted: “{key}” in ENCRYPTION_KEYS isn’t the key that encrypted them, or something other than Tally changed them | Put the old key back under its name; nothing is lost: ENCRYPTION_KEYS=newest:…,{key}:…
malformed | {count} can’t be decrypted: they are damaged | Run tally reseal to see which
token | rejects {variable} ({detail}) | If the app was removed, reinstall it. Copy the token again from the app’s page: {variable}=…
missing_scope | didn’t grant every scope: {variable} lacks {detail} | Add it on the app’s page, then reinstall the app or create a new token: {variable}=…
not Slack | can’t be reached: something else answers at {at} ({detail}) | Check for a proxy in between, or correct {variable}.
clock | is {detail} Slack’s; beyond 300 s, Tally rejects Slack’s requests | Synchronize it: timedatectl set-ntp true
no public address | wasn’t checked: {detail} | Name a public https address, or exempt this host: TRUSTED_API_HOSTS={at}`;
const ROWS = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => [line.split(' | ')[0], line.split(' | ').slice(1)]),
);

type Details = Readonly<Record<string, string>>;

function about(check: string, details: Details = {}) {
  const found = (code: string, detail = '', verdict: Finding['verdict'] = 'bad'): Finding => {
    const known: Details = { ...details, detail: toPlainLine(detail) };
    const row = ROWS.get(/SELF_SIGNED|UNABLE_TO/.test(code) ? 'untrusted' : code);
    const [says = known.detail ?? '', todo = details.todo ?? 'Check the log of the service that answered.'] =
      row ?? [];
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '…');
    const named = /^[A-Z]|_/.test(code) && !says.includes(code) ? ` (${code})` : '';
    const isUnset = todo.includes('{variable}') && known.variable === undefined;
    const advice = isUnset ? 'Check this machine’s DNS and network.' : fill(todo);
    return { verdict, check, says: `${fill(says)}${named}`, todo: advice };
  };
  return {
    good: (says: string): Finding => ({ verdict: 'good', check, says }),
    found,
    error: (error: unknown) => found(codeOf(error), rootOf(error).message),
  };
}
type About = ReturnType<typeof about>;

/** Follows `cause`, because the first error of a chain says what really failed. */
function rootOf(error: unknown): NodeJS.ErrnoException {
  const { cause, lastNodeError, errors } = error as Error & { lastNodeError?: unknown; errors?: unknown[] };
  const inner = lastNodeError ?? cause ?? errors?.[0];
  return inner instanceof Error ? rootOf(inner) : (error as Error);
}

function codeOf(error: unknown): string {
  const { code, message = '', name } = rootOf(error);
  if (/cluster support disabled|unknown command.*sentinel/i.test(message)) return 'one server';
  if (code === 'EAI_AGAIN') return 'ENOTFOUND';
  // With Sentinels or a Cluster, ioredis reports only “Connection is closed”, without the cause.
  if (message.includes('Connection is closed')) return 'closed';
  if (name === 'TimeoutError' || /timed? ?out/i.test(message)) return 'ETIMEDOUT';
  return code ?? /^[A-Z]{3,}\b|\b(?:E[A-Z]{5,}|NOAUTH|WRONGPASS)\b/.exec(message)?.[0] ?? name;
}

const TIMEOUT = 5_000;

async function checkStore({ redisUrl, keys }: Config): Promise<readonly Finding[]> {
  const address = parseRedisUrl(redisUrl);
  const { username } = address.kind === 'single' ? new URL(address.url) : address;
  const user = username && /^[\w.-]+$/.test(username) ? username : 'default';
  const redisIs = about('Redis', { variable: 'REDIS_URL', at: formatRedisHosts(address), user });
  let fail: (error: Error) => void = () => undefined;
  // A Cluster still works if one listed node is down, so wait a moment before giving up.
  const redis = connectRedis(redisUrl, { onOutage: (error) => void setTimeout(() => fail(error), 500) });
  try {
    await new Promise((resolve, reject) => {
      fail = reject;
      redis.once('ready', resolve);
      setTimeout(reject, TIMEOUT, new Error('Timed out.')).unref();
    });
    const servers = isCluster(redis) ? redis.nodes('master') : [redis];
    const found = await Promise.all(servers.map((server) => checkServer(server, isCluster(redis), redisIs)));
    const findings = [...new Map(found.flat().map((each) => [each.says, each])).values()];
    return findings.some(isBad) ? findings : [...findings, await checkKeys(redis, keys)];
  } catch (error) {
    return [redisIs.error(error)];
  } finally {
    redis.disconnect();
  }
}

/** Keys for test writes: the queue's, and enough others that each Cluster master probably has one. */
const PROBES = [
  ...Array.from({ length: 16 }, (_, n) => `tally:{tally-${n}}:probe`),
  `${QUEUE_PREFIX}:${QUEUE_NAME}:meta`,
];

/** Queues writes in MULTI and discards them: Redis checks permissions, memory and disk when it queues them. */
async function checkServer(
  server: RedisConnection,
  isOfCluster: boolean,
  redisIs: About,
): Promise<readonly Finding[]> {
  const findings = readInfo(await server.info(), isOfCluster, redisIs);
  if (findings.some(isBad)) return findings;
  const sent = [['multi'], ...PROBES.map((key) => ['set', key, 'v']), ['eval', 'x', '0'], ['discard']];
  const queued = await Promise.allSettled(sent.map(([name = '', ...args]) => server.call(name, ...args)));
  // A reply such as MOVED only means that another Cluster node has the key.
  const refused = queued.find(
    (each) => each.status === 'rejected' && !/^(MOVED|ASK|TRYAGAIN)/.test(each.reason.message),
  );
  const write = refused?.status === 'rejected' ? redisIs.error(refused.reason) : redisIs.good('takes writes');
  return [...findings, write];
}

function readInfo(info: string, isOfCluster: boolean, { good, found }: About): readonly Finding[] {
  const fieldOf = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const version = fieldOf('redis_version') ?? '';
  const major = Number.parseInt(version, 10);
  const policy = fieldOf('maxmemory_policy') ?? 'noeviction';
  const mode = fieldOf('redis_mode');
  if (mode === 'sentinel' || (mode === 'cluster' && !isOfCluster)) return [found(`a ${mode}`)];
  if (fieldOf('role') === 'slave')
    return [found('READONLY', `${fieldOf('master_host')}:${fieldOf('master_port')}`)];
  return [
    good(`${fieldOf('valkey_version') ?? version} answers`),
    major < 7 && found('too old', version, major < 5 ? 'bad' : 'warning'),
    policy !== 'noeviction' && found('maxmemory-policy', policy, 'warning'),
    fieldOf('aof_enabled') === '0' && found('not on disk', '', 'warning'),
  ].filter((finding) => finding !== false);
}

async function checkKeys(redis: RedisConnection, keys: Config['keys']): Promise<Finding> {
  const problems: FailureOf<'unseal-failed'>[] = [];
  let total = 0;
  for await (const { problem } of readSealed(redis, createKeyring(keys))) {
    total += 1;
    if (problem !== undefined) problems.push(problem);
  }
  const ofReason = (reason: string) => problems.find(({ data }) => data.reason === reason);
  const problem = ofReason('unknown-key') ?? ofReason('not-authentic') ?? problems[0];
  const count = `${problems.length} of ${total} sealed records`;
  const recordsAre = about('Sealed records', { count, key: problem?.data.keyId ?? '' });
  if (problem !== undefined) return recordsAre.found(problem.data.reason);
  return recordsAre.good(total === 0 ? 'none yet' : `all ${total} open`);
}

type SlackBody = Readonly<Record<string, unknown>> | undefined;

async function callSlack({ slack: { apiUrl } }: Config, method: string, token?: string) {
  const at = Date.now();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(TIMEOUT);
  const response = await fetch(`${apiUrl}${method}`, { method: 'POST', headers, redirect: 'manual', signal });
  const body = tryParseJson(await response.text()) as SlackBody;
  // Measures this clock against Slack's, in ms, halfway through the request.
  const ahead = (at + Date.now()) / 2 - Date.parse(response.headers.get('date') ?? '');
  const scopes = response.headers.get('x-oauth-scopes');
  return { status: response.status, scopes, ahead, body: typeof body?.ok === 'boolean' ? body : undefined };
}

async function checkSlack(config: Config): Promise<readonly Finding[]> {
  const { credentials, mode, apiUrl } = config.slack;
  const at = new URL(apiUrl).host;
  const slack = about('Slack', { at, ...(at !== 'slack.com' && { variable: 'SLACK_API_URL' }) });
  const token = credentials.kind === 'token' ? credentials.botToken : undefined;
  try {
    const [bot, app] = await Promise.all([
      callSlack(config, token === undefined ? 'api.test' : 'auth.test', token),
      mode.kind === 'socket' ? callSlack(config, 'apps.connections.open', mode.appToken) : undefined,
    ]);
    if (bot.body === undefined) return [slack.found('not Slack', `HTTP ${bot.status}`)];
    return [
      token === undefined ? slack.good('answers') : judgeToken(bot.body, 'SLACK_BOT_TOKEN', bot.scopes),
      ...(app === undefined ? [] : [judgeToken(app.body, 'SLACK_APP_TOKEN')]),
      ...checkClock(Math.round(bot.ahead / 1_000)),
    ];
  } catch (error) {
    return [slack.error(error)];
  }
}

function judgeToken(body: SlackBody, variable: string, scopes?: string | null): Finding {
  const { good, found } = about('Slack', { variable });
  const code = String(body?.error);
  if (code === 'missing_scope') return found(code, 'connections:write');
  if (body?.ok !== true) return found('token', code);
  const granted = scopes?.split(',').map((scope) => scope.trim());
  const missing = SCOPES.filter(({ scope, optional }) => !optional && granted?.includes(scope) === false);
  if (missing.length > 0) return found('missing_scope', missing.map(({ scope }) => scope).join(', '));
  return good(
    `accepts ${variable}${body.user ? `: “${toPlainLine(`${body.user}” in “${body.team}`)}”` : ''}`,
  );
}

function checkClock(ahead: number): readonly Finding[] {
  const seconds = Math.abs(ahead);
  if (!(seconds > 60)) return [];
  const detail = `${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
  return [about('Clock').found('clock', detail, seconds >= 300 ? 'bad' : 'warning')];
}

/** Sends requests without a valid token. If a service refuses them as expected, its address is right. */
async function checkServices({ billing, identity, trustedHosts }: Config): Promise<readonly Finding[]> {
  const http = createGuardedHttp({ trustedHosts });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify({ query: balanceDocument({ project: '1', product: 1 }) });
  const billingIs = about('Billing', {
    variable: 'BILLING_BASE_URL',
    at: hostOf(billing.baseUrl),
    todo: 'Check the service, or correct BILLING_BASE_URL: it is the part of the address before /bill/graphql.',
  });
  const identityIs = about('Identity', {
    variable: 'IDENTITY_AUTH_URL',
    at: hostOf(identity.authUrl),
    todo: 'Check the service, or correct IDENTITY_AUTH_URL: it ends with /v3, as the console shows it.',
  });
  const findings = await Promise.all([
    checkService(billingIs, billing.baseUrl, async (address) => {
      const url = `${checkBaseUrl(address, trustedHosts)}/bill/graphql`;
      return http.request({ service: 'billing', method: 'POST', url, headers, body, secrets: [] });
    }),
    checkService(identityIs, identity.authUrl, async (address) => {
      const url = parseAuthUrl(address, trustedHosts);
      return http.request({ service: 'identity', method: 'GET', url, headers, secrets: [] });
    }),
  ]);
  await http.close();
  return findings;
}

const hostOf = (address = ''): string => tryParse(() => new URL(address).host) ?? '';

async function checkService(
  service: About,
  address: string | undefined,
  ask: (address: string) => Promise<{ readonly status: number; readonly text: string }>,
): Promise<Finding> {
  if (address === undefined) return service.good('is not set: people enter the address in Slack');
  try {
    const { status, text } = await ask(address);
    const isJson = tryParseJson(text) !== undefined;
    // Firewalls and login proxies answer with an HTML page.
    if (status === 401 ? !/^\s*</.test(text) : status === 403 && isJson)
      return service.good(`answers and asks for a token (HTTP ${status})`);
    if (status < 400 && isJson) return service.good(`answers (HTTP ${status})`);
    return service.found('', `wasn’t found: something else answers, such as a login page (HTTP ${status})`);
  } catch (error) {
    if (!isFailure(error) || error.kind === 'service-unreachable') return service.error(error);
    if (error.kind === 'address-refused') return service.found(NO_PUBLIC_ADDRESS, error.message);
    // Operators, unlike people in Slack, may read where a redirect leads.
    const target = error.kind === 'redirect-refused' ? ` It leads to ${error.data.target}.` : '';
    return service.found(error.kind, error.message + target);
  }
}
