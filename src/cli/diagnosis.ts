/** What keeps Tally from starting or answering, or will one day, each with what fixes it. Changes nothing. */
import { balanceDocument } from '../billing/graphql-contract.ts';
import { type Config, ConfigError, parseConfig } from '../config/config.ts';
import { isFailure, NO_PUBLIC_ADDRESS } from '../domain/failure/index.ts';
import { tryParse, tryParseJson } from '../domain/try-parse.ts';
import { checkBaseUrl, hostProblem, withoutBrackets } from '../http/address-rules.ts';
import { createGuardedHttp } from '../http/request.ts';
import { createSecretMask } from '../http/secret-mask.ts';
import { suggestAuthUrl } from '../identity/client.ts';
import { signingSecretProblem, tryKeys } from '../ops/check-secrets.ts';
import { redact, toPlainLine } from '../ops/mask.ts';
import { connectRedis, isCluster, type RedisConnection } from '../redis/connect.ts';
import { probeKeys, QUEUE_NAME, QUEUE_PREFIX } from '../redis/keys.ts';
import { formatRedisHosts, parseRedisUrl } from '../redis/url.ts';
import { SCOPES } from '../slack/install/manifest.ts';
import { createKeyring } from '../vault/keyring.ts';

/** Bad: Tally would not start or not answer. Warning: it works now, and will fail one day. */
export interface Finding {
  readonly verdict: 'good' | 'warning' | 'bad';
  readonly check: string;
  readonly says: string;
  /** The operator's next step. */
  readonly todo?: string;
}

/** @returns what was found, without secrets, and the exit code: 0 if Tally can start, 1 for a problem, 78 (EX_CONFIG) if the environment can’t be read */
export async function diagnose(env: NodeJS.ProcessEnv) {
  const { findings, code } = await checkEnvironment(env);
  const mask = createMask(env);
  const masked = findings.map(
    ({ says, todo, ...rest }): Finding => ({
      ...rest,
      says: mask(says),
      ...(todo !== undefined && { todo: mask(todo) }),
    }),
  );
  return { findings: masked, code };
}

async function checkEnvironment(env: NodeJS.ProcessEnv) {
  try {
    const findings = await checkAll(parseConfig(env));
    return { findings, code: findings.some(isBad) ? 1 : 0 };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(
      ({ name, what, works }): Finding => ({
        ...{ verdict: 'bad', check: 'Configuration', says: `${name} ${what}`, todo: works },
      }),
    );
    return { findings, code: 78 };
  }
}

async function checkAll(config: Config): Promise<readonly Finding[]> {
  const isHttp = config.slack.mode.kind === 'http';
  const signing = isHttp ? signingSecretProblem(config.slack.signingSecret) : undefined;
  const findings = await Promise.all([
    about('Configuration').good(`is valid; Slack uses ${isHttp ? 'HTTP' : 'Socket Mode'}`),
    signing === undefined ? [] : about('Configuration').bad(signing),
    about('Keys').good(`new records are sealed with “${config.keys[0]?.id}”`),
    checkStore(config),
    checkSlack(config),
    checkServices(config),
    checkPublicAddress(config),
  ]);
  return findings.flat();
}

const isBad = ({ verdict }: Finding): boolean => verdict === 'bad';

/** Whoever repeats a secret: of tokens and secrets, of sealing keys, and of the address of Redis. */
function createMask(env: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.keys(env).filter((name) => /^SLACK_.*(TOKEN|SECRET)$/.test(name));
  const keys = env.ENCRYPTION_KEYS?.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1));
  const password = /:([^:]*)@/.exec(env.REDIS_URL ?? '')?.[1];
  const all = [...secrets.map((name) => env[name]), ...(keys ?? []), password];
  const mask = createSecretMask(all.filter((text = '') => text.length >= 8) as string[]);
  return (text) => redact(mask(text));
}

