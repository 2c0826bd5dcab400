/**
 * Watches of simulated projects alert like the second implementation in `watch-oracle.ts`, which shares no code with
 * them.
 */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { type AlertedLevel, evaluateRule } from '../../src/domain/money/watch-evaluation.ts';
import { measureWatch } from '../../src/domain/money/watch-measurement.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import type { Watch } from '../../src/workspace/record/automation-records.ts';
import { createFakeBilling } from '../support/fake-billing.ts';
import { type SimulatedProject, seededRandom, simulateProject } from './simulated-project.ts';
import { startDelivery } from './start-delivery.ts';
import { createOracle, type OracleRule } from './watch-oracle.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** The days before the watches begin. */
const HISTORY = 150;
const DAYS = 400;
/** A worker asks billing, Redis and Slack at each check. */
const WORKER_DAYS = 200;
/** Each watch must alert more often, or the comparison proves little. */
const FEW = 3;
const FIRST = Date.parse('2025-06-01T00:00:00Z');
const BEGIN = FIRST + HISTORY * DAY;

const RULES: readonly OracleRule[] = [
  { kind: 'balance', below: 1_000_000 },
  { kind: 'runway', days: 9 },
  { kind: 'budget', amount: 4_000_000 },
  { kind: 'spike', factor: 1.5, floor: 20_000 },
];

const money = (cents: number) => new Big(cents).times('0.01');

function ruleOf(rule: OracleRule): WatchRule {
  switch (rule.kind) {
    case 'balance':
      return { kind: 'balance', below: money(rule.below) };
    case 'runway':
      return rule;
    case 'budget':
      return { kind: 'budget', amount: money(rule.amount) };
    case 'spike':
      return { kind: 'spike', factor: new Big(rule.factor), floor: money(rule.floor) };
  }
}

const calendars = new Map(
  ['UTC', 'America/New_York'].map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
  ]),
);
const dayIn = (at: number, zone: string): string => calendars.get(zone)!.format(at);

/** What billing says at that moment, to both implementations. */
function figuresAt(project: SimulatedProject, at: number, zone: string) {
  const today = dayIn(at, zone);
  const reported = new Map([...project.reported(at)].filter(([day]) => day < today));
  return { today, balance: project.balance(at), reported };
}

/** For a tenth of the time the watch is paused or snoozed, for hours or for weeks. */
const simulatePauses = (random: () => number) =>
  Array.from({ length: 20 }, () => {
    const from = BEGIN + DAYS * DAY * random();
    return { from, until: from + (random() < 0.5 ? 30 * HOUR : 4 * DAY) * random() * 2 };
  });

const delivery = await startDelivery(BEGIN);
const { slack } = delivery;

const nameOf = (kind: OracleRule['kind'], { episode, level }: AlertedLevel): string =>
  kind === 'budget' ? `${episode} ${level}` : kind === 'spike' ? episode : level;

describe(`a watch evaluated for ${DAYS} days`, () => {
  it.each([1, 2])(
    'alerts exactly when an independent implementation does, however often it is checked (project %d)',
    (seed) => {
      const project = simulateProject(seed, FIRST, HISTORY + DAYS);
      const random = seededRandom(seed * 7);
      const since = dayIn(BEGIN, 'UTC');
      const watches = RULES.map((rule) => ({
        rule,
        oracle: createOracle(rule, since),
        told: [] as readonly AlertedLevel[],
        count: 0,
      }));
      const pauses = simulatePauses(random);
      for (let at = BEGIN; at < BEGIN + DAYS * DAY; at += (1 + 40 * random()) * HOUR) {
        const { today, balance, reported } = figuresAt(project, at, 'UTC');
        const isQuiet = pauses.some(({ from, until }) => from <= at && at < until);
        const figures = {
          today,
          zone: 'UTC',
          amounts: new Map([...reported].map(([day, cents]) => [day, money(cents)])),
          ...(balance !== undefined && {
            account: { balance: { value: money(balance), raw: '' }, bonuses: { value: money(0), raw: '0' } },
          }),
        };
        for (const watch of watches) {
          const { kind } = watch.rule;
          const options = { episode: String(at), since, isSuspended: isQuiet };
          const judged = evaluateRule(ruleOf(watch.rule), measureWatch(kind, figures), watch.told, options);
          watch.told = judged.alerted;
          watch.count += judged.crossings.length;
          const expected = watch.oracle({ today, balance, reported, isQuiet });
          expect([kind, today, judged.crossings.map((one) => nameOf(kind, one))]).toEqual([
            kind,
            today,
            expected,
          ]);
        }
      }
      for (const { rule, count } of watches) expect([rule.kind, count > FEW]).toEqual([rule.kind, true]);
    },
    60_000,
  );
});

