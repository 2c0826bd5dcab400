import { beforeEach, describe, expect, it } from 'vitest';
import { lastDelivery } from '../../src/delivery/posts/post-record.ts';
import type { ReportRequest, ReportResult } from '../../src/delivery/reports/make-report.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import type { Work } from '../../src/ops/work-record.ts';
import { threadsKey } from '../../src/redis/keys.ts';
import { section } from '../../src/slack/block-kit/blocks.ts';
import { resolveProject } from '../../src/workspace/projects/resolve-project.ts';
import type { Schedule } from '../../src/workspace/record/automation-records.ts';
import { COVERED, finding, schedule } from '../support/delivery.ts';
import { storedCause } from '../support/failures.ts';
import { directMessage } from '../support/minimal-slack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startDelivery, TEAM } from './start-delivery.ts';

const at = (text: string): number => Date.parse(text);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Friday, 20 November 2026, 09:00 in Rome. */
const NINE = at('2026-11-20T08:00:00Z');

let answer: (question: ReportRequest) => ReportResult | Promise<ReportResult>;
let asked: ReportRequest[];
let works: Work[];
const delivery = await startDelivery(NINE + 3_000, () => ({
  onFinished: (work) => void works.push(work),
  report(question) {
    asked.push(question);
    return answer(question);
  },
}));
const { redis, slack, another, forHours, load, remove, run, set } = delivery;

beforeEach(() => {
  [asked, works] = [[], []];
  answer = () => finding('100');
});

const given = (one: Partial<Schedule> = {}) =>
  delivery.save({ schedules: [schedule({ since: NINE - HOUR, ...one })] });
const lastSent = async (id = 'schedul1') => lastDelivery(id, await delivery.parts.deliveryLog.load(TEAM));
const line = async (date = '2026-11-20', id = 'schedul1') =>
  (await delivery.parts.deliveryLog.load(TEAM)).messages.find(({ key }) => key === `post/${id}/${date}`);
const alter = async (key: string, values: object) => {
  const name = `tally:{${TEAM}}:delivery-log`;
  const stored = JSON.parse((await redis.hget(name, key)) ?? '{}');
  await redis.hset(name, key, JSON.stringify({ ...stored, ...values }));
};
const inChannel = (channel = 'C0COSTS001') => slack.posts.filter((post) => post.channel === channel);
/** How many missed posts the first post in the channel names with their total. */
const missedPosts = () => inChannel()[0]?.blocks.match(/Nov \(100\.00\)/g)?.length;
const toPerson = (person = 'U0OWNER001') =>
  slack.posts.filter((post) => post.channel === directMessage(person));
const connect = (token: string) => delivery.save({ connections: [{ token }] });
const project = (alias: string, id: string, channels: readonly string[]) =>
  delivery.save({ projects: [{ alias, id, channels }] });
const toChannel = ({ method, args }: { method: string; args: URLSearchParams }) =>
  method === 'chat.postMessage' && args.get('channel') === 'C0COSTS001';
