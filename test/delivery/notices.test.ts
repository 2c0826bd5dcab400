/** Who is notified that something was not posted, and what the notice says. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../src/delivery/delivery-run.ts';
import type { DeliveryLogEntry } from '../../src/delivery/log/delivery-log-entry.ts';
import { responsiblePeople } from '../../src/delivery/outbox/check-recipient.ts';
import { failureNotice } from '../../src/delivery/posts/notice-blocks.ts';
import { notifyOwner, planNotices } from '../../src/delivery/posts/notices.ts';
import type { Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { textOf } from '../support/bot.ts';
import { finding, schedule } from '../support/delivery.ts';
import { deliveryLogOf, lineOf, recordedRun, snapshotOf } from '../support/delivery-records.ts';
import { storedCause } from '../support/failures.ts';
import { directMessage, type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';
import { type RecordParts, workspaceOf } from '../support/records.ts';

const NINE = Date.parse('2026-11-20T08:00:00Z');
const HOUR = 3_600_000;
const DATE = '2026-11-20';
const OWNER = 'U0OWNER001';
const BOSS = 'U0BOSS0001';

let slack: MinimalSlack;
beforeEach(async () => {
  slack = await startMinimalSlack();
  slack.now = () => NINE;
});
afterEach(() => slack.close());

describe('the owner of a schedule', () => {
  const settings = (managers: readonly string[]): RecordParts => ({ settings: { managers } });
  interface Given {
    readonly why?: DeliveryLogEntry['pendingNotice'];
    readonly entry?: Partial<DeliveryLogEntry>;
    /** The log says so already. */
    readonly isNotified?: boolean;
    readonly record?: RecordParts;
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
    isNotified = false,
    record = settings([BOSS]),
    schedules = [schedule()],
    isOver = () => false,
    states = new Map<string, string>(),
    now = NINE,
    diesAt = /^$/,
  }: Given = {}) {
    const isPause = why !== 'failed' && why !== 'unanswered';
    const saved = isPause ? schedules.map((one) => ({ ...one, paused: { why, at: NINE } })) : schedules;
    const pending = saved.map((one) => ({
      isInWork: false,
      schedule: one,
      line: lineOf(
        DATE,
        {
          ...{ state: 'failed', due: NINE, cause: storedCause('eu') },
          ...(!isNotified && { pendingNotice: why }),
          ...entry,
        },
        one.id,
      ),
    }));
    const entries = new Map<string, DeliveryLogEntry>();
    const run = recordedRun(slack.url, now, () => finding('1'), {
      workspace: workspaceOf({ schedules: saved, ...record }),
      isOver,
      logSnapshot: snapshotOf([], {
        state: (name) =>
          states.get(name) ?? pending.find(({ line }) => name === `${line.schedule}/${DATE}`)?.line.json,
        statesOf: (prefix) => [...states].filter(([name]) => name.startsWith(prefix)),
      }),
      async write({ name, value, with: others = [] }) {
        const json = JSON.stringify(value);
        if (diesAt.test(json)) throw new LeaseLostError();
        if (name.startsWith('notice/')) states.set(name, json);
        for (const field of [{ name, value }, ...others])
          if (field.name.endsWith(DATE)) entries.set(field.name, field.value as DeliveryLogEntry);
        return 'written';
      },
      deliveryLog: deliveryLogOf({
        drop: async (_, names) => void names.map((name) => states.delete(name)),
      }),
    });
    const pass = async () => {
      const left = pending.filter(
        ({ schedule: { id }, line }) =>
          line.entry.pendingNotice !== undefined && !entries.has(`${id}/${DATE}`),
      );
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
      entries,
      posts: slack.posts.map(
        ({ channel, text, blocks }) => [channel, text, textOf(JSON.parse(blocks || '[]'))] as const,
      ),
    };
  }
  const people = async (given: Given = {}) => (await told(given)).posts.map(([channel]) => channel);

  it('is notified once of each cause, and the log says so', async () => {
    const { posts, entries } = await told();
    expect(posts.map(([channel, text]) => [channel, text])).toEqual([
      [
        directMessage(OWNER),
        '“Yesterday’s spend” for Project 123 wasn’t posted. There is no connection named eu.',
      ],
    ]);
    const [[name, entry] = []] = entries;
    expect([name, entries.size, entry?.cause]).toEqual([`schedul1/${DATE}`, 1, storedCause('eu')]);
    expect(entry).not.toHaveProperty('pendingNotice');
  });

  it('of several schedules gets one message for one cause, and one for each owner and cause', async () => {
    const several = ['schedul1', 'schedul2'].map((id) => schedule({ id }));
    const { posts, entries } = await told({ schedules: several });
    expect(posts).toHaveLength(1);
    expect(posts[0]?.[1]).toBe('2 scheduled posts weren’t posted. There is no connection named eu.');
    expect([...entries.keys()]).toEqual([`schedul1/${DATE}`, `schedul2/${DATE}`]);
    slack.reset();
    expect(
      await people({ schedules: [schedule(), schedule({ id: 'schedul2', owner: 'U0OTHER001' })] }),
    ).toEqual([OWNER, 'U0OTHER001'].map(directMessage));
  });

  it.each<[string, Given, readonly string[]]>([
    ['a failure is the owner’s', {}, [OWNER]],
    [
      'the second in a row is a manager’s as well',
      { record: { ...settings([BOSS]), sent: { schedul1: { failures: 2 } } } },
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
        record: { connections: [{ registeredBy: OWNER }] },
      },
      [],
    ],
  ])('%s', async (_, given, expected) => {
    const { posts, entries } = await told(given);
    expect(posts.map(([channel]) => channel)).toEqual(expected.map(directMessage));
    expect(entries.size).toBe(1);
  });

  it('is notified together with a manager when one of several fails again', async () => {
    const schedules = [schedule(), schedule({ id: 'schedul2' })];
    const sent = { schedul1: { failures: 1 }, schedul2: { failures: 2 } };
    expect(await people({ schedules, record: { ...settings([BOSS]), sent } })).toEqual(
      [OWNER, BOSS].map(directMessage),
    );
  });

  it('who is an admin is notified without a manager, because they can fix it', async () => {
    slack.admins.add(OWNER);
    expect(await people({ why: 'not-connected' })).toEqual([directMessage(OWNER)]);
  });

  it('who has left gets no notice: a manager does', async () => {
    slack.fault = ({ method, args }) =>
      method === 'users.info' && args.get('user') === OWNER ? 'user_not_found' : undefined;
    const { posts } = await told();
    expect(posts.map(([channel]) => channel)).toEqual([directMessage(BOSS)]);
    expect(posts[0]?.[2]).toContain('The owner has left the workspace.');
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
    const { posts, backOffs } = await told();
    expect([posts, backOffs]).toEqual([[], [NINE + 7_000]]);
    slack.fault = ({ method }) => (method === 'users.info' ? { retryAfter: 9 } : undefined);
    expect((await told()).backOffs).toEqual([NINE + 9_000]);
  });

  it('is notified ten minutes later when Slack doesn’t say who may be notified', async () => {
    for (const user of [OWNER, BOSS]) {
      slack.fault = ({ method, args }) =>
        method === 'users.info' && args.get('user') === user ? { status: 500 } : undefined;
      const { posts, entries, backOffs } = await told({ why: 'unanswered' });
      expect([posts, backOffs]).toEqual([[], []]);
      expect([...entries.values()]).toMatchObject([
        { pendingNotice: 'unanswered', noticeNext: NINE + 600_000 },
      ]);
    }
  });

  it('gets no notice when Slack refuses it, and it is not tried again', async () => {
    slack.fault = ({ method, args }) =>
      method === 'chat.postMessage' && args.get('channel') === directMessage(OWNER)
        ? 'user_disabled'
        : undefined;
    const { posts, entries, backOffs } = await told({ why: 'unanswered' });
    expect([posts.map(([channel]) => channel), entries.size, backOffs]).toEqual([
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
    expect([dying.posts.length, dying.entries.size]).toEqual([sent, 1]);
    const later = await told({ states, now: NINE + 20_000, isNotified: true });
    expect(later.posts.map(([channel]) => channel)).toEqual([directMessage(OWNER)]);
    expect([...states]).toEqual([]);
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

  it('is a manager chosen in the settings, else the person who registered a connection', () => {
    const connections = [{ registeredBy: 'U2' }, { name: 'eu', registeredBy: 'U3' }];
    const workspace = workspaceOf({ ...settings([BOSS]), connections, fields: { 'connection:gone': '{' } });
    expect(responsiblePeople(workspace)).toEqual([BOSS, 'U3', 'U2']);
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
    expect(notice({ why: 'token-rejected', canManage: true }).lines.join()).toContain('revoked. Replace it.');
    expect(notice({ why: 'token-rejected', canManage: true }).buttons[0]).toBe('Connect…');
    expect(paused('channel-archived', 'manager').buttons).toEqual(['Resume', 'Open schedules']);
    expect(notice({ why: 'channel-archived', cases: [CASE, CASE] }).text).toMatch(
      /^2 scheduled posts are paused\./,
    );
  });

  it('about a doubtful post, or missing figures, says only that', () => {
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