/** What operators really meet: the error's code, what it means, and what fixes it. Anything else shows its own code and message. */
const TABLE = `
ECONNREFUSED | can’t be reached: nothing listens at {at} | Start it, or correct {variable}; in a container, localhost is the container itself.
ENOTFOUND | can’t be reached: the host name {at} is unknown | Correct {variable}, or its DNS record.
ETIMEDOUT | doesn’t answer at {at} | Let the firewall between pass, or find out why it hangs.
untrusted | presents a certificate of an authority that Node doesn’t trust | Name the authority’s file in the environment: NODE_EXTRA_CA_CERTS=/path/ca.pem
tls only | accepts only TLS at {at}, and {variable} has none | Write rediss:// in place of redis://.
no tls | doesn’t use TLS at {at}, and {variable} asks for it | Write redis:// in place of rediss://.
NOAUTH | needs a password, and REDIS_URL has none | Put it before the host: redis://:password@…
WRONGPASS | rejects the user or the password in REDIS_URL | Correct them; write / @ : % as %2F %40 %3A %25.
NOPERM | refuses its user: {detail} | Allow it, as an admin of Redis: ACL SETUSER {user} +@all '~tally:*' '~{tally}:*', or the rights in docs/redis-and-keys.md.
READONLY | is a replica, which refuses every change | Set REDIS_URL to the master, {detail}, or to its Sentinels.
OOM | is full, and refuses every change | Give it more memory: CONFIG SET maxmemory …
MISCONF | can’t write to its disk, and refuses every change | Free space there; its log says why. BGSAVE tries again.
maxmemory-policy | has the eviction policy {detail}, which deletes records to free memory | Let it delete nothing: CONFIG SET maxmemory-policy noeviction
not on disk | keeps nothing on disk: when it stops, every token and schedule is lost | Turn on its append-only file: CONFIG SET appendonly yes, and in its configuration.
snapshots only | writes snapshots only: a crash loses what came after the last one | Turn on its append-only file: CONFIG SET appendonly yes, and in its configuration.
too old | is version {detail} | Upgrade it to Redis 7 or Valkey 8.
a cluster | is a node of a Cluster, and REDIS_URL is for one server | Write redis+cluster://{at}, with user and password as before.
a sentinel | is a Sentinel, and REDIS_URL is for a server | Write redis+sentinel://{at}/name-of-the-master.
one server | is one server, and REDIS_URL is for several | Write redis://{at}, with user and password as before.
invalid_auth | rejects {variable}: the token is wrong | Copy it again from the app’s page: {variable}=…
token_revoked | rejects {variable}: it was revoked | Reinstall the app on its page, and copy the new token: {variable}=…
account_inactive | rejects {variable}: the app was removed, or its bot deactivated | Reinstall the app on its page, and copy the new token: {variable}=…
not_allowed_token_type | rejects {variable}: it is another kind of token | SLACK_BOT_TOKEN begins with xoxb-, SLACK_APP_TOKEN with xapp-. Copy it again from the app’s page.
missing_scope | granted too little: {variable} lacks {detail} | Add it on the app’s page, and reinstall the app there or make a new token: {variable}=…
not Slack | isn’t there: what answers at {at} is not Slack ({detail}) | Let no proxy answer in its place, or correct SLACK_API_URL.
clock | is {detail} Slack’s; from 300 s on, Slack’s requests are refused | Set it by NTP: timedatectl set-ntp true
HTTP 404 | isn’t there: {at} has no such service | Correct {variable}: {works}.
not JSON | isn’t there: what answers at {at} is something else, such as a login page | Correct {variable}: {works}.
redirect | redirects to {detail}, and Tally doesn’t follow | If that is right, write it into {variable}.
private address | isn’t asked: {detail} | Name a public https address, or exempt this host: TRUSTED_API_HOSTS={at}
no /v3 | has an address that doesn’t end with /v3 | Write IDENTITY_AUTH_URL={detail}
local | is {at}, which Slack can’t reach | Name the address that the internet knows, or use Socket Mode with SLACK_APP_TOKEN.
not https | isn’t https, and Slack takes nothing else | Put a proxy with TLS in front of Tally.`;
const ROWS = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => [line.split(' | ')[0], line.split(' | ').slice(1)]),
);

/** What the rows' `{name}` stand for. */
type Details = Readonly<Record<string, string>>;

/** Makes the findings of one check. */
function about(check: string, details: Details = {}) {
  const found = (code: string, detail = '', verdict: Finding['verdict'] = 'bad'): Finding => {
    const known: Details = { ...details, detail: toPlainLine(detail) };
    const row = ROWS.get(/SELF_SIGNED|UNABLE_TO/.test(code) ? 'untrusted' : code);
    const [says = known.detail ?? '', todo = 'Look for it in the log of what answered.'] = row ?? [];
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '…');
    const named = /^[A-Z]|_/.test(code) && !says.includes(code) ? ` (${code})` : '';
    return { verdict, check, says: `${fill(says)}${named}`, todo: fill(todo) };
  };
  return {
    good: (says: string): Finding => ({ verdict: 'good', check, says }),
    bad: (problem: Pick<Finding, 'says' | 'todo'>): Finding => ({ verdict: 'bad', check, ...problem }),
    found,
    error: (error: unknown) => found(codeOf(error), rootOf(error).message),
  };
}
type About = ReturnType<typeof about>;

