/** Who is told that something was not posted, what is sent by hand, and which runs are derived, one step at a time. */

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../src/delivery/context.ts';
import { createDelivery } from '../../src/delivery/delivery.ts';
import { createEngine } from '../../src/delivery/engine.ts';
import type { DeliveryLogEntry } from '../../src/delivery/log/delivery-log-entry.ts';
import { earliest } from '../../src/delivery/log/due-dates.ts';
import { responsiblePeople } from '../../src/delivery/outbox/recipients.ts';
import { failureNotice } from '../../src/delivery/posts/notice-blocks.ts';
import { notifyOwner, planNotices } from '../../src/delivery/posts/notices.ts';
import { isIdle } from '../../src/delivery/posts/post-plan.ts';
import type { ReportQuestion } from '../../src/delivery/posts/postable-report.ts';
import { createPostsJob } from '../../src/delivery/posts/posts-job.ts';
import { createScheduling } from '../../src/delivery/posts/schedule-service.ts';
import { remindersJob } from '../../src/delivery/reminders/reminders.ts';
import { createRepairs } from '../../src/delivery/wakeup/repairs.ts';
import { createWatchesJob } from '../../src/delivery/watches/watch-plan.ts';
import { bucketOf } from '../../src/domain/bucket.ts';
import { EditConflict, StoreUnavailable } from '../../src/domain/failure/index.ts';
import type { Schedule } from '../../src/workspace/owned/schedules.ts';
import type { Workspace } from '../../src/workspace/record/workspace.ts';
import type { IndexEntry } from '../../src/workspace/record/workspace-index.ts';
import { textOf } from '../support/bot.ts';
import { finding, schedule } from '../support/delivery.ts';
import { lineOf, recordedRun, snapshotOf, workspaceOf } from '../support/delivery-records.ts';
import { storedCause } from '../support/failures.ts';
import { directMessage, type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';

const NINE = Date.parse('2026-11-20T08:00:00Z');
const HOUR = 3_600_000;
const DATE = '2026-11-20';
const OWNER = 'U0OWNER001';
const BOSS = 'U0BOSS0001';
const SILENT = pino({ level: 'silent' });

let slack: MinimalSlack;
beforeEach(async () => {
  slack = await startMinimalSlack();
  slack.now = () => NINE;
});
afterEach(() => slack.close());

describe('the owner of a schedule', () => {
  const settings = (managers: readonly string[]) => ({ settings: { ...workspaceOf([]).settings, managers } });
  interface Given {
    readonly why?: DeliveryLogEntry['pendingNotice'];
    readonly entry?: Partial<DeliveryLogEntry>;
    readonly record?: Partial<Workspace>;
    readonly schedules?: readonly Schedule[];
    readonly isOver?: () => boolean;
    /** What earlier runs left in the log. */
    readonly states?: Map<string, string>;
    readonly now?: number;
    /** The run dies in place of storing this. */
    readonly diesAt?: RegExp;
  }
  async function told({
    why = 'failed',
    entry = {},
    record = settings([BOSS]),
    schedules = [schedule()],
    isOver = () => false,
    states = new Map<string, string>(),
    now = NINE,
    diesAt = /^$/,
  }: Given = {}) {
    const run = recordedRun(slack.url, now, () => finding('1'), {
      workspace: workspaceOf(schedules, record),
      isOver,
      logSnapshot: snapshotOf([], {
        state: (name) => states.get(name),
        statesOf: (prefix) => [...states].filter(([name]) => name.startsWith(prefix)),
      }),
      async writeState({ name, json }) {
        if (diesAt.test(json)) throw new LeaseLostError();
        states.set(name, json);
        return 'written';
      },
      deliveryLog: {
        drop: async (_: unknown, names: readonly string[]) => void names.map((name) => states.delete(name)),
      } as never,
    });
    const pending = schedules.map((one) => ({
      isInWork: false,
      schedule: one,
      line: lineOf(
        DATE,
        { state: 'failed', due: NINE, pendingNotice: why, cause: storedCause('eu'), ...entry },
        one.id,
      ),
    }));
    const pass = async () => {
      const done = run.writes.map((write) => write.schedule);
      const left = pending.filter(({ schedule: { id } }) => !done.includes(id));
      for (const owner of planNotices(left, run.context.logSnapshot, now).due)
        if (!isOver()) await notifyOwner(owner, left, run.context);
    };
    // The second one finds what the first one has left.
    const died = await pass()
      .then(pass)
      .catch((error: unknown) => error);
    if (died !== undefined && !(died instanceof LeaseLostError)) throw died;
    return {
      ...run,
      posts: slack.posts.map(
        ({ channel, text, blocks }) => [channel, text, textOf(JSON.parse(blocks || '[]'))] as const,
      ),
    };
  }
  const people = async (given: Given = {}) => (await told(given)).posts.map(([channel]) => channel);

  it('is notified once of each cause, and the log says so', async () => {
    const { posts, writes } = await told();
    expect(posts.map(([channel, text]) => [channel, text])).toEqual([
      [
        directMessage(OWNER),
        '“Yesterday’s spend” for Project 123 wasn’t posted. There is no connection named eu.',
      ],
    ]);
    expect(writes).toHaveLength(1);
    expect(writes[0]).toMatchObject({
      schedule: 'schedul1',
      date: DATE,
      before: expect.stringContaining('pendingNotice'),
    });
    expect(writes[0]?.entry).not.toHaveProperty('pendingNotice');
    expect(writes[0]?.entry.cause).toEqual(storedCause('eu'));
  });

  it('of several schedules gets one message for one cause, and one for each owner and cause', async () => {
    const several = ['schedul1', 'schedul2'].map((id) => schedule({ id }));
    const { posts, writes } = await told({ schedules: several });
    expect(posts).toHaveLength(1);
    expect(posts[0]?.[1]).toBe('2 scheduled posts weren’t posted. There is no connection named eu.');
    expect(writes.map((write) => write.schedule)).toEqual(['schedul1', 'schedul2']);
    slack.reset();
    expect(
      await people({ schedules: [schedule(), schedule({ id: 'schedul2', owner: 'U0OTHER001' })] }),
    ).toEqual([OWNER, 'U0OTHER001'].map(directMessage));
  });

  it.each<[string, Given, readonly string[]]>([
    ['a failure is the owner’s', {}, [OWNER]],
    [
      'the second in a row is a manager’s as well',
      { record: { ...settings([BOSS]), lastSent: () => ({ failures: 2 }) as never } },
      [OWNER, BOSS],
    ],
    ['and so is a project that keeps silent', { why: 'unanswered' }, [OWNER, BOSS]],
    ['what only managers can fix is theirs as well', { why: 'not-connected' }, [OWNER, BOSS]],
    ['a channel limit, too', { why: 'project-limited' }, [OWNER, BOSS]],
    ['unless the owner is one', { why: 'not-connected', record: settings([BOSS, OWNER]) }, [OWNER]],
    ['an archived channel is the owner’s', { why: 'channel-archived' }, [OWNER]],
    ['without a token nothing can be said', { why: 'app-removed' }, []],
    ['a rejected token is the owner’s', { why: 'token-rejected' }, [OWNER]],
    ['and nobody’s who gets a reminder of it', { why: 'token-rejected', record: settings([OWNER]) }, []],
    [
      'because they registered it',
      {
        why: 'token-rejected',
        record: { connections: new Map([['main', { registeredBy: OWNER }]]) as never },
      },
      [],
    ],
  ])('%s', async (_, given, expected) => {
    const { posts, writes } = await told(given);
    expect(posts.map(([channel]) => channel)).toEqual(expected.map(directMessage));
    expect(writes).toHaveLength(1);
  });

  it('is notified together with a manager when one of several fails again', async () => {
    const schedules = [schedule(), schedule({ id: 'schedul2' })];
    const lastSent = (id: string) => ({ failures: id === 'schedul1' ? 1 : 2 }) as never;
    expect(await people({ schedules, record: { ...settings([BOSS]), lastSent } })).toEqual(
      [OWNER, BOSS].map(directMessage),
    );
  });

  it('who is an admin can fix it alone', async () => {
    slack.admins.add(OWNER);
    expect(await people({ why: 'not-connected' })).toEqual([directMessage(OWNER)]);
  });

  it('who has left gets no notice: a manager does, with what to do', async () => {
    slack.fault = ({ method, args }) =>
      method === 'users.info' && args.get('user') === OWNER ? 'user_not_found' : undefined;
    const { posts } = await told();
    expect(posts.map(([channel]) => channel)).toEqual([directMessage(BOSS)]);
    expect(posts[0]?.[2]).toContain(
      'The owner has left the workspace. Open schedules and choose Adopt to take over.',
    );
  });

  it('is notified together with a manager who has not left', async () => {
    slack.fault = ({ method, args }) =>
      method === 'users.info' && args.get('user') === BOSS ? 'user_not_found' : undefined;
    expect(await people({ why: 'unanswered', record: settings([OWNER, BOSS, 'U0THIRD001']) })).toEqual(
      [OWNER, 'U0THIRD001'].map(directMessage),
    );
  });

  it('is notified later when Slack limits the rate', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { retryAfter: 7 } : undefined);
    const { writes, backOffs } = await told();
    expect([writes, backOffs]).toEqual([[], [NINE + 7_000]]);
    slack.fault = ({ method }) => (method === 'users.info' ? { retryAfter: 9 } : undefined);
    expect((await told()).backOffs).toEqual([NINE + 9_000]);
  });

  it('is notified ten minutes later when Slack doesn’t say who may be notified', async () => {
    for (const user of [OWNER, BOSS]) {
      slack.fault = ({ method, args }) =>
        method === 'users.info' && args.get('user') === user ? { status: 500 } : undefined;
      const { posts, writes, backOffs } = await told({ why: 'unanswered' });
      expect([posts, backOffs]).toEqual([[], []]);
      expect(writes).toMatchObject([{ entry: { pendingNotice: 'unanswered', noticeNext: NINE + 600_000 } }]);
    }
  });

  it('gets no notice when Slack refuses it, and it is not tried again', async () => {
    slack.fault = ({ method, args }) =>
      method === 'chat.postMessage' && args.get('channel') === directMessage(OWNER)
        ? 'user_disabled'
        : undefined;
    const { posts, writes, backOffs } = await told({ why: 'unanswered' });
    expect([posts.map(([channel]) => channel), writes.length, backOffs]).toEqual([
      [directMessage(BOSS)],
      1,
      [],
    ]);
  });

  it.each([
    ['before it is sent', /"state":"sending"/, 0],
    ['while Slack takes it', /"state":"posted"/, 1],
  ])('is notified once although the run dies %s', async (_, diesAt, sent) => {
    const states = new Map<string, string>();
    const dying = await told({ states, diesAt });
    expect([dying.posts.length, dying.writes]).toEqual([sent, []]);
    const later = await told({ states, now: NINE + 20_000 });
    expect(later.posts.map(([channel]) => channel)).toEqual([directMessage(OWNER)]);
    expect([later.writes.length, [...states]]).toEqual([1, []]);
  });

  it('is notified of one cause after the other', async () => {
    const states = new Map<string, string>();
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'internal_error' : undefined);
    await told({ states });
    slack.fault = () => undefined;
    const another = { schedules: [schedule({ id: 'schedul2' })], entry: { cause: storedCause('asia') } };
    const { posts } = await told({ states, ...another, now: NINE + 60_000 });
    expect(posts.map(([, text]) => text)).toEqual([expect.stringContaining('named asia')]);
    expect([...states]).toEqual([]);
  });

  it('is told of another cause that comes while a manager is still being told of the first', async () => {
    const states = new Map<string, string>();
    slack.fault = ({ method, args }) =>
      method === 'chat.postMessage' && args.get('channel') === directMessage(BOSS)
        ? 'internal_error'
        : undefined;
    await told({ states, why: 'not-connected' });
    const { posts } = await told({ states, why: 'channel-archived', now: NINE + 2 * HOUR });
    expect(posts.map(([channel]) => channel)).toEqual([directMessage(OWNER), directMessage(OWNER)]);
    expect(posts[1]?.[2]).toContain('Unarchive the channel');
    expect([...states]).toEqual([]);
  });

  it('gets no notice from a run that is over', async () => {
    expect((await told({ isOver: () => true })).writes).toEqual([]);
  });

  it('is a manager that is named, else who registered a connection', () => {
    const record = {
      connectionNames: ['eu', 'main', 'gone'],
      connections: new Map([
        ['main', { registeredBy: 'U2' }],
        ['eu', { registeredBy: 'U3' }],
      ]),
    };
    expect(responsiblePeople(workspaceOf([], { ...settings([BOSS]), ...record } as never))).toEqual([
      BOSS,
      'U3',
      'U2',
    ]);
  });
});

