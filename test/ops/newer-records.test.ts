/** A bot that meets what a newer version of Tally wrote. The newer one is this one with the next layout. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../../build.js';
import { type BillingService, startBilling } from '../../sandbox/billing.ts';
import { freePort } from '../../sandbox/bot-process.ts';
import { BOT_ENTRY, buildBot, SANDBOX_FOLDER } from '../../sandbox/build.ts';
import { OWNER, type Slack } from '../../sandbox/slack/index.ts';
import { createDeliveryLog } from '../../src/delivery/log/delivery-log.ts';
import { createWatchFiguresStore } from '../../src/delivery/watches/watch-figures-store.ts';
import { NewerRecords } from '../../src/domain/failure/index.ts';
import { resealAll } from '../../src/ops/reseal.ts';
import { LAYOUT } from '../../src/redis/layout.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createInstallationStore } from '../../src/workspace/credentials/installation-store.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { createDeletion } from '../../src/workspace/record/deletion.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { createWorkspaceStore } from '../../src/workspace/record/workspace-store.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { createTokenGrants } from '../../src/workspace/short-lived/token-grants.ts';
import { createTokenQuota } from '../../src/workspace/short-lived/token-quota.ts';
import { createThreadStore } from '../../src/workspace/thread-store.ts';
import { CHANNEL, goodToken, slackEnvironment, startTestSlack, textOf } from '../support/bot.ts';
import { endProcess } from '../support/delivery-processes.ts';
import { endWithParent } from '../support/end-with-parent.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const NEWER = String(LAYOUT + 1);
const KEYS = `k:${randomBytes(32).toString('base64')}`;

describe('every write of a workspace that a newer version has written', () => {
  const TEAM = 'T0NEWER001';
  const PERSON = 'U0PERSON01';
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await testRedis();
    await redis.client.hset(`tally:{${TEAM}}:record`, { layout: NEWER, 'future:x': '{}', served: 'E1' });
    await redis.client.set(`tally:{${TEAM}}:delivery-lock`, 'held');
    await redis.client.set(`tally:{${TEAM}}:audit`, 'of another form');
    await redis.client.sadd('tally:{E1}:members', TEAM);
    await createWorkspaceIndex(redis.client).setCheck(TEAM, 0);
  });
  afterEach(() => redis.close());

  const keyring = createKeyring([{ id: 'k', key: randomBytes(32) }]);
  const lease = { teamId: TEAM, token: 'held' };
  const entry = {
    at: 1,
    who: PERSON,
    action: 'settings changed',
    about: { kind: 'settings', changed: ['zone'] },
  } as const;
  const grant = { person: PERSON, project: '1', word: 'prod' };
  const figures = { connection: 'main' };
  const question = { command: '/balance', text: 'prod', at: 1, ids: {} } as const;
  const place = { workspace: TEAM, channel: 'C1', thread: '1.1' };
  const WRITES: Readonly<Record<string, (client: TestRedis['client']) => Promise<unknown>>> = {
    'a change of a person': (client) => createWorkspaceStore(client).write(TEAM, { set: { settings: '{}' } }),
    'its first change': (client) =>
      createWorkspaceStore(client).write(TEAM, { set: { settings: '{}' }, first: true }),
    'reading it': (client) => createWorkspaces({ redis: client, keyring }).load(TEAM),
    'an installation by OAuth': (client) =>
      createInstallationStore({ redis: client, keyring }).save(TEAM, 'x'),
    'an audit entry': (client) => createAudit(client).record(TEAM, entry),
    'a grant': (client) => createTokenGrants(client).keep(TEAM, grant, { at: 1, until: 2 }),
    'using a grant': (client) =>
      createTokenGrants(client).claim({
        ...{ workspace: TEAM, person: PERSON, purpose: 'revoke', at: 1 },
        grantText: 'a'.repeat(22),
      }),
    'a token counted': (client) => createTokenQuota(client).take(TEAM, PERSON, 1),
    'a question in a thread': (client) => createThreadStore(client).remember(place, question, 'everybody'),
    'the lease of a delivery': (client) => createDeliveryLog(client).lease(TEAM),
    'the result of a delivery': (client) =>
      createDeliveryLog(client).write(lease, { name: 'watch/abcd1234', before: undefined, value: {} }),
    'a delivery that has to wait': (client) => createDeliveryLog(client).backOff(lease, 1),
    'figures of a watch': (client) => createWatchFiguresStore(client).save(lease, 'x', figures),
    'its deletion': (client) => createDeletion({ redis: client }).workspace(TEAM),
    'its deletion from an organization': (client) => createDeletion({ redis: client }).member(TEAM),
    'a reseal': (client) => resealAll(client, keyring, () => undefined),
  };

  it.each(Object.entries(WRITES))('refuses %s, and changes nothing', async (_, write) => {
    const dump = async () =>
      Promise.all(
        (await redis.client.keys('tally:{T*'))
          .sort()
          .map(async (key) => [
            key,
            await redis.client.type(key),
            key.endsWith('record') ? await redis.client.hgetall(key) : await redis.client.get(key),
          ]),
      );
    const before = await dump();
    await expect(write(redis.client)).rejects.toThrow(NewerRecords);
    expect(await dump()).toEqual(before);
  });
});

describe('a bot beside one of a newer version', () => {
  let redis: TestRedis;
  let billing: BillingService;
  let slack: Slack;
  let newerEntry: string;
  const logs = new Map<ChildProcess, string>();
  const url = { now: '' };
  const running: ChildProcess[] = [];
  const folder = join(SANDBOX_FOLDER, 'newer');
  const env = (): Record<string, string> => ({
    PATH: process.env.PATH ?? '',
    ...slackEnvironment('http', slack),
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: KEYS,
    TRUSTED_API_HOSTS: '127.0.0.1',
    BILLING_BASE_URL: billing.url,
  });
  const readyz = async (base: string) => {
    const answer = await fetch(`${base}/readyz`).catch(() => undefined);
    return answer === undefined ? undefined : ((await answer.json()) as { ok: boolean; notReady?: string[] });
  };
  const start = async (bot: string, isReady = true) => {
    const port = await freePort();
    const child = spawn(process.execPath, [bot, 'start'], {
      env: { ...env(), PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithParent(child);
    running.push(child);
    child.stdout?.on('data', (text) => logs.set(child, `${logs.get(child) ?? ''}${text}`));
    const base = `http://127.0.0.1:${port}`;
    await waitUntil(async () => (await readyz(base))?.ok === isReady);
    return { child, base, log: () => logs.get(child) ?? '' };
  };
  const ask = async (text: string) => {
    const seen = () => slack.messages(OWNER, CHANNEL).filter(({ from }) => from !== OWNER);
    const before = seen().length;
    await slack.say(OWNER, CHANNEL, text);
    const { text: plain, blocks } = await slack.waitFor(() => seen()[before], 15_000);
    return `${plain}\n${textOf(blocks)}`;
  };
  const doctor = () =>
    new Promise<{ code: number; said: string }>((resolve) => {
      execFile(process.execPath, [BOT_ENTRY, 'doctor'], { env: env() }, (error, said) =>
        resolve({ code: Number(error?.code ?? 0), said }),
      );
    });

  beforeAll(async () => {
    await buildBot(() => undefined);
    await rm(folder, { recursive: true, force: true });
    await cp('src', join(folder, 'src'), { recursive: true });
    const layout = join(folder, 'src/redis/layout.ts');
    const text = await readFile(layout, 'utf8');
    const newer = text.replace(`LAYOUT: number = ${LAYOUT};`, `LAYOUT: number = ${NEWER};`);
    expect(newer).not.toBe(text);
    await writeFile(layout, newer);
    const facts = JSON.parse(await readFile('package.json', 'utf8'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ ...facts, version: '9.4.0' }));
    await bundle([join(folder, 'src/tally.ts')], join(folder, 'dist'));
    newerEntry = join(folder, 'dist/tally.js');
    [redis, billing] = await Promise.all([testRedis(), startBilling()]);
    slack = await startTestSlack('http', () => url.now, 15_000);
  }, 60_000);
  afterAll(async () => {
    await Promise.all(running.map((child) => endProcess(child)));
    await Promise.all([slack.close(), billing.close(), redis.close()]);
  });

  it('works until it meets a newer record, then says so, and never starts there again', async () => {
    const older = await start(BOT_ENTRY);
    url.now = older.base;
    await slack.say(OWNER, CHANNEL, '/billing connect');
    await slack.waitFor(() => textOf(slack.modal(OWNER)?.view).includes('User access token'));
    await slack.submit(OWNER, { token: goodToken(billing), project: '123' });
    await slack.waitFor(() => textOf(slack.modal(OWNER)?.view).includes('Connected'));
    await slack.dismiss(OWNER);
    expect(await ask('/balance 123')).toContain('left');
    expect(await redis.client.get('tally:layout')).toMatch(`${LAYOUT} `);

    const newer = await start(newerEntry);
    await waitUntil(async () => (await redis.client.get('tally:layout')) === `${NEWER} 9.4.0`);
    url.now = newer.base;
    const [record = ''] = await redis.client.keys('tally:{T*}:record');
    // So that the answer is worth a note.
    const used = Object.keys(await redis.client.hgetall(record)).filter((field) => field.startsWith('used:'));
    await redis.client.hdel(record, ...used);
    expect(await ask('/balance 123')).toContain('left');
    await waitUntil(async () => (await redis.client.hget(record, 'layout')) === NEWER);
    const before = await redis.client.hgetall(record);

    url.now = older.base;
    const answer = await ask('/balance 123');
    expect(answer).toContain('Tally is being upgraded, and an older version got your request.');
    expect(answer).toContain('Nothing was changed.');
    await waitUntil(async () => (await readyz(older.base))?.notReady?.includes('newer-records') === true);
    expect(older.log()).toMatch(/"version":"9\.4\.0".*Tally does nothing here any more/);
    expect(await redis.client.hgetall(record)).toEqual(before);

    const again = await start(BOT_ENTRY, false);
    await waitUntil(() => again.log().includes('Tally does nothing here any more'));
    expect(await readyz(again.base)).toMatchObject({ ok: false, notReady: ['newer-records'] });
    url.now = again.base;
    expect(await ask('/balance 123')).toContain('Tally is being upgraded');
    const { code, said } = await doctor();
    expect(code).toBe(1);
    expect(said).toContain('were written by Tally 9.4.0');
    expect(said).toContain('Run Tally 9.4.0 or newer.');

    url.now = newer.base;
    expect(await ask('/balance 123')).toContain('left');
    expect(await readyz(newer.base)).toEqual({ ok: true });
  }, 60_000);
});
