/** Runs the bot as the ACL user from docs/redis-and-keys.md. */
import { expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, startBot } from '../support/bot.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { documentedRules, NO_SERVER, startServer } from '../support/redis-servers.ts';
import { waitUntil } from '../support/wait-until.ts';

async function use(bot: Bot): Promise<void> {
  await bot.connect();
  expect((await bot.ask('/spend 123')).visibleText).toContain('spent');
  await bot.ask('/billing default 123');
  await bot.slack.say(OWNER, CHANNEL, '/billing schedule 123 daily 09:00');
  await bot.slack.waitFor(() => bot.slack.modal(OWNER));
  await bot.slack.submit(OWNER, {});
  await bot.slack.waitFor(() => JSON.stringify(bot.slack.modal(OWNER)?.view ?? '').includes('Saved:'));
  await bot.ask('/billing audit');
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: 'T0SANDBOX1',
    event_time: Math.floor(Date.now() / 1000),
    event: { type: 'app_uninstalled' },
  });
  const headers = { 'content-type': 'application/json', ...bot.slack.signed(body) };
  expect((await fetch(`${bot.url}/slack/events`, { method: 'POST', body, headers })).status).toBe(200);
}

describeUnless(NO_SERVER, 'a user of the ACL', () => {
  it('a Redis user with the documented permissions can do everything that Tally does', async () => {
    const server = await startServer();
    await server.client.call('ACL', 'SETUSER', 'tally', ...(await documentedRules()));
    const bot = await startBot({ redisUrl: `redis://tally:a-password@127.0.0.1:${server.port}` });
    await use(bot);
    await waitUntil(async () => (await server.client.keys('*T0SANDBOX1*')).length === 0);
    await bot.stop();
    expect(await server.client.call('ACL', 'LOG')).toEqual([]);
    await server.kill();
  });
});
