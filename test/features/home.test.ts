import { Big } from 'big.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { EXTERNAL, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import { serializeWatch } from '../../src/workspace/record/automation-records.ts';
import { labelsOf, optionsOf } from '../support/answer.ts';
import { botOfEachTest, CHANNEL, DAY, goodToken, SATURDAY, textOf } from '../support/bot.ts';
import { directOf } from '../support/people.ts';
import { addProject, addProjects } from '../support/projects.ts';

const HOME = { viewId: 'home' };
const MINUTE = 60_000;
const bot = botOfEachTest();
const open = (person = OWNER) => bot.home(person);
const page = () => textOf(bot.slack.home(OWNER)?.view.blocks);

const blocksFor = (person: string) => bot.slack.home(person)?.view.blocks ?? [];
const buttons = (person: string) => labelsOf(blocksFor(person));
const primaryButtons = (person: string): string[] =>
  blocksFor(person).flatMap(({ elements = [] }) =>
    (elements as { style?: string; text: { text: string } }[])
      .filter(({ style }) => style === 'primary')
      .map(({ text }) => text.text),
  );
/** The labels of the menu beside the first buttons. */
const menu = (person: string) =>
  optionsOf(
    blocksFor(person).flatMap(({ elements = [] }) => ({
      elements: (elements as { type: string }[]).filter(({ type }) => type === 'overflow'),
    })),
  ).map(({ label }) => label);

/** Tally's next private message to this person. */
const told = (work: () => Promise<unknown>, person = OWNER) => bot.next(work, person, directOf(person));

describe('the Home tab of a new workspace', () => {
  it('shows a manager the next step until the first post is scheduled', async () => {
    const page = await open();
    expect(page).toMatch(/^Tally isn’t connected to a billing service.*\nConnect…\n/s);
    expect(buttons(OWNER)).toEqual(['Connect…', 'All commands']);
    await bot.slack.press(OWNER, HOME, 'Connect…');
    await bot.slack.waitFor(() => bot.modal());
    expect(await bot.save({ token: goodToken(bot.billing), project: '123' })).toContain('Connected');
    await bot.closeForm();
    expect(await open()).toContain('*Give a project a name*');
    expect(primaryButtons(OWNER)).toEqual(['Name project 123…']);
    await bot.slack.press(OWNER, HOME, 'Name project 123…');
    await bot.modalSays('Add a project');
    await bot.closeForm();
    await addProject(bot, { alias: 'prod', id: '123' });
    await expect.poll(() => open()).toContain('*Post spend in a channel every morning*');
    expect(primaryButtons(OWNER)).toEqual(['Post it every morning…']);
    const ask = () => bot.slack.choose(OWNER, HOME, 'run:project', 'prod');
    expect((await told(ask)).visibleText).toContain('prod · ');
    await bot.slack.press(OWNER, HOME, 'Post it every morning…');
    await bot.modalSays('Next three posts');
    expect(await bot.save({ channel: CHANNEL })).toContain('Saved:');
    await bot.closeForm();
    await expect.poll(() => open()).not.toContain('*Post spend in a channel');
  });

  it('offers a member a first question about a project that the member may see', async () => {
    await bot.connect();
    expect(await open(MEMBER)).toMatch(/^\*Ask a question\*\n[\s\S]*\nHow much did 123 spend last week\?\n/);
    expect(buttons(MEMBER)[0]).toBe('How much did 123 spend last week?');
    await addProject(bot, { alias: 'secret', id: '123', channels: ['C0FINANCE1'] });
    await expect.poll(() => open(MEMBER)).not.toMatch(/secret|123|Ask a question/);
    await addProject(bot, { alias: 'web', id: '456' });
    await open(MEMBER);
    await expect.poll(() => open(MEMBER)).toMatch(/^1 project · [\d,.]+ left\n[\s\S]*\nweb +[\d,.]+/);
  });

  it('tells a member who can connect Tally to billing', async () => {
    const page = await open(MEMBER);
    expect(page).toContain('An owner or admin of this workspace can connect it.');
    expect(page).not.toContain('how much did');
    await bot.store({ settings: { managers: [OWNER] } });
    expect(await open(MEMBER)).toContain(`A Tally manager can connect it: <@${OWNER}>, or an admin.`);
  });
});

