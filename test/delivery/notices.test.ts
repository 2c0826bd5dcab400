/** Who is notified that a post wasn't sent, and what the notice says. */
import { beforeEach, describe, expect, it } from 'vitest';
import { snapshotOf } from '../../src/delivery/delivery-log.ts';
import { drawNotice } from '../../src/delivery/notice-kind.ts';
import type { LastDelivery } from '../../src/delivery/posts/post-record.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import type { Schedule } from '../../src/workspace/record/automation-records.ts';
import { textOf } from '../support/bot.ts';
import { lastPost, schedule } from '../support/delivery.ts';
import { directMessage } from '../support/minimal-slack.ts';
import { type RecordParts, workspaceOf } from '../support/records.ts';
import { WATCH } from '../support/workspace-store.ts';
import { startDelivery, TEAM } from './start-delivery.ts';

const NINE = Date.parse('2026-11-20T08:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OWNER = 'U0OWNER001';
const BOSS = 'U0BOSS0001';

let failure: Failure;
const delivery = await startDelivery(NINE + 3_000, () => ({ report: () => Promise.reject(failure) }));
const { slack, run, forHours } = delivery;
const given = (one: Partial<Schedule> = {}) =>
  delivery.save({ schedules: [schedule({ since: NINE - HOUR, ...one })] });
const managers = (...people: readonly string[]): RecordParts => ({ settings: { managers: people } });
const people = () => slack.posts.map(({ channel }) => channel);

describe('the owner of a schedule that fails', () => {
  beforeEach(async () => {
    failure = new Failure('not-connected');
    await delivery.save(managers(BOSS));
    await given();
  });

  it.each<[string, Failure, RecordParts, readonly string[]]>([
    [
      'gets a notice together with a manager if only managers can fix the problem',
      new Failure('not-connected'),
      managers(BOSS),
      [OWNER, BOSS],
    ],
    [
      'gets a notice about a project that the channel may not see, together with a manager',
      new Failure('not-allowed', { reason: 'channel' }),
      managers(BOSS),
      [OWNER, BOSS],
    ],
    [
      'gets a notice about a token without permission, together with a manager',
      new Failure('forbidden', { service: 'billing' }),
      managers(BOSS),
      [OWNER, BOSS],
    ],
    [
      'gets the only notice if the owner is also a manager',
      new Failure('not-connected'),
      managers(BOSS, OWNER),
      [OWNER],
    ],
    [
      'gets a notice about a rejected token',
      new Failure('token-rejected', { service: 'billing' }),
      managers(BOSS),
      [OWNER],
    ],
    [
      'gets no notice about a rejected token if the owner is a manager',
      new Failure('token-rejected', { service: 'billing' }),
      managers(OWNER),
      [],
    ],
    [
      'gets no notice about a rejected token that the owner registered',
      new Failure('token-rejected', { service: 'billing' }),
      { connections: [{ token: 'a token', registeredBy: OWNER }] },
      [],
    ],
  ])('%s', async (_, error, record, expected) => {
    failure = error;
    await delivery.save(record);
    await forHours(1);
    expect(people().sort()).toEqual(expected.map(directMessage).sort());
  });

  it('gets a single message about several schedules that fail for the same reason', async () => {
    await given({ id: 'schedul2' });
    await given({ id: 'schedul3', owner: 'U0OTHER001' });
    await forHours(1);
    const told = slack.posts.filter(({ channel }) => channel !== directMessage(BOSS));
    expect(told.toSorted((one, other) => (one.channel > other.channel ? -1 : 1))).toMatchObject([
      { channel: directMessage(OWNER), text: expect.stringMatching(/^2 scheduled posts are paused\./) },
      { channel: directMessage('U0OTHER001') },
    ]);
  });

  it('is notified again if the post is retried and fails for another reason', async () => {
    failure = new Failure('token-rejected', { service: 'billing' });
    await run();
    failure = new Failure('not-connected');
    await delivery.parts.scheduling.retry(TEAM, 'schedul1');
    await run();
    expect(await run()).toBeGreaterThan(delivery.now);
    expect(people().toSorted()).toEqual([BOSS, OWNER, OWNER].map(directMessage));
  });

  it('gets only one notice, which is edited when another schedule fails for the same reason', async () => {
    failure = new Failure('token-rejected', { service: 'billing' });
    await run();
    await given({ id: 'schedul2', timing: { ...schedule().timing, time: '11:00' } });
    await forHours(3);
    expect(people()).toEqual([directMessage(OWNER)]);
    expect(slack.posts[0]).toMatchObject({
      edits: 1,
      text: expect.stringMatching(/^2 scheduled posts are paused\./),
    });
  });

  it('gets one notice for a schedule and a watch that are paused for the same reason', async () => {
    failure = new Failure('not-allowed', { reason: 'channel' });
    await delivery.save({
      ...managers(OWNER),
      projects: [{ channels: ['C0ELSEWHERE'] }],
      watches: [{ ...WATCH, owner: OWNER }],
    });
    await run();
    expect(slack.posts).toMatchObject([
      { text: '1 scheduled post and 1 watch are paused. This project is limited to certain channels.' },
    ]);
    expect(slack.posts[0]?.blocks).toContain('The runway watch for prod in <#C1>');
  });

  it.each([
    ['delete', () => delivery.remove('schedule:schedul1')],
    ['pause', () => given({ paused: { at: delivery.now, by: OWNER } })],
  ])('reads “no longer needs attention” in the notice after they %s the schedule', async (_, change) => {
    failure = new Failure('token-rejected', { service: 'billing' });
    await run();
    await change();
    await run();
    expect(slack.posts).toMatchObject([
      { edits: 1, text: expect.stringContaining('no longer needs attention') },
    ]);
    await forHours(1);
    expect(slack.posts).toMatchObject([{ edits: 1 }]);
  });

  it('gets no notice if the schedule is deleted before the notice can be sent', async () => {
    failure = new Failure('token-rejected', { service: 'billing' });
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'msg_too_long' : undefined);
    await run();
    slack.fault = () => undefined;
    await delivery.remove('schedule:schedul1');
    await forHours(5);
    expect(slack.posts).toEqual([]);
  });
});

