/** Work whose rights change before it sends something. */
import { afterEach, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { section } from '../../src/slack/block-kit/blocks.ts';
import type { CommandHandler } from '../../src/slack/server/listeners.ts';
import { CHANNEL } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { uniqueClick } from '../support/people.ts';

const RECORD = 'tally:{T0SANDBOX1}:record';
let tally: ListenerBot;
afterEach(() => tally.stop());

const says = (text: string) => ({ text, blocks: [section(text)] });
const changeSettings = (n: number) => tally.redis.client.hset(RECORD, 'settings', `{"currency":"${n}"}`);

/** Runs a command that changes the settings before it sends, the first `times` times. @returns how often it ran, and what was said */
async function asked(times: number, rules: Partial<CommandHandler> = {}) {
  let runs = 0;
  const handler: CommandHandler = {
    right: 'ask',
    run: async (_, { reply }) => {
      runs += 1;
      if (runs <= times) await changeSettings(runs);
      await reply.update(says(`Run ${runs}`));
    },
    ...rules,
  };
  tally = await startListenerBot({ commands: { '/spend': handler } });
  await tally.slack.say(OWNER, CHANNEL, '/spend');
  const [said = ''] = await tally.slack.waitFor(
    () => tally.messageTexts().length > 0 && tally.messageTexts(),
  );
  return { runs, said };
}

it('is done again, with the rights of now', async () => {
  expect(await asked(1)).toEqual({ runs: 2, said: 'Run 2' });
});

it('is done again where it goes on without what it could not send', async () => {
  let runs = 0;
  const run: CommandHandler['run'] = async (_, { reply }) => {
    runs += 1;
    if (runs === 1) await changeSettings(1);
    await reply.update(says(`Run ${runs}`)).catch(() => undefined);
  };
  tally = await startListenerBot({ commands: { '/spend': { right: 'ask', run } } });
  await tally.slack.say(OWNER, CHANNEL, '/spend');
  expect(await tally.slack.waitFor(() => tally.messageTexts()[0])).toBe('Run 2');
});

it('is given up where they change again and again', async () => {
  const { runs, said } = await asked(10);
  expect(runs).toBe(3);
  expect(said).not.toContain('saved');
  expect(said).toMatch(/^Who may see this changed while Tally was answering\.\nTry again$/);
});

it('is not done twice where it changes something', async () => {
  expect(await asked(1, { changes: true })).toEqual({ runs: 1, said: 'Run 1' });
});

it('counts a double click once, in a message and in Home, and each press in a window', async () => {
  const pressed: string[] = [];
  tally = await startListenerBot({
    actions: {
      'watch-row': { right: 'ask', changes: true, run: async ({ value }) => void pressed.push(value) },
    },
  });
  const press = (value: string, place: object) =>
    tally.interact({
      type: 'block_actions',
      ...{ team: { id: 'T0SANDBOX1' }, user: { id: OWNER, team_id: 'T0SANDBOX1' }, ...uniqueClick() },
      ...{ actions: [{ type: 'button', action_id: 'watch-row', block_id: 'b', value }], ...place },
    });
  const places = {
    message: { channel: { id: CHANNEL }, container: { message_ts: '1.1' } },
    home: { view: { id: 'V0HOME', type: 'home', blocks: [] } },
    modal: { view: { id: 'V0MODAL', type: 'modal', blocks: [] } },
  };
  for (const [name, place] of Object.entries(places))
    await Promise.all([press(name, place), press(name, place)]);
  await expect.poll(() => pressed.toSorted()).toEqual(['home', 'message', 'modal', 'modal']);
});
