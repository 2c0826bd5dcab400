import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../sandbox/build.ts';
import { type AddressParts, checkPort, checkPublicAddress } from '../../src/ops/doctor/check-reachability.ts';
import { checkRecords } from '../../src/ops/doctor/check-records.ts';
import { checkRedis } from '../../src/ops/doctor/check-redis.ts';
import { checkService } from '../../src/ops/doctor/check-services.ts';
import { checkSlack, checkSocketMode, type SlackParts } from '../../src/ops/doctor/check-slack.ts';
import {
  boundCheck,
  type Finding,
  formatFindings,
  networkCode,
  okFinding,
} from '../../src/ops/doctor/finding.ts';
import { serverFindings } from '../../src/ops/doctor/redis-server.ts';
import { connectRedis } from '../../src/redis/connect.ts';
import { SCOPES } from '../../src/slack/install/scopes.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createInstallationStore } from '../../src/workspace/credentials/installation-store.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { closedPort, json, type Service, serve, serveRaw } from '../http/service.ts';
import { SIGNING_SECRET, startBot } from '../support/bot.ts';
import { changeIn } from '../support/change.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import {
  NO_SERVER,
  type RedisServer,
  refuseWrites,
  startServer,
  WRITE_REFUSALS,
} from '../support/redis-servers.ts';

const BOT_TOKEN = 'xoxb-1-a-bot-token-that-must-not-be-seen';
const APP_TOKEN = 'xapp-1-an-app-token-that-must-not-be-seen';
const KEY = randomBytes(32);
const TICKET = 'a-ticket-that-must-not-be-seen';
const USER_TOKEN = 'a-user-token-that-must-not-be-seen';

const REQUIRED_SCOPES: readonly string[] = JSON.parse(readFileSync(`${ROOT}manifest.json`, 'utf8'))
  .oauth_config.scopes.bot;

/** A Slack that answers the doctor; tests change `says`. */
interface FakeSlack extends Service {
  says: { scopes: string | undefined; ahead: number; auth: object; open: object };
}

const OPENS = { ok: true };

async function fakeSlack(): Promise<FakeSlack> {
  const says: FakeSlack['says'] = {
    scopes: SCOPES.map(({ scope }) => scope).join(','),
    ahead: 0,
    auth: { ok: true, user: 'tally', team: 'Acme' },
    open: OPENS,
  };
  const service = await serve(({ url, headers }, response) => {
    response.setHeader('date', new Date(Date.now() + says.ahead * 1000).toUTCString());
    if (says.scopes !== undefined) response.setHeader('x-oauth-scopes', says.scopes);
    if (says.open === OPENS) says.open = { ...OPENS, url: `ws://${headers.host}/${TICKET}` };
    const [body, token] = url === '/api/auth.test' ? [says.auth, BOT_TOKEN] : [says.open, APP_TOKEN];
    const known = headers.authorization === `Bearer ${token}`;
    json(response, known ? body : { ok: false, error: 'invalid_auth' });
  });
  return { ...service, says };
}

const verdicts = (findings: readonly Finding[]) => findings.map(({ verdict }) => verdict);
const says = (findings: readonly Finding[]) => formatFindings(findings);

let store: TestRedis;
let slack: FakeSlack;

beforeAll(async () => {
  store = await testRedis();
});
afterAll(() => store.close());
beforeEach(async () => {
  slack = await fakeSlack();
  await store.client.flushdb();
});
afterEach(() => slack.close());

const workspacesWith = (id: string, key: Buffer) =>
  createWorkspaces({ redis: store.client, keyring: createKeyring([{ id, key }]) });

async function register(workspace: string, id: string, key: Buffer): Promise<void> {
  const workspaces = workspacesWith(id, key);
  await workspaces.saveConnection(await changeIn(workspaces, workspace), {
    name: 'main',
    baseUrl: 'https://api.example.com',
    token: USER_TOKEN,
    role: 'read-only',
    lifetime: '30-days',
    registeredBy: 'U1',
    registeredAt: 0,
  });
}