describe('a notice', () => {
  const CASE = { schedule: schedule(), title: 'A & B', due: NINE, failures: 1 };
  const notice = (
    given: Partial<Parameters<typeof failureNotice>[0]> = {},
    reader: 'owner' | 'manager' = 'owner',
  ) => {
    const { text, blocks } = failureNotice(
      { why: 'failed', cause: 'It <broke>.', cases: [CASE], ...given },
      reader,
    );
    const actions =
      (blocks as readonly { elements?: readonly { text: { text: string }; value?: string }[] }[]).at(-1)
        ?.elements ?? [];
    return {
      text,
      lines: textOf(blocks).split('\n'),
      buttons: actions.map((one) => one.text.text),
      values: actions.map(({ value }) => value),
    };
  };

  it('says what happened, where, why, and what Tally does', () => {
    const { text, lines, buttons, values } = notice();
    expect(text).toBe('A & B wasn’t posted. It <broke>.');
    expect(lines.slice(0, 4)).toEqual([
      '*A &amp; B wasn’t posted*',
      'In <#C0COSTS001>, due Fri 20 Nov 2026, 09:00 (Europe/Rome)',
      'It &lt;broke&gt;.',
      'Tally tried for an hour. The next post mentions this date.',
    ]);
    expect(buttons).toEqual(['Send it now', 'Open schedules']);
    expect(values).toEqual(['schedul1', 'schedul1']);
  });

  it.each([
    [2, '2nd'],
    [3, '3rd'],
    [4, '4th'],
    [11, '11th'],
    [21, '21st'],
  ])('counts %i failures in a row', (failures, ordinal) => {
    expect(notice({ cases: [CASE, { ...CASE, failures }] }).lines).toContain(
      `This is the ${ordinal} failure in a row.`,
    );
    expect(notice({ cases: [{ ...CASE, failures }], why: 'channel-archived' }).lines.join()).not.toContain(
      'failure in a row',
    );
    expect(notice({ cases: [{ ...CASE, failures }], isOwnerGone: true }).lines.join()).not.toContain(
      'failure in a row',
    );
  });

  it('of several lists fifteen, and counts the rest', () => {
    const many = (count: number) => notice({ cases: Array(count).fill(CASE) });
    expect(many(15).lines.filter((line) => line.startsWith('A &amp; B in <#C0COSTS001>'))).toHaveLength(15);
    expect(many(15).lines.join()).not.toContain('more');
    expect(many(17).lines).toContain('and 2 more');
    expect(many(17).buttons).toEqual(['Open schedules']);
    expect(many(17).values).toEqual([undefined]);
  });

  it('of a pause says what to do, and offers it', () => {
    const paused = (why: 'channel-archived' | 'token-rejected', reader: 'owner' | 'manager' = 'owner') =>
      notice({ why }, reader);
    expect(paused('channel-archived').text).toMatch(/^A & B is paused\./);
    expect(paused('channel-archived').lines).toContain(
      'Unarchive the channel, or edit the schedule and choose another one.',
    );
    expect(paused('channel-archived').lines).toContain(
      'Tally keeps trying. Once it works, the missed post is sent and the schedule resumes.',
    );
    expect(paused('channel-archived').buttons).toEqual(['Resume', 'Open schedules']);
    expect(paused('token-rejected').buttons).toEqual(['Resume', 'Open schedules']);
    expect(paused('token-rejected', 'manager').buttons).toEqual(['Connect…', 'Resume', 'Open schedules']);
    expect(paused('channel-archived', 'manager').buttons).toEqual(['Resume', 'Open schedules']);
    expect(notice({ why: 'channel-archived', cases: [CASE, CASE] }).text).toMatch(
      /^2 scheduled posts are paused\./,
    );
  });

  it('of a doubt, or of figures that are missing, says that and no more', () => {
    expect(notice({ isUnclear: true }).text).toMatch(/^A & B may not have been posted\./);
    expect(notice({ isUnclear: true }).lines.join()).not.toContain('tried for an hour');
    const unanswered = (cases = [CASE]) => notice({ why: 'unanswered', cases });
    expect(unanswered().text).toMatch(/^A & B was posted without all figures twice in a row\./);
    expect(unanswered([CASE, CASE]).text).toMatch(/^2 scheduled posts were posted without/);
    expect(unanswered().buttons).toEqual(['Open schedules']);
    expect(unanswered().lines.join()).not.toContain('tried for an hour');
  });

  it('says who else gets it', () => {
    const told = (reader: 'owner' | 'manager', given = {}) =>
      notice({ includesManager: true, ...given }, reader).lines.join();
    expect(told('owner')).toContain('A Tally manager was notified too.');
    expect(told('manager')).toContain('You get this because you manage Tally.');
    expect(told('manager', { isOwnerGone: true })).not.toContain('The owner was notified too.');
    expect(told('owner', { includesManager: false })).not.toContain('notified');
  });
});

