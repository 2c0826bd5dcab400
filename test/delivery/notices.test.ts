/** Who is notified that something was not posted, and what the notice says. */

import { beforeEach, describe, expect, it } from 'vitest';
import { failureNotice } from '../../src/delivery/posts/notice-blocks.ts';
import { Failure } from '../../src/domain/failure/index.ts';
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
    failure = new Failure('not-connected');
    await delivery.save(managers(BOSS));
    await given();
  });

  it.each<[string, Failure, RecordParts, readonly string[]]>([
    [
      'what only managers can fix is told to both',
      new Failure('not-connected'),
      managers(BOSS),
      [OWNER, BOSS],
    ],
    [
      'a channel limit, too',
      new Failure('not-allowed', { reason: 'channel' }),
      managers(BOSS),
      [OWNER, BOSS],
    ],
    ['unless the owner is a manager', new Failure('not-connected'), managers(BOSS, OWNER), [OWNER]],
    [
      'a rejected token is told to the owner',
      new Failure('token-rejected', { service: 'billing' }),
      managers(BOSS),
      [OWNER],
    ],
    [
      'and not to a manager, who gets a reminder',
      new Failure('token-rejected', { service: 'billing' }),
      managers(OWNER),
      [],
    ],
    [
      'nor to who registered it',
      new Failure('token-rejected', { service: 'billing' }),
      { connections: [{ token: 'a token', registeredBy: OWNER }] },
      [],
    ],
  ])('%s', async (_, error, record, expected) => {
    failure = error;
    await delivery.save(record);
    await forHours(1);
    expect(people()).toEqual(expected.map(directMessage));
  });

  it('gets one message for one cause, and each owner one of their own', async () => {
    await given({ id: 'schedul2' });
    await given({ id: 'schedul3', owner: 'U0OTHER001' });
    await forHours(1);
    expect(slack.posts.filter(({ channel }) => channel !== directMessage(BOSS))).toMatchObject([
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
    await forHours(1);
    expect(people()).toEqual([directMessage(BOSS)]);
    expect(slack.posts[0]?.blocks).toContain('The owner has left the workspace.');
  });

  it('is notified ten minutes later where Slack doesn’t say who may be notified', async () => {
    slack.fault = ({ method }) => (method === 'users.info' ? { status: 500 } : undefined);
    await delivery.until(NINE + 9 * MINUTE);
    expect(people()).toEqual([]);
    slack.fault = () => undefined;
    await delivery.until(NINE + 11 * MINUTE);
    expect(people()).toEqual([OWNER, BOSS].map(directMessage));
  });

  it('is notified once a rate limit is over', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { retryAfter: 40 } : undefined);
    expect(await run()).toBe(delivery.now + 40_000);
    slack.fault = () => undefined;
    await forHours(1);
    expect(people()).toEqual([OWNER, BOSS].map(directMessage));
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
    failure = new Failure('not-allowed', { reason: 'channel' });
    await given({ id: 'schedul2' });
    await forHours(1);
    expect(people()).toEqual([directMessage(OWNER), directMessage(OWNER)]);
    expect(slack.posts[1]?.blocks).toContain('choose another channel');
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