describe('Slack', () => {
  const parts = (changes: Partial<SlackParts> = {}): SlackParts => ({
    apiUrl: `${slack.url}/api/`,
    scopes: SCOPES,
    botToken: BOT_TOKEN,
    mode: { kind: 'http' },
    workspaces: Promise.resolve([]),
    clock: Date.now,
    timeout: 2_000,
    ...changes,
  });

  it('names a scope that is missing', async () => {
    slack.says.scopes = 'commands, chat:write,users:read';
    const findings = await checkSlack(parts());
    expect(verdicts(findings)).toEqual(['good', 'bad', 'good', 'good']);
    expect(says(findings)).toContain('lacks im:write');
  });

  it('says what does not work without the optional scopes that were declined', async () => {
    slack.says.scopes = [...REQUIRED_SCOPES, 'channels:join'].join(',');
    const [, , declined] = await checkSlack(parts());
    expect(declined).toMatchObject({ verdict: 'good', says: expect.stringMatching(/files:write \(to .+\)/) });
    expect(declined?.says).not.toContain('channels:join');
  });

  it('warns of scopes that Tally never uses', async () => {
    slack.says.scopes = [
      ...SCOPES.map(({ scope }) => scope),
      'identify',
      'admin',
      'chat:write.public',
    ].join();
    const findings = await checkSlack(parts());
    expect(verdicts(findings)).toEqual(['good', 'good', 'warning', 'good']);
    expect(says(findings)).toContain('admin, chat:write.public');
    expect(says(findings)).not.toContain('identify');
  });

  it('warns when Slack names no scopes', async () => {
    slack.says.scopes = undefined;
    expect(verdicts(await checkSlack(parts()))).toEqual(['good', 'warning', 'good']);
  });

  it.each([
    [59, 'http', 'good'],
    [-90, 'http', 'warning'],
    [90, 'http', 'warning'],
    [-400, 'http', 'bad'],
    [400, 'http', 'bad'],
    [400, 'socket', 'warning'],
  ] as const)('finds a clock that is %i s behind over %s: %s', async (ahead, kind, verdict) => {
    slack.says.ahead = ahead;
    const mode = kind === 'http' ? { kind } : { kind, appToken: APP_TOKEN };
    const [, , clock] = await checkSlack(parts({ mode }));
    expect(clock).toMatchObject({ check: 'Clock', verdict });
  });

  it('checks the clock even when the token is rejected', async () => {
    slack.says.ahead = 4_000;
    const findings = await checkSlack(parts({ botToken: 'xoxb-another' }));
    expect(verdicts(findings)).toEqual(['bad', 'bad']);
    expect(says(findings)).toContain('invalid_auth');
  });

  it('checks Socket Mode only when it is used', async () => {
    expect(await checkSocketMode(parts())).toEqual([]);
    expect(slack.requests).toEqual([]);
    slack.says.open = { ok: false, error: 'missing_scope' };
    const findings = await checkSocketMode(parts({ mode: { kind: 'socket', appToken: APP_TOKEN } }));
    expect(verdicts(findings)).toEqual(['bad']);
    expect(says(findings)).toContain('connections:write');
  });

  it('prints no escape sequences from a name', async () => {
    slack.says.auth = { ok: true, user: 'tally\u001b[2J', team: 'Ac\nme' };
    const [who] = await checkSlack(parts());
    expect(who?.says).toBe('the bot token belongs to “tally[2J” in “Acme”');
  });

  it.each([
    [
      'nobody',
      async () => ({ url: `http://127.0.0.1:${await closedPort()}`, close: async () => {} }),
      'ECONNREFUSED',
    ],
    ['somebody silent', () => serveRaw(() => {}), 'doesn’t answer'],
    ['a login page', () => serve((_, response) => response.end('<html>')), 'login page'],
  ])('counts as unreachable when %s answers', async (_, start, reason) => {
    const elsewhere = await start();
    const findings = await checkSlack(parts({ apiUrl: `${elsewhere.url}/api/`, timeout: 200 }));
    await elsewhere.close();
    expect(verdicts(findings)).toEqual(['bad']);
    expect(says(findings)).toContain(reason);
  });
});

