import { afterEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { actions, button, modal, section } from '../../src/slack/block-kit/blocks.ts';
import type { Request } from '../../src/slack/request/request.ts';
import type { ActionHandler, CommandHandler, Handlers } from '../../src/slack/server/handlers.ts';
import { CHANNEL, textOf } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';

let tally: ListenerBot;
afterEach(() => tally.stop());

async function started(handlers: Handlers): Promise<ListenerBot> {
  tally = await startListenerBot(handlers);
  return tally;
}

const view = (title: string) => modal({ title, blocks: [actions(button('connect', 'Go'))] });

const command = (run: (request: Request) => Promise<void>): Record<string, CommandHandler> => ({
  '/spend': { right: 'ask', run: (_, request) => run(request) },
});
const action = (run: (request: Request) => Promise<void>): ActionHandler => ({
  right: 'ask',
  run: (_, request) => run(request),
});

const titles = () => tally.slack.modal(OWNER)?.view.title?.text;

const lineWith = (text: string): string | undefined =>
  tally
    .log()
    .split('\n')
    .find((line) => line.includes(text));

describe('a modal that a request opened', () => {
  it('shows an error that occurs while the modal is open', async () => {
    await started({
      commands: command(async (request) => {
        await request.reply.modal.open(view('Issuing'));
        throw new Failure('token-rejected', { service: 'identity' });
      }),
    });
    await tally.slack.say(OWNER, CHANNEL, '/spend');
    await tally.slack.waitFor(() => titles() === 'That didn’t work');
    expect(textOf(tally.slack.modal(OWNER)?.view)).toContain('rejected the access token');
    expect(tally.messageTexts()).toEqual([]);
  });

  it('is replaced by a direct message if the person has closed it', async () => {
    await started({
      commands: command(async (request) => {
        await request.reply.modal.open(view('Issuing'));
        await tally.slack.dismiss(OWNER);
        await request.reply.modal.update(view('Issued'), {
          text: 'Issued instead.',
          blocks: [section('Issued instead.')],
        });
      }),
    });
    await tally.slack.say(OWNER, CHANNEL, '/spend');
    await tally.slack.waitFor(() => tally.slack.calls.find(({ method }) => method === 'chat.postMessage'));
    expect(tally.slack.modal(OWNER)).toBeUndefined();
  });
});

describe('a private message', () => {
  const sayHello: CommandHandler = {
    right: 'ask',
    run: (_, request) => request.reply.private({ text: 'Hello.', blocks: [section('Hello.')] }),
  };
  const messages = (method: string) => tally.slack.calls.filter((call) => call.method === method);
  const ask = async () => {
    await tally.interact({
      type: 'block_actions',
      team: { id: TEAM },
      user: { id: OWNER },
      channel: { id: CHANNEL },
      response_url: 'http://127.0.0.1:2/gone',
      actions: [{ type: 'button', action_id: 'run:spend', block_id: 'b', value: '/spend' }],
    });
    await tally.slack.waitFor(() => tally.log().includes('could not be') || messages('chat.postMessage')[0]);
  };

  it('is sent as a direct message if the channel refuses the message', async () => {
    await started({ commands: { '/spend': sayHello } });
    tally.slack.failNext('chat.postEphemeral', { error: 'internal_error' });
    await ask();
    expect(messages('chat.postMessage')[0]?.args).toMatchObject({ channel: OWNER });
  });

  it('that can’t be sent at all leaves a log line with the first error', async () => {
    await started({ commands: { '/spend': sayHello } });
    tally.slack.failNext('chat.postEphemeral', { error: 'internal_error' }, 9);
    tally.slack.failNext('chat.postMessage', { error: 'fatal_error' }, 9);
    await ask();
    await tally.slack.waitFor(() => tally.log().includes('Could not deliver a reply'));
    expect(tally.log()).toContain('"method":"response_url","code":"ECONNREFUSED"');
    expect(lineWith('Could not deliver a reply')).toContain(`"workspace":"${TEAM}"`);
  });
});

describe('a click on a button in a message', () => {
  const again = () =>
    actions(button('rerun:again', 'Again', { value: '/spend now' }), button('connect', 'Go'));
  const message = (text: string) => ({ text, blocks: [section(text), again()] });
  const handlers: Handlers = {
    commands: {
      '/spend': {
        right: 'ask',
        run: async (text, request) => {
          if (text === 'public') await request.reply.public(CHANNEL, message('For everybody.'));
          else await request.reply.update(message(text === '' ? 'Before.' : 'For the asker.'));
        },
      },
    },
    actions: { connect: action((request) => request.reply.update(message('For the asker.'))) },
  };
  const seenBy = (person: string) => tally.messageTexts(CHANNEL, person).map((read) => read.split('\n')[0]);
  const untilSeen = (count: number) => tally.slack.waitFor(() => seenBy(OWNER).length === count);

  it.each(['Again', 'Go'])('leaves a public message in place: “%s”', async (label) => {
    await started(handlers);
    await tally.slack.say(OWNER, CHANNEL, '/spend public');
    await untilSeen(1);
    const { ts } = tally.slack.messages(OWNER, CHANNEL).at(-1)!;
    await tally.slack.press(OWNER, { channel: CHANNEL, ts }, label);
    await untilSeen(2);
    expect(seenBy(OWNER)).toEqual(['For everybody.', 'For the asker.']);
    expect(seenBy(MEMBER)).toEqual(['For everybody.']);
  });

  it.each(['Again', 'Go'])('replaces a private message: “%s”', async (label) => {
    await started(handlers);
    await tally.slack.say(OWNER, CHANNEL, '/spend');
    await untilSeen(1);
    const { ts } = tally.slack.messages(OWNER, CHANNEL).at(-1)!;
    await tally.slack.press(OWNER, { channel: CHANNEL, ts }, label);
    await tally.slack.waitFor(() => seenBy(OWNER)[0] === 'For the asker.');
    expect(seenBy(OWNER)).toHaveLength(1);
  });
});

describe('an answer that Slack doesn’t accept at once', () => {
  const says = (text: string) => ({ text, blocks: [section(text)] });
  const open: Handlers = {
    commands: {
      '/spend': { right: 'ask', figures: true, run: (_, request) => request.reply.update(says('Figures.')) },
    },
    events: {
      app_mention: { right: 'ask', answer: (_, __, rerun) => rerun({ command: '/spend', text: '' }) },
    },
  };
  const posts = () => tally.slack.calls.filter(({ method }) => method.startsWith('chat.post'));
  const answers = () => tally.messageTexts().filter((read) => read === 'Figures.').length;
  const mention = () => tally.slack.say(OWNER, CHANNEL, '@Tally spend');

  it('is sent once for each mention, after the wait that Slack’s rate limit demands', async () => {
    await started(open);
    tally.slack.failNext('chat.postMessage', { status: 429, retryAfter: 1 }, 4);
    await Promise.all([mention(), mention(), mention()]);
    await tally.slack.waitFor(() => answers() === 3, 15_000);
    expect(posts()).toHaveLength(7);
    expect(tally.log()).not.toContain('A request failed');
  });

  it('isn’t sent again after a gateway timeout', async () => {
    await started(open);
    tally.slack.failNext('chat.postMessage', { status: 504 });
    await mention();
    await tally.slack.waitFor(() => tally.log().includes('Slack did not confirm an answer'));
    expect(lineWith('Slack did not confirm an answer')).toContain(`"workspace":"${TEAM}"`);
    expect(posts().map(({ method }) => method)).toEqual(['chat.postMessage']);
  });
});

describe('an unexpected error', () => {
  const UNCHANGED = 'Nothing was changed.';
  const PERHAPS = 'Check whether your change was saved.';
  const bug = () => Promise.reject(new TypeError('a bug'));
  const said = (text: string) =>
    tally.slack.waitFor(() => tally.messageTexts().find((read) => read.includes(text)));

  it.each([
    [{}, UNCHANGED],
    [{ opensForm: true }, UNCHANGED],
    [{ changes: true }, PERHAPS],
    [{ changes: true, opensForm: true }, PERHAPS],
  ])('in a handler with the options %o is reported with “%s”', async (rules, text) => {
    await started({
      commands: { '/spend': { right: 'ask', ...rules, run: bug } },
      actions: { connect: { right: 'ask', ...rules, run: bug } },
    });
    await tally.slack.say(OWNER, CHANNEL, '/spend');
    await said(text);
    await tally.interact({
      type: 'block_actions',
      team: { id: TEAM },
      user: { id: OWNER },
      channel: { id: CHANNEL },
      actions: [{ type: 'button', action_id: 'connect', block_id: 'b', value: '' }],
    });
    await tally.slack.waitFor(() => tally.messageTexts().filter((read) => read.includes(text)).length === 2);
  });

  it('in a form is reported with the advice to check whether the change was saved', async () => {
    await started({
      commands: {
        '/spend': {
          right: 'ask',
          opensForm: true,
          run: (_, { reply }) =>
            reply.modal.open(modal({ callback: 'form', title: 'Form', submit: 'Save', blocks: [] })),
        },
      },
      views: {
        form: {
          right: 'ask',
          waiting: modal({ title: 'Wait', blocks: [] }),
          parse: () => ({ submit: bug }),
        },
      },
    });
    await tally.slack.say(OWNER, CHANNEL, '/spend');
    await tally.slack.waitFor(() => titles() === 'Form');
    await tally.slack.submit(OWNER, {});
    await tally.slack.waitFor(() => textOf(tally.slack.modal(OWNER)?.view).includes(PERHAPS));
  });
});
