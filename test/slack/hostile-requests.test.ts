import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { modal, plainText, section } from '../../src/slack/block-kit/blocks.ts';
import { SERVER_LIMITS } from '../../src/slack/server/request-guard.ts';
import { CHANNEL, SIGNING_SECRET } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { type OAuthBot, startOAuthBot } from '../support/oauth-bot.ts';
import { waitUntil } from '../support/wait-until.ts';

const FORM = 'application/x-www-form-urlencoded';
const MB = 1024 * 1024;

const releases: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

interface Ran {
  readonly tally: ListenerBot;
  /** Names of the handlers that ran, in order. */
  readonly ran: string[];
}

async function started(): Promise<Ran> {
  const ran: string[] = [];
  const waiting = modal({ title: 'Wait', blocks: [section('…')] });
  const tally = await startListenerBot({
    commands: { '/spend': { right: 'ask', run: async () => void ran.push('command') } },
    actions: { click: { right: 'ask', run: async () => void ran.push('action') } },
    views: {
      form: {
        right: 'ask',
        waiting,
        parse: () => ({ submit: async () => void ran.push('view') }),
      },
    },
    options: {
      words: {
        right: 'ask',
        find: () => {
          ran.push('options');
          return [{ text: plainText('A word'), value: 'a' }];
        },
      },
    },
    events: { app_mention: { right: 'ask', answer: async () => void ran.push('event') } },
  });
  releases.push(() => tally.stop());
  return { tally, ran };
}

/** Only Slack's own secret makes a valid signature. */
function signed(body: string, secret = SIGNING_SECRET): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}

const post = (url: string, body: string, headers: Record<string, string>, type = FORM) =>
  fetch(`${url}/slack/events`, { method: 'POST', headers: { 'content-type': type, ...headers }, body });

/** Opens a connection, and collects what comes back. */
async function dial(url: string) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  let closed = false;
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closed = true;
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  releases.push(() => socket.destroy());
  return { socket, received: () => received, closed: () => closed };
}

const head = (headers: Record<string, string | number>) =>
  `${['POST /slack/events HTTP/1.1', 'host: x', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`;

const ACTION = { type: 'block_actions', team: { id: TEAM }, user: { id: OWNER, team_id: TEAM } };

describe('an unsigned request body', () => {
  const unread = ['payload=null', 'payload=%7B', `payload=null&${'%e4&'.repeat(250_000)}`, '{', 'null'];

  it.each(unread)('is refused, whatever it contains (example %#)', async (body) => {
    const { tally } = await started();
    for (const headers of [{}, signed(body, 'another')])
      for (const type of [FORM, 'application/json'])
        expect((await post(tally.url, body, headers, type)).status).toBe(401);
  });

  it('is refused before it is read if its header announces too large a size', async () => {
    const { tally } = await started();
    const headers = { 'content-type': FORM, ...signed('', 'another') };
    const { socket, received } = await dial(tally.url);
    socket.write(head({ ...headers, 'content-length': 4 * MB }));
    await waitUntil(received);
    expect(received()).toContain('HTTP/1.1 413 ');
  });

  it('of unknown size is refused as soon as it gets too long', async () => {
    const { tally } = await started();
    const headers = { 'content-type': FORM, ...signed('', 'another'), 'transfer-encoding': 'chunked' };
    const { socket, received } = await dial(tally.url);
    const size = SERVER_LIMITS.bodyBytes + 1;
    socket.write(`${head(headers)}${size.toString(16)}\r\n${'a'.repeat(size)}`);
    await waitUntil(received);
    expect(received()).toContain('HTTP/1.1 413 ');
  });

  it('takes up memory only as it arrives, and all bodies together take up at most 32 MB', async () => {
    const { tally } = await started();
    const before = process.memoryUsage().arrayBuffers;
    const headers = { 'content-type': FORM, ...signed('', 'another'), 'content-length': MB };
    const dialed = await Promise.all(Array.from({ length: 100 }, () => dial(tally.url)));
    for (const { socket } of dialed) socket.write(head(headers));
    dialed.at(-1)!.socket.write('a');
    await setTimeout(300);
    expect((process.memoryUsage().arrayBuffers - before) / MB).toBeLessThan(32);
    const [oldest, ...others] = dialed;
    const last = others.slice(-40);
    for (const { socket } of [oldest!, ...last]) socket.write('a'.repeat(MB - 2));
    await waitUntil(() => last[0]!.closed());
    expect(oldest!.closed()).toBe(true);
    expect(last.at(-1)!.closed()).toBe(false);
  });

  it('is still received for a while after the refusal, so that its sender can read the refusal', async () => {
    const { tally } = await started();
    const large = 'a'.repeat(4 * MB);
    for (const headers of [{}, signed(large, 'another')])
      expect((await post(tally.url, large, headers)).status).toBe(413);
    const { socket, received, closed } = await dial(tally.url);
    socket.write(head({ 'content-type': FORM, 'content-length': 1024 * MB }));
    for (let i = 0; i < 6; i += 1) socket.write('a'.repeat(MB));
    await waitUntil(closed);
    expect(received()).toContain('HTTP/1.1 413 ');
  });

  it.each<[string, Record<string, string>]>([
    ['no signature', {}],
    ['an old time', { 'x-slack-request-timestamp': '1' }],
    ['no hexadecimal digest', { 'x-slack-signature': `v0=${'g'.repeat(64)}` }],
  ])('is refused before it is read if its headers can’t be Slack’s: %s', async (_, odd) => {
    const { tally } = await started();
    const headers = Object.keys(odd).length === 0 ? {} : { ...signed(''), ...odd };
    const { socket, received } = await dial(tally.url);
    socket.write(head({ 'content-type': FORM, ...headers, 'content-length': MB }));
    await waitUntil(received);
    expect(received()).toContain('HTTP/1.1 401 ');
  });

  it('is acknowledged without effect if it is Slack’s check of the certificate', async () => {
    const { tally, ran } = await started();
    const check = 'ssl_check=1&token=x&command=/spend';
    expect((await post(tally.url, check, {})).status).toBe(200);
    expect((await post(tally.url, check, signed(check, 'another'))).status).toBe(200);
    expect((await post(tally.url, check, signed(check))).status).toBe(200);
    expect((await post(tally.url, `${check}&${'a'.repeat(2000)}`, {})).status).toBe(401);
    expect((await post(tally.url, 'ssl_check=0', {})).status).toBe(401);
    expect(ran).toEqual([]);
  });
});