/** The cause inside of what libraries wrap around it. */
function rootOf(error: unknown): NodeJS.ErrnoException {
  const { cause, lastNodeError, errors } = error as Error & { lastNodeError?: unknown; errors?: unknown[] };
  const inner = lastNodeError ?? cause ?? errors?.[0];
  return inner instanceof Error ? rootOf(inner) : (error as Error);
}

function codeOf(error: unknown): string {
  const { code, message = '', name } = rootOf(error);
  if (/cluster support disabled|unknown command.*sentinel/i.test(message)) return 'one server';
  if (code === 'EAI_AGAIN') return 'ENOTFOUND';
  if (name === 'TimeoutError' || /timed? ?out/i.test(message)) return 'ETIMEDOUT';
  return code ?? /^[A-Z]{3,}\b|\b(?:E[A-Z]{5,}|NOAUTH|WRONGPASS)\b/.exec(message)?.[0] ?? name;
}

/** In ms. */
const TIMEOUT = 5_000;

// Redis

async function checkStore({ redisUrl, keys }: Config): Promise<readonly Finding[]> {
  const address = parseRedisUrl(redisUrl);
  const { username } = address.kind === 'single' ? new URL(address.url) : address;
  const user = username && /^[\w.-]+$/.test(username) ? username : 'default';
  const redisIs = about('Redis', { variable: 'REDIS_URL', at: formatRedisHosts(address), user });
  const opened: RedisConnection[] = [];
  try {
    const redis = await openRedis(redisUrl, opened);
    const servers = isCluster(redis) ? redis.nodes('master') : [redis];
    const found = await Promise.all(servers.map((server) => checkServer(server, redis, redisIs)));
    // Servers of a Cluster have much in common.
    const findings = [...new Map(found.flat().map((each) => [each.says, each])).values()];
    return findings.some(isBad) ? findings : [...findings, await checkKeys(redis, keys)];
  } catch (error) {
    // ioredis loses the cause at Sentinels and a Cluster, and where only one side speaks TLS.
    const [, tls = '', host = ''] = /^redis(s?)[^/]*\/\/(?:.*@)?([^,/?]+)/.exec(redisUrl) ?? [];
    if (host === '') return [redisIs.error(error)];
    const [same, other] = await Promise.all(
      [`redis${tls}`, `redis${tls ? '' : 's'}`].map((scheme) =>
        openRedis(`${scheme}://${host}`, opened).then(
          () => ({ code: 'ready' }),
          (cause: unknown) => cause,
        ),
      ),
    );
    const isCertificate = (code: string) => /SELF_SIGNED|UNABLE_TO|CERT/.test(code);
    const [code, otherCode] = [codeOf(same), codeOf(other)];
    if (/^(ready|NOAUTH|NOPERM)$/.test(otherCode) || isCertificate(otherCode))
      return [redisIs.found(tls ? 'no tls' : 'tls only')];
    return [redisIs.error(code.startsWith('E') || isCertificate(code) ? same : error)];
  } finally {
    for (const redis of opened) redis.disconnect();
  }
}

const openRedis = (url: string, opened: RedisConnection[]) =>
  new Promise<RedisConnection>((resolve, reject) => {
    // A Cluster is there although one of the nodes in the address is not.
    const onOutage = (error: Error) => void setTimeout(reject, 500, error);
    const redis = connectRedis(url, { onOutage });
    opened.push(redis);
    redis.once('ready', () => resolve(redis));
    setTimeout(reject, TIMEOUT, new Error('Timed out.')).unref();
  });

