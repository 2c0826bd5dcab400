import { describe, expect, it } from 'vitest';
import { MAX_RETRY_DELAY } from '../../src/delivery/outbox/failures.ts';
import {
  parseReminderState,
  planReminders,
  reminderName,
} from '../../src/delivery/reminders/reminder-plan.ts';
import { reminderTasks } from '../../src/delivery/reminders/reminders.ts';
import { fingerprintOf } from '../../src/workspace/credentials/connection-record.ts';
import { snapshotOf } from '../support/delivery-records.ts';
import { workspaceOf } from '../support/records.ts';
import { MAIN } from '../support/workspace-store.ts';

const DAY = 86_400_000;
const at = (text: string) => Date.parse(text);
const EXPIRES = at('2026-12-15T23:30:00Z');
/** Its last day is the 16th in Rome; reminders come at nine there. */
const STEPS = {
  14: at('2026-12-02T08:00:00Z'),
  3: at('2026-12-13T08:00:00Z'),
  1: at('2026-12-15T08:00:00Z'),
};
const REGISTERED = at('2026-10-01T00:00:00Z');
const CREDENTIAL = { kind: 'connection', name: 'main' } as const;
const MARK = fingerprintOf(MAIN.token);
const ID = `${MARK}/${REGISTERED}`;

interface Given {
  readonly reminded?: readonly string[];
  readonly messages?: readonly object[];
  /** Whose state is stored. */
  readonly of?: string;
  readonly rejected?: boolean;
  readonly expiresAt?: number | null;
  readonly registeredAt?: number;
  readonly backOffUntil?: number;
  readonly access?: boolean;
  /** Whether its lifetime was chosen at registration. */
  readonly hasLifetime?: boolean;
}
function plan(now: number, given: Given = {}) {
  const {
    reminded,
    messages = [],
    of,
    rejected = false,
    expiresAt = EXPIRES,
    registeredAt = REGISTERED,
  } = given;
  const credential = { registeredBy: 'U1', registeredAt, ...(expiresAt !== null && { expiresAt }) };
  const lifetime = given.hasLifetime === false ? {} : { lifetime: '90-days' as const };
  const workspace = workspaceOf({
    settings: { zone: 'Europe/Rome' },
    connections: given.access ? [] : [{ ...lifetime, ...credential }],
    accesses: given.access ? [credential] : [],
    fields: rejected ? { 'rejected:connection:main': JSON.stringify({ mark: MARK, at: 1 }) } : {},
  });
  const id = of ?? `${MARK}/${registeredAt}`;
  const json = reminded && JSON.stringify({ credential: id, reminded, messages });
  return planReminders(
    workspace,
    snapshotOf([], {
      state: (name) => (name === 'reminder/connection:main' ? json : undefined),
      backOffUntil: given.backOffUntil,
    }),
    now,
  );
}
const steps = (now: number, given?: Given) => plan(now, given).due.map(({ step, steps: all }) => [step, all]);

describe('reminders of a credential that expires', () => {
  it('begin again when somebody sets another expiry date', () => {
    const byHand = { hasLifetime: false, reminded: ['14'], of: `${ID}/${EXPIRES}` };
    expect(steps(STEPS[14], byHand)).toEqual([]);
    expect(steps(STEPS[14] + DAY, { ...byHand, expiresAt: EXPIRES + DAY })).toEqual([['14', ['14']]]);
    expect(plan(STEPS[1], { ...byHand, expiresAt: null })).toMatchObject({ due: [], next: undefined });
  });

  it('come on the mornings of the reporting zone 14, 3 and 1 days before', () => {
    expect(plan(STEPS[14] - 1)).toEqual({ due: [], sending: [], stale: [], next: STEPS[14] });
    expect(steps(STEPS[14])).toEqual([['14', ['14']]]);
    expect(plan(STEPS[14], { reminded: ['14'] })).toMatchObject({ due: [], next: STEPS[3] });
    expect(steps(STEPS[3] - 1, { reminded: ['14'] })).toEqual([]);
    expect(steps(STEPS[3], { reminded: ['14'] })).toEqual([['3', ['14', '3']]]);
    expect(steps(STEPS[1], { reminded: ['14', '3'] })).toEqual([['1', ['14', '3', '1']]]);
    expect(plan(STEPS[1], { reminded: ['14', '3', '1'] })).toMatchObject({ due: [], next: undefined });
    const [due] = plan(STEPS[14]).due;
    expect(due?.credential).toEqual({
      ...CREDENTIAL,
      id: ID,
      registeredBy: 'U1',
      registeredAt: REGISTERED,
      expiresAt: EXPIRES,
    });
  });

  it('that were missed send only the newest, for a week after the expiry', () => {
    expect(steps(STEPS[1] + DAY)).toEqual([['1', ['14', '3', '1']]]);
    expect(steps(EXPIRES + 7 * DAY)).toHaveLength(1);
    expect(steps(EXPIRES + 7 * DAY + 1)).toEqual([]);
  });

  it('are not sent for a credential that never expires, nor for more days before the expiry than its whole lifetime', () => {
    expect(plan(STEPS[14], { expiresAt: null })).toMatchObject({ due: [], next: undefined });
    expect(plan(STEPS[14], { registeredAt: STEPS[14] })).toMatchObject({ due: [], next: STEPS[3] });
    expect(steps(STEPS[14], { registeredAt: STEPS[14] - 1 })).toHaveLength(1);
  });

  it('begin again where it was replaced', () => {
    expect(steps(STEPS[14], { reminded: ['14'], of: 'of another' })).toEqual([['14', ['14']]]);
  });

  it('are of an application access as well', () => {
    const [due] = plan(STEPS[14], { access: true }).due;
    expect(due?.credential).toMatchObject({
      kind: 'access',
      name: '123',
      id: `abcd/${REGISTERED}/${EXPIRES}`,
      registeredBy: 'U1',
    });
  });
});

