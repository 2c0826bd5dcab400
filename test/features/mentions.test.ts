import { beforeEach, describe, expect, it } from 'vitest';
import { EXTERNAL, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { botOfFile, CHANNEL, textOf } from '../support/bot.ts';
import { directOf } from '../support/people.ts';
import { addConnection, addProject } from '../support/projects.ts';
import { commandsOf } from '../support/redis.ts';

const DIRECT = directOf(MEMBER);
const SECRET = 'gAAAAABnotATokenButItLooksLikeOne0123456789';

const bot = await botOfFile();
await addConnection(bot);
/** How many calls Slack had received when the test began. */
let begun = 0;
beforeEach(async () => {
  await bot.drop(...['prod', 'staging', 'hidden', 'public', 'payroll'].map((alias) => `project:${alias}`));
  begun = bot.slack.calls.length;
});

async function say(text: string, { as = MEMBER, channel = CHANNEL, thread = '' } = {}) {
  const message = await bot.ask(text, as, channel, thread || undefined);
  const asked = bot.slack.messages(as, channel).findLast(({ from }) => from === as)!;
  return { asked, message, ...message };
}
const calls = (method: string) => bot.slack.calls.slice(begun).filter((call) => call.method === method);

describe('a mention of Tally', () => {
  it('is answered publicly, in a thread', async () => {
    const { asked, message, visibleText } = await say('@Tally spend 123 last-7-days');
    expect(message).toMatchObject({ ephemeral: false, threadTs: asked.ts });
    expect(visibleText).toContain(' · 14–20 Nov · ');
    expect(bot.slack.messages(OWNER, CHANNEL).at(-1)).toMatchObject({ ts: message.ts });
    expect(message.blocks!.map(({ type }) => type)).toContain('actions');
    expect(visibleText).not.toContain('Share');
    expect(visibleText).toContain(`asked by <@${MEMBER}>`);
  });

  it('makes Tally read the workspace’s record twice: before a request to billing and before the answer', async () => {
    await say('@Tally balance 123');
    const sent = await commandsOf(bot.redis, () => say('@Tally balance 123'));
    expect(sent.filter((name) => name === 'hgetall')).toHaveLength(2);
  });

  it('with a misspelled project gets no suggestion of a project that is limited to other channels', async () => {
    await addProject(bot, { alias: 'hidden', id: '7', channels: ['C0OTHER001'] });
    await addProject(bot, { alias: 'public', id: '8' });
    for (const text of ['@Tally hiden', '@Tally spend hiden', '@Tally spnd hiden'])
      expect((await say(text)).visibleText).not.toContain('hidden');
    expect((await say('@Tally spend publc')).visibleText).toContain('/spend public');
  });

  it('about a project limited to other channels is refused, with different advice for managers', async () => {
    await addProject(bot, { alias: 'hidden', id: '7', channels: ['C0OTHER001'] });
    const refusalOf = async (as: string) => {
      const { message, visibleText } = await say('@Tally how much did 7 spend last week?', { as });
      expect(message.ephemeral).toBe(true);
      return visibleText;
    };
    expect(await refusalOf(MEMBER)).toContain('or ask a Tally manager to allow this one.');
    expect(await refusalOf(OWNER)).toContain(
      'As a Tally manager, you can ask in a direct message with Tally.',
    );
  });

  it('with an unknown project is answered with the question “Which project?”', async () => {
    await addProject(bot, { alias: 'prod', id: '7' });
    const { message, visibleText } = await say('@Tally how much did blork spend last month?');
    expect(visibleText).toContain('I don’t recognize “blork”. Which project?');
    expect(JSON.stringify(message.blocks)).toContain('prod last-month');
  });

  it.each([
    ['@Tally /balance 123', 'Project 123 · '],
    ['@Tally Balance: 123', 'Project 123 · '],
    ['@tally spend 123 “last month”', ' · October · '],
    ['@Tally spend 123 last—7—days', ' · 14–20 Nov · '],
    ['@Tally spend 123 2026-10-01..2026-10-15 cloud', ' · 1–15 Oct · '],
    ['hey @Tally spend 123 mtd', ' · 1–21 Nov · '],
  ])('is answered like a slash command with the same words: %s', async (text, answer) => {
    const { message, visibleText } = await say(text);
    expect(visibleText).toContain(answer);
    expect(message.ephemeral).toBe(false);
  });

  it('is answered without chart and table if Slack rejects them', async () => {
    bot.slack.failNext('chat.postMessage', { error: 'invalid_blocks' });
    const { message } = await say('@Tally spend 123 last-7-days');
    const types = message.blocks!.map(({ type }) => String(type));
    expect(types).toContain('header');
    expect(types).not.toContain('table');
    expect(types).not.toContain('data_visualization');
  });

  it('isn’t answered if a bot wrote it, or if the event is only an edit', async () => {
    const event = { type: 'app_mention', user: MEMBER, text: '<@U0TALLYBOT> balance 123', channel: CHANNEL };
    await bot.slack.event({ ...event, ts: '1.1', bot_id: 'B0OTHER' });
    await bot.slack.event({ ...event, ts: '1.2', subtype: 'message_changed' });
    await say('@Tally balance 123');
    expect(calls('chat.postMessage')).toHaveLength(1);
  });
});

describe('a mention without a command', () => {
  it('with nothing but Tally’s name is answered privately with help', async () => {
    const { message, visibleText } = await say('@Tally');
    expect(message.ephemeral).toBe(true);
    expect(message.threadTs).toBeUndefined();
    expect(visibleText).toContain('how much did 123 spend last week?');
    await bot.press(message, 'All commands', MEMBER);
    await bot.updated(message, '/spend [projects] [period]', MEMBER);
  });

  it('with a greeting is answered with examples of questions', async () => {
    for (const text of ['@Tally hello', '@Tally hi there']) {
      const { visibleText } = await say(text);
      expect(visibleText).toContain('What would you like to know?');
      expect(visibleText).not.toContain('recognize');
    }
  });

  it('with thanks is answered with “You’re welcome.”', async () => {
    const before = bot.billing.requests.length;
    expect((await say('@Tally thanks!')).visibleText).toContain('You’re welcome.');
    expect(bot.billing.requests).toHaveLength(before);
  });

  it('that says “it” instead of a project is answered with the question “Which project?”', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    const { message, visibleText } = await say('@Tally how much did it cost last month?');
    expect(message.ephemeral).toBe(true);
    expect(visibleText).toContain('Which project?');
    expect(JSON.stringify(message.blocks)).toContain('/spend prod last-month');
  });

  it.each([
    'how much do we spend on prod every monday?',
    'when did prod stop spending?',
    'alert(1) prod',
    'which post cost most?',
  ])('saying “%s” gets an answer that quotes the word that doesn’t fit', async (asked) => {
    await addProject(bot, { alias: 'prod', id: '123' });
    const { visibleText } = await say(`@Tally ${asked}`);
    expect(visibleText).toMatch(/I don’t recognize “|“every” doesn’t belong there/);
  });

  it('with a misspelled “help” gets a single button, which opens help', async () => {
    const { message } = await say('@Tally halp');
    const labels = JSON.stringify(message.blocks).match(/"text":"\/[a-z ]+"/g);
    expect(labels).toEqual(['"text":"/billing help"']);
  });

  it('that says “help” or “billing” is answered with help', async () => {
    for (const text of ['@Tally help', '@Tally billing', '@Tally /billing help'])
      expect((await say(text)).visibleText).toContain('`/spend` See');
  });

  it.each([
    ['@Tally spnd 123 last-month', '/spend 123 last-month', ' · October · '],
    ['@Tally balanc 123', '/balance 123', 'left'],
    ['@Tally spnd 123 last-mnth', '/spend 123 last-month', ' · October · '],
    ['@Tally 123 last mnth', '/spend 123 last-month', ' · October · '],
    ['@Tally 123', '/balance 123', 'left'],
    ['@Tally 123', '/spend 123', ' · 14–20 Nov · '],
    ['@Tally setings', '/billing settings', 'Only Tally managers can do this'],
  ])('saying “%s” runs no command until a person clicks “%s”', async (text, label, answer) => {
    const queries = await bot.queriesDuring(async () => {
      const { message } = await say(text);
      expect(message.ephemeral).toBe(true);
      // The answer replaces the message; a refused form has a message below.
      const before = bot.answers(MEMBER).length - 1;
      await bot.press(message, label, MEMBER);
      const shown = () =>
        bot
          .answers(MEMBER)
          .slice(before)
          .map(({ visibleText }) => visibleText);
      await expect.poll(() => shown().join('\n')).toContain(answer);
    });
    // Only requests after the click.
    expect(queries).toHaveLength(label.endsWith('settings') ? 0 : 2);
  });

  it('with @channel and formatting is answered in plain text that notifies nobody', async () => {
    const { message, visibleText, text } = await say('@Tally <!channel> *frobnicate*');
    expect(message.ephemeral).toBe(true);
    expect(`${visibleText}${text}`).not.toContain('<!channel>');
    const section = message.blocks!.find(({ type }) => type === 'section') as { text: { type: string } };
    expect(section.text.type).toBe('plain_text');
  });

  it('with an unknown period in a thread is refused privately, in the same thread', async () => {
    const parent = bot.slack.workspace.post({ channel: CHANNEL, from: OWNER, text: 'What did we spend?' });
    await say('@Tally balance 123', { thread: parent.ts });
    const { message, visibleText } = await say('@Tally spend 123 last-wek &lt;!here&gt;', {
      thread: parent.ts,
    });
    expect(message).toMatchObject({ ephemeral: true, threadTs: parent.ts });
    expect(visibleText).toContain('“last-wek”');
    expect(JSON.stringify(message)).not.toContain('<!here');
  });

  it('with a secret is answered privately, and the secret is neither repeated nor logged', async () => {
    for (const text of [`@Tally ${SECRET}`, `@Tally spend ${SECRET}`, `@Tally billing connect ${SECRET}`]) {
      expect((await say(text)).message.ephemeral).toBe(true);
    }
    const said = bot.slack.calls.map(({ args }) => JSON.stringify(args)).join();
    expect(said).not.toContain(SECRET);
    expect(bot.log()).not.toContain(SECRET);
    expect(textOf(bot.slack.messages(MEMBER, CHANNEL))).toContain('looks like a token');
  });
});

