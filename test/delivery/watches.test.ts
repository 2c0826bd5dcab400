import { Big } from 'big.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/domain/failure/index.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import { addDays } from '../../src/domain/time/calendar.ts';
import { UNLIMITED } from '../../src/workspace/projects/project-scope.ts';
import { resolveProject } from '../../src/workspace/projects/resolve-project.ts';
import type { Watch } from '../../src/workspace/record/automation-records.ts';
import { createFakeBilling, type FakeBilling } from '../support/fake-billing.ts';
import { alertNameOf, directMessage } from '../support/minimal-slack.ts';
import { changeIn } from '../support/projects.ts';
import { startDelivery, TEAM } from './start-delivery.ts';

const CHANNEL = 'C0COSTS001';
const OWNER = 'U0OWNER001';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (text: string): number => Date.parse(text);
const BEGIN = at('2026-11-20T08:00:00Z');

let balance: number | undefined;
let bonuses: number;
let amounts: Map<string, number>;
let fakeBilling: FakeBilling;
const delivery = await startDelivery(BEGIN, () => {
  fakeBilling = createFakeBilling(
    () => ({ amounts: () => amounts, balance: () => balance, bonuses: () => bonuses }),
    () => delivery.now,
  );
  return { billing: fakeBilling.client };
});
const { slack, forHours, load, run } = delivery;

beforeEach(async () => {
  [balance, bonuses] = [100_000, 0];
  amounts = new Map(Array.from({ length: 120 }, (_, n) => [addDays('2026-11-20', -n - 1), 1_000]));
  await connect('a good token');
});

const connect = (token: string) =>
  delivery.save({ connections: [{ token, registeredBy: OWNER, registeredAt: delivery.now }] });
const watch = (rule: WatchRule, given: Partial<Watch> = {}) =>
  ({
    id: 'watch001',
    projects: [{ id: '123', product: 1 }],
    rule,
    channel: CHANNEL,
    owner: OWNER,
    createdBy: OWNER,
    createdAt: BEGIN,
    since: BEGIN,
    ...given,
  }) as Watch;
const save = (one: Watch) => delivery.save({ watches: [one] });
const BALANCE: WatchRule = { kind: 'balance', below: new Big(50_000) };
const stateOf = async (id = 'watch001') => (await delivery.parts.watching.loadStates(await load())).get(id);
const acknowledge = (by: string, alert = newestAlert()) => {
  const response = { acknowledged: { by, at: delivery.now } };
  return delivery.parts.watching.respond(TEAM, 'watch001', alert, response);
};
const alerts = (channel = CHANNEL) => slack.posts.filter((post) => post.channel === channel);
const newestAlert = () => alertNameOf(slack.posts.at(-1), 'watch001');

const PROD = {
  alias: 'prod',
  id: '123',
  product: 1 as const,
  channels: [],
  owner: OWNER,
  addedBy: OWNER,
  addedAt: 0,
} as const;

describe('a watched project', () => {
  it.each<WatchRule>([BALANCE, { kind: 'runway', days: 14 }])(
    'gets an estimate of how long its money lasts when its $kind is checked',
    async (rule) => {
      await delivery.parts.workspaces.addProject(await changeIn(delivery.parts.workspaces, TEAM), PROD);
      await save(watch(rule));
      await forHours(1);
      expect((await load()).lastBalance('123', 1)?.days).toBe(100);
    },
  );
});

