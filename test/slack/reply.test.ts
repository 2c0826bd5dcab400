/** Which way an answer goes, by what Slack takes and refuses, without a server between. */
import type { ModalView } from '@slack/types';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { SlackFailed, StoreUnavailable } from '../../src/domain/failure/index.ts';
import { actions, button, context, header, type Message, section } from '../../src/slack/kit/blocks.ts';
import { modal } from '../../src/slack/kit/modal.ts';
import { createErrorReply } from '../../src/slack/reply/error-reply.ts';
import { createReply, type Reply } from '../../src/slack/reply/reply.ts';
import type { ResponseUrlClient } from '../../src/slack/reply/response-url.ts';
import type { SlackPayload } from '../../src/slack/request/payload.ts';
import { type Source, sourceOfPayload } from '../../src/slack/request/source.ts';
import { type Answers, clientOf } from '../support/answering-client.ts';
import { textOf } from '../support/bot.ts';

/** What went out, `method channel text`, and what Slack says instead of taking it. */
let sent: string[];
let refusals: Record<string, Error | readonly Error[]>;
let logged: string[];
beforeEach(() => {
  sent = [];
  refusals = {};
  logged = [];
});

const refusal = (error: string) => Object.assign(new Error(error), { data: { error } });
const URL = 'https://hooks.example/1';
const SHOWN: Message = { text: 'Hello.', blocks: [section('Hello.')] };
const view = (title: string) => modal({ title, blocks: [section('x')] });

async function take(method: string, ...about: readonly unknown[]) {
  const refused = refusals[method];
  const now = Array.isArray(refused) ? refused.shift() : refused;
  sent.push([method, ...about.filter((one) => one !== undefined)].join(' '));
  if (now !== undefined) throw now;
}

type Texts = Record<string, string>;
const answers: Answers = {
  async 'chat.postMessage'({ channel, thread_ts, text }) {
    await take('post', channel, thread_ts && `in ${thread_ts}`, text);
    return { channel, ts: '9.9' };
  },
  'chat.postEphemeral': ({ channel, user, thread_ts, text }) =>
    take('ephemeral', channel, user, thread_ts && `in ${thread_ts}`, text),
  'chat.update': ({ channel, ts, text }) => take('replace', channel, ts, text),
  'chat.delete': ({ channel, ts }) => take('delete', channel, ts),
  async 'conversations.open'({ users }) {
    await take('dm', users);
    return { channel: { id: `D-${users}` } };
  },
  async 'views.open'({ trigger_id, view }) {
    await take('open', trigger_id, titleOf(view));
    return { view: { id: 'V-new', hash: 'h1' } };
  },
  async 'views.update'({ view_id, hash, view }) {
    const { blocks } = view as ModalView;
    await take('update', view_id, hash && `if ${hash}`, titleOf(view), textOf(blocks).slice(0, 40));
    return { view: { hash: 'h2' } };
  },
};
const titleOf = (view: unknown) => (view as ModalView).title.text;
/** Its upload is several calls. */
const uploads = {
  async filesUploadV2({ channel_id, thread_ts, initial_comment, filename, title, content }: Texts) {
    const place = thread_ts && `in ${thread_ts}`;
    await take('file', channel_id, place, filename, title, content, initial_comment);
  },
};
const clientWith = (given: Answers = {}) => Object.assign(clientOf({ ...answers, ...given }), uploads);
const responseUrls: ResponseUrlClient = {
  post: (url, { text }, { everyone = false, replace = false } = {}) =>
    take('url', url === URL ? 'it' : url, everyone && 'everyone', replace && 'replace', text),
  close: async () => undefined,
};
const log = pino(
  { formatters: { level: (level) => ({ level }) } },
  {
    write(line) {
      const { level, msg } = JSON.parse(line);
      logged.push(`${level} ${msg}`);
    },
  },
);

