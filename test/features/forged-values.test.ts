/** Whatever a button or a command brings along, a person reads a sentence, and Slack gets no block that it refuses. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, startBot, textOf } from '../support/bot.ts';
import { uniqueClick } from '../support/people.ts';
import { addProject } from '../support/projects.ts';

const TEAM = 'T0SANDBOX1';
const RTL = '\u200f\u202e\u2067';
const VALUES = ['', ' ', RTL, `${RTL} ${RTL}`, 'U0NOBODY99', `prod${RTL}`, '\u0000', '…'];

let bot: Bot;
let inbox: Server;
const posted: { text: string; blocks?: object[] }[] = [];
let url = '';
beforeAll(async () => {
  inbox = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    posted.push(JSON.parse(text));
    response.end('ok');
  });
  await new Promise<void>((resolve) => inbox.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(inbox.address() as AddressInfo).port}/r`;
  bot = await startBot();
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '123' });
});
afterAll(async () => {
  await bot.stop();
  await new Promise((resolve) => inbox.close(resolve));
});

async function send(body: string): Promise<void> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) };
  expect((await fetch(`${bot.url}/slack/events`, { method: 'POST', headers, body })).status).toBe(200);
}

const click = (action_id: string, value: string) => ({
  type: 'block_actions',
  ...{ team: { id: TEAM }, user: { id: OWNER, team_id: TEAM }, channel: { id: CHANNEL }, response_url: url },
  ...{ trigger_id: 'stale', actions: [{ type: 'button', block_id: 'b', action_id, value }] },
  ...uniqueClick(),
});

describe('a forged value', () => {
  it('gets a sentence, never an empty block', async () => {
    const { actions } = bot.registry.listeners();
    const before = bot.slack.calls.length;
    const commands = [...bot.registry.commands(), ...bot.registry.verbs().map((verb) => `/billing ${verb}`)];
    for (const value of VALUES) {
      for (const id of [...Object.keys(actions), 'rerun', 'run', 'share'])
        await send(`payload=${encodeURIComponent(JSON.stringify(click(id, value)))}`);
      for (const line of commands) {
        const [command = '', ...words] = line.split(' ');
        const fields = { team_id: TEAM, user_id: OWNER, channel_id: CHANNEL, command, response_url: url };
        const text = [...words, value].join(' ');
        await send(new URLSearchParams({ ...fields, text, trigger_id: 'stale' }).toString());
      }
    }
    await bot.waitUntilIdle();
    const refused = bot.slack.calls
      .slice(before)
      .filter(({ response }) =>
        /invalid_(?:blocks|arguments|view)|no_text|msg_too_long/.test(JSON.stringify(response)),
      )
      .map(({ method, args }) => ({ method, args }));
    expect(refused).toEqual([]);
    const isEmpty = (block: object) => 'text' in block && textOf(block).replace(/[\s\p{Cf}]/gu, '') === '';
    const wrong = posted.filter(
      ({ text, blocks = [] }) => text.trim() === '' || blocks.length === 0 || blocks.some(isEmpty),
    );
    expect(wrong).toEqual([]);
    expect(bot.log()).not.toMatch(/"level":"error".*"event":"request"/);
  }, 120_000);
});
