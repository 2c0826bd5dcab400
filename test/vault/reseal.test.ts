import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BOT_ENTRY, buildBot, ROOT } from '../../sandbox/build.ts';
import { resealAll } from '../../src/cli/reseal.ts';
import { INDEX_KEY, recordKey } from '../../src/redis/keys.ts';
import { createKeyring, type Keyring, type SealingKey } from '../../src/vault/keyring.ts';
import { type NewConnection, sealOwnerOf } from '../../src/workspace/credentials/credential-records.ts';
import { createInstallationStore } from '../../src/workspace/credentials/installation-store.ts';
import { findConnection } from '../../src/workspace/record/workspace.ts';
import { createWorkspaces, type Workspaces } from '../../src/workspace/record/workspace-repository.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-store.ts';
import { changeIn } from '../support/projects.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const sealingKey = (id: string): SealingKey => ({ id, key: randomBytes(32) });
const [OLD, NEW, LOST] = [sealingKey('old'), sealingKey('new'), sealingKey('lost')];
const written = (...keys: readonly SealingKey[]) =>
  keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');

const CONNECTION: Omit<NewConnection, 'token'> = {
  name: 'main',
  baseUrl: 'https://api.example.com',
  role: 'read-only',
  lifetime: 'none',
  registeredBy: 'U1',
  registeredAt: 0,
};

let store: TestRedis;
let redis: Redis;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  await buildBot(() => {});
  store = await testRedis();
  redis = store.client;
}, 60_000);
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await redis.flushdb();
});
afterAll(() => store.close());

const workspacesWith = (...keys: SealingKey[]) => createWorkspaces({ redis, keyring: createKeyring(keys) });
const installedWith = (...keys: SealingKey[]) =>
  createInstallationStore({ redis, keyring: createKeyring(keys) });
const saving = async (workspaces: Workspaces, workspace: string, connection: NewConnection) =>
  workspaces.saveConnection(await changeIn(workspaces, workspace), connection);
const save = (workspace: string, token: string, key = OLD, name = 'main') =>
  saving(workspacesWith(key), workspace, { ...CONNECTION, name, token });
const tokenOf = async (workspace: string, keys: SealingKey[], name = 'main') =>
  findConnection(await workspacesWith(...keys).load(workspace), name)!.token();
const hashOf = (workspace: string) => redis.hgetall(`tally:{${workspace}}:record`);
const id = (i: number) => `T${String(i).padStart(6, '0')}`;

/** Saves many workspaces in one step, each with a token of its own, sealed with the old key. */
async function saveMany(count: number) {
  await save(id(0), 'token-number-0');
  const record: object = JSON.parse((await hashOf(id(0)))['connection:main']!);
  const keyring = createKeyring([OLD]);
  const pipeline = redis.pipeline();
  for (let i = 1; i < count; i += 1) {
    const owner = sealOwnerOf('billing-token', id(i), 'main', record);
    const sealed = keyring.seal(`token-number-${i}`, owner);
    pipeline.zadd(INDEX_KEY, 0, id(i));
    pipeline.hset(recordKey(id(i)), 'connection:main', JSON.stringify({ ...record, sealed }));
  }
  await pipeline.exec();
}

interface Run {
  readonly child: ChildProcess;
  readonly said: () => string;
  /** The exit code, after all output has arrived. */
  readonly ended: Promise<number | null>;
}