/** @param given what else is known of where the payload comes from */
const targetOf = (
  payload: SlackPayload,
  given: Partial<Source> = {},
  { client = clientWith(), urls = responseUrls } = {},
): Reply => {
  const sent = { team_id: 'T1', user_id: 'U1', ...payload };
  const source = { ...sourceOfPayload(sent, { via: 'command', at: 0 }), ...given };
  return createReply({ responseUrls: urls, log }, source, client);
};
const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
/** A target whose loading message is shown. */
async function loading(target: Reply, audience: 'asker' | 'channel' = 'asker', replaces = false) {
  target.as({ ...target.source, replaces }, audience).startLoadingMessage(0);
  await turn();
  sent = [];
  return target;
}
/** A target whose loading view is shown, as `V-new`. */
async function loadingView(payload: SlackPayload) {
  const target = targetOf({ ...payload, trigger_id: 't1' });
  target.startLoadingView(0);
  await turn();
  sent = [];
  return target;
}
const sentAfter = async (work: Promise<unknown>) => {
  await work;
  return sent.splice(0).map((one) => one.replaceAll(' false', ''));
};
const CHANNEL = { channel_id: 'C1' };
const COMMAND = { ...CHANNEL, response_url: URL };
const DIRECT = { channel_id: 'D1' };

const reply = (
  target: Reply,
  { audience = 'asker', replaces = false }: { audience?: 'asker' | 'channel'; replaces?: boolean } = {},
) => target.as({ ...target.source, replaces }, audience);

describe('what only the asker sees', () => {
  const priv = (target: Reply, replaces = false) =>
    sentAfter(target.as({ ...target.source, replaces }).update(SHOWN));

  it('is sent by the response_url, else as an ephemeral message, else as a direct message', async () => {
    expect(await priv(targetOf(COMMAND))).toEqual(['url it Hello.']);
    expect(await priv(targetOf(COMMAND), true)).toEqual(['url it replace Hello.']);
    expect(await priv(targetOf(CHANNEL))).toEqual(['ephemeral C1 U1 Hello.']);
    expect(await priv(targetOf({}))).toEqual(['post U1 Hello.']);
    refusals = { url: new SlackFailed('response_url', 'used_url') };
    expect(await priv(targetOf(COMMAND))).toEqual(['url it Hello.', 'ephemeral C1 U1 Hello.']);
    refusals.ephemeral = refusal('user_not_in_channel');
    expect((await priv(targetOf(COMMAND))).at(-1)).toBe('post U1 Hello.');
  });

  it('stays in the thread that it was asked in', async () => {
    const thread = { ...CHANNEL, container: { thread_ts: '1.1' } };
    expect(await priv(targetOf(thread))).toEqual(['ephemeral C1 U1 in 1.1 Hello.']);
    expect(await priv(targetOf({ ...thread, channel_id: 'D1' }))).toEqual(['post D1 in 1.1 Hello.']);
    refusals = { ephemeral: refusal('x') };
    expect((await priv(targetOf(thread))).at(-1)).toBe('post U1 Hello.');
  });

  it('fails with the first reason if none of the three works, and sends no direct message without a user', async () => {
    refusals = {
      url: new SlackFailed('response_url', 'used_url'),
      ephemeral: refusal('b'),
      post: refusal('c'),
    };
    await expect(targetOf(COMMAND).private(SHOWN)).rejects.toMatchObject({ code: 'used_url' });
    sent = [];
    await expect(targetOf({ ...COMMAND, user_id: '' }).private(SHOWN)).rejects.toBeDefined();
    expect(sent.filter((one) => one.startsWith('post'))).toEqual([]);
  });

  it('is not sent in another way if it may have arrived already', async () => {
    refusals = { url: new SlackFailed('response_url', 'timeout', { unclear: true }) };
    expect(await priv(targetOf(COMMAND))).toEqual(['url it Hello.']);
    expect(logged).toEqual(['warn Slack did not confirm an answer; not sent again']);
  });

  it('takes the place of the loading message, or removes a public one', async () => {
    expect(await priv(await loading(targetOf(DIRECT)))).toEqual(['replace D1 9.9 Hello.']);
    expect(await priv(await loading(targetOf(COMMAND), 'channel'))).toEqual([
      'delete C1 9.9',
      'url it Hello.',
    ]);
    expect(await priv(await loading(targetOf(COMMAND)))).toEqual(['url it replace Hello.']);
    const click = { ...COMMAND, container: { message_ts: '1.1' } };
    expect(await priv(await loading(targetOf(click)))).toEqual(['url it Hello.']);
    expect(await priv(await loading(targetOf(click), 'asker', true))).toEqual(['url it replace Hello.']);
    refusals = { replace: refusal('x'), delete: refusal('x') };
    expect(await priv(await loading(targetOf(DIRECT)))).toEqual(['replace D1 9.9 Hello.', 'post D1 Hello.']);
    expect(await priv(await loading(targetOf(COMMAND), 'channel'))).toEqual([
      'delete C1 9.9',
      'url it Hello.',
    ]);
    expect(logged).toEqual(['warn Could not delete a message']);
  });

  it('replaces the loading message only once', async () => {
    const target = await loading(targetOf(DIRECT));
    expect(await priv(target)).toEqual(['replace D1 9.9 Hello.']);
    expect(await priv(target)).toEqual(['post D1 Hello.']);
  });

  it('is shown in the loading view if it is text; otherwise the view says where the answer is', async () => {
    expect(await priv(await loadingView(COMMAND))).toEqual([
      expect.stringMatching(/^update V-new Tally .*Hello/),
    ]);
    const withButton = { ...SHOWN, blocks: [section('Hello.'), actions(button('connect', 'Go'))] };
    expect(await sentAfter((await loadingView(COMMAND)).private(withButton))).toEqual([
      'url it Hello.',
      expect.stringMatching(/^update V-new Tally .*Tally answered in the conversation/),
    ]);
    const ofText = { ...SHOWN, blocks: [header('A'), context('B')] };
    expect(await sentAfter((await loadingView(COMMAND)).private(ofText))).toEqual([
      expect.stringMatching(/^update V-new Tally/),
    ]);
    refusals = { update: refusal('not_found') };
    expect(await priv(await loadingView(COMMAND))).toEqual([
      ...[expect.stringContaining('update V-new'), 'url it Hello.', expect.stringContaining('update V-new')],
    ]);
    refusals = {};
    const replaced = await loadingView(COMMAND);
    await sentAfter(replaced.modal.update(view('A')));
    expect(await priv(replaced)).toEqual(['url it Hello.']);
  });
});

