/** What people and the log learn while Redis is down. */
import { describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { CHANNEL, goodToken, startBot, textOf } from '../support/bot.ts';
import type { Team } from '../support/oauth-bot.ts';
import { startOAuthBot } from '../support/oauth-bot.ts';
import { testRedis } from '../support/redis.ts';
import { startRedisProxy } from '../support/redis-proxy.ts';

const NORTH: Team = { id: 'T0NORTH001', name: 'North' };
const SOUTH: Team = { id: 'T0SOUTH001', name: 'South' };
const NEVER: Team = { id: 'T0NEVER001', name: 'Never installed' };

const logged = (log: string, workspace: string) =>
  log
    .split('\n')
    .filter((line) => line.includes(`"workspace":"${workspace}"`) && !line.includes('"level":"info"'))
    .map((line) => JSON.parse(line) as { level: string; msg: string });

it('an outage of Redis is not reported as a missing installation', async () => {
  const store = await testRedis();
  const proxy = await startRedisProxy(store.url);
  const bot = await startOAuthBot({ env: { REDIS_URL: proxy.url } });
  for (const team of [NORTH, SOUTH]) await bot.install(team);
  await proxy.stop();
  for (const team of [NORTH, SOUTH, NEVER]) {
    const { reply } = await bot.command(team, '/balance 123');
    expect(reply).toContain('Tally can’t reach its database right now. Nothing was changed.');
    const blocks = [{ type: 'input', block_id: 'typed' }];
    const view = { type: 'modal', callback_id: 'settings', blocks };
    const form = await bot.interact(team, { type: 'view_submission', view });
    expect(form.body).toMatch(/"errors":\{"typed":"Tally couldn’t save this\. Nothing was changed\./);
    expect(logged(bot.log(), team.id)).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'Could not look up an installation' }),
    );
  }
  expect(bot.log()).not.toContain('No installation for a request');
  await proxy.start();
  await bot.stop();
  await proxy.stop();
  await store.close();
});

it('a form keeps its input while Redis is down, and can be saved later', async () => {
  const store = await testRedis();
  const proxy = await startRedisProxy(store.url);
  const bot = await startBot({ redisUrl: proxy.url });
  await bot.connect();
  await bot.slack.say(OWNER, CHANNEL, '/billing projects add');
  const form = () => bot.slack.modal(OWNER)!;
  await bot.slack.waitFor(() => bot.slack.modal(OWNER)?.view.callback_id === 'project');
  await proxy.stop();
  const readiness = () => fetch(`${bot.url}/readyz`).then(({ status }) => status);
  await expect.poll(readiness).toBe(503);
  const fields = { alias: 'prod', id: '123' };
  await bot.slack.submit(OWNER, fields);
  expect(form().view.callback_id).toBe('project');
  expect(Object.values(form().errors ?? {})).toEqual([
    'Tally can’t reach its database right now. Try again in a minute. If you were saving a change, check first whether it was saved.',
  ]);
  await proxy.start();
  await expect.poll(readiness, { timeout: 5_000 }).toBe(200);
  await bot.slack.submit(OWNER, fields);
  await bot.slack.waitFor(() => textOf(form().view).includes('Saved.'));
  await bot.stop();
  await proxy.stop();
  await store.close();
});

describe('an outage of Redis after a change was saved', () => {
  const TEXT = 'check first whether it was saved';
  const FORMS = [
    ['project', '/billing projects add prod 123', 'added the project', {}],
    ['connect', '/billing connect second', 'added the connection', { project: '123' }],
  ] as const;

  it.each(FORMS)(
    'makes the %s form say “check first whether it was saved”, not “Nothing was saved”',
    async (form, command, action, fields) => {
      const store = await testRedis();
      const proxy = await startRedisProxy(store.url);
      const bot = await startBot({ redisUrl: proxy.url });
      await bot.connect();
      const shown = () => textOf(bot.slack.modal(OWNER)?.view);
      await bot.slack.say(OWNER, CHANNEL, command);
      await bot.slack.waitFor(() => bot.slack.modal(OWNER)?.view.callback_id === form);
      proxy.stopAfter(action);
      await bot.slack.submit(OWNER, {
        ...fields,
        ...(form === 'connect' && { token: goodToken(bot.billing) }),
      });
      await bot.slack.waitFor(() => shown().includes('Tally can’t reach its database right now.'), 15_000);
      expect(shown()).toContain(TEXT);
      expect(shown()).not.toMatch(/Nothing was (?:changed|saved)|Not connected/);
      await proxy.start();
      await bot.stop();
      await proxy.stop();
      await store.close();
    },
  );
});