describe('a credential that was rejected', () => {
  it('is sent at once and only once, in place of the earlier steps', () => {
    expect(steps(STEPS[14] - DAY, { rejected: true })).toEqual([['rejected', ['rejected']]]);
    expect(steps(STEPS[3], { rejected: true, reminded: ['14'] })).toEqual([
      ['rejected', ['14', '3', 'rejected']],
    ]);
    expect(plan(STEPS[3], { rejected: true, reminded: ['14', 'rejected'] })).toMatchObject({
      due: [],
      next: undefined,
    });
    expect(plan(STEPS[14] - DAY, { reminded: ['rejected'] })).toMatchObject({ due: [], next: undefined });
  });
});

describe('messages of a reminder', () => {
  const message = (given: object) => ({ to: 'U1', at: STEPS[14], tries: 0, step: '14', ...given });
  const sending = (now: number, given: Given) => {
    const found = plan(now, { reminded: ['14'], ...given });
    return [found.sending.length, found.next];
  };

  it('are sent when their pause is over', () => {
    const messages = [
      message({ state: 'posted' }),
      message({ state: 'failed' }),
      message({ state: 'due', next: STEPS[14] + 60 }),
      message({ state: 'due', next: STEPS[14] + 50 }),
    ];
    expect(sending(STEPS[14] + 49, { messages })).toEqual([0, STEPS[14] + 50]);
    expect(sending(STEPS[14] + 50, { messages })).toEqual([1, STEPS[3]]);
    expect(sending(STEPS[14], { messages: messages.slice(0, 2) })).toEqual([0, STEPS[3]]);
  });

  it('that Slack may have taken wait until the call has ended', () => {
    const messages = [message({ state: 'sending' })];
    expect(sending(STEPS[14] + 19_999, { messages })).toEqual([0, STEPS[14] + 20_000]);
    expect(sending(STEPS[14] + 20_000, { messages })).toEqual([1, STEPS[3]]);
  });

  it('wait while Slack limits the rate, an hour at most', () => {
    const messages = [message({ state: 'due' })];
    const now = STEPS[14];
    expect(sending(now, { messages, backOffUntil: now + MAX_RETRY_DELAY })).toEqual([
      0,
      now + MAX_RETRY_DELAY,
    ]);
    expect(sending(now, { messages, backOffUntil: now + MAX_RETRY_DELAY + 1 })).toEqual([1, STEPS[3]]);
    expect(sending(now, { messages, backOffUntil: now })).toEqual([1, STEPS[3]]);
  });

  it('are the only tasks, besides a reminder that is due', () => {
    const tasks = (now: number, given?: Given) => reminderTasks(plan(now, given)).length;
    expect(tasks(STEPS[14] - 1)).toBe(0);
    expect(tasks(STEPS[14])).toBe(1);
    expect(tasks(STEPS[14], { reminded: ['14'], messages: [message({ state: 'due' })] })).toBe(1);
  });
});

describe('the state of a sent reminder', () => {
  it('is deleted with the credential it is about', () => {
    const stored = ['reminder/connection:main', 'reminder/connection:eu', 'reminder/access:main'];
    const statesOf = (prefix: string) =>
      prefix === 'reminder/' ? stored.map((name) => [name, '{}'] as const) : [];
    expect(planReminders(workspaceOf(), snapshotOf([], { statesOf }), 0).stale).toEqual(stored.slice(1));
    expect(reminderName({ kind: 'access', name: '7' })).toBe('reminder/access:7');
  });

  it.each([undefined, '', '{', 'null', '{"credential":"x","reminded":["2"],"messages":[]}'])(
    'is nothing where it cannot be read: %s',
    (json) => {
      expect(parseReminderState(json)).toBeUndefined();
    },
  );
});
