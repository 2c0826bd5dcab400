/** Builds setups that are broken in one way each, and reads what `tally doctor` finds. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startBilling } from '../../sandbox/billing.ts';
import { freePort } from '../../sandbox/bot-process.ts';
import { BOT_ENTRY, buildBot } from '../../sandbox/build.ts';
import { startIdentity } from '../../sandbox/identity.ts';
import { diagnose } from '../../src/cli/doctor.ts';
import { SCOPES } from '../../src/slack/install/manifest.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import { closedPort, json, serve, serveRaw } from '../http/service.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { changeIn } from '../support/projects.ts';
import {
  type Certificates,
  makeCertificates,
  NO_TLS,
  type RedisServer,
  refuseWrites,
  startServer,
  WRITE_REFUSALS,
} from '../support/redis-servers.ts';

type Env = Readonly<Record<string, string>>;

const BOT_TOKEN = 'xoxb-1-a-bot-token-that-must-not-be-seen';
const APP_TOKEN = 'xapp-1-an-app-token-that-must-not-be-seen';
const SIGNING_SECRET = 'fedcba9876543210fedcba9876543210';
const PASSWORD = 'a-password-that-must-not-be-seen';
const [NEW_KEY, OLD_KEY] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const SECRETS = [BOT_TOKEN, APP_TOKEN, SIGNING_SECRET, PASSWORD, NEW_KEY, OLD_KEY];

/** Run after a test, the last one first. */
const releases: (() => unknown)[] = [];
let certificates: Certificates;

async function redisServer(lines: readonly string[] = [], isTls = false): Promise<RedisServer> {
  const basics = ['appendonly yes', 'maxmemory-policy noeviction'];
  const server = await startServer([...basics, ...lines], { certificates: isTls ? certificates : undefined });
  releases.push(() => server.kill());
  return server;
}
const urlOf = ({ port }: RedisServer, scheme = 'redis', user = '') => `${scheme}://${user}127.0.0.1:${port}`;

const service = async (started: ReturnType<typeof serve>) => {
  const running = await started;
  releases.push(running.close);
  return running;
};

const NEEDED = SCOPES.flatMap(({ scope, optional }) => (optional ? [] : scope));

/** @param answers by method @param ahead seconds that Slack's clock is ahead */
async function slack(
  answers: Readonly<Record<string, object>> = {},
  scopes = NEEDED,
  ahead = 0,
): Promise<Env> {
  const { url } = await service(
    serve((request, response) => {
      response.setHeader('date', new Date(Date.now() + ahead * 1_000).toUTCString());
      response.setHeader('x-oauth-scopes', scopes.join(','));
      json(response, answers[request.url?.slice(5) ?? ''] ?? { ok: true, user: 'tally', team: 'Acme' });
    }),
  );
  return { SLACK_API_URL: `${url}/api/` };
}
const refusing = (error: string) => ({ ok: false, error });
const inSocketMode = async (answer: object): Promise<Env> => ({
  ...(await slack({ 'apps.connections.open': answer })),
  SLACK_APP_TOKEN: APP_TOKEN,
});

const page = async (status: number, text: string, headers: Env = {}): Promise<string> => {
  const { url } = await service(
    serve((_, response) => {
      response.writeHead(status, headers);
      response.end(text);
    }),
  );
  return url;
};

async function sealedWith(id: string, key: string): Promise<Env> {
  const server = await redisServer();
  const keyring = createKeyring([{ id, key: Buffer.from(key, 'base64') }]);
  const workspaces = createWorkspaces({ redis: server.client, keyring });
  await workspaces.saveConnection(await changeIn(workspaces, 'T1'), {
    name: 'main',
    baseUrl: 'https://api.example.com',
    token: 'a-user-token',
    registeredBy: 'U1',
    registeredAt: 0,
  });
  return { REDIS_URL: urlOf(server) };
}

const redis =
  (...lines: string[]) =>
  async () => ({ REDIS_URL: urlOf(await redisServer(lines)) });
const refusingWrites = (code: string) => async () => {
  const server = await redisServer();
  await refuseWrites(server.client, WRITE_REFUSALS.find((known) => known.code === code)!);
  return { REDIS_URL: urlOf(server) };
};
const asUser =
  (...rules: string[]) =>
  async () => {
    const server = await redisServer();
    await server.client.call('ACL', 'SETUSER', 'bot', 'on', `>${PASSWORD}`, ...rules);
    return { REDIS_URL: urlOf(server, 'redis', `bot:${PASSWORD}@`) };
  };
