import { afterEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { actions, type Message, modal, option, overflow, section } from '../../src/slack/block-kit/blocks.ts';
import type { Request } from '../../src/slack/request/request.ts';
import type { CommandHandler, Handlers } from '../../src/slack/server/handlers.ts';
import { LOADING_DELAYS } from '../../src/slack/slack-services.ts';
import { CHANNEL } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { changeIn } from '../support/projects.ts';

const LOADING = 'Asking the billing service…';
const say = (text: string): Message => ({ text, blocks: [section(text)] });

let bot: ListenerBot;
let finish: () => void;
let isAnswering: Promise<void>;
afterEach(() => bot.stop());

/** Starts a bot whose `/spend` answers once `finish` is called. */
async function started(
  handlers: Handlers = {},
  answer = (request: Request) => request.reply.update(say('42')),
) {
  isAnswering = new Promise((resolve) => {
    finish = resolve;
  });
  const spend: CommandHandler = {
    right: 'ask',
    figures: true,
    needs: (text) => ({ sendsFile: text === 'csv' }),
    async run(_, request) {
      await isAnswering;
      await answer(request);
    },
  };
  bot = await startListenerBot(
    { commands: { '/spend': spend }, ...handlers },
    { loadingDelays: { message: 20, modal: 20 } },
  );
  return bot;
}

const calls = (method: string) => bot.slack.calls.filter((call) => call.method === method).length;
const until = (...expected: string[]) =>
  bot.slack.waitFor(() => JSON.stringify(bot.messageTexts()) === JSON.stringify(expected), 3_000);

describe('a slow answer', () => {
  it('replaces the message “Asking the billing service…”', async () => {
    await started();
    await bot.slack.say(OWNER, CHANNEL, '/spend');
    await until(LOADING);
    finish();
    await until('42');
    expect(calls('response_url')).toBe(2);
  });

  it('replaces a public loading message, or deletes it if the answer is private', async () => {
    let isPrivate = false;
    await started({}, (request) =>
      isPrivate ? request.reply.private(say('only you')) : request.reply.update(say('42')),
    );
    await bot.workspaces.saveSettings(await changeIn(bot.workspaces, TEAM), { visibility: 'channel' });
    await bot.slack.say(OWNER, CHANNEL, '/spend');
    await until(LOADING);
    expect(bot.messageTexts(CHANNEL, MEMBER)).toEqual([LOADING]);
    finish();
    await bot.slack.waitFor(() => bot.messageTexts(CHANNEL, MEMBER).at(-1) === '42');
    expect([calls('chat.postMessage'), calls('chat.update'), calls('response_url')]).toEqual([1, 1, 0]);
    isPrivate = true;
    isAnswering = new Promise((resolve) => {
      finish = resolve;
    });
    await bot.slack.say(OWNER, CHANNEL, '/spend');
    await bot.slack.waitFor(() => bot.messageTexts(CHANNEL, MEMBER).length === 2);
    finish();
    await bot.slack.waitFor(() => bot.messageTexts().at(-1) === 'only you');
    expect(bot.messageTexts(CHANNEL, MEMBER)).toEqual(['42']);
  });

  it.each([
    ['a channel', CHANNEL],
    ['a direct message', OWNER.replace(/^U/, 'D')],
  ])('with a file does not replace the message whose menu was used, in %s', async (_, channel) => {
    const answer = say('42');
    const menu = overflow('rerun:more', [option('CSV', '/spend csv')]);
    await started({}, ({ reply }) =>
      reply.source.isClick
        ? reply.private(say('Here is the file'))
        : reply.update({ ...answer, blocks: [...answer.blocks, actions(menu)] }),
    );
    finish();
    await bot.slack.say(OWNER, channel, '/spend');
    const { ts } = await bot.slack.waitFor(() =>
      bot.slack.messages(OWNER, channel).find(({ text }) => text === '42'),
    );
    isAnswering = new Promise((resolve) => {
      finish = resolve;
    });
    await bot.slack.choose(OWNER, { channel, ts }, 'rerun:more', 'CSV');
    const texts = () =>
      bot.slack.messages(OWNER, channel).flatMap(({ from, text }) => (from === OWNER ? [] : text));
    await bot.slack.waitFor(() => texts().includes(LOADING));
    finish();
    await bot.slack.waitFor(() => texts().at(-1) === 'Here is the file');
    expect(texts()[0]).toBe('42');
  });

  it('that fails replaces the loading message with an error', async () => {
    await started({}, async () => {
      throw new Failure('token-rejected', { service: 'billing' });
    });
    await bot.slack.say(OWNER, CHANNEL, '/spend');
    await until(LOADING);
    finish();
    await bot.slack.waitFor(() => bot.messageTexts().length === 1 && bot.messageTexts()[0] !== LOADING);
  });
});

describe('a form that loads slowly', () => {
  const form: CommandHandler = {
    right: 'manage',
    opensForm: true,
    run: (_, { reply }) => reply.modal.open(modal({ title: 'Settings', blocks: [section('Here')] })),
  };
  const title = () => bot.slack.modal(OWNER)?.view.title?.text;

  it('opens with a loading message first, and then shows its content', async () => {
    bot = await startListenerBot({ commands: { '/billing': form } }, { loadingDelays: LOADING_DELAYS });
    bot.slack.behaviour.latency = 2_500;
    await bot.slack.say(OWNER, CHANNEL, '/billing');
    await bot.slack.waitFor(() => title() === 'Tally', 6_000);
    await bot.slack.waitFor(() => title() === 'Settings', 12_000);
    expect(bot.messageTexts()).toEqual([]);
  }, 20_000);
});

describe('a question in a thread', () => {
  /** Two threads of a channel, a thread of another one, and a message that begins a thread. */
  function places() {
    const said = (channel: string) => bot.slack.workspace.post({ channel, from: OWNER, text: 'x' }).ts;
    const inThread = (channel: string) => ({ channel, thread_ts: said(channel), ts: said(channel) });
    return [
      ...[inThread(CHANNEL), inThread(CHANNEL), inThread('C0GENERAL1')],
      { channel: CHANNEL, thread_ts: undefined, ts: said(CHANNEL) },
    ];
  }
  const threadOf = ({ thread_ts, ts }: { thread_ts: string | undefined; ts: string }) => thread_ts ?? ts;
  const sent = (method: string) =>
    bot.slack.calls
      .filter((call) => call.method === method)
      .map(({ args }) => [args.channel, args.thread_ts, args.text] as const);
  const ask = (place: object, at: number) =>
    bot.event({
      type: 'event_callback',
      team_id: TEAM,
      event_id: `Ev${at}`,
      event: { type: 'app_mention', user: OWNER, text: '/spend', ...place },
    });

  it('gets its loading message and its answer in that thread', async () => {
    await started({
      events: {
        app_mention: {
          right: 'ask',
          answer: (_, __, rerun) => rerun({ command: '/spend', text: '' }),
        },
      },
    });
    const asked = places();
    for (const [at, place] of asked.entries()) await ask(place, at);
    const expected = asked.map((place) => [place.channel, threadOf(place), LOADING]);
    await bot.slack.waitFor(() => sent('chat.postMessage').length === asked.length);
    expect(sent('chat.postMessage').toSorted()).toEqual(expected.toSorted());
    finish();
    await bot.slack.waitFor(() => calls('chat.update') === asked.length);
    expect(calls('chat.postMessage')).toBe(asked.length);
  });
});
