import { beforeEach, describe, expect, it } from 'vitest';
import { EXTERNAL, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { threadsKey } from '../../src/redis/keys.ts';
import { botOfEachTest, CHANNEL, DAY, textOf } from '../support/bot.ts';
import { directOf, TEAM } from '../support/people.ts';
import { addConnection, addProject, addProjects } from '../support/projects.ts';
import { commandsOf } from '../support/redis.ts';

const DIRECT = directOf(MEMBER);
const bot = botOfEachTest(async (bot) => {
  await addConnection(bot);
  await addProjects(bot, { prod: '123', staging: '456' });
});

interface Place {
  readonly as?: string;
  readonly channel?: string;
  readonly thread?: string;
}

async function say(text: string, { as = MEMBER, channel = CHANNEL, thread = '' }: Place = {}) {
  bot.clock.now += 1_000;
  const message = await bot.ask(text, as, channel, thread || undefined);
  await bot.waitUntilIdle();
  return { message, ...message };
}

/** Sends a first question, and then texts in the thread of the answer. */
async function startThread(question: string, place: Place = {}) {
  const { message } = await say(`@Tally ${question}`, place);
  const thread = message.threadTs!;
  return {
    thread,
    message,
    reply: (text: string, more: Place = {}) => say(`@Tally ${text}`, { ...place, thread, ...more }),
  };
}

/** Sends a mention in the channel, and finds the person's message. */
async function sayAsked(text: string) {
  const answer = await say(`@Tally ${text}`);
  const asked = bot.slack
    .messages(MEMBER, CHANNEL)
    .filter(({ from }) => from === MEMBER)
    .at(-1)!;
  return { ...answer, asked };
}

const removeProject = (alias: string) => bot.drop(`project:${alias}`);

describe('a follow-up in a thread', () => {
  it.each([
    ['spend prod october', 'and staging?', ['staging · ', 'October']],
    ['spend prod last-week', 'what about october?', ['prod · ', 'October']],
    ['spend prod last-week', 'same for last month', ['prod · ', 'October']],
    ['spend prod october', 'compare with september', ['prod · ', 'October', 'vs September']],
    ['spend all october', 'top 1', ['October']],
    ['spend 123 october', 'and 456?', ['staging · ', 'October']],
    ['spend prod october', 'and the balance?', ['prod · ', ' left']],
    ['spend prod october', 'how long will it last?', ['prod · ', ' left']],
    ['balance prod', 'and staging?', ['staging · ', ' left']],
    ['balance prod', 'what did it cost yesterday?', ['prod · ', 'Fri 20 Nov']],
    ['spend prod october', 'again', ['prod · ', 'October']],
    ['spend prod october', 'and cloud?', ['prod · ', 'October']],
    ['spend prod,staging october', 'and september?', ['2 projects · ', 'September']],
    ['spend prod,staging october', 'and staging?', ['staging · ', 'October']],
    ['how much did prod spend last month?', 'and staging?', ['staging · ', 'October']],
  ])('takes missing words from the answer in the thread: “%s”, then “%s”', async (first, then, shown) => {
    const { reply, thread } = await startThread(first);
    const { message, visibleText } = await reply(then);
    expect(message).toMatchObject({ ephemeral: false, threadTs: thread });
    for (const text of shown) expect(visibleText).toContain(text);
  });

  it('with an unclear word is answered with example questions, not with slash commands', async () => {
    const { reply } = await startThread('spend prod october');
    const { message, visibleText } = await reply('is it up?');
    expect(visibleText).toMatch(/^I can’t tell what “up” means here\.\nTry `@Tally how much /);
    expect(visibleText + JSON.stringify(message.blocks)).not.toMatch(/\/spend|\/billing/);
  });

  it('can ask for a CSV file', async () => {
    const { reply, thread } = await startThread('spend prod october');
    await reply('as csv');
    const file = bot.slack.messages(MEMBER, CHANNEL).at(-1);
    expect(file).toMatchObject({ threadTs: thread });
    expect(JSON.stringify(bot.slack.calls.map(({ args }) => args))).toContain('spend-prod-2026-10.csv');
  });

  it('refers to the last answer, even if that answer was to another follow-up', async () => {
    const { reply } = await startThread('spend prod october');
    await reply('and staging?');
    expect((await reply('and september?')).visibleText).toMatch(/staging · [\s\S]*September/);
    expect((await reply('and the balance?')).visibleText).toMatch(/staging · .* left/);
  });

  it('that is a complete question takes no words from the thread', async () => {
    const { reply } = await startThread('spend prod october storage');
    expect((await reply('how much did staging spend yesterday?')).visibleText).toMatch(
      /^staging · Fri 20 Nov · /,
    );
    expect((await reply('spend staging')).visibleText).toContain('14–20 Nov');
  });

  it.each([
    ['spend prod last-week', 'and 22?', ['/spend 22 last-week']],
    ['spend prod october', 'and stagin?', ['/spend staging 2026-10']],
    ['balance prod', 'what about october?', ['/spend prod 2026-10']],
  ])(
    'is answered only with suggestions if its words are unclear: “%s”, then “%s”',
    async (first, then, offered) => {
      const { reply } = await startThread(first);
      const before = bot.billing.requests.length;
      const { message } = await reply(then);
      expect(message.ephemeral).toBe(true);
      expect(message.buttons.filter((label) => label.startsWith('/'))).toEqual(offered);
      expect(bot.billing.requests).toHaveLength(before);
    },
  );

  it.each(['and banana?', 'thanks', 'hello', 'and?'])(
    'that says only “%s” is not answered with figures',
    async (text) => {
      const { reply } = await startThread('spend prod october');
      const before = bot.billing.requests.length;
      const { message } = await reply(text);
      expect(message.ephemeral).toBe(true);
      expect(bot.billing.requests).toHaveLength(before);
    },
  );

  it('refers to a private answer only for the person who saw the answer', async () => {
    const { reply, thread, message } = await startThread('spend prod october');
    const seen = () => bot.slack.messages(OWNER, CHANNEL).filter(({ ephemeral }) => ephemeral);
    bot.clock.now += 1_000;
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: message.ts }, 'Balance');
    await bot.slack.waitFor(() => seen().length === 1);
    expect(seen()[0]).toMatchObject({ threadTs: thread });
    expect((await reply('and staging?', { as: MEMBER })).visibleText).toContain('October');
    bot.clock.now += 1_000;
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: message.ts }, 'Balance');
    await bot.slack.waitFor(() => seen().length === 2);
    expect((await reply('and staging?', { as: OWNER })).visibleText).toContain(' left');
  });

  it.each([
    ['and october?', 'spend'],
    ['again', 'spend'],
    ['why?', 'spend'],
    ['how long will it last?', 'balance'],
  ])('is answered with “Which project?” if the thread has no earlier answer: %s', async (text, command) => {
    const parent = bot.slack.workspace.post({ channel: CHANNEL, from: OWNER, text: 'What did we spend?' });
    const { message, visibleText } = await say(`@Tally ${text}`, { thread: parent.ts });
    expect(message.ephemeral).toBe(true);
    expect(visibleText).toContain('Which project?');
    expect(JSON.stringify(message.blocks)).toContain(`"/${command} prod`);
  });
});

describe('the days of a follow-up', () => {
  it('are the same as in the earlier answer if the period of that answer had already ended', async () => {
    const { reply } = await startThread('spend prod last-7-days');
    bot.clock.now += 2 * DAY;
    expect((await reply('and staging?')).visibleText).toMatch(/staging · [\s\S]*14–20 Nov/);
    expect((await reply('and prod?')).visibleText).toMatch(/prod · [\s\S]*14–20 Nov/);
  });

  it('continue until now if the period of the earlier answer was still running', async () => {
    const { reply } = await startThread('spend prod this-month');
    bot.clock.now += 2 * DAY;
    expect((await reply('and staging?')).visibleText).toContain('1–23 Nov');
  });

  it('stay in the month of the earlier answer after the next month has begun', async () => {
    const { reply } = await startThread('spend prod this-month');
    bot.clock.now += 12 * DAY;
    expect((await reply('and staging?')).visibleText).toContain('November');
  });

  it('are counted from now if the follow-up says “yesterday”', async () => {
    const { reply } = await startThread('spend prod last-7-days');
    bot.clock.now += 2 * DAY;
    expect((await reply('and yesterday?')).visibleText).toContain('Sun 22 Nov');
  });
});

describe('a follow-up in a direct message', () => {
  const direct = { channel: DIRECT };

  it('isn’t possible outside a thread', async () => {
    await say('how much did prod spend in january 2025?', direct);
    const { visibleText } = await say('which project costs the most?', direct);
    expect(visibleText).toContain('14–20 Nov');
    expect(visibleText).not.toContain('Jan');
    await say('/balance prod', direct);
    const { commands } = await say('and staging?', direct);
    expect(commands).toEqual(['/balance staging', '/spend staging']);
  });

  it('refers to the answer in its thread, not to a newer answer outside the thread', async () => {
    const { message } = await say('spend prod october', direct);
    await say('balance staging', direct);
    const below = { ...direct, thread: message.ts };
    expect((await say('and staging?', below)).visibleText).toMatch(/staging · [\s\S]*October/);
  });
});

describe('a question in a channel with a default project', () => {
  beforeEach(async () => {
    await bot.ask('/billing default prod');
  });

  it('is about the project of the thread’s last answer, even after the default changes', async () => {
    const { reply } = await startThread('spend october');
    await bot.ask('/billing default staging');
    expect((await reply('and september?')).visibleText).toMatch(/prod · [\s\S]*September/);
  });

  it('is about the project of the thread’s last answer, not about the default project', async () => {
    const { reply } = await startThread('spend staging october');
    expect((await reply('how much did we spend yesterday?')).visibleText).toMatch(
      /staging · [\s\S]*Fri 20 Nov/,
    );
    expect((await reply('what did it cost yesterday?')).visibleText).toMatch(/staging · [\s\S]*Fri 20 Nov/);
  });

  it('is about all projects if it says “we”, “total” or “everything”', async () => {
    for (const text of [
      'how much did we spend last week?',
      'what did everything cost last week?',
      'total spend last week',
    ])
      expect((await say(`@Tally ${text}`)).visibleText).toMatch(/^2 projects · [\s\S]*9–15 Nov/);
  });
});

it('a question about an unknown project is answered once a known project is named in the thread', async () => {
  const { asked } = await sayAsked('how much did foo spend last week?');
  const { visibleText } = await say('@Tally prod', { thread: asked.ts });
  expect(visibleText).toMatch(/prod · [\s\S]*9–15 Nov/);
});

it('a question that failed is ignored in follow-ups', async () => {
  const { reply } = await startThread('spend prod october');
  bot.billing.respond(() => ({ status: 400 }));
  expect((await reply('spend staging september')).message.ephemeral).toBe(true);
  bot.billing.respond(undefined);
  expect((await reply('again')).visibleText).toMatch(/prod · [\s\S]*October/);
});

describe('the question that Tally remembers', () => {
  it('is stored without figures', async () => {
    await startThread('how much did PROD cost in October, please?');
    const values = await bot.redis.client.hvals(threadsKey(TEAM));
    expect(values.map((value) => JSON.parse(value))).toEqual([
      { command: '/spend', text: 'prod 2026-10', at: expect.any(Number), ids: { prod: '123' } },
    ]);
  });

  it('is read from Redis once for a follow-up, and not for other questions', async () => {
    const { reply } = await startThread('spend prod october');
    const complete = await commandsOf(bot.redis, () => reply('balance prod'));
    expect(complete.filter((name) => name === 'hmget')).toHaveLength(0);
    const followUp = await commandsOf(bot.redis, () => reply('and staging?'));
    expect(followUp.filter((name) => name === 'hmget')).toHaveLength(1);
    const before = await bot.redis.client.hlen(threadsKey(TEAM));
    const elsewhere = await commandsOf(bot.redis, () => bot.ask('/balance staging', MEMBER));
    expect(elsewhere.filter((name) => name === 'hmget')).toHaveLength(0);
    expect(await bot.redis.client.hlen(threadsKey(TEAM))).toBe(before);
  });

  it('may be lost if Redis fails, but the answer is still sent', async () => {
    await bot.redis.client.set(threadsKey(TEAM), 'not a hash');
    const { message, visibleText } = await say('@Tally spend prod october');
    expect(message.ephemeral).toBe(false);
    expect(visibleText).toContain('October');
    await expect.poll(() => bot.log()).toContain('Could not remember a question');
    const after = await say('@Tally and staging?', { thread: message.threadTs! });
    expect(after.message.ephemeral).toBe(true);
  });
});

describe('the project of the last answer', () => {
  it('is not mistaken for a new project with the same name', async () => {
    const { reply } = await startThread('spend prod october');
    await removeProject('prod');
    await addProject(bot, { alias: 'prod', id: '789' });
    const { message, visibleText } = await reply('and september?');
    expect(message.ephemeral).toBe(true);
    expect(visibleText).toContain('was renamed or removed. Which project?');
    expect(JSON.stringify(message.blocks)).toContain('"/spend staging 2026-09"');
    await removeProject('prod');
    expect((await reply('and september?')).visibleText).toContain('was renamed or removed. Which project?');
    expect((await reply('and staging?')).visibleText).toContain('staging · ');
  });

  // After October 2025, “september” has two meanings, and both buttons would name the project.
  it.each(['spend prod october', 'spend prod,staging october', 'spend prod october 2025'])(
    'is not revealed if the project is no longer allowed in the channel: %s',
    async (first) => {
      const { reply } = await startThread(first);
      await removeProject('prod');
      await addProject(bot, { alias: 'prod', id: '123', channels: ['C0OTHER001'] });
      for (const text of ['and september?', 'again', 'as csv', 'and the balance?']) {
        const { message, visibleText, text: notification } = await reply(text);
        expect(message.ephemeral).toBe(true);
        expect(visibleText).toContain('You can’t ask about this project here.');
        expect(`${visibleText}${notification}${JSON.stringify(message.blocks)}`).not.toContain('prod');
      }
      expect(JSON.stringify((await reply('and 2?')).message.blocks)).not.toContain('prod');
      expect((await reply('again', { as: OWNER })).message.ephemeral).toBe(true);
      expect((await reply('and staging?')).visibleText).toContain('staging · ');
    },
  );
});

it.each([
  [GUEST, 'Guests can’t use Tally in this workspace.'],
  [EXTERNAL, 'Tally only answers members of the workspace that installed it.'],
])('the answer to a person who may not use Tally (%s) doesn’t reveal the project', async (as, sentence) => {
  const channel = as === GUEST ? 'C0GENERAL1' : 'C0SHARED01';
  const { reply } = await startThread('spend prod october', { channel, as: OWNER });
  const before = bot.billing.requests.length;
  for (const text of ['and september?', 'again', 'and 2?']) {
    const { message, visibleText } = await reply(text, { as });
    expect(message.ephemeral).toBe(true);
    expect(visibleText).toContain(sentence);
    expect(JSON.stringify(message.blocks)).not.toContain('prod');
  }
  expect(bot.billing.requests).toHaveLength(before);
});

it('a follow-up of 4,000 characters is refused as too long', async () => {
  const { reply } = await startThread('spend prod october');
  expect((await reply(`and ${'staging and '.repeat(330)}`)).visibleText).toContain('too long');
  expect(textOf(bot.slack.messages(MEMBER, CHANNEL))).not.toContain('staging · ');
});