describe('a post that somebody sends', () => {
  async function send(
    why: 'test' | 'test-to-me' | 'now',
    given: { lastSent?: object; noteFails?: boolean } = {},
    of = schedule(),
  ) {
    const changes: string[] = [];
    const noted: unknown[] = [];
    const used: unknown[] = [];
    const { context } = recordedRun(slack.url, NINE, () => finding('1'));
    const scheduling = createScheduling({
      workspaces: {
        read: async () => workspaceOf([], { lastSent: () => given.lastSent as never }),
        noteSent: async (...args: unknown[]) => {
          if (given.noteFails) throw new StoreUnavailable();
          noted.push(args[2], args[3]);
        },
      } as never,
      clientFor: () => context.client(),
      users: context.users,
      threads: context.threads,
      reports: {
        yesterday: {
          run: async ({ answeredBy }: ReportQuestion) => {
            answeredBy('main');
            return finding('1');
          },
          covers: () => [],
        },
      } as never,
      lastUsed: { note: async (_, note) => void used.push(note) },
      changed: async (workspace) => void changes.push(workspace),
      ...{ clock: () => NINE, log: SILENT, billing: {} as never, deliveryLog: {} as never },
      onFinished: () => undefined,
    });
    await scheduling.send('T1', of, why, BOSS);
    return { noted, used, changes, channels: slack.posts.map(({ channel }) => channel) };
  }

  it('goes to the channel; a test for oneself goes to that person alone, and neither test is noted', async () => {
    expect(await send('test')).toEqual({
      noted: [],
      changes: [],
      used: [{ connection: 'main', at: NINE }],
      channels: ['C0COSTS001'],
    });
    slack.reset();
    expect(await send('test-to-me')).toMatchObject({ noted: [], channels: [BOSS] });
    slack.reset();
    expect(await send('now')).toMatchObject({
      channels: ['C0COSTS001'],
      noted: ['schedul1', expect.anything()],
    });
  });

  it('makes up for what failed, and leaves what is still tried or waits as it is', async () => {
    const failed = {
      date: DATE,
      due: 5,
      at: 6,
      failures: 2,
      result: 'failed',
      cause: storedCause('x'),
      next: 7,
      ts: '1.2',
    };
    expect((await send('now', { lastSent: failed })).noted[1]).toEqual({
      ...{ date: DATE, due: 5, failures: 2, result: 'posted', at: NINE, byHand: NINE },
    });
    for (const result of ['trying', 'waiting']) {
      const before = { ...failed, result };
      expect((await send('now', { lastSent: before })).noted[1]).toEqual({ ...before, byHand: NINE });
    }
    expect((await send('now')).noted[1]).toEqual({
      date: DATE,
      due: NINE,
      failures: 0,
      result: 'posted',
      at: NINE,
      byHand: NINE,
    });
    expect((await send('now', { noteFails: true })).noted).toEqual([]);
  });

  it('derives the runs again where it may end a pause', async () => {
    expect((await send('now')).changes).toEqual([]);
    const paused = schedule({ paused: { why: 'channel-archived', at: 1 } });
    expect((await send('now', {}, paused)).changes).toEqual(['T1']);
  });
});

