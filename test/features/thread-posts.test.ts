/** Follow-up questions in the threads of scheduled posts and alerts. */
import { Big } from 'big.js';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createBillingClient } from '../../src/billing/client.ts';
import type { PostService } from '../../src/delivery/posts/post-service.ts';
import { makeReport } from '../../src/delivery/reports/make-report.ts';
import type { WorkspaceRunner } from '../../src/delivery/run.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import { createGuardedHttp } from '../../src/http/client.ts';
import { threadsKey } from '../../src/redis/keys.ts';
import { type Schedule, serializeWatch, type Watch } from '../../src/workspace/record/automation-records.ts';
import { type Answer, BOT_TOKEN, botOfEachTest, CHANNEL, DAY } from '../support/bot.ts';
import { createDeliveryParts, save, schedule } from '../support/delivery.ts';
import { directOf, TEAM } from '../support/people.ts';
import { addConnection, addProject, addProjects } from '../support/projects.ts';

const HOUR = DAY / 24;
const DIRECT = directOf(MEMBER);
const at = (text: string): number => Date.parse(text);
const NINE = at('2026-11-20T09:00:00Z');
const http = createGuardedHttp({ trustedHosts: [{ host: '127.0.0.1' }] });
/** A second process that delivers posts when a test tells it to. */
let runner: WorkspaceRunner;
let scheduling: PostService;
let close: () => Promise<void>;

const bot = botOfEachTest(async (bot) => {
  bot.clock.now = NINE;
  await addConnection(bot);
  await addProjects(bot, { prod: '123', staging: '456' });
  ({ runner, scheduling, close } = createDeliveryParts({
    redis: bot.redis.client,
    redisUrl: bot.redis.url,
    slackUrl: `${bot.slack.url}/api/`,
    keyring: bot.keyring,
    botToken: BOT_TOKEN,
    billing: createBillingClient({ http }),
    report: makeReport,
    clock: () => bot.clock.now,
  }));
});
afterEach(() => close());
afterAll(() => http.close());

/** Delivers what is due. @returns what Tally sent to the channel */
async function delivered(channel = CHANNEL) {
  const message = await bot.next(() => runner.run(TEAM), MEMBER, channel);
  // Sending doesn’t wait until the question is remembered.
  await expect.poll(async () => (await remembered()).some(({ at }) => at === bot.clock.now)).toBe(true);
  return message;
}

const ALIASES = { '123': 'prod', '456': 'staging' } as const;

async function posted(
  given: Partial<Schedule> & { ids?: readonly (keyof typeof ALIASES)[] } = {},
  channel = CHANNEL,
) {
  const { ids = ['123'], ...rest } = given;
  const projects = ids.map((id) => ({ id, product: 1 as const, alias: ALIASES[id] }));
  const timing = { cadence: { kind: 'daily' } as const, time: '09:00', zone: 'UTC' };
  await save(
    bot.redis.client,
    TEAM,
    schedule({ since: bot.clock.now - HOUR, waitHours: 0, timing, projects, ...rest }),
  );
  bot.clock.now += 5_000;
  return delivered(channel);
}

async function alerted(
  rule: WatchRule,
  target: { channel: string } | { people: string[] } = { channel: CHANNEL },
) {
  const watch: Watch = {
    id: 'watch001',
    projects: [{ id: '123', product: 1, alias: 'prod' }],
    rule,
    ...target,
    owner: OWNER,
    createdBy: OWNER,
    createdAt: bot.clock.now - DAY,
    since: bot.clock.now - DAY,
  };
  await bot.store({ 'watch:watch001': serializeWatch(watch) });
  return delivered('channel' in target ? CHANNEL : DIRECT);
}

async function say(text: string, thread: string | undefined, as = MEMBER, channel = CHANNEL) {
  bot.clock.now += 1_000;
  const message = await bot.ask(channel.startsWith('C') ? `@Tally ${text}` : text, as, channel, thread);
  await bot.waitUntilIdle();
  return { message, ...message };
}