describe('a question in plain words', () => {
  beforeEach(() => addProject(bot, { alias: 'prod', id: '123' }));

  it.each([
    ['@Tally how much did prod spend last month?', 'October'],
    ['@Tally what’s left on prod?', 'left'],
    ['@Tally spend on prod in october', 'October'],
    ['@Tally hi, what did prod cost last month?', 'October'],
  ])('gets the same answer as the command with the same meaning: %s', async (text, answer) => {
    const { message, visibleText } = await say(text);
    expect(message.ephemeral).toBe(false);
    expect(visibleText).toContain(answer);
  });

  it.each([
    ['@Tally what’s left on prod and staging?', '2 projects · '],
    ['@Tally how much did prod and staging spend last month?', 'October'],
  ])('may be about several projects: %s', async (text, answer) => {
    await addProject(bot, { alias: 'staging', id: '456' });
    const { visibleText } = await say(text);
    expect(visibleText).toContain('2 projects · ');
    expect(visibleText).toContain(answer);
  });

  it('is answered if it is sent as a direct message', async () => {
    expect((await say('how much did prod spend last month?', { channel: DIRECT })).visibleText).toContain(
      'October',
    );
  });

  it.each([
    ['@Tally how much did prdo spend last month?', '/spend prod last-month', 'October'],
    ['@Tally how much is prod?', '/balance prod', 'left'],
  ])(
    'with a mistake is answered with a button for a correct command: %s becomes %s',
    async (text, label, answer) => {
      const { message, visibleText } = await say(text);
      expect(message.ephemeral).toBe(true);
      expect(visibleText).toContain('Did you mean this?');
      await bot.press(message, label, MEMBER);
      expect((await bot.updated(message, answer, MEMBER)).visibleText).toContain(answer);
    },
  );

  it('is never answered with a button for a project that is limited to other channels', async () => {
    await addProject(bot, { alias: 'hidden', id: '7', channels: ['C0OTHER001'] });
    for (const text of ['@Tally how is hiden doing?', '@Tally what’s left on prod or hidden or hiden?'])
      expect(JSON.stringify((await say(text)).message.blocks)).not.toMatch(/"\/(spend|balance)[^"]*hidden/);
  });
});