describe('Redis', () => {
  const set = (name: string, value: string) => store.client.config('SET', name, value);
  beforeEach(async ({ skip }) => {
    skip(store.kind === 'embedded', 'the embedded Redis has no configuration');
    // Other tests use other databases of this server: an empty one would be warned of.
    await store.client.set('{tally-0}:used', '1');
  });
  afterEach(async () => {
    if (store.kind === 'embedded') return;
    await set('maxmemory-policy', 'noeviction');
    await set('save', '');
  });
  const check = () => checkRedis(Promise.resolve(store.client), store.url);

  it('shows its version, and warns when nothing is saved to disk', async () => {
    const findings = await check();
    expect(verdicts(findings)).toEqual(['good', 'warning', 'good', 'good', 'good']);
    expect(says(findings)).toContain('takes writes');
    expect(says(findings)).toMatch(/\d+\.\d+\.\d+ answers/);
    expect(says(findings)).toContain('keeps nothing on disk');
  });

  it('warns when there are only snapshots, and about a policy that deletes records', async () => {
    await set('save', '3600 1');
    await set('maxmemory-policy', 'allkeys-lru');
    const findings = await check();
    expect(verdicts(findings)).toEqual(['good', 'warning', 'good', 'warning', 'good']);
    expect(says(findings)).toContain('snapshots only');
    expect(says(findings)).toContain('allkeys-lru');
  });

  it('is rejected when it is a replica', async () => {
    await store.client.replicaof('127.0.0.1', await closedPort());
    const findings = await check();
    await store.client.replicaof('NO', 'ONE');
    expect(says(findings)).toContain('is a replica');
    expect(verdicts(findings)).toContain('bad');
  });

  it.each([
    ['-info', ['warning', 'good'], 'could not check persistence and memory'],
    ['-config', ['good', 'warning', 'good', 'good', 'good'], 'could not check whether it writes snapshots'],
  ])('may forbid the doctor a command (%s), which is no failure', async (rule, expected, text) => {
    await store.client.acl('SETUSER', 'plain', 'on', '>pw', '~*', '+@all', rule);
    const redis = connectRedis(store.url);
    await new Promise((resolve) => redis.once('ready', resolve));
    await redis.auth('plain', 'pw');
    const findings = await checkRedis(Promise.resolve(redis), store.url);
    expect(verdicts(findings)).toEqual(expected);
    expect(says(findings)).toContain(text);
    redis.disconnect();
    await store.client.acl('DELUSER', 'plain');
  });

  it('is not said to lose data if it does not say how it saves them, as with cloud services', async () => {
    const findings = await serverFindings(store.client, new Map([['redis_version', '7.2.0']]), {});
    expect(says(findings)).toContain('could not check');
    expect(verdicts(findings)).not.toContain('warning');
  });
});

describeUnless(NO_SERVER, 'a Redis of its own', () => {
  let server: RedisServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.kill());
  const check = () => checkRedis(Promise.resolve(server.client), `redis://127.0.0.1:${server.port}`);

  it.each(WRITE_REFUSALS)('is bad when it answers and refuses writes ($code)', async (refusal) => {
    expect(verdicts(await check())).not.toContain('bad');
    await refuseWrites(server.client, refusal);
    const before = await server.client.keys('*');
    expect((await check()).filter(({ verdict }) => verdict === 'bad')).toMatchObject([
      { code: refusal.code },
    ]);
    expect(await server.client.keys('*')).toEqual(before);
  });

  it('says when its last snapshot failed', async () => {
    await server.client.config('SET', 'stop-writes-on-bgsave-error', 'no');
    await refuseWrites(server.client, WRITE_REFUSALS[2]);
    expect(says(await check())).toContain('could not write its last snapshot');
  });

  it.each([
    ['everysec', 'good', 'syncs it every second'],
    ['always', 'good', 'syncs it each time'],
    ['no', 'warning', 'leaves it to the system'],
  ])('says when its append-only file reaches the disk (%s)', async (appendfsync, verdict, text) => {
    await server.client.config('SET', 'appendonly', 'yes');
    await server.client.config('SET', 'appendfsync', appendfsync);
    const found = (await check()).find((finding) => finding.says.includes(text));
    expect(found?.verdict).toBe(verdict);
  });

  it('says how much of its memory it uses, and warns before it is full', async () => {
    expect(says(await check())).toContain('has no limit of its own for memory');
    const used = Number(/used_memory:(\d+)/.exec(await server.client.info('memory'))?.[1]);
    await server.client.config('SET', 'maxmemory', String(used * 10));
    expect((await check()).find((finding) => finding.says.includes('MiB'))?.verdict).toBe('good');
    await server.client.config('SET', 'maxmemory', String(Math.round(used * 1.06)));
    expect((await check()).find((finding) => finding.says.includes('MiB'))?.verdict).toBe('warning');
  });
});

