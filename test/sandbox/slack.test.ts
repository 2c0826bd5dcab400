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
  type: 'input',
  label: plain(1),
  element: { type: 'plain_text_input' },
  ...rest,
});
const table = (rows: number, columns: number, length = 1) => ({
  type: 'table',
  rows: times(rows, () => times(columns, () => ({ type: 'raw_text', text: of(length) }))),
});
const container = (rest: Block = {}): Block => ({
  type: 'container',
  title: plain(1),
  child_blocks: [divider],
  ...rest,
});
const bars = (series: number, points: number, { name = 's', label = 'd', x = 'x', title = 't' } = {}) => {
  const labels = times(points, (i) => `${label}${i}`);
  const data = labels.map((label, value) => ({ label, value }));
  const all = times(series, (i) => ({ name: `${name}${i}`, data }));
  const axis_config = { categories: labels, x_label: x };
  return { type: 'data_visualization', title, chart: { type: 'bar', series: all, axis_config } };
};

const AT_MOST: [limit: number, what: string, make: (n: number) => Block[], on?: BlockSurface][] = [
  [50, 'blocks in a message', (n) => times(n, () => divider)],
  [100, 'blocks in a modal', (n) => times(n, () => divider), 'modal'],
  [255, 'characters in a block ID', (n) => [{ type: 'divider', block_id: of(n) }]],
  [3_000, 'characters in a section', (n) => [section({ text: mrkdwn(n) })]],
  [10, 'fields in a section', (n) => [section({ fields: times(n, () => plain(1)) })]],
  [150, 'characters in a header', (n) => [{ type: 'header', text: plain(n) }]],
  [10, 'elements in a context block', (n) => [{ type: 'context', elements: times(n, () => plain(1)) }]],
  [25, 'actions', (n) => [{ type: 'actions', elements: times(n, (i) => button({ action_id: `a${i}` })) }]],
  [2_000, 'characters in an input’s label', (n) => [input({ label: plain(n) })], 'modal'],
  [100, 'rows in a table', (n) => [table(n, 1)]],
  [20, 'columns in a table', (n) => [table(1, n)]],
  [1, 'table in a message', (n) => times(n, () => container({ child_blocks: [table(2, 2)] }))],
  [2, 'charts in a message', (n) => times(n, () => bars(1, 1))],
  [50, 'characters in a chart’s title', (n) => [bars(1, 1, { title: of(n) })]],
  [12, 'series in a chart', (n) => [bars(n, 1)]],
  [20, 'points in a series', (n) => [bars(1, n)]],
  [20, 'characters in a point’s label', (n) => [bars(1, 1, { label: of(n - 1) })]],
  [10, 'blocks in a container', (n) => [container({ child_blocks: times(n, () => divider) })]],
  [150, 'characters in a container’s title', (n) => [container({ title: plain(n) })]],
  [75, 'characters on a button', (n) => [accessory(button({ text: plain(n) }))]],
  [2_000, 'characters in a button’s value', (n) => [accessory(button({ value: of(n) }))]],
  [3_000, 'characters in a button’s URL', (n) => [accessory(button({ url: url(n) }))]],
  [100, 'options in a select', (n) => [accessory(select({ options: times(n, option) }))]],
  [75, 'characters in an option', (n) => [oneOption({ text: plain(n) })]],
  [150, 'characters in an option’s value', (n) => [oneOption({ value: of(n) })]],
  [5, 'options in an overflow menu', (n) => [accessory({ type: 'overflow', options: times(n, option) })]],
  [10, 'checkboxes', (n) => [accessory({ type: 'checkboxes', options: times(n, option) })]],
  [150, 'placeholder letters', (n) => [accessory(select({ options: [option(0)], placeholder: plain(n) }))]],
];