describe('the answer to a question', () => {
  const answered = (payload: SlackPayload, options = {}) =>
    sentAfter(reply(targetOf(payload), options).update(SHOWN));
  const PUBLIC = { audience: 'channel' } as const;

  it('goes to the asker, in place of the message that was clicked', async () => {
    expect(await answered(COMMAND)).toEqual(['url it Hello.']);
    expect(await answered(COMMAND, { replaces: true })).toEqual(['url it replace Hello.']);
    expect(await sentAfter(reply(targetOf(COMMAND), { replaces: true }).private(SHOWN))).toEqual([
      ...['url it Hello.'],
    ]);
  });

  it('goes to everybody in the channel if it is public', async () => {
    expect(await answered(COMMAND, PUBLIC)).toEqual(['url it everyone Hello.']);
    expect(await answered(CHANNEL, PUBLIC)).toEqual(['post C1 Hello.']);
    expect(await answered({ response_url: URL }, PUBLIC)).toEqual(['url it everyone Hello.']);
    expect(await answered({}, PUBLIC)).toEqual(['post U1 Hello.']);
  });

  it('goes into the thread that asked, or starts one below the message that asked', async () => {
    const thread = { container: { thread_ts: '1.1' } };
    expect(await answered({ ...COMMAND, ...thread }, PUBLIC)).toEqual(['post C1 in 1.1 Hello.']);
    const mention = targetOf(CHANNEL, { startsThread: '2.2' });
    expect(await sentAfter(reply(mention, PUBLIC).update(SHOWN))).toEqual(['post C1 in 2.2 Hello.']);
  });

  it('takes the place of the loading message, private or public', async () => {
    const answeredAfterLoading = async (audience: 'asker' | 'channel') =>
      sentAfter(reply(await loading(targetOf(COMMAND), audience), PUBLIC).update(SHOWN));
    expect(await answeredAfterLoading('channel')).toEqual(['replace C1 9.9 Hello.']);
    expect(await answeredAfterLoading('asker')).toEqual(['url it everyone Hello.']);
    refusals = { replace: refusal('message_not_found') };
    expect(await answeredAfterLoading('channel')).toEqual([
      ...['replace C1 9.9 Hello.', 'url it everyone Hello.'],
    ]);
  });

  it('has a Share button only in a channel', async () => {
    const shared: Message[] = [];
    const target = (channel_id: string | undefined) =>
      targetOf(
        { response_url: URL, ...(channel_id !== undefined && { channel_id }) },
        {},
        { urls: { ...responseUrls, post: async (_, message) => void shared.push(message) } },
      );
    const message = { text: 'A', blocks: [actions(button('share', 'Share', { value: '1 /spend' }))] };
    for (const channel of ['C1', 'D1', undefined]) await reply(target(channel)).update(message);
    expect(shared.map(({ blocks }) => blocks.length)).toEqual([1, 0, 0]);
  });

  it('is posted in a channel, or sent as a file', async () => {
    const target = targetOf({ ...COMMAND, container: { thread_ts: '1.1' } });
    expect(await sentAfter(reply(target).public('C2', SHOWN))).toEqual(['post C2 Hello.']);
    expect(
      await sentAfter(reply(target).file({ name: 'a.csv', title: 'A', content: 'x', about: '<a>' })),
    ).toEqual([...['dm U1', 'file D-U1 a.csv A x &lt;a&gt;']]);
    refusals = { file: refusal('missing_scope') };
    await expect(
      reply(target).file({ name: 'a', title: 'a', content: 'x', about: 'y' }),
    ).rejects.toMatchObject({
      ...{ method: 'files.uploadV2', code: 'missing_scope' },
    });
  });
});

