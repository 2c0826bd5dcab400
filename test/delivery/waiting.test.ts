import { beforeEach, describe, expect, it } from 'vitest';
import { lastDelivery } from '../../src/delivery/posts/post-record.ts';
import type { ReportResult } from '../../src/delivery/reports/make-report.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import type { Schedule } from '../../src/workspace/record/automation-records.ts';
import { finding, schedule } from '../support/delivery.ts';
import { startDelivery, TEAM } from './start-delivery.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NINE = Date.parse('2026-11-20T08:00:00Z');

let answer: () => ReportResult | Promise<ReportResult>;
let looks: number[];
const delivery = await startDelivery(NINE, () => ({
  report() {
    looks.push((delivery.now - NINE) / MINUTE);
    return answer();
  },
}));
const { slack, run, until } = delivery;

beforeEach(() => {
  looks = [];
  answer = () => ({ ...finding('60'), awaits: '2026-11-19' });
});

const given = (one: Partial<Schedule> = {}) =>
  delivery.save({ schedules: [schedule({ since: NINE - HOUR, ...one })] });
const posts = () => slack.posts.filter(({ channel }) => channel === 'C0COSTS001');
const lastSent = async () => lastDelivery('schedul1', await delivery.parts.deliveryLog.load(TEAM));

describe('a post without figures for its newest day', () => {
  it('waits, and asks billing again every 30 minutes', async () => {
    await given();
    await until(NINE + 100 * MINUTE);
    expect(looks).toEqual([0, 30, 60, 90]);
    expect(posts()).toEqual([]);
    expect(await lastSent()).toMatchObject({
      result: 'waiting',
      awaits: '2026-11-19',
      next: NINE + 120 * MINUTE,
    });
  });

  it('is sent as soon as billing reports the day, and is not marked as late', async () => {
    await given();
    await until(NINE + 40 * MINUTE);
    answer = () => finding('100');
    await until(NINE + 5 * HOUR);
    expect(posts()).toHaveLength(1);
    expect(posts()[0]).toMatchObject({ text: 'Spent 100', key: 'post/schedul1/2026-11-20' });
    expect(posts()[0]?.blocks).not.toContain('hadn’t reported');
    expect(await lastSent()).toMatchObject({ result: 'posted' });
  });

  it.each([
    [3, [0, 30, 60, 90, 120, 150, 180]],
    [1, [0, 30, 60]],
    [0, [0]],
  ])('is sent without that day’s figures after the longest wait: %i h', async (waitHours, expected) => {
    await given({ waitHours });
    await until(NINE + 5 * HOUR);
    expect(looks).toEqual(expected);
    expect(posts()).toHaveLength(1);
    expect(posts()[0]?.blocks).toContain('Tally adds the missing day later');
    expect(posts()[0]?.blocks).not.toContain('Late');
  });

  it.each([
    [5 * MINUTE, false],
    [5 * MINUTE + 1, true],
  ])(
    'is marked as late only if it is sent more than five minutes after the longest wait (%i ms: %s)',
    async (after, isLate) => {
      await given({ waitHours: 1 });
      await until(NINE);
      answer = () => finding('100');
      delivery.now = NINE + HOUR + after;
      await run();
      expect(posts()[0]?.blocks.includes('Late')).toBe(isLate);
    },
  );

  it('is not marked as late if Slack delays it by a second after the wait', async () => {
    await given({ waitHours: 1 });
    let limits = 1;
    slack.fault = ({ method }) =>
      method === 'chat.postMessage' && limits-- > 0 ? { retryAfter: 1 } : undefined;
    await until(NINE + HOUR + MINUTE);
    expect(posts()).toHaveLength(1);
    expect(posts()[0]?.blocks).not.toContain('Late');
  });

  it('waits even if the previous day’s post failed', async () => {
    await given();
    answer = () => Promise.reject(new Failure('timed-out', { service: 'billing', after: 10_000 }));
    await until(NINE + 3 * HOUR);
    answer = () => ({ ...finding('60'), awaits: '2026-11-20' });
    delivery.now = NINE + 24 * HOUR;
    await until(delivery.now);
    expect(await lastSent()).toMatchObject({ result: 'waiting' });
  });

  it('is corrected once billing reports the day, however little the total changes', async () => {
    await given({ waitHours: 0 });
    await until(NINE + HOUR);
    answer = () => finding('61');
    await until(NINE + 7 * HOUR);
    expect(posts()[0]).toMatchObject({ text: 'Spent 61' });
    expect(posts()[0]?.blocks).not.toContain('hadn’t reported');
    expect(posts()).toHaveLength(1);
  });

  it('keeps waiting when another process takes over', async () => {
    await given();
    await until(NINE + 10 * MINUTE);
    await delivery.restart();
    await until(NINE + 20 * MINUTE);
    expect(looks).toEqual([0]);
    answer = () => finding('100');
    await until(NINE + HOUR);
    expect(posts()).toHaveLength(1);
  });

  it('is still retried after the longest wait if billing fails at that moment', async () => {
    await given({ waitHours: 1 });
    await until(NINE + 30 * MINUTE);
    answer = () => Promise.reject(new Failure('timed-out', { service: 'billing', after: 10_000 }));
    await until(NINE + 61 * MINUTE);
    answer = () => finding('100');
    await until(NINE + 3 * HOUR);
    expect(posts()).toHaveLength(1);
    expect(posts()[0]?.text).toContain('Spent 100');
  });
});