describe('the sandbox’s check of Slack blocks', () => {
  it.each(AT_MOST)('accepts %i %s and refuses one more', (limit, _what, make, on = 'message') => {
    expect(problemsOfBlocks(make(limit), on)).toEqual([]);
    expect(problemsOfBlocks(make(limit + 1), on)).not.toEqual([]);
  });

  it.each<[string, Block[], BlockSurface?]>([
    ['an empty text', [section({ text: plain(0) })]],
    ['a section without text or fields', [section({})]],
    ['an unknown field', [{ type: 'divider', colour: 'red' }]],
    ['an unknown block type', [{ type: 'marquee' }]],
    ['an unknown element type', [accessory({ type: 'lever' })]],
    ['markup in a header', [{ type: 'header', text: mrkdwn(1) }]],
    ['markup on a button', [accessory(button({ text: mrkdwn(1) }))]],
    ['an unknown button style', [accessory(button({ style: 'default' }))]],
    ['an empty button value', [accessory(button({ value: '' }))]],
    ['a button with an invalid URL', [accessory(button({ url: 'nowhere' }))]],
    ['a block ID that occurs twice', times(2, () => ({ type: 'divider', block_id: 'b' }))],
    ['an action ID that occurs twice in a block', [{ type: 'actions', elements: [button(), button()] }]],
    ['an actions block without buttons', [{ type: 'actions', elements: [] }]],
    ['a select without options', [accessory(select({}))]],
    [
      'an initial option not offered',
      [accessory(select({ options: [option(0)], initial_option: option(1) }))],
    ],
    ['a text input outside an input block', [accessory({ type: 'plain_text_input' })]],
    ['a button inside an input block', [input({ element: button() })], 'modal'],
    ['an impossible date', [accessory({ type: 'datepicker', initial_date: '1 May' })]],
    ['an empty table cell', [table(1, 1, 0)]],
    ['a container in a container', [container({ child_blocks: [container()] })]],
    ['a container without a title', [container({ title: undefined })]],
    ['a closed container that cannot be opened', [container({ default_collapsed: true })]],
    ['a chart in a container', [container({ child_blocks: [bars(1, 1)] })]],
    ['a table in a container on a Home', [container({ child_blocks: [table(1, 1)] })], 'home'],
    [
      'a block ID used both inside and outside a container',
      [container({ child_blocks: [{ ...divider, block_id: 'b' }] }), { ...divider, block_id: 'b' }],
    ],
    ['a chart in a modal', [bars(1, 1)], 'modal'],
    ['a table on a Home', [table(1, 1)], 'home'],
    ['a container in a modal', [container()], 'modal'],
  ])('refuses %s', (_what, blocks, on = 'message') => {
    expect(problemsOfBlocks(blocks, on)).not.toEqual([]);
  });

  it('returns Slack’s own error message, with the position of the error', () => {
    expect(problemsOfBlocks([divider, { type: 'header', text: plain(151) }], 'message')).toEqual([
      'must be less than 151 characters [json-pointer:/blocks/1/text/text]',
    ]);
  });
});

describe('the sandbox’s check of Slack views', () => {
  const modal = (rest: Block = {}) => ({ type: 'modal', title: plain(1), blocks: [], ...rest });

  it.each<[number, string, (n: number) => Block]>([
    [24, 'title', (n) => modal({ title: plain(n) })],
    [24, 'submit button', (n) => modal({ submit: plain(n) })],
    [24, 'close button', (n) => modal({ close: plain(n) })],
    [3_000, 'private_metadata', (n) => modal({ private_metadata: of(n) })],
    [255, 'callback_id', (n) => modal({ callback_id: of(n) })],
  ])('accepts %i characters in the %s of a view and refuses one more', (limit, _what, make) => {
    readView(make(limit), 'modal');
    expect(() => readView(make(limit + 1), 'modal')).toThrow('invalid_arguments');
  });

  it.each<[string, unknown, ('home' | 'modal')?]>([
    ['a modal without a title', { type: 'modal', blocks: [] }],
    ['a Home with a title', { type: 'home', title: plain(1), blocks: [] }, 'home'],
    ['a modal that is published as a Home', modal(), 'home'],
    ['a modal with inputs but no submit button', modal({ blocks: [input()] })],
    ['a view of more than 250 KB', modal({ blocks: times(100, () => section({ text: plain(2_600) })) })],
  ])('refuses %s', (_what, view, kind = 'modal') => {
    expect(() => readView(view, kind)).toThrow();
  });
});

const GENERAL = 'C0GENERAL1';
const FINANCE = 'C0FINANCE1';
const SECONDS = 1_000;
const BUTTON = [{ type: 'actions' as const, elements: [button()] }];

