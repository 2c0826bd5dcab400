/** Threads with several questions at once, after an uninstallation, and without Redis. */
import { afterEach, describe, expect, it } from 'vitest';
import { GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { keysOf, threadsKey } from '../../src/redis/keys.ts';
import { type Bot, CHANNEL, SATURDAY, startBot, toAnswer } from '../support/bot.ts';
import { TEAM } from '../support/people.ts';
import { addConnection, addProjects } from '../support/projects.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { startRedisProxy } from '../support/redis-proxy.ts';

let bot: Bot;
let now: number;
/** Redis servers behind a proxy. */
const stores: TestRedis[] = [];

async function start(redisUrl?: string): Promise<void> {
  now = SATURDAY;
  bot = await startBot({ now: () => now, ...(redisUrl !== undefined && { redisUrl }) });
}

async function prepare(redis: TestRedis = bot.redis): Promise<void> {
  const there = { ...bot, redis };
  await addConnection(there);
  await addProjects(there, { prod: '123', staging: '456' });
}

afterEach(async () => {
  await bot.stop();
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

const seenBy = (person: string, channel = CHANNEL) => bot.answers(person, channel);

async function ask(text: string, thread?: string) {
  now += 1_000;
  const message = await bot.ask(`@Tally ${text}`, MEMBER, CHANNEL, thread);
  return { message, thread: message.threadTs, ...message };
}

const remembered = async (redis = bot.redis) =>
  Object.entries(await redis.client.hgetall(threadsKey(TEAM))).map(([place, value]) => ({
    place: JSON.parse(place) as readonly string[],
    ...(JSON.parse(value) as { text: string; ids: object }),
  }));

describe('two people who send follow-up questions in one thread at the same instant', () => {
  it('each get an answer, and one of the two questions is remembered', async () => {
    await start();
    await prepare();
    const { thread } = await ask('spend prod october');
    const before = seenBy(MEMBER).length;
    const said = [
      [MEMBER, 'and staging?'],
      [OWNER, 'what about september?'],
    ] as const;
    await Promise.all(said.map(([as, text]) => bot.slack.say(as, CHANNEL, `@Tally ${text}`, thread)));
    await bot.slack.waitFor(() => seenBy(MEMBER).length === before + 2);
    const answers = seenBy(MEMBER)
      .slice(before)
      .map((message) => toAnswer(message).visibleText);
    expect(answers.filter((text) => /staging · [\s\S]*October/.test(text))).toHaveLength(1);
    expect(answers.filter((text) => /prod · [\s\S]*September/.test(text))).toHaveLength(1);
    await expect.poll(async () => (await remembered())[0]?.text !== 'prod 2026-10').toBe(true);
    const [last, ...others] = await remembered();
    expect(others).toEqual([]);
    expect([
      { text: 'staging 2026-10', ids: { staging: '456' } },
      { text: 'prod 2026-09', ids: { prod: '123' } },
    ]).toContainEqual({ text: last?.text, ids: last?.ids });
  });

  it('are each answered according to their own rights', async () => {
    await start();
    await prepare();
    const channel = 'C0GENERAL1';
    const { threadTs: thread } = await bot.ask('@Tally spend prod october', OWNER, channel);
    const before = seenBy(GUEST, channel).length;
    await Promise.all([OWNER, GUEST].map((as) => bot.slack.say(as, channel, '@Tally and staging?', thread)));
    await bot.slack.waitFor(() => seenBy(GUEST, channel).length === before + 2);
    const [refused, ...others] = seenBy(GUEST, channel)
      .slice(before)
      .filter(({ ephemeral }) => ephemeral);
    expect(others).toEqual([]);
    expect(toAnswer(refused!).visibleText).toContain('Guests can’t use Tally in this workspace.');
    await expect.poll(async () => (await remembered())[0]?.text === 'staging 2026-10').toBe(true);
    expect(await remembered()).toHaveLength(1);
  });
});

describe('a workspace that uninstalls Tally', () => {
  const keysLeft = async () => {
    const found = await Promise.all(
      keysOf(TEAM).map(async (key) => ((await bot.redis.client.exists(key)) === 1 ? [key] : [])),
    );
    return found.flat();
  };

  it('leaves nothing in Redis, even if a question is being answered at that moment', async () => {
    await start();
    await prepare();
    let isGone: Promise<unknown> | undefined;
    bot.billing.respond(() => {
      isGone ??= bot.slack.event({ type: 'app_uninstalled' });
      return undefined;
    });
    await bot.slack.say(MEMBER, CHANNEL, '@Tally spend prod october');
    await bot.slack.waitFor(() => isGone !== undefined);
    await isGone;
    // Stopping waits for everything that the bot has begun.
    await bot.stopBot();
    expect(await keysLeft()).toEqual([]);
    expect(bot.log()).not.toMatch(/"level":(?:50|60)/);
  });
});

it.each(['hangs', 'dies'] as const)(
  'while Redis %s, Tally sends no figures and remembers no question',
  async (how) => {
    const redis = await testRedis();
    stores.push(redis);
    const proxy = await startRedisProxy(redis.url);
    await start(proxy.url);
    await prepare(redis);
    await ask('balance staging');
    bot.billing.respond(() => {
      if (how === 'hangs') proxy.freeze();
      else void proxy.stop();
      bot.billing.respond(undefined);
      return undefined;
    });
    const { visibleText, thread } = await ask('spend prod october');
    expect(visibleText).toContain('Tally can’t reach its database right now.');
    if (how === 'dies') await proxy.start();
    await expect
      .poll(async () => (await ask('and september?', thread)).visibleText, { timeout: 20_000 })
      .toContain('Which project?');
    expect((await remembered(redis)).map(({ text }) => text)).toEqual(['staging']);
  },
  60_000,
);
