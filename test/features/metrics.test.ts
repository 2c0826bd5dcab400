import { expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { VERSION } from '../../src/ops/version.ts';
import { botOfFile, CHANNEL, startBot } from '../support/bot.ts';
import { openWakeUps, save, schedule } from '../support/delivery.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { NO_SERVER, refuseWrites, startServer, WRITE_REFUSALS } from '../support/redis-servers.ts';

const bot = await botOfFile({ now: Date.now });
await bot.connect();

const metrics = async (): Promise<string> => (await fetch(`${bot.url}/metrics`)).text();

it('the metrics count commands, billing requests and Slack calls without naming people or projects', async () => {
  await bot.ask('/balance 123');
  await bot.ask('/balance 77123450077');
  await bot.ask('/billing nonsense');
  const body = await metrics();
  expect(body).toContain('tally_commands_total{command="/balance",outcome="ok"} 1\n');
  expect(body).toContain('tally_commands_total{command="/balance",outcome="no-data"} 1\n');
  expect(body).toContain('tally_commands_total{command="/billing",outcome="invalid-word"} 1\n');
  expect(body).toContain('tally_command_duration_seconds_count{command="/balance",outcome="ok"} 1\n');
  expect(body).toContain(`tally_build_info{version="${VERSION}",node="${process.version}"} 1\n`);
  expect(body).toMatch(/^tally_service_requests_total\{service="billing",outcome="2xx"\} [1-9]/m);
  expect(body).toMatch(/^tally_slack_calls_total\{method="response_url",outcome="ok"\} [1-9]/m);
  expect(body).toMatch(/^tally_slack_calls_total\{method="users\.info",outcome="ok"\} [1-9]/m);
  for (const theirs of [
    OWNER,
    CHANNEL,
    TEAM,
    new URL(bot.billing.url).host,
    '77123450077',
    'invalid-response',
  ])
    expect(body).not.toContain(theirs);
});

it('the metrics count a scheduled post when it is sent', async () => {
  const HOUR = 3_600_000;
  const due = Date.now() - HOUR;
  const time = new Date(due).toISOString().slice(11, 16);
  const timing = { cadence: { kind: 'daily' }, time, zone: 'UTC' } as const;
  await save(bot.redis.client, TEAM, schedule({ channel: CHANNEL, timing, since: due - HOUR }));
  // A new token resumes paused schedules.
  await bot.connect();
  await expect
    .poll(metrics, { timeout: 15_000 })
    .toContain('tally_messages_total{kind="post",outcome="sent"} 1\n');
});

describeUnless(NO_SERVER, 'a Redis that refuses writes', () => {
  it('makes the metrics show errors and an overdue post', async () => {
    // Skips the refusal for full memory, because Redis then still runs some scripts.
    const [, refusal] = WRITE_REFUSALS;
    const server = await startServer();
    const alone = await startBot({ redisUrl: `redis://127.0.0.1:${server.port}` });
    await alone.connect();
    const shown = async (name: string) =>
      Number(new RegExp(`^${name} (.+)$`, 'm').exec(await (await fetch(`${alone.url}/metrics`)).text())?.[1]);
    const errors = `tally_store_errors_total\\{kind="${refusal.kind}"\\}`;
    expect([await shown(errors), await shown('tally_oldest_overdue_run_seconds')]).toEqual([0, 0]);
    const due = Date.now() + 2_000;
    const wakeUps = openWakeUps(server.client, `redis://127.0.0.1:${server.port}`);
    await wakeUps.wake(TEAM, due);
    const allowWrites = await refuseWrites(server.client, refusal);
    await expect.poll(() => shown(errors), { timeout: 15_000 }).toBeGreaterThan(1);
    await expect
      .poll(() => shown('tally_oldest_overdue_run_seconds'), { timeout: 15_000 })
      .toBeGreaterThan(1);
    await allowWrites();
    await expect.poll(() => shown('tally_oldest_overdue_run_seconds'), { timeout: 15_000 }).toBe(0);
    await wakeUps.close();
    await alone.stop();
    await server.kill();
  });
});
