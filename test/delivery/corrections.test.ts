/** Looking at a post again, and at dates that were missed, one step at a time. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../src/delivery/delivery-run.ts';
import type { DeliveryLogEntry, PostContent } from '../../src/delivery/log/delivery-log-entry.ts';
import { correctPost } from '../../src/delivery/posts/corrections.ts';
import { renderPost } from '../../src/delivery/posts/post-blocks.ts';
import type { DeliveryTask } from '../../src/delivery/posts/post-plan.ts';
import { summarizeMissedDates } from '../../src/delivery/posts/posts-job.ts';
import type { ReportResult } from '../../src/delivery/posts/run-report.ts';
import { StoreUnavailable, TokenRejected } from '../../src/domain/failure/index.ts';
import { textOf } from '../support/bot.ts';
import { COVERED, finding, schedule } from '../support/delivery.ts';
import { lineOf, postedAt, postOf, recordedRun, snapshotOf } from '../support/delivery-records.ts';
import { storedCause } from '../support/failures.ts';
import { type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';
import { workspaceOf } from '../support/records.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NINE = Date.parse('2026-11-20T08:00:00Z');
const DATE = '2026-11-20';

let slack: MinimalSlack;
beforeEach(async () => {
  slack = await startMinimalSlack();
  slack.now = () => NINE;
});
afterEach(() => slack.close());

describe('a post that is looked at again', () => {
  const OUT: Partial<PostContent> = {
    figures: { '123:1': '100' },
    isLate: true,
    earlier: { counted: 1, named: [] },
  };
  interface Given {
    readonly post?: Partial<PostContent>;
    readonly entry?: Partial<DeliveryLogEntry>;
    readonly now?: number;
    readonly report?: () => ReportResult;
    readonly correctsFrom?: number;
    readonly isPosted?: boolean;
    readonly channel?: string;
    readonly context?: Parameters<typeof recordedRun>[3];
  }
  async function look({
    post = {},
    entry = {},
    now = NINE + 6 * HOUR,
    report = () => finding('200'),
    isPosted = true,
    ...given
  }: Given) {
    // Slack has it under the `ts` that the log names.
    await fetch(`${slack.url}chat.postMessage`, {
      method: 'POST',
      body: new URLSearchParams({ channel: 'C0COSTS001', text: 'x' }),
    });
    const [out] = slack.posts;
    const written: DeliveryLogEntry = {
      ...{ state: 'posted', due: NINE, began: NINE, tries: 0, at: NINE },
      ...(isPosted && postedAt(NINE, { ...OUT, ...post })),
      ts: out!.ts,
      ...entry,
    };
    const line = lineOf(DATE, written);
    const questions: unknown[] = [];
    const run = recordedRun(
      slack.url,
      now,
      (question) => {
        questions.push([question.at, question.zone, question.channel, question.projects]);
        return report();
      },
      { logSnapshot: snapshotOf([line]), ...given.context },
    );
    const due = {
      schedule: schedule({ correctsFrom: given.correctsFrom ?? 5, channel: given.channel ?? 'C0COSTS001' }),
      line,
    };
    const failure = await correctPost(due, run.context).then(
      () => undefined,
      (error: unknown) => error,
    );
    const [after] = run.entries;
    return {
      ...run,
      failure,
      line,
      after,
      questions,
      edits: out!.edits,
      text: out!.blocks,
      replies: slack.posts.slice(1),
    };
  }

  it('is corrected in one step with the log, which holds the new figures and the changes to explain', async () => {
    const { after, writes, edits, text, replies, paces, line, questions } = await look({
      entry: { next: 5, cause: storedCause('x'), tries: 3 },
    });
    expect(edits).toBe(1);
    expect(text).toContain('Corrected Fri 20 Nov 2026, 15:00 (Europe/Rome)');
    expect(text).toContain('Missed earlier');
    expect(replies).toEqual([]);
    const { next, cause, ...rest } = line.entry;
    expect(after).toEqual({
      ...rest,
      tries: 0,
      post: { ...rest.post, checks: 1, figures: { '123:1': '200' }, unexplained: { '123:1': '100' } },
    });
    expect(writes).toMatchObject([
      {
        ...{ name: `schedul1/${DATE}`, before: line.json, needsLease: true },
        posted: { channel: 'C0COSTS001', at: NINE + 6 * HOUR },
      },
    ]);
    expect(paces).toEqual(['wait C0COSTS001', 'posted C0COSTS001']);
    expect(questions).toEqual([[NINE, 'UTC', 'C0COSTS001', [{ id: '123', product: 1 }]]]);
  });

  it('is corrected in its own channel, even if the schedule posts elsewhere now', async () => {
    const { questions, writes } = await look({ channel: 'C0MOVED001' });
    expect(questions).toEqual([[NINE, 'UTC', 'C0COSTS001', [{ id: '123', product: 1 }]]]);
    expect(writes[0]?.posted?.channel).toBe('C0COSTS001');
  });

  it('is left unchanged if too little changed, and the check is counted', async () => {
    const { after, writes, edits, paces } = await look({ report: () => finding('104') });
    expect(after?.post).toMatchObject({ checks: 1, figures: { '123:1': '100' } });
    expect([edits, paces, 'posted' in writes[0]!]).toEqual([0, [], false]);
  });

  it.each([
    [6 * HOUR, 1],
    [24 * HOUR - 1, 1],
    [24 * HOUR, 2],
    [72 * HOUR, 3],
    [99 * HOUR, 3],
  ])('has the due number of checks done %i ms after it: %i', async (age, checks) => {
    expect((await look({ now: NINE + age, report: () => finding('100') })).after?.post?.checks).toBe(checks);
  });

  it('says that a day is missing until it is reported, then is filled in however little changes', async () => {
    const missing = () => ({ ...finding('200'), awaits: 'Thu 19 Nov' });
    expect((await look({ post: { without: 'Thu 19 Nov' }, report: missing })).after?.post?.without).toBe(
      'Thu 19 Nov',
    );
    slack.reset();
    expect((await look({ report: missing })).after?.post?.without).toBe('Thu 19 Nov');
    slack.reset();
    const filled = await look({ post: { without: 'Thu 19 Nov' }, report: () => finding('101') });
    expect([filled.edits, filled.after?.post?.without]).toEqual([1, undefined]);
    slack.reset();
    expect(
      (
        await look({
          post: { without: 'Thu 19 Nov' },
          report: () => ({ ...missing(), figures: { '123:1': '101' } }),
        })
      ).edits,
    ).toBe(0);
    slack.reset();
    expect((await look({ report: () => finding('101') })).edits).toBe(0);
  });

  it.each<[string, Given]>([
    ['another account is asked', { context: { workspace: workspaceOf({ connections: [{ name: 'eu' }] }) } }],
    [
      'its days are other ones',
      { report: () => ({ ...finding('200'), covers: { ...COVERED, last: '2026-11-19' } }) },
    ],
  ])('is not checked any more if %s', async (_, given) => {
    const { after, edits } = await look(given);
    expect([after?.post?.checks, after?.tries, edits]).toEqual([3, 0, 0]);
  });

  it.each([
    'message_not_found',
    'cant_update_message',
    'edit_window_closed',
    'channel_not_found',
    'is_archived',
    'not_in_channel',
  ])('is not checked any more if Slack cannot change it: %s', async (code) => {
    slack.fault = ({ method }) => (method === 'chat.update' ? code : undefined);
    const { after, backOffs } = await look({});
    expect([after?.post?.checks, after?.post?.figures, backOffs]).toEqual([3, { '123:1': '100' }, []]);
  });

  it('is checked again in half an hour while a project gives no answer, six times', async () => {
    const silent = () => ({
      ...finding(undefined),
      unanswered: { '123:1': storedCause('Billing is down.') },
    });
    const { after, edits } = await look({ report: silent, entry: { tries: 5 } });
    expect(after).toMatchObject({ tries: 6, next: NINE + 6 * HOUR + 30 * MINUTE, post: { checks: 0 } });
    expect(edits).toBe(0);
    slack.reset();
    const last = await look({ report: silent, entry: { tries: 6 } });
    expect(last.after).toMatchObject({ tries: 0, post: { checks: 1 } });
    expect(last.after).not.toHaveProperty('next');
    slack.reset();
    const before = await look({
      post: { figures: {} },
      report: () => ({ ...silent(), figures: { '7:1': '5' } }),
    });
    expect(before.edits).toBe(1);
  });

  it('is checked again after a failure, and after Slack’s pause', async () => {
    const failed = await look({
      report: () => {
        throw new TokenRejected('billing');
      },
    });
    expect(failed.after).toMatchObject({ tries: 1, next: NINE + 6 * HOUR + 10 * MINUTE });
    expect(failed.backOffs).toEqual([]);
    slack.reset();
    slack.fault = ({ method }) => (method === 'chat.update' ? { retryAfter: 7 } : undefined);
    const limited = await look({});
    expect([limited.after?.tries, limited.backOffs]).toEqual([0, [NINE + 6 * HOUR + 7_000]]);
    slack.reset();
    slack.fault = ({ method }) => (method === 'chat.update' ? 'msg_too_long' : undefined);
    expect((await look({})).after?.tries).toBe(1);
  });

  it('is left to another run if the lease is lost, the process stops or Redis is away', async () => {
    const throwing = (error: Error) => () => {
      throw error;
    };
    for (const error of [new LeaseLostError(), new StoreUnavailable()])
      expect(await look({ report: throwing(error) })).toMatchObject({ failure: error, writes: [] });
    const stopping = AbortSignal.abort();
    const stopped = await look({ report: throwing(new Error('x')), context: { stopping } });
    expect([stopped.failure, stopped.writes]).toEqual([expect.any(Error), []]);
  });

  it('is left alone if there was no post', async () => {
    expect((await look({ isPosted: false })).writes).toEqual([]);
  });
});

describe('dates that were missed', () => {
  const day = (n: number) => `2026-11-${String(n).padStart(2, '0')}`;
  const dueOn = (n: number) => ({ date: day(n), at: NINE + (n - 20) * 24 * HOUR });
  const task = (days: readonly number[], given: Partial<DeliveryTask> = {}): DeliveryTask => ({
    ...{ schedule: schedule(), due: dueOn(20), earlier: days.map(dueOn), line: undefined },
    ...{ doubtful: [], superseded: [] },
    ...given,
  });
  const summary = async (of: DeliveryTask, report: (at: number) => ReportResult = () => finding('5')) => {
    const { context } = recordedRun(slack.url, NINE, ({ at }) => report(at));
    const { earlier, isEmpty } = await summarizeMissedDates(of, context);
    const { projects, timing, owner, correctsFrom } = of.schedule;
    const post = {
      ...postOf(),
      at: NINE,
      projects,
      timing,
      owner,
      correctsFrom,
      workspace: context.workspace,
      date: DATE,
    };
    const lines = textOf(renderPost(finding('1'), { ...post, earlier }).blocks).split('\n');
    const first = lines.indexOf('Missed earlier:');
    return { earlier, isEmpty, lines: first < 0 ? [] : lines.slice(first + 1, -1) };
  };
  const range = (count: number) => Array.from({ length: count }, (_, n) => 20 - count + n);

  it('are named, oldest first, each with its own figures', async () => {
    const { lines, isEmpty } = await summary(task([18, 19]), (at) =>
      finding(String(at === dueOn(18).at ? 18 : 19)),
    );
    expect(lines).toEqual([
      'Wed 18 Nov 2026 UTC: Project 123 18.00 (due Wed 18 Nov)',
      'Wed 18 Nov 2026 UTC: Project 123 19.00 (due Thu 19 Nov)',
    ]);
    expect(isEmpty).toBe(false);
  });

  it('are named up to ten, and counted before that', async () => {
    const ten = await summary(task(range(10)));
    expect(ten.lines).toHaveLength(10);
    const twelve = await summary(task(range(12)));
    expect(twelve.lines).toEqual(['2 earlier dates', ...ten.lines]);
  });

  it('of a balance are only counted, because the earlier balances are unknown', async () => {
    const of = task([18, 19], { schedule: schedule({ report: 'balance' }) });
    expect(await summary(of)).toMatchObject({ lines: ['2 earlier dates'], isEmpty: false });
  });

  it('are not mentioned only if nothing was spent on any of them', async () => {
    const empty = () => finding(undefined, true);
    expect(await summary(task([]))).toMatchObject({ lines: [], isEmpty: true });
    expect((await summary(task([18, 19]), empty)).isEmpty).toBe(true);
    expect((await summary(task(range(10)), empty)).isEmpty).toBe(true);
    expect((await summary(task(range(11)), empty)).isEmpty).toBe(false);
    expect((await summary(task([18, 19]), (at) => finding('5', at === dueOn(18).at))).isEmpty).toBe(false);
  });

  it('have the cause in place of figures if billing fails', async () => {
    const failing = () => {
      throw new TokenRejected('billing');
    };
    const { earlier, lines, isEmpty } = await summary(task([19]), failing);
    const cause = { kind: 'token-rejected', service: 'billing' };
    expect(earlier).toEqual({ counted: 0, named: [{ date: day(19), isUnclear: false, cause }] });
    expect(lines[0]).toMatch(/^No figures \(due Thu 19 Nov\)\. .*rejected/);
    expect(isEmpty).toBe(false);
  });

  it('are not named if they turn out to be in the channel, and are named with a doubt if unknown', async () => {
    const doubtful = [18, 19].map((n) =>
      lineOf(day(n), {
        ...{ state: 'sending', due: dueOn(n).at },
        ...{ ...postedAt(dueOn(n).at), channel: 'C0BEFORE01' },
      }),
    );
    const body = new URLSearchParams({
      ...{ channel: 'C0BEFORE01', text: 'x' },
      metadata: JSON.stringify({
        event_type: 'tally_delivery',
        event_payload: { key: 'schedul1/2026-11-18' },
      }),
    });
    slack.now = () => dueOn(18).at;
    await fetch(`${slack.url}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: 'Bearer xoxb-T1' },
      body,
    });
    const known = await summary(task([18, 19], { doubtful }));
    expect(known.lines).toEqual(['Wed 18 Nov 2026 UTC: Project 123 5.00 (due Thu 19 Nov)']);
    slack.fault = ({ method }) => (method === 'conversations.history' ? 'missing_scope' : undefined);
    const unknown = await summary(task([17, 18, 19], { doubtful }));
    const doubt = 'Slack didn’t confirm this post; it may be in the channel.';
    expect(unknown.lines.map((line) => line.endsWith(doubt))).toEqual([false, true, true]);
    const withoutPost = [lineOf(day(19), { state: 'sending', due: dueOn(19).at })];
    slack.fault = () => undefined;
    const before = slack.calls.length;
    await summary(task([19], { doubtful: withoutPost }));
    expect(slack.calls[before]?.args.get('channel')).toBe('C0COSTS001');
  });
});