describe('a watch on a balance', () => {
  it('is checked every hour, and alerts once when the balance falls below the threshold', async () => {
    await save(watch(BALANCE));
    await forHours(3);
    expect(alerts()).toEqual([]);
    balance = 48_210;
    await forHours(5);
    expect(alerts()).toHaveLength(1);
    const [alert] = alerts();
    const title = 'Project 123 has 48,210.00 left, below 50,000.00';
    const why = 'At 1,000.00 a day (average of the last 7 days), the balance reaches zero around 7 Jan 2027.';
    expect(alert?.text).toBe(`${title}. ${why}`);
    expect(alert?.blocks).toContain(title);
    expect(alert?.blocks).toContain(why);
    expect(alert?.blocks).toContain(`set up by <@${OWNER}>`);
    expect(alert?.blocks).toContain('watch-acknowledge');
    expect(await stateOf()).toMatchObject({ isCrossed: true, problem: undefined });
  });

  it('updates its alert when the balance recovers, and alerts again when the balance falls again', async () => {
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(2);
    balance = 50_500;
    await forHours(2);
    expect(alerts()).toMatchObject([{ edits: 0 }]);
    balance = 51_000;
    await forHours(2);
    const [first] = alerts();
    expect(first).toMatchObject({ text: 'Project 123 recovered: 51,000.00 left', edits: 1 });
    expect(first?.blocks).toContain('Alert · Project 123 has 40,000.00 left, below 50,000.00');
    expect(first?.blocks).not.toContain('watch-acknowledge');
    balance = 49_000;
    await forHours(2);
    expect(alerts().map(({ text, thread }) => [text.split('. ')[0], thread])).toEqual([
      ['Project 123 recovered: 51,000.00 left', undefined],
      ['Project 123 has 49,000.00 left, below 50,000.00', undefined],
    ]);
  });

  it('names the project by its newest alias when it updates the alert', async () => {
    await save(watch(BALANCE));
    balance = 48_210;
    await forHours(2);
    await delivery.save({ projects: [{}] });
    balance = 60_000;
    await forHours(2);
    expect(alerts()[0]?.text).toBe('prod recovered: 60,000.00 left');
  });

  it('accepts one acknowledgement of its alert, and shows who acknowledged the alert', async () => {
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(1);
    const alert = newestAlert();
    expect(await acknowledge('U0OTHER001', alert)).toBe('recorded');
    expect(await acknowledge('U0OTHER001', alert)).toBe('repeated');
    expect(await acknowledge('U0OTHER001', 'another')).toBe('gone');
    await run();
    expect(alerts()[0]?.blocks).toContain('Acknowledged by <@U0OTHER001>');
    expect(alerts()[0]?.blocks).not.toContain('watch-acknowledge');
    expect(alerts()[0]?.blocks).toContain('watch-more');
    expect(alerts()).toHaveLength(1);
  });

  it('alerts each of its recipients once, in a direct message', async () => {
    await save(watch(BALANCE, { channel: undefined, people: ['U0ANNA0001', 'U0BEN00001'] }));
    balance = 40_000;
    await forHours(3);
    expect(alerts(directMessage('U0ANNA0001'))).toHaveLength(1);
    expect(alerts(directMessage('U0BEN00001'))).toHaveLength(1);
    expect(slack.posts).toHaveLength(2);
  });

  it.each<[string, () => Partial<Watch>]>([
    ['a snooze', () => ({ snoozedUntil: delivery.now + 10 * HOUR })],
    ['a pause', () => ({ paused: { at: delivery.now, by: OWNER } })],
  ])('alerts after %s only if the balance is still below the threshold', async (_, given) => {
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(2);
    await save(watch(BALANCE, given()));
    balance = 60_000;
    await forHours(3);
    expect(alerts()[0]?.blocks).toContain('Project 123 recovered: 60,000.00 left');
    balance = 30_000;
    await forHours(3);
    expect(slack.posts).toHaveLength(1);
    await save(watch(BALANCE));
    await forHours(2);
    expect(alerts().map(({ text }) => text.split(',')[0])).toEqual([
      'Project 123 recovered: 60',
      'Project 123 has 30',
    ]);
    await save(watch(BALANCE, given()));
    balance = 60_000;
    await forHours(2);
    balance = 20_000;
    await forHours(2);
    balance = 60_000;
    await forHours(2);
    await save(watch(BALANCE));
    await forHours(2);
    expect(slack.posts).toHaveLength(2);
  });

  it('drops an unsent alert if the balance recovers during a pause', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'fatal_but_not_unclear' : undefined);
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(1);
    slack.fault = () => undefined;
    await save(watch(BALANCE, { paused: { at: delivery.now, by: OWNER } }));
    balance = 60_000;
    await forHours(2);
    await save(watch(BALANCE));
    await forHours(2);
    expect(slack.posts).toEqual([]);
  });

  it('estimates how long the balance lasts without counting bonuses', async () => {
    bonuses = 500_000;
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(1);
    expect(alerts()[0]?.blocks).toContain('the balance reaches zero around 30 Dec 2026.');
  });

  it('drops an unsent alert when someone pauses the watch', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'fatal_but_not_unclear' : undefined);
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(2);
    slack.fault = () => undefined;
    await save(watch(BALANCE, { paused: { at: delivery.now, by: OWNER } }));
    await forHours(3);
    expect(slack.posts).toEqual([]);
    await save(watch(BALANCE));
    await forHours(1);
    expect(alerts()).toHaveLength(1);
  });

  it('alerts again if the balance is also below an edited threshold', async () => {
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(2);
    await save(watch({ kind: 'balance', below: new Big(45_000) }, { since: delivery.now }));
    await forHours(2);
    expect(alerts().map(({ text }) => text.split('. ')[0])).toEqual([
      'Project 123 has 40,000.00 left, below 50,000.00',
      'Project 123 has 40,000.00 left, below 45,000.00',
    ]);
  });

  it('doesn’t alert while the balance is unknown, and its status says why', async () => {
    await save(watch(BALANCE));
    balance = undefined;
    await forHours(3);
    expect(slack.posts).toEqual([]);
    expect(await stateOf()).toMatchObject({
      isCrossed: false,
      problem: 'No Cloud platform data for project 123.',
    });
  });
});

