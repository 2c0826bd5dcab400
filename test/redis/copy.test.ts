/** `tally copy --from`: copies one Redis to a Cluster. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Cluster, Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { copyWorkspaces, loadWorkspaces } from '../../src/ops/copy-workspaces.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/connect.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { NO_SERVER, type RedisCluster, startCluster } from '../support/redis-servers.ts';

const COUNT = 30;
const id = (n: number) => `T${n}`;

describeUnless(NO_SERVER, 'to a Cluster', () => {
  let cluster: RedisCluster;
  let to: Cluster;
  let from: TestRedis;
  beforeAll(async () => {
    cluster = await startCluster();
    to = new Cluster(cluster.masters.map(({ port }) => ({ host: '127.0.0.1', port })));
  }, 30_000);
  afterAll(async () => {
    to.disconnect();
    await cluster.stop();
  });
  beforeEach(async () => {
    from = await testRedis();
    for (const { client } of cluster.masters) await client.flushall();
  });
  afterEach(() => from.close());

  const runCopy = (...args: string[]) =>
    new Promise<{ code: number; said: string }>((resolve) => {
      execFile(
        process.execPath,
        ['--import', 'tsx', 'src/tally.ts', 'copy', ...args],
        {
          env: {
            PATH: process.env.PATH,
            SLACK_BOT_TOKEN: 'xoxb-for-tests-only',
            SLACK_SIGNING_SECRET: 'a-signing-secret-for-tests-only',
            REDIS_URL: cluster.url,
            ENCRYPTION_KEYS: `k:${randomBytes(32).toString('base64')}`,
          },
        },
        (error, output, errors) => resolve({ code: Number(error?.code ?? 0), said: `${output}${errors}` }),
      );
    });
  const copy = async (): Promise<{ code: number; said: string }> => {
    const lines: string[] = [];
    const [source, target] = [connectRedis(from.url), connectRedis(cluster.url)];
    await Promise.all([waitUntilReady(source, 5_000), waitUntilReady(target, 5_000)]);
    const isDone = await copyWorkspaces(loadWorkspaces(source), target, (line) => void lines.push(line));
    source.disconnect();
    target.disconnect();
    return { code: isDone ? 0 : 1, said: lines.join('\n') };
  };

  const save = async () => {
    for (let n = 0; n < COUNT; n += 1) {
      await from.client.hset(`tally:{${id(n)}}:record`, {
        settings: '{"zone":"Asia/Tokyo"}',
        served: 'E1',
      });
      await from.client.xadd(
        `tally:{${id(n)}}:audit`,
        '5-1',
        'at',
        '1',
        'who',
        'U1',
        'action',
        'x',
        'about',
        id(n),
      );
      await from.client.hset(`tally:{${id(n)}}:delivery-log`, 'schedul1/2026-11-20', '{}');
      await from.client.pexpire(`tally:{${id(n)}}:delivery-log`, 600_000);
    }
    const index = createWorkspaceIndex(from.client);
    for (const one of ['E1', ...Array.from({ length: COUNT }, (_, n) => id(n))]) await index.setCheck(one, 0);
    await from.client.sadd('tally:{E1}:members', ...Array.from({ length: COUNT }, (_, n) => id(n)));
  };

  it('copies everything, then only changes, and deletes what was deleted', async () => {
    await save();
    const first = await runCopy('--from', from.url);
    expect(first).toMatchObject({
      code: 0,
      said: expect.stringContaining(`${COUNT + 1} workspaces copied`),
    });
    expect(await from.client.exists('tally:{T0}:record')).toBe(1);
    for (let n = 0; n < COUNT; n += 1) {
      expect(await to.hget(`tally:{${id(n)}}:record`, 'settings')).toBe('{"zone":"Asia/Tokyo"}');
      expect(await to.xrange(`tally:{${id(n)}}:audit`, '-', '+')).toMatchObject([['5-1', expect.anything()]]);
      expect(await to.pttl(`tally:{${id(n)}}:delivery-log`)).toBeGreaterThan(0);
    }
    expect(await to.scard('tally:{E1}:members')).toBe(COUNT);
    const listed: string[] = [];
    for await (const one of createWorkspaceIndex(to).list()) listed.push(one);
    expect(listed).toHaveLength(COUNT + 1);

    await from.client.hset('tally:{T1}:record', 'settings', '{"zone":"Europe/Rome"}');
    await from.client.hdel('tally:{T1}:record', 'served');
    await from.client.unlink('tally:{T2}:record', 'tally:{T2}:audit', 'tally:{T2}:delivery-log');
    await from.client.srem('tally:{E1}:members', 'T2');
    const second = await copy();
    expect(second.said).toContain(`2 workspaces copied, ${COUNT - 2} already the same, 1 deleted`);
    expect(await to.hgetall('tally:{T1}:record')).toEqual({ settings: '{"zone":"Europe/Rome"}' });
    expect((await cluster.keys()).filter((key) => key.includes('{T2}'))).toEqual([]);
    expect((await copy()).said).toContain('0 workspaces copied');
  });

  it('never overwrites what a bot changed on the new one', async () => {
    await save();
    await copy();
    await to.hset('tally:{T1}:record', 'settings', '{"zone":"UTC"}');
    await from.client.hset('tally:{T1}:record', 'settings', '{"zone":"Europe/Rome"}');
    await to.hset('tally:{T4}:record', 'settings', '{"zone":"UTC"}');
    await to.hset('tally:{T99}:record', 'settings', '{}');
    await createWorkspaceIndex(to).setCheck('T99', 0);
    const { code, said } = await copy();
    expect(code).toBe(1);
    expect(said).toContain('T1 changed in both: the new Redis keeps its own.');
    expect(await to.hget('tally:{T1}:record', 'settings')).toBe('{"zone":"UTC"}');
    expect(await to.exists('tally:{T99}:record')).toBe(1);
  });

  it('refuses while a bot runs on the new one, and reports bots on the old one', async () => {
    const bot = async (port: number, name: string, path = '') => {
      const client = new Redis({
        ...(path === '' ? { port } : { path, db: from.client.options.db ?? 0 }),
        connectionName: name,
      });
      await client.ping();
      return client;
    };
    const early = await bot(cluster.masters[1]?.port ?? 0, 'tally-bot');
    expect(await copy()).toMatchObject({
      code: 1,
      said: expect.stringContaining('runs on the Redis in REDIS_URL'),
    });
    early.disconnect();
    const late = await bot(0, 'tally-bot', from.url.replace(/^unix:\/\/|\?.*$/g, ''));
    expect(await runCopy('--from', from.url)).toMatchObject({
      code: 0,
      said: expect.stringContaining('Bots still run on the old Redis'),
    });
    late.disconnect();
  });

  it('reports what is wrong with the URL', async () => {
    expect(await runCopy('--from', 'redis+cluster://one:x')).toMatchObject({
      code: 64,
      said: expect.stringContaining('The URL after --from is invalid: host 1 is not host:port'),
    });
  });
});