interface StandingCase {
  readonly fail?: () => typeof answer;
  readonly fault?: string;
  readonly before?: () => Promise<unknown>;
  readonly mend: () => Promise<unknown>;
}
/** Behaves like a process that the machine has suspended. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const failing = (error: Error) => () => Promise.reject(error);

describe('a scheduled post', () => {
  it('is posted only once, and recorded as posted', async () => {
    await given();
    await run();
    await run();
    expect(inChannel()).toMatchObject([{ key: 'post/schedul1/2026-11-20', text: 'Spent 100' }]);
    expect(inChannel()[0]?.blocks).toContain('Every day at 09:00 (Europe/Rome) · set up by <@U0OWNER001>');
    expect(await lastSent()).toMatchObject({
      date: '2026-11-20',
      result: 'posted',
    });
  });

  it('saves the balances that it shows, even if it is posted late', async () => {
    await given();
    await delivery.save({ connections: [{ registeredAt: 0 }] });
    await project('prod', '123', []);
    await project('dev', '124', []);
    answer = ({ answeredBy }) => {
      answeredBy('main', { id: '123', product: 1, balance: '30642.80', bonuses: '12' });
      answeredBy('main', { id: '124', product: 1, balance: '7' });
      answeredBy('main');
      return finding('100');
    };
    delivery.now = NINE + 2 * HOUR;
    await run();
    const record = await load();
    expect(record.lastBalance('123', 1)).toMatchObject({
      balance: '30642.80',
      bonuses: '12',
      at: delivery.now,
    });
    expect(record.lastBalance('124', 1)).toMatchObject({ balance: '7', at: delivery.now });
    expect(record.lastUsed('main')).toBe(delivery.now);
  });

  it('shows the figures as of its due time, however late it is posted', async () => {
    await given();
    delivery.now = NINE + 2 * HOUR;
    await run();
    expect(asked.map((one) => one.at)).toEqual([NINE]);
  });

  it('covers the weekend on Mondays if its schedule runs from Monday to Friday', async () => {
    const timing = { ...schedule().timing, cadence: { kind: 'weekdays' as const } };
    await given({ timing });
    await run();
    delivery.now = NINE + 3 * 24 * HOUR + 1_000;
    await run();
    delivery.now += 24 * HOUR;
    await run();
    const posted = asked.filter((question) => question.posted === undefined);
    expect(posted.map(({ days }) => days)).toEqual([1, 3, 1]);
  });

  it('isn’t posted before its time, nor for dates before its schedule was created', async () => {
    await given({ since: NINE });
    await run();
    expect(slack.posts).toEqual([]);
    delivery.now = NINE + 24 * HOUR;
    await run();
    expect(inChannel()).toHaveLength(1);
  });

  it('is not posted twice when the clock goes back', async () => {
    await given();
    await run();
    delivery.now = NINE - 30 * MINUTE;
    await run();
    delivery.now = NINE + 10_000;
    await run();
    expect(inChannel()).toHaveLength(1);
  });

  it('is not posted again on the same day if its schedule is then moved to a later time', async () => {
    await given();
    await run();
    delivery.now = NINE + HOUR;
    await given({
      timing: { cadence: { kind: 'daily' }, time: '11:00', zone: 'Europe/Rome' },
      since: delivery.now,
    });
    delivery.now = NINE + 2 * HOUR + 1_000;
    await run();
    expect(inChannel()).toHaveLength(1);
  });

  it('is posted even if another schedule’s record is damaged', async () => {
    await given();
    await set({ 'schedule:schedul2': '{' });
    await run();
    expect(inChannel()).toHaveLength(1);
  });
});

describe.each([
  // In this night the clocks are put forward. The local time is skipped, so the first instant after the gap counts.
  ['Europe/Rome', '2026-03-29', '02:30', '2026-03-29T01:00:00Z'],
  ['America/New_York', '2026-03-08', '02:30', '2026-03-08T07:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:30:00Z'],
  ['America/Santiago', '2026-09-06', '00:30', '2026-09-06T04:00:00Z'],
  // In this night the clocks are put back. The local time comes twice, and the first counts.
  ['Europe/Rome', '2026-10-25', '02:30', '2026-10-25T00:30:00Z'],
  ['America/New_York', '2026-11-01', '01:30', '2026-11-01T05:30:00Z'],
  ['Australia/Lord_Howe', '2026-04-05', '01:45', '2026-04-04T14:45:00Z'],
  ['Africa/Casablanca', '2026-02-15', '02:30', '2026-02-15T01:30:00Z'],
])('a post in %s on %s, the day of a clock change', (zone, date, time, due) => {
  it(`goes out once, at ${due}, if scheduled for ${time} local time`, async () => {
    const timing = { cadence: { kind: 'daily' }, time, zone } as const;
    await given({ timing, since: at(due) - HOUR });
    for (const step of [-1, 0, MINUTE, HOUR, 2 * HOUR, 3 * HOUR]) {
      delivery.now = at(due) + step;
      await run();
      expect(inChannel()).toHaveLength(step < 0 ? 0 : 1);
    }
    expect(inChannel()[0]?.key).toBe(`post/schedul1/${date}`);
    expect(asked[0]?.at).toBe(at(due));
  });
});

describe('the first post after an outage', () => {
  it.each([
    [5 * MINUTE, 'posted'],
    [5 * MINUTE + 1, 'posted-late'],
  ])('is marked as late if it is more than five minutes late (%i ms: %s)', async (after, result) => {
    await given();
    delivery.now = NINE + after;
    await run();
    const late = inChannel()[0]?.blocks.includes('Late: was due 09:00');
    expect(late).toBe(result === 'posted-late');
    expect(await lastSent()).toMatchObject({ result });
  });

  it('covers only the newest date, and names the missed dates with their totals', async () => {
    answer = ({ at: instant }) => finding(String((instant - NINE) / HOUR / 24 + 1));
    await given();
    delivery.now = NINE + 3 * 24 * HOUR + HOUR;
    await run();
    await run();
    expect(inChannel()).toMatchObject([{ key: 'post/schedul1/2026-11-23' }]);
    const { blocks = '' } = inChannel()[0] ?? {};
    expect(blocks).toContain('Wed 18 Nov (1.00)');
    expect(blocks).toContain('Wed 18 Nov (3.00)');
    expect(blocks).toContain('Spent 4');
  });

  it('names no earlier balances, because only today’s balance is known', async () => {
    await given({ report: 'balance' });
    delivery.now = NINE + 3 * 24 * HOUR + HOUR;
    await run();
    const { blocks = '' } = inChannel()[0] ?? {};
    expect(blocks).toContain('Missed posts: 3');
    expect(blocks).not.toContain('20 Nov');
  });

  it('names at most ten missed dates, and says how many more there are', async () => {
    answer = ({ at: instant }) => {
      if (instant === NINE + 18 * 24 * HOUR)
        throw new Failure('timed-out', { service: 'billing', after: 1000 });
      return finding('1');
    };
    await given();
    delivery.now = NINE + 19 * 24 * HOUR + HOUR;
    await run();
    expect(inChannel()).toHaveLength(1);
    const { blocks = '' } = inChannel()[0] ?? {};
    expect(blocks).toContain('9 older posts');
    expect(blocks).toContain('due Tue 8 Dec (no figures)');
  });
});

describe('a post whose process died while sending it', () => {
  const KEY = 'post/schedul1/2026-11-20';

  /** The process was killed right after Slack took its post. */
  const killed = async () => {
    await given();
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { status: 502, take: true } : undefined);
    await run();
    slack.fault = () => undefined;
    expect(await line()).toMatchObject({ state: 'sending' });
    delivery.now += 2 * MINUTE;
  };

  it('is not tried a third time if the second try was interrupted, too', async () => {
    await killed();
    slack.fault = ({ method }) => (method === 'conversations.history' ? 'missing_scope' : undefined);
    await alter(KEY, { isAgain: true });
    await forHours(2);
    expect(inChannel()).toHaveLength(1);
    expect(toPerson()[0]?.blocks).toContain('may not have been posted');
    expect(toPerson()[0]?.blocks).toContain('It may have been posted');
    expect(toPerson()[0]?.blocks).not.toContain('tried for an hour');
    expect(await lastSent()).toMatchObject({ result: 'failed' });
  });

  it('is searched for around its sending time, even if the search happens much later', async () => {
    await killed();
    slack.fault = ({ method }) =>
      method === 'conversations.history' ? { status: 502, take: false } : undefined;
    for (let look = 0; look < 4; look += 1)
      delivery.now = Math.max(delivery.now + 3 * MINUTE, (await run()) ?? 0);
    slack.fault = () => undefined;
    delivery.now += 30 * MINUTE;
    await run();
    await run();
    expect(inChannel()).toMatchObject([{ key: KEY }]);
    expect(await line()).toMatchObject({ ts: inChannel()[0]?.ts });
  });

  it('isn’t sent again until the interrupted call to Slack has surely ended', async () => {
    await given();
    await alter(KEY, { to: 'C0COSTS001', about: { due: NINE }, state: 'sending', at: delivery.now });
    const next = await run();
    expect(slack.calls).toEqual([]);
    expect(next).toBe(delivery.now + 20_000);
    delivery.now = next ?? 0;
    await run();
    expect(inChannel()).toHaveLength(1);
  });

  it('isn’t named as missed in the next post if it reached Slack', async () => {
    await killed();
    delivery.now = NINE + 24 * HOUR + 1_000;
    await run();
    expect(inChannel().map(({ key }) => key)).toEqual([KEY, 'post/schedul1/2026-11-21']);
    expect(inChannel()[1]?.blocks).not.toContain('Missed posts');
  });
});

