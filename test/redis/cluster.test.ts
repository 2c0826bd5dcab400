/** The bot on a real Redis Cluster: three masters, each with a replica. */
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/connect.ts';
import { guardRedis } from '../../src/redis/outages.ts';
import { type Bot, CHANNEL, startBot } from '../support/bot.ts';
import { describeUnless } from '../support/describe-unless.ts';
import type { Team } from '../support/oauth-bot.ts';
import { type OAuthBot, startOAuthBot } from '../support/oauth-bot.ts';
import { contentOf, isGlobalKey } from '../support/redis.ts';
import { NO_SERVER, type RedisCluster, startCluster } from '../support/redis-servers.ts';
import { waitUntil } from '../support/wait-until.ts';

const TEAM = 'T0SANDBOX1';
const DAY = 86_400_000;
const UNINSTALLED = { type: 'app_uninstalled' };

describeUnless(NO_SERVER, 'on a Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster({ replicas: true });
  }, 30_000);
  afterAll(() => cluster.stop());

  const naming = async (id: string): Promise<string[]> => {
    const keys = (await cluster.keys()).filter((key) => !isGlobalKey(key));
    const client = new Cluster(cluster.masters.map(({ port }) => ({ host: '127.0.0.1', port })));
    const contents = await Promise.all(keys.map((key) => contentOf(client, key)));
    client.disconnect();
    return keys.filter((key, at) => `${key} ${JSON.stringify(contents[at])}`.includes(id));
  };

  describe('the bot on a Redis Cluster', () => {
    let bot: Bot;
    let ahead = 0;
    beforeAll(async () => {
      bot = await startBot({ redisUrl: cluster.url, now: () => Date.now() + ahead });
    });
    afterAll(() => bot.stop());

    it('registers a token, answers a command, saves a schedule and sends the due post', async () => {
      await bot.connect();
      expect((await bot.ask('/spend 123')).visibleText).toContain('spent');
      await bot.slack.say(OWNER, CHANNEL, '/billing schedule 123 daily 09:00');
      await bot.slack.waitFor(() => bot.slack.modal(OWNER));
      await bot.slack.submit(OWNER, {});
      const wakeUp = `{tally}:deliver:de:${TEAM}`;
      await waitUntil(async () => (await naming(TEAM)).includes(wakeUp));
      expect(await naming(TEAM)).toEqual(
        expect.arrayContaining([
          `tally:{${TEAM}}:record`,
          `tally:{${TEAM}}:audit`,
          'tally:workspaces',
          wakeUp,
        ]),
      );
      await bot.stopBot();
      ahead = 2 * DAY;
      const client = connectRedis(cluster.url);
      await waitUntilReady(client, 5_000);
      await client.unlink(...(await cluster.keys()).filter((key) => key.startsWith('{tally}:')));
      client.disconnect();
      const posts = () => bot.slack.messages(OWNER, CHANNEL).filter(({ ephemeral }) => !ephemeral).length;
      const before = posts();
      await bot.startAnotherProcess();
      await waitUntil(async () => posts() > before);
    });

    it('leaves no data of a workspace on any node after an uninstall', async () => {
      const body = JSON.stringify({
        type: 'event_callback',
        team_id: TEAM,
        event_time: Math.floor(Date.now() / 1000),
        event: UNINSTALLED,
      });
      const headers = { 'content-type': 'application/json', ...bot.slack.signed(body) };
      await bot.waitUntilIdle();
      const url = bot.currentUrl();
      expect((await fetch(`${url}/slack/events`, { method: 'POST', body, headers })).status).toBe(200);
      await waitUntil(async () => (await naming(TEAM)).length === 0);
    });
  });

  describe('workspaces installed by OAuth on a Redis Cluster', () => {
    const NORTH: Team = { id: 'T0NORTH001', name: 'North' };
    const GRID: Team = { id: 'T0GRID0001', name: 'Grid', enterprise: 'E0GRID0001', whole: true };
    const EAST: Team = { ...GRID, id: 'T0EAST0001' };
    let bot: OAuthBot;
    beforeAll(async () => {
      bot = await startOAuthBot({ env: { REDIS_URL: cluster.url } });
      for (const team of [NORTH, GRID]) expect((await bot.install(team)).status).toBe(200);
      for (const team of [NORTH, GRID, EAST]) await bot.connect(team, 'Read-only');
    });
    afterAll(() => bot.stop());

    it('each get an answer', async () => {
      for (const team of [NORTH, GRID, EAST])
        expect((await bot.command(team, '/balance 123')).reply).toContain('left');
    });

    it('leave no data behind when they or their organization uninstall Tally', async () => {
      expect(await bot.event({ team_id: NORTH.id, event: UNINSTALLED })).toBe(200);
      await waitUntil(async () => (await naming(NORTH.id)).length === 0);
      expect(await naming(EAST.id)).not.toEqual([]);
      const event = { team_id: GRID.id, enterprise_id: GRID.enterprise, is_enterprise_install: true };
      expect(await bot.event({ ...event, event: UNINSTALLED })).toBe(200);
      for (const id of [GRID.id, EAST.id, GRID.enterprise ?? ''])
        await waitUntil(async () => (await naming(id)).length === 0);
    });
  });

  // This is the last test, because it kills a master.
  describe('a connection to a Redis Cluster', () => {
    it('rejects commands at once while no node is reachable', async () => {
      const outages: Error[] = [];
      const redis = connectRedis('redis+cluster://127.0.0.1:1,127.0.0.1:2', {
        onOutage: (error) => outages.push(error),
      });
      const failure = await guardRedis(() => redis.set('a', '1')).catch((error: unknown) => error);
      expect(failure).toMatchObject({ kind: 'store-unavailable' });
      await expect(waitUntilReady(redis, 50)).rejects.toMatchObject({ kind: 'store-unavailable' });
      await waitUntil(() => outages.length > 0);
      redis.disconnect();
    });

    it('rejects commands for a killed node only until its replica takes over', async () => {
      const redis = connectRedis(cluster.url);
      await waitUntilReady(redis, 5_000);
      const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `tally:event:${name}`);
      const write = (value: string) =>
        Promise.allSettled(keys.map((key) => guardRedis(() => redis.set(key, value))));
      const isGood = (results: readonly PromiseSettledResult<unknown>[]) =>
        results.every(({ status }) => status === 'fulfilled');
      expect(isGood(await write('1'))).toBe(true);
      await cluster.masters[0]?.kill();
      const failed: unknown[] = [];
      await waitUntil(async () => {
        const results = await write('3');
        for (const result of results) if (result.status === 'rejected') failed.push(result.reason);
        return isGood(results);
      });
      for (const error of failed) expect(error).toMatchObject({ kind: 'store-unavailable' });
      redis.disconnect();
    });
  });
});