describe('a watch on a budget', () => {
  const BUDGET: WatchRule = { kind: 'budget', amount: new Big(22_500) };

  it('no longer counts its threshold as exceeded once a new month begins', async () => {
    await save(watch(BUDGET));
    await forHours(1);
    expect(await stateOf()).toMatchObject({ isCrossed: true });
    await delivery.until(at('2026-12-01T02:00:00Z'));
    expect(await stateOf()).toMatchObject({ isCrossed: false });
  });

  it('alerts about an expected overrun, then again when spending exceeds the budget', async () => {
    // 19 days at 1,000: 84 % of the budget, and a forecast above it.
    await save(watch(BUDGET));
    await forHours(1);
    const expected = 'Project 123 is expected to pass its November budget: about 30,000 of 22,500.00';
    expect(alerts()).toMatchObject([{ text: expect.stringContaining(expected) }]);
    for (const day of ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23']) amounts.set(day, 1_000);
    await forHours(4 * 24);
    expect(alerts()).toMatchObject([
      { text: expect.stringContaining(expected), edits: 0 },
      {
        text: expect.stringContaining('Project 123 passed its November budget: 23,000.00 of 22,500.00'),
        thread: undefined,
        edits: 0,
      },
    ]);
  });

  it('says in its alert what the whole month cost if the month ended within the budget', async () => {
    await save(watch({ kind: 'budget', amount: new Big(29_900) }));
    await forHours(1);
    expect(alerts()[0]?.text).toContain('is expected to pass its November budget: about 30,000 of 29,900.00');
    const report = (...days: readonly number[]) => {
      for (const day of days) amounts.set(`2026-11-${day}`, 990);
    };
    report(20, 21, 22, 23, 25, 26, 27, 28, 29);
    await delivery.until(at('2026-12-01T08:00:00Z'));
    expect(alerts()[0]?.edits).toBe(0);
    report(30);
    await forHours(2);
    expect(alerts()[0]?.edits).toBe(0);
    report(24);
    await forHours(2);
    const ended = 'Project 123: November ended at 29,890.00 of 29,900.00';
    expect(alerts()[0]).toMatchObject({ text: ended, edits: 1 });
    expect(alerts()[0]?.blocks).not.toContain('watch-acknowledge');
    amounts.set('2026-11-24', 995);
    await forHours(2);
    const corrected = 'Project 123: billing now reports 29,895.00 for November';
    expect(alerts()[0]).toMatchObject({ text: corrected, edits: 2 });
    await delivery.until(at('2026-12-10T08:00:00Z'));
    expect(alerts()[0]?.edits).toBe(2);
  });

  it('waits at most a week for unreported days before it says what the month cost', async () => {
    await save(watch({ kind: 'budget', amount: new Big(29_900) }));
    await forHours(1);
    await delivery.until(at('2026-12-06T23:00:00Z'));
    expect(alerts()[0]?.edits).toBe(0);
    await forHours(2);
    expect(alerts()[0]?.text).toBe(
      'Project 123: November ended at 19,000.00 of 29,900.00 (19 of 30 days reported)',
    );
  });
});

describe('a watch on unusually expensive days', () => {
  const SPIKE: WatchRule = { kind: 'spike', factor: new Big(2), floor: new Big(0) };

  it('says that a day’s cost was corrected down, and alerts again if the cost rises', async () => {
    await save(watch(SPIKE, { since: BEGIN - 9 * 24 * HOUR }));
    const day = '2026-11-19';
    const report = async (cost: number) => {
      amounts.set(day, cost);
      await forHours(2);
    };
    await report(9_000);
    expect(alerts()[0]?.text).toContain('cost 9,000.00 on Thu 19 Nov, 9 times the usual');
    await report(1_500);
    expect(alerts()).toMatchObject([
      { text: 'Project 123 recovered: billing now reports 1,500.00 for Thu 19 Nov', edits: 1 },
    ]);
    await report(8_000);
    expect(alerts()).toHaveLength(2);
    expect(alerts()[1]?.text).toContain('cost 8,000.00 on Thu 19 Nov');
    expect(alerts()[1]?.blocks).not.toContain('ecovered');
    await report(8_500);
    expect(alerts()).toHaveLength(2);
    expect(alerts()[1]?.text).toBe('Project 123: billing now reports 8,500.00 for Thu 19 Nov');
    expect(alerts()[1]?.blocks).toContain('Alert · Project 123 cost 8,000.00 on Thu 19 Nov');
    expect(alerts()[1]?.blocks).toContain('watch-acknowledge');
  });
});

describe('an alert', () => {
  const [ANNA, BEN, BOSS, REGISTRANT] = ['U0ANNA0001', 'U0BEN00001', 'U0BOSS0001', 'U0REGIS001'];
  const isPost = ({ method }: { method: string }) => method === 'chat.postMessage';
  const people = (...to: readonly string[]) => ({ channel: undefined, people: to });
  const calls = (method: string) => slack.calls.filter((call) => call.method === method).length;
  /** Slack takes nothing for these channels and people. */
  const refuses = (code: string, ...to: readonly (string | undefined)[]) => {
    slack.fault = ({ method, args }) => {
      if (method === 'chat.postMessage') return to.includes(args.get('channel') ?? '') ? code : undefined;
      return method === 'conversations.open' && to.includes(args.get('users') ?? '') ? code : undefined;
    };
  };

  it('says how many of the last 7 days billing has reported', async () => {
    for (const ago of [2, 3, 4, 5]) amounts.delete(addDays('2026-11-20', -ago));
    await save(watch({ kind: 'runway', days: 100 }));
    balance = 40_000;
    await forHours(1);
    expect(alerts()[0]?.blocks).toContain(
      'Cloud platform · project 123 · UTC · 3 of the last 7 days reported · set up by',
    );
  });

  it('isn’t sent if the balance recovers before Slack accepts the alert', async () => {
    slack.fault = (call) => (isPost(call) ? 'fatal_but_not_unclear' : undefined);
    await save(watch(BALANCE));
    balance = 40_000;
    await delivery.until(delivery.now + 76 * MINUTE);
    expect(calls('chat.postMessage')).toBeGreaterThan(10);
    balance = 60_000;
    await forHours(1);
    slack.fault = () => undefined;
    await forHours(24);
    expect(slack.posts).toEqual([]);
    balance = 40_000;
    await forHours(2);
    expect(alerts()).toHaveLength(1);
  });

  it('says that the balance recovered, even if Slack didn’t confirm the alert', async () => {
    slack.fault = (call) => (isPost(call) ? { status: 502, take: true } : undefined);
    await save(watch(BALANCE));
    balance = 40_000;
    await run();
    balance = 60_000;
    await forHours(2);
    expect(alerts()).toMatchObject([{ text: 'Project 123 recovered: 60,000.00 left' }]);
  });

  it.each([
    ['is sent after all if a search doesn’t find it', false],
    ['isn’t sent again if a search finds it', true],
  ])('that Slack didn’t confirm before its watch was paused %s', async (_, take) => {
    slack.fault = (call) => (isPost(call) ? { status: 502, take } : undefined);
    await save(watch(BALANCE));
    balance = 40_000;
    await run();
    await save(watch(BALANCE, { paused: { at: delivery.now, by: OWNER } }));
    slack.fault = () => undefined;
    await forHours(3);
    expect(alerts()).toHaveLength(1);
  });

  it('can be acknowledged even if Slack didn’t confirm it', async () => {
    slack.fault = (call) => (isPost(call) ? { status: 502, take: true } : undefined);
    await save(watch(BALANCE));
    balance = 40_000;
    await run();
    expect(await acknowledge(ANNA)).toBe('recorded');
    slack.fault = () => undefined;
    await delivery.until(delivery.now + 5 * MINUTE);
    expect(alerts()).toMatchObject([{ blocks: expect.stringContaining(`Acknowledged by <@${ANNA}>`) }]);
  });

  it.each(['paused', 'snoozed'] as const)(
    'that reached one of two people isn’t sent to the other while its watch is %s',
    async (how) => {
      const two = people(ANNA, BEN);
      refuses('msg_too_long', directMessage(BEN));
      await save(watch(BALANCE, two));
      balance = 40_000;
      await forHours(1);
      slack.fault = () => undefined;
      const muted =
        how === 'paused'
          ? { paused: { at: delivery.now, by: OWNER } }
          : { snoozedUntil: delivery.now + 9 * HOUR };
      await save(watch(BALANCE, { ...two, ...muted }));
      expect(await acknowledge(ANNA)).toBe('recorded');
      await forHours(3);
      expect(alerts(directMessage(ANNA))).toMatchObject([{ edits: 1 }]);
      expect(alerts(directMessage(BEN))).toEqual([]);
      await save(watch(BALANCE, two));
      await forHours(2);
      expect(alerts(directMessage(BEN))).toHaveLength(1);
    },
  );

  it('goes to the person who connected billing if channel, owner and managers can’t be reached', async () => {
    await delivery.save({
      settings: { managers: [BOSS] },
      connections: [{ token: 'a good token', registeredBy: REGISTRANT }],
    });
    refuses('user_disabled', CHANNEL, OWNER, BOSS);
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(1);
    expect(slack.posts.map(({ channel }) => channel)).toEqual([directMessage(REGISTRANT)]);
    expect(slack.posts[0]?.blocks).toContain(`This was meant for <#${CHANNEL}>.`);
  });

  it.each(['user_not_found', 'user_disabled'])(
    'goes to a manager instead of an unreachable recipient, and to nobody twice: %s',
    async (code) => {
      await delivery.save({ settings: { managers: [BOSS] } });
      refuses(code, ANNA);
      await save(watch(BALANCE, people(ANNA, OWNER)));
      balance = 40_000;
      await forHours(3);
      expect(slack.posts.map(({ channel }) => channel).sort()).toEqual(
        [BOSS, OWNER].map(directMessage).sort(),
      );
    },
  );

  it('is recorded as undelivered if nobody can be reached, and the watch’s status says why', async () => {
    await delivery.save({ settings: { managers: [BOSS] } });
    refuses('user_disabled', ANNA, OWNER, BOSS);
    await save(watch(BALANCE, people(ANNA)));
    balance = 40_000;
    await forHours(3);
    expect(slack.posts).toEqual([]);
    expect((await stateOf())?.undelivered).toMatch(/^[A-Z].+\.$/);
  });
});

it.each<[string, Partial<Watch>, Partial<Watch>, number]>([
  [
    'a change of the rule',
    {},
    { rule: { kind: 'balance', below: new Big(200_000) }, since: BEGIN + HOUR },
    0,
  ],
  ['the creation of a watch', {}, { id: 'watch002', rule: { kind: 'balance', below: new Big(200_000) } }, 0],
  ['the end of a pause', { paused: { at: BEGIN, by: OWNER } }, {}, 0],
  ['the end of a snooze', {}, { snoozedUntil: BEGIN + HOUR + 5 * MINUTE }, 5],
])('an alert is sent at once after %s', async (_, before, after, minutes) => {
  const isPausedOrSnoozed = 'paused' in before || 'snoozedUntil' in after;
  balance = isPausedOrSnoozed ? 40_000 : 100_000;
  await save(watch(BALANCE, 'snoozedUntil' in after ? after : before));
  await forHours(1);
  expect(slack.posts).toEqual([]);
  await save(watch(BALANCE, after));
  await delivery.until(delivery.now + minutes * MINUTE);
  expect(alerts()).toHaveLength(1);
});

describe('billing queries for a watched project', () => {
  const RUNWAY: WatchRule = { kind: 'runway', days: 3 };
  const BUDGET: WatchRule = { kind: 'budget', amount: new Big(900_000) };
  const TODAY = '2026-11-20';
  const asked = () => fakeBilling.asked.map(({ what, project }) => `${what} ${project}`).sort();

  it.each<[string, readonly WatchRule[], readonly string[]]>([
    ['a balance, with how long it lasts', [BALANCE], ['balance 123', 'consumption 123']],
    ['a budget', [BUDGET], ['consumption 123']],
    ['a runway', [RUNWAY], ['balance 123', 'consumption 123']],
    ['several rules', [BUDGET, BALANCE, RUNWAY, BALANCE], ['balance 123', 'consumption 123']],
  ])('fetch only once what the project’s watches need: %s', async (_, rules, expected) => {
    for (const [n, rule] of rules.entries()) await save(watch(rule, { id: `watch00${n}` }));
    await run();
    expect(asked()).toEqual(expected);
  });

  it('are not sent while the workspace’s settings are damaged', async () => {
    await save(watch(BALANCE));
    await delivery.set({ settings: '{' });
    await forHours(2);
    expect([asked(), slack.posts]).toEqual([[], []]);
  });

  it('are repeated an hour after a failure, and the watch’s status names the failure', async () => {
    await save(watch(RUNWAY));
    fakeBilling.failure = (_, __, what) =>
      what === 'consumption' ? new Failure('queue-full', { service: 'billing' }) : undefined;
    await run();
    expect(await stateOf()).toMatchObject({ problem: expect.any(String), measurement: undefined });
    expect(asked()).toEqual(['balance 123', 'consumption 123']);
    fakeBilling.failure = () => undefined;
    await forHours(1);
    expect(await stateOf()).toMatchObject({ problem: undefined, measurement: { kind: 'runway' } });
  });

  it('get the figures for a preview before the watch is saved', async () => {
    const workspace = await load();
    const project = resolveProject({ project: '123', product: 1 }, workspace, UNLIMITED);
    const preview = await delivery.parts.watching.fetchPreview(workspace, project, RUNWAY);
    expect(preview).toMatchObject({
      today: TODAY,
      source: 'main',
      account: { balance: '100000.00' },
      usage: { until: '2026-11-19', zone: 'UTC', days: { '2026-11-19': '1000.00' } },
    });
  });
});

describe('the status of a watch', () => {
  it('says when the watch is checked, what was measured, and whether the threshold is crossed', async () => {
    await save(watch(BALANCE));
    expect(await stateOf()).toMatchObject({ checkedAt: undefined, measurement: undefined });
    const next = await run();
    expect(await stateOf()).toMatchObject({ checkedAt: BEGIN, nextCheckAt: next, isCrossed: false });
    expect((await stateOf())?.measurement).toMatchObject({ kind: 'balance' });
    balance = 40_000;
    await forHours(1);
    expect(await stateOf()).toMatchObject({ isCrossed: true });
    balance = 60_000;
    await forHours(1);
    expect((await stateOf())?.isCrossed).toBe(false);
    await save(watch(BALANCE, { paused: { at: delivery.now, by: OWNER } }));
    expect((await stateOf())?.nextCheckAt).toBeUndefined();
  });

  it('says that the watch is paused while its project is limited to other channels', async () => {
    await delivery.save({ projects: [{ channels: ['C0ELSEWHERE'] }] });
    await save(watch(BALANCE));
    expect(await stateOf()).toMatchObject({ isPaused: true });
  });
});

describe('the owner of a paused watch', () => {
  const notices = () => alerts(directMessage(OWNER)).map(({ text, edits }) => ({ text, edits }));
  const works = { text: 'The balance watch for prod works again', edits: 1 };

  it.each<[string, string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'the project is limited to other channels',
      'The balance watch for a project you can’t ask about here is paused.',
      () => delivery.save({ projects: [{ channels: ['C0ELSEWHERE'] }] }),
      () => delivery.save({ projects: [{}] }),
    ],
    [
      'the connection is removed',
      'The balance watch for prod is paused. Tally isn’t connected',
      () => delivery.remove('connection:main'),
      () => connect('a new token'),
    ],
    [
      'the service rejects the token',
      'The balance watch for prod is paused. The billing service rejected the access token (HTTP 401).',
      () => delivery.save({ connections: [{ token: 'a bad token', registeredBy: 'U0OTHER001' }] }),
      () => connect('a new token'),
    ],
  ])(
    'gets one notice if %s, and the notice is edited once the watch works again',
    async (_, text, pause, mend) => {
      await delivery.save({ projects: [{}] });
      await save(watch(BALANCE));
      fakeBilling.failure = ({ token }) =>
        token === 'a bad token' ? new Failure('token-rejected', { service: 'billing' }) : undefined;
      await forHours(1);
      await pause();
      await forHours(5);
      expect(notices()).toEqual([{ text: expect.stringContaining(text), edits: 0 }]);
      await mend();
      await forHours(2);
      expect(notices()).toEqual([works]);
      expect(alerts()).toEqual([]);
    },
  );

  it('gets no notice if a person paused the watch', async () => {
    await save(watch(BALANCE, { paused: { at: BEGIN, by: OWNER } }));
    await delivery.remove('connection:main');
    await forHours(2);
    expect(notices()).toEqual([]);
  });
});