describe('a clock that jumped ahead and back', () => {
  it('delays no post and skips no date', async () => {
    await given();
    delivery.now = NINE + 24 * HOUR;
    slack.fault = () => ({ retryAfter: 30 });
    await run();
    expect(slack.posts).toEqual([]);
    slack.fault = () => undefined;
    delivery.now = NINE + 10_000;
    await run();
    expect(inChannel()).toMatchObject([{ key: 'post/schedul1/2026-11-20' }]);
    delivery.now = NINE + 24 * HOUR + MINUTE;
    await run();
    expect(inChannel().map(({ key }) => key)).toEqual([
      'post/schedul1/2026-11-20',
      'post/schedul1/2026-11-21',
    ]);
  });
});

describe('a process that froze just before sending a post', () => {
  it('doesn’t send the post, because another process may have sent it', async () => {
    await given();
    const hanging = redis.duplicate();
    const send = hanging.sendCommand.bind(hanging);
    hanging.sendCommand = (command, ...rest) => {
      if (command.args.some((one) => /state\W+sending/.test(String(one))))
        command.promise = command.promise.finally(() => standStill(3_100));
      return send(command, ...rest);
    };
    await delivery.restart({ redis: hanging });
    expect(await run()).toBe(delivery.now + 3_000);
    expect(slack.posts).toEqual([]);
    hanging.disconnect();
  });
});