describe('a signed request body', () => {
  const payload = JSON.stringify({ ...ACTION, actions: [{ type: 'button', action_id: 'click' }] });

  const typed = JSON.stringify({ type: 'block_actions' });

  it.each<[string, string]>([
    ['payload=null', FORM],
    ['payload=[]', FORM],
    ['payload=1', FORM],
    ['payload=%7B', FORM],
    ['payload=', FORM],
    ['payload=null&payload={}', FORM],
    ['command=/spend', 'application/json'],
    ['', 'application/json'],
    ['null', 'application/json'],
    ['[]', 'application/json'],
    ['"a"', 'application/json'],
    ['{', 'application/json'],
  ])('is refused if it isn’t a JSON object: “%s”', async (body, type) => {
    const { tally, ran } = await started();
    expect((await post(tally.url, body, signed(body), type)).status).toBe(400);
    expect(ran).toEqual([]);
  });

  it.each([
    `payload=${typed}&payload=null`,
    `payload=${typed}&payload=${typed}`,
    'command=/spend&command=/balance',
    '',
  ])('is acknowledged without effect if it is ambiguous or empty: “%s”', async (body) => {
    const { tally, ran } = await started();
    expect((await post(tally.url, body, signed(body))).status).toBe(200);
    expect(ran).toEqual([]);
  });

  it('is refused if it isn’t UTF-8', async () => {
    const { tally } = await started();
    const bytes = Buffer.concat([Buffer.from('command=/spend&text='), Buffer.from([0xff, 0xfe])]);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHmac('sha256', SIGNING_SECRET)
      .update(`v0:${timestamp}:`)
      .update(bytes)
      .digest('hex');
    const headers = {
      'content-type': FORM,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
    };
    const url = `${tally.url}/slack/events`;
    expect((await fetch(url, { method: 'POST', headers, body: bytes })).status).toBe(401);
  });

  it('that breaks off leaves the bot running', async () => {
    const { tally, ran } = await started();
    const { socket } = await dial(tally.url);
    socket.write(`${head({ 'content-type': FORM, ...signed(''), 'content-length': 100 })}half`);
    socket.resetAndDestroy();
    const body = `command=/spend&team_id=${TEAM}&user_id=${OWNER}&channel_id=${CHANNEL}`;
    expect((await post(tally.url, body, signed(body))).status).toBe(200);
    await waitUntil(() => ran.length > 0);
  });

  it('is read correctly if it arrives in small parts', async () => {
    const { tally, ran } = await started();
    const body = `payload=${encodeURIComponent(payload)}`;
    const { socket, received } = await dial(tally.url);
    socket.write(head({ 'content-type': FORM, ...signed(body), 'transfer-encoding': 'chunked' }));
    for (const sign of body) socket.write(`1\r\n${sign}\r\n`);
    socket.write('0\r\n\r\n');
    await waitUntil(received);
    expect(received()).toContain('HTTP/1.1 200 ');
    await waitUntil(() => ran.length > 0);
  });

  it('is answered with the challenge if Slack uses it to verify the address', async () => {
    const { tally } = await started();
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c-1', token: 'x' });
    const answer = await post(tally.url, body, signed(body), 'application/json');
    expect([answer.status, await answer.json()]).toEqual([200, { challenge: 'c-1' }]);
  });
});