const remembered = async () =>
  (await bot.redis.client.hvals(threadsKey(TEAM))).map((value) => JSON.parse(value));

describe('follow-up questions below a scheduled post', () => {
  it.each<[Parameters<typeof posted>[0], string, string]>([
    [{}, '/spend', 'prod 2026-11-19'],
    [{ ids: ['123', '456'] }, '/spend', 'prod,staging 2026-11-19'],
    [{ report: 'last-week' }, '/spend', 'prod 2026-11-09..2026-11-15'],
    [{ report: 'month-to-date' }, '/spend', 'prod 2026-11'],
    [{ report: 'balance' }, '/balance', 'prod'],
  ])('take missing words from the post’s schedule: %j', async (given, command, text) => {
    const { ts } = await posted(given);
    expect(await remembered()).toMatchObject([{ command, text, at: bot.clock.now }]);
    const { message } = await say('again', ts);
    expect(message).toMatchObject({ ephemeral: false, threadTs: ts });
    expect((await say('and staging?', ts)).visibleText).toContain('staging · ');
  });

  it('are about the day that the post reports, even if they are asked days later', async () => {
    const { ts } = await posted();
    bot.clock.now += 3 * DAY;
    const { visibleText } = await say('why?', ts);
    expect(visibleText).toContain('Thu 19 Nov');
    expect((await say('and the week before?', ts)).visibleText).not.toContain('Which project?');
    expect((await say('what about october?', ts)).visibleText).toMatch(/prod · [\s\S]*October/);
  });

  it('are about Friday to Sunday if the post was sent on a Monday', async () => {
    bot.clock.now = at('2026-11-23T09:00:00Z');
    const timing = { cadence: { kind: 'weekdays' } as const, time: '09:00', zone: 'UTC' };
    const { ts } = await posted({ timing });
    expect(await remembered()).toMatchObject([
      { text: 'prod 2026-11-20..2026-11-22 vs 2026-11-13..2026-11-15' },
    ]);
    expect((await say('and staging?', ts)).visibleText).toMatch(/staging · [\s\S]*20–22 Nov/);
  });

  it('are about the previous month if the post was sent on the first of a month', async () => {
    bot.clock.now = at('2026-12-01T09:00:00Z');
    const { ts } = await posted({ report: 'month-to-date' });
    bot.clock.now += 20 * DAY;
    expect((await say('and staging?', ts)).visibleText).toMatch(/staging · [\s\S]*November/);
  });

  it('are about the product in the post, even if the project has no name', async () => {
    bot.billing.setItems('777', '[{"day":"2026-11-19","totalAmount":5,"totalBonuses":0}]', 2);
    await posted({ projects: [{ id: '777', product: 2 }] });
    expect(await remembered()).toMatchObject([{ text: '777 2026-11-19 storage' }]);
  });

  it('are only about projects that the post shows', async () => {
    await addProject(bot, { alias: 'secret', id: '789', channels: ['C0OTHER001'] });
    const projects = [
      { id: '123', product: 1 as const, alias: 'prod' },
      { id: '789', product: 1 as const, alias: 'secret' },
    ];
    const { ts } = await posted({ projects });
    expect(await remembered()).toMatchObject([{ text: 'prod 2026-11-19', ids: { prod: '123' } }]);
    expect((await say('again', ts)).visibleText).not.toContain('secret');
  });

  it.each([
    ['now', CHANNEL],
    ['test', DIRECT],
  ] as const)('can also be asked below a post that somebody sent by hand (as “%s”)', async (how, channel) => {
    const projects = [{ id: '123', product: 1 as const, alias: 'prod' }];
    await scheduling.send(TEAM, schedule({ projects }), how, MEMBER);
    await expect.poll(async () => (await remembered()).length > 0).toBe(true);
    const { ts } = bot.answers(MEMBER, channel).at(-1)!;
    expect((await say('why?', ts, MEMBER, channel)).visibleText).toMatch(/prod · [\s\S]*Thu 19 Nov/);
  });

  it('get no figures if Redis could not store what the post was about', async () => {
    const projects = [{ id: '123', product: 1 as const, alias: 'prod' }];
    const timing = { cadence: { kind: 'daily' } as const, time: '09:00', zone: 'UTC' };
    await save(
      bot.redis.client,
      TEAM,
      schedule({ since: bot.clock.now - HOUR, waitHours: 0, timing, projects }),
    );
    bot.clock.now += 5_000;
    await bot.redis.client.set(threadsKey(TEAM), 'not a hash');
    await runner.run(TEAM);
    await runner.run(TEAM);
    await expect.poll(() => bot.answers(MEMBER)).toHaveLength(1);
    const [{ ts }] = bot.answers(MEMBER) as [Answer];
    expect((await say('why?', ts)).message.ephemeral).toBe(true);
    const lines = await bot.redis.client.hvals(`tally:{${TEAM}}:delivery-log`);
    expect(lines.filter((line) => line.includes('"state":"posted"'))).toHaveLength(1);
  });
});

