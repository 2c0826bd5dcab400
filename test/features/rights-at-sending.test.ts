import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import { botOfFile, CHANNEL, SATURDAY, textOf } from '../support/bot.ts';
import { directOf, FINANCE } from '../support/people.ts';
import { addConnection, addProject, storedProject } from '../support/projects.ts';
import { itemsJson } from '../support/service-replies.ts';

const DIRECT = directOf(MEMBER);
/** In each answer about the project, and nowhere else. */
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
const countFigures = async () => (await everything()).split(FIGURE).length - 1;

/** Runs `ask`, makes the change while billing is being asked, lets billing answer, and waits for what Tally says. */
async function meanwhile(
  ask: () => Promise<unknown>,
  change: () => unknown,
  answer = /changed while Tally was answering/,
  isSlow = false,
): Promise<void> {
  const before = await everything();
  let arrive: (value?: unknown) => void = () => undefined;
  let release: (value?: unknown) => void = () => undefined;
  const arrived = new Promise((resolve) => (arrive = resolve));
  const released = new Promise((resolve) => (release = resolve));
  bot.billing.respond(async () => {
    arrive();
    await released;
    return undefined;
  });
  const asking = ask();
  await arrived;
  await change();
  if (isSlow) await new Promise((resolve) => setTimeout(resolve, 1_100));
  release();
  await asking;
  await until(answer, before);
  await bot.waitUntilIdle();
}

/** Resolves once the text appears; fails with all that there is. */
async function until(text: RegExp, since: string): Promise<void> {
  const seen = (texts: string) => texts.split(text).length - 1;
  const before = seen(since);
  for (let tries = 0; tries < 400; tries += 1) {
    if (seen(await everything()) > before) return;
    await sleep(10);
  }
  throw new Error(`No ${text} in: ${(await everything()).slice(-800)}`);
}

const say = (text: string, channel = CHANNEL) => bot.slack.say(MEMBER, channel, text);

describe('a limit that is saved while billing is asked', () => {
  it.each([
    ['a private answer', () => say('/spend prod')],
    ['a balance', () => say('/balance prod')],
    ['a CSV in a direct message', () => say('/spend prod csv')],
    ['Details', () => say('/spend prod details')],
    ['why', () => say('/spend prod why')],
    ['a list of projects', () => say('/spend all')],
    ['an answer in a thread', () => say('@Tally spend prod')],
    ['a CSV in a channel', () => say('@Tally spend prod csv')],
    ['an answer in a direct message', () => say('spend prod', DIRECT)],
  ])('holds for %s', async (_, ask) => {
    const before = await countFigures();
    await meanwhile(ask, () => limitTo(FINANCE));
    expect(await countFigures()).toBe(before);
  });

  it('holds for an answer that everybody sees', async () => {
    await setVisibility('channel');
    const before = await countFigures();
    await meanwhile(
      () => say('/spend prod'),
      () => limitTo(FINANCE),
    );
    expect(await countFigures()).toBe(before);
  });

  it('holds for Share', async () => {
    await say('/spend prod');
    const answered = () => bot.slack.messages(MEMBER, CHANNEL).findLast(({ text }) => FIGURE.test(text));
    const { ts } = await bot.slack.waitFor(answered);
    const before = await countFigures();
    await meanwhile(
      () => bot.slack.press(MEMBER, { channel: CHANNEL, ts }, 'Share'),
      () => limitTo(FINANCE),
    );
    expect(await countFigures()).toBe(before);
  });

  it('holds for a step of a workflow', async () => {
    let release: (value?: unknown) => void = () => undefined;
    const released = new Promise((resolve) => (release = resolve));
    let isAsked = false;
    bot.billing.respond(async () => {
      isAsked = true;
      await released;
      return undefined;
    });
    const { id } = await bot.slack.runStep(OWNER, 'get_spend', { project: 'prod' });
    await bot.slack.waitFor(() => isAsked);
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

describe('who asked', () => {
  it('gets no figures if deactivated during the billing request', async () => {
    const before = await countFigures();
    const leave = () => (person().left = true);
    await meanwhile(() => say('/spend prod'), leave, /only answers members of the workspace/, true);
    expect(await countFigures()).toBe(before);
  });

  it('gets no figures if made a guest during the billing request', async () => {
    const before = await countFigures();
    const demote = () => (person().role = 'guest');
    await meanwhile(() => say('/spend prod'), demote, /Guests can’t use Tally/, true);
    expect(await countFigures()).toBe(before);
  });
});
