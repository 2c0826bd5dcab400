/** The fake Slack refuses what Slack refuses. Otherwise the tests of Tally would prove little. */
import { createHmac } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problemsOfBlocks, readView } from '../../sandbox/slack/blocks.ts';
import { MEMBER, OWNER, type Slack, startSlack } from '../../sandbox/slack/index.ts';
import type { BlockSurface } from '../../sandbox/slack/limits.ts';

type Block = Record<string, unknown>;

const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
const BOT_TOKEN = 'xoxb-1234567890-sandbox';
const plainText = (text: string) => ({ type: 'plain_text', text });

const of = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const plain = (length: number) => plainText(of(length));
const mrkdwn = (length: number) => ({ type: 'mrkdwn', text: of(length) });
const url = (length: number) => `https://example.com/${of(length - 20)}`;
const divider = { type: 'divider' };
const section = (rest: Block): Block => ({ type: 'section', ...rest });
const accessory = (element: Block) => section({ text: plain(1), accessory: element });
const button = (rest: Block = {}): Block => ({ type: 'button', text: plain(1), action_id: 'a', ...rest });
const option = (i: number, rest: Block = {}) => ({ text: plain(1), value: `v${i}`, ...rest });
const select = (rest: Block): Block => ({ type: 'static_select', action_id: 'a', ...rest });
const oneOption = (rest: Block) => accessory(select({ options: [option(0, rest)] }));
const input = (rest: Block = {}): Block => ({
  ...{ type: 'input', label: plain(1), element: { type: 'plain_text_input' } },
  ...rest,
});
const table = (rows: number, columns: number, length = 1) => ({
  type: 'table',
  rows: times(rows, () => times(columns, () => ({ type: 'raw_text', text: of(length) }))),
});
const container = (rest: Block = {}): Block => ({
  ...{ type: 'container', title: plain(1), child_blocks: [divider] },
  ...rest,
});
const bars = (series: number, points: number, { name = 's', label = 'd', x = 'x', title = 't' } = {}) => {
  const labels = times(points, (i) => `${label}${i}`);
  const data = labels.map((label, value) => ({ label, value }));
  const all = times(series, (i) => ({ name: `${name}${i}`, data }));
  const axis_config = { categories: labels, x_label: x };
  return { type: 'data_visualization', title, chart: { type: 'bar', series: all, axis_config } };
};

const AT_MOST: [what: string, limit: number, make: (n: number) => Block[], on?: BlockSurface][] = [
  ['blocks of a message', 50, (n) => times(n, () => divider)],
  ['blocks of a modal', 100, (n) => times(n, () => divider), 'modal'],
  ['block_id', 255, (n) => [{ type: 'divider', block_id: of(n) }]],
  ['text of a section', 3_000, (n) => [section({ text: mrkdwn(n) })]],
  ['fields of a section', 10, (n) => [section({ fields: times(n, () => plain(1)) })]],
  ['header', 150, (n) => [{ type: 'header', text: plain(n) }]],
  ['elements of a context', 10, (n) => [{ type: 'context', elements: times(n, () => plain(1)) }]],
  ['actions', 25, (n) => [{ type: 'actions', elements: times(n, (i) => button({ action_id: `a${i}` })) }]],
  ['label of an input', 2_000, (n) => [input({ label: plain(n) })], 'modal'],
  ['rows of a table', 100, (n) => [table(n, 1)]],
  ['columns of a table', 20, (n) => [table(1, n)]],
  ['tables of a message', 1, (n) => times(n, () => container({ child_blocks: [table(2, 2)] }))],
  ['charts of a message', 2, (n) => times(n, () => bars(1, 1))],
  ['title of a chart', 50, (n) => [bars(1, 1, { title: of(n) })]],
  ['series of a chart', 12, (n) => [bars(n, 1)]],
  ['points of a series', 20, (n) => [bars(1, n)]],
  ['label of a point', 20, (n) => [bars(1, 1, { label: of(n - 1) })]],
  ['children of a container', 10, (n) => [container({ child_blocks: times(n, () => divider) })]],
  ['title of a container', 150, (n) => [container({ title: plain(n) })]],
  ['text of a button', 75, (n) => [accessory(button({ text: plain(n) }))]],
  ['value of a button', 2_000, (n) => [accessory(button({ value: of(n) }))]],
  ['url of a button', 3_000, (n) => [accessory(button({ url: url(n) }))]],
  ['options of a select', 100, (n) => [accessory(select({ options: times(n, option) }))]],
  ['text of an option', 75, (n) => [oneOption({ text: plain(n) })]],
  ['value of an option', 150, (n) => [oneOption({ value: of(n) })]],
  ['options of an overflow', 5, (n) => [accessory({ type: 'overflow', options: times(n, option) })]],
  ['checkboxes', 10, (n) => [accessory({ type: 'checkboxes', options: times(n, option) })]],
  ['placeholder', 150, (n) => [accessory(select({ options: [option(0)], placeholder: plain(n) }))]],
];