describe('an order to Tally', () => {
  beforeEach(() => addProject(bot, { alias: 'prod', id: '123' }));

  it.each([
    ['post prod spend here every morning at 9', 'Post the spend', ['prod', '09:00']],
    ['alert me when prod drops below 50000', 'watch', ['prod', '50000']],
    ['set a budget of 5000 for prod', 'watch', ['prod', '5000']],
  ])('is answered with a button that opens the right form, filled in: “%s”', async (text, _, filled) => {
    const { message } = await say(`@Tally ${text}`);
    await bot.press(message, 'Open the form…', MEMBER);
    for (const value of filled) await expect.poll(() => bot.view(MEMBER) ?? '').toContain(value);
  });

  it('is refused if one of its words doesn’t fit the form', async () => {
    expect((await say('@Tally post prod spend every hour')).visibleText).toContain('“hour”');
    expect((await say('@Tally alert me when prod misbehaves')).visibleText).toContain('“misbehaves”');
  });
});

describe('a command that opens a form', () => {
  it('in a mention is answered with a button that opens the form', async () => {
    const offered = await bot.ask('@Tally billing connect');
    expect(bot.modal()).toBeUndefined();
    await bot.press(offered, 'Open the form…');
    await bot.slack.waitFor(() => bot.modal());
    expect((await say('@Tally billing connect')).visibleText).toContain('Only Tally managers can do this');
  });
});