describe('sealed records', () => {
  const check = (redis: Redis, id: string, key: Buffer) =>
    checkRecords(Promise.resolve(redis), createKeyring([{ id, key }]), [id]);

  it('are all checked', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, i) => register(`T${i}`, 'k', KEY)));
    const none = workspacesWith('k', KEY);
    await none.saveSettings(await changeIn(none, 'TNONE'), { zone: 'Asia/Tokyo' });
    expect(says(await check(store.client, 'k', KEY))).toContain('all 300 open');
  });

  it('are counted separately when their key is missing and when they are damaged', async () => {
    await register('T1', 'k', KEY);
    await register('T2', 'gone', randomBytes(32));
    await register('T3', 'k', randomBytes(32));
    const findings = await check(store.client, 'k', KEY);
    expect(verdicts(findings)).toEqual(['bad', 'bad']);
    expect(says(findings)).toContain('1 of 3 need the key “gone”');
    expect(says(findings)).toContain('1 of 3 don’t open');
  });

  it('are an installation too, and one that was moved is reported', async () => {
    const keyring = createKeyring([{ id: 'k', key: KEY }]);
    await createInstallationStore({ redis: store.client, keyring }).save('T1', 'an installation');
    await createWorkspaceIndex(store.client).setCheck('E1', 0);
    await store.client.copy('tally:{T1}:record', 'tally:{E1}:record');
    expect(says(await check(store.client, 'k', KEY))).toMatch(/1 of 2 don’t open.*damaged or moved/);
    await store.client.unlink('tally:{E1}:record');
    expect(says(await check(store.client, 'k', KEY))).toContain('all 1 open');
  });
});

describe('a service', () => {
  const answering = (status: number, text: string) =>
    checkService({
      check: 'Billing',
      variable: 'BILLING_BASE_URL',
      unset: 'nothing',
      works: 'Correct it, for example',
      example: 'https://api.example.com',
      fields: ['data'],
      address: 'https://api.example.com',
      ask: async () => ({ status, text }),
    });

  it.each([
    [200, '{"data":null}', 'good'],
    [200, '{"status":"ok"}', 'bad'],
    [401, '', 'good'],
    [401, '<html>', 'warning'],
    [403, '<html>', 'warning'],
    [400, '{}', 'warning'],
    [404, '{}', 'bad'],
    [405, '', 'bad'],
    [200, '<html>', 'bad'],
  ])('that answers %i %s is %s', async (status, text, verdict) => {
    expect(verdicts(await answering(status, text))).toEqual([verdict]);
  });
});

