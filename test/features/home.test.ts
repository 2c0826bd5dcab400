import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GUEST, MEMBER, OWNER, STRANGER } from '../../sandbox/slack/index.ts';
import { UnsealFailed } from '../../src/domain/failure/index.ts';
import { homeBlocks } from '../../src/features/home/blocks.ts';
import { section } from '../../src/slack/kit/atoms.ts';
import type { Request } from '../../src/slack/request.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';
import { type Bot, CHANNEL, goodToken, readable, startBot, textOf } from '../support/bot.ts';
import { unlike } from '../support/payloads.ts';
import { addProject } from '../support/projects.ts';

const DAY = 86_400_000;
const TODAY = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const RECORD = 'tally:workspace:T0SANDBOX1';
const HOME = { viewId: 'home' };
let now = TODAY;
let bot: Bot;

beforeEach(async () => {
  now = TODAY;
  bot = await startBot({ now: () => now });
});
afterEach(() => bot.stop());

/** Opens the Home anew and reads it as this person. */
async function open(person = OWNER): Promise<string> {
  const { slack } = bot;
  const drawn = () => slack.calls.filter(({ method }) => method === 'views.publish').length;
  const before = drawn();
  await slack.openHome(person);
  await slack.waitFor(() => drawn() > before);
  return textOf(slack.home(person)?.view.blocks);
}

const buttons = (person: string): string[] =>
  (bot.slack.home(person)?.view.blocks ?? []).flatMap(({ elements = [] }) =>
    (elements as { type: string; text: { text: string } }[])
      .filter(({ type }) => type === 'button')
      .map(({ text }) => text.text),
  );

/** What Tally last wrote to this person in private. */
const told = (person: string) =>
  bot.slack.waitFor(() => bot.slack.messages(person, person.replace(/^U/, 'D')).at(-1));

describe('the Home of a new workspace', () => {
  it('leads to the first answer in three steps, the first of them a button for whoever may connect', async () => {
    const page = await open();
    expect(page).toContain('Three steps to the first answer');
    expect(page).toMatch(/1\..*Connect Tally.*2\..*\/balance 123.*3\..*\/spend 123 last-7-days/s);
    await bot.slack.press(OWNER, HOME, 'Connect…');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => textOf(bot.slack.modal(OWNER)?.view).includes('Connected'));
    await bot.slack.dismiss(OWNER);
    expect(await open()).toContain('Connect Tally to the billing service: done.');
    await bot.slack.press(OWNER, HOME, 'Balance');
    expect(readable(await told(OWNER)).reads).toContain('Project 123 · ');
  });

  it('leads on to a name once the first answer is there', async () => {
    await bot.connect();
    await bot.ask('/balance 123');
    await expect.poll(() => open()).toContain('No project has a name yet');
    expect(textOf(bot.slack.home(OWNER)?.view.blocks)).not.toContain('Three steps');
    await bot.slack.press(OWNER, HOME, 'Name a project…');
    const form = await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    expect(textOf(form.view)).toContain('Add a project');
    await bot.slack.dismiss(OWNER);
    await open(MEMBER);
    expect(buttons(MEMBER)).toEqual(['Balance', 'Spend, last 7 days', 'Everything Tally answers']);
  });

  it('tells everybody else whom to ask', async () => {
    const page = await open(MEMBER);
    expect(page).toContain('Ask an owner or admin of this workspace to connect Tally');
    expect(buttons(MEMBER)).toEqual(['Everything Tally answers']);
  });
});

