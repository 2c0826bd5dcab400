/** Who may ask, what Tally looks up in Slack for this, and what the request says about person and place. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, FINOPS, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { MINUTE } from '../../src/domain/time/calendar.ts';
import { modal, plainText, section } from '../../src/slack/block-kit/blocks.ts';
import type { Request } from '../../src/slack/request/request.ts';
import type { CommandHandler, Handlers } from '../../src/slack/server/handlers.ts';
import type { Right } from '../../src/workspace/roles-and-rights.ts';
import { CHANNEL, toAnswer } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { changeIn } from '../support/projects.ts';

const MEMBERS_DM = 'D0MEMBER01';
/** The second word could be a secret. */
const FORM = 'form a1b2c3d4e5 now';
const DONE = { text: 'Done', blocks: [section('Done')] };

let now = Date.UTC(2026, 10, 21, 10);
let tally: ListenerBot;
let request: Request;

const handler = (right: Right): CommandHandler => ({
  right,
  figures: true,
  async run(text, ran) {
    request = ran;
    if (text === FORM) return ran.reply.modal.open(modal({ title: 'Form', blocks: [] }));
    await ran.reply.update(DONE);
  },
});
const handlers: Handlers = {
  commands: {
    '/spend': handler('ask'),
    '/billing': {
      ...handler('member'),
      needs: (text) => (text === 'manage' ? { right: 'manage' } : {}),
    },
  },
  events: {
    app_mention: { right: 'ask', answer: (_, __, rerun) => rerun({ command: '/billing', text: FORM }) },
  },
  options: { managed: { right: 'manage', find: () => [{ text: plainText('A'), value: 'a' }] } },
};

beforeAll(async () => {
  tally = await startListenerBot(handlers, { clock: () => now });
});
afterAll(() => tally.stop());
beforeEach(async () => {
  now += 2 * MINUTE;
  await tally.redis.client.flushdb();
});

const useSettings = async (settings: object) =>
  tally.workspaces.saveSettings(await changeIn(tally.workspaces, TEAM), settings);

async function ask(text: string, person = MEMBER, channel = CHANNEL): Promise<string> {
  const replies = () => tally.slack.messages(person, channel).filter(({ from }) => from === 'bot');
  const before = replies().length;
  await tally.slack.say(person, channel, text);
  return toAnswer(await tally.slack.waitFor(() => replies()[before])).visibleText;
}
/** The users and user groups that Tally asks Slack for during `work`, in order. */
async function askedDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = tally.slack.calls.length;
  await work();
  const calls = tally.slack.calls.slice(before);
  return calls.flatMap(({ method, args }) =>
    method === 'users.info' || method === 'usergroups.users.list'
      ? [String(args.user ?? args.usergroup)]
      : [],
  );
}
const suggest = () =>
  tally.interact({
    type: 'block_suggestion',
    action_id: 'managed',
    block_id: 'b',
    value: 'a',
    team: { id: TEAM },
    user: { id: MEMBER, team_id: TEAM },
  });

it('Tally asks Slack who is in the managers’ group before each change, but not at every keystroke', async () => {
  await useSettings({ managerGroups: [FINOPS] });
  const groups = async (work: () => Promise<unknown>) =>
    (await askedDuring(work)).filter((id) => id === FINOPS).length;
  expect(await groups(() => ask('/billing manage'))).toBe(1);
  expect(await groups(() => ask('/billing manage'))).toBe(1);
  expect(await groups(async () => [await suggest(), await suggest()])).toBe(0);
  const [group] = tally.slack.workspace.userGroups;
  group!.members = [];
  expect((await suggest()).body).toContain('"value":"a"');
  expect(await ask('/billing manage')).toContain('Only Tally managers can do this');
  group!.members = [MEMBER];
});

describe('the refusal of someone who isn’t a manager', () => {
  const connect = async (name: string, registeredBy: string, registeredAt: number) =>
    tally.workspaces.saveConnection(await changeIn(tally.workspaces, TEAM), {
      name,
      baseUrl: 'https://billing.example',
      token: `a-token-for-${name}`,
      role: 'read-only',
      lifetime: '30-days',
      registeredBy,
      registeredAt,
    });
  const refusal = () => ask('/billing manage');

  it('names the managers from the settings, and a second refusal needs no look-up', async () => {
    await connect('main', ADMIN, 1);
    await useSettings({ managers: [OWNER] });
    const twice = async () => {
      for (const _ of [1, 2]) expect(await refusal()).toMatch(new RegExp(`<@${OWNER}>(?!.*<@${ADMIN}>)`));
    };
    expect((await askedDuring(twice)).filter((id) => id !== MEMBER)).toEqual([OWNER]);
  });

  it('names the admins who registered a token if the settings name no manager', async () => {
    await connect('new', ADMIN, 2);
    await connect('old', OWNER, 1);
    const said = await refusal();
    for (const admin of [ADMIN, OWNER]) expect(said).toContain(`<@${admin}>`);
  });

  it('names nobody if no current admin has registered a token', async () => {
    expect(await refusal()).not.toContain('<@');
    await connect('main', MEMBER, 1);
    expect(await refusal()).not.toContain('<@');
  });
});

describe('a request', () => {
  it('is answered privately in the person’s locale, or publicly in the workspace’s locale', async () => {
    await useSettings({ locale: 'fr-FR' });
    await ask('/spend');
    expect(request).toMatchObject({ audience: 'asker', locale: 'de-DE', channel: CHANNEL, at: now });
    expect(request.sharedBy).toBeUndefined();
    await useSettings({ locale: 'fr-FR', visibility: 'channel' });
    await ask('/spend');
    expect(request).toMatchObject({ audience: 'channel', locale: 'fr-FR' });
    expect(request.sharedBy).toEqual({ how: 'asked', person: MEMBER });
  });

  it.each([
    ['in private', OWNER, CHANNEL, 'asker', true],
    ['in front of a channel', OWNER, CHANNEL, 'channel', false],
    ['in a direct message', OWNER, 'D0OWNER001', 'channel', true],
    ['by somebody who is no manager', MEMBER, MEMBERS_DM, 'asker', false],
  ])(
    'reaches a restricted project only if a manager asks and nobody else sees the answer: %s',
    async (_, person, channel, visibility, expected) => {
      await useSettings({ visibility });
      await ask('/spend', person, channel);
      expect(request.audience).toBe(channel === CHANNEL ? visibility : 'asker');
      expect(request.isUnlimited).toBe(expected);
    },
  );

  it('is answered with a button if its form can’t open, and the button leaves out possible secrets', async () => {
    await tally.slack.say(MEMBER, CHANNEL, '@Tally form');
    const offer = await tally.slack.waitFor(() =>
      tally.slack
        .messages(MEMBER, CHANNEL)
        .find(({ blocks }) => JSON.stringify(blocks ?? []).includes('/billing form')),
    );
    expect(JSON.stringify(offer.blocks)).toMatch(/\/billing form now(?!.*a1b2c3d4e5)/);
  });
});
