import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import { botOfFile, CHANNEL, SATURDAY, textOf } from '../support/bot.ts';
import { directOf, FINANCE, SHARED } from '../support/people.ts';
import { addConnection, addProject, storedProject } from '../support/projects.ts';
import { holdAnswers, itemsJson } from '../support/service-replies.ts';

const DIRECT = directOf(MEMBER);
/** A text that is in each answer about the project, and nowhere else. */
const FIGURE = /777\.77|777,77/;

let now = SATURDAY;
const bot = await botOfFile({ now: () => now, loadingDelays: { message: 50, modal: 50 } });
await addConnection(bot);
// A guest sees only channels that they are in.
bot.slack.workspace.conversation(CHANNEL)!.members.push(MEMBER);
await addProject(bot, { alias: 'prod', id: '7001' });
bot.billing.setItems('7001', itemsJson(['2026-11-20', 777.77]));
bot.billing.setBalance('7001', '{"balance":777.77,"bonuses":0}');

const person = () => bot.slack.workspace.person(MEMBER)!;
const limitTo = (...channels: string[]) => saveProject({ channels });
const saveProject = (parts: Partial<Project>) =>
  bot.store({ 'project:prod': storedProject({ alias: 'prod', id: '7001', ...parts }) });
const setVisibility = (visibility: 'asker' | 'channel') => bot.store({ settings: { visibility } });

beforeEach(async () => {
  now += 120_000;
  await limitTo();
  await setVisibility('asker');
  person().role = 'member';
  delete person().left;
});
afterEach(() => bot.closeForm(MEMBER));

/** Everything that a person could read, wherever Tally put it. */
const everything = async (): Promise<string> => {
  const messages = [MEMBER, OWNER].flatMap((reader) =>
    [CHANNEL, DIRECT].flatMap((channel) => bot.slack.messages(reader, channel)),
  );
  const files = await Promise.all(
    messages.flatMap(({ files = [] }) => files.map(async ({ url }) => (await fetch(url)).text())),
  );
  const modal = bot.slack.modal(MEMBER);
  return [
    ...messages.map(({ text, blocks }) => `${text} ${textOf(blocks)}`),
    ...files,
    textOf(modal?.view),
  ].join('\n');
};
const figuresIn = (texts: string) => texts.split(FIGURE).length;

/** Runs `ask`, makes a change before billing answers, and expects the text without any figure. */
async function getsNoFigures(
  ask: () => Promise<unknown>,
  change: () => unknown,
  answer = /changed while Tally was answering/,
  pause = 0,
): Promise<void> {
  const before = await everything();
  const { asked, release } = holdAnswers(bot.billing);
  const asking = ask();
  await asked;
  await change();
  await sleep(pause);
  release();
  await asking;
  const seen = (texts: string) => texts.split(answer).length;
  await expect.poll(async () => seen(await everything())).toBeGreaterThan(seen(before));
  await bot.waitUntilIdle();
  expect(figuresIn(await everything())).toBe(figuresIn(before));
}

const say = (text: string, channel = CHANNEL) => bot.slack.say(MEMBER, channel, text);

describe('a channel limit that is saved while Tally waits for billing', () => {
  it.each([
    ['a private answer', () => say('/spend prod')],
    ['a balance', () => say('/balance prod')],
    ['a CSV in a direct message', () => say('/spend prod csv')],
    ['the details', () => say('/spend prod details')],
    ['an explanation of a change', () => say('/spend prod why')],
    ['a list of projects', () => say('/spend all')],
    ['an answer in a thread', () => say('@Tally spend prod')],
    ['a CSV in a channel', () => say('@Tally spend prod csv')],
    ['an answer in a direct message', () => say('spend prod', DIRECT)],
    ['an answer that everyone sees', () => setVisibility('channel').then(() => say('/spend prod'))],
  ])('hides the figures of %s', (_, ask) => getsNoFigures(ask, () => limitTo(FINANCE)));

  it('hides the figures of a shared answer', async () => {
    await say('/spend prod');
    const answered = () => bot.slack.messages(MEMBER, CHANNEL).findLast(({ text }) => FIGURE.test(text));
    const { ts } = await bot.slack.waitFor(answered);
    const share = () => bot.slack.press(MEMBER, { channel: CHANNEL, ts }, 'Share');
    await getsNoFigures(share, () => limitTo(FINANCE));
  });

  it('hides the figures from a workflow step', async () => {
    const { asked, release } = holdAnswers(bot.billing);
    const { id } = await bot.slack.runStep(OWNER, 'get_spend', { project: 'prod' });
    await asked;
    await limitTo(FINANCE);
    release();
    const ran = await bot.slack.waitFor(() => {
      const step = bot.slack.stepRun(OWNER, String(id));
      return step?.outputs || step?.error ? step : undefined;
    });
    expect(ran.outputs).toBeUndefined();
    expect(ran.error).toContain('changed while Tally was answering');
  });
});

