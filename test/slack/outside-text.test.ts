import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type Answer, type Bot, CHANNEL, startBot } from '../support/bot.ts';
import { createDeliveryParts, finding, save, schedule } from '../support/delivery.ts';
import { startMinimalSlack } from '../support/minimal-slack.ts';
import { addProject, storedProject } from '../support/projects.ts';
import { testRedis } from '../support/redis.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const HASH = 'tally:{T0SANDBOX1}:record';
/** Tally shows at most 40 characters of an unreadable amount. */
const HOSTILE = '<!channel> <https://x.io|click> <@U1>';
const JSONS = JSON.stringify(HOSTILE);
const DIRECT = 'D0OWNER001';

/** Mark-up that Tally writes itself: dates, people and channels. */
const OWN = /<!date\^\d+\^[^|<>]+\|[^<>]+>|<@[UW][A-Z0-9]{2,}>|<#[CG][A-Z0-9]{2,}>/g;

/** All texts in which Slack reads mark-up: the `text` of messages and of mrkdwn elements. */
function markedIn(sent: unknown): string[] {
  if (Array.isArray(sent)) return sent.flatMap(markedIn);
  if (typeof sent !== 'object' || sent === null) return [];
  const { type, text } = sent as { type?: unknown; text?: unknown };
  const isMarked = typeof text === 'string' && (type === undefined || type === 'mrkdwn');
  return [...(isMarked ? [text] : []), ...Object.values(sent).flatMap(markedIn)];
}

describe('untrusted text', () => {
  let bot: Bot;
  const heard: Answer[] = [];
  const sent = (): unknown[] => [
    ...bot.slack.calls.map(({ args }) => args),
    ...[OWNER, MEMBER].flatMap((person) =>
      [CHANNEL, DIRECT, 'D0MEMBER01'].flatMap((channel) =>
        bot.slack
          .messages(person, channel)
          .filter(({ from }) => from !== person && from !== OWNER && from !== MEMBER)
          .map(({ text, blocks }) => ({ text, blocks })),
      ),
    ),
  ];

  beforeAll(async () => {
    bot = await startBot({ now: () => NOW });
    await bot.connect();
    const { client } = bot.redis;
    await addProject(bot, { alias: 'prod', id: '7001' });
    await addProject(bot, { alias: 'web', id: '7002', currency: HOSTILE });
    await addProject(bot, { alias: HOSTILE, id: '7003', currency: HOSTILE });
    await addProject(bot, { alias: 'lost', id: '7004', connection: HOSTILE });
    const main = JSON.parse((await client.hget(HASH, 'connection:main')) ?? '{}');
    const second = { ...main, name: HOSTILE, account: HOSTILE, lastFour: '<!h>', fingerprint: HOSTILE };
    await client.hset(HASH, `connection:${HOSTILE}`, JSON.stringify(second));
    await client.hset(HASH, 'settings', JSON.stringify({ connection: 'main', currency: HOSTILE }));
    bot.billing.setBalance('7001', `{"balance":${JSONS},"bonuses":${JSONS}}`);
    bot.billing.setBalance('7003', '{"balance":10,"bonuses":10}');
    bot.billing.setBalance('7002', '{"balance":10,"bonuses":10}');
    for (const id of ['7001', '7002', '7003'])
      bot.billing.setItems(id, `[{"day":${JSONS},"totalAmount":${JSONS},"totalBonuses":{"a":${JSONS}}}]`);
  });
  afterAll(() => bot.stop());

  const ask = async (text: string, person = OWNER) => heard.push(await bot.ask(text, person));
  const press = async (label: string) => {
    const { ts } = heard.at(-1)!;
    const before = bot.slack.messages(MEMBER, CHANNEL).length;
    await bot.slack.press(OWNER, { channel: CHANNEL, ts }, label);
    await bot.slack.waitFor(() => bot.slack.messages(MEMBER, CHANNEL).length > before);
  };

  async function askEverything(): Promise<void> {
    await ask('/balance prod');
    await press('Share');
    for (const text of ['/balance web', '/balance lost', '/balance 7003', '/spend 7003 mtd', '/spend web'])
      await ask(text);
    await press('Share');
    const typed = [
      ...['/spend', '/balance', '/os-token', '@Tally', '@Tally spend', '/billing', '/billing projects'],
      ...['/billing projects edit', '/billing default', '/billing disconnect', '/billing connect'],
      '/billing schedule',
    ];
    for (const command of typed) await ask(`${command} ${HOSTILE}`);
    const lists = ['projects', 'status', 'audit', 'schedules', 'default', 'default prod', 'help'];
    for (const verb of lists) await ask(`/billing ${verb}`);
    await bot.slack.say(OWNER, CHANNEL, '/billing disconnect');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    await bot.slack.dismiss(OWNER);
    await ask('/balance');
    bot.billing.respond(() => ({ status: 200, body: `{"data":null,"errors":[{"message":${JSONS}}]}` }));
    await ask('/balance prod');
    await ask('/spend prod');
    bot.billing.respond(() => ({ status: 302, headers: { location: 'https://x.io/%3C!channel%3E' } }));
    await ask('/balance prod');
    bot.billing.respond(undefined);
    await bot.slack.openHome(OWNER);
    await bot.slack.waitFor(() => bot.slack.home(OWNER));
  }

  async function sendScheduledPost(): Promise<void> {
    await bot.slack.say(OWNER, CHANNEL, '/billing schedule prod balance daily 09:00');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    await bot.slack.submit(OWNER);
    await bot.slack.waitFor(() => JSON.stringify(bot.slack.modal(OWNER)?.view ?? '').includes('Saved'));
    await ask('/billing schedules');
    const [id] = (await bot.redis.client.hkeys(HASH)).filter((key) => key.startsWith('schedule:'));
    const place = { channel: CHANNEL, ts: heard.at(-1)!.ts };
    const value = `now ${id?.slice('schedule:'.length)}`;
    const before = bot.slack.messages(MEMBER, CHANNEL).length;
    await bot.slack.choose(OWNER, place, 'schedule-row', value);
    await bot.slack.waitFor(() => bot.slack.messages(MEMBER, CHANNEL).length > before);
  }

  it('is escaped wherever Slack would read mark-up', async () => {
    await askEverything();
    await sendScheduledPost();
    const texts = markedIn(sent());
    const harmless = texts.filter((text) => text.includes('&lt;!channel&gt;'));
    expect(harmless.length).toBeGreaterThan(10);
    expect(texts.filter((text) => text.replace(OWN, '').includes('<'))).toEqual([]);
    // Slack also reads mark-up in a message's own `text`.
    const tops = sent().flatMap((one) => (one as { text?: unknown }).text ?? []) as string[];
    for (const part of ['prod · unreadable balance (&lt;!channel&gt;', '&lt;@U1&gt; · '])
      expect(tops.some((text) => text.includes(part))).toBe(true);
    expect(tops.filter((text) => text.includes('<'))).toEqual([]);
  });
});

