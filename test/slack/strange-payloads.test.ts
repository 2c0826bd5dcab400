import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { modal, plainText, section } from '../../src/slack/block-kit/blocks.ts';
import { routeSubcommands } from '../../src/slack/commands/subcommands.ts';
import { rulesFor } from '../../src/slack/server/handlers.ts';
import { CHANNEL } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { requestOf } from '../support/records.ts';

const NOW = Date.UTC(2026, 10, 21, 10);
/** Names that every JavaScript object inherits. */
const INHERITED = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
const WORD = { text: plainText('A word'), value: 'a' };

let tally: ListenerBot;
let ran: number[];
beforeEach(async () => {
  ran = [];
  tally = await startListenerBot(
    {
      commands: { '/spend': { right: 'ask', run: async (_, { at }) => void ran.push(at) } },
      views: {
        broken: {
          right: 'ask',
          parse: () => {
            throw new SyntaxError('not what this version wrote');
          },
          waiting: modal({ title: 'Wait', blocks: [section('…')] }),
        },
        form: {
          right: 'ask',
          parse: () => ({ submit: async ({ at }) => void ran.push(at) }),
          waiting: modal({ title: 'Wait', blocks: [section('…')] }),
        },
      },
      options: {
        words: { right: 'ask', find: (query) => (query.trim() === '' ? [WORD] : []) },
      },
    },
    { clock: () => NOW },
  );
});
afterEach(() => tally.stop());

