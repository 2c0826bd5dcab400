/** Posts that are late, and digests that are checked again after projects answered late, not at all, or differently. */
import { beforeEach, describe, expect, it } from 'vitest';
import { makeReport } from '../../src/delivery/reports/make-report.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { rowsOf } from '../support/bot.ts';
import { schedule } from '../support/delivery.ts';
import { createFakeBilling } from '../support/fake-billing.ts';
import { startDelivery } from './start-delivery.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NINE = Date.parse('2026-11-20T08:00:00Z');
const IDS = ['505', '506', '507'];

let spent: Record<string, number>;
/** Errors with which billing answers for a project. */
let failing: Record<string, Error | undefined>;
const fake = createFakeBilling(
  (id) => ({
    amounts: () =>
      new Map(
        Array.from({ length: 30 }, (_, ago) => [
          new Date(NINE - (ago + 1) * DAY).toISOString().slice(0, 10),
          ago === 0 ? (spent[id] ?? 0) : 100,
        ]),
      ),
    balance: () => 10_000,
  }),
  () => delivery.now,
);
const delivery = await startDelivery(NINE + 2_000, () => ({ report: makeReport, billing: fake.client }));
const { slack, run, until } = delivery;

beforeEach(async () => {
  spent = { 505: 400, 506: 200, 507: 50 };
  failing = {};
  fake.asked.splice(0);
  fake.failure = (_, project) => failing[project];
  const projects = IDS.map((id) => ({ id, product: 1 as const }));
  await delivery.save({
    connections: [{}],
    schedules: [
      schedule({
        since: NINE - HOUR,
        projects,
        timing: { cadence: { kind: 'monthly', day: 20 }, time: '09:00', zone: 'Europe/Rome' },
      }),
    ],
  });
});

const post = () => slack.posts.filter(({ channel }) => channel === 'C0COSTS001');
const rows = () =>
  Object.fromEntries(
    rowsOf(JSON.parse(post()[0]?.blocks ?? '[]'))
      .slice(1)
      .map(([name = '', amount]) => [/\d+/.exec(name)?.[0], amount]),
  );
const looksAt = (project: string) =>
  fake.asked
    .filter((asked) => asked.project === project && asked.what === 'consumption')
    .map(({ at }) => Math.round((at - NINE) / MINUTE));
const DOWN = new Failure('service-failed', { service: 'billing', status: 500 });
const EMPTY = new Failure('no-data', { question: { project: '507', product: 1, days: undefined } });

describe('a posted digest of several projects', () => {
  it.each([
    ['returns an error', DOWN],
    ['has no data', EMPTY],
  ])('is corrected later, except for a project for which billing %s', async (_, error) => {
    await run();
    expect(post()[0]?.text).toContain('650.00');
    spent = { 505: 200, 506: 200, 507: 50 };
    failing = { 507: error };
    await until(NINE + 6 * HOUR + MINUTE);
    expect(slack.posts).toHaveLength(1);
    expect(post()[0]).toMatchObject({ edits: 1 });
    expect(post()[0]?.text).toContain('450.00');
    expect(post()[0]?.text).not.toContain('2 of 3');
    expect(rows()).toMatchObject({ 505: '200.00', 506: '200.00', 507: '50.00' });
    // The project answers again, with another figure, so its row is filled in.
    failing = {};
    spent = { ...spent, 507: 90 };
    await until(NINE + 6 * HOUR + 32 * MINUTE);
    expect(rows()).toMatchObject({ 505: '200.00', 507: '90.00' });
    expect(post()[0]).toMatchObject({ edits: 2 });
  });

  it('is not edited later if billing fails for one project and the other amounts are unchanged', async () => {
    await run();
    failing = { 507: DOWN };
    await until(NINE + 5 * DAY);
    expect(post()).toMatchObject([{ edits: 0 }]);
  });

  it('no longer shows a project that has been limited to another channel', async () => {
    await run();
    await delivery.save({
      connections: [{}],
      projects: [{ alias: 'secret', id: '507', channels: ['C0ELSEWHERE'] }],
    });
    spent = { 505: 200, 506: 200, 507: 50 };
    await until(NINE + 7 * HOUR);
    expect(post()[0]?.edits).toBe(1);
    expect(post()[0]?.blocks).not.toContain('50.00"');
    expect(post()[0]?.blocks).not.toContain('507');
  });
});

describe('a posted digest that lacks a project', () => {
  it.each([
    ['20 minutes after the post', NINE + 20 * MINUTE, 30],
    ['6 hours and 20 minutes after the post', NINE + 6 * HOUR + 20 * MINUTE, 6 * 60 + 30],
    ['a day and 20 minutes after the post', NINE + DAY + 20 * MINUTE, 24 * 60 + 30],
  ])(
    'is completed within half an hour if the missing amount becomes available %s',
    async (_, well, minutes) => {
      failing = { 507: new Failure('service-failed', { service: 'billing', status: 502 }) };
      await run();
      expect(post()[0]?.text).toContain('2 of 3 projects');
      await until(well);
      expect(post()).toMatchObject([{ edits: 0 }]);
      failing = {};
      await until(NINE + (minutes + 1) * MINUTE);
      expect(looksAt('507').at(-1)).toBe(minutes);
      expect(post()).toMatchObject([{ edits: 1 }]);
      expect(rows()).toMatchObject({ 505: '400.00', 506: '200.00', 507: '50.00' });
      expect(post()[0]?.text).not.toContain('2 of 3');
    },
  );

  it('has the project checked every half hour for three hours, starting after 0, 6, 24 and 72 hours', async () => {
    failing = { 507: DOWN };
    await run();
    await until(NINE + 10 * DAY);
    const after = (hours: number) => [0, 30, 60, 90, 120, 150, 180].map((minutes) => hours * 60 + minutes);
    expect(looksAt('507')).toEqual([0, 6, 24, 72].flatMap(after));
  });
});

describe('a post that is sent a day late', () => {
  it.each([
    ['in the same month', '2026-11-27T08:00:00Z', 26],
    ['after the month has ended', '2026-11-30T08:00:00Z', 29],
  ])(
    'names the days of its month, and leaves out the forecast, which would be outdated: %s',
    async (_, time, days) => {
      const due = Date.parse(time);
      const one = schedule({ since: due - HOUR, projects: [{ id: '505', product: 1 }] });
      await delivery.save({ connections: [{}], schedules: [one] });
      delivery.now = due + DAY - HOUR;
      await run();
      expect(post()[0]?.blocks).toContain(`*1–${days} Nov* 2,200.00 (19 of ${days} days)`);
      expect(post()[0]?.blocks).not.toMatch(/This month|orecast/);
    },
  );
});
