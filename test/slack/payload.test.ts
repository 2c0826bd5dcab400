import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { type Bot, CHANNEL, startBot } from '../support/bot.ts';
import { UNLIMITED } from '../support/people.ts';
import { runs } from '../support/test-run.ts';

let bot: Bot;
beforeAll(async () => {
  bot = await startBot({ limits: UNLIMITED });
});
afterAll(() => bot.stop());

const who = {
  team: { id: TEAM },
  user: { id: OWNER, team_id: TEAM },
  trigger_id: 'x',
  channel: { id: CHANNEL },
};
const view = {
  id: 'V1',
  type: 'modal',
  callback_id: 'x',
  blocks: [],
  state: { values: {} },
  private_metadata: '',
};
const WHOLE: readonly object[] = [
  {
    type: 'block_actions',
    ...who,
    view,
    actions: [{ type: 'button', action_id: 'rerun:x', value: '/billing help' }],
  },
  { type: 'block_actions', ...who, container: {}, actions: [{ type: 'button', action_id: 'connect' }] },
  { type: 'view_submission', ...who, view },
  { type: 'view_closed', ...who, view, is_cleared: false },
  { type: 'block_suggestion', ...who, view, action_id: 'zone', block_id: 'zone', value: 'par' },
  { type: 'shortcut', ...who, callback_id: 'x' },
  { type: 'message_action', ...who, callback_id: 'x', message: { ts: '1.1' } },
  { type: 'interactive_message', ...who, callback_id: 'x', actions: [{ name: 'x', type: 'button' }] },
  { type: 'dialog_submission', ...who, callback_id: 'x', submission: {} },
  { command: '/spend', text: '', team_id: TEAM, user_id: OWNER, channel_id: CHANNEL },
  {
    type: 'event_callback',
    team_id: TEAM,
    event_id: 'Ev1',
    event_time: 1,
    authorizations: [{ team_id: TEAM, enterprise_id: null, is_enterprise_install: false }],
    event: { type: 'app_mention', user: OWNER, channel: CHANNEL, ts: '1.1', text: 'x', item: {} },
  },
];

/** The path to each field of a payload. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, field]) => pathsOf(field, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

function changed(value: unknown, [key, ...rest]: readonly string[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  const field = changed(copy[key], rest, replacement);
  if (field === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = field;
  return copy;
}

const ODD = [undefined, null, 0, true, '', 'x', [], {}, [null], { id: null }] as const;
const STRANGE = WHOLE.flatMap((payload) =>
  pathsOf(payload).flatMap((path) => ODD.map((odd) => [payload, path, odd] as const)),
);

/** In each test, a single field is missing or has another type. */
describe('a signed payload with a missing or wrong field', () => {
  it('is acknowledged without a stack trace in the log', async () => {
    const strange = fc.constantFrom(...STRANGE);
    await fc.assert(
      fc.asyncProperty(strange, async ([payload, path, odd]) => {
        const body = changed(payload, path, odd) as object;
        expect(await send(body)).toBe(200);
        expect(bot.log()).not.toContain('"stack"');
      }),
      { numRuns: runs(200) },
    );
  }, 90_000);

  const post = async (type: string, body: string) => {
    const headers = { 'content-type': type, ...bot.slack.signed(body) };
    return (await fetch(`${bot.url}/slack/events`, { method: 'POST', headers, body })).status;
  };
  let sent = 0;
  const send = (payload: object) => {
    sent += 1;
    const body = { ...payload, sent };
    if ('event' in payload) return post('application/json', JSON.stringify(body));
    const isCommand =
      'command' in payload && Object.values(payload).every((value) => typeof value === 'string');
    const fields = Object.entries(body).map(([name, value]) => [name, String(value)] as [string, string]);
    const form = new URLSearchParams(isCommand ? fields : { payload: JSON.stringify(body) });
    return post('application/x-www-form-urlencoded', form.toString());
  };

  const linesWith = (text: string) => bot.log().split(text).length - 1;

  it.each(['user', 'view'])('is ignored if its field “%s” is missing', async (field) => {
    const before = linesWith('Ignored a payload');
    expect(await send(changed(WHOLE[2], [field], undefined) as object)).toBe(200);
    expect(linesWith('Ignored a payload that does not look like one from Slack')).toBe(before + 1);
  });
});