describe('a delivery', () => {
  const runs = (lease: unknown) =>
    createDelivery({
      ...{
        deliveryLog: { lease: async () => lease } as never,
        clock: () => NINE,
        log: SILENT,
        onFinished: () => undefined,
        billing: {} as never,
        threads: {} as never,
        jobs: [],
      },
      ...({} as never as Parameters<typeof createDelivery>[0]),
    });

  it('notes in its record that its lease was lost, and comes again; another failure is its caller’s', async () => {
    const outcomes: string[] = [];
    const released: unknown[] = [];
    const ends = (error: Error) =>
      createDelivery({
        deliveryLog: {
          lease: async () => ({ teamId: 'T1', token: 'x' }),
          read: () => Promise.reject(error),
          async release(lease: unknown) {
            released.push(lease);
            throw new StoreUnavailable();
          },
        } as never,
        workspaces: { read: async () => workspaceOf([]) } as never,
        ...{ clock: () => NINE, billing: {} as never, jobs: [], lastUsed: {} as never, threads: {} as never },
        ...{ users: {} as never, clientFor: {} as never, log: SILENT },
        onFinished: ({ outcome }) => void outcomes.push(outcome),
      });
    expect(await ends(new LeaseLostError()).run('T1')).toEqual({ next: NINE + 3_000 });
    const mistake = new TypeError('a mistake');
    await expect(ends(mistake).run('T1')).rejects.toBe(mistake);
    const stopped = ends(mistake);
    stopped.stop();
    expect(await stopped.run('T1')).toEqual({ next: NINE });
    expect(outcomes).toEqual(['lease-lost', 'unknown', 'stopped']);
    expect(released).toHaveLength(3);
  });

  it('comes again soon where another run has the workspace, and never where it has left', async () => {
    expect(await runs('taken').run('T1')).toEqual({ next: NINE + 3_000 });
    expect(await runs('gone').run('T1')).toEqual({});
  });

  it('has nothing to do only where nothing of any kind is', () => {
    const none = {
      tasks: [],
      resumed: [],
      correctionsDue: [],
      pendingNotices: [],
      abandoned: [],
      stale: [],
      next: 5,
      nextDue: 5,
    };
    expect(isIdle(none)).toBe(true);
    for (const kind of ['tasks', 'resumed', 'correctionsDue', 'abandoned'] as const)
      expect(isIdle({ ...none, [kind]: [1] } as never)).toBe(false);
    expect(isIdle({ ...none, stale: [1] } as never)).toBe(true);
    expect([earliest(), earliest(undefined), earliest(7, undefined, 5)]).toEqual([undefined, undefined, 5]);
  });
});