const tooOld = async () => {
  const { port } = await redisServer();
  const old = await service(
    serveRaw((socket) => {
      const server = connect(port, '127.0.0.1');
      server.on('data', (bytes) =>
        socket.write(bytes.toString('latin1').replace(/(redis_version:)\d/, '$14'), 'latin1'),
      );
      socket.on('data', (bytes) => server.write(bytes)).on('close', () => server.destroy());
    }),
  );
  return { REDIS_URL: `redis://127.0.0.1:${old.port}` };
};
const mute = () => service(serveRaw(() => undefined));
type Setup = readonly [name: string, build: () => Promise<Env>, check: string, says: RegExp, todo: RegExp];

const REDIS: readonly Setup[] =
  (
  // biome-ignore format: a setup a line
  [
    ['a refused connection to Redis', async () => ({REDIS_URL: `redis://127.0.0.1:${await closedPort()}` }), /nothing listens.*ECONNREFUSED/, /Start it/],
    ['Sentinels that are not running', async () => ({ REDIS_URL: `redis+sentinel://127.0.0.1:${await closedPort()}/tally` }), /can’t be reached/, /Start it/],
    ['a Cluster that is not running', async () => ({ REDIS_URL: `redis+cluster://127.0.0.1:${await closedPort()}` }), /can’t be reached/, /Start it/],
    ['a Redis host that DNS does not know', async () => ({REDIS_URL: 'redis://nowhere.invalid' }), /host name nowhere\.invalid:6379 is unknown/, /DNS/],
    ['a Redis that does not answer', async () => ({REDIS_URL: `redis://127.0.0.1:${(await mute()).port}` }), /doesn’t answer at/, /firewall/],
    ['a missing Redis password', redis(`requirepass ${PASSWORD}`), /needs a password/, /redis:\/\/:password@/],
    ['a wrong Redis password', async () => ({REDIS_URL: urlOf(await redisServer(['requirepass another']), 'redis', `:${PASSWORD}@`), }), /rejects the user or the password/, /%2F/],
    ['a missing Redis permission', asUser('~*', '+@all', '-eval'), /'eval' command/, /SETUSER bot \+@all/],
    ['a Redis user without access to Tally’s keys', asUser('~other:*', '+@all'), /doesn’t give this user enough rights.*key/, /~tally:\*/],
    ['a Redis that requires TLS', async () => ({REDIS_URL: urlOf(await redisServer([], true)) }), /closes every connection/, /rediss:/],
    ['a Redis without TLS', async () => ({REDIS_URL: urlOf(await redisServer(), 'rediss') }), /doesn’t answer/, /redis:/],
    ['a certificate authority that Node does not trust', async () => ({REDIS_URL: urlOf(await redisServer([], true), 'rediss') }), /authority that Node doesn’t trust/, /NODE_EXTRA_CA_CERTS=/],
    ['a Redis replica', async () => redis(`replicaof 127.0.0.1 ${(await redisServer()).port}`)(), /is a read-only replica/, /the master, 127\.0\.0\.1:\d+/],
    ['a full Redis', refusingWrites('OOM'), /is full.*OOM/, /maxmemory/],
    ['a Redis that cannot write to its disk', refusingWrites('MISCONF'), /can’t write to its disk/, /Free disk space/],
    ['a Redis with too few replicas', refusingWrites('NOREPLICAS'), /NOREPLICAS Not enough good replicas/, /log/],
    ['a Redis that is too old', tooOld, /is version 4/, /Upgrade/],
    ['a redis:// URL that leads to a node of a Cluster', redis('cluster-enabled yes'), /is a node of a Cluster/, /redis\+cluster:/],
    ['a redis+cluster:// URL that leads to a single server', async () => ({REDIS_URL: urlOf(await redisServer(), 'redis+cluster') }), /is one server/, /redis:/],
    ['a redis+sentinel:// URL that leads to a single server', async () => ({REDIS_URL: `${urlOf(await redisServer(), 'redis+sentinel')}/tally` }), /is one server/, /redis:/],
    ['a redis:// URL that leads to a Sentinel', async () => {const sentinel = await startServer(['sentinel monitor tally 127.0.0.1 1 2'], {isSentinel: true }); releases.push(() => sentinel.kill()); return {REDIS_URL: urlOf(sentinel) }; }, /is a Sentinel/, /redis\+sentinel:/],
  ] as const
).map(([name, build, says, todo]) => [name, build, 'Redis', says, todo]);