describe('a mention by a person without rights', () => {
  it.each([
    [GUEST, 'C0GENERAL1', 'Guests can’t use Tally in this workspace.'],
    [EXTERNAL, 'C0SHARED01', 'Tally only answers members of the workspace that installed it.'],
  ])('is refused privately, without a request to billing: %s', async (as, channel, sentence) => {
    const before = bot.billing.requests.length;
    for (const text of ['@Tally balance 123', '@Tally', '@Tally billing connect', '@Tally spnd 123']) {
      const { message, visibleText } = await say(text, { as, channel });
      expect(message.ephemeral).toBe(true);
      expect(visibleText).toContain(sentence);
    }
    expect(bot.billing.requests).toHaveLength(before);
    expect(calls('chat.postMessage')).toEqual([]);
  });
});

describe('a direct message to Tally', () => {
  it('is understood without a mention, and answered with buttons', async () => {
    const { message, visibleText } = await say('spend 123 last-7-days', { channel: DIRECT });
    expect(message.ephemeral).toBe(false);
    expect(message.threadTs).toBeUndefined();
    expect(visibleText).toContain(' · 14–20 Nov · ');
    expect(visibleText).not.toContain('Share');
    expect(message.blocks!.map(({ type }) => type)).toContain('actions');
    const threaded = await say('@Tally balance 123', { channel: DIRECT, thread: message.ts });
    expect(threaded.message.threadTs).toBe(message.ts);
  });

  it('gets an answer without a Share button, unlike a command in a channel', async () => {
    expect(await bot.read('/balance 123', MEMBER, DIRECT)).not.toContain('Share');
    expect(await bot.read('/balance 123', MEMBER)).toContain('Share');
  });

  it('with a mistake is answered with a button that corrects it', async () => {
    const { message, visibleText } = await say('spend 123 last-wek', { channel: DIRECT });
    expect(message.ephemeral).toBe(false);
    expect(visibleText).toContain('“last-wek”');
    await bot.press(message, '/spend 123 last-week', MEMBER);
    await bot.updated(message, ' · 9–15 Nov · ', MEMBER);
  });

  it('is the only kind of message that Tally answers without being mentioned', async () => {
    const heard = { type: 'message', user: MEMBER, channel: CHANNEL, text: 'balance 123', ts: '1.1' };
    await bot.slack.event({ ...heard, channel_type: 'channel' });
    await say('balance 123', { channel: DIRECT });
    expect(calls('chat.postMessage')).toHaveLength(1);
  });
});

describe('an answer that Slack refuses', () => {
  it.each([
    ['not_in_channel', '/invite @Tally'],
    ['is_archived', 'archived'],
    ['restricted_action', 'isn’t allowed to post'],
  ])('leads to a direct message with advice if Slack’s error is %s', async (error, advice) => {
    bot.slack.failNext('chat.postMessage', { error });
    bot.slack.failNext('chat.postEphemeral', { error });
    const work = () => bot.slack.say(MEMBER, CHANNEL, '@Tally balance 123');
    expect((await bot.next(work, MEMBER, DIRECT)).visibleText).toContain(advice);
  });

  it('leads to a private explanation in the channel if Slack accepts a private message', async () => {
    bot.slack.failNext('chat.postMessage', { error: 'is_archived' });
    const { message, visibleText } = await say('@Tally balance 123');
    expect(message.ephemeral).toBe(true);
    expect(visibleText).toContain('archived');
  });
});

describe('a mention in a channel', () => {
  const reactionsOf = (text: string) =>
    bot.slack.messages(MEMBER, CHANNEL).find((said) => said.text.includes(text.trim()))?.reactions;

  it.each(['@Tally spend blorkk', '@Tally hello there', '@Tally schedule help'])(
    'gets a reaction, visible to everyone, if the answer is private: %s',
    async (text) => {
      expect((await say(text)).message.ephemeral).toBe(true);
      await expect.poll(() => reactionsOf(text.replace('@Tally', ''))).toEqual(['speech_balloon']);
    },
  );

  it('gets no reaction if everyone can see the answer', async () => {
    await say('@Tally balance 123 cloud');
    expect(reactionsOf('balance 123 cloud')).toBeUndefined();
  });

  it('is answered even if Tally may not add reactions', async () => {
    bot.slack.failNext('reactions.add', { error: 'missing_scope' });
    expect((await say('@Tally spend blorkky')).visibleText).toContain('blorkky');
  });
});