describe('a connection to the bot', () => {
  it('is closed if the headers or the body of a request arrive too slowly', async () => {
    const { tally } = await started();
    const [silent, headers, body] = [await dial(tally.url), await dial(tally.url), await dial(tally.url)];
    headers.socket.write('POST /slack/events HTTP/1.1\r\nhost: x\r\n');
    body.socket.write(head({ ...signed('', 'another'), 'content-length': 1000 }));
    const drip = setInterval(() => {
      headers.socket.write('x-a: b\r\n');
      body.socket.write('a');
    }, 200);
    releases.push(() => clearInterval(drip));
    await waitUntil(() => [silent, headers, body].every(({ closed }) => closed()), 20_000);
    expect([headers, body].map(({ received }) => received().split('\r\n')[0])).toEqual(
      Array(2).fill('HTTP/1.1 408 Request Timeout'),
    );
  }, 30_000);

  it('can carry only a limited number of requests', async () => {
    const { tally } = await started();
    const { socket, received, closed } = await dial(tally.url);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(500));
    await waitUntil(closed);
    expect(received().split('HTTP/1.1 404 ').length - 1).toBe(SERVER_LIMITS.requestsPerConnection);
  });

  it('gets a 404 for a path such as /constructor', async () => {
    const { tally } = await started();
    for (const path of ['/__proto__', '/constructor', '//', '/slack/events/..'])
      expect((await fetch(`${tally.url}${path}`)).status).toBe(404);
  });
});

describe('a replayed request', () => {
  const interactive = (payload: object) => `payload=${encodeURIComponent(JSON.stringify(payload))}`;
  const event = {
    type: 'event_callback',
    team_id: TEAM,
    event_id: 'Ev1',
    event: { type: 'app_mention', user: OWNER, channel: CHANNEL, text: 'x', ts: '1.1' },
  };
  const command = `command=/spend&team_id=${TEAM}&user_id=${OWNER}&channel_id=${CHANNEL}&trigger_id=x`;

  it.each([
    ['command', FORM, command],
    ['action', FORM, interactive({ ...ACTION, actions: [{ type: 'button', action_id: 'click' }] })],
    [
      'view',
      FORM,
      interactive({
        ...ACTION,
        type: 'view_submission',
        view: { id: 'V1', type: 'modal', callback_id: 'form', state: { values: {} } },
      }),
    ],
    ['event', 'application/json', JSON.stringify(event)],
  ])('is acknowledged without a second effect: %s', async (kind, type, body) => {
    const { tally, ran } = await started();
    const headers = signed(body);
    expect((await post(tally.url, body, headers, type)).status).toBe(200);
    await waitUntil(() => ran.length > 0);
    expect((await post(tally.url, body, headers, type)).status).toBe(200);
    const another = body
      .replace('Ev1', 'Ev2')
      .replace('V1', 'V2')
      .replace(/(trigger_id\W+)\w/, '$1y');
    expect((await post(tally.url, another, signed(another), type)).status).toBe(200);
    await waitUntil(() => ran.length > 1);
    expect(ran).toEqual([kind, kind]);
  });

  it('for suggestions is answered again, because people may type the same text twice', async () => {
    const { tally, ran } = await started();
    const body = interactive({
      ...ACTION,
      type: 'block_suggestion',
      action_id: 'words',
      block_id: 'b',
      value: '',
    });
    const headers = signed(body);
    const answers = [await post(tally.url, body, headers), await post(tally.url, body, headers)];
    for (const answer of answers) expect(await answer.text()).toContain('A word');
    expect(ran).toEqual(['options', 'options']);
  });

  it('has no effect in another process, and is remembered without the workspace’s ID', async () => {
    const bot: OAuthBot = await startOAuthBot({ processes: 2 });
    releases.push(() => bot.stop());
    const team = { id: 'T0NORTH001', name: 'North' };
    await bot.install(team);
    const replyTo = (name: string) => encodeURIComponent(bot.slack.replyAddress(name));
    const help = `command=/billing&text=help&team_id=${team.id}&user_id=U1&channel_id=${CHANNEL}&trigger_id=x`;
    const first = `${help}&response_url=${replyTo('first')}`;
    const headers = signed(first);
    for (const url of bot.urls) expect((await post(url, first, headers)).status).toBe(200);
    await waitUntil(() => bot.log().includes('"duplicate"'));
    const second = `${help.replace('trigger_id=x', 'trigger_id=y')}&response_url=${replyTo('second')}`;
    await post(bot.urls[1]!, second, signed(second));
    await waitUntil(() => bot.slack.replies.length > 1);
    expect(bot.slack.replies.map(({ url }) => url).sort()).toEqual(['/reply/first', '/reply/second']);
    const keys = await bot.redis.client.keys('tally:event:*');
    expect(keys).toHaveLength(2);
    expect(keys.join()).not.toContain(team.id);
    for (const key of keys) {
      expect(await bot.redis.client.ttl(key)).toBeGreaterThan(0);
      expect(await bot.redis.client.ttl(key)).toBeLessThanOrEqual(600);
    }
  });
});