describe('blocks', () => {
  it.each(AT_MOST)('%s: accepts %i and refuses one more', (_what, limit, make, on = 'message') => {
    expect(problemsOfBlocks(make(limit), on)).toEqual([]);
    expect(problemsOfBlocks(make(limit + 1), on)).not.toEqual([]);
  });

  it.each<[string, Block[], BlockSurface?]>([
    ['an empty text', [section({ text: plain(0) })]],
    ['a section of nothing', [section({})]],
    ['a field that Block Kit does not know', [{ type: 'divider', colour: 'red' }]],
    ['a block type that it does not know', [{ type: 'marquee' }]],
    ['an element type that it does not know', [accessory({ type: 'lever' })]],
    ['markup in a header', [{ type: 'header', text: mrkdwn(1) }]],
    ['markup on a button', [accessory(button({ text: mrkdwn(1) }))]],
    ['a button that styles itself', [accessory(button({ style: 'default' }))]],
    ['an empty button value', [accessory(button({ value: '' }))]],
    ['a button to nowhere', [accessory(button({ url: 'nowhere' }))]],
    ['two blocks of one ID', times(2, () => ({ type: 'divider', block_id: 'b' }))],
    ['two elements of one ID in a block', [{ type: 'actions', elements: [button(), button()] }]],
    ['actions of nothing', [{ type: 'actions', elements: [] }]],
    ['a select with no list', [accessory(select({}))]],
    ['a first choice not offered', [accessory(select({ options: [option(0)], initial_option: option(1) }))]],
    ['a text input outside of an input block', [accessory({ type: 'plain_text_input' })]],
    ['a button inside an input block', [input({ element: button() })], 'modal'],
    ['an impossible date', [accessory({ type: 'datepicker', initial_date: '1 May' })]],
    ['an empty cell', [table(1, 1, 0)]],
    ['a container in a container', [container({ child_blocks: [container()] })]],
    ['a container without a title', [container({ title: undefined })]],
    ['a container that cannot be expanded', [container({ default_collapsed: true })]],
    ['a chart in a container', [container({ child_blocks: [bars(1, 1)] })]],
    ['a table in a container on a Home', [container({ child_blocks: [table(1, 1)] })], 'home'],
    [
      'a block ID that a container has taken',
      [container({ child_blocks: [{ ...divider, block_id: 'b' }] }), { ...divider, block_id: 'b' }],
    ],
    ['a chart in a modal', [bars(1, 1)], 'modal'],
    ['a table on a Home', [table(1, 1)], 'home'],
    ['a container in a modal', [container()], 'modal'],
  ])('refuse %s', (_what, blocks, on = 'message') => {
    expect(problemsOfBlocks(blocks, on)).not.toEqual([]);
  });

  it('return Slack’s message and the position of the error', () => {
    expect(problemsOfBlocks([divider, { type: 'header', text: plain(151) }], 'message')).toEqual([
      'must be less than 151 characters [json-pointer:/blocks/1/text/text]',
    ]);
  });
});

describe('a view', () => {
  const modal = (rest: Block = {}) => ({ type: 'modal', title: plain(1), blocks: [], ...rest });

  it.each<[string, number, (n: number) => Block]>([
    ['title', 24, (n) => modal({ title: plain(n) })],
    ['submit', 24, (n) => modal({ submit: plain(n) })],
    ['close', 24, (n) => modal({ close: plain(n) })],
    ['private_metadata', 3_000, (n) => modal({ private_metadata: of(n) })],
    ['callback_id', 255, (n) => modal({ callback_id: of(n) })],
  ])('%s: accepts %i and refuses one more', (_what, limit, make) => {
    readView(make(limit), 'modal');
    expect(() => readView(make(limit + 1), 'modal')).toThrow('invalid_arguments');
  });

  it.each<[string, unknown, ('home' | 'modal')?]>([
    ['a modal without a title', { type: 'modal', blocks: [] }],
    ['a Home with one', { type: 'home', title: plain(1), blocks: [] }, 'home'],
    ['a modal as a Home', modal(), 'home'],
    ['inputs without a submit button', modal({ blocks: [input()] })],
    ['more than 250 KB', modal({ blocks: times(100, () => section({ text: plain(2_600) })) })],
  ])('refuses %s', (_what, view, kind = 'modal') => {
    expect(() => readView(view, kind)).toThrow();
  });
});

