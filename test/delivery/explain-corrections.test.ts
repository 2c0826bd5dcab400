/** What a channel is told of figures that changed after they were posted: once a run, however many posts they are in. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReportQuestion, ReportResult } from '../../src/delivery/posts/run-report.ts';
import type { Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { finding, schedule } from '../support/delivery.ts';
import { startDelivery, TEAM } from '../support/start-delivery.ts';

const HOUR = 3_600_000;
/** Friday, 20 November 2026, 09:00 in Rome. */
const NINE = Date.parse('2026-11-20T08:00:00Z');
const CHANNELS = ['C0COSTS001', 'C0FINANCE1'] as const;
const EACH = 10;

let spent: (project: string) => string;
const report = ({ projects: [one] }: ReportQuestion): ReportResult => {
  const { id = '' } = one ?? {};
  return {
    ...finding(spent(id)),
    figures: { [`${id}:1`]: spent(id) },
    covers: { first: '2026-11-19', last: '2026-11-19', zone: 'UTC' },
  };
};
const delivery = await startDelivery(NINE + 3_000, () => ({
  report,
  // Each look at the clock takes a while, so that nobody waits for a channel.
  clock: () => (delivery.now += 400),
}));
const { redis, slack, run } = delivery;

beforeEach(() => {
  spent = () => '100';
});

const idOf = (channel: number, n: number): string => `sched${channel}${String(n).padStart(2, '0')}`;
const given = (one: Partial<Schedule>) =>
  delivery.save({ schedules: [schedule({ since: NINE - HOUR, ...one })] });
const ONCE = { cadence: { kind: 'monthly', day: 20 }, time: '09:00', zone: 'Europe/Rome' } as const;
/** Every second one is about the same project as the one before it. */
const givenMany = () =>
  Promise.all(
    CHANNELS.flatMap((channel, at) =>
      Array.from({ length: EACH }, (_, n) =>
        given({
          id: idOf(at, n),
          ...{ channel, timing: ONCE },
          projects: [{ id: String(700 + Math.floor(n / 2)), product: 1 }],
        }),
      ),
    ),
  );
const later = async (hours: number) => {
  delivery.now = NINE + hours * HOUR;
  return run();
};
const posts = (channel: string) =>
  slack.posts.filter((one) => one.channel === channel && one.thread === undefined);
const replies = (channel: string) =>
  slack.posts.filter((one) => one.channel === channel && one.thread !== undefined);
const log = async () => (await delivery.parts.deliveryLog.load(TEAM)).entries.map(({ entry }) => entry.post);

describe('many figures that change', () => {
  it('are explained in one reply per channel, each figure once, in the thread of a corrected post', async () => {
    await givenMany();
    await run();
    for (const [look, hours] of [7, 25, 73].entries()) {
      spent = (id) => String(Number(id) + look * 100);
      await later(hours);
      for (const channel of CHANNELS) {
        expect(posts(channel).map(({ edits }) => edits)).toEqual(Array(EACH).fill(look + 1));
        expect(replies(channel)).toHaveLength(look + 1);
      }
    }
    const [first, second] = replies(CHANNELS[0]);
    expect(posts(CHANNELS[0]).map(({ ts }) => ts)).toContain(first?.thread);
    expect(first?.blocks).toContain('Figures of 10 posts here changed:');
    const lines = (of = '') => of.match(/Thu 19 Nov 2026 UTC, Project 70\d: [\d.]+ → [\d.]+/g);
    expect(lines(first?.blocks)?.sort()).toEqual(
      [0, 1, 2, 3, 4].map((n) => `Thu 19 Nov 2026 UTC, Project 70${n}: 100.00 → 70${n}.00`),
    );
    expect(lines(second?.blocks)?.sort()[0]).toBe('Thu 19 Nov 2026 UTC, Project 700: 700.00 → 800.00');
  });

  it('are not explained when the channel may no longer see one of the projects', async () => {
    await givenMany();
    await run();
    spent = () => '200';
    slack.fault = (call) => (call.args.has('thread_ts') ? { status: 503, take: false } : undefined);
    await later(7);
    slack.fault = () => undefined;
    await delivery.save({ projects: [{ id: '702', channels: [CHANNELS[1]] }] });
    await later(9);
    expect(CHANNELS.map((channel) => replies(channel).length)).toEqual([0, 1]);
  });
});

describe('the reply about a corrected figure', () => {
  beforeEach(async () => {
    await given({ timing: ONCE });
    await given({ id: 'schedul2', timing: ONCE, channel: CHANNELS[1], projects: [{ id: '7', product: 1 }] });
    await run();
    spent = () => '200';
  });
  const isReply = ({ method, args }: { method: string; args: URLSearchParams }) =>
    method === 'chat.postMessage' && args.has('thread_ts') && args.get('channel') === CHANNELS[0];

  it('is in each channel, and about its own post', async () => {
    await later(7);
    for (const [channel, id] of [
      [CHANNELS[0], '123'],
      [CHANNELS[1], '7'],
    ] as const) {
      expect(replies(channel)).toMatchObject([{ thread: posts(channel)[0]?.ts }]);
      expect(replies(channel)[0]?.blocks).toContain(`Project ${id}: 100.00 → 200.00`);
    }
    expect((await log()).map((post) => post?.unexplained)).toEqual([undefined, undefined]);
    expect((await delivery.parts.deliveryLog.load(TEAM)).statesOf('correction/')).toEqual([]);
  });

  it('is not lost with the run that corrected, and not sent again by the next one', async () => {
    slack.fault = (call) => (isReply(call) ? { status: 503, take: false } : undefined);
    await later(7);
    expect([posts(CHANNELS[0])[0]?.edits, replies(CHANNELS[0])]).toEqual([1, []]);
    expect(replies(CHANNELS[1])).toHaveLength(1);
    slack.fault = () => undefined;
    await later(9);
    await later(10);
    expect(replies(CHANNELS[0]).map(({ blocks }) => blocks.includes('100.00 → 200.00'))).toEqual([true]);
    expect(replies(CHANNELS[1])).toHaveLength(1);
  });

  it('is found again if Slack took it without confirming', async () => {
    slack.fault = (call) => (isReply(call) ? { status: 502, take: true } : undefined);
    await later(7);
    slack.fault = () => undefined;
    await later(9);
    await later(10);
    expect(replies(CHANNELS[0])).toHaveLength(1);
    expect((await log()).map((post) => post?.unexplained)).toEqual([undefined, undefined]);
  });

  it('is not sent once the project may not be seen there, nor while the schedule is paused', async () => {
    const project = { alias: 'prod', id: '123', product: 1, channels: ['C0ELSEWHERE'] };
    const people = { owner: 'U0OWNER001', addedBy: 'U0OWNER001', addedAt: 0 };
    slack.fault = (call) => (isReply(call) ? { status: 503, take: false } : undefined);
    await later(7);
    slack.fault = () => undefined;
    await redis.hset(`tally:{${TEAM}}:record`, 'project:prod', JSON.stringify({ ...project, ...people }));
    await later(9);
    expect(replies(CHANNELS[0])).toEqual([]);
    await redis.hdel(`tally:{${TEAM}}:record`, 'project:prod');
    await given({ timing: ONCE, paused: { why: 'person', at: delivery.now, by: 'U0OWNER001' } });
    await later(11);
    expect(replies(CHANNELS[0])).toEqual([]);
  });
});