const SLACK: readonly Setup[] =
  // biome-ignore format: a setup a line
  (
  [
    ['a Slack API that is not running', async () => ({SLACK_API_URL: `http://127.0.0.1:${await closedPort()}/api/` }), /nothing listens/, /SLACK_API_URL/],
    ['a proxy in place of Slack', async () => ({SLACK_API_URL: `${await page(503, '<html>')}/api/` }), /something else answers at .*\(HTTP 503\)/, /proxy/],
    ['a wrong bot token', () => slack({'auth.test': refusing('invalid_auth') }), /rejects SLACK_BOT_TOKEN.*invalid_auth/, /SLACK_BOT_TOKEN=/],
    ['missing scopes of the bot token', () => slack({}, NEEDED.filter((scope) => !/^(chat:write|users:read)$/.test(scope))), /lacks chat:write, users:read/, /reinstall/],
    ['an app-level token without connections:write', () => inSocketMode(refusing('missing_scope')), /SLACK_APP_TOKEN lacks connections:write/, /SLACK_APP_TOKEN=/],
    ['a wrong app-level token', () => inSocketMode(refusing('invalid_auth')), /rejects SLACK_APP_TOKEN/, /SLACK_APP_TOKEN=/],
  ] as const
).map(([name, build, says, todo]) => [name, build, 'Slack', says, todo]);

// biome-ignore format: a setup a line
const OTHERS: readonly Setup[] = [
  ['a wrong clock', () => slack({}, NEEDED, 400), 'Clock', /behind Slack’s/, /set-ntp/],
  ['a wrong billing URL', async () => ({BILLING_BASE_URL: await page(404, '') }), 'Billing', /something else answers.*HTTP 404/, /before \/bill\/graphql/],
  ['a redirect by billing', async () => ({BILLING_BASE_URL: await page(302, '', {location: 'https://b.example.com/' }) }), 'Billing', /redirects.* leads to https:\/\/b\.example\.com/, /BILLING_BASE_URL/],
  ['a private billing address', async () => ({BILLING_BASE_URL: 'https://10.0.0.1' }), 'Billing', /10\.0\.0\.1/, /TRUSTED_API_HOSTS=10\.0\.0\.1/],
  ['a billing host that DNS does not know', async () => ({BILLING_BASE_URL: 'https://billing.invalid' }), 'Billing', /host name billing\.invalid is unknown/, /^Correct BILLING_BASE_URL, .*DNS/],
  ['an identity service that is not running', async () => ({IDENTITY_AUTH_URL: `http://127.0.0.1:${await closedPort()}/v3` }), 'Identity', /nothing listens/, /IDENTITY_AUTH_URL/],
  ['an identity URL without /v3', async () => ({IDENTITY_AUTH_URL: 'https://identity.example.com' }), 'Identity', /doesn’t end with \/v3/, /IDENTITY_AUTH_URL/],
  ['a missing encryption key', () => sealedWith('2025', OLD_KEY), 'Sealed records', /1 of 1 .* lacks “2025”/, /ENCRYPTION_KEYS=newest:…,2025:…/],
  ['a wrong encryption key', () => sealedWith('2026', OLD_KEY), 'Sealed records', /“2026” .* isn’t the key/, /nothing is lost/],
];

// biome-ignore format: a setup a line
const WARNINGS: readonly Setup[] = [
  ['a Redis that evicts keys', redis('maxmemory-policy allkeys-lru'), 'Redis', /allkeys-lru/, /noeviction/],
  ['a Redis that writes nothing to disk', redis('appendonly no'), 'Redis', /no append-only file/, /appendonly yes/],
  ['a clock that is a minute wrong', () => slack({}, NEEDED, -100), 'Clock', /ahead of Slack’s/, /set-ntp/],
];

