/** Before a removal, Tally says how many schedules and watches use the project or connection. */
import { expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { serializeWatch } from '../../src/workspace/record/automation-records.ts';
import { botOfFile, CHANNEL } from '../support/bot.ts';
import { save, schedule } from '../support/delivery.ts';
import { TEAM } from '../support/people.ts';
import { addProjects } from '../support/projects.ts';
import { WATCH } from '../support/workspace-store.ts';

const [PROD, WEB] = [{ id: '123', product: 1 } as const, { id: '456', product: 1, alias: 'web' } as const];
const bot = await botOfFile({ now: Date.now });
await bot.connect();
await addProjects(bot, {
  prod: '123',
  web: { id: '456', connection: 'main' },
  shop: '456',
  idle: { id: '789', connection: 'gone' },
});
for (const [id, projects] of [
  ['s0000001', [PROD]],
  ['s0000002', [PROD, WEB]],
] as const)
  await save(
    bot.redis.client,
    TEAM,
    schedule({ id, projects, owner: OWNER, channel: CHANNEL, since: Date.now() }),
  );
await bot.store({ [`watch:${WATCH.id}`]: serializeWatch({ ...WATCH, projects: [PROD] }) });

it.each([
  ['prod', '2 schedules and 1 watch use it.'],
  ['web', '1 schedule uses it.'],
  ['shop', undefined],
  ['idle', undefined],
])(
  'before the project %s is removed, Tally says how many schedules and watches use it',
  async (alias, says) => {
    const text = await bot.read(`/billing projects remove ${alias}`);
    if (says === undefined) expect(text).not.toMatch(/uses? it/);
    else expect(text).toContain(says);
  },
);

it('the form for disconnecting says how many schedules and watches use the connection', async () => {
  expect(await bot.openForm('/billing disconnect main')).toContain('2 schedules and 1 watch use it.');
});