describe('the Home tab', () => {
  beforeEach(() => bot.connect());

  it('shows the last known figures of projects, and a menu for asking about a project', async () => {
    await addProjects(bot, { prod: { id: '123', currency: 'EUR' }, staging: '456' });
    await bot.ask('/balance prod');
    await expect.poll(() => open()).toMatch(/\n2 projects · [\d,.]+\sEUR and [\d,.]+ left\nProject/);
    const ask = () => bot.slack.choose(OWNER, HOME, 'run:project', 'prod');
    expect((await told(ask)).visibleText).toMatch(/^prod · [\d,.]+\sEUR left/);
    expect(page()).toMatch(/\nAs of <!date\^\d+\^[^>]*\|2026-11-21 10:15 UTC>.*$/);
  });

  it.each([
    [76, 'expires Fri 19 Feb 2027 (14 days)'],
    [89, 'expires Fri 19 Feb 2027 (tomorrow)'],
    [92, 'expired Fri 19 Feb 2027 (2 days ago)'],
  ])('warns everyone %i days after a token’s registration that the token %s', async (days, sentence) => {
    bot.clock.now = SATURDAY + days * DAY;
    for (const person of [OWNER, MEMBER])
      expect((await open(person)).replaceAll('*', '')).toContain(
        `:warning: Billing connection · its token ${sentence}`,
      );
  });

  it('shows no figures after a disconnection, and says only once that billing isn’t connected', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    const rules: readonly WatchRule[] = [
      { kind: 'balance', below: new Big(50_000) },
      { kind: 'runway', days: 14 },
      { kind: 'budget', amount: new Big(900_000_000) },
      { kind: 'spike', factor: new Big(90), floor: new Big(0) },
    ];
    const watches = rules.map((rule, n): [string, string] => {
      const id = `watch00${n}`;
      const projects = [{ id: '123', product: 1 }] as const;
      const made = { owner: OWNER, createdBy: OWNER, createdAt: SATURDAY, since: SATURDAY };
      return [`watch:${id}`, serializeWatch({ id, projects, rule, channel: CHANNEL, ...made })];
    });
    await bot.store(Object.fromEntries(watches));
    await bot.ask('/balance prod');
    await expect.poll(() => open()).toMatch(/\n1 project · [\d,.]+ left\n/);
    await bot.openForm('/billing disconnect main');
    await bot.slack.submit(OWNER);
    await expect.poll(() => open()).toContain('Tally isn’t connected to a billing service');
    for (const page of [await open(), await bot.read('/billing status')]) {
      expect(page.match(/isn’t connected to a billing service/g)).toHaveLength(1);
      expect(page).not.toContain('paused');
      expect(page).not.toMatch(/\d left|About \d+ days|now [\d,.]+/);
    }
  });

  it('doesn’t show members the projects that are limited to certain channels', async () => {
    await addProject(bot, { alias: 'payroll', id: '124', channels: ['C0FINANCE1'] });
    expect(await open()).toMatch(/^payroll +– +– +–$/m);
    const alone = await open(MEMBER);
    expect(alone).not.toContain('payroll');
    expect(alone).toContain('The named projects are limited to certain channels');
    await addProject(bot, { alias: 'prod', id: '123' });
    const page = await open(MEMBER);
    expect(page).toMatch(/^prod +– +– +–$/m);
    expect(page).not.toContain('payroll');
  });

  it('has menu items for managers only if the reader is a manager', async () => {
    await open();
    expect(menu(OWNER)).toEqual(['Watch…', 'Add a project…', 'Connect…', 'Settings…', 'Status']);
    await open(MEMBER);
    expect(menu(MEMBER)).toEqual(['Watch…', 'Status']);
    for (const label of ['Add a project…', 'Settings…', 'Connect…']) {
      await bot.slack.choose(OWNER, HOME, 'run:more', label);
      await bot.slack.waitFor(() => bot.modal());
      await bot.closeForm();
    }
  });

  it('begins with current problems and, for managers, the buttons that fix them', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    bot.clock.now = SATURDAY + 80 * DAY;
    for (const person of [OWNER, MEMBER]) {
      const page = await open(person);
      expect(page).toMatch(
        /^:warning: \*Billing connection\* · \*?its token expires Fri 19 Feb 2027 \(10 days\)/,
      );
    }
    await open(OWNER);
    expect(buttons(OWNER)).toEqual([
      'Replace token…',
      'Post it every morning…',
      ...['Schedule a post…', 'Refresh'],
    ]);
    await bot.slack.press(OWNER, HOME, 'Replace token…');
    await bot.modalSays('Replaces the token. Tally tests the new one first.');
  });

  it('shows each project’s days left and forecast, beginning with the most urgent project', async () => {
    await addProjects(bot, { prod: '123', aaa: '456', zzz: '1001' });
    await open();
    await bot.slack.press(OWNER, HOME, 'Refresh');
    await expect
      .poll(page)
      .toMatch(
        /\*Under 14 days or overdrawn: zzz\*[\s\S]*\nzzz +−[\d,.]+ +overdrawn[\s\S]*\nprod +[\d,.]+ +41.days +[\d,.]+\naaa /,
      );
    expect(page()).toMatch(/Project +Left +Lasts +By 30 Nov\n/);
    expect(page()).toContain('“By 30 Nov” is an estimate');
  });

  it('counts a project with two names only once, under the name that was registered first', async () => {
    await addProjects(bot, { prod: '123', 'web-shop': { id: '456', addedAt: 1 }, staging: '456' });
    await open();
    await bot.slack.press(OWNER, HOME, 'Refresh');
    await expect.poll(page).toMatch(/^staging +[\d,.]+ +/m);
    expect(page()).not.toContain('web-shop +');
    const lefts = page().matchAll(/^(?:prod|staging) +([\d,.]+)/gm);
    const total = [...lefts].reduce((sum, [, left = '']) => sum.plus(left.replaceAll(',', '')), new Big(0));
    expect(page().replaceAll(',', '')).toContain(`2 projects · ${total.toFixed(2)} left`);
  });

  it('asks billing again when a person opens the tab after an hour', async () => {
    await addProjects(bot, { prod: '123', parked: '1002' });
    await open();
    await expect.poll(page).toMatch(/^prod +[\d,.]+ +\d+ days +[\d,.]+$/m);
    expect(page()).toMatch(/^parked +[\d,.]+ +no spending/m);
    const asked = bot.billing.requests.length;
    await open();
    bot.clock.now += 59 * MINUTE;
    await open();
    expect(bot.billing.requests.length).toBe(asked);
    bot.clock.now += MINUTE;
    await open();
    await expect.poll(() => bot.billing.requests.length).toBe(asked + 4);
  });

  it('asks billing for a project’s forecast if only the project’s balance is known', async () => {
    await addProjects(bot, { prod: '123' });
    await bot.ask('/balance prod', OWNER);
    await open();
    await expect.poll(page).toMatch(/^prod +[\d,.]+ +\d+ days +[\d,.]+$/m);
  });

  it('asks billing again when a person presses Refresh', async () => {
    await addProjects(bot, {
      prod: { id: '123', currency: 'EUR' },
      gone: { id: '456', connection: 'finance' },
    });
    expect(await open()).toMatch(/^prod +– +– +–$/m);
    await bot.slack.press(OWNER, HOME, 'Refresh');
    await expect.poll(page).toMatch(/^prod +[\d,.]+/m);
    expect(page()).toContain('gone uses the connection “finance”, which no longer exists.');
    const asked = bot.billing.requests.length;
    await bot.slack.press(MEMBER, HOME, 'Refresh').catch(() => open(MEMBER));
    await bot.slack.press(MEMBER, HOME, 'Refresh');
    expect(bot.billing.requests.length).toBe(asked);
  });

  it('lists thirty projects within Slack’s limit of a hundred blocks', async () => {
    for (let one = 0; one < 60; one += 1) await addProject(bot, { alias: `p${100 + one}`, id: `${one + 1}` });
    const page = await open();
    expect(bot.slack.home(OWNER)!.view.blocks.length).toBeLessThanOrEqual(100);
    expect(page).toContain('The 30 projects that run out first, of 60');
    expect(menu(OWNER)).toContain('Settings…');
  });

  it('is still shown, with a warning, if part of the workspace’s record is damaged', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    await bot.store({ 'project:prod': 'no JSON', 'connection:main': {} });
    const page = await open();
    expect(page).toContain('Damaged: the project prod.');
    expect(buttons(OWNER)).toContain('Replace token…');
    expect(await open(MEMBER)).toContain('*Billing connection* · doesn’t work: a Tally manager can fix it');
  });

  it.each([
    [GUEST, 'Guests can’t use Tally in this workspace.'],
    [EXTERNAL, 'Tally only answers members of the workspace that installed it.'],
  ])('shows %s, who may not ask questions, only this sentence: %s', async (person, sentence) => {
    await addProject(bot, { alias: 'prod', id: '123' });
    const page = await open(person);
    expect(page).toContain(sentence);
    expect(page).not.toContain('prod');
    expect(buttons(person)).toEqual([]);
    expect(bot.answers(person, directOf(person))).toEqual([]);
  });

  it('causes a log entry, but no message, if Slack refuses to show it', async () => {
    bot.slack.failNext('views.publish', { error: 'invalid_arguments' });
    await bot.slack.openHome(MEMBER);
    await bot.slack.waitFor(() => bot.log().includes('Could not draw a Home'));
    expect(bot.slack.messages(MEMBER, 'D0MEMBER01')).toEqual([]);
    expect(bot.slack.messages(MEMBER, CHANNEL)).toEqual([]);
    expect(await open(MEMBER)).toContain('Ask a question');
  });

  it('is not sent to Slack when a person opens only the Messages tab', async () => {
    await bot.slack.event({ type: 'app_home_opened', user: MEMBER, channel: 'D0MEMBER01', tab: 'messages' });
    await open();
    expect(bot.slack.home(MEMBER)).toBeUndefined();
  });
});