/** Redis checks rights, memory and its disk when it queues a command, which is then discarded. */
async function checkServer(
  server: RedisConnection,
  redis: RedisConnection,
  redisIs: About,
): Promise<readonly Finding[]> {
  const [info, save] = await Promise.allSettled([server.info(), server.config('GET', 'save')]);
  if (info.status === 'rejected') return [redisIs.error(info.reason)];
  const settings = save.status === 'fulfilled' ? (save.value as string[]) : [];
  const findings = readInfo(info.value, settings[1], isCluster(redis), redisIs);
  if (findings.some(isBad)) return findings;
  const keys = [...probeKeys(redis.isCluster), `${QUEUE_PREFIX}:${QUEUE_NAME}:meta`];
  const sent = [['multi'], ...keys.map((key) => ['set', key, 'v']), ['eval', 'x', '0'], ['discard']];
  const queued = await Promise.allSettled(sent.map(([name = '', ...args]) => server.call(name, ...args)));
  // Another master of the Cluster may have a key.
  const refused = queued.find(
    (each) => each.status === 'rejected' && !/^(MOVED|ASK|TRYAGAIN)/.test(each.reason.message),
  );
  const write = refused?.status === 'rejected' ? redisIs.error(refused.reason) : redisIs.good('takes writes');
  return [...findings, write];
}

/** @param save undefined if Redis doesn't tell */
function readInfo(
  text: string,
  save: string | undefined,
  isCluster: boolean,
  { good, found }: About,
): readonly Finding[] {
  const fieldOf = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1];
  const version = fieldOf('redis_version') ?? '';
  const major = Number.parseInt(version, 10);
  const policy = fieldOf('maxmemory_policy') ?? 'noeviction';
  const mode = fieldOf('redis_mode');
  if (mode === 'sentinel' || (mode === 'cluster' && !isCluster)) return [found(`a ${mode}`)];
  if (fieldOf('role') === 'slave')
    return [found('READONLY', `${fieldOf('master_host')}:${fieldOf('master_port')}`)];
  return [
    good(`${fieldOf('valkey_version') ?? version} answers`),
    major < 7 && found('too old', version, major < 5 ? 'bad' : 'warning'),
    policy !== 'noeviction' && found('maxmemory-policy', policy, 'warning'),
    fieldOf('aof_enabled') === '0' && found(save === '' ? 'not on disk' : 'snapshots only', '', 'warning'),
  ].filter((finding) => finding !== false);
}

/** How many workspaces are looked at. */
const MAX_WORKSPACES = 1_000;

async function checkKeys(redis: RedisConnection, keys: Config['keys']): Promise<Finding> {
  const recordsAre = about('Sealed records');
  try {
    const { opened, problem } = await tryKeys(redis, createKeyring(keys), MAX_WORKSPACES);
    if (problem !== undefined) return recordsAre.bad(problem);
    return recordsAre.good(opened === 0 ? 'none yet' : `all ${opened} open`);
  } catch (error) {
    return recordsAre.error(error);
  }
}

// Slack

type SlackBody = Readonly<Record<string, unknown>> | undefined;

async function callSlack({ slack: { apiUrl } }: Config, method: string, token?: string) {
  const at = Date.now();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(TIMEOUT);
  const response = await fetch(`${apiUrl}${method}`, { method: 'POST', headers, redirect: 'manual', signal });
  const body = tryParseJson(await response.text()) as SlackBody;
  // Our clock halfway between the request and the response.
  const ahead = (at + Date.now()) / 2 - Date.parse(response.headers.get('date') ?? '');
  const scopes = response.headers.get('x-oauth-scopes');
  return { status: response.status, scopes, ahead, body: typeof body?.ok === 'boolean' ? body : undefined };
}

/** Asks as the bot, and in Socket Mode as the app, without opening a connection. */
async function checkSlack(config: Config): Promise<readonly Finding[]> {
  const { credentials, mode, apiUrl } = config.slack;
  const slack = about('Slack', { variable: 'SLACK_API_URL', at: new URL(apiUrl).host });
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
      ...checkClock(Math.round(bot.ahead / 1_000), mode.kind === 'http'),
    ];
  } catch (error) {
    return [slack.error(error)];
  }
}

/** @param scopes those of a bot token */
function judgeToken(body: SlackBody, variable: string, scopes?: string | null): Finding {
  const { good, found } = about('Slack', { variable });
  const code = toPlainLine(String(body?.error));
  if (code === 'missing_scope') return found(code, 'connections:write');
  if (body?.ok !== true) return found(code, `refuses ${variable}`);
  const granted = scopes?.split(',').map((scope) => scope.trim());
  const missing = SCOPES.filter(({ scope, optional }) => !optional && granted?.includes(scope) === false);
  if (missing.length > 0) return found('missing_scope', missing.map(({ scope }) => scope).join(', '));
  return good(
    `accepts ${variable}${body.user ? `: “${toPlainLine(`${body.user}” in “${body.team}`)}”` : ''}`,
  );
}

