import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, startBot, textOf, toAnswer } from '../support/bot.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { NO_SERVER, type RedisServer, startServer } from '../support/redis-servers.ts';

const CLI = ['redis-cli', 'valkey-cli'].find((name) => spawnSync(name, ['--version']).status === 0);
const KEYS = `first:${randomBytes(32).toString('base64')}`;
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30);

/** The steps of docs/backup.md, without containers. */
const REASON = NO_SERVER ?? (CLI === undefined ? 'without redis-cli or valkey-cli' : undefined);

describeUnless(REASON, 'a backup of Redis', () => {
  let folder: string;
  let servers: RedisServer[];
  let before: string[];
  /** The billing service keeps running after the backup. */
  let original: Bot;
  let restored: Bot;

  const start = async (...lines: string[]): Promise<RedisServer> => {
    const server = await startServer(lines);
    servers.push(server);
    return server;
  };
  const urlOf = ({ port }: RedisServer): string => `redis://127.0.0.1:${port}`;
  const keysIn = async ({ client }: RedisServer): Promise<string[]> =>
    (await client.keys('tally:{T*')).filter((key) => !key.endsWith('-lock')).sort();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tally-backup-'));
    await chmod(folder, 0o700);
    servers = [];
    const file = join(folder, 'tally.rdb');
    const data = join(folder, 'data');
    execFileSync('mkdir', [data]);

    const first = await start('appendonly yes');
    original = await startBot({ redisUrl: urlOf(first), encryptionKeys: KEYS, now: () => NOW });
    await original.connect();
    before = await keysIn(first);
    // The backup is taken while the bot runs.
    execFileSync(CLI ?? '', ['-p', String(first.port), '--rdb', file], { stdio: 'ignore' });
    await original.stopBot();
    await first.kill();

    // A server with an append-only file loads only that file, so it is created from the backup first.
    await copyFile(file, join(data, 'dump.rdb'));
    const reader = await start('appendonly no', `dir ${data}`, 'dbfilename dump.rdb');
    await reader.client.config('SET', 'appendonly', 'yes');
    while (
      !/aof_rewrite_in_progress:0[\s\S]*aof_last_bgrewrite_status:ok/.test(
        await reader.client.info('persistence'),
      )
    )
      await delay(20);
    await reader.kill('SIGTERM');

    const server = await start('appendonly yes', `dir ${data}`);
    restored = await startBot({ redisUrl: urlOf(server), encryptionKeys: KEYS, now: () => NOW });
  }, 60_000);
  afterAll(async () => {
    await restored?.stop();
    await original?.stop();
    await Promise.all(servers.map((server) => server.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  it('restores every record', async () => {
    expect(before.length).toBeGreaterThan(1);
    expect(await keysIn(servers.at(-1) as RedisServer)).toEqual(before);
    expect(await readdir(join(folder, 'data'))).toContain('appendonlydir');
  });

  it('answers with the token that was registered before it', async () => {
    const { visibleText } = await restored.ask('/balance 123');
    expect(visibleText).toMatch(/123 · [\d,.]+ left/);
  });

  it('keeps the audit log', async () => {
    const { blocks } = await restored.ask('/billing audit');
    expect(textOf(blocks)).toContain('connection registered');
    expect(JSON.stringify(blocks)).toContain(OWNER);
  });

  it('is useless without the keys', async () => {
    const server = servers.at(-1) as RedisServer;
    const other = `other:${randomBytes(32).toString('base64')}`;
    const stranger = await startBot({ redisUrl: urlOf(server), encryptionKeys: other, now: () => NOW });
    try {
      await stranger.slack.say(OWNER, CHANNEL, '/balance 123');
      const answer = await stranger.slack.waitFor(() =>
        stranger.slack.messages(OWNER, CHANNEL).find(({ from }) => from !== OWNER),
      );
      expect(textOf(toAnswer(answer).blocks)).toMatch(/key/i);
    } finally {
      await stranger.stop();
    }
  });
});
