import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IdentityService, startIdentity } from '../../sandbox/identity.ts';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createRateLimiter, RATE_LIMITS } from '../../src/slack/server/rate-limiter.ts';
import { type Bot, CHANNEL, goodToken, startBot, textOf, toAnswer } from '../support/bot.ts';
import { startOAuthBot } from '../support/oauth-bot.ts';
import { addProject } from '../support/projects.ts';
import { commandsOf } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const TOO_FAST = /^Too many requests from you\.\nTry again in (a second|\d+ seconds)\./;

describe('a person who sends too many requests', () => {
  /** Connecting takes two requests: a command and a form. */
  const LEFT = RATE_LIMITS.requests.person.most - 2;
  let bot: Bot;
  let time: number;
  beforeEach(async () => {
    time = 0;
    bot = await startBot({
      now: () => NOW,
      limits: createRateLimiter({ clock: () => time }),
      // The speed of acknowledgements is not tested here.
      ackTimeout: 15_000,
    });
    await bot.connect();
  });
  afterEach(() => bot.stop());

  const seen = (person = OWNER, channel = CHANNEL) =>
    bot.slack.messages(person, channel).filter(({ from }) => from !== person);
  const many = (count: number, work: () => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, work));

  it('gets answers at first, and then only the time to wait, without a call to Slack or billing', async () => {
    await many(60, () => bot.slack.say(OWNER, CHANNEL, '/balance 123'));
    await bot.slack.waitFor(() => seen().length === 60, 15_000);
    const refused = seen()
      .map(toAnswer)
      .filter(({ visibleText }) => TOO_FAST.test(visibleText));
    const answered = seen().filter(({ text }) => text.includes('left'));
    expect([answered.length, refused.length]).toEqual([LEFT, 60 - LEFT]);
    expect(refused.every(({ ephemeral }) => ephemeral)).toBe(true);
    expect(await bot.read('/balance 123', MEMBER)).toContain('left');
    const before = [bot.slack.calls.length, bot.billing.requests.length];
    const sent = await commandsOf(bot.redis, async () => {
      expect(await bot.read('/balance 123')).toMatch(TOO_FAST);
    });
    expect([bot.slack.calls.length, bot.billing.requests.length]).toEqual(before);
    // The check for a repeated request goes out before the limit is known.
    expect(sent).toEqual(['set']);
    expect(bot.slack.complaints).toEqual([]);
  });
});

describe('a person who has run too many tests', () => {
  const TOO_MANY = 'Too many requests from you.\nTry again in ';
  let bot: Bot;
  let identity: IdentityService;
  beforeEach(async () => {
    const limits = createRateLimiter({ clock: () => NOW });
    identity = await startIdentity({ now: () => NOW });
    bot = await startBot({ now: () => NOW, limits, identityUrl: identity.authUrl });
    await bot.connect();
    await addProject(bot, { alias: 'prod', id: '123' });
    for (let test = 1; test <= RATE_LIMITS.tests.person.most; test += 1)
      limits.take('tests', { teamId: 'T0SANDBOX1', userId: OWNER });
  });
  afterEach(() => Promise.all([bot.stop(), identity.close()]));

  const modalText = () => textOf(bot.slack.modal(OWNER)?.view);
  const shows = (text: string) => bot.slack.waitFor(() => modalText().includes(text), 10_000);
  const opened = async (command: string) => {
    await bot.slack.say(OWNER, CHANNEL, command);
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
  };
  /** Tally's public messages. */
  const posts = () => bot.slack.calls.filter(({ method }) => method === 'chat.postMessage');

  it.each<[string, string, () => Record<string, string>]>([
    ['a connection', '/billing connect', () => ({ token: goodToken(bot.billing) })],
    [
      'an application access',
      '/billing projects access prod',
      () => ({ access_id: identity.accesses.good.id, secret: identity.accesses.good.secret }),
    ],
  ])('cannot test %s, and the form stays open', async (_, command, values) => {
    const before = bot.billing.requests.length;
    await opened(command);
    await bot.slack.submit(OWNER, values());
    await shows(TOO_MANY);
    expect(modalText()).toContain('Test and save');
    expect([bot.billing.requests.length, identity.requests.length]).toEqual([before, 0]);
  });

  it('can save a schedule, but cannot send a test or use “Send now”', async () => {
    await opened('/billing schedule prod daily 09:00');
    await bot.slack.press(OWNER, { viewId: bot.slack.modal(OWNER)!.id }, 'Send a test to me');
    await shows(TOO_MANY);
    expect(posts()).toEqual([]);
    await bot.slack.submit(OWNER);
    await shows('Saved:');
    await bot.slack.dismiss(OWNER);
    const announced = posts().length;
    const { ts } = await bot.ask('/billing schedules');
    await bot.slack.choose(OWNER, { channel: CHANNEL, ts }, 'schedule-row', 'Send now');
    await bot.slack.waitFor(() => textOf(bot.slack.messages(OWNER, CHANNEL)).includes(TOO_MANY));
    expect(posts()).toHaveLength(announced);
  });
});