/** @param ahead in seconds @param isSigned whether requests come in by HTTP, where their signature depends on the clock */
function checkClock(ahead: number, isSigned: boolean): readonly Finding[] {
  const { good, found } = about('Clock');
  if (Number.isNaN(ahead)) return [];
  const seconds = Math.abs(ahead);
  if (seconds <= 60) return [good('agrees with Slack’s')];
  const detail = `${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
  return [found('clock', detail, isSigned && seconds >= 300 ? 'bad' : 'warning')];
}

// The services

/** Sends one request without credentials: a refusal for lack of a token is the best sign that the address is right. */
async function checkServices({ billing, identity, trustedHosts }: Config): Promise<readonly Finding[]> {
  const http = createGuardedHttp({ trustedHosts });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify({ query: balanceDocument({ project: '1', product: 1 }) });
  const base = (address: string) => checkBaseUrl(address, trustedHosts);
  const billingIs = about('Billing', {
    variable: 'BILLING_BASE_URL',
    at: hostOf(billing.baseUrl),
    works: 'it is the part of the address before /bill/graphql',
  });
  const identityIs = about('Identity', {
    variable: 'IDENTITY_AUTH_URL',
    at: hostOf(identity.authUrl),
    works: 'it ends with /v3, as the console shows it',
  });
  const findings = await Promise.all([
    checkService(billingIs, billing.baseUrl, async (address) => {
      const url = `${base(address)}/bill/graphql`;
      return http.request({ service: 'billing', method: 'POST', url, headers, body, secrets: [] });
    }),
    checkService(identityIs, identity.authUrl, async (address) => {
      const suggestion = suggestAuthUrl(address);
      if (suggestion !== undefined) return identityIs.found('no /v3', suggestion);
      return http.request({ service: 'identity', method: 'GET', url: base(address), headers, secrets: [] });
    }),
  ]);
  await http.close();
  return findings;
}

const hostOf = (address = ''): string => tryParse(() => new URL(address).host) ?? '';

async function checkService(
  service: About,
  address: string | undefined,
  ask: (address: string) => Promise<{ readonly status: number; readonly text: string } | Finding>,
): Promise<Finding> {
  if (address === undefined) return service.good('is not set: people enter the address in Slack');
  try {
    const answer = await ask(address);
    if ('verdict' in answer) return answer;
    const { status, text } = answer;
    const isJson = tryParseJson(text) !== undefined;
    // A firewall, or a proxy with a login of its own, refuses with a page.
    if (status === 401 ? !/^\s*</.test(text) : status === 403 && isJson)
      return service.good(`answers and asks for a token (HTTP ${status})`);
    if (status >= 400) return service.found(`HTTP ${status}`, 'refuses the question');
    return isJson ? service.good(`answers (HTTP ${status})`) : service.found('not JSON');
  } catch (error) {
    if (!isFailure(error)) return service.error(error);
    // An operator may know more than people in Slack: why a name has no public address, where a redirect leads.
    const { kind, message, cause } = error;
    const reason = cause instanceof Error ? cause.message : message;
    if (kind === 'address-refused') return service.found('private address', message);
    if (kind === 'redirect-refused') return service.found('redirect', error.data.target);
    if (kind === 'timed-out') return service.found('ETIMEDOUT');
    if (kind === 'invalid-response') return service.found('not JSON');
    if (kind !== 'service-unreachable')
      return service.found('status' in error.data ? `HTTP ${error.data.status}` : kind, message);
    return service.found(error.data.code === NO_PUBLIC_ADDRESS ? 'private address' : error.data.code, reason);
  }
}

// How Slack comes in

/** By the address alone: Slack says on the app's page whether it gets through. */
function checkPublicAddress({ http: { publicUrl } }: Config): readonly Finding[] {
  if (publicUrl === undefined) return [];
  const { protocol, hostname, host } = new URL(publicUrl);
  const { good, found } = about('Public address', { at: host });
  if (hostProblem(withoutBrackets(hostname)) !== undefined) return [found('local')];
  return [protocol === 'https:' ? good('is one that Slack takes') : found('not https')];
}
