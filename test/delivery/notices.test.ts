/** Who is notified that something was not posted, and what the notice says. */

import { beforeEach, describe, expect, it } from 'vitest';
import { failureNotice } from '../../src/delivery/posts/notice-blocks.ts';
import { type Failure, NotAllowed, NotConnected, TokenRejected } from '../../src/domain/failure/index.ts';
import type { Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { textOf } from '../support/bot.ts';
import { schedule } from '../support/delivery.ts';
import { directMessage } from '../support/minimal-slack.ts';
import type { RecordParts } from '../support/records.ts';
import { startDelivery } from '../support/start-delivery.ts';

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

describe('the owner of a schedule', () => {
  beforeEach(async () => {
    failure = new NotConnected();
    await delivery.save(managers(BOSS));
    await given();
  });

  it.each<[string, Failure, RecordParts, readonly string[]]>([
    ['what only managers can fix is told to both', new NotConnected(), managers(BOSS), [OWNER, BOSS]],
    ['a channel limit, too', new NotAllowed('channel'), managers(BOSS), [OWNER, BOSS]],
    ['unless the owner is a manager', new NotConnected(), managers(BOSS, OWNER), [OWNER]],
    ['a rejected token is told to the owner', new TokenRejected('billing'), managers(BOSS), [OWNER]],
    ['and not to a manager, who gets a reminder', new TokenRejected('billing'), managers(OWNER), []],
    [
      'nor to who registered it',
      new TokenRejected('billing'),
      { connections: [{ token: 'a token', registeredBy: OWNER }] },
      [],
    ],
  ])('%s', async (_, error, record, expected) => {
    failure = error;
    await delivery.save(record);
    await forHours(1);
    expect(people().sort()).toEqual(expected.map(directMessage).sort());
  });

  it('gets one message for one cause, and each owner one of their own', async () => {
    await given({ id: 'schedul2' });
    await given({ id: 'schedul3', owner: 'U0OTHER001' });
    await forHours(1);
    const told = slack.posts.filter(({ channel }) => channel !== directMessage(BOSS));
    expect(told.toSorted((one, other) => (one.channel > other.channel ? -1 : 1))).toMatchObject([
      { channel: directMessage(OWNER), text: expect.stringMatching(/^2 scheduled posts are paused\./) },
      { channel: directMessage('U0OTHER001') },
    ]);
  });

  it('who has left gets none: a manager does, who has not left', async () => {
    await delivery.save(managers('U0FORMER01', BOSS));
    slack.fault = ({ method, args }) =>
      method === 'users.info' && [OWNER, 'U0FORMER01'].includes(args.get('user') ?? '')
        ? 'user_not_found'
        : undefined;
    failure = new TokenRejected('billing');
    await forHours(1);
    expect(people()).toEqual([directMessage(BOSS)]);
    expect(slack.posts[0]?.blocks).toContain('This was meant for <@U0OWNER001>. This person is no longer');
  });

  it('is notified a minute later where Slack doesn’t say who may be notified', async () => {
    slack.fault = ({ method }) => (method === 'users.info' ? { status: 500 } : undefined);
    await run();
    expect(people()).toEqual([]);
    slack.fault = () => undefined;
    await delivery.until(NINE + 2 * MINUTE);
    expect(people().sort()).toEqual([OWNER, BOSS].map(directMessage).sort());
  });

  it('is notified once a rate limit is over', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { retryAfter: 40 } : undefined);
    await run();
    expect(await run()).toBe(delivery.now + 40_000);
    slack.fault = () => undefined;
    await forHours(1);
    expect(people().sort()).toEqual([OWNER, BOSS].map(directMessage).sort());
  });

  it('who gets no messages is not tried again; the manager is told', async () => {
    slack.fault = ({ method, args }) =>
      method === 'conversations.open' && args.get('users') === OWNER ? 'user_disabled' : undefined;
    await forHours(3);
    expect(people()).toEqual([directMessage(BOSS)]);
    expect(slack.calls.filter(({ args }) => args.get('users') === OWNER)).toHaveLength(1);
  });

  it.each([true, false])(
    'is notified once although Slack did not confirm it (it took it: %s)',
    async (take) => {
      slack.fault = ({ method, args }) =>
        method === 'chat.postMessage' && args.get('channel') === directMessage(OWNER)
          ? { status: 502, take }
          : undefined;
      await run();
      slack.fault = () => undefined;
      await forHours(2);
      expect(people().sort()).toEqual([OWNER, BOSS].map(directMessage).sort());
    },
  );

  it('is told of another cause that comes while a manager is still to be told of the first', async () => {
    const refused = (channel: string | null) => channel === directMessage(BOSS) && 'internal_error';
    slack.fault = ({ method, args }) =>
      (method === 'chat.postMessage' && refused(args.get('channel'))) || undefined;
    await run();
    failure = new NotAllowed('channel');
    await given({ id: 'schedul2' });
    await forHours(1);
    expect(people()).toEqual([directMessage(OWNER), directMessage(OWNER)]);
    expect(slack.posts[1]?.blocks).toContain('choose another channel');
  });

  it('reads in the notice that stands of the schedules that the same cause stops later', async () => {
    failure = new TokenRejected('billing');
    await run();
    await given({ id: 'schedul2', timing: { ...schedule().timing, time: '11:00' } });
    await forHours(3);
    expect(people()).toEqual([directMessage(OWNER)]);
    expect(slack.posts[0]).toMatchObject({
      edits: 1,
      text: expect.stringMatching(/^2 scheduled posts are paused\./),
    });
  });

  it.each([
    ['deletes', () => delivery.remove('schedule:schedul1')],
    ['pauses', () => given({ paused: { at: delivery.now, by: OWNER } })],
  ])('who %s the schedule reads that there is nothing to be done any more', async (_, change) => {
    failure = new TokenRejected('billing');
    await run();
    await change();
    await run();
    expect(slack.posts).toMatchObject([
      { edits: 1, text: expect.stringContaining('needs nothing any more') },
    ]);
    await forHours(1);
    expect(slack.posts).toMatchObject([{ edits: 1 }]);
  });

  it('is told nothing of a cause that was gone before Slack took the message', async () => {
    failure = new TokenRejected('billing');
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'msg_too_long' : undefined);
    await run();
    slack.fault = () => undefined;
    await delivery.remove('schedule:schedul1');
    await forHours(5);
    expect(slack.posts).toEqual([]);
  });

  it('whose notice was deleted is not sent another one when the post works again', async () => {
    failure = new TokenRejected('billing');
    await run();
    slack.remove(slack.posts[0]!);
    await delivery.remove('schedule:schedul1');
    expect(await run()).toBeUndefined();
    expect(slack.posts).toEqual([]);
  });
});

