/** Buttons and commands with forged values get a sentence as an answer, send Slack only valid blocks, and change nothing. */
import { afterAll, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { rulesFor } from '../../src/slack/server/handlers.ts';
import { serve } from '../http/service.ts';
import { botOfFile, CHANNEL, textOf } from '../support/bot.ts';
import { clickOf, TEAM } from '../support/people.ts';
import { addProjects } from '../support/projects.ts';

const RTL = '\u200f\u202e\u2067';
const ODD = ['', ' ', RTL, `${RTL} ${RTL}`, 'U0NOBODY99', `prod${RTL}`, '\u0000', '…'];
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

const inbox = await serve((_, response) => response.end('ok'));
const response_url = `${inbox.url}/r`;
const bot = await botOfFile({ now: Date.now });
await bot.connect();
await addProjects(bot, { prod: '123', web: '456' });
afterAll(inbox.close);

const { actions, commands } = bot.registry.handlers();
const click = (action_id: string, value: string) =>
  bot.interact({ ...clickOf(OWNER, { action_id, value }), response_url });
const type = (command: string, text: string) =>
  bot.command({ team_id: TEAM, user_id: OWNER, channel_id: CHANNEL, command, text, response_url });

it('every button and command answers a forged value with a non-empty message that Slack accepts', async () => {
  const before = bot.slack.calls.length;
  const lines = [...bot.registry.commands(), ...bot.registry.verbs().map((verb) => `/billing ${verb}`)];
  for (const value of ODD) {
    for (const id of [...Object.keys(actions), 'rerun', 'run', 'share'])
      expect((await click(id, value)).status).toBe(200);
    for (const line of lines) {
      const [command = '', ...words] = line.split(' ');
      expect((await type(command, [...words, value].join(' '))).status).toBe(200);
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
  const posted: { text: string; blocks?: object[] }[] = inbox.requests.map(({ body }) => JSON.parse(body));
  const isWrong = ({ text, blocks = [] }: (typeof posted)[0]) =>
    text.trim() === '' || blocks.length === 0 || blocks.some(isEmpty);
  expect(posted.filter(isWrong)).toEqual([]);
  expect(bot.log()).not.toMatch(/"level":"error".*"event":"request"/);
  expect(bot.log()).not.toContain('"outcome":"unknown"');
  expect(bot.slack.complaints).toEqual([]);
}, 120_000);

/** Tally's error messages say “Nothing was changed” for these handlers, so that must be true. */
it('a button or command changes nothing if it is declared read-only', async () => {
  const onlyReads = (handler: Parameters<typeof rulesFor>[0], words: string) =>
    !rulesFor(handler, words).changes;
  const words = [
    ...WORDS,
    ...bot.registry.verbs().flatMap((verb) => WORDS.map((text) => `${verb} ${text}`.trim())),
  ];
  const work = [
    ...Object.entries(actions).flatMap(([id, handler]) =>
      WORDS.filter((value) => onlyReads(handler, value)).map((value) => () => click(id, value)),
    ),
    ...Object.entries(commands).flatMap(([name, handler]) =>
      (name === '/billing' ? words : WORDS)
        .filter((text) => onlyReads(handler, text))
        .map((text) => () => type(name, text)),
    ),
  ];
  expect(work.length).toBeGreaterThan(200);
  // Every change has an entry in the audit.
  const before = await bot.audit();
  for (const send of work) expect((await send()).status).toBe(200);
  // Waits until the acknowledged requests are done.
  await bot.stopBot();
  expect(await bot.audit()).toEqual(before);
}, 120_000);