describe('a notice about posts that weren’t sent', () => {
  type About = Parameters<typeof drawNotice>[0];
  const ids = (count: number) =>
    Array.from({ length: count }, (_, n) => `schedu${String(n).padStart(2, '0')}`);
  const casesOf = (count: number) => ids(count).map((id) => ({ id, due: NINE }));
  const MISSING = { kind: 'connection-missing', data: { connection: '<eu>' } };
  /** @param canManage whether the reader can */
  const notice = (
    given: Partial<About> = {},
    { canManage = false, result = 'failed' as LastDelivery['result'], limited = false, isOver = false } = {},
  ) => {
    const about: About = {
      owner: OWNER,
      why: 'failed',
      cause: MISSING,
      cases: casesOf(1),
      ...given,
    };
    const workspace = workspaceOf({
      settings: { managers: [BOSS] },
      projects: [{ alias: 'a-b', id: '123', channels: limited ? ['C0ELSEWHERE'] : [] }],
      schedules: ids(20).map((id) => schedule({ id, createdAt: 1 })),
    });
    const scope = { channel: undefined, isUnlimited: canManage };
    const posts = ids(20).map((id) => lastPost(id, { due: NINE, result, cause: MISSING }));
    const snapshot = snapshotOf(Object.assign({}, ...posts));
    const { text, blocks } = drawNotice(about, { workspace, snapshot, scope }, NINE, isOver);
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
    expect(text).toBe('“Yesterday’s spend” for a-b wasn’t posted. There’s no connection named <eu>.');
    expect(lines.slice(0, 4)).toEqual([
      '*“Yesterday’s spend” for a-b wasn’t posted*',
      'In <#C0COSTS001>, due Fri 20 Nov 2026, 09:00 (Europe/Rome)',
      'There’s no connection named &lt;eu&gt;.',
      'A Tally manager can fix this with /billing connect.',
    ]);
    expect(lines).toContain('Tally tried for an hour. The next post will mention this one.');
    expect(buttons).toEqual(['Send it now', 'Open schedules']);
    expect(values).toEqual(['now schedu00', undefined]);
  });

  it('doesn’t name the project or the cause to a reader who may not ask about the project', () => {
    const { text, lines } = notice({}, { limited: true });
    expect(text).toBe('“Yesterday’s spend” for a project you can’t ask about here wasn’t posted.');
    expect(lines.join()).not.toContain('eu');
    expect(notice({}, { limited: true, canManage: true }).text).toContain('a-b wasn’t posted. There’s no');
  });

  it('lists at most fifteen schedules, and says how many more there are', () => {
    const many = (count: number) => notice({ cases: casesOf(count) });
    const listed = ({ lines }: ReturnType<typeof notice>) =>
      lines.filter((line) => line.includes('in <#C0COSTS001>'));
    expect(listed(many(15))).toHaveLength(15);
    expect(many(15).lines.join()).not.toContain('more');
    expect(many(17).lines).toContain('and 2 more');
    expect(many(17).buttons).toEqual(['Open schedules']);
    expect(many(17).values).toEqual([undefined]);
  });

  it('says what to do about a paused schedule, and has a button to try again', () => {
    const archived = { kind: 'cannot-post', data: { reason: 'archived' } };
    const rejected = { kind: 'token-rejected', data: { service: 'billing' } };
    const paused = (cause: About['cause'], canManage = false, count = 1) =>
      notice({ why: 'paused', cause, cases: casesOf(count) }, { canManage, result: 'paused' });
    expect(paused(archived).text).toMatch(/ is paused\. That channel is archived\.$/);
    expect(paused(archived).lines.slice(3)).toEqual([
      'Unarchive the channel, or choose another in the schedule.',
      'Tally tries again when the next post is due, or once the schedule or the connection changes.',
      ...['Try again', 'Open schedules'],
    ]);
    expect(paused(rejected).buttons).toEqual(['Try again', 'Open schedules']);
    expect(paused(rejected).lines).toContain('A Tally manager was notified too.');
    expect(paused(rejected, true).lines).toContain('The owner was notified too.');
    expect(paused(rejected, true).buttons).toEqual(['Connect…', 'Try again', 'Open schedules']);
    expect(paused(archived, true).buttons).toEqual(['Try again', 'Open schedules']);
    expect(paused(archived, false, 2).text).toMatch(/^2 scheduled posts are paused\./);
  });

  it.each([
    ['posted', 1, '“Yesterday’s spend” for a-b works again'],
    ['posted-late', 2, '2 scheduled posts work again'],
    ['failed', 1, '“Yesterday’s spend” for a-b no longer needs attention'],
    ['failed', 0, 'A scheduled post no longer needs attention'],
  ] as const)(
    'is shortened to the outcome when the problem ends (“%s”, schedules: %i)',
    (result, count, text) => {
      const cases = count === 0 ? [{ id: 'deleted1', due: NINE }] : casesOf(count);
      const over = notice({ why: 'paused', cases }, { result, isOver: true });
      expect(over).toMatchObject({ text, lines: [`*${text}*`], buttons: [] });
    },
  );

  it('says that the post may be missing if Slack didn’t confirm the post', () => {
    const doubtful = notice({
      cause: { kind: 'not-sent', data: { reason: 'post-unconfirmed' }, mayBePosted: true },
    });
    expect(doubtful.text).toContain('may not have been posted. Slack didn’t confirm the post.');
    expect(doubtful.lines.join()).not.toContain('tried for an hour');
  });
});