function start(keys: readonly SealingKey[], url = store.url): Run {
  const child = spawn(process.execPath, [BOT_ENTRY, 'reseal'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      SLACK_BOT_TOKEN: 'xoxb-for-tests-only',
      SLACK_SIGNING_SECRET: '0123456789abcdef0123456789abcdef',
      REDIS_URL: url,
      ENCRYPTION_KEYS: written(...keys),
    },
  });
  children.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
  return { child, said: () => said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

async function run(...keys: SealingKey[]) {
  const { ended, said } = start(keys);
  return { code: await ended, said: said() };
}

async function sealedWith({ id: key }: SealingKey): Promise<number> {
  const hashes = await Promise.all((await redis.keys('tally:{*}:record')).map((one) => redis.hgetall(one)));
  return hashes.flatMap((hash) => Object.values(hash)).filter((value) => value.includes(`v1.${key}.`)).length;
}

describe('a stored secret that changes while tally reseal runs', () => {
  const KEY = 'tally:{T1}:record';
  const FIELD = 'installation';
  const owner = sealOwnerOf('slack-installation', 'T1', 'installation');
  const sealedWith = (key: SealingKey, plain: string) => createKeyring([key]).seal(plain, owner);
  let lines: string[];
  const resealing = async (change: () => void) => {
    lines = [];
    await createWorkspaceIndex(redis).touch('T1');
    await redis.hset(KEY, FIELD, sealedWith(OLD, 'first'));
    const keyring = createKeyring([NEW, OLD]);
    const changing: Keyring = {
      ...keyring,
      seal(...parts) {
        // Redis gets this before the replacement, which is sent on the same connection.
        change();
        return keyring.seal(...parts);
      },
    };
    return resealAll(redis, changing, (line) => void lines.push(line));
  };

  it('keeps what a bot has just written, and is reported', async () => {
    const newest = sealedWith(NEW, 'newest');
    const result = await resealing(() => void redis.hset(KEY, FIELD, newest));
    expect(await redis.hget(KEY, FIELD)).toBe(newest);
    expect(result).toMatchObject({ resealed: 0, alreadyNew: 0, failed: 1 });
    expect(lines).toEqual(['T1 installation: a bot changed it just now']);
  });

  it('stays deleted if its workspace is deleted at that moment', async () => {
    const result = await resealing(() => void redis.unlink(KEY));
    expect(await redis.exists(KEY)).toBe(0);
    expect(result).toMatchObject({ resealed: 0, alreadyNew: 0 });
  });
});

describe('tally reseal', () => {
  it('encrypts every secret with the newest key, and a second run changes nothing', async () => {
    await save('T1', 'token-of-t1');
    await save('T1', 'second-token-of-t1', OLD, 'second');
    await save('T2', 'token-of-t2', NEW);
    await installedWith(OLD).save('T1', 'installation of t1');
    await installedWith(OLD).save('E1', 'installation of e1');
    await workspacesWith(OLD).setChannelDefault(await changeIn(workspacesWith(OLD), 'T1'), 'C1', 'prod');

    const first = await run(NEW, OLD);
    expect(first.said).toContain(
      '4 records encrypted again with “new”, 1 already encrypted with it, 0 left unchanged.',
    );
    expect(first.said).toContain('No record needs “old” any more');
    expect(first.code).toBe(0);
    expect(await tokenOf('T1', [NEW])).toBe('token-of-t1');
    expect(await tokenOf('T1', [NEW], 'second')).toBe('second-token-of-t1');
    expect(await installedWith(NEW).load('T1')).toBe('installation of t1');
    expect(await installedWith(NEW).load('E1')).toBe('installation of e1');
    expect((await workspacesWith(NEW).load('T1')).channelDefault('C1')).toBe('prod');

    const before = await hashOf('T1');
    const second = await run(NEW, OLD);
    expect(second.said).toContain('0 records encrypted again');
    expect(second.code).toBe(0);
    expect(await hashOf('T1')).toEqual(before);
  });

  it('does not change what it cannot decrypt, and names the field and the key, but no contents', async () => {
    for (const workspace of ['T1', 'T2', 'T3']) await save(workspace, `token-of-${workspace}`);
    const { 'connection:main': other = '' } = await hashOf('T1');
    const damaged = JSON.parse(other) as { sealed: string };
    const last = damaged.sealed.at(-5) === 'A' ? 'B' : 'A';
    const bad: [string, string, string][] = [
      ['T2', 'connection:main', other],
      ['T1', 'connection:copy', other],
      ['T1', 'installation', damaged.sealed],
      [
        'T3',
        'connection:torn',
        JSON.stringify({
          ...damaged,
          sealed: `${damaged.sealed.slice(0, -5)}${last}${damaged.sealed.slice(-4)}`,
        }),
      ],
      ['T3', 'connection:bare', 'token-in-the-open'],
      ['T3', 'connection:half', '{"sealed":'],
      ['T3', 'connection:sent', other.replace('"name":"main"', '"name":"sent"')],
    ];
    for (const [workspace, field, value] of bad) {
      await createWorkspaceIndex(redis).touch(workspace);
      await redis.hset(`tally:{${workspace}}:record`, field, value);
    }
    await save('T4', 'token-of-T4', LOST);
    await save('T5', 'token-of-T5', LOST);

    const { code, said } = await run(NEW, OLD);
    expect(code).toBe(1);
    expect(said).toContain('2 records encrypted again');
    expect(said).toContain('9 left unchanged');
    for (const place of [
      'T2 connection:main',
      'T1 connection:copy',
      'T1 installation',
      'T3 connection:torn',
      'T3 connection:sent',
    ])
      expect(said).toContain(`${place}: can’t be decrypted`);
    for (const place of ['T3 connection:half', 'T3 connection:bare'])
      expect(said).toContain(`${place}: damaged`);
    for (const place of ['T4', 'T5'])
      expect(said).toContain(`${place} connection:main: needs the key “lost”`);
    expect(said).toContain('Keep every key.');
    expect(said).not.toMatch(/token-of|token-in|v1\./);
    for (const [workspace, field, value] of bad) expect((await hashOf(workspace))[field]).toBe(value);
    expect(await tokenOf('T5', [LOST])).toBe('token-of-T5');
    expect(await tokenOf('T1', [NEW])).toBe('token-of-T1');
  });

  it('stops at a wrong environment variable, and says what is wrong', async () => {
    const { ended, said } = start([NEW], 'not-an-address');
    expect(await ended).toBe(78);
    expect(said()).toContain('REDIS_URL is not a Redis address');
  });

  it('loses nothing when it is killed again and again while people register tokens', async () => {
    const count = 800;
    await saveMany(count);
    await installedWith(OLD).save(id(0), 'installation');
    const newest = new Map<string, string>();
    let isRunning = true;
    const writing = (async () => {
      for (let turn = 0; isRunning; turn += 1) {
        const workspace = id((turn * 7) % count);
        const token = `registered-meanwhile-${turn}`;
        // Half of the bots still have the old key.
        await save(workspace, token, turn % 2 === 0 ? OLD : NEW);
        newest.set(workspace, token);
      }
    })();
    for (let kill = 0; kill < 3; kill += 1) {
      const { child, ended } = start([NEW, OLD]);
      const reached = () => redis.hget(`tally:{${id((kill + 1) * 200)}}:record`, 'connection:main');
      while (child.exitCode === null && !(await reached())?.includes('v1.new.')) await delay(10);
      child.kill('SIGKILL');
      await ended;
    }
    isRunning = false;
    await writing;
    const last = await run(NEW, OLD);
    expect(last.code).toBe(0);
    expect(last.said).toContain('0 left unchanged');
    expect(await sealedWith(OLD)).toBe(0);
    expect(newest.size).toBeGreaterThan(0);
    for (let i = 0; i < count; i += 1)
      expect(await tokenOf(id(i), [NEW])).toBe(newest.get(id(i)) ?? `token-number-${i}`);
    expect(await installedWith(NEW).load(id(0))).toBe('installation');
  }, 60_000);
});
