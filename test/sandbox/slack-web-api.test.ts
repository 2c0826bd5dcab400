import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { webApi } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER, type Slack } from '../../sandbox/slack/index.ts';
import { APP_TOKEN, BOT_TOKEN, callApi, MANIFEST, openSlack, plainText, SIGNING_SECRET } from './bolt-bot.ts';

const GENERAL = 'C0GENERAL1';
const FINANCE = 'C0FINANCE1';
const OWNERS_DM = 'D0OWNER001';

let slack: Slack;
beforeEach(async () => {
  slack = await openSlack({ appToken: APP_TOKEN });
});
afterEach(() => slack.close());

const call = (method: string, args: Record<string, unknown> = {}, token?: string) =>
  callApi(slack, method, args, token);
const errorOf = async (...args: Parameters<typeof call>) => (await call(...args)).error;

describe('authentication', () => {
  it.each([
    ['no token', 'auth.test', '', 'not_authed'],
    ['a strange token', 'auth.test', 'xoxb-strange', 'invalid_auth'],
    ['the app-level token', 'auth.test', APP_TOKEN, 'not_allowed_token_type'],
    ['the bot token for a connection', 'apps.connections.open', BOT_TOKEN, 'not_allowed_token_type'],
    ['a method that is none', 'chat.shout', BOT_TOKEN, 'unknown_method'],
  ])('refuses %s', async (_what, method, token, error) => {
    expect(await errorOf(method, {}, token)).toBe(error);
  });

  it('accepts the token as an argument, and arguments as a form', async () => {
    const body = new URLSearchParams({ token: BOT_TOKEN, user: OWNER, include_locale: 'true' });
    const response = await fetch(`${slack.url}/api/users.info`, { method: 'POST', body });
    expect(await response.json()).toMatchObject({ ok: true, user: { locale: 'en-GB' } });
  });

  it('names the missing scope', async () => {
    expect(await call('team.info')).toMatchObject({ error: 'missing_scope', needed: 'team:read' });
    expect(await errorOf('conversations.history', { channel: OWNERS_DM })).toBe('missing_scope');
  });
});

describe('a thread reply', () => {
  const post = async (args: object) =>
    (await call('chat.postMessage', { channel: GENERAL, text: 'x', ...args })) as {
      ts: string;
      message: object;
    };

  it('is shown in the thread, and in the channel when it is broadcast', async () => {
    const { ts } = await post({});
    const quiet = await post({ thread_ts: ts });
    expect(quiet.message).not.toHaveProperty('subtype');
    const loud = await post({ thread_ts: ts, reply_broadcast: true });
    expect(loud.message).toMatchObject({ thread_ts: ts, subtype: 'thread_broadcast' });
    const shown = slack.messages(OWNER, GENERAL).map(({ isBroadcast = false }) => isBroadcast);
    expect(shown).toEqual([false, false, true]);
    expect((await post({ reply_broadcast: true })).message).not.toHaveProperty('subtype');
  });

  it('to an ephemeral message is rejected', async () => {
    await call('chat.postEphemeral', { channel: GENERAL, user: OWNER, text: 'Psst' });
    const { ts } = slack.messages(OWNER, GENERAL).at(-1)!;
    const args = { channel: GENERAL, text: 'x', thread_ts: ts };
    expect(await errorOf('chat.postMessage', args)).toBe('cannot_reply_to_message');
  });
});

describe('information methods', () => {
  it('return the bot’s identity', async () => {
    expect(await call('auth.test')).toMatchObject({
      ok: true,
      team_id: 'T0SANDBOX1',
      user_id: 'U0TALLYBOT',
      bot_id: 'B0TALLYBOT',
    });
  });

  it.each([
    [OWNER, { tz: 'Europe/London', is_owner: true, is_admin: true, is_restricted: false }],
    [MEMBER, { tz: 'Europe/Berlin', is_owner: false, is_admin: false, is_restricted: false }],
    ['U0GUEST001', { tz: 'Asia/Kolkata', tz_offset: 19_800, is_owner: false, is_restricted: true }],
  ])('says the rights of %s and where they are', async (user, told) => {
    expect(await call('users.info', { user })).toMatchObject({ ok: true, user: { id: user, ...told } });
  });

  it('return the locale only when asked', async () => {
    const { user } = await call('users.info', { user: MEMBER });
    expect(user).not.toHaveProperty('locale');
    expect(await errorOf('users.info', { user: 'U0NOBODY' })).toBe('user_not_found');
    expect(await errorOf('users.info')).toBe('missing_argument');
  });
});