describe('a file for a channel that asked', () => {
  const file = (thread: object) =>
    reply(targetOf({ ...CHANNEL, ...thread }), { audience: 'channel' }).file({
      name: 'a.csv',
      title: 'A',
      content: 'x',
      about: 'y',
    });

  it('is in the thread that asked, else in a direct message', async () => {
    expect(await file({ container: { thread_ts: '1.1' } })).toBe(true);
    expect(await file({})).toBe(false);
    expect(sent.splice(0)).toEqual([...['file C1 in 1.1 a.csv A x y', 'dm U1', 'file D-U1 a.csv A x y']]);
  });
});

describe('a form', () => {
  const CLICK = { ...COMMAND, trigger_id: 't1' };
  const IN_MODAL = { ...CLICK, view: { id: 'V1', type: 'modal' } };
  const modalOf = (target: Reply, text?: string) =>
    target.as(target.source, 'asker', text === undefined ? undefined : { command: '/billing', text }).modal;

  it('is opened with the trigger of a click, then replaced', async () => {
    const target = targetOf(CLICK);
    const form = modalOf(target);
    expect(form.canOpen).toBe(true);
    expect(await sentAfter(form.open(view('A')))).toEqual(['open t1 A']);
    expect(await target.modal.isShown()).toBe(true);
    expect(await sentAfter(form.updateIfUnchanged(view('C')))).toEqual(['update V-new if h1 C x']);
    expect(await sentAfter(form.open(view('B')))).toEqual([expect.stringMatching(/^update V-new B/)]);
    expect(await sentAfter(form.updateIfUnchanged(view('C')))).toEqual(['update V-new if h2 C x']);
  });

  it('replaces the form in which the button was clicked', async () => {
    const target = targetOf(IN_MODAL);
    expect(modalOf(target).canOpen).toBe(true);
    expect(await sentAfter(modalOf(target).open(view('A')))).toEqual([expect.stringMatching(/^update V1 A/)]);
    expect(await target.modal.isShown()).toBe(true);
  });

  it('is offered as a button after a message, which has no trigger', async () => {
    const target = targetOf(CHANNEL);
    const posted: Record<string, unknown>[] = [];
    const client = clientWith({ 'chat.postEphemeral': (message) => void posted.push(message) });
    const asks = targetOf(CHANNEL, {}, { client });
    expect(modalOf(target).canOpen).toBe(false);
    await modalOf(asks, 'connect').open(view('A'));
    expect(posted[0]).toMatchObject({ text: 'Click to open the form:' });
    expect(String(posted[0]?.blocks)).toContain('"value":"/billing connect"');
    expect(String(posted[0]?.blocks)).toContain('"style":"primary"');
    expect(String(posted[0]?.blocks)).toContain('"action_id":"rerun:form"');
    expect(String(posted[0]?.blocks)).toContain('Open the form…');
    expect(await sentAfter(modalOf(target).open(view('A')))).toEqual(['open  A']);
  });

  it('is replaced, or answered by a direct message if it was closed', async () => {
    const target = targetOf(IN_MODAL);
    expect(await sentAfter(modalOf(target).update(view('A'), SHOWN))).toEqual([
      ...[expect.stringMatching(/^update V1 A/)],
    ]);
    expect(await modalOf(target).tryUpdate(view('A'))).toBe(true);
    sent = [];
    refusals = { update: refusal('not_found') };
    expect(await modalOf(target).tryUpdate(view('A'))).toBe(false);
    sent = [];
    expect(await sentAfter(modalOf(target).update(view('A'), SHOWN))).toEqual([
      ...[expect.stringContaining('update V1 A'), 'post U1 Hello.'],
    ]);
    expect(await sentAfter(modalOf(target).update(view('A')))).toEqual([
      expect.stringContaining('update V1'),
    ]);
    await expect(modalOf(target).open(view('A'))).rejects.toMatchObject({ method: 'views.update' });
  });

  it('is refreshed only if nothing else changed it since this request saw it', async () => {
    const known = targetOf(IN_MODAL, { viewHash: 'h0' });
    expect(await sentAfter(modalOf(known).updateIfUnchanged(view('A')))).toEqual([
      ...[expect.stringMatching(/^update V1 if h0 A/)],
    ]);
    expect(await sentAfter(modalOf(targetOf(IN_MODAL)).updateIfUnchanged(view('A')))).toEqual([]);
    expect(
      await sentAfter(modalOf(targetOf(CLICK, { viewHash: 'h0' })).updateIfUnchanged(view('A'))),
    ).toEqual([]);
    refusals = { update: refusal('hash_conflict') };
    await modalOf(known).updateIfUnchanged(view('A'));
  });

  it('gets no loading view if a form is open already, or nothing can open one', async () => {
    const opened = targetOf(CLICK);
    await sentAfter(modalOf(opened).open(view('A')));
    for (const target of [targetOf(CHANNEL), targetOf(IN_MODAL), opened]) {
      target.startLoadingView(0);
      await turn();
      expect(sent).toEqual([]);
    }
    const late = targetOf(CLICK);
    late.startLoadingView(60_000);
    expect(await sentAfter(modalOf(late).open(view('A')))).toEqual(['open t1 A']);
  });

  it('has its loading view replaced by a short answer', async () => {
    const target = await loadingView(COMMAND);
    expect(await sentAfter(target.private(SHOWN))).toEqual([
      ...[expect.stringMatching(/^update V-new Tally .*Hello/)],
    ]);
  });

  it('counts as closed if Slack refuses to open it or does not confirm it', async () => {
    refusals = { open: refusal('expired_trigger_id') };
    await expect(modalOf(targetOf(CLICK)).open(view('A'))).rejects.toMatchObject({ method: 'views.open' });
    const silent = clientWith({ 'views.open': () => ({}), 'views.update': () => ({}) });
    const target = targetOf(CLICK, {}, { client: silent });
    await modalOf(target).open(view('A'));
    expect(await target.modal.isShown()).toBe(false);
    const inModal = targetOf(IN_MODAL, {}, { client: silent });
    expect(await modalOf(inModal).tryUpdate(view('A'))).toBe(true);
  });

  it('takes the place of the loading view', async () => {
    const target = await loadingView(COMMAND);
    expect(await sentAfter(modalOf(target).open(view('A')))).toEqual([
      ...[expect.stringMatching(/^update V-new A/)],
    ]);
    expect(await sentAfter(target.private(SHOWN))).toEqual(['url it Hello.']);
    refusals = { open: refusal('expired_trigger_id') };
    const refused = await loadingView(COMMAND);
    await refused.endLoading();
    expect(await refused.modal.isShown()).toBe(false);
  });
});