describe('two workspaces with the same billing service', () => {
  const NORTH = { id: 'T0NORTH001', name: 'North' };
  const SOUTH = { id: 'T0SOUTH001', name: 'South' };

  const startBoth = async () => {
    const bot = await startOAuthBot();
    for (const team of [NORTH, SOUTH]) await bot.install(team);
    await bot.connect(NORTH, 'Read-only');
    await bot.connect(SOUTH, 'Accountant');
    return bot;
  };

  it('don’t block each other if billing doesn’t answer one of them', async () => {
    const bot = await startBoth();
    try {
      let release = () => {};
      const released = new Promise<undefined>((resolve) => {
        release = () => resolve(undefined);
      });
      bot.billing.respond(({ token }) => (token === 'Read-only' ? released : undefined));
      const before = bot.billing.requests.length;
      const flood = Array.from({ length: 100 }, (_, n) => bot.command(NORTH, `/spend ${n + 1_000}`));
      const ended = Promise.allSettled(flood);
      await waitUntil(() => bot.billing.requests.length > before);
      const answers = await Promise.all(
        Array.from({ length: 13 }, (_, n) => bot.command(SOUTH, `/spend 123 ${n + 1} days`)),
      );
      expect(answers.filter(({ reply }) => reply.includes(' spent'))).toHaveLength(13);
      expect(bot.slack.replies.filter(({ body }) => String(body.text).includes(' spent'))).toHaveLength(13);
      release();
      await ended;
    } finally {
      bot.billing.respond(undefined);
      await bot.stop();
    }
  });

  it('don’t affect each other if billing returns errors to one of them', async () => {
    const bot = await startBoth();
    try {
      bot.billing.respond(({ token }) => (token === 'Read-only' ? { status: 503 } : undefined));
      await Promise.all(Array.from({ length: 12 }, (_, n) => bot.command(NORTH, `/balance ${n + 1_000}`)));
      expect((await bot.command(NORTH, '/balance 123')).reply).toContain('HTTP 503');
      expect((await bot.command(SOUTH, '/balance 123')).reply).toContain(' left');
    } finally {
      bot.billing.respond(undefined);
      await bot.stop();
    }
  });
});

it('requests over the rate limit are counted in the metrics', async () => {
  const bot = await startBot({ limits: 'ordinary' });
  try {
    const helps = Array.from({ length: 60 }, () => bot.slack.say(OWNER, CHANNEL, '/billing help'));
    await Promise.all(helps);
    const page = await (await fetch(`${bot.url}/metrics`)).text();
    expect(page).toMatch(/^tally_throttled_total\{what="requests",whose="person"\} \d+$/m);
  } finally {
    await bot.stop();
  }
});
