/** What a failure means for a date, step by step, without Redis: the log’s entry after each. */

import { describe, expect, it } from 'vitest';
import type { DeliveryContext } from '../../src/delivery/delivery-run.ts';
import type { DatedLogEntry, DeliveryLogEntry } from '../../src/delivery/log/delivery-log-entry.ts';
import {
  classifyFailure,
  type FailureEffect,
  MAX_RETRY_DELAY,
  notSentFailure,
} from '../../src/delivery/outbox/failures.ts';
import { MAX_PROBE_DELAY, postRetryDelay, probeDelayAfter } from '../../src/delivery/outbox/send-state.ts';
import type { DeliveryTask } from '../../src/delivery/posts/post-plan.ts';
import { abandonDelivery, DeliveryAttempt } from '../../src/delivery/posts/record-delivery.ts';
import {
  CannotPost,
  ConnectionMissing,
  NotAllowed,
  NotConnected,
  NotInstalled,
  NotSent,
  SlackFailed,
  StoreUnavailable,
  TokenRejected,
} from '../../src/domain/failure/index.ts';
import { fingerprintOf } from '../../src/workspace/credentials/connection-record.ts';
import type { PauseReason, Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { wordFailure } from '../../src/workspace/record/stored-failure.ts';
import { finding, schedule } from '../support/delivery.ts';
import {
  lineOf,
  postedAt,
  postOf,
  recordedRun,
  snapshotOf,
  workspacesOf,
} from '../support/delivery-records.ts';
import { storedCause } from '../support/failures.ts';
import { type RecordParts, workspaceOf } from '../support/records.ts';
import { MAIN } from '../support/workspace-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NINE = Date.parse('2026-11-20T08:00:00Z');
const DATE = '2026-11-20';

describe('a failure', () => {
  const slack = (code: string, method = 'chat.postMessage', retryAfter?: number) =>
    Object.assign(new SlackFailed(method, code), retryAfter !== undefined && { retryAfter });

  it.each<[string, unknown, object]>([
    ['a rejected token', new TokenRejected('billing'), { kind: 'pause', why: 'token-rejected' }],
    ['no connection', new NotConnected(), { kind: 'pause', why: 'not-connected' }],
    ['a connection that was removed', new ConnectionMissing('eu'), { kind: 'pause', why: 'not-connected' }],
    ['a channel limit', new NotAllowed('channel'), { kind: 'pause', why: 'project-limited' }],
    ['an app that was removed', new NotInstalled('unknown'), { kind: 'pause', why: 'app-removed' }],
    [
      'a channel without Tally',
      new CannotPost('not-there'),
      { kind: 'pause', why: 'not-in-channel', cause: notSentFailure('not-in-channel') },
    ],
    [
      'an archived channel',
      new CannotPost('archived'),
      { kind: 'pause', why: 'channel-archived', cause: notSentFailure('channel-archived') },
    ],
    [
      'a restricted channel',
      new CannotPost('restricted'),
      {
        kind: 'pause',
        why: 'channel-restricted',
        cause: notSentFailure('channel-restricted'),
      },
    ],
    [
      'no word from Slack',
      new NotSent('post-unconfirmed'),
      { kind: 'unclear', cause: notSentFailure('post-unconfirmed') },
    ],
    ['a bug', new TypeError('x is not a function'), { kind: 'later', cause: notSentFailure('own-error') }],
    ['a rate limit', slack('ratelimited', 'chat.postMessage', 7), { kind: 'wait', for: 7_000 }],
    ['a rate limit without a time', slack('ratelimited'), { kind: 'wait', for: 30_000 }],
    [
      'a rate limit of a day',
      slack('ratelimited', 'chat.postMessage', 86_400),
      { kind: 'wait', for: MAX_RETRY_DELAY },
    ],
    ['another refusal', slack('msg_too_long'), { kind: 'later' }],
  ])('is classified: %s', (_, error, effect) => {
    expect(classifyFailure(error)).toMatchObject(effect);
    expect(wordFailure(classifyFailure(error).cause)).toMatch(/^[A-Z].+\.$/);
  });

  it.each([
    'account_inactive',
    'token_revoked',
    'token_expired',
    'invalid_auth',
    'not_authed',
    'app_uninstalled',
    'team_not_found',
  ])('of a workspace that is gone pauses: %s', (code) => {
    expect(classifyFailure(slack(code, 'conversations.history'))).toEqual({
      ...{ kind: 'pause', why: 'app-removed', cause: notSentFailure('slack-token-rejected') },
    });
  });

  it.each([
    'internal_error',
    'fatal_error',
    'service_unavailable',
    'request_timeout',
    'request_error',
    'http_error',
    'failed',
  ])('leaves only a post in doubt: %s', (code) => {
    expect(classifyFailure(slack(code)).kind).toBe('unclear');
    expect(classifyFailure(slack(code, 'chat.update')).kind).toBe('later');
  });

  it('of the store does not count against the schedule', () => {
    expect(() => classifyFailure(new StoreUnavailable())).toThrow(StoreUnavailable);
  });

  it('is tried again for an hour, five minutes later at most, then probed every six hours', () => {
    const pauses = Array.from({ length: 14 }, (_, failed) => postRetryDelay(failed + 1) ?? Number.NaN);
    expect(pauses.slice(0, 4)).toEqual([1, 2, 4, 5].map((minutes) => minutes * MINUTE));
    expect(Math.max(...pauses)).toBe(5 * MINUTE);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBe(HOUR);
    expect(postRetryDelay(15)).toBeUndefined();
    const probes = [1, 2, 3, 4, 5, 6, 7, 8, 99].map(probeDelayAfter);
    expect(probes).toEqual([5, 15, 30, 60, 120, 240, 360, 360, 360].map((minutes) => minutes * MINUTE));
    expect(Math.max(...probes)).toBe(MAX_PROBE_DELAY);
    expect(MAX_RETRY_DELAY).toBe(HOUR);
  });
});

const task = (given: Partial<DeliveryTask> = {}): DeliveryTask => ({
  ...{ schedule: schedule(), due: { date: DATE, at: NINE }, line: undefined },
  ...{ earlier: [], doubtful: [], superseded: [] },
  ...given,
});

/** What `work` wrote. @param lines what the log has before */
async function outcomeOf(
  work: (context: DeliveryContext) => Promise<void>,
  now: number,
  lines: readonly DatedLogEntry[],
  record: RecordParts = {},
) {
  const saved: { schedule: Schedule; action: string | undefined; who: string | undefined }[] = [];
  const { schedules } = workspacesOf({});
  const { context, writes } = recordedRun('http://127.0.0.1:9/', now, () => finding('1'), {
    ...{ workspace: workspaceOf(record), logSnapshot: snapshotOf(lines) },
    workspaces: workspacesOf({
      schedules: {
        ...schedules,
        save: async ({ entries: [entry] }, schedule) =>
          void saved.push({ schedule, action: entry?.action, who: `${entry?.who} ${entry?.about.kind}` }),
      },
    }),
  });
  await work(context);
  const [write] = writes;
  return { write: write!, entry: write?.value as DeliveryLogEntry, last: write?.lastDelivery?.[1], saved };
}

const LATER: FailureEffect = { kind: 'later', cause: storedCause('It broke.') };
const UNCLEAR: FailureEffect = { kind: 'unclear', cause: storedCause('No word.') };
const ARCHIVED: FailureEffect = { kind: 'pause', why: 'channel-archived', cause: storedCause('Archived.') };
const LIMITED: Extract<FailureEffect, { kind: 'wait' }> = {
  kind: 'wait',
  for: 90_000,
  cause: storedCause('Too many.'),
};
const ENTRY: DeliveryLogEntry = { state: 'due', due: NINE, at: NINE, began: NINE, tries: 0 };

interface Begun {
  readonly entry?: Partial<DeliveryLogEntry>;
  readonly mayBeInSlack?: boolean;
  readonly pausedBy?: PauseReason;
  readonly now?: number;
  readonly record?: RecordParts;
  readonly superseded?: readonly string[];
  readonly error?: Error;
}
const fail = async (effect: FailureEffect, given: Begun = {}) => {
  const { entry, mayBeInSlack = false, pausedBy, now = NINE + 1_000, record, superseded = [] } = given;
  const paused = pausedBy === undefined ? {} : { paused: { why: pausedBy, at: NINE } };
  const line = lineOf(DATE, { ...ENTRY, ...entry });
  const of = task({ schedule: schedule(paused), superseded, line });
  return outcomeOf(
    async (context) => {
      const attempt = Object.assign(new DeliveryAttempt(of, context), { begun: line.entry });
      await attempt.fail({ error: given.error, effect, mayBeInSlack });
    },
    now,
    [line],
    record,
  );
};

describe('a try that failed', () => {
  it('is tried again after its pause, and shown as tried', async () => {
    const { write, saved } = await fail(LATER, { superseded: ['2026-11-19'] });
    expect(write).toEqual({
      ...{ name: `schedul1/${DATE}`, before: expect.stringContaining('"due"'), drop: [] },
      value: {
        ...ENTRY,
        tries: 1,
        cause: storedCause('It broke.'),
        next: NINE + 1_000 + MINUTE,
      },
      lastDelivery: [
        'schedul1',
        {
          ...{ date: DATE, due: NINE, at: NINE + 1_000, failures: 0 },
          ...{ result: 'trying', cause: storedCause('It broke.'), next: NINE + 1_000 + MINUTE },
        },
      ],
    });
    expect(saved).toEqual([]);
  });

  it('is given up after an hour of tries: the next post names its date, and the owner is notified', async () => {
    const unanswered = { '7:1': { posts: 1, cause: storedCause('x') } };
    const record = { sent: { schedul1: { failures: 2, unanswered } } };
    const { write, entry, last } = await fail(LATER, {
      ...{ entry: { tries: 14 }, record, superseded: ['2026-11-19'] },
    });
    expect(entry).toEqual({
      ...{ ...ENTRY, at: NINE + 1_000, tries: 15, cause: storedCause('It broke.') },
      ...{ state: 'failed', isMissed: true, pendingNotice: 'failed' },
    });
    expect(write.drop).toEqual(['schedul1/2026-11-19']);
    expect(last).toEqual({
      ...{
        date: DATE,
        due: NINE,
        at: NINE + 1_000,
        failures: 3,
        result: 'failed',
        cause: storedCause('It broke.'),
      },
      unanswered,
    });
    expect((await fail(LATER, { entry: { tries: 13 }, record })).last?.failures).toBe(2);
  });

  it('does not wait for a day any more, and forgets an earlier pause', async () => {
    const { entry } = await fail(LATER, {
      entry: { awaitsFigures: true, probes: 3, pendingNotice: 'failed', next: 1, post: postOf() },
    });
    expect(Object.keys(entry).sort()).toEqual(['at', 'began', 'cause', 'due', 'next', 'state', 'tries']);
  });

  it('does not count if Slack limits the rate, for an hour', async () => {
    const { entry } = await fail(LIMITED, { entry: { tries: 3 }, now: NINE + HOUR });
    expect(entry).toMatchObject({ state: 'due', tries: 3, next: NINE + HOUR + 90_000 });
    const after = await fail(LIMITED, { entry: { tries: 3 }, now: NINE + HOUR + 1 });
    expect(after.entry).toMatchObject({ tries: 4, next: NINE + HOUR + 1 + 5 * MINUTE });
    const last = await fail(LIMITED, { entry: { tries: 14 }, now: NINE + HOUR + 1 });
    expect(last.entry.state).toBe('failed');
  });
});

describe('a post that Slack may have taken', () => {
  const { channel, post } = postedAt(NINE + 5);
  const SENT = { state: 'sending', at: NINE + 5, channel, post } as const;

  it('is searched around the instant when it was sent, however often that fails', async () => {
    const first = await fail(UNCLEAR, { entry: SENT });
    expect(first.entry).toMatchObject({
      state: 'sending',
      at: NINE + 5,
      post: SENT.post,
      tries: 1,
      next: NINE + 1_000 + MINUTE,
    });
    const again = await fail(LATER, { entry: { ...SENT, tries: 1 }, mayBeInSlack: true });
    expect(again.entry).toMatchObject({ state: 'sending', at: NINE + 5, post: SENT.post, tries: 2 });
    const limited = await fail(LIMITED, { entry: SENT, mayBeInSlack: true });
    expect(limited.entry).toMatchObject({
      state: 'sending',
      at: NINE + 5,
      tries: 0,
      next: NINE + 91_000,
    });
  });

  it('is looked for once more after it was sent twice, and then given up', async () => {
    const twice = { ...SENT, isAgain: true };
    const { entry } = await fail(UNCLEAR, { entry: twice });
    expect(entry).toMatchObject({ state: 'sending', tries: 1, isAgain: true });
    expect((await fail(LATER, { entry: twice, mayBeInSlack: true })).entry.state).toBe('sending');
    const error = new NotSent('post-unconfirmed');
    const last = await fail(UNCLEAR, { entry: twice, mayBeInSlack: true, error });
    expect(last.entry).toMatchObject({
      ...{ state: 'failed', tries: 1, post: twice.post, pendingNotice: 'failed' },
    });
    expect(wordFailure(last.entry.cause!)).toMatch(
      /No word\..* The post may be in the channel: check before you send it again\.$/,
    );
  });

  it('says so when it is given up', async () => {
    const { entry } = await fail(LATER, { entry: { ...SENT, tries: 14 }, mayBeInSlack: true });
    expect(entry).toMatchObject({ state: 'failed', at: NINE + 5, post: SENT.post });
    expect(wordFailure(entry.cause!)).toContain('may be in the channel');
    expect((await fail(LATER, { entry: { tries: 14 } })).entry.cause).toEqual(storedCause('It broke.'));
  });

  it('stays in doubt while its schedule is paused', async () => {
    const { entry } = await fail(ARCHIVED, { entry: SENT, mayBeInSlack: true });
    expect(entry).toEqual({
      ...{ ...ENTRY, ...SENT, cause: storedCause('Archived.'), probes: 1, next: NINE + 1_000 + 5 * MINUTE },
      pendingNotice: 'channel-archived',
    });
    expect(
      (await fail(UNCLEAR, { entry: { ...SENT, probes: 1 }, pausedBy: 'channel-archived' })).entry,
    ).toMatchObject({
      ...{ state: 'sending', tries: 1, post: SENT.post },
    });
  });
});

describe('a failure that pauses', () => {
  it('holds the date, saves the pause with its reason, and notifies once', async () => {
    const { write, entry, last, saved } = await fail(ARCHIVED, {
      entry: { tries: 4, post: postOf() },
      superseded: ['2026-11-19'],
    });
    expect(entry).toEqual({
      ...{ ...ENTRY, state: 'held', at: NINE + 1_000, tries: 0, cause: storedCause('Archived.') },
      ...{ probes: 1, pendingNotice: 'channel-archived', next: NINE + 1_000 + 5 * MINUTE },
    });
    expect(write.drop).toEqual(['schedul1/2026-11-19']);
    expect(last).toMatchObject({
      result: 'trying',
      cause: storedCause('Archived.'),
      failures: 0,
    });
    expect(saved).toEqual([
      {
        schedule: schedule({ paused: { why: 'channel-archived', at: NINE + 1_000 } }),
        ...{ action: 'schedule paused', who: 'tally schedule' },
      },
    ]);
  });

  it('ends a wait for figures: the post is late once its schedule resumes', async () => {
    const { entry } = await fail(ARCHIVED, { entry: { awaitsFigures: true, next: 1 } });
    expect(entry.state).toBe('held');
    expect(entry).not.toHaveProperty('awaitsFigures');
  });

  it('stores what the pause depends on', async () => {
    const rejected = await fail({ kind: 'pause', why: 'token-rejected', cause: storedCause('x') });
    expect(rejected.saved[0]?.schedule.paused?.basis).toBe(`main ${fingerprintOf(MAIN.token)}`);
    const limited = await fail({ kind: 'pause', why: 'project-limited', cause: storedCause('x') });
    expect(limited.saved[0]?.schedule.paused?.basis).toBe('open');
  });

  it('for the same reason again is neither saved nor notified again, and is probed more rarely', async () => {
    const { entry, saved } = await fail(ARCHIVED, {
      entry: { state: 'held', probes: 2 },
      pausedBy: 'channel-archived',
    });
    expect(entry).toMatchObject({ state: 'held', probes: 3, next: NINE + 1_000 + 30 * MINUTE });
    expect(entry).not.toHaveProperty('pendingNotice');
    expect(saved).toEqual([]);
    const untold = await fail(ARCHIVED, {
      ...{
        entry: { state: 'held', probes: 1, pendingNotice: 'channel-archived' },
        pausedBy: 'channel-archived',
      },
    });
    expect(untold.entry.pendingNotice).toBe('channel-archived');
  });

  it('for another reason is notified, and saved', async () => {
    const { entry, saved } = await fail(ARCHIVED, {
      entry: { state: 'held', probes: 2 },
      pausedBy: 'token-rejected',
    });
    expect(entry).toMatchObject({ pendingNotice: 'channel-archived', probes: 3 });
    expect(saved[0]?.schedule.paused?.why).toBe('channel-archived');
  });

  it('stays paused while a probe fails for another reason', async () => {
    const { entry, saved } = await fail(LATER, {
      entry: { state: 'held', probes: 1 },
      pausedBy: 'not-connected',
    });
    expect(entry).toMatchObject({
      state: 'held',
      probes: 2,
      tries: 0,
      cause: storedCause('It broke.'),
      next: NINE + 1_000 + 15 * MINUTE,
    });
    expect(saved).toEqual([]);
    const first = await fail(LATER, { pausedBy: 'not-connected' });
    expect(first.entry.probes).toBe(1);
    const limited = await fail(
      { ...LIMITED, for: 20 * MINUTE },
      {
        entry: { probes: 1 },
        pausedBy: 'not-connected',
      },
    );
    expect(limited.entry.next).toBe(NINE + 1_000 + 20 * MINUTE);
  });
});

describe('a date that is given up because its schedule was changed', () => {
  const given = (entry: Partial<DeliveryLogEntry>, paused?: Schedule['paused']) => {
    const line = lineOf(DATE, { ...ENTRY, ...entry });
    const of = schedule(paused && { paused });
    const record = { sent: { schedul1: { failures: 4 } } };
    return outcomeOf((context) => abandonDelivery({ schedule: of, line }, context), NINE + 7, [line], record);
  };

  it('is shown as not posted, without counting as a failure', async () => {
    const { write, entry, last } = await given({
      state: 'due',
      next: 1,
      probes: 2,
      pendingNotice: 'failed',
      post: postOf(),
    });
    const cause = notSentFailure('schedule-changed');
    expect(entry).toEqual({ ...ENTRY, state: 'failed', at: NINE + 7, cause, isDropped: true });
    expect(JSON.parse(write.before!)).toMatchObject({ state: 'due' });
    expect(last).toEqual({
      date: DATE,
      due: NINE,
      at: NINE + 7,
      failures: 4,
      result: 'failed',
      cause,
    });
  });

  it('keeps earlier dates of the new times only if nothing was sent and nobody paused it', async () => {
    expect((await given({ state: 'sending' })).entry).not.toHaveProperty('isDropped');
    expect((await given({ state: 'due' }, { why: 'person', at: NINE })).entry).not.toHaveProperty(
      'isDropped',
    );
  });
});

describe('a try', () => {
  const begin = (entry: Partial<DeliveryLogEntry> | undefined, due = NINE) => {
    const line = entry && lineOf(DATE, { ...ENTRY, tries: 3, began: NINE - 9, ...entry });
    const { context } = recordedRun('http://127.0.0.1:9/', NINE + 5, () => finding('1'));
    return new DeliveryAttempt(task({ due: { date: DATE, at: due }, line }), context).begun;
  };

  it('that is the first one starts the hour of tries', () => {
    expect(begin(undefined)).toEqual({
      ...{ state: 'due', due: NINE, at: NINE + 5, began: NINE + 5, tries: 0 },
    });
  });

  it('continues the hour of tries, which starts again if an edit moved the date', () => {
    expect(begin({ state: 'due' })).toMatchObject({ tries: 3, began: NINE - 9, at: NINE });
    expect(begin({ state: 'sending' })).toMatchObject({ tries: 3, state: 'sending' });
    for (const state of ['due', 'sending'] as const)
      expect(begin({ state }, NINE + 1)).toMatchObject({
        ...{ state, tries: 0, due: NINE + 1, began: NINE + 5, at: NINE },
      });
  });

  it('of a date that a pause held back starts an hour of tries of its own', () => {
    expect(begin({ state: 'held', probes: 4, due: 1 })).toMatchObject({
      ...{ state: 'held', probes: 4, due: NINE, began: NINE + 5, tries: 0 },
    });
    expect(begin({ state: 'failed', cause: storedCause('x') })).not.toHaveProperty('cause');
  });
});