describe('posting', () => {
  it('shows the message to everyone in the channel, and finds it again', async () => {
    const posted = await call('chat.postMessage', { channel: GENERAL, text: 'Morning' });
    expect(slack.messages(MEMBER, GENERAL)).toMatchObject([{ from: 'bot', text: 'Morning', ts: posted.ts }]);
    const { channel, ts } = posted;
    await call('chat.update', { channel, ts, text: 'Good morning' });
    expect(slack.messages(MEMBER, GENERAL)).toMatchObject([{ text: 'Good morning', edited: true }]);
    expect(await call('chat.getPermalink', { channel, message_ts: ts })).toMatchObject({ ok: true });
    await call('chat.delete', { channel, ts });
    expect(slack.messages(MEMBER, GENERAL)).toEqual([]);
    expect(await errorOf('chat.update', { channel, ts, text: 'x' })).toBe('message_not_found');
  });

  it('sends a DM', async () => {
    const opened = await call('conversations.open', { users: OWNER });
    expect(opened).toEqual({ ok: true, channel: { id: OWNERS_DM } });
    await call('chat.postMessage', { channel: OWNER, text: 'Psst' });
    expect(slack.messages(OWNER, OWNERS_DM)).toMatchObject([{ text: 'Psst' }]);
  });

  it('shows an ephemeral message to one person', async () => {
    const args = { channel: GENERAL, user: OWNER, text: 'Only you' };
    expect(await call('chat.postEphemeral', args)).toMatchObject({ ok: true });
    expect(slack.messages(OWNER, GENERAL)).toMatchObject([{ text: 'Only you', ephemeral: true }]);
    expect(slack.messages(MEMBER, GENERAL)).toEqual([]);
    expect(await errorOf('chat.postEphemeral', { ...args, user: 'U0NOBODY' })).toBe('user_not_in_channel');
  });

  it('returns an error code for each reason', async () => {
    expect(await errorOf('chat.postMessage', { channel: 'C0NOWHERE', text: 'x' })).toBe('channel_not_found');
    expect(await errorOf('chat.postMessage', { channel: FINANCE, text: 'x' })).toBe('channel_not_found');
    expect(await errorOf('chat.postMessage', { channel: GENERAL })).toBe('no_text');
    expect(await errorOf('chat.postMessage', { channel: GENERAL, text: 'x'.repeat(40_001) })).toBe(
      'msg_too_long',
    );
    await slack.say(OWNER, GENERAL, '/remove @Tally');
    expect(await errorOf('chat.postMessage', { channel: GENERAL, text: 'x' })).toBe('not_in_channel');
    const place = slack.workspace.conversation(GENERAL);
    if (place) place.archived = true;
    expect(await errorOf('chat.postMessage', { channel: GENERAL, text: 'x' })).toBe('is_archived');
  });

  it('does not change other people’s messages', async () => {
    const { ts } = slack.workspace.post({ channel: GENERAL, from: MEMBER, text: 'Mine' });
    expect(await errorOf('chat.update', { channel: GENERAL, ts, text: 'x' })).toBe('cant_update_message');
    expect(await errorOf('chat.delete', { channel: GENERAL, ts })).toBe('cant_delete_message');
  });

  it('explains what is wrong with blocks', async () => {
    const blocks = JSON.stringify([{ type: 'header', text: plainText('x'.repeat(151)) }]);
    expect(await call('chat.postMessage', { channel: GENERAL, text: 'x', blocks })).toEqual({
      ok: false,
      error: 'invalid_blocks',
      errors: ['must be less than 151 characters [json-pointer:/blocks/0/text/text]'],
      response_metadata: {
        messages: ['[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]'],
      },
    });
    expect(await errorOf('chat.postMessage', { channel: GENERAL, blocks: '{' })).toBe(
      'invalid_blocks_format',
    );
  });
});