describe('a scheduled post that is late, is corrected, or fails', () => {
  it('escapes untrusted text so that Slack reads no mark-up in it', async () => {
    const nine = Date.parse('2026-11-20T08:00:00Z');
    let now = nine + 20 * 60_000;
    let digits = '100';
    let fails = false;
    const [redis, slack] = await Promise.all([testRedis(), startMinimalSlack()]);
    slack.now = () => now;
    const parts = createDeliveryParts({
      redis: redis.client,
      redisUrl: redis.url,
      slackUrl: slack.url,
      clock: () => now,
      report() {
        if (fails) throw new Error(HOSTILE);
        const { message, ...found } = finding(digits);
        return { ...found, message: { text: `${HOSTILE} ${digits}`, blocks: message.blocks } };
      },
    });
    const project = storedProject({ alias: HOSTILE, id: '123' });
    await redis.client.hset('tally:{T0TEAM0001}:record', `project:${HOSTILE}`, JSON.stringify(project));
    await save(redis.client, 'T0TEAM0001', schedule({ since: nine - 3_600_000 }));
    await parts.runner.run('T0TEAM0001');
    digits = '400';
    now += 6 * 3_600_000;
    await parts.runner.run('T0TEAM0001');
    fails = true;
    for (now = nine + 24 * 3_600_000; now < nine + 26 * 3_600_000; now += 5 * 60_000)
      await parts.runner.run('T0TEAM0001');
    const texts = slack.calls
      .filter(({ method }) => method.startsWith('chat.'))
      .map(({ args }) => ({ text: args.get('text') ?? '', blocks: JSON.parse(args.get('blocks') ?? '[]') }));
    await parts.close();
    await Promise.all([slack.close(), redis.close()]);
    for (const part of ['Late', 'corrected', 'wasn’t posted'])
      expect(
        texts.some(
          ({ text, blocks }) =>
            JSON.stringify([text, blocks]).includes(part) && text.includes('&lt;!channel&gt;'),
        ),
      ).toBe(true);
    expect(markedIn(texts).filter((text) => text.replace(OWN, '').includes('<'))).toEqual([]);
  });
});