describe('follow-up questions below an alert', () => {
  const days = (last: string) =>
    Array.from({ length: 50 }, (_, ago) => {
      const day = new Date(NINE - (ago + 1) * DAY).toISOString().slice(0, 10);
      return `{"day":"${day}","totalAmount":${ago === 0 ? last : '100'},"totalBonuses":0}`;
    });

  it.each<[WatchRule, string, string]>([
    [{ kind: 'budget', amount: new Big('1000') }, '/spend', 'prod 2026-11'],
    [{ kind: 'spike', factor: new Big('2'), floor: new Big('1') }, '/spend', 'prod 2026-11-19'],
    [{ kind: 'balance', below: new Big('1e20') }, '/balance', 'prod'],
    [{ kind: 'runway', days: 3_650 }, '/balance', 'prod'],
  ])('take missing words from the watch that sent the alert: %j', async (rule, command, text) => {
    bot.billing.setItems('123', `[${days('900').join(',')}]`);
    bot.billing.setBalance('123', '{"balance":1000,"bonuses":0}');
    const { ts } = await alerted(rule);
    expect(await remembered()).toMatchObject([{ command, text }]);
    expect((await say('why?', ts)).visibleText).toMatch(/prod/);
    expect((await say('and staging?', ts)).visibleText).toContain('staging · ');
  });

  it('refer to an alert in a direct message only if they are in the alert’s thread', async () => {
    bot.billing.setItems('123', `[${days('900').join(',')}]`);
    await say('spend staging october', undefined, MEMBER, DIRECT);
    bot.clock.now += HOUR;
    const spike = { kind: 'spike', factor: new Big('2'), floor: new Big('1') } as const;
    const { ts } = await alerted(spike, { people: [MEMBER] });
    expect((await say('why?', undefined, MEMBER, DIRECT)).visibleText).toContain('Which project?');
    expect((await say('why?', ts, MEMBER, DIRECT)).visibleText).toMatch(/prod · [\s\S]*Thu 19 Nov/);
    expect((await say('and october?', ts, MEMBER, DIRECT)).visibleText).toMatch(/prod · [\s\S]*October/);
  });
});

it('a post’s menu answers only the person who clicks', async () => {
  const posting = await posted();
  bot.clock.now += 1_000;
  const post = () => bot.answers(MEMBER).find((message) => message.ts === posting.ts);
  const blocks = post()?.blocks;
  const list = () => bot.choose(posting, 'rerun:more', '/billing schedules', MEMBER);
  const answer = await bot.next(list, MEMBER);
  expect(answer).toMatchObject({ ephemeral: true });
  expect(answer.visibleText).toContain('*Yesterday’s spend* for prod');
  await bot.choose(posting, 'rerun:more', '/spend prod 2026-11-19 details', MEMBER);
  await bot.slack.waitFor(() => bot.modal(MEMBER));
  expect(bot.view(MEMBER)).toContain('2026-11-19');
  expect(post()?.blocks).toEqual(blocks);
});
