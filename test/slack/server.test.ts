import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startRedis } from '../../sandbox/redis.ts';
import { OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, type BotOptions, CHANNEL, startBot, textOf } from '../support/bot.ts';

let bot: Bot;
afterEach(() => bot.stop());

async function started(options: BotOptions = {}): Promise<Bot> {
  bot = await startBot(options);
  return bot;
}

const COMMAND = new URLSearchParams({
  command: '/balance',
  text: '123',
  team_id: 'T0SANDBOX1',
  user_id: OWNER,
  channel_id: CHANNEL,
  trigger_id: 'x',
}).toString();

const send = (body: string, headers: Record<string, string>) =>
  fetch(`${bot.url}/slack/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });

const MINUTE = 60_000;

describe('a request that claims to be Slack’s', () => {
  it.each([
    ['now', 0, 200],
    ['four minutes ago', -4 * MINUTE, 200],
    ['six minutes ago', -6 * MINUTE, 401],
    ['in four minutes', 4 * MINUTE, 200],
    ['in six minutes', 6 * MINUTE, 401],
    ['in an hour', 60 * MINUTE, 401],
  ])(
    'is accepted only if it is signed with a time within five minutes of now: %s',
    async (_, shift, status) => {
      await started();
      expect((await send(COMMAND, bot.slack.signed(COMMAND, { at: Date.now() + shift }))).status).toBe(
        status,
      );
    },
  );

  it('is counted in the metrics by reason if Tally rejects the request', async () => {
    await started();
    for (let count = 0; count < 3; count += 1)
      await send(COMMAND, bot.slack.signed(COMMAND, { secret: 'another' }));
    await send(COMMAND, bot.slack.signed(COMMAND, { at: Date.now() - 6 * MINUTE }));
    await send(COMMAND, {});
    const page = await (await fetch(`${bot.url}/metrics`)).text();
    for (const [reason, count] of Object.entries({
      'wrong-signature': 3,
      outdated: 1,
      unsigned: 1,
    }))
      expect(page).toContain(`tally_rejected_requests_total{reason="${reason}"} ${count}\n`);
    const lines = bot
      .log()
      .split('\n')
      .filter((line) => line.includes('"msg":"Rejected requests'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'warn',
        reason: 'wrong-signature',
        todo: expect.stringContaining('SLACK_SIGNING_SECRET'),
      },
      { level: 'warn', reason: 'outdated', todo: expect.stringContaining('clock') },
    ]);
  });

  it('is read even if its content type has capital letters and a charset', async () => {
    await started();
    const headers = {
      ...bot.slack.signed(COMMAND),
      'content-type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8',
    };
    expect((await send(COMMAND, headers)).status).toBe(200);
  });
});

describe('the bot', () => {
  it('acknowledges requests while Slack’s Web API is down', async () => {
    await started();
    bot.slack.failNext('users.info', { status: 500 }, 5);
    const answer = await bot.ask('/balance 123');
    expect(answer.visibleText).toContain('Slack didn’t answer (');
    expect(bot.slack.complaints).toEqual([]);
  });

  it('answers with an error message while Redis is down, and reports that it isn’t ready', async () => {
    const store = await startRedis();
    await started({ redisUrl: store.url });
    await store.stop();
    const answers = await Promise.all(['/balance 123', '/billing connect'].map((line) => bot.ask(line)));
    for (const { visibleText } of answers)
      expect(visibleText).toContain('Tally can’t reach its database right now.');
    expect((await fetch(`${bot.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${bot.url}/healthz`)).status).toBe(200);
    await bot.stopBot(100);
  });
});

describe('a bot that starts', () => {
  const readiness = async () => (await fetch(`${bot.url}/readyz`)).json();
  const NOT_READY = { ok: false, notReady: ['slack'] };

  it('logs that Slack rejects the token, and isn’t ready until Slack accepts the token', async () => {
    await started({ beforeStart: (slack) => slack.failNext('auth.test', { error: 'invalid_auth' }, 2) });
    expect((await fetch(`${bot.url}/healthz`)).status).toBe(200);
    expect(await readiness()).toEqual(NOT_READY);
    expect(bot.log()).toContain('Slack rejects SLACK_BOT_TOKEN');
    await expect.poll(readiness, { timeout: 10_000 }).toEqual({ ok: true });
  });

  it('logs that Slack can’t be reached, and becomes ready once Slack is back', async () => {
    await started({ beforeStart: (slack) => slack.failNext('auth.test', { status: 503 }, 2) });
    expect(await readiness()).toEqual(NOT_READY);
    expect(bot.log()).toContain('Slack can’t be reached');
    expect(bot.log()).toContain('tally doctor');
    await expect.poll(readiness, { timeout: 10_000 }).toEqual({ ok: true });
    expect(bot.log()).toContain('Slack accepts the bot token');
  });
});

describe('Socket Mode', () => {
  it('replaces the HTTP endpoint for Slack’s requests, but leaves /readyz available', async () => {
    await started({ mode: 'socket' });
    await bot.connect();
    expect((await bot.ask('/balance 123')).visibleText).toContain('left');
    expect((await bot.ask('/spend 123')).visibleText).toContain('spent');
    expect((await fetch(`${bot.url}/readyz`)).status).toBe(200);
    expect((await send(COMMAND, bot.slack.signed(COMMAND))).status).toBe(404);
  });
});

describe('stopping the bot', () => {
  it('waits for an answer in progress', async () => {
    await started();
    await bot.connect();
    bot.billing.setMode('slow');
    await bot.slack.say(OWNER, CHANNEL, '/balance 123');
    const { slack, billing, redis } = bot;
    await bot.stopBot();
    expect(textOf(slack.messages(OWNER, CHANNEL))).toContain('left');
    expect(billing.requests.length).toBeGreaterThan(0);
    expect(redis.client.status).toBe('ready');
  });

  const rawCommand = (body: string) => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.length,
      ...bot.slack.signed(body),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return `POST /slack/events HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
  };

  it('waits for a request that is still arriving', async () => {
    await started();
    await bot.connect();
    bot.billing.setMode('slow');
    const text = rawCommand(COMMAND);
    const socket = connect(Number(new URL(bot.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (data) => {
      received += String(data);
    });
    await new Promise((resolve) => socket.write(text.slice(0, -10), resolve));
    const stopped = bot.stopBot();
    await bot.slack.waitFor(() =>
      fetch(`${bot.url}/healthz`).then(
        () => undefined,
        () => true,
      ),
    );
    socket.write(text.slice(-10));
    await stopped;
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*connection: close/is);
    expect(textOf(bot.slack.messages(OWNER, CHANNEL))).toContain('left');
  });

  it('closes connections that are still open when the time for answers is over', async () => {
    await started();
    const socket = connect(Number(new URL(bot.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('POST /slack/events HTTP/1.1\r\n');
    const closed = once(socket, 'close');
    await bot.stopBot(100);
    await closed;
  });
});
