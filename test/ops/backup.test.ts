/** `tally backup` and `tally restore`, as docs/backup.md says. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { LAYOUT } from '../../src/redis/layout.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { sealOwnerOf } from '../../src/workspace/credentials/sealed-fields.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { type Bot, CHANNEL, startBot, textOf } from '../support/bot.ts';
import { save, schedule } from '../support/delivery.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { NO_SERVER, startCluster, startSentinels, startServer } from '../support/redis-servers.ts';
import { waitUntil } from '../support/wait-until.ts';

const KEYS = `first:${randomBytes(32).toString('base64')}`;
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30);

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tally-backup-'));
  file = join(folder, 'tally.backup');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (redisUrl: string, words: readonly string[], keys = KEYS, input?: Buffer) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    const env = {
      PATH: process.env.PATH,
      SLACK_BOT_TOKEN: 'xoxb-for-tests-only',
      SLACK_SIGNING_SECRET: 'a-signing-secret-for-tests-only',
      REDIS_URL: redisUrl,
      ENCRYPTION_KEYS: keys,
    };
    const { stdin } = execFile(
      process.execPath,
      ['--import', 'tsx', 'src/tally.ts', ...words],
      { env },
      (error, said, errors) => resolve({ code: Number(error?.code ?? 0), said: `${said}${errors}` }),
    );
    // A command that doesn't read it may end first.
    stdin?.on('error', () => undefined).end(input);
  });

const keysIn = async ({ client }: TestRedis): Promise<string[]> =>
  (await client.keys('tally:{T*')).filter((key) => !/-lock$|:copied$/.test(key)).sort();

describe('a backup', () => {
  let first: TestRedis;
  let second: TestRedis;
  beforeEach(async () => {
    [first, second] = await Promise.all([testRedis(), testRedis()]);
    await createWorkspaceIndex(first.client).setCheck('T1', 0);
    await first.client.hset('tally:{T1}:record', {
      settings: '{"zone":"Asia/Tokyo"}',
      'project:a\u2028b': 'é',
    });
    await first.client.xadd('tally:{T1}:audit', '5-1', 'at', '1', 'who', 'U1', 'action', 'x', 'about', 'y');
    await first.client.hset('tally:{T1}:delivery-log', 'schedul1/2026-11-20', '{"state":"posted"}');
    await first.client.pexpire('tally:{T1}:delivery-log', 600_000);
    await first.client.hset('tally:{T1}:grants', 'handle', '9999999999999 {}');
  });
  afterEach(() => Promise.all([first.close(), second.close()]));

  it('brings everything back to an empty Redis, but no grant, which might be used twice', async () => {
    expect(await run(first.url, ['backup', file])).toMatchObject({
      code: 0,
      said: expect.stringContaining('1 workspace backed up.'),
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await run(second.url, ['restore', file])).toMatchObject({
      code: 0,
      said: expect.stringContaining('Restored.'),
    });
    expect(await second.client.hgetall('tally:{T1}:record')).toEqual({
      ...(await first.client.hgetall('tally:{T1}:record')),
      layout: String(LAYOUT),
    });
    expect(await second.client.hgetall('tally:{T1}:delivery-log')).toEqual({
      'schedul1/2026-11-20': '{"state":"posted"}',
    });
    expect(await second.client.pttl('tally:{T1}:delivery-log')).toBeGreaterThan(500_000);
    expect(await second.client.xrange('tally:{T1}:audit', '-', '+')).toHaveLength(1);
    expect(await second.client.exists('tally:{T1}:grants')).toBe(0);
    expect(await second.client.zrange('tally:{tally-0}:workspaces', '0', '-1')).toEqual(['T1']);
    // An interrupted one is run again.
    expect(await run(second.url, ['restore', file])).toMatchObject({
      code: 0,
      said: expect.stringContaining('0 workspaces copied, 1 already the same'),
    });
  }, 30_000);

  it('is never written over another file, nor left half-written', async () => {
    await writeFile(file, 'something else');
    expect(await run(first.url, ['backup', file])).toMatchObject({
      code: 73,
      said: expect.stringContaining('exists already'),
    });
    expect(await readFile(file, 'utf8')).toBe('something else');
    const other = join(folder, 'other');
    expect(await run('redis://127.0.0.1:1', ['backup', other])).toMatchObject({ code: 1 });
    await expect(stat(other)).rejects.toThrow('ENOENT');
  }, 30_000);

  it('goes to standard output alone', async () => {
    const output = await new Promise<Buffer>((resolve) => {
      const words = ['--import', 'tsx', 'src/tally.ts', 'backup', '-'];
      const env = {
        ...{ PATH: process.env.PATH, SLACK_BOT_TOKEN: 'xoxb-for-tests-only', ENCRYPTION_KEYS: KEYS },
        ...{ SLACK_SIGNING_SECRET: 'a-signing-secret-for-tests-only', REDIS_URL: first.url },
      };
      execFile(process.execPath, words, { env, encoding: 'buffer' }, (_, bytes) => resolve(bytes));
    });
    await writeFile(file, output);
    expect(await run(second.url, ['restore', '--check', file])).toMatchObject({ code: 0 });
  }, 30_000);

  it('comes from standard input as well, for a check and for a restore', async () => {
    await run(first.url, ['backup', file]);
    const whole = await readFile(file);
    const fed = (words: readonly string[], input: Buffer) =>
      run(second.url, ['restore', ...words, '-'], KEYS, input);
    expect(await fed(['--check'], whole)).toMatchObject({
      code: 0,
      said: expect.stringContaining('A whole backup of 1 workspace'),
    });
    for (const [input, why] of [
      [Buffer.alloc(0), 'its end is missing'],
      [whole.subarray(0, -9), 'its end is missing'],
      [Buffer.alloc(256 * 2 ** 20 + 1), 'larger than 256 MiB'],
    ] as const)
      expect(await fed([], input)).toMatchObject({ code: 65, said: expect.stringContaining(why) });
    expect(await second.client.keys('*')).toEqual([]);
    expect(await fed([], whole)).toMatchObject({ code: 0, said: expect.stringContaining('Restored.') });
    expect(await keysIn(second)).toContain('tally:{T1}:record');
  }, 60_000);

  it('is refused before anything is written when it is cut off, altered, or of a newer version', async () => {
    await run(first.url, ['backup', file]);
    const whole = await readFile(file);
    const lines = gunzipSync(whole).toString().split('\n');
    const packed = (text: string) => gzipSync(text);
    const broken: readonly (readonly [Buffer, string])[] = [
      [whole.subarray(0, whole.length - 20), 'its end is missing'],
      [packed(lines.slice(0, 2).join('\n')), 'its end is missing'],
      [packed(`${lines.slice(0, 2).join('\n')}\n`), 'its end is missing'],
      [packed(lines.join('\n').replace('Asia/Tokyo', 'Asia/Seoul')), 'damaged'],
      [packed([lines[0], lines[2], ''].join('\n')), 'damaged'],
      [packed(lines.join('\n').replace('HSET', 'FLUSHALL')), 'damaged'],
      [packed(lines.join('\n').replace('tally:{T1}:record', 'tally:{T2}:record')), 'damaged'],
      [
        packed(lines.join('\n').replace(`"layout":${LAYOUT}`, `"layout":${LAYOUT + 1}`)),
        'Restore it with Tally',
      ],
      [Buffer.from('not a backup'), 'damaged'],
    ];
    for (const [bytes, why] of broken) {
      await writeFile(file, bytes);
      expect(await run(second.url, ['restore', file])).toMatchObject({
        code: 65,
        said: expect.stringContaining(why),
      });
    }
    expect(await run(second.url, ['restore', join(folder, 'none')])).toMatchObject({ code: 66 });
    expect(await second.client.keys('*')).toEqual([]);
  }, 60_000);

  it('says in a sentence that another program has written a key of Tally’s', async () => {
    await first.client.hset('tally:layout', 'of', 'another program');
    for (const words of [['backup', file], ['reseal'], ['copy', '--from', second.url]]) {
      const { code, said } = await run(first.url, words);
      expect(said).toMatch(/^Redis fails with WRONGTYPE\. `tally doctor` says what fixes it\..*\n$/);
      expect(code).toBe(1);
    }
  });

  it('replaces what a Redis holds only when that is asked for', async () => {
    await run(first.url, ['backup', file]);
    await second.client.hset('tally:{T1}:record', 'settings', '{}');
    await second.client.hset('tally:{T9}:record', 'settings', '{}');
    for (const id of ['T1', 'T9']) await createWorkspaceIndex(second.client).setCheck(id, 0);
    expect(await run(second.url, ['restore', file])).toMatchObject({
      code: 1,
      said: expect.stringContaining('This Redis has 2 workspaces already. With --replace'),
    });
    expect(await second.client.hget('tally:{T1}:record', 'settings')).toBe('{}');
    expect(await run(second.url, ['restore', '--replace', file])).toMatchObject({ code: 0 });
    expect(await second.client.hget('tally:{T1}:record', 'settings')).toBe('{"zone":"Asia/Tokyo"}');
    expect(await keysIn(second)).toEqual((await keysIn(first)).filter((key) => !key.endsWith(':grants')));
  }, 30_000);

  it('is neither made nor restored where a newer version has worked', async () => {
    await run(first.url, ['backup', file]);
    for (const { client } of [first, second]) await client.set('tally:layout', `${LAYOUT + 1} 9.4.0`);
    const other = join(folder, 'other');
    for (const [url, words] of [
      [first.url, ['backup', other]],
      [second.url, ['restore', file]],
      [second.url, ['copy', '--from', first.url]],
      [second.url, ['reseal']],
    ] as const)
      expect(await run(url, words)).toMatchObject({
        code: 1,
        said: expect.stringContaining('were written by Tally 9.4.0'),
      });
    expect(await second.client.exists('tally:{T1}:record')).toBe(0);
  }, 30_000);
});

describe('a restored bot', () => {
  let original: Bot;
  let restored: Bot;
  let target: TestRedis;
  let backup: string;
  beforeAll(async () => {
    original = await startBot({ encryptionKeys: KEYS, now: () => NOW });
    await original.connect();
    const { client } = original.redis;
    const keyring = createKeyring([{ id: 'first', key: Buffer.from(KEYS.slice(6), 'base64') }]);
    const access = { project: '123', authUrl: 'https://identity.example.com/v3' };
    const sealed = keyring.seal('secret', sealOwnerOf('application-access', TEAM, '123', access));
    await client.hset(recordKey(TEAM), {
      'project:prod': JSON.stringify({
        ...{ alias: 'prod', id: '123', product: 1, connection: 'main', channels: [] },
        ...{ owner: OWNER, addedBy: OWNER, addedAt: 1 },
      }),
      'access:123': JSON.stringify({ ...access, sealed }),
    });
    await save(
      client,
      TEAM,
      schedule({ channel: CHANNEL, projects: [{ id: '123', product: 1, alias: 'prod' }] }),
    );
    backup = join(await mkdtemp(join(tmpdir(), 'tally-backup-')), 'tally.backup');
    // While the bot runs.
    expect(await run(original.redis.url, ['backup', backup])).toMatchObject({ code: 0 });
    await original.stopBot();
    target = await testRedis();
    expect(await run(target.url, ['restore', backup])).toMatchObject({ code: 0 });
    restored = await startBot({ redisUrl: target.url, encryptionKeys: KEYS, now: () => NOW });
  }, 60_000);
  afterAll(async () => {
    await restored?.stop();
    await original?.stop();
    await target?.close();
    await rm(join(backup, '..'), { recursive: true, force: true });
  });

  it('answers with the token that was registered before, and keeps the audit log', async () => {
    const { visibleText } = await restored.ask('/balance 123');
    expect(visibleText).toMatch(/prod · [\d,.]+ left/);
    const { blocks } = await restored.ask('/billing audit');
    expect(textOf(blocks)).toContain('added the connection');
    expect(JSON.stringify(blocks)).toContain(OWNER);
  });

  it('is refused while a bot runs there', async () => {
    expect(await run(target.url, ['restore', '--replace', backup])).toMatchObject({
      code: 1,
      said: expect.stringContaining('A bot runs on the Redis in REDIS_URL'),
    });
  }, 30_000);

  it('needs the keys, which are not in the backup', async () => {
    const empty = await testRedis();
    const other = `other:${randomBytes(32).toString('base64')}`;
    expect(await run(empty.url, ['restore', backup], other)).toMatchObject({
      code: 65,
      said: expect.stringContaining('need the key “first”, which isn’t in ENCRYPTION_KEYS'),
    });
    const renamed = `first:${randomBytes(32).toString('base64')}`;
    const outputs = [other, renamed].map(
      async (keys) => (await run(empty.url, ['restore', backup], keys)).said,
    );
    for (const said of await Promise.all(outputs)) {
      expect(said).toContain('when the backup was taken');
      expect(said).not.toContain('another bot');
    }
    expect(await empty.client.keys('*')).toEqual([]);
    expect((await readFile(backup)).includes(KEYS)).toBe(false);
    await empty.close();
  }, 30_000);

  it('comes back without the secrets of a lost key, when that is asked for', async () => {
    const empty = await testRedis();
    const other = `other:${randomBytes(32).toString('base64')}`;
    expect(await run(empty.url, ['restore', backup], other)).toMatchObject({
      code: 65,
      said: expect.stringContaining('--without-secrets restores everything else'),
    });
    const words = ['restore', '--without-secrets'];
    // With its key nothing is left out.
    expect((await run(empty.url, [...words, '--check', backup])).said).not.toContain('left out');
    const named = new RegExp(`so they are left out.*\n${TEAM}: access:123, connection:main\n`, 's');
    expect(await run(empty.url, [...words, '--check', backup], other)).toMatchObject({
      code: 0,
      said: expect.stringMatching(named),
    });
    expect(await empty.client.keys('*')).toEqual([]);
    expect(await run(empty.url, [...words, backup], other)).toMatchObject({
      code: 0,
      said: expect.stringMatching(named),
    });
    // An interrupted one is run again.
    expect((await run(empty.url, [...words, backup], other)).said).toContain('1 already the same');
    expect((await empty.client.hkeys(recordKey(TEAM))).sort()).toEqual([
      ...['layout', 'project:prod', 'schedule:schedul1'],
    ]);

    const bot = await startBot({ redisUrl: empty.url, encryptionKeys: other, now: () => NOW });
    try {
      expect((await bot.ask('/balance prod')).visibleText).toContain('connect');
      const listed = async () => textOf((await bot.ask('/billing schedules')).blocks);
      await waitUntil(async () =>
        (await listed()).includes('its connection to the billing service is missing'),
      );
      await bot.connect();
      expect((await bot.ask('/balance prod')).visibleText).toMatch(/[\d,.]+ left/);
      await waitUntil(
        async () => !(await listed()).includes('its connection to the billing service is missing'),
      );
    } finally {
      await bot.stop();
      await empty.close();
    }
  }, 60_000);
});

describeUnless(NO_SERVER, 'a Redis that refuses changes', () => {
  it('makes a restore fail with the reason, and the restore can be continued', async () => {
    const [source, server] = await Promise.all([testRedis(), startServer([])]);
    try {
      await createWorkspaceIndex(source.client).setCheck('T1', 0);
      await source.client.hset('tally:{T1}:record', 'settings', '{}');
      expect(await run(source.url, ['backup', file])).toMatchObject({ code: 0 });
      await server.client.config('SET', 'maxmemory', '1');
      const { code, said } = await run(`redis://127.0.0.1:${server.port}`, ['restore', file]);
      expect(code).toBe(1);
      expect(said).toContain(
        'Redis is full, and refuses every change (OOM). `tally doctor` says what fixes it.',
      );
      expect(said).toContain('Run this again to continue.');
    } finally {
      await Promise.all([server.kill(), source.close()]);
    }
  }, 30_000);
});

describeUnless(NO_SERVER, 'a backup of a Cluster', () => {
  it('can be restored to a Redis with Sentinels, and from there to a Cluster', async () => {
    const [cluster, sentinels] = await Promise.all([startCluster(), startSentinels()]);
    const source = await testRedis();
    try {
      for (const id of ['T1', 'T2', 'T3']) {
        await createWorkspaceIndex(source.client).setCheck(id, 0);
        await source.client.hset(`tally:{${id}}:record`, 'settings', id);
      }
      const [one, two, three] = ['1', '2', '3'].map((name) => join(folder, name)) as [string, string, string];
      expect(await run(source.url, ['backup', one])).toMatchObject({ code: 0 });
      expect(await run(cluster.url, ['restore', one])).toMatchObject({ code: 0 });
      expect(await run(cluster.url, ['backup', two])).toMatchObject({ code: 0 });
      expect(await run(sentinels.url, ['restore', two])).toMatchObject({ code: 0 });
      expect(await run(sentinels.url, ['backup', three])).toMatchObject({ code: 0 });
      const workspacesOf = async (name: string) =>
        gunzipSync(await readFile(name))
          .toString()
          .split('\n')
          .slice(1, -2)
          .sort();
      expect(await workspacesOf(three)).toEqual(await workspacesOf(two));
    } finally {
      await Promise.all([cluster.stop(), sentinels.stop(), source.close()]);
    }
  }, 90_000);
});