async function doctor(env: Env, ...args: string[]) {
  const options = { env: { PATH: process.env.PATH ?? '', ...env } };
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [BOT_ENTRY, 'doctor', ...args], options, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: output + errors }),
    );
  });
}

/** The findings of a setup, which must not contain a secret. */
async function problemsOf(env: Env) {
  const findings = await diagnose(env);
  for (const secret of SECRETS) expect(JSON.stringify(findings)).not.toContain(secret);
  return findings.filter(({ verdict }) => verdict !== 'good');
}

describeUnless(NO_TLS, 'a check of the setup', () => {
  let healthy: Env;
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    await buildBot(() => undefined);
    const home = await mkdtemp(join(tmpdir(), 'tally-certificates-'));
    certificates = await makeCertificates(home);
    const [billing, identity] = await Promise.all([startBilling(), startIdentity()]);
    healthy = {
      ...(await slack()),
      REDIS_URL: urlOf(await redisServer()),
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      ENCRYPTION_KEYS: `2026:${NEW_KEY}`,
      BILLING_BASE_URL: billing.url,
      IDENTITY_AUTH_URL: identity.authUrl,
      TRUSTED_API_HOSTS: '127.0.0.1',
      PORT: String(await freePort()),
    };
    ends.push(
      ...releases.splice(0),
      () => billing.close(),
      () => identity.close(),
      () => rm(home, { recursive: true }),
    );
  }, 60_000);
  afterAll(() => Promise.all([...releases.splice(0), ...ends].map((end) => end())));

  it('tally doctor exits with 0 if nothing is wrong, and writes nothing to Redis', async () => {
    const server = await redisServer();
    const ran = await doctor({ ...healthy, REDIS_URL: urlOf(server) });
    expect(ran).toEqual({ code: 0, output: expect.stringMatching(/\nTally can start\.\n$/) });
    expect(ran.output).not.toMatch(/^(?!good)\S.*\n.*\n/m);
    expect(await server.client.dbsize()).toBe(0);
  });

  it.each([...REDIS, ...SLACK, ...OTHERS])(
    'tally doctor reports %s, and says what to do',
    async (...setup) => {
      const [, build, check, says, todo] = setup;
      const problem = { says: expect.stringMatching(says), todo: expect.stringMatching(todo) };
      expect(await problemsOf({ ...healthy, ...(await build()) })).toEqual([
        { verdict: 'bad', check, ...problem },
      ]);
    },
    30_000,
  );

  it('tally doctor does not tell operators to correct a variable that is not set', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND slack.com'), { code: 'ENOTFOUND' });
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed', { cause }));
    expect(await problemsOf({ ...healthy, SLACK_API_URL: '' })).toMatchObject([
      { check: 'Slack', todo: 'Check this machine’s DNS and network.' },
    ]);
    vi.restoreAllMocks();
  });

  it.each(WARNINGS)(
    'tally doctor warns of %s',
    async (_, build, check, says, todo) => {
      const problem = { says: expect.stringMatching(says), todo: expect.stringMatching(todo) };
      expect(await problemsOf({ ...healthy, ...(await build()) })).toEqual([
        { verdict: 'warning', check, ...problem },
      ]);
    },
    30_000,
  );

  it('tally doctor says how many encrypted records it can decrypt', async () => {
    expect(await diagnose({ ...healthy, ...(await sealedWith('2026', NEW_KEY)) })).toContainEqual({
      verdict: 'good',
      check: 'Sealed records',
      says: 'all 1 open',
    });
  });

  it('tally doctor lists every environment variable that is missing or wrong', async () => {
    const { code, output } = await doctor({
      ...healthy,
      REDIS_URL: '',
      PORT: 'x',
      ENCRYPTION_KEYS: 'k:short',
    });
    expect(code).toBe(1);
    expect(output.match(/^BAD .*(REDIS_URL|PORT|ENCRYPTION_KEYS) /gm)).toHaveLength(3);
    expect(output).toContain('3 problems to fix.');
  });

  it('tally doctor prints its usage for --help and for an unknown option', async () => {
    expect(await doctor({}, '--help')).toEqual({
      code: 0,
      output: expect.stringMatching(/^Usage: tally doctor/),
    });
    expect(await doctor({}, '--xml')).toEqual({
      code: 64,
      output: expect.stringContaining('Usage: tally doctor'),
    });
  });
});