describe('a post that can’t be sent when it is due', () => {
  it('is retried for an hour if billing fails, then its owner is notified', async () => {
    await given();
    answer = failing(new Failure('timed-out', { service: 'billing', after: 10_000 }));
    const pauses: number[] = [];
    for (;;) {
      const next = await run();
      if (next === undefined || next > NINE + 2 * HOUR) break;
      pauses.push(Math.round((next - delivery.now) / MINUTE));
      expect(await lastSent()).toMatchObject({ result: 'trying', next });
      delivery.now = next;
    }
    expect(pauses).toEqual([1, 2, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3]);
    expect(inChannel()).toEqual([]);
    expect(toPerson()).toHaveLength(1);
    expect(toPerson()[0]?.blocks).toContain('The billing service didn’t answer within 10 seconds.');
    expect(toPerson()[0]?.blocks).toContain('schedule-row:now');
    expect(await lastSent()).toMatchObject({ result: 'failed' });
  });

  it('causes one notice to its owner for each date on which it fails', async () => {
    await given();
    await delivery.save({ settings: { managers: ['U0BOSS0001'] } });
    answer = failing(new Failure('timed-out', { service: 'billing', after: 10_000 }));
    await forHours(26);
    expect(await lastSent()).toMatchObject({ result: 'failed', date: '2026-11-21' });
    expect(toPerson()).toHaveLength(2);
    expect(toPerson('U0BOSS0001')).toEqual([]);
    answer = () => finding('100');
    await forHours(24);
    expect(await lastSent()).toMatchObject({ result: 'posted' });
  });

  it('is sent without any notice if billing works again within an hour', async () => {
    await given();
    answer = failing(new Failure('timed-out', { service: 'billing', after: 10_000 }));
    delivery.now = (await run()) ?? 0;
    answer = () => finding('100');
    await run();
    expect(slack.posts).toHaveLength(1);
    expect(await lastSent()).toMatchObject({ result: 'posted' });
  });

  it('is paused while billing rejects the token, and sent once the token is replaced', async () => {
    await connect('a token');
    await given();
    answer = failing(new Failure('token-rejected', { service: 'billing' }));
    await run();
    await run();
    expect(await lastSent()).toMatchObject({ result: 'paused', cause: { kind: 'token-rejected' } });
    expect(toPerson()).toHaveLength(1);

    delivery.now = NINE + 25 * HOUR;
    await run();
    expect(inChannel()).toEqual([]);
    answer = () => finding('100');
    await connect('another token');
    delivery.now += MINUTE;
    await run();
    expect(inChannel()).toMatchObject([{ key: 'post/schedul1/2026-11-21' }]);
    expect(inChannel()[0]?.blocks).toContain('Missed posts: Wed 18 Nov (100.00)');
    expect(await lastSent()).toMatchObject({ result: 'posted-late' });
    expect(toPerson()).toMatchObject([{ edits: 1, text: '“Yesterday’s spend” for Project 123 works again' }]);
  });

  it('is paused if its project is limited to another channel while Tally asks billing', async () => {
    await given();
    answer = async () => {
      await project('prod', '123', ['C0FINANCE1']);
      return finding('100');
    };
    await run();
    expect(inChannel()).toEqual([]);
    expect(await lastSent()).toMatchObject({ result: 'paused', cause: { kind: 'not-allowed' } });
    answer = () => finding('100');
    await project('prod', '123', ['C0FINANCE1', 'C0COSTS001']);
    await run();
    expect(inChannel()).toHaveLength(1);
  });

  it.each([
    [
      'its project was limited to other channels',
      new Failure('not-allowed', { reason: 'channel' }),
      'Choose another channel, or have a Tally manager allow this one for the project.',
    ],
    [
      'there is no connection',
      new Failure('connection-missing', { connection: 'main' }),
      'A Tally manager can fix this with /billing connect.',
    ],
    [
      'its token has no permission for the project',
      new Failure('forbidden', { service: 'billing' }),
      'A Tally manager can fix this with /billing connect.',
    ],
  ])('is paused if %s, and its owner is told what to do', async (_, error, words) => {
    await given();
    answer = failing(error);
    await run();
    delivery.now += MINUTE;
    await run();
    expect(asked).toHaveLength(1);
    expect(toPerson()).toHaveLength(1);
    expect(toPerson()[0]?.blocks).toContain(words);
    expect(await lastSent()).toMatchObject({
      result: 'paused',
      at: NINE + 3_000,
      cause: { kind: error.kind },
    });
  });
});

describe('a post that Slack rejects', () => {
  it.each([
    ['is_archived', 'archived', 'archived'],
    ['not_in_channel', 'not-there', '/invite @Tally'],
    ['channel_not_found', 'not-there', '/invite @Tally'],
    ['restricted_action', 'restricted', 'Tally isn’t allowed to post'],
  ])('is paused after the error %s, and its owner is notified only once', async (code, why, words) => {
    await given();
    slack.fault = (call) => (toChannel(call) ? code : undefined);
    await run();
    delivery.now += 24 * HOUR;
    await run();
    expect(await lastSent()).toMatchObject({ result: 'paused', cause: { data: { reason: why } } });
    expect(toPerson()).toHaveLength(1);
    expect(toPerson()[0]?.blocks).toContain(words);
    expect(toPerson()[0]?.blocks).toContain('schedule-row:retry');
  });

  it.each(['account_inactive', 'token_revoked'])(
    'is paused without a notice after the error %s, because Tally has no valid token to send one',
    async (code) => {
      await given();
      slack.fault = () => code;
      await run();
      expect(await lastSent()).toMatchObject({
        result: 'paused',
        cause: { kind: 'not-installed', data: { reason: 'expired' } },
      });
      slack.fault = () => undefined;
      await run();
      expect(slack.posts).toEqual([]);
    },
  );

  it.each([
    ['internal_error', 'sending'],
    ['request_timeout', 'sending'],
    ['msg_too_long', 'due'],
  ])('is searched for in Slack only if it may be there (error %s, state “%s”)', async (code, state) => {
    await given();
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? code : undefined);
    await run();
    expect(await line()).toMatchObject({ state });
    slack.fault = () => undefined;
    await forHours(1);
    expect(inChannel()).toHaveLength(1);
    expect(slack.calls.some(({ method }) => method === 'conversations.history')).toBe(state === 'sending');
  });

  it('is posted once despite many rate limits', async () => {
    for (const id of ['schedul1', 'schedul2', 'schedul3'])
      await given({ id, channel: `C0${id.toUpperCase()}` });
    let calls = 0;
    slack.fault = ({ method }) =>
      method === 'chat.postMessage' && ++calls % 4 !== 0 ? { retryAfter: 20 } : undefined;
    for (
      let next: number | undefined = delivery.now;
      next !== undefined && next < NINE + HOUR;
      delivery.now = next ?? delivery.now
    )
      next = await run();
    expect(slack.posts.map(({ key }) => key).sort()).toEqual(
      ['schedul1', 'schedul2', 'schedul3'].map((id) => `post/${id}/2026-11-20`),
    );
  });
});