describe('the Home', () => {
  beforeEach(() => bot.connect());

  it('shows the projects with what they had when last asked, and buttons that ask again', async () => {
    await addProject(bot, { alias: 'prod', id: '123', currency: 'EUR' });
    await addProject(bot, { alias: 'staging', id: '456' });
    expect(await open()).toContain('*prod* · balance not asked for yet');
    await bot.ask('/balance prod');
    await expect
      .poll(() => open())
      .toMatch(
        /\*prod · [\d,.]+\sEUR left\*, <!date\^\d+\^\{date_short_pretty\} \{time\}\|2026-11-21 10:15 UTC>/,
      );
    await bot.slack.press(OWNER, HOME, 'Spend, last 7 days');
    const answer = readable(await told(OWNER));
    expect(answer.reads).toContain('prod · ');
    expect(answer.reads).toContain('14–20 Nov UTC');
    expect(textOf(bot.slack.home(OWNER)?.view.blocks)).toContain('arrive under Messages, for you alone');
  });

  it('shows managers each token’s last four characters and days, others only that they work', async () => {
    const page = await open();
    const token = goodToken(bot.billing);
    expect(page).toContain(`*main* · token ····${token.slice(-4)} · lapses in 90 days (Fri 19 Feb 2027)`);
    expect(page).not.toContain(token);
    const plain = await open(MEMBER);
    expect(plain).toContain('All connections work');
    expect(plain).not.toContain('····');
  });

  it.each([
    [76, 'lapses in 14 days'],
    [89, 'lapses tomorrow'],
    [92, 'lapsed 2 days ago'],
  ])('after %i days tells everybody that a token %s', async (days, sentence) => {
    now = TODAY + days * DAY;
    expect(await open()).toContain(`*${sentence}`);
    const plain = await open(MEMBER);
    expect(plain).toContain(`An access token that Tally reads billing with ${sentence}`);
    expect(plain).not.toContain('All connections work');
  });

  it('shows nobody a project that belongs to certain channels, save managers', async () => {
    await addProject(bot, { alias: 'payroll', id: '124', channels: ['C0FINANCE1'] });
    expect(await open()).toContain('*payroll*');
    const alone = await open(MEMBER);
    expect(alone).not.toContain('payroll');
    expect(alone).toContain('in the channels they belong to');
    await addProject(bot, { alias: 'prod', id: '123' });
    const page = await open(MEMBER);
    expect(page).toContain('*prod*');
    expect(page).not.toContain('payroll');
  });

  it('gives managing buttons to managers alone, and they work from there', async () => {
    await open();
    expect(buttons(OWNER)).toEqual(
      expect.arrayContaining(['Connect…', 'Add a project…', 'Settings…', 'Status']),
    );
    await open(MEMBER);
    for (const label of ['Connect…', 'Add a project…', 'Settings…', 'Status'])
      expect(buttons(MEMBER)).not.toContain(label);
    for (const label of ['Add a project…', 'Settings…']) {
      await bot.slack.press(OWNER, HOME, label);
      await bot.slack.waitFor(() => bot.slack.modal(OWNER));
      await bot.slack.dismiss(OWNER);
    }
    await bot.slack.press(OWNER, HOME, 'Everything Tally answers');
    expect(readable(await told(OWNER)).reads).toContain('@Tally spend');
  });

  it('stays within Slack’s hundred blocks, and says where the rest is', async () => {
    for (let one = 0; one < 60; one += 1) await addProject(bot, { alias: `p${100 + one}`, id: `${one + 1}` });
    const page = await open();
    expect(bot.slack.home(OWNER)!.view.blocks.length).toBeLessThanOrEqual(100);
    expect(page).toContain('The first 30 of 60 projects; `/billing projects` lists them all.');
    expect(buttons(OWNER)).toContain('Settings…');
  });

  it('shows what can be read where a part of the record is damaged', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    await bot.redis.client.hset(RECORD, 'project:prod', 'no JSON', 'connection:main', '{}');
    const page = await open();
    expect(page).toContain('A project’s record is damaged');
    expect(page).toContain('*main* · *the record is damaged:* register its token again');
    expect(buttons(OWNER)).toContain('Connect…');
    expect(await open(MEMBER)).toContain('A connection of Tally’s is damaged.');
  });

  it('does not say that all connections work where a project’s connection is gone', async () => {
    await addProject(bot, { alias: 'prod', id: '123', connection: 'finance' });
    expect(await open()).toContain(
      '*its connection finance no longer exists:* choose another with `/billing projects edit prod`',
    );
    const plain = await open(MEMBER);
    expect(plain).toContain(
      '*its connection finance no longer exists:* a Tally manager can choose another one',
    );
    expect(plain).toContain('A project uses a connection that no longer exists.');
    expect(plain).not.toContain('All connections work');
  });

  it('does not say that all connections work where the seal of a token does not open', async () => {
    const json = (await bot.redis.client.hget(RECORD, 'connection:main'))!;
    const other = json.replace(/"baseUrl":"[^"]+"/, '"baseUrl":"https://elsewhere.example.com"');
    await bot.redis.client.hset(RECORD, 'connection:main', other);
    expect(await open()).toContain('*its token cannot be opened:* `/billing status` says why');
    const plain = await open(MEMBER);
    expect(plain).toContain('A connection of Tally’s cannot be used.');
    expect(plain).not.toContain('All connections work');
  });

  it.each([
    [GUEST, 'Guests of this workspace cannot ask Tally.'],
    [STRANGER, 'Tally answers members of the workspace that installed it.'],
  ])('is a polite nothing for %s', async (person, sentence) => {
    await addProject(bot, { alias: 'prod', id: '123' });
    const page = await open(person);
    expect(page).toContain(sentence);
    expect(page).not.toContain('prod');
    expect(buttons(person)).toEqual([]);
    expect(bot.slack.messages(person, person.replace(/^U/, 'D'))).toEqual([]);
  });

  it('gains a guest nothing with a button that is still there from before', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    const payload = {
      type: 'block_actions',
      team: { id: 'T0SANDBOX1' },
      user: { id: GUEST, team_id: 'T0SANDBOX1' },
      trigger_id: 'x',
      view: { id: 'V1', type: 'home' },
      actions: [{ type: 'button', action_id: 'rerun:balance', block_id: 'b', value: '/balance prod' }],
    };
    const before = bot.billing.requests.length;
    const body = `payload=${encodeURIComponent(JSON.stringify({ ...payload, ...unlike() }))}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) };
    await fetch(`${bot.url}/slack/events`, { method: 'POST', body, headers });
    expect(readable(await told(GUEST)).reads).toContain('Guests of this workspace cannot ask Tally.');
    expect(bot.billing.requests).toHaveLength(before);
  });

  it('that cannot be drawn is a matter for the log, and nobody is told', async () => {
    bot.slack.failNext('views.publish', { error: 'invalid_arguments' });
    await bot.slack.openHome(MEMBER);
    await bot.slack.waitFor(() => bot.log().includes('a Home could not be drawn'));
    expect(bot.slack.messages(MEMBER, 'D0MEMBER01')).toEqual([]);
    expect(bot.slack.messages(MEMBER, CHANNEL)).toEqual([]);
    expect(await open(MEMBER)).toContain('All connections work');
  });

  it('is drawn when its own tab is opened, not the messages beside it', async () => {
    await bot.slack.event({ type: 'app_home_opened', user: MEMBER, channel: 'D0MEMBER01', tab: 'messages' });
    await open();
    expect(bot.slack.home(MEMBER)).toBeUndefined();
  });

  it('shows what other features add, and goes on where one of them meets something damaged', async () => {
    const record = { connectionNames: [], aliases: new Set(), settings: DEFAULT_SETTINGS };
    const request = { workspace: record, user: { canManage: false }, at: TODAY } as unknown as Request;
    const broken = () => {
      throw new UnsealFailed('malformed');
    };
    const page = textOf(await homeBlocks(request, [broken, () => [section('Every morning at 9')]]));
    expect(page).toContain('A part of what Tally keeps is damaged');
    expect(page).toContain('Every morning at 9');
    expect(page).toContain('Everything Tally answers');
  });
});