const GENERAL = 'C0GENERAL1';
const FINANCE = 'C0FINANCE1';
const SECONDS = 1_000;
const BUTTON = [{ type: 'actions' as const, elements: [button()] }];

describe('a conversation with a bot', () => {
  let now = 1_800_000_000_000;
  let bot: Server;
  let slack: Slack;
  let payloads: { response_url: string; trigger_id: string }[];

  beforeEach(async () => {
    payloads = [];
    bot = createServer(async (asked, acknowledgement) => {
      const chunks: Buffer[] = [];
      for await (const chunk of asked) chunks.push(chunk);
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      payloads.push(form.payload === undefined ? form : JSON.parse(form.payload));
      acknowledgement.end();
    });
    await new Promise<void>((resolve) => bot.listen(0, '127.0.0.1', resolve));
    const botUrl = () => `http://127.0.0.1:${(bot.address() as AddressInfo).port}`;
    slack = await startSlack({
      ...{ mode: 'http', signingSecret: SIGNING_SECRET, botToken: BOT_TOKEN, botUrl, now: () => now },
      manifest: {
        features: { bot_user: { display_name: 'Tally' }, slash_commands: [{ command: '/spend' }] },
        oauth_config: { scopes: { bot: ['chat:write', 'users:read'] } },
      },
    });
  });
  afterEach(async () => {
    await slack.close();
    bot.close();
    bot.closeAllConnections();
  });

  const call = async (method: string, args: object = {}, token = BOT_TOKEN) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const body = JSON.stringify(args);
    const response = await fetch(`${slack.url}/api/${method}`, { method: 'POST', headers, body });
    return (await response.json()) as { error?: string; ts: string; view: { id: string; hash: string } };
  };
  const asked = async () => {
    await slack.say(OWNER, GENERAL, '/spend');
    return payloads.at(-1)!;
  };
  const respond = async (body: object, to = payloads.at(-1)!.response_url) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(to, { method: 'POST', headers, body: JSON.stringify(body) });
    return [response.status, ((await response.json()) as { error?: string }).error ?? 'ok'];
  };
  const seen = (person: string) =>
    slack.messages(person, GENERAL).map(({ text, ephemeral }) => [text, ephemeral]);

  it('signs what it sends over the raw body and the time', () => {
    const headers = slack.signed('a=b');
    const base = `v0:${headers['X-Slack-Request-Timestamp']}:a=b`;
    const digest = createHmac('sha256', SIGNING_SECRET).update(base).digest('hex');
    expect(headers).toMatchObject({
      'X-Slack-Request-Timestamp': `${now / 1000}`,
      'X-Slack-Signature': `v0=${digest}`,
    });
  });

  it('takes five answers to a response URL, for half an hour', async () => {
    await asked();
    now += 30 * 60 * SECONDS;
    for (let i = 1; i <= 5; i += 1) expect(await respond({ text: `${i}` })).toEqual([200, 'ok']);
    expect(await respond({ text: '6' })).toEqual([404, 'used_url']);
    await asked();
    now += 30 * 60 * SECONDS + 1;
    expect(await respond({ text: 'late' })).toEqual([404, 'expired_url']);
  });

  it('shows answers privately unless told otherwise, and the command once', async () => {
    await asked();
    await respond({ text: 'For you' });
    await respond({ text: 'For all', response_type: 'in_channel' });
    await respond({ text: 'Again', response_type: 'in_channel' });
    expect(seen(OWNER)[0]).toEqual(['For you', true]);
    expect(seen(MEMBER).map(([text]) => text)).toEqual(['/spend', 'For all', 'Again']);
  });

  it('a response_url replaces the clicked message, and the first private answer', async () => {
    const message = slack.workspace.post({ channel: GENERAL, from: 'bot', text: 'Old', blocks: BUTTON });
    await slack.press(OWNER, message, 'x');
    await respond({ text: 'New', replace_original: true });
    expect(seen(MEMBER)).toEqual([['New', false]]);
    slack.workspace.remove(message);
    await asked();
    await respond({ text: 'One' });
    await respond({ text: 'Two', replace_original: true });
    expect(seen(OWNER)).toEqual([['Two', true]]);
  });

  it('rejects empty answers, invalid blocks, and block types that private answers may not have', async () => {
    await asked();
    expect(await respond({})).toEqual([500, 'no_text']);
    const header = { type: 'header', text: plainText('') };
    expect(await respond({ text: 'x', blocks: [header] })).toEqual([400, 'invalid_blocks']);
    slack.refuse.add('table');
    expect(await respond({ text: 'x', blocks: [container({ child_blocks: [table(1, 1)] })] })).toEqual([
      400,
      'invalid_blocks',
    ]);
  });

  it('gets Slack’s own message for a command that is unknown, in a thread, or not acknowledged', async () => {
    const last = () => slack.messages(OWNER, GENERAL).at(-1)?.text;
    await slack.say(OWNER, GENERAL, '/spned');
    expect(last()).toBe('/spned is not a valid command.');
    await slack.say(OWNER, GENERAL, '/spend', '1.1');
    expect(last()).toContain('not supported in threads');
    await slack.say(OWNER, GENERAL, '/spend');
    expect(last()).not.toContain('failed');
  });

  const post = (rest: object) => ({ channel: GENERAL, text: 'x', ...rest });
  it.each<[string, string, object, string, string?]>([
    ['without a token', 'auth.test', {}, 'not_authed', ''],
    ['with a strange token', 'auth.test', {}, 'invalid_auth', 'xoxb-strange'],
    ['of no known method', 'chat.shout', {}, 'unknown_method'],
    ['without an argument', 'users.info', {}, 'missing_argument'],
    ['without the scope', 'usergroups.list', {}, 'missing_scope'],
    ['to nowhere', 'chat.postMessage', post({ channel: 'C0NOWHERE' }), 'channel_not_found'],
    ['to a private channel', 'chat.postMessage', post({ channel: FINANCE }), 'channel_not_found'],
    ['of no text', 'chat.postMessage', post({ text: '' }), 'no_text'],
    ['of a long text', 'chat.postMessage', post({ text: of(40_001) }), 'msg_too_long'],
    ['of blocks that are none', 'chat.postMessage', post({ blocks: [{}] }), 'invalid_blocks'],
    ['to a stranger', 'chat.postEphemeral', post({ user: 'U0NOBODY' }), 'user_not_in_channel'],
    ['to change nothing', 'chat.update', post({ ts: '1.1' }), 'message_not_found'],
  ])('refuses a call %s', async (_what, method, args, error, token = BOT_TOKEN) => {
    expect((await call(method, args, token)).error).toBe(error);
  });

  it('refuses to post where the bot is not a member or into an archive, and to change others’ messages', async () => {
    const { ts } = slack.workspace.post({ channel: GENERAL, from: MEMBER, text: 'Mine' });
    expect((await call('chat.update', post({ ts }))).error).toBe('cant_update_message');
    await slack.say(OWNER, GENERAL, '/remove @Tally');
    expect((await call('chat.postMessage', post({}))).error).toBe('not_in_channel');
    slack.workspace.conversation(GENERAL)!.archived = true;
    expect((await call('chat.postMessage', post({}))).error).toBe('is_archived');
  });

  it('opens one modal for each trigger, within three seconds, and stacks at most three', async () => {
    const view = { type: 'modal', title: plain(1), blocks: BUTTON };
    const { trigger_id } = await asked();
    now += 3 * SECONDS + 1;
    expect((await call('views.open', { trigger_id, view })).error).toBe('expired_trigger_id');
    const { trigger_id: second } = await asked();
    const { view: opened } = await call('views.open', { trigger_id: second, view });
    expect((await call('views.open', { trigger_id: second, view })).error).toBe('exchanged_trigger_id');
    const update = { view_id: opened.id, view, hash: opened.hash };
    expect((await call('views.update', update)).error).toBeUndefined();
    expect((await call('views.update', update)).error).toBe('hash_conflict');
    for (const error of [undefined, undefined, 'push_limit_reached']) {
      await slack.press(OWNER, { viewId: slack.modal(OWNER)!.id }, 'x');
      expect((await call('views.push', { trigger_id: payloads.at(-1)!.trigger_id, view })).error).toBe(error);
    }
  });

  it('answers only this machine and its own page, and shows no secret in its traffic', async () => {
    const statusOf = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        const { port } = new URL(slack.url);
        const asked = { port, host: '127.0.0.1', path: '/api/auth.test', method: 'POST', headers };
        request(asked, (response) => resolve(response.resume().statusCode)).end();
      });
    expect(await statusOf({ Host: 'sandbox.example.com' })).toBe(403);
    expect(await statusOf({ Origin: 'https://example.com' })).toBe(403);
    expect(await statusOf({})).toBe(200);
    await call('auth.test', { token: BOT_TOKEN });
    await asked();
    const logged = JSON.stringify(slack.traffic.entries);
    expect(logged).toContain('/spend');
    for (const secret of [BOT_TOKEN, SIGNING_SECRET, 'v0=']) expect(logged).not.toContain(secret);
  });
});