describe('a paused schedule', () => {
  /** Nothing can be sent any more, so nothing is tried for hours. */
  const isLeftAlone = async () => {
    const [calls, questions] = [slack.calls.length, asked.length];
    await forHours(23);
    expect([slack.calls.length, asked.length]).toEqual([calls, questions]);
  };

  it('is tried again at each due date, but causes only one notice', async () => {
    await given();
    answer = failing(new Failure('token-rejected', { service: 'billing' }));
    await run();
    await isLeftAlone();
    await forHours(4 * 24);
    expect(asked).toHaveLength(5);
    expect(toPerson()).toHaveLength(1);
    // Missed dates are computed from the calendar, so they need no records.
    const { messages } = await delivery.parts.deliveryLog.load(TEAM);
    expect(messages).toHaveLength(3);
  });

  it('resumes at a due date with a post that lists the missed dates', async () => {
    await given();
    slack.fault = (call) => (toChannel(call) ? 'is_archived' : undefined);
    await forHours(48);
    expect(toPerson()).toMatchObject([{ edits: 0 }]);
    slack.fault = () => undefined;
    await forHours(24);
    expect(inChannel()).toMatchObject([{ key: 'post/schedul1/2026-11-23' }]);
    expect(missedPosts()).toBe(3);
    expect(toPerson()).toMatchObject([{ edits: 1, text: expect.stringContaining('works again') }]);
  });

  it.each<[string, StandingCase]>([
    [
      'the token is replaced',
      {
        fail: () => failing(new Failure('token-rejected', { service: 'billing' })),
        mend: () => connect('another token'),
      },
    ],
    [
      'an answer shows that billing accepts the token',
      {
        fail: () => failing(new Failure('token-rejected', { service: 'billing' })),
        mend: () => set({ 'used:main': String(delivery.now) }),
      },
    ],
    ['the schedule is edited', { fault: 'not_in_channel', mend: () => given({ waitHours: 6 }) }],
    [
      '“Send now” shows that the channel accepts posts',
      {
        fault: 'not_in_channel',
        mend: () => delivery.parts.scheduling.send(TEAM, schedule(), 'now', 'U0OWNER001'),
      },
    ],
    [
      'somebody presses “Try again”',
      { fault: 'is_archived', mend: () => delivery.parts.scheduling.retry(TEAM, 'schedul1') },
    ],
  ])('resumes at once when %s', async (_, { fail, fault, before, mend }) => {
    await connect('a token');
    await before?.();
    await given();
    if (fail !== undefined) answer = fail();
    slack.fault = (call) => (toChannel(call) ? fault : undefined);
    await run();
    expect(await lastSent()).toMatchObject({ result: 'paused' });
    expect(await run()).toBeGreaterThan(NINE + 24 * HOUR);
    if (before === undefined) answer = () => finding('100');
    slack.fault = () => undefined;
    delivery.now += MINUTE;
    await mend();
    await run();
    expect(inChannel().filter(({ key }) => key !== undefined)).toMatchObject([
      { key: 'post/schedul1/2026-11-20' },
    ]);
    expect(toPerson()).toMatchObject([{ edits: 1, text: expect.stringContaining('works again') }]);
  });

  it('doesn’t repeat a post that Slack already has', async () => {
    await given();
    slack.fault = (call) => (toChannel(call) ? { status: 502, take: true } : undefined);
    delivery.now = (await run()) ?? 0;
    slack.fault = () => 'token_revoked';
    await run();
    expect(await lastSent()).toMatchObject({ result: 'paused' });
    slack.fault = () => undefined;
    await isLeftAlone();
    await delivery.parts.scheduling.retry(TEAM, 'schedul1');
    await run();
    expect(inChannel()).toHaveLength(1);
    expect(await line()).toMatchObject({ ts: inChannel()[0]?.ts });
  });

  it('posts on the next due date even if Slack couldn’t confirm the earlier post', async () => {
    await given();
    slack.fault = (call) => (toChannel(call) ? { status: 502, take: false } : undefined);
    delivery.now = (await run()) ?? 0;
    slack.fault = () => 'token_revoked';
    await run();
    slack.fault = () => undefined;
    await forHours(25);
    expect(inChannel().map(({ key }) => key)).toEqual(['post/schedul1/2026-11-21']);
    expect(missedPosts()).toBe(1);
    await run();
    expect(await lastSent()).toMatchObject({ date: '2026-11-21', result: 'posted' });
  });
});