describe('a notice', () => {
  const CASE = { schedule: schedule(), title: 'A & B', due: NINE };
  const notice = (given: Partial<Parameters<typeof failureNotice>[0]> = {}) => {
    const { text, blocks } = failureNotice({
      ...{ why: 'failed', reason: undefined, cause: 'It <broke>.', cases: [CASE], isOver: false },
      ...{ canManage: false, isShared: false, worksAgain: false },
      ...given,
    });
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

  it('of several lists fifteen, and counts the rest', () => {
    const many = (count: number) => notice({ cases: Array(count).fill(CASE) });
    expect(many(15).lines.filter((line) => line.startsWith('A &amp; B in <#C0COSTS001>'))).toHaveLength(15);
    expect(many(15).lines.join()).not.toContain('more');
    expect(many(17).lines).toContain('and 2 more');
    expect(many(17).buttons).toEqual(['Open schedules']);
    expect(many(17).values).toEqual([undefined]);
  });

  it('of a pause says what to do, and offers it', () => {
    const archived = { kind: 'not-sent', why: 'channel-archived' };
    const rejected = { kind: 'token-rejected' };
    const paused = (reason: object & { kind: string }, given = {}) =>
      notice({ why: 'paused', reason, ...given });
    expect(paused(archived).text).toMatch(/^A & B is paused\./);
    expect(paused(archived).lines).toContain(
      'Unarchive the channel, or edit the schedule and choose another one.',
    );
    expect(paused(archived).lines).toContain(
      'Tally tries again with the next post, and as soon as something changes.',
    );
    expect(paused(archived).buttons).toEqual(['Try again', 'Open schedules']);
    expect(paused(rejected).buttons).toEqual(['Try again', 'Open schedules']);
    expect(paused(rejected, { canManage: true }).lines.join()).toContain('revoked. Replace it.');
    expect(paused(rejected, { canManage: true }).buttons).toEqual([
      'Connect…',
      'Try again',
      'Open schedules',
    ]);
    expect(paused(archived, { canManage: true }).buttons).toEqual(['Try again', 'Open schedules']);
    expect(paused(archived, { cases: [CASE, CASE] }).text).toMatch(/^2 scheduled posts are paused\./);
  });

  it.each([
    [{ worksAgain: true }, 'A & B works again'],
    [{ worksAgain: true, cases: [CASE, CASE] }, '2 scheduled posts work again'],
    [{ cases: [] }, 'A scheduled post needs nothing any more'],
  ])('that is over says only that: %j', (given, text) => {
    const over = notice({ why: 'paused', reason: { kind: 'token-rejected' }, isOver: true, ...given });
    expect(over).toMatchObject({ text, lines: [`*${text.replace('&', '&amp;')}*`], buttons: [] });
  });

  it('about a doubtful post, or missing figures, says only that', () => {
    const doubtful = notice({ reason: { kind: 'not-sent', why: 'post-unconfirmed', mayBePosted: true } });
    expect(doubtful.text).toMatch(/^A & B may not have been posted\./);
    expect(doubtful.lines.join()).not.toContain('tried for an hour');
    const unanswered = (cases = [CASE]) => notice({ why: 'unanswered', cases });
    expect(unanswered().text).toMatch(/^A & B was posted without all figures twice in a row\./);
    expect(unanswered([CASE, CASE]).text).toMatch(/^2 scheduled posts were posted without/);
    expect(unanswered().buttons).toEqual(['Open schedules']);
    expect(unanswered().lines.join()).not.toContain('tried for an hour');
  });

  it('says who else gets it', () => {
    const told = (given = {}) => notice(given).lines.join();
    expect(told({ isShared: true })).toContain('A Tally manager was notified too.');
    expect(told({ isShared: true, canManage: true })).toContain('The owner was notified too.');
    expect(told()).not.toContain('notified');
  });
});