describe(`watches over ${WORKER_DAYS} days`, () => {
  const ZONE = 'America/New_York';

  it('alert once about each crossing of a threshold, despite restarts and lost replies from Slack', async () => {
    const project = simulateProject(11, FIRST, HISTORY + WORKER_DAYS);
    const random = seededRandom(5);
    const inMoney = (cents: number) => cents / 100;
    const fakeBilling = createFakeBilling(
      () => ({
        amounts: (at) => new Map([...project.reported(at)].map(([day, cents]) => [day, inMoney(cents)])),
        balance: (at) => {
          const cents = project.balance(at);
          return cents === undefined ? undefined : inMoney(cents);
        },
      }),
      () => delivery.now,
    );
    await delivery.restart({ billing: fakeBilling.client });
    await delivery.save({ settings: { zone: ZONE }, connections: [{}] });
    const save = (rule: OracleRule, n: number) => {
      const watch: Watch = {
        id: `watch00${n}`,
        projects: [{ id: '123', product: 1 }],
        rule: ruleOf(rule),
        channel: `C0WATCH${n}`,
        owner: 'U0ANNA0001',
        createdBy: 'U0ANNA0001',
        createdAt: BEGIN,
        since: since[n]!,
        ...(pausedSince[n] !== undefined && { paused: { at: pausedSince[n], by: 'U0ANNA0001' } }),
        ...(snoozedUntil[n] !== undefined && { snoozedUntil: snoozedUntil[n] }),
      };
      return delivery.save({ watches: [watch] });
    };
    const check = async () => {
      await delivery.run();
      const figures = figuresAt(project, delivery.now, ZONE);
      oracles.forEach((oracle, n) => {
        const isQuiet = pausedSince[n] !== undefined || (snoozedUntil[n] ?? 0) > delivery.now;
        expected.push(...oracle({ ...figures, isQuiet }).map((name) => `${delivery.now} ${n} ${name}`));
      });
    };
    let rules = RULES;
    const since = RULES.map(() => delivery.now);
    const pausedSince: (number | undefined)[] = RULES.map(() => undefined);
    const snoozedUntil: (number | undefined)[] = RULES.map(() => undefined);
    /** Now and then somebody pauses, resumes or snoozes. */
    const press = async (n: number) => {
      if (random() > 0.06) return;
      if (pausedSince[n] !== undefined) pausedSince[n] = undefined;
      else if (random() < 0.5) pausedSince[n] = delivery.now;
      else snoozedUntil[n] = delivery.now + Math.round(7 * DAY * random());
      await save(rules[n]!, n);
    };
    await Promise.all(rules.map(save));
    let oracles = rules.map((rule) => createOracle(rule, dayIn(delivery.now, ZONE)));
    const expected: string[] = [];
    for (let count = 0; delivery.now < BEGIN + WORKER_DAYS * DAY; count += 1) {
      if (count % 31 === 20) await delivery.restart({ billing: fakeBilling.client });
      if (count === 120) {
        rules = rules.map((rule) =>
          rule.kind === 'balance'
            ? { ...rule, below: 1_300_000 }
            : rule.kind === 'budget'
              ? { ...rule, amount: 5_000_000 }
              : rule,
        );
        for (const [n, rule] of rules.entries()) if (rule !== RULES[n]) since[n] = delivery.now;
        await Promise.all(rules.map(save));
        oracles = rules.map((rule, n) =>
          rule === RULES[n] ? oracles[n]! : createOracle(rule, dayIn(delivery.now, ZONE)),
        );
      }
      // Now and then Slack takes a message, but Tally loses its answer.
      slack.fault = ({ method }) =>
        method === 'chat.postMessage' && random() < 0.2 ? { status: 502, take: random() < 0.5 } : undefined;
      for (const n of RULES.keys()) await press(n);
      await check();
      delivery.now += Math.round((8 + 24 * random()) * HOUR);
    }
    slack.fault = () => undefined;
    for (let n = 0; n < 3; n += 1) {
      delivery.now += HOUR;
      await check();
    }
    const keys = slack.posts.map(({ channel, key }) => `${channel} ${key}`);
    expect(new Set(keys).size).toBe(keys.length);
    const perWatch = (n: number) => keys.filter((key) => key.startsWith(`C0WATCH${n} `)).length;
    RULES.forEach((_, n) => {
      expect([n, perWatch(n)]).toEqual([n, expected.filter((one) => one.split(' ')[1] === String(n)).length]);
      expect(perWatch(n)).toBeGreaterThan(FEW);
    });
  }, 120_000);
});
