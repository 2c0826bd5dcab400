/** How many schedules and watches use what is about to be changed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { serializeWatch } from '../../src/workspace/record/automation-records.ts';
import { type Bot, CHANNEL, startBot, textOf } from '../support/bot.ts';
import { save, schedule } from '../support/delivery.ts';
import { addProject } from '../support/projects.ts';
import { WATCH } from '../support/workspace-store.ts';

const PROD = { id: '123', product: 1 } as const;
const WEB = { id: '456', product: 1 } as const;
let bot: Bot;

beforeAll(async () => {
  bot = await startBot();
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '123' });
  await addProject(bot, { alias: 'web', id: '456', connection: 'main' });
  await addProject(bot, { alias: 'idle', id: '789', connection: 'gone' });
  const plan = (id: string, projects: readonly (typeof PROD | typeof WEB)[]) =>
    save(
      bot.redis.client,
      TEAM,
      schedule({ id, projects, owner: OWNER, channel: CHANNEL, since: Date.now() }),
    );
  await plan('s0000001', [PROD]);
  await plan('s0000002', [PROD, WEB]);
  const watch = serializeWatch({ ...WATCH, projects: [PROD] });
  await bot.redis.client.hset(recordKey(TEAM), `watch:${WATCH.id}`, watch);
});
afterAll(() => bot.stop());

it.each([
  ['prod', '2 schedules and 1 watch use it.'],
  ['web', '1 schedule uses it.'],
  ['idle', undefined],
])('the question before removing says of %s: %s', async (alias, says) => {
  const text = await bot.read(`/billing projects remove ${alias}`);
  if (says === undefined) expect(text).not.toContain('use it');
  else expect(text).toContain(says);
});

it('the disconnect form counts what uses the connection', async () => {
  await bot.slack.say(OWNER, CHANNEL, '/billing disconnect main');
  const form = await bot.slack.waitFor(() => bot.slack.modal(OWNER));
  expect(textOf(form.view)).toContain('2 schedules and 1 watch use it.');
});