describe('a missed date of a schedule', () => {
  const lost = async () => {
    answer = failing(new Failure('timed-out', { service: 'billing', after: 10_000 }));
    await forHours(2);
    expect(await lastSent()).toMatchObject({ result: 'failed' });
  };

  it('is named with its total in the next post', async () => {
    await given();
    await lost();
    expect(inChannel()).toEqual([]);
    answer = () => finding('100');
    delivery.now = NINE + 24 * HOUR;
    await run();
    expect(inChannel()).toMatchObject([{ key: 'post/schedul1/2026-11-21' }]);
    expect(inChannel()[0]?.blocks).toContain('Missed posts: Wed 18 Nov (100.00)');
    delivery.now = NINE + 48 * HOUR;
    await run();
    expect(inChannel()[1]?.blocks).not.toContain('Earlier');
  });

  it('is listed together with earlier missed dates', async () => {
    await given();
    await lost();
    delivery.now = NINE + 24 * HOUR;
    await lost();
    answer = () => finding('100');
    delivery.now = NINE + 48 * HOUR;
    await run();
    expect(missedPosts()).toBe(2);
  });

  it('gets no separate post later', async () => {
    await given({ timing: { cadence: { kind: 'monthly', day: 20 }, time: '09:00', zone: 'Europe/Rome' } });
    await lost();
    answer = () => finding('100');
    await forHours(200);
    expect(inChannel().filter(({ key }) => key !== undefined)).toEqual([]);
  });
});

describe('an amount in a post', () => {
  const looks = async () => {
    const next = await run();
    if (next !== undefined) delivery.now = next;
    return next;
  };

  it('is corrected without a new message if it changes later', async () => {
    await given();
    expect(await looks()).toBe(NINE + 3_000 + 6 * HOUR);
    answer = () => finding('110.50');
    expect(await looks()).toBe(NINE + 3_000 + 24 * HOUR);
    expect(slack.posts).toMatchObject([{ edits: 1, text: 'Spent 110.50' }]);
    expect(inChannel()[0]?.blocks).toMatch(
      /\*corrected:\* <!date\S+ \S+\|2026-11-20 14:00 UTC> \(was 100\.00\)/,
    );
    delivery.now = NINE + 23 * HOUR;
    await run();
    expect(slack.posts).toMatchObject([{ edits: 1 }]);
  });

  it.each([
    ['from 100 to 104', '104', 0],
    ['from 100 to 105', '105', 0],
    ['from 100 to 105.01', '105.01', 1],
    ['from 100 to none', undefined, 1],
  ])('is corrected only if it changes by more than 5 % or disappears: %s', async (_, digits, edits) => {
    await given();
    await run();
    answer = () => finding(digits);
    delivery.now += 6 * HOUR;
    await run();
    expect(inChannel()[0]?.edits).toBe(edits);
  });

  it('stays in the post while billing doesn’t answer for its project', async () => {
    await given();
    await run();
    answer = () => ({ ...finding(undefined), unanswered: { '123:1': storedCause('It is down.') } });
    delivery.now = NINE + 3_000 + 6 * HOUR;
    expect(await run()).toBe(delivery.now + 30 * MINUTE);
    expect(inChannel()).toMatchObject([{ edits: 0 }]);
    answer = () => finding('200');
    delivery.now += 30 * MINUTE;
    await run();
    expect(inChannel()).toMatchObject([{ edits: 1, text: 'Spent 200' }]);
  });

  it('is checked 6, 24 and 72 hours after the post, and not after that', async () => {
    await given({ timing: { cadence: { kind: 'monthly', day: 20 }, time: '09:00', zone: 'Europe/Rome' } });
    await run();
    asked = [];
    const hours: number[] = [];
    answer = () => {
      hours.push(Math.floor((delivery.now - NINE) / HOUR));
      return finding('100');
    };
    await forHours(120);
    expect(hours).toEqual([6, 24, 72]);
    expect(asked[0]).toMatchObject({ at: NINE, zone: 'UTC', channel: 'C0COSTS001' });
    expect(inChannel()).toMatchObject([{ edits: 0 }]);
  });

  it.each([
    ['message_not_found', 1],
    ['cant_update_message', 1],
    ['edit_window_closed', 1],
    ['is_archived', 1],
    ['not_in_channel', 1],
    ['msg_too_long', 7],
  ])('isn’t corrected if Slack refuses to edit the post (%s, number of tries: %i)', async (code, tries) => {
    await given();
    await run();
    slack.fault = ({ method }) => (method === 'chat.update' ? code : undefined);
    answer = () => finding('200');
    await forHours(23);
    expect(slack.calls.filter(({ method }) => method === 'chat.update')).toHaveLength(tries);
    expect(inChannel()).toMatchObject([{ edits: 0, text: 'Spent 100' }]);
  });

  it('is still corrected after a failure of billing and a rate limit of Slack', async () => {
    await given();
    await run();
    delivery.now = NINE + 6 * HOUR + MINUTE;
    answer = failing(new Failure('token-rejected', { service: 'billing' }));
    expect(await run()).toBe(delivery.now + 30 * MINUTE);
    answer = () => finding('200');
    slack.fault = ({ method }) => (method === 'chat.update' ? { retryAfter: 30 } : undefined);
    delivery.now += 30 * MINUTE;
    await run();
    expect(await run()).toBe(delivery.now + 30_000);
    slack.fault = () => undefined;
    delivery.now += 30_000;
    await run();
    expect(inChannel()[0]).toMatchObject({ edits: 1, text: 'Spent 200' });
  });

  it('is corrected without changing what the post says about lateness and missed dates', async () => {
    await given();
    delivery.now = NINE + 2 * 24 * HOUR + HOUR;
    await run();
    answer = () => finding('200');
    delivery.now += 6 * HOUR;
    await run();
    expect(inChannel()[0]?.edits).toBe(1);
    for (const words of ['Late: was due', 'Missed posts']) expect(inChannel()[0]?.blocks).toContain(words);
  });

  it('isn’t checked while the schedule is paused', async () => {
    await given();
    await run();
    await given({ paused: { at: delivery.now, by: 'U0OWNER001' } });
    answer = () => finding('200');
    delivery.now += 6 * HOUR;
    expect(await run()).toBeUndefined();
    expect(inChannel()).toMatchObject([{ edits: 0 }]);
    await given({ since: delivery.now });
    await run();
    expect(inChannel()[0]).toMatchObject({ edits: 1 });
  });
});