/** A response_url that collects what is posted. */
async function startReplies() {
  const replies: string[] = [];
  const server = createServer(async (req, res) => {
    replies.push(await text(req));
    res.end('ok');
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { replies, response_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const from = { team: { id: TEAM }, user: { id: OWNER, team_id: TEAM }, trigger_id: 'x' };
const act = (action_id: string, value = '') => ({
  type: 'block_actions',
  ...from,
  channel: { id: CHANNEL },
  actions: [{ type: 'button', action_id, block_id: 'b', value }],
});
const submission = (view: object) => ({ type: 'view_submission', ...from, view: { type: 'modal', ...view } });
const suggestion = (action_id: string, value: string | null) => ({
  type: 'block_suggestion',
  ...from,
  action_id,
  block_id: 'b',
  value,
});
const untilLogged = (text: string) => tally.slack.waitFor(() => tally.log().includes(text));
const nothingUnknown = () =>
  expect(tally.log()).not.toMatch(/"outcome":"unknown"|an unknown error|A listener failed/);

it.each(INHERITED)('the name %s, which every JavaScript object has, matches no handler', async (name) => {
  expect(await tally.interact(act(name))).toMatchObject({ status: 200 });
  await untilLogged('"route":"other"');
  const form = submission({ callback_id: name, state: { values: {} }, private_metadata: '' });
  expect((await tally.interact(form)).body).toContain('Tally couldn’t save this.');
  expect(await tally.interact(suggestion(name, 'a'))).toEqual({ status: 200, body: '{"options":[]}' });
  await tally.slack.event({ type: name, user: OWNER });
  nothingUnknown();
  await tally.interact(act('rerun:again', name));
  await tally.slack.waitFor(() =>
    tally.messageTexts().some((text) => text.includes(`Unknown command “${name}”`)),
  );
  const routed = routeSubcommands({ help: { right: 'ask', run: async () => undefined } });
  expect(rulesFor(routed, name).right).toBe('ask');
  await expect(routed.run(name, requestOf())).rejects.toMatchObject({ kind: 'invalid-word' });
});

describe('the button “Share” with an impossible time', () => {
  it.each(['-9e99', 'NaN', '', '9e99', '1e400', '8.64e15', '-1', 'x', '1.5'])(
    'uses the current time instead of %j',
    async (at) => {
      await tally.interact(act('share', `${at} /spend`));
      await tally.slack.waitFor(() => ran.length > 0);
      expect(ran).toEqual([NOW]);
    },
  );
});

describe('a submitted form without field values', () => {
  it.each([
    [undefined, undefined],
    [null, null],
    [{}, ''],
    [{ values: null }, ''],
  ])('is read as an empty form: %o', async (state, private_metadata) => {
    const { body } = await tally.interact(submission({ callback_id: 'form', state, private_metadata }));
    expect(body).toContain('"response_action":"update"');
    await tally.slack.waitFor(() => ran.length > 0);
  });
});

describe('an unreadable form of an older version', () => {
  it('is replaced by an error message', async () => {
    const { body } = await tally.interact(submission({ callback_id: 'broken', state: { values: {} } }));
    expect(JSON.parse(body)).toMatchObject({ response_action: 'update' });
    expect(body).toContain('Something went wrong in Tally. Nothing was changed.');
  });
});

describe('a payload that names no workspace', () => {
  it('is acknowledged, and answered if it has a response URL', async () => {
    const { response_url, replies } = await startReplies();
    const payload = { ...act('rerun:again', '/spend'), team: null, user: { id: OWNER }, response_url };
    expect(await tally.interact(payload)).toMatchObject({ status: 200 });
    await tally.slack.waitFor(() => replies.length > 0);
    expect(replies[0]).toContain('Tally only answers members');
    nothingUnknown();
    expect(ran).toEqual([]);
  });

  it('is refused if it submits a form', async () => {
    const payload = submission({ id: 'V1', callback_id: 'form', state: { values: {} } });
    const { status } = await tally.interact({ ...payload, team: null, user: { id: OWNER } });
    expect(status).toBe(200);
    await untilLogged('"kind":"not-allowed","reason":"external"');
    nothingUnknown();
    expect(ran).toEqual([]);
  });
});

describe('a payload with an unexpected value in a field', () => {
  const ODD: unknown[] = [0, true, {}, [], [null], { toString: 1 }];
  const field = (block: string, value: unknown) => ({ state: { values: { [block]: { value: { value } } } } });
  const event = (more: object) => ({
    type: 'event_callback',
    team_id: TEAM,
    event_id: 'Ev1',
    event: { type: 'app_mention', user: OWNER, text: 'help', channel: CHANNEL, ts: '1.1' },
    ...more,
  });

  it.each(ODD)('is acknowledged and ignored: %o', async (odd) => {
    const payloads = [
      { ...act('x'), actions: [{ type: 'button', action_id: odd }] },
      { ...act('x'), actions: [{ type: 'button', action_id: 'rerun:x', value: odd }] },
      { ...act('rerun:x', '/spend'), user: { id: odd } },
      submission({ callback_id: odd }),
      submission({ callback_id: 'form', private_metadata: odd }),
      submission({ callback_id: 'form', ...field('name', odd) }),
      { ...submission({ callback_id: 'form' }), user: { id: OWNER, team_id: odd } },
      { ...suggestion('words', ''), value: odd },
    ];
    for (const payload of payloads) expect(await tally.interact(payload)).toEqual({ status: 200, body: '' });
    const heard = [{ event_id: odd }, { event: { type: odd } }, { team_id: odd }, { authorizations: [odd] }];
    for (const more of heard) expect(await tally.event(event(more))).toBe(200);
    expect(ran).toEqual([]);
    nothingUnknown();
    expect(tally.log()).not.toMatch(/Uncaught error|Unhandled promise/);
  });

  it.each(['x'.repeat(65), 'T0/../E0', 't0lower'])(
    'does not uninstall a workspace if the value is an invalid workspace ID: %s',
    async (id) => {
      const gone = { type: 'team_access_revoked', team_ids: [id] };
      expect(await tally.event(event({ event: gone }))).toBe(200);
      expect(await tally.event(event({ team_id: id, event: { type: 'app_uninstalled' } }))).toBe(200);
      nothingUnknown();
    },
  );
});
