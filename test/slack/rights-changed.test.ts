/** What happens if rights change before an answer is sent. */
import { afterEach, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { section } from '../../src/slack/block-kit/blocks.ts';
import type { CommandHandler } from '../../src/slack/server/handlers.ts';
import { CHANNEL } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { uniqueClick } from '../support/people.ts';

const RECORD = 'tally:{T0SANDBOX1}:record';
let tally: ListenerBot;
afterEach(() => tally.stop());

const says = (text: string) => ({ text, blocks: [section(text)] });
const changeSettings = (n: number) => tally.redis.client.hset(RECORD, 'settings', `{"currency":"${n}"}`);

/** Runs a command that changes the settings before it sends its answer. */
async function asked(): Promise<string> {
  const run: CommandHandler['run'] = async (_, { reply }) => {
    await changeSettings(1);
    await reply.update(says('The answer'));
  };
  tally = await startListenerBot({ commands: { '/spend': { right: 'ask', run } } });
  await tally.slack.say(OWNER, CHANNEL, '/spend');
  return tally.slack.waitFor(() => tally.messageTexts()[0]);
}

it('an answer isn’t sent if the settings change while Tally is answering', async () => {
  expect(await asked()).toBe('Permissions changed while Tally was answering.\nTry again');
});

it('a double click in a message or on the Home tab counts as one click', async () => {
  const pressed: string[] = [];
  tally = await startListenerBot({
    actions: {
      'watch-row': { right: 'ask', changes: true, run: async ({ value }) => void pressed.push(value) },
    },
  });
  const press = (value: string, place: object) =>
    tally.interact({
      type: 'block_actions',
      team: { id: 'T0SANDBOX1' },
      user: { id: OWNER, team_id: 'T0SANDBOX1' },
      ...uniqueClick(),
      actions: [{ type: 'button', action_id: 'watch-row', block_id: 'b', value }],
      ...place,
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