describe('a post whose schedule, settings or rights have changed', () => {
  const SECRET = '777.00';
  const settings = (text: string) => set({ settings: text });

  const THURSDAY = { first: '2026-11-19', last: '2026-11-19' };
  /** Like real reports, this one respects the channel's rights, and its figures name their project and zone. */
  const honest = ({ report: name, projects, channel, workspace, zone }: ReportRequest): ReportResult => {
    const [{ id, product } = { id: '', product: 1 as const }] = projects;
    resolveProject({ project: id, product }, workspace, { channel, isUnlimited: false });
    const digits = id === '900' ? '777' : spent;
    const words = `${id} ${name} ${zone} ${digits}.00`;
    return {
      ...finding(digits),
      message: { text: words, blocks: [section(words)], print: '' },
      figures: { [`${id}:1`]: digits },
      covers: {
        ...(name === 'yesterday' ? THURSDAY : { first: '2026-11-09', last: '2026-11-15' }),
        zone,
      },
    };
  };
  let spent: string;

  beforeEach(async () => {
    spent = '100';
    answer = honest;
    await project('finance', '900', ['C0FINANCE1']);
    await given();
    await run();
    spent = '200';
    delivery.now += 6 * HOUR;
  });

  const edited = (one: Partial<Schedule>) => given({ since: delivery.now - MINUTE, ...one });

  it('keeps its project and channel after a change of the schedule’s project and channel', async () => {
    await edited({ projects: [{ id: '900', product: 1 }], channel: 'C0FINANCE1' });
    await run();
    expect(JSON.stringify(slack.posts)).not.toContain(SECRET);
    expect(inChannel()[0]).toMatchObject({ text: '123 yesterday UTC 200.00', edits: 1 });
    expect(inChannel('C0FINANCE1')).toEqual([]);
  });

  it('isn’t corrected once its project is limited to other channels', async () => {
    await project('prod', '123', ['C0FINANCE1']);
    for (let look = 0; look < 10; look += 1) delivery.now = (await run()) ?? delivery.now;
    expect(inChannel()).toMatchObject([{ text: '123 yesterday UTC 100.00', edits: 0 }]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['report', () => edited({ report: 'last-week' })],
    ['time', () => edited({ timing: { cadence: { kind: 'daily' }, time: '17:00', zone: 'Asia/Tokyo' } })],
    ['reporting zone', () => settings('{"zone":"Pacific/Auckland"}')],
  ])('keeps its days, time and zone after a change of the %s', async (_, change) => {
    await change();
    await run();
    expect(inChannel()[0]).toMatchObject({ text: '123 yesterday UTC 200.00', edits: 1 });
    expect(inChannel()[0]?.blocks).toContain('Every day at 09:00 (Europe/Rome)');
  });

  it('isn’t corrected with figures of other days', async () => {
    answer = (question) => ({ ...honest(question), covers: COVERED });
    await run();
    answer = honest;
    delivery.now += 24 * HOUR - MINUTE;
    await run();
    expect(inChannel()[0]).toMatchObject({ edits: 0 });
  });

  it('isn’t corrected with another account’s figures', async () => {
    await settings('{"connection":"other"}');
    await set({ 'connection:other': '{}' });
    await run();
    expect(inChannel()).toMatchObject([{ edits: 0 }]);
  });
});

describe('a digest with a project that billing can’t report', () => {
  const BOTH = [
    { id: '123', product: 1 },
    { id: '500', product: 1 },
  ] as const;
  const partial = () => ({ ...finding('100'), unanswered: { '500:1': storedCause('eu') } });
  it('is sent even if that project is now limited to other channels', async () => {
    await project('labs', '500', ['C0ELSEWHERE']);
    await given({ projects: [BOTH[0], { ...BOTH[1], alias: 'labs' }] });
    answer = partial;
    await run();
    expect(inChannel()).toHaveLength(1);
  });
});

describe('a post that Slack accepted without confirming it', () => {
  it('can be asked about in its thread, like a confirmed post', async () => {
    await given({ report: 'balance' });
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { status: 502, take: true } : undefined);
    await run();
    expect(await redis.exists(threadsKey(TEAM))).toBe(0);
    slack.fault = () => undefined;
    await given({ projects: [{ id: '456', product: 1 }] });
    await forHours(1);
    const [post, ...others] = inChannel();
    expect(others).toEqual([]);
    await waitUntil(async () => (await redis.exists(threadsKey(TEAM))) === 1);
    expect(Object.entries(await redis.hgetall(threadsKey(TEAM)))).toEqual([
      [JSON.stringify(['C0COSTS001', post?.ts]), expect.stringContaining('"/balance","text":"123 cloud"')],
    ]);
  });
});

