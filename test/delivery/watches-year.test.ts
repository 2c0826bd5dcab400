/**
 * Watches of simulated projects alert like the second implementation in `watch-oracle.ts`, which shares no code with
 * them.
 */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { type AlertedLevel, evaluateRule } from '../../src/domain/money/watch-evaluation.ts';
import { measureWatch } from '../../src/domain/money/watch-measurement.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import { type SimulatedProject, seededRandom, simulateProject } from './simulated-project.ts';
import { createOracle, type OracleRule } from './watch-oracle.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** The days before the watches begin. */
const HISTORY = 150;
const DAYS = 400;
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

const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** What billing says at that moment, to both implementations. */
function figuresAt(project: SimulatedProject, at: number) {
  const today = dayAt(at);
  const reported = new Map([...project.reported(at)].filter(([day]) => day < today));
  return { today, balance: project.balance(at), reported };
}

/** For a tenth of the time the watch is paused or snoozed, for hours or for weeks. */
const simulatePauses = (random: () => number) =>
  Array.from({ length: 20 }, () => {
    const from = BEGIN + DAYS * DAY * random();
    return { from, until: from + (random() < 0.5 ? 30 * HOUR : 4 * DAY) * random() * 2 };
  });

const nameOf = (kind: OracleRule['kind'], { episode, level }: AlertedLevel): string =>
  kind === 'budget' ? `${episode} ${level}` : kind === 'spike' ? episode : level;

describe(`a watch evaluated for ${DAYS} days`, () => {
  it.each([1, 2])(
    'alerts exactly when an independent implementation does, however often it is checked (project %d)',
    (seed) => {
      const project = simulateProject(seed, FIRST, HISTORY + DAYS);
      const random = seededRandom(seed * 7);
      const since = dayAt(BEGIN);
      const watches = RULES.map((rule) => ({
        rule,
        oracle: createOracle(rule, since),
        told: [] as readonly AlertedLevel[],
        count: 0,
      }));
      const pauses = simulatePauses(random);
      for (let at = BEGIN; at < BEGIN + DAYS * DAY; at += (1 + 40 * random()) * HOUR) {
        const { today, balance, reported } = figuresAt(project, at);
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