describe('a watch with outdated figures', () => {
  const RUNWAY: WatchRule = { kind: 'runway', days: 14 };
  /** A balance that is soon used up is known, and nobody is alerted yet. */
  const knowBalance = async () => {
    balance = 5_000;
    await save(watch({ kind: 'balance', below: new Big(1) }));
    await forHours(1);
    expect((await stateOf())?.measurement).toMatchObject({ kind: 'balance' });
  };
  const saveNew = async () => {
    await save(watch(RUNWAY, { id: 'watch002', since: delivery.now }));
    await forHours(5);
  };

  it('neither uses nor shows old figures once its connection is removed', async () => {
    await knowBalance();
    await delivery.remove('connection:main');
    await saveNew();
    expect(alerts()).toEqual([]);
    for (const id of ['watch001', 'watch002'])
      expect(await stateOf(id)).toMatchObject({ measurement: undefined, isCrossed: false });
  });

  it.each([
    ['rejects the new token', () => new Failure('token-rejected', { service: 'billing' })],
    ['refuses the project to the new token', () => new Failure('forbidden', { service: 'billing' })],
  ])('is paused while billing %s', async (_, failure) => {
    await knowBalance();
    fakeBilling.failure = ({ token }) => (token === 'another token' ? failure() : undefined);
    await connect('another token');
    await saveNew();
    expect(slack.posts.filter(({ channel }) => channel === CHANNEL)).toEqual([]);
    for (const id of ['watch001', 'watch002'])
      expect(await stateOf(id)).toMatchObject({
        measurement: undefined,
        isCrossed: false,
        isPaused: true,
        problem: expect.stringMatching(/token/),
      });
    fakeBilling.failure = () => undefined;
    await forHours(1);
    expect(alerts()).toMatchObject([{ text: expect.stringContaining('about 5 days left, under 14') }]);
    expect(await stateOf('watch002')).toMatchObject({ isPaused: false, problem: undefined });
  });

  it('drops an unsent alert with the previous account’s figures', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'fatal_but_not_unclear' : undefined);
    await save(watch(BALANCE));
    balance = 40_000;
    await forHours(1);
    await connect('a token of another account');
    balance = 45_000;
    slack.fault = () => undefined;
    await forHours(1);
    expect(alerts()).toMatchObject([{ text: expect.stringContaining('has 45,000.00 left') }]);
  });

  it.each(['balance', 'consumption'])(
    'never alerts because of an old %s while billing fails',
    async (what) => {
      await save(watch({ kind: 'runway', days: 3 }));
      balance = 5_000;
      await forHours(1);
      fakeBilling.failure = (_, __, asked) =>
        asked === what ? new Failure('queue-full', { service: 'billing' }) : undefined;
      await save(watch(RUNWAY, { since: delivery.now }));
      await forHours(3);
      expect(alerts()).toEqual([]);
      expect(await stateOf()).toMatchObject({ problem: expect.any(String), isPaused: false });
    },
  );
});