describe('metadata of a message', () => {
  it('is in the history when asked for, within the requested time', async () => {
    const metadata = JSON.stringify({ event_type: 'sent', event_payload: { key: 'a' } });
    const { ts } = await call('chat.postMessage', { channel: GENERAL, text: 'x', metadata });
    const about = { channel: GENERAL, oldest: String(Number(ts) - 1), latest: String(Number(ts) + 1) };
    const found = async (args: object) => {
      const { messages } = await call('conversations.history', { ...about, ...args });
      return (messages as { metadata?: object }[]).map((one) => one.metadata);
    };
    expect(await found({ include_all_metadata: 'true' })).toEqual([JSON.parse(metadata)]);
    expect(await found({})).toEqual([undefined]);
    expect(await found({ latest: String(Number(ts) - 0.5) })).toEqual([]);
  });
});

describe('the tabs of the app', () => {
  const withTabs = (tabs: object) =>
    openSlack({ manifest: { ...MANIFEST, features: { ...MANIFEST.features, app_home: tabs } } });

  it('have no Home when the manifest switches it off', async () => {
    const closed = await withTabs({ messages_tab_enabled: true });
    const args = { user_id: OWNER, view: { type: 'home', blocks: [] } };
    expect(await callApi(closed, 'views.publish', args)).toEqual({ ok: false, error: 'not_enabled' });
    expect(await callApi(slack, 'views.publish', args)).toMatchObject({ ok: true });
    await closed.close();
  });

  it('accept no messages in a read-only tab, and none from the bot in one that is off', async () => {
    const quiet = await withTabs({ messages_tab_enabled: true, messages_tab_read_only_enabled: true });
    expect(await quiet.say(OWNER, OWNERS_DM, 'hello')).toMatchObject({ ok: false });
    const off = await withTabs({});
    expect(await callApi(off, 'chat.postMessage', { channel: OWNER, text: 'x' })).toEqual({
      ok: false,
      error: 'messages_tab_disabled',
    });
    await Promise.all([quiet.close(), off.close()]);
  });
});

describe('injected failures', () => {
  const client = () =>
    new webApi.WebClient(BOT_TOKEN, { slackApiUrl: `${slack.url}/api/`, retryConfig: { retries: 0 } });

  it('fail like Slack, as often as asked', async () => {
    slack.failNext('auth.test', { error: 'account_inactive' }, 2);
    expect(await errorOf('auth.test')).toBe('account_inactive');
    expect(await errorOf('auth.test')).toBe('account_inactive');
    expect(await errorOf('auth.test')).toBeUndefined();
  });

  it('can be a rate limit, with a retry time', async () => {
    slack.failNext('auth.test', { status: 429, retryAfter: 7 });
    const limited = new webApi.WebClient(BOT_TOKEN, {
      slackApiUrl: `${slack.url}/api/`,
      rejectRateLimitedCalls: true,
    });
    await expect(limited.auth.test()).rejects.toMatchObject({ retryAfter: 7 });
  });

  it('can be an HTTP error, or no answer', async () => {
    slack.failNext('auth.test', { status: 500 });
    await expect(client().auth.test()).rejects.toMatchObject({ code: 'slack_webapi_http_error' });
    slack.failNext('auth.test', 'hang');
    const patience = AbortSignal.timeout(100);
    await expect(
      fetch(`${slack.url}/api/auth.test`, { method: 'POST', signal: patience }),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(slack.calls.map(({ method, response }) => [method, response])).toEqual([
      ['auth.test', undefined],
      ['auth.test', undefined],
    ]);
  });
});

describe('a request to the bot', () => {
  it('is signed over its raw body and timestamp', async () => {
    const received: { headers: Record<string, unknown>; body: string }[] = [];
    const bot = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.end();
    });
    await new Promise<void>((resolve) => bot.listen(0, '127.0.0.1', resolve));
    const address = bot.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const now = 1_800_000_000_000;
    const signing = await openSlack({ botUrl: () => `http://127.0.0.1:${port}`, now: () => now });
    await signing.say(OWNER, GENERAL, '/spend "prod" & more');
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    const expected = createHmac('sha256', SIGNING_SECRET).update(`v0:1800000000:${body}`).digest('hex');
    expect(headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': '1800000000',
      'x-slack-signature': `v0=${expected}`,
    });
    expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({
      command: '/spend',
      text: '"prod" &amp; more',
      user_id: OWNER,
      channel_id: GENERAL,
      channel_name: 'general',
      team_id: 'T0SANDBOX1',
      is_enterprise_install: 'false',
    });
    expect(signing.signed(body, { at: now })['X-Slack-Signature']).toBe(`v0=${expected}`);
    await signing.close();
    bot.close();
  });
});
