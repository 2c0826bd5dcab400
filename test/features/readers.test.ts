/** What says that it only reads: after an error its reply promises that nothing was changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { rulesFor } from '../../src/slack/server/listeners.ts';
import { type Bot, CHANNEL, startBot } from '../support/bot.ts';
import { uniqueClick } from '../support/people.ts';
import { addProject } from '../support/projects.ts';

const TEAM = 'T0SANDBOX1';
const AUDIT = `tally:{${TEAM}}:audit`;
/** Words of commands and values of buttons that a person could send. */
const WORDS = [
  '',
  'prod',
  'main',
  '123',
  'remove prod',
  'prod web',
  'all',
  'none',
  'csv',
  'prod daily 09:00',
];

let bot: Bot;
beforeAll(async () => {
  bot = await startBot();
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '123' });
  await addProject(bot, { alias: 'web', id: '456' });
});
afterAll(() => bot.stop());

/** Every change has its entry in the audit. */
const changes = () => bot.redis.client.xlen(AUDIT);

async function send(body: string): Promise<void> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) };
  expect((await fetch(`${bot.url}/slack/events`, { method: 'POST', headers, body })).status).toBe(200);
}

const click = (action_id: string, value: string) => ({
  type: 'block_actions',
  ...{ team: { id: TEAM }, user: { id: OWNER, team_id: TEAM }, channel: { id: CHANNEL } },
  ...{ trigger_id: 'stale', actions: [{ type: 'button', block_id: 'b', action_id, value }] },
  ...uniqueClick(),
});

const command = (name: string, text: string): Record<string, string> => ({
  ...{ team_id: TEAM, user_id: OWNER, channel_id: CHANNEL, trigger_id: 'stale', command: name, text },
});

const onlyReads = (handler: Parameters<typeof rulesFor>[0], words: string): boolean =>
  !rulesFor(handler, words).changes;

describe('a handler that says that it only reads', () => {
  it('changes nothing, whatever a manager sends it', async () => {
    const { actions, commands } = bot.registry.listeners();
    const words = [
      ...WORDS,
      ...bot.registry.verbs().flatMap((verb) => WORDS.map((text) => `${verb} ${text}`)),
    ];
    const bodies = [
      ...Object.entries(actions).flatMap(([id, listener]) =>
        WORDS.filter((value) => onlyReads(listener, value)).map(
          (value) => `payload=${encodeURIComponent(JSON.stringify(click(id, value)))}`,
        ),
      ),
      ...Object.entries(commands).flatMap(([name, listener]) =>
        (name === '/billing' ? words : WORDS)
          .filter((text) => onlyReads(listener, text.trim()))
          .map((text) => new URLSearchParams(command(name, text.trim())).toString()),
      ),
    ];
    expect(bodies.length).toBeGreaterThan(200);
    const before = await changes();
    for (const body of bodies) await send(body);
    // Waits for all that was acknowledged.
    await bot.stopBot();
    expect(await changes()).toBe(before);
  }, 120_000);
});