describe('the end of a request', () => {
  it('removes the loading message if no answer replaced it, and never fails', async () => {
    const ended = async (target: Reply) => sentAfter(target.endLoading());
    expect(await ended(await loading(targetOf(COMMAND), 'channel'))).toEqual(['delete C1 9.9']);
    refusals = { delete: refusal('message_not_found') };
    expect(await ended(await loading(targetOf(COMMAND), 'channel'))).toEqual(['delete C1 9.9']);
    expect(await ended(await loading(targetOf(COMMAND)))).toEqual([]);
    expect(await ended(targetOf(COMMAND))).toEqual([]);
  });
});

describe('an error', () => {
  const errors = () => createErrorReply(log);

  it('is noted in the request’s record, with a reference that no other error has', () => {
    const given = [new StoreUnavailable(), new TypeError('a bug')];
    const explained = given.map((error) => {
      const work = {};
      return { report: errors().explain(error, (found) => Object.assign(work, found)), work };
    });
    expect(explained.map(({ report }) => report.failure?.kind)).toEqual(['store-unavailable', undefined]);
    expect(explained.map(({ work }) => work)).toEqual([
      { outcome: 'store-unavailable', error: given[0], reference: explained[0]?.report.id },
      { outcome: 'unknown', error: given[1], reference: explained[1]?.report.id },
    ]);
    const ids = explained.map(({ report }) => report.id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}$/);
  });

  it('is reported privately, or in the modal that the request opened', async () => {
    const report = errors().explain(new StoreUnavailable(), () => undefined);
    expect(await sentAfter(errors().send(targetOf(COMMAND), report, {}, 'answer'))).toEqual([
      ...[expect.stringMatching(/^url it Tally can’t reach its database/)],
    ]);
    expect(await sentAfter(errors().send(await loadingView(COMMAND), report, {}, 'answer'))).toEqual([
      ...[expect.stringMatching(/^update V-new That didn’t work/)],
    ]);
    const bug = errors().explain(new TypeError('a bug'), () => undefined);
    expect(await sentAfter(errors().send(targetOf(COMMAND), bug, {}, 'answer'))).toEqual([
      ...[expect.stringContaining(`this reference: ${bug.id}.`)],
    ]);
    expect(await sentAfter(errors().send(await loadingView(COMMAND), bug, {}, 'answer'))).toEqual([
      ...[expect.stringMatching(/^update V-new That didn’t work Something went wrong/)],
    ]);
  });

  it('is logged if no reply can be sent', async () => {
    refusals = { url: refusal('a'), ephemeral: refusal('b'), post: refusal('c'), update: refusal('d') };
    const report = errors().explain(new StoreUnavailable(), () => undefined);
    logged = [];
    await errors().send(targetOf(COMMAND), report, {}, 'answer');
    await errors().sendInModal(targetOf({ ...COMMAND, view: { id: 'V1' } }), report, {});
    expect(logged).toEqual(Array(2).fill('error Could not deliver a reply'));
  });
});