describe('the port and the public address', () => {
  const parts = (url: string): AddressParts => ({
    ...{ port: Number(new URL(url).port), publicUrl: url },
    ...{ slackUrl: slack.url, signingSecret: SIGNING_SECRET, timeout: 2_000 },
  });

  it('are fine if a bot listens there', async () => {
    const bot = await startBot();
    const findings = [...(await checkPort(parts(bot.url))), ...(await checkPublicAddress(parts(bot.url)))];
    await bot.stop();
    expect(verdicts(findings)).toEqual(['good', 'good']);
    expect(says(findings)).toMatch(/the bot runs on \d+\n.*leads to a Tally with this signing secret/);
  });

  it('warn of a bot that isn’t ready', async () => {
    const bot = await serve(({ url }, response) =>
      url === '/readyz'
        ? json(response, { ok: false, notReady: ['slack'] }, 503)
        : json(response, { ok: true, version: '1.0.0' }),
    );
    const findings = await checkPort(parts(bot.url));
    await bot.close();
    expect(verdicts(findings)).toEqual(['warning']);
    expect(says(findings)).toMatch(/has a bot that isn’t ready: slack/);
  });

  it('are bad where a proxy changes what Slack signed, or another Tally listens', async () => {
    const bot = await startBot();
    const through = async (
      rewrite: (headers: Headers, body: string) => string,
      signingSecret = SIGNING_SECRET,
    ) => {
      const proxy = await serve(async (request, response) => {
        const headers = new Headers({ 'content-type': String(request.headers['content-type']) });
        for (const name of ['x-slack-signature', 'x-slack-request-timestamp'])
          headers.set(name, String(request.headers[name] ?? ''));
        const body = rewrite(headers, proxy.requests.at(-1)?.body ?? '');
        const answer = await fetch(`${bot.url}${request.url}`, { method: 'POST', headers, body });
        response.writeHead(answer.status).end(await answer.text());
      });
      const findings = await checkPublicAddress({ ...parts(proxy.url), signingSecret });
      await proxy.close();
      return findings.map(({ verdict, code }) => code ?? verdict);
    };
    expect(await through((_, body) => body)).toEqual(['good']);
    expect(await through((_, body) => String(new URLSearchParams(body)))).toEqual(['signature']);
    const withoutSignature = (headers: Headers, body: string) => {
      headers.delete('x-slack-signature');
      return body;
    };
    expect(await through(withoutSignature)).toEqual(['signature']);
    expect(await through((_, body) => body, 'f'.repeat(32))).toEqual(['signature']);
    await bot.stop();
  });

  it('may lead to a proxy without a bot behind it, which is only a warning before the start', async () => {
    const proxy = await serve((_, response) => void response.writeHead(502).end());
    const findings = await checkPublicAddress(parts(proxy.url));
    await proxy.close();
    expect(verdicts(findings)).toEqual(['warning']);
    expect(says(findings)).toContain('reaches no bot');
  });
});

describe('a connection that times out', () => {
  const codeWith = (look: () => Promise<unknown>) => networkCode('ETIMEDOUT', 'redis.example.com', look);

  it('is the name server’s fault where nothing answers for the name', async () => {
    expect(await codeWith(() => new Promise(() => undefined))).toBe('EAI_AGAIN');
    expect(await codeWith(() => Promise.reject(new Error('queryA EAI_AGAIN')))).toBe('EAI_AGAIN');
  });

  it('is the network’s where the name is known', async () => {
    expect(await codeWith(async () => ({ address: '192.0.2.1' }))).toBe('ETIMEDOUT');
    expect(await networkCode('timeout', '127.0.0.1')).toBe('timeout');
  });
});

describe('all checks', () => {
  it('ends even when a check does not', async () => {
    const check = checkRedis(new Promise(() => {}), store.url);
    expect(says(await boundCheck('Redis', check, 150))).toContain('no answer within 0.15 s');
  });

  it('reports a failed check without the error’s message', async () => {
    await createWorkspaceIndex(store.client).setCheck('T1', 0);
    await store.client.hset('tally:{T1}:record', 'installation', 'sealed');
    const open = () => {
      throw new TypeError(USER_TOKEN);
    };
    const keyring = { ...createKeyring([{ id: 'k', key: KEY }]), open };
    const check = checkRecords(Promise.resolve(store.client), keyring, ['k']);
    const text = says(await boundCheck('Sealed records', check, 2_000));
    expect(text).toContain('the check failed (TypeError)');
    expect(text).not.toContain(USER_TOKEN);
  });

  it('masks secrets from any source', () => {
    expect(formatFindings([okFinding('Slack', `it said ${BOT_TOKEN}`)])).not.toContain(BOT_TOKEN);
  });
});
