import { describe, expect, it } from 'vitest';
import {
  type DatedLogEntry,
  lastHandledLine,
  openDueTimes,
} from '../../src/delivery/log/delivery-log-entry.ts';
import { MAX_RETRY_DELAY } from '../../src/delivery/outbox/failures.ts';
import { MAX_PROBE_DELAY, SLACK_SETTLE_MS } from '../../src/delivery/outbox/send-state.ts';
import { planNotices } from '../../src/delivery/posts/notices.ts';
import { CORRECTION_DELAYS, planDeliveries } from '../../src/delivery/posts/post-plan.ts';
import { fingerprintOf } from '../../src/workspace/credentials/connection-record.ts';
import type { Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { schedule } from '../support/delivery.ts';
import { lineOf, postedAt, type postOf, snapshotOf } from '../support/delivery-records.ts';
import { type RecordParts, workspaceOf } from '../support/records.ts';
import { MAIN } from '../support/workspace-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 86_400_000;
/** A post's lines are kept for this long. */
const KEPT = 96 * HOUR;
/** Friday, 20 November 2026, 09:00 in Rome. */
const NINE = Date.parse('2026-11-20T08:00:00Z');
const DATE = '2026-11-20';
/** Days after that. */
const nine = (days: number) => NINE + days * DAY;

const posted = (date: string, due: number): DatedLogEntry => lineOf(date, { state: 'posted', due, tries: 1 });
const firstDate = (time: string, last: DatedLogEntry | undefined) => {
  const timing = { cadence: { kind: 'daily' }, time, zone: 'Europe/Rome' } as const;
  for (const due of openDueTimes(schedule({ timing, since: NINE - DAY / 2 }), last)) return due.date;
  return undefined;
};

describe('the dates that are still to be delivered', () => {
  it('begin with the first one since the schedule was saved', () => {
    expect(firstDate('09:00', undefined)).toBe('2026-11-20');
  });

  it('leave out the date of the last post, even if its time was moved to later that day', () => {
    expect(firstDate('11:00', posted('2026-11-20', NINE))).toBe('2026-11-21');
  });

  it('leave out dates before the last post', () => {
    expect(firstDate('09:00', posted('2026-11-22', NINE))).toBe('2026-11-23');
  });

  it('follow the newest date that was handled, in whatever order the log gives its lines', () => {
    const lines = [
      posted('2026-11-19', nine(-1)),
      posted('2026-11-20', NINE),
      posted('2026-11-18', nine(-2)),
      lineOf('2026-11-21', { state: 'failed', due: nine(1), isDropped: true }),
      lineOf('2026-11-22', { state: 'due', due: nine(2) }),
      lineOf('2026-11-23', { state: 'posted', due: nine(3) }, 'schedul2'),
    ];
    expect(lastHandledLine('schedul1', snapshotOf(lines))).toBe(lines[1]);
    expect(lastHandledLine('schedul3', snapshotOf(lines))).toBeUndefined();
  });
});

/** Saved the day before, so that Friday at nine is its first date. */
const SAVED = schedule({ since: NINE - DAY / 2 });
const plan = (
  now: number,
  lines: readonly DatedLogEntry[] = [],
  of: Schedule = SAVED,
  given = {},
  record: RecordParts = {},
) => planDeliveries(workspaceOf({ schedules: [of], ...record }), snapshotOf(lines, given), now);
const dates = (now: number, lines: readonly DatedLogEntry[] = [], of?: Schedule) =>
  plan(now, lines, of).tasks.map(({ due }) => due.date);

describe('a date', () => {
  it('is delivered from the instant when it is due, and not before', () => {
    expect(plan(NINE - 1)).toEqual({
      ...{ tasks: [], resumed: [], correctionsDue: [], pendingNotices: [], abandoned: [], stale: [] },
      next: undefined,
      nextDue: NINE,
    });
    expect(plan(NINE).nextDue).toBe(nine(1));
    expect(plan(NINE).tasks).toEqual([
      {
        ...{ schedule: SAVED, due: { date: DATE, at: NINE }, line: undefined },
        ...{ earlier: [], doubtful: [], superseded: [] },
      },
    ]);
  });

  it('is the newest of those that are overdue, and names the others', () => {
    const [task] = plan(nine(2)).tasks;
    expect(task?.due.date).toBe('2026-11-22');
    expect(task?.earlier.map(({ date }) => date)).toEqual([DATE, '2026-11-21']);
  });

  it.each(['posted', 'skipped'] as const)('that was %s is done, and so is everything before it', (state) => {
    const line = lineOf('2026-11-21', { state, due: nine(1) });
    expect(dates(nine(1), [line])).toEqual([]);
    const [task] = plan(nine(2), [line]).tasks;
    expect([task?.due.date, task?.earlier]).toEqual(['2026-11-22', []]);
  });

  it('that failed for good is not tried again, and is named by the next one', () => {
    const failed = lineOf(DATE, { state: 'failed', due: NINE, isMissed: true });
    expect(dates(NINE + HOUR, [failed])).toEqual([]);
    const [task] = plan(nine(1), [failed]).tasks;
    expect(task?.earlier.map(({ date }) => date)).toEqual([DATE]);
    expect([task?.doubtful, task?.superseded]).toEqual([[], [DATE]]);
  });

  it('that failed for good keeps its line until the owner was notified, and while Slack may have the post', () => {
    const told = lineOf('2026-11-20', { state: 'failed', due: NINE, isMissed: true });
    const untold = lineOf('2026-11-21', {
      state: 'failed',
      due: nine(1),
      isMissed: true,
      pendingNotice: 'failed',
    });
    const doubtful = lineOf('2026-11-22', {
      state: 'failed',
      due: nine(2),
      isMissed: true,
      ...postedAt(nine(2)),
    });
    const [task] = plan(nine(3), [doubtful, untold, told]).tasks;
    expect(task?.superseded).toEqual(['2026-11-20']);
    expect(task?.doubtful).toEqual([doubtful]);
    expect(task?.earlier.map(({ date }) => date)).toEqual(['2026-11-20', '2026-11-21', '2026-11-22']);
  });

  it('is tried again when its pause is over', () => {
    const due = lineOf(DATE, { state: 'due', due: NINE, next: NINE + 5 * MINUTE });
    expect(plan(NINE + 5 * MINUTE - 1, [due])).toMatchObject({ tasks: [], next: NINE + 5 * MINUTE });
    expect(plan(NINE + 5 * MINUTE, [due])).toMatchObject({ tasks: [{ line: due }], next: undefined });
  });

  it('that Slack may have taken is left alone until the call has ended', () => {
    const sending = lineOf(DATE, { state: 'sending', due: NINE, next: NINE + 1 });
    expect(plan(NINE + SLACK_SETTLE_MS - 1, [sending]).next).toBe(NINE + SLACK_SETTLE_MS);
    expect(dates(NINE + SLACK_SETTLE_MS, [sending])).toEqual([DATE]);
    const later = lineOf(DATE, { state: 'sending', due: NINE, at: NINE + HOUR, next: 0 });
    expect(plan(NINE + HOUR, [later]).next).toBe(NINE + HOUR + SLACK_SETTLE_MS);
  });

  it.each([
    ['a try', {}, MAX_RETRY_DELAY],
    ['a probe', { probes: 3 }, MAX_PROBE_DELAY],
  ])('is not delayed for longer than %s may be, unless the clock went back', (_, given, longest) => {
    const isHeld = 'probes' in given;
    const of = isHeld ? ({ ...SAVED, paused: { why: 'channel-archived', at: 0 } } as Schedule) : SAVED;
    const state = isHeld ? 'held' : 'due';
    const until = (next: number) => dates(NINE, [lineOf(DATE, { state, due: NINE, next, ...given })], of);
    expect(until(NINE + longest)).toEqual([]);
    expect(until(NINE + longest + 1)).toEqual([DATE]);
  });

  it('belongs to its own schedule', () => {
    const other = schedule({ id: 'schedul2', since: NINE - DAY / 2 });
    const lines = [lineOf(DATE, { state: 'posted', due: NINE }, 'schedul2')];
    const { tasks } = planDeliveries(workspaceOf({ schedules: [SAVED, other] }), snapshotOf(lines), NINE);
    expect(tasks.map((task) => task.schedule.id)).toEqual(['schedul1']);
  });
});

describe('a schedule that is paused', () => {
  const by = (paused: Schedule['paused']) => ({ ...SAVED, paused }) as Schedule;
  const ARCHIVED = by({ why: 'channel-archived', at: NINE - HOUR });
  const held = (given = {}) =>
    lineOf(DATE, { state: 'held', due: NINE, probes: 1, next: NINE + HOUR, ...given });

  it('by a person does nothing, and gives up what was begun', () => {
    const person = by({ why: 'person', at: NINE, by: 'U1' });
    expect(plan(NINE, [], person)).toMatchObject({ tasks: [], next: undefined, nextDue: undefined });
    const due = lineOf(DATE, { state: 'due', due: NINE });
    expect(plan(NINE, [due], person)).toMatchObject({ tasks: [], abandoned: [{ line: due }] });
    const future = lineOf('2026-11-21', { state: 'due', due: nine(1) });
    expect(plan(NINE, [future], person).abandoned).toEqual([]);
    expect(plan(nine(1), [future], person).abandoned).toHaveLength(1);
  });

  it('by Tally is probed when a date is due and when its pause is over', () => {
    expect(dates(NINE, [], ARCHIVED)).toEqual([DATE]);
    expect(plan(NINE + MINUTE, [held()], ARCHIVED)).toMatchObject({
      tasks: [],
      next: NINE + HOUR,
      abandoned: [],
    });
    expect(dates(NINE + HOUR, [held()], ARCHIVED)).toEqual([DATE]);
  });

  it.each([
    [
      'a post in its channel',
      { lastPost: (channel?: string) => (channel === 'C0COSTS001' ? NINE + 1 : undefined) },
      {},
    ],
    ['a post sent by hand', {}, { sent: { schedul1: { byHand: NINE + 1 } } }],
  ])('by Tally is tried at once after %s, and not twice for it', (_, snapshot, record) => {
    const task = (at: number) => plan(NINE + 2, [held({ at })], ARCHIVED, snapshot, record).tasks.length;
    expect(task(NINE)).toBe(1);
    expect(task(NINE + 1)).toBe(0);
    const elsewhere = { lastPost: (channel?: string) => (channel === undefined ? NINE + 1 : undefined) };
    expect(plan(NINE + 2, [held()], ARCHIVED, elsewhere).tasks).toEqual([]);
  });

  it('because the app was removed is tried at once after a post in any channel', () => {
    const removed = by({ why: 'app-removed', at: NINE - HOUR });
    const elsewhere = { lastPost: (channel?: string) => (channel === undefined ? NINE + 1 : undefined) };
    expect(plan(NINE + 2, [held()], removed, elsewhere).tasks).toHaveLength(1);
  });

  it('over a rejected token is tried at once after an answer by one of its connections', () => {
    const rejected = {
      ...by({ why: 'token-rejected', at: NINE - HOUR }),
      projects: [
        { id: '123', product: 1 },
        { id: '7', product: 2 },
      ],
    } as Schedule;
    const project = { alias: 'logs', id: '7', product: 2, connection: 'eu' } as const;
    const usedBy = (name: string): RecordParts => ({
      projects: [project],
      fields: { [`used:${name}`]: String(NINE + 1) },
    });
    const tasks = (record: RecordParts) => plan(NINE + 2, [held()], rejected, {}, record).tasks.length;
    expect(['main', 'eu', 'us'].map((name) => tasks(usedBy(name)))).toEqual([1, 1, 0]);
    expect(tasks({ ...usedBy('us'), sent: { schedul1: { byHand: NINE + 1 } } })).toBe(1);
  });

  it('resumes once its post is out, and is posted by the next pass', () => {
    const out = (state: 'posted' | 'skipped', at: number) => lineOf(DATE, { state, due: NINE, at });
    expect(plan(nine(1), [out('posted', NINE - HOUR + 1)], ARCHIVED)).toMatchObject({
      resumed: [ARCHIVED],
      tasks: [],
    });
    expect(plan(nine(1), [out('skipped', NINE)], ARCHIVED).resumed).toEqual([ARCHIVED]);
    expect(plan(nine(1), [out('posted', NINE - HOUR)], ARCHIVED)).toMatchObject({ resumed: [], tasks: [{}] });
    expect(plan(nine(1), [lineOf(DATE, { state: 'failed', due: NINE })], ARCHIVED).resumed).toEqual([]);
  });

  it('resumes once what the pause depends on has changed', () => {
    const over = (why: 'token-rejected' | 'not-connected' | 'project-limited', basis: string) =>
      plan(NINE, [], by({ why, at: NINE - HOUR, basis })).resumed.length;
    const mark = fingerprintOf(MAIN.token);
    expect(over('token-rejected', `main ${mark}`)).toBe(0);
    expect(over('token-rejected', 'main ba9876543210')).toBe(1);
    expect(over('not-connected', 'main -')).toBe(1);
    expect(over('not-connected', `main ${mark}`)).toBe(0);
    expect(over('project-limited', 'limited')).toBe(1);
    expect(over('project-limited', 'open')).toBe(0);
    const limited = by({ why: 'project-limited', at: 0, basis: 'limited' });
    expect(plan(NINE, [], limited, {}, { projects: [{ channels: ['C0ELSEWHERE'] }] }).resumed).toEqual([]);
  });
});

describe('a date that was begun before its schedule was changed', () => {
  it('is given up if the schedule no longer has that date', () => {
    const weekly = {
      ...SAVED,
      timing: { ...SAVED.timing, cadence: { kind: 'weekly', weekday: 1 } },
    } as Schedule;
    const due = lineOf(DATE, { state: 'due', due: NINE });
    expect(plan(NINE + HOUR, [due], weekly).abandoned).toEqual([{ schedule: weekly, line: due }]);
    expect(plan(NINE + HOUR, [due]).abandoned).toEqual([]);
    expect(plan(nine(2), [due, lineOf('2026-11-21', { state: 'due', due: nine(1) })]).abandoned).toEqual([]);
    expect(plan(NINE - 1, [due], weekly).abandoned).toEqual([]);
  });

  it('waits for its new time if that is later that day', () => {
    const later = { ...SAVED, timing: { ...SAVED.timing, time: '11:00' } };
    const due = lineOf(DATE, { state: 'due', due: NINE });
    expect(plan(NINE + HOUR, [due], later)).toMatchObject({ abandoned: [], tasks: [] });
    expect(dates(NINE + 2 * HOUR, [due], later)).toEqual([DATE]);
  });

  it('is not given up once it is over', () => {
    const weekly = {
      ...SAVED,
      timing: { ...SAVED.timing, cadence: { kind: 'weekly', weekday: 1 } },
    } as Schedule;
    for (const state of ['posted', 'skipped', 'failed'] as const)
      expect(plan(NINE + HOUR, [lineOf(DATE, { state, due: NINE })], weekly).abandoned).toEqual([]);
  });
});

describe('the figures of a post', () => {
  const out = (given: Parameters<typeof postOf>[0] = {}, entry = {}) =>
    lineOf(DATE, { state: 'posted', due: NINE, ...postedAt(NINE, given), ...entry });

  it.each(CORRECTION_DELAYS.map((delay, checks) => [delay / HOUR, checks, delay]))(
    'are checked %i hours after it, when %i checks are done',
    (_, checks, delay) => {
      const line = out({ checks });
      expect(plan(NINE + delay - 1, [line, posted('2026-11-24', nine(4))])).toMatchObject({
        correctionsDue: [],
        next: NINE + delay,
      });
      const { correctionsDue, next } = plan(NINE + delay, [line, posted('2026-11-24', nine(4))]);
      expect(correctionsDue).toMatchObject([{ schedule: SAVED, line }]);
      expect(next).toBeUndefined();
    },
  );

  it.each<[string, DatedLogEntry, Schedule]>([
    ['no check is left', out({ checks: 3 }), SAVED],
    ['nobody wants corrections', out(), { ...SAVED, correctsFrom: 0 }],
    ['it is not known to be out', out({}, { state: 'failed' }), SAVED],
    ['the schedule is paused by a person', out(), { ...SAVED, paused: { why: 'person', at: NINE } }],
    ['Tally paused the schedule', out(), { ...SAVED, paused: { why: 'channel-archived', at: NINE + 1 } }],
  ])('are not checked where %s', (_, line, of) => {
    expect(plan(NINE + 80 * HOUR, [line], { ...of, since: nine(9) }).correctionsDue).toEqual([]);
  });

  it('are checked again at their next check, for four days', () => {
    const again = out({}, { next: NINE + 7 * HOUR });
    expect(plan(NINE + 7 * HOUR - 1, [again]).next).toBe(NINE + 7 * HOUR);
    expect(plan(NINE + 7 * HOUR, [again]).correctionsDue).toHaveLength(1);
    expect(plan(NINE + KEPT, [again], { ...SAVED, since: nine(9) }).correctionsDue).toHaveLength(1);
    expect(plan(NINE + KEPT + 1, [again], { ...SAVED, since: nine(9) }).correctionsDue).toEqual([]);
  });
});

describe('the line of a date that is over', () => {
  const over = (state: 'posted' | 'skipped' | 'failed', given = {}) =>
    lineOf(DATE, { state, due: NINE, ...given });
  const next = posted('2026-11-21', nine(1));
  const stale = (now: number, lines: readonly DatedLogEntry[], of?: Schedule) => plan(now, lines, of).stale;

  it.each(['posted', 'skipped', 'failed'] as const)('is deleted four days after it was %s', (state) => {
    expect(stale(NINE + KEPT, [over(state), next])).toEqual([]);
    expect(stale(NINE + KEPT + 1, [over(state), next])).toEqual([over(state)]);
  });

  it('is kept while it is the newest, from which the next date is reckoned', () => {
    expect(stale(nine(30), [over('posted')])).toEqual([]);
  });

  it('is kept while the next post has still to name it as missed', () => {
    const missed = over('failed', { isMissed: true });
    const also = lineOf('2026-11-21', { state: 'failed', due: nine(1), isMissed: true });
    expect(stale(nine(30), [missed, also])).toEqual([]);
    expect(stale(nine(30), [missed, also, posted('2026-11-22', nine(2))])).toEqual([missed, also]);
  });

  it('is kept while the post is not out', () => {
    const paused = { ...SAVED, paused: { why: 'channel-archived', at: NINE } } as Schedule;
    const held = lineOf(DATE, { state: 'held', due: NINE, probes: 1, next: nine(60) });
    expect(stale(nine(30), [held, next], paused)).toEqual([]);
  });
});

describe('a failure that nobody was notified of yet', () => {
  it('is notified, but not while the date is tried once more', () => {
    const notices = (now: number, lines: readonly DatedLogEntry[], of = SAVED, backOffUntil?: number) =>
      planNotices(plan(now, lines, of).pendingNotices, snapshotOf(lines, { backOffUntil }), now);
    const failed = lineOf(DATE, { state: 'failed', due: NINE, pendingNotice: 'failed' });
    expect(notices(NINE + HOUR, [failed])).toEqual({ due: [SAVED.owner], next: undefined });
    const later = lineOf(DATE, { ...failed.entry, noticeNext: NINE + 2 * HOUR });
    expect(notices(NINE + HOUR, [later])).toEqual({ due: [], next: NINE + 2 * HOUR });
    expect(notices(NINE + 2 * HOUR, [later]).due).toHaveLength(1);
    expect(notices(NINE, [failed], SAVED, NINE + MINUTE)).toEqual({ due: [], next: NINE + MINUTE });
    const held = lineOf(DATE, {
      state: 'held',
      due: NINE,
      pendingNotice: 'channel-archived',
      next: NINE + HOUR,
      probes: 1,
    });
    const paused = { ...SAVED, paused: { why: 'channel-archived', at: NINE } } as Schedule;
    expect(notices(NINE + MINUTE, [held], paused).due).toHaveLength(1);
    expect(plan(NINE + HOUR, [held], paused).tasks).toMatchObject([{ line: held }]);
    expect(notices(NINE + HOUR, [held], paused)).toEqual({ due: [], next: undefined });
    expect(notices(NINE + HOUR, [lineOf(DATE, { state: 'failed', due: NINE })]).due).toEqual([]);
  });
});

describe('a workspace whose rate Slack limits', () => {
  it('sends nothing until then', () => {
    const limited = (now: number, lines: readonly DatedLogEntry[] = []) =>
      plan(now, lines, SAVED, { backOffUntil: NINE + MINUTE });
    expect(limited(NINE)).toMatchObject({ tasks: [], next: NINE + MINUTE });
    expect(limited(NINE - 1).next).toBeUndefined();
    expect(limited(NINE + MINUTE).tasks).toHaveLength(1);
    const checked = lineOf(DATE, { state: 'posted', due: NINE, ...postedAt(NINE) });
    const corrections = (until: number) => plan(NINE + 6 * HOUR, [checked], SAVED, { backOffUntil: until });
    expect(corrections(NINE + 6 * HOUR + 1)).toMatchObject({ correctionsDue: [], next: NINE + 6 * HOUR + 1 });
    expect(corrections(NINE + 6 * HOUR).correctionsDue).toHaveLength(1);
  });

  it('does so for an hour at most: more than that was written by a clock that went back', () => {
    const tasks = (backOffUntil: number) => plan(NINE, [], SAVED, { backOffUntil }).tasks.length;
    expect([tasks(NINE + MAX_RETRY_DELAY), tasks(NINE + MAX_RETRY_DELAY + 1)]).toEqual([0, 1]);
  });

  it('still resumes, gives up and deletes', () => {
    const gone = lineOf(DATE, { state: 'posted', due: NINE }, 'schedul9');
    expect(plan(NINE + KEPT + 1, [gone], SAVED, { backOffUntil: NINE + KEPT + HOUR }).stale).toEqual([gone]);
  });
});

it('what is to be done next is the earliest of all schedules', () => {
  const other = schedule({ id: 'schedul2', since: nine(9) });
  const lines = [
    lineOf(DATE, { state: 'due', due: NINE, next: NINE + 20 * MINUTE }),
    lineOf(
      DATE,
      { state: 'posted', due: NINE - 6 * HOUR, ...postedAt(NINE - 6 * HOUR + 10 * MINUTE) },
      'schedul2',
    ),
  ];
  expect(planDeliveries(workspaceOf({ schedules: [SAVED, other] }), snapshotOf(lines), NINE).next).toBe(
    NINE + 10 * MINUTE,
  );
});