describe('the sandbox’s Slack', () => {
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
      mode: 'http',
      signingSecret: SIGNING_SECRET,
      botToken: BOT_TOKEN,
      botUrl,
      now: () => now,
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

  it('signs the raw body and the time of each request', () => {
    const headers = slack.signed('a=b');
    const base = `v0:${headers['X-Slack-Request-Timestamp']}:a=b`;
    const digest = createHmac('sha256', SIGNING_SECRET).update(base).digest('hex');
    expect(headers).toMatchObject({
      'X-Slack-Request-Timestamp': `${now / 1000}`,
      'X-Slack-Signature': `v0=${digest}`,
    });
  });

  it('accepts at most five answers at a response_url, and only within half an hour', async () => {
    await asked();
    now += 30 * 60 * SECONDS;
    for (let i = 1; i <= 5; i += 1) expect(await respond({ text: `${i}` })).toEqual([200, 'ok']);
    expect(await respond({ text: '6' })).toEqual([404, 'used_url']);
    await asked();
    now += 30 * 60 * SECONDS + 1;
    expect(await respond({ text: 'late' })).toEqual([404, 'expired_url']);
  });

  it('shows answers privately by default, and shows everyone the command once an answer is public', async () => {
    await asked();
    await respond({ text: 'For you' });
    await respond({ text: 'For all', response_type: 'in_channel' });
    await respond({ text: 'Again', response_type: 'in_channel' });
    expect(seen(OWNER)[0]).toEqual(['For you', true]);
    expect(seen(MEMBER).map(([text]) => text)).toEqual(['/spend', 'For all', 'Again']);
  });

  it('replaces the clicked message, or the first private answer, through a response_url', async () => {
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

  it('rejects empty answers, invalid blocks, and a kind of block that the test forbids', async () => {
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

  it('tells people that a command is unknown or can’t be used in threads', async () => {
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
    ['with an unknown token', 'auth.test', {}, 'invalid_auth', 'xoxb-strange'],
    ['of an unknown method', 'chat.shout', {}, 'unknown_method'],
    ['without a required argument', 'users.info', {}, 'missing_argument'],
    ['without the needed scope', 'usergroups.list', {}, 'missing_scope'],
    ['to an unknown channel', 'chat.postMessage', post({ channel: 'C0NOWHERE' }), 'channel_not_found'],
    [
      'to a private channel without the bot',
      'chat.postMessage',
      post({ channel: FINANCE }),
      'channel_not_found',
    ],
    ['without a text', 'chat.postMessage', post({ text: '' }), 'no_text'],
    ['with too long a text', 'chat.postMessage', post({ text: of(40_001) }), 'msg_too_long'],
    ['with invalid blocks', 'chat.postMessage', post({ blocks: [{}] }), 'invalid_blocks'],
    [
      'to somebody outside the channel',
      'chat.postEphemeral',
      post({ user: 'U0NOBODY' }),
      'user_not_in_channel',
    ],
    ['to change an unknown message', 'chat.update', post({ ts: '1.1' }), 'message_not_found'],
  ])('refuses an API call %s', async (_what, method, args, error, token = BOT_TOKEN) => {
    expect((await call(method, args, token)).error).toBe(error);
  });

  it('refuses to edit a person’s message, and to post in a channel that is archived or without Tally', async () => {
    const { ts } = slack.workspace.post({ channel: GENERAL, from: MEMBER, text: 'Mine' });
    expect((await call('chat.update', post({ ts }))).error).toBe('cant_update_message');
    await slack.say(OWNER, GENERAL, '/remove @Tally');
    expect((await call('chat.postMessage', post({}))).error).toBe('not_in_channel');
    slack.workspace.conversation(GENERAL)!.archived = true;
    expect((await call('chat.postMessage', post({}))).error).toBe('is_archived');
  });

  it('opens at most one modal per trigger ID, within three seconds, and stacks at most three', async () => {
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

  it('answers only requests from this machine and from its own page', async () => {
    const statusOf = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        const { port } = new URL(slack.url);
        const asked = { port, host: '127.0.0.1', path: '/api/auth.test', method: 'POST', headers };
        request(asked, (response) => resolve(response.resume().statusCode)).end();
      });
    expect(await statusOf({ Host: 'sandbox.example.com' })).toBe(403);
    expect(await statusOf({ Origin: 'https://example.com' })).toBe(403);
    expect(await statusOf({})).toBe(200);
  });
});