it.each<[string, () => unknown, RegExp]>([
  ['is deactivated', () => (person().left = true), /only answers members of the workspace/],
  ['is made a guest', () => (person().role = 'guest'), /Guests can’t use Tally/],
])('a person who %s while Tally waits for billing gets no figures', (_, change, answer) =>
  // Tally caches a role for a second.
  getsNoFigures(() => say('/spend prod'), change, answer, 1_100),
);

describe('a person who was removed from a private channel', () => {
  const members = bot.slack.workspace.conversation(FINANCE)!.members;
  const leave = () => void members.splice(members.indexOf(MEMBER), 1);
  beforeEach(() => limitTo(FINANCE));
  beforeAll(() => void members.push('bot'));
  afterEach(() => {
    if (!members.includes(MEMBER)) members.push(MEMBER);
  });

  it.each(['/spend prod csv', '/spend prod details'])(
    'gets no figures of the channel’s project if the removal came before the answer to %s',
    async (command) => {
      const refused = () => bot.log().split('"outcome":"rights-changed"').length;
      const [before, earlier] = [figuresIn(await everything()), refused()];
      const { asked, release } = holdAnswers(bot.billing);
      await say(command, FINANCE);
      await asked;
      leave();
      await sleep(1_100);
      release();
      await expect.poll(refused).toBe(earlier + 1);
      await bot.waitUntilIdle();
      expect(figuresIn(await everything())).toBe(before);
    },
  );

  it('gets no figures with “Try again” in a window that was opened in the channel', async () => {
    bot.billing.respond(async () => ({ status: 503, headers: {}, body: '' }));
    await say('/spend prod details', FINANCE);
    await bot.modalSays('Try again', MEMBER);
    leave();
    bot.billing.respond(undefined);
    const before = figuresIn(await everything());
    await bot.slack.press(MEMBER, { viewId: bot.modal(MEMBER)!.id }, 'Try again');
    await expect.poll(everything).toContain('You can’t ask about this project here.');
    expect(figuresIn(await everything())).toBe(before);
  });
});

it('a mention in a shared channel is answered privately if external people can’t use Tally', async () => {
  const answersForAll = () =>
    bot.slack.messages(OWNER, SHARED).filter(({ text }) => FIGURE.test(text)).length;
  const [before, mine] = [answersForAll(), figuresIn(await everything())];
  await say('@Tally spend prod', SHARED);
  await expect
    .poll(() => bot.slack.messages(MEMBER, SHARED).filter(({ text }) => FIGURE.test(text)).length)
    .toBeGreaterThan(before);
  expect([answersForAll(), figuresIn(await everything())]).toEqual([before, mine]);
  await bot.store({ settings: { externals: true } });
  await say('@Tally spend prod', SHARED);
  await expect.poll(answersForAll).toBeGreaterThan(before);
});

it('a former admin gets no figures of a project limited to a channel, although Tally caches roles', async () => {
  const admin = bot.slack.workspace.person(ADMIN)!;
  await limitTo(FINANCE);
  const ask = async () => bot.slack.say(ADMIN, directOf(ADMIN), '/balance prod');
  const read = () => bot.slack.messages(ADMIN, directOf(ADMIN)).map(({ text }) => text);
  await ask();
  await expect.poll(read).toContainEqual(expect.stringMatching(FIGURE));
  admin.role = 'member';
  await ask();
  await expect.poll(read).toContainEqual(expect.stringContaining('changed while Tally was answering'));
  expect(read().filter((text) => FIGURE.test(text))).toHaveLength(1);
  admin.role = 'admin';
});