describe('the button “Send it now”', () => {
  const sendNow = (by: string, process = delivery.parts) =>
    process.scheduling.send(TEAM, schedule(), 'now', by);

  it('sends one post, however often it is pressed within a minute', async () => {
    await given({ since: NINE });
    const other = another();
    const outcomes = await Promise.all([
      sendNow('U0OWNER001'),
      sendNow('U0OWNER001'),
      sendNow('U0BOSS0001', other),
    ]);
    expect(outcomes.toSorted()).toEqual(['posted', 'repeated', 'repeated']);
    delivery.now += 59_000;
    expect(await sendNow('U0BOSS0001', other)).toBe('repeated');
    expect(inChannel()).toHaveLength(1);
    delivery.now += 2_000;
    expect(await sendNow('U0BOSS0001', other)).toBe('posted');
    expect(inChannel()).toHaveLength(2);
    await other.close();
  });

  it('can be pressed again at once if the post failed', async () => {
    await given({ since: NINE });
    slack.fault = (call) => (toChannel(call) ? 'not_in_channel' : undefined);
    await expect(sendNow('U0OWNER001')).rejects.toThrow();
    slack.fault = () => undefined;
    expect(await sendNow('U0OWNER001')).toBe('posted');
    expect(inChannel()).toHaveLength(1);
  });

  it('sends a post that names who pressed it, and leaves the schedule’s due dates unchanged', async () => {
    await given({ since: NINE });
    await delivery.parts.scheduling.send(TEAM, schedule(), 'test', 'U0OWNER001');
    expect(await lastSent()).toBeUndefined();
    await delivery.parts.scheduling.send(TEAM, schedule(), 'now', 'U0OWNER001');
    expect(slack.posts.map(({ channel, blocks }) => [channel, blocks])).toEqual([
      ['U0OWNER001', expect.stringContaining('Test of a scheduled post, sent by <@U0OWNER001>')],
      ['C0COSTS001', expect.stringContaining('Sent by <@U0OWNER001> with Send now')],
    ]);
    expect(await lastSent()).toBeUndefined();
  });
});

describe('a schedule that is changed before its post is sent', () => {
  it.each([
    ['paused', () => given({ id: 'schedul2', paused: { at: delivery.now, by: 'U0OWNER001' } })],
    ['removed', () => remove('schedule:schedul2')],
    ['moved to a later time', () => given({ id: 'schedul2', since: delivery.now })],
  ])('sends no post once it is %s, even if a post is queued', async (_, change) => {
    await given();
    await given({ id: 'schedul2' });
    answer = async () => {
      await change();
      return finding('100');
    };
    await run();
    await run();
    expect(inChannel().map(({ key }) => key)).toEqual(['post/schedul1/2026-11-20']);
  });

  it('sends the post with its newest settings', async () => {
    await given();
    await given({ id: 'schedul2' });
    answer = async () => {
      await given({ id: 'schedul2', channel: 'C0OTHER001' });
      return finding('100');
    };
    await run();
    expect(inChannel('C0OTHER001')).toMatchObject([{ key: 'post/schedul2/2026-11-20' }]);
    expect(inChannel()).toHaveLength(1);
  });

  it('moves the post to its new time, with a new hour of retries', async () => {
    const five = at('2026-11-20T16:00:00Z');
    await given();
    answer = failing(new Failure('timed-out', { service: 'billing', after: 10_000 }));
    for (const minutes of [0, 1, 3, 7, 15]) {
      delivery.now = NINE + 3_000 + minutes * MINUTE;
      await run();
    }
    expect((await line())?.tries).toBe(5);
    await given({ timing: { ...schedule().timing, time: '17:00' }, since: delivery.now });
    await run();
    expect(await line()).toBeUndefined();
    delivery.now = five + 1_000;
    await run();
    expect(await line()).toMatchObject({ state: 'due', tries: 1, about: { due: five } });
    answer = () => finding('100');
    delivery.now += MINUTE;
    await run();
    expect(inChannel().map(({ key }) => key)).toEqual(['post/schedul1/2026-11-20']);
    expect(await lastSent()).toMatchObject({ result: 'posted', due: five });
  });

  it('sends no post for a due time before the change', async () => {
    await given();
    answer = failing(new Failure('timed-out', { service: 'billing', after: 10_000 }));
    await run();
    delivery.now += MINUTE;
    await given({ since: delivery.now });
    await run();
    expect(await lastSent()).toBeUndefined();
    expect(slack.posts).toEqual([]);
  });
});