describe('scheduled runs', () => {
  const ENTRY: IndexEntry = { workspace: 'T1', at: 5 };
  interface Given {
    readonly workspace?: Workspace;
    /** Answers of `moveCheck`, one after the other. */
    readonly moves?: boolean[];
  }
  function engineWith({
    workspace = workspaceOf([], { fields: { settings: '{}' } }),
    moves = [true],
  }: Given = {}) {
    const calls: unknown[][] = [];
    const call =
      (name: string, answer: () => unknown = () => undefined) =>
      async (...args: unknown[]) => {
        calls.push([name, ...args]);
        return answer();
      };
    let run: ((id: string) => Promise<void>) | undefined;
    const engine = createEngine({
      scheduler: {
        ...{
          runAt: call('runAt'),
          forget: call('forget'),
          stop: call('stop'),
        },
        start: (work: typeof run) => {
          run = work;
        },
      } as never,
      delivery: { run: call('run', () => ({ next: NINE + 9_000 })), stop: call('stop') } as never,
      workspaces: { read: async () => workspace } as never,
      deliveryLog: { read: async () => snapshotOf([]) } as never,
      deleteOrphan: async () => false,
      index: {
        ...{ touch: call('touch', () => ENTRY), setCheck: call('setCheck'), remove: call('remove') },
        ...{
          moveCheck: call('moveCheck', () => moves.shift() ?? true),
          claimChecks: async () => false,
        },
      } as never,
      jobs: [createPostsJob({} as never), remindersJob, createWatchesJob({} as never)],
      ...{ clock: () => NINE, log: SILENT },
    });
    return { engine, calls, names: () => calls.map(([name]) => name), wake: () => run?.('T1') };
  }
  const TIMED = { ...schedule({ since: NINE }), timing: schedule().timing };
  const recordOf = (schedules: readonly Schedule[]) => workspaceOf(schedules, { fields: { settings: '{}' } });
  const at = (calls: readonly (readonly unknown[])[], name: string) =>
    calls.find(([one]) => one === name)?.at(-1) as number;

  it('are derived after the check that would find them missing, and that is put off last', async () => {
    const { engine, calls, names } = engineWith({ workspace: recordOf([TIMED]) });
    await engine.changed('T1');
    expect(names()).toEqual(['touch', 'runAt', 'moveCheck']);
    const tomorrow = NINE + 24 * HOUR + bucketOf('T1', 20_000);
    expect(calls[1]).toEqual(['runAt', 'T1', tomorrow]);
    expect(calls[2]).toEqual(['moveCheck', ENTRY, tomorrow + 120_000]);
  });

  it('are derived at once for what is due, and checked soon', async () => {
    const { engine, calls } = engineWith({ workspace: recordOf([{ ...TIMED, since: NINE - 1 }]) });
    await engine.changed('T1');
    expect(calls).toContainEqual(['runAt', 'T1', NINE]);
    expect(at(calls, 'moveCheck')).toBe(NINE + 120_000);
  });

  it('are none of a schedule that a person paused; the workspace is looked at once a day or so', async () => {
    const paused = { ...TIMED, paused: { why: 'person', at: 1 } } as Schedule;
    const { engine, calls } = engineWith({ workspace: recordOf([paused]) });
    await engine.changed('T1');
    expect(calls.map(([name]) => name)).not.toContain('runAt');
    expect(at(calls, 'moveCheck')).toBeGreaterThanOrEqual(NINE + 26 * HOUR);
    expect(at(calls, 'moveCheck')).toBeLessThanOrEqual(NINE + 30 * HOUR);
    const held = { ...TIMED, paused: { why: 'channel-archived', at: 1 } } as Schedule;
    const other = engineWith({ workspace: recordOf([held]) });
    await other.engine.changed('T1');
    expect(other.names()).toContain('runAt');
  });

  it('are derived again where somebody else did so in between, five times at most', async () => {
    const twice = engineWith({ moves: [false, true] });
    await twice.engine.changed('T1');
    expect(twice.names().filter((name) => name === 'touch')).toHaveLength(2);
    const often = engineWith({ moves: Array(9).fill(false) });
    await often.engine.changed('T1');
    expect(often.names().filter((name) => name === 'touch')).toHaveLength(5);
  });

  it('are forgotten with a workspace that has left', async () => {
    const gone = engineWith({ workspace: workspaceOf([]) });
    await gone.engine.changed('T1');
    expect(gone.calls).toEqual([
      ['touch', 'T1'],
      ['forget', 'T1'],
      ['remove', ENTRY],
    ]);
    gone.calls.length = 0;
    gone.engine.start();
    await gone.wake();
    expect(gone.calls.filter(([name]) => name !== 'run')).toEqual([
      ['runAt', 'T1', NINE + 9_000],
      ['forget', 'T1'],
    ]);
    await gone.engine.stop(5);
  });

  it('deliver, and are followed by the next one and its check', async () => {
    const { engine, calls, wake } = engineWith({ workspace: recordOf([TIMED]) });
    engine.start();
    await wake();
    expect(calls).toEqual([
      ['run', 'T1', undefined],
      ['runAt', 'T1', NINE + 9_000],
      ['setCheck', 'T1', NINE + 9_000 + 120_000],
    ]);
    await engine.stop(7);
    expect(calls.slice(3)).toEqual([['stop'], ['stop', 7]]);
  });
});

describe('runs that were lost', () => {
  interface Given {
    readonly due?: readonly IndexEntry[][];
    readonly claims?: (shard: number) => boolean;
    readonly derive?: (id: string) => Promise<void>;
  }
  async function repair({ due = [[]], claims = () => true, derive = async () => undefined }: Given) {
    const calls: unknown[][] = [];
    const pages = [...due];
    const note =
      (name: string) =>
      async (...args: unknown[]) =>
        void calls.push([name, ...args]);
    const repairs = createRepairs(
      {
        index: {
          shards: [0],
          claimChecks: async (shard: number, _: string, ms: number) => {
            calls.push(['claim', shard, ms]);
            return claims(shard);
          },
          due: async (shard: number, until: number, most: number) => {
            calls.push(['due', shard, until, most]);
            return pages.shift() ?? [];
          },
          ...{ setCheck: note('setCheck'), remove: note('remove') },
        } as never,
        ...{ clock: () => NINE, log: SILENT },
      },
      async (id) => {
        calls.push(['derive', id]);
        await derive(id);
      },
    );
    const failure = await repairs.run().catch((error: unknown) => error);
    return { calls, failure };
  }
  const entry = (workspace: string): IndexEntry => ({ workspace, at: 1 });

  it('are derived again for every workspace whose check is due, page by page, by one process', async () => {
    const full = Array.from({ length: 200 }, (_, n) => entry(`T${n}`));
    const { calls } = await repair({ due: [full, [entry('TX')]] });
    expect(calls.filter(([name]) => name === 'derive')).toHaveLength(201);
    expect(calls.filter(([name]) => name === 'due')).toEqual([
      ['due', 0, NINE, 200],
      ['due', 0, NINE, 200],
    ]);
    expect(calls[0]).toEqual(['claim', 0, 40_000]);
    expect((await repair({ due: [[entry('T1')]], claims: () => false })).calls).toEqual([
      ['claim', 0, 40_000],
    ]);
  });

  it('of one workspace do not keep the others waiting, but an outage does', async () => {
    const broken = await repair({
      due: [[entry('T1'), entry('T2')]],
      derive: async (id) => (id === 'T1' ? Promise.reject(new EditConflict('x')) : undefined),
    });
    expect(broken.calls).toContainEqual(['setCheck', 'T1', NINE + 600_000]);
    expect(broken.calls).toContainEqual(['derive', 'T2']);
    expect(broken.calls.filter(([name]) => name === 'remove')).toEqual([]);
    const away = await repair({ due: [[entry('T1')]], derive: () => Promise.reject(new StoreUnavailable()) });
    expect(away.failure).toBeInstanceOf(StoreUnavailable);
    expect(away.calls.map(([name]) => name)).not.toContain('setCheck');
  });
});
