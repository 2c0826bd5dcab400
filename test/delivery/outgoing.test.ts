import { storeFailure } from '../../src/workspace/record/stored-failure.ts';
/** What is written before and after Slack takes a message, one step at a time. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError, openState, ScheduleChangedError } from '../../src/delivery/context.ts';
import type { StateWrite } from '../../src/delivery/log/delivery-log.ts';
import type { DeliveryLogEntry } from '../../src/delivery/log/delivery-log-entry.ts';
import { findPost } from '../../src/delivery/outbox/find-post.ts';
import type { Refusal } from '../../src/delivery/outbox/recipients.ts';
import { notSent } from '../../src/delivery/outbox/retry.ts';
import {
  type StoredMessage,
  type StoredMessageJob,
  sendStoredMessage,
  sendsAt,
} from '../../src/delivery/outbox/stored-message.ts';
import { deliverPost } from '../../src/delivery/posts/post.ts';
import type { DeliveryTask } from '../../src/delivery/posts/post-plan.ts';
import { recordPost, recordSkip, recordWait } from '../../src/delivery/posts/record-post.ts';
import type { ReminderMessage, ReminderPlan } from '../../src/delivery/reminders/reminder-plan.ts';
import { runReminders } from '../../src/delivery/reminders/reminders.ts';
import {
  EditConflict,
  NotConnected,
  StoreUnavailable,
  TokenRejected,
} from '../../src/domain/failure/index.ts';
import type { Work } from '../../src/runtime/work.ts';
import type { Schedule } from '../../src/workspace/owned/schedules.ts';
import type { Workspace } from '../../src/workspace/record/workspace.ts';
import { COVERED, finding, schedule } from '../support/delivery.ts';
import { lineOf, postOf, recordedRun, snapshotOf, workspaceOf } from '../support/delivery-records.ts';
import { storedCause } from '../support/failures.ts';
import { directMessage, type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NINE = Date.parse('2026-11-20T08:00:00Z');
const DATE = '2026-11-20';
const CHANNEL = 'C0COSTS001';

let slack: MinimalSlack;
beforeEach(async () => {
  slack = await startMinimalSlack();
  slack.now = () => NINE;
});
afterEach(() => slack.close());

const runAt = (now: number, given: Parameters<typeof recordedRun>[3] = {}, report = () => finding('100')) =>
  recordedRun(slack.url, now, report, given);
const task = (given: Partial<DeliveryTask> = {}): DeliveryTask => ({
  ...{ schedule: schedule(), due: { date: DATE, at: NINE }, line: undefined },
  ...{ earlier: [], doubtful: [], superseded: [] },
  ...given,
});
/** Puts a message into Slack as a run that died did. */
async function posted(key: string, given: Record<string, string> = {}) {
  const metadata = JSON.stringify({ event_type: 'tally_delivery', event_payload: { key } });
  const body = new URLSearchParams({ channel: CHANNEL, text: 'x', metadata, ...given });
  await fetch(`${slack.url}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: 'Bearer xoxb-T1' },
    body,
  });
  return slack.posts.at(-1)!.ts;
}
const methods = () => slack.calls.map(({ method }) => method);

describe('a message of Tally’s own', () => {
  const DUE: StoredMessage = { to: CHANNEL, state: 'due', at: NINE, tries: 0 };
  interface Sent {
    readonly saved: readonly (readonly [StoredMessage, boolean])[];
    readonly last: StoredMessage | undefined;
    readonly run: ReturnType<typeof runAt>;
  }
  async function send(
    message: Partial<StoredMessage>,
    job: Partial<StoredMessageJob> = {},
    given: Parameters<typeof recordedRun>[3] = {},
    now = NINE + 1_000,
  ): Promise<Sent> {
    const saved: (readonly [StoredMessage, boolean])[] = [];
    const run = runAt(now, given);
    await sendStoredMessage(
      {
        message: { ...DUE, ...message },
        key: 'watch/abcd1234/e/0',
        content: (isAgain) => ({ text: isAgain ? 'again' : 'once', blocks: [] }),
        save: async (one, needsLease) => void saved.push([one, needsLease]),
        kind: 'alert',
        projects: [],
        ...job,
      },
      run.context,
    );
    return { saved, last: saved.at(-1)?.[0], run };
  }

  it('is stored as being sent with the lease, then goes out, and is stored as posted without', async () => {
    const { saved, run } = await send({ next: 5, cause: storedCause('x'), tries: 2 });
    const sending = { to: CHANNEL, channel: CHANNEL, state: 'sending', at: NINE + 1_000, tries: 2 };
    expect(saved).toEqual([
      [sending, true],
      [{ ...sending, state: 'posted', ts: slack.posts[0]?.ts }, false],
    ]);
    expect(slack.posts).toMatchObject([
      { channel: CHANNEL, key: 'watch/abcd1234/e/0', text: 'once', thread: undefined },
    ]);
    expect(run.paces).toEqual([`wait ${CHANNEL}`, `posted ${CHANNEL}`]);
    expect(run.context.unrecordedPosts.size).toBe(0);
  });

  it('goes to a person’s direct messages, into a thread, and where it went before', async () => {
    const direct = await send({ to: 'U0ANNA0001' });
    expect(direct.last).toMatchObject({
      to: 'U0ANNA0001',
      channel: directMessage('U0ANNA0001'),
      state: 'posted',
    });
    await send({}, { thread: { ts: '1.2', isBroadcast: true } });
    expect(slack.posts.at(-1)).toMatchObject({ thread: '1.2', isBroadcast: true });
    slack.reset();
    await send({ to: 'U0ANNA0001', channel: 'D0BEFORE01' });
    expect(methods()).not.toContain('conversations.open');
    expect(slack.posts[0]?.channel).toBe('D0BEFORE01');
  });

  it('is not sent to somebody who may not get it', async () => {
    const limited = { alias: 'payroll', id: '7', product: 1, channels: ['C0ELSEWHERE'] };
    const workspace = workspaceOf([], { projects: [limited as never] });
    const { saved } = await send({}, { projects: [{ id: '7', product: 1 }] }, { workspace });
    const cause = notSent('channel-limited');
    const failed = { ...DUE, channel: CHANNEL, state: 'failed', at: NINE + 1_000, cause };
    expect(saved).toEqual([[failed, false]]);
    expect(methods()).toEqual([]);
  });

  it('that Slack took is stored as posted once Redis is back', async () => {
    const states: string[] = [];
    let outages = 1;
    const save = async ({ state }: StoredMessage) => {
      states.push(state);
      if (state === 'posted' && outages-- > 0) throw new StoreUnavailable();
    };
    const { run } = await send({}, { save });
    expect(states).toEqual(['sending', 'posted', 'posted']);
    expect([slack.posts.length, run.context.unrecordedPosts.size]).toEqual([1, 0]);
  });

  it('that Slack took is known to its process where it can’t be stored', async () => {
    const unrecordedPosts = new Map<string, string>();
    const save = async ({ state }: StoredMessage) => {
      if (state === 'posted') throw new EditConflict('x');
    };
    const stopping = AbortSignal.abort();
    await expect(send({}, { save }, { unrecordedPosts, stopping })).rejects.toThrow(EditConflict);
    expect([...unrecordedPosts]).toEqual([[`T1/watch/abcd1234/e/0/${CHANNEL}`, slack.posts[0]?.ts]]);
  });

  it('waits for a short rate limit within its run', async () => {
    let limits = 1;
    slack.fault = ({ method }) =>
      method === 'chat.postMessage' && limits-- > 0 ? { retryAfter: 1 } : undefined;
    const { last, run } = await send({});
    expect([last?.state, run.backOffs]).toEqual(['posted', []]);
  });

  it('that Slack may have taken is looked for, and sent again only where it is not there', async () => {
    const doubtful: Partial<StoredMessage> = { state: 'sending', channel: CHANNEL };
    const ts = await posted('watch/abcd1234/e/0');
    expect((await send(doubtful)).saved).toEqual([
      [{ ...DUE, channel: CHANNEL, state: 'posted', ts }, false],
    ]);
    expect(slack.posts).toHaveLength(1);
    slack.reset();
    const again = await send(doubtful);
    expect(again.last).toMatchObject({ state: 'posted' });
    expect(again.last).not.toHaveProperty('isAgain');
    expect(slack.posts[0]?.text).toBe('once');
  });

  it('that nobody can look for is sent once more, and says so, and not a third time', async () => {
    slack.fault = ({ method }) => (method === 'conversations.history' ? 'missing_scope' : undefined);
    const { saved } = await send({ state: 'sending' });
    expect(saved.map(([one]) => [one.state, one.isAgain])).toEqual([
      ['sending', true],
      ['posted', true],
    ]);
    expect(slack.posts[0]?.text).toBe('again');
    slack.reset();
    const third = await send({ state: 'sending', isAgain: true });
    expect(third.last).toMatchObject({
      state: 'failed',
      cause: notSent('message-unconfirmed'),
    });
    expect(slack.posts).toEqual([]);
  });

  it('whose second sending Slack refused is sent again', async () => {
    slack.fault = ({ method }) =>
      method === 'conversations.history'
        ? 'missing_scope'
        : method === 'chat.postMessage'
          ? { retryAfter: 60 }
          : undefined;
    const { last } = await send({ state: 'sending' });
    expect(last).toMatchObject({ state: 'sending', at: NINE });
    expect(last).not.toHaveProperty('isAgain');
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'internal_error' : 'missing_scope');
    expect((await send({ state: 'sending' })).last).toMatchObject({ state: 'sending', isAgain: true });
  });

  it('that was posted and not stored is stored, without asking Slack', async () => {
    const unrecordedPosts = new Map([[`T1/watch/abcd1234/e/0/${CHANNEL}`, '7.7']]);
    const { last } = await send({ state: 'sending' }, {}, { unrecordedPosts });
    expect([last?.state, last?.ts, methods()]).toEqual(['posted', '7.7', []]);
  });

  it.each<[string, Parameters<MinimalSlack['fault']>[0]['method'], StoredMessage['state'], number]>([
    ['msg_too_long', 'chat.postMessage', 'due', NINE + 1_000 + MINUTE],
    ['internal_error', 'chat.postMessage', 'sending', NINE + 1_000 + MINUTE],
    ['internal_error', 'conversations.open', 'due', NINE + 1_000 + MINUTE],
  ])('that failed with %s of %s is %s again after its pause', async (code, method, state, next) => {
    slack.fault = (call) => (call.method === method ? code : undefined);
    const { last, run } = await send({ to: method === 'conversations.open' ? 'U0ANNA0001' : CHANNEL });
    expect(last).toMatchObject({
      state,
      next,
      tries: 1,
      cause: { kind: expect.stringMatching(/slack|sent/) },
    });
    expect(run.backOffs).toEqual([]);
  });

  it('over a rate limit counts no try, and leaves Slack alone', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { retryAfter: 7 } : undefined);
    const { last, run } = await send({ tries: 3 });
    expect(last).toMatchObject({ state: 'due', tries: 3, next: NINE + 8_000 });
    expect(run.backOffs).toEqual([NINE + 8_000]);
  });

  it('is searched around the instant when it was sent, however often that fails', async () => {
    slack.fault = ({ method }) => (method === 'conversations.history' ? 'internal_error' : undefined);
    const { last } = await send({ state: 'sending', at: NINE - HOUR });
    expect(last).toMatchObject({ state: 'sending', at: NINE - HOUR, tries: 1 });
  });

  it('is tried for an hour with growing pauses, then each hour, and given up after three days', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'msg_too_long' : undefined);
    const failedAfter = async (tries: number) => (await send({ tries })).last;
    expect((await failedAfter(5))?.next).toBe(NINE + 1_000 + 30 * MINUTE);
    expect((await failedAfter(6))?.next).toBe(NINE + 1_000 + HOUR);
    expect(await failedAfter(77)).toMatchObject({ state: 'due', tries: 78 });
    expect(await failedAfter(78)).toMatchObject({ state: 'failed', tries: 79, at: NINE + 1_000 });
  });

  it.each([
    'user_not_found',
    'user_disabled',
    'users_not_found',
    'user_not_visible',
    'cannot_dm_bot',
    'messages_tab_disabled',
    'is_archived',
  ])('goes elsewhere where nobody gets it there any more, or has failed: %s', async (code) => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? code : undefined);
    const causes: unknown[] = [];
    const onRefused = async ({ cause }: Refusal) => causes.push(cause) > 0;
    expect((await send({}, { onRefused })).saved.map(([one]) => one.state)).toEqual(['sending']);
    expect(causes).toHaveLength(1);
    expect((await send({})).last).toMatchObject({ state: 'failed', tries: 1 });
  });

  it('is another run’s where the process stops, but what Slack said is stored', async () => {
    const stopping = AbortSignal.abort();
    const failing = async () => {
      throw new EditConflict('x');
    };
    await expect(send({}, { save: failing }, { stopping })).rejects.toThrow(EditConflict);
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'msg_too_long' : undefined);
    expect((await send({}, {}, { stopping })).last?.tries).toBe(1);
    await expect(send({}, { save: async () => Promise.reject(new LeaseLostError()) })).rejects.toThrow(
      LeaseLostError,
    );
  });

  it('is tried when its pause is over and when the call to Slack has ended, until it is out', () => {
    const at = (given: Partial<StoredMessage>) => sendsAt({ ...DUE, ...given });
    expect([at({}), at({ next: 7 }), at({ state: 'posted' }), at({ state: 'failed' })]).toEqual([
      0,
      7,
      undefined,
      undefined,
    ]);
    expect(at({ state: 'sending' })).toBe(NINE + 20_000);
    expect(at({ state: 'sending', next: NINE + HOUR })).toBe(NINE + HOUR);
  });
});

describe('a post that may be in Slack', () => {
  const search = async (at = NINE, thread?: string) =>
    findPost(await runAt(NINE).context.client(), CHANNEL, 'schedul1/x', at, thread);

  it('is found by its mark within five minutes of when it was sent', async () => {
    const ts = await posted('schedul1/x');
    await posted('schedul1/y');
    for (const at of [NINE, NINE + 300_000, NINE - 299_000]) expect(await search(at)).toEqual({ ts });
    for (const at of [NINE + 301_000, NINE - 301_000]) expect(await search(at)).toBe('absent');
    expect(await search(NINE, ts)).toBe('absent');
    const answer = await posted('schedul1/x', { thread_ts: '5.5' });
    expect(await search(NINE, '5.5')).toEqual({ ts: answer });
  });

  it.each([
    'missing_scope',
    'not_allowed_token_type',
    'no_permission',
    'access_denied',
    'not_in_channel',
    'channel_not_found',
    'method_not_supported_for_channel_type',
  ])('is not known of where Tally can’t read the channel: %s', async (code) => {
    slack.fault = () => code;
    expect(await search()).toBe('unknown');
  });

  it('is looked for page by page, by its event as well as its key, and not known of after five', async () => {
    const cursors: (string | null)[] = [];
    let pages: { readonly event?: string; readonly key?: string }[] = [];
    const paged = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const args = new URLSearchParams(Buffer.concat(chunks).toString());
      const at = Number(args.get('cursor') ?? 0);
      cursors.push(args.get('cursor'));
      const { event, key } = pages[at] ?? {};
      const found = event && {
        ts: `${at}.1`,
        metadata: { event_type: event, event_payload: key ? { key } : undefined },
      };
      const messages = [{ ts: '0.0' }, ...(found ? [found] : [])];
      const more = at + 1 < pages.length ? { response_metadata: { next_cursor: String(at + 1) } } : {};
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, messages, ...more }));
    });
    await new Promise<void>((resolve) => paged.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(paged.address() as AddressInfo).port}/api/`;
    const searched = async (...given: typeof pages) => {
      pages = given;
      cursors.length = 0;
      const client = await recordedRun(url, NINE, () => finding('1')).context.client();
      return findPost(client, CHANNEL, 'schedul1/x', NINE);
    };
    const ours = { event: 'tally_delivery', key: 'schedul1/x' };
    const others = [
      { event: 'another', key: 'schedul1/x' },
      { event: 'tally_delivery' },
      { event: 'tally_delivery', key: 'y' },
    ];
    expect(await searched(...others, ours)).toEqual({ ts: '3.1' });
    expect(cursors).toEqual([null, '1', '2', '3']);
    expect(await searched(...others)).toBe('absent');
    expect(await searched({}, {}, {}, {}, ours)).toEqual({ ts: '4.1' });
    expect(await searched({}, {}, {}, {}, {}, ours)).toBe('unknown');
    expect(cursors).toHaveLength(5);
    paged.closeAllConnections();
    await new Promise((resolve) => paged.close(resolve));
  });

  it('is not known of where Slack does not answer', async () => {
    slack.fault = () => 'internal_error';
    await expect(search()).rejects.toMatchObject({ kind: 'slack-failed', code: 'internal_error' });
  });
});

describe('a state that is changed', () => {
  const parse = (json: string | undefined): number => (json === undefined ? 0 : Number(JSON.parse(json)));
  /** A log that holds one state, which others change as `meanwhile` says. */
  function stateOf(
    stored: string | undefined,
    meanwhile: ('refused' | 'changed' | string | undefined)[] = [],
  ) {
    let now = stored;
    const writes: unknown[] = [];
    const { context } = runAt(NINE, {
      logSnapshot: snapshotOf([], { state: () => stored }),
      writeState: async ({ before, json, ...rest }) => {
        const [next] = meanwhile.splice(0, 1);
        if (next === 'changed') return next;
        if (next !== undefined && next !== 'refused') now = next === 'gone' ? undefined : next;
        if (next === 'refused' || before !== now) return 'refused';
        writes.push([before, json, rest]);
        now = json;
        return 'written';
      },
      deliveryLog: { read: async () => snapshotOf([], { state: () => now }) } as never,
    });
    return { document: openState('watch/x', parse, context), writes, now: () => now };
  }

  it('is written once, over what was read', async () => {
    const { document, writes } = stateOf('5');
    expect(document.value()).toBe(5);
    await document.update((value) => value + 1, { needsLease: true });
    await document.update((value) => value + 1);
    expect(document.value()).toBe(7);
    expect(writes).toEqual([
      ['5', '6', { name: 'watch/x', needsLease: true }],
      ['6', '7', { name: 'watch/x' }],
    ]);
    await document.update((value) => value);
    expect(writes).toHaveLength(2);
  });

  it('is changed as it is by then where somebody else wrote it', async () => {
    const { document, now } = stateOf('5', ['50', '60']);
    await document.update((value) => value + 1);
    expect([document.value(), now()]).toEqual([61, '61']);
  });

  it('stays deleted', async () => {
    const { document, now, writes } = stateOf('5', ['gone']);
    await document.update((value) => value + 1);
    expect([now(), writes]).toEqual([undefined, []]);
  });

  it('is not claimed once it is deleted', async () => {
    const { document } = stateOf('5', ['gone']);
    await expect(document.update((value) => value + 1, { needsLease: true })).rejects.toThrow(LeaseLostError);
  });

  it('is another run’s where the lease is lost, also where it is overtaken again and again', async () => {
    const increment = (value: number) => value + 1;
    await expect(stateOf('5', ['refused']).document.update(increment)).rejects.toThrow(LeaseLostError);
    const often = (count: number) =>
      stateOf(
        '5',
        Array.from({ length: count }, (_, n) => String(n * 10)),
      );
    await expect(often(5).document.update(increment)).rejects.toThrow(LeaseLostError);
    const { document, now } = often(4);
    await document.update(increment);
    expect(now()).toBe('31');
  });

  it('is not written if the schedule or watch was replaced since', async () => {
    await expect(stateOf('5', ['changed']).document.update((value) => value + 1)).rejects.toThrow(
      ScheduleChangedError,
    );
  });
});

describe('a reminder', () => {
  const CREDENTIAL = {
    ...{ kind: 'connection' as const, name: 'main', id: 'x', registeredBy: 'U0ANNA0001', registeredAt: 0 },
    expiresAt: NINE + 3 * 24 * HOUR,
  };
  const NAME = 'reminder/connection:main';
  const WATCHES = [{ id: 'w', project: { id: '123', product: 1 }, owner: 'U0WATCH001' }];
  const messageTo = (to: string, given: object = {}) => ({
    step: '14',
    to,
    state: 'due',
    at: 1,
    tries: 0,
    ...given,
  });
  /** Runs reminders over a state in memory; says what was written, and with which conditions. */
  async function remind(
    plan: Partial<ReminderPlan>,
    stored?: object,
    given: Parameters<typeof recordedRun>[3] = {},
  ) {
    let json = stored && JSON.stringify(stored);
    const writes: Omit<StateWrite, 'json' | 'before'>[] = [];
    const snapshot = () => snapshotOf([], { state: (name) => (name === NAME ? json : undefined) });
    const run = runAt(NINE, {
      workspace: workspaceOf([], {
        settings: { ...workspaceOf([]).settings, managers: ['U0BOSS0001', 'U0ANNA0001'] },
        watches: WATCHES as never,
        fields: { 'connection:main': 'as stored' },
      }),
      logSnapshot: snapshot(),
      deliveryLog: { read: async () => snapshot() } as never,
      writeState: async ({ json: after, before: _, ...rest }) => {
        json = after;
        writes.push(rest);
        return 'written';
      },
      ...given,
    });
    await runReminders({ due: [], sending: [], stale: [], next: undefined, ...plan }, run.context);
    return { state: json === undefined ? undefined : JSON.parse(json), writes };
  }
  const due = (step: '3' | 'rejected') => ({
    due: [{ credential: CREDENTIAL, step, steps: ['14', step] as const }],
  });

  it('is stored with its messages for the credential as it was read, in place of those that are not out yet', async () => {
    const stored = {
      ...{ credential: 'x', told: ['14'] },
      messages: [
        messageTo('U1'),
        messageTo('U2', { state: 'sending' }),
        messageTo('U3', { state: 'posted' }),
      ],
    };
    const { state, writes } = await remind(due('3'), stored);
    expect(state.told).toEqual(['14', '3']);
    expect(
      state.messages.map(({ to, step, state: sent }: ReminderMessage) => `${to} ${step} ${sent}`),
    ).toEqual([...['U2 14 sending', 'U3 14 posted', 'U0ANNA0001 3 due', 'U0BOSS0001 3 due']]);
    expect(writes).toEqual([
      { name: NAME, needsLease: true, expected: { field: 'connection:main', value: 'as stored' } },
    ]);
  });

  it('begins again for another credential, and of a rejected one tells the owners of watches too', async () => {
    const { state } = await remind(due('rejected'), {
      credential: 'another',
      told: ['1'],
      messages: [messageTo('U1')],
    });
    expect([state.credential, state.told]).toEqual(['x', ['14', 'rejected']]);
    expect(state.messages.map(({ to }: ReminderMessage) => to)).toEqual([
      'U0ANNA0001',
      'U0BOSS0001',
      'U0WATCH001',
    ]);
  });

  it('is left alone where the credential was replaced in between, or the run is over', async () => {
    expect((await remind(due('3'), undefined, { writeState: async () => 'changed' })).state).toBeUndefined();
    const isOver = () => true;
    expect((await remind(due('3'), undefined, { isOver })).writes).toEqual([]);
    const stored = { credential: 'x', told: ['14'], messages: [messageTo('U0ANNA0001')] };
    expect((await remind({ sending: [CREDENTIAL] }, stored, { isOver })).writes).toEqual([]);
  });

  it('goes to each person when their message is due, under a name of its own', async () => {
    const stored = {
      ...{ credential: 'x', told: ['14', '3'] },
      messages: [
        messageTo('U0ANNA0001', { state: 'posted' }),
        messageTo('U0ANNA0001', { step: '3', next: NINE }),
        messageTo('U0BOSS0001', { step: '3', next: NINE + 1 }),
        messageTo('U0WATCH001', { step: '3', next: NINE }),
      ],
    };
    const { state, writes } = await remind({ sending: [CREDENTIAL] }, stored);
    expect(slack.posts.map(({ channel, key }) => [channel, key])).toEqual(
      ['U0ANNA0001', 'U0WATCH001'].map((to) => [directMessage(to), `${NAME}/x/3`]),
    );
    expect(state.messages.map(({ state: sent, step }: ReminderMessage) => `${step} ${sent}`)).toEqual([
      ...['14 posted', '3 posted', '3 due', '3 posted'],
    ]);
    expect(writes.map(({ needsLease }) => needsLease)).toEqual([true, false, true, false]);
  });

  it('goes to the next manager if the first cannot get it', async () => {
    slack.fault = ({ method, args }) =>
      method === 'chat.postMessage' && args.get('channel') === directMessage('U0GONE0001')
        ? 'user_disabled'
        : undefined;
    const stored = {
      credential: 'x',
      told: ['3'],
      messages: [
        messageTo('U0GONE0001', { step: '3' }),
        messageTo('U0BOSS0001', { step: '3', state: 'posted' }),
      ],
    };
    const { state } = await remind({ sending: [CREDENTIAL] }, stored);
    expect(state.messages.map(({ to, state: sent }: ReminderMessage) => `${to} ${sent}`)).toEqual([
      ...['U0GONE0001 failed', 'U0ANNA0001 due', 'U0BOSS0001 posted'],
    ]);
  });
});

describe('the log of a post', () => {
  const ENTRY: DeliveryLogEntry = {
    ...{ state: 'sending', due: NINE, at: NINE, began: NINE - 5, tries: 3, next: 9, cause: storedCause('x') },
    ...{ pendingNotice: 'failed', probes: 2, waits: true },
  };
  const attempt = (entry = ENTRY) => ({ before: 'as it was', entry });
  const recorded = async (given: Parameters<typeof postOf>[1] = {}, record: Partial<Workspace> = {}) => {
    const writes: {
      entry: DeliveryLogEntry;
      lastDelivery?: unknown;
      drop?: unknown;
      posted?: unknown;
      before?: unknown;
    }[] = [];
    const run = runAt(NINE + 7, {
      workspace: workspaceOf([], record),
      deliveryLog: {
        write: async (_: unknown, write: (typeof writes)[number]) => {
          writes.push(write);
        },
      } as never,
    });
    const of = task({
      earlier: [
        { date: '2026-11-18', at: 1 },
        { date: '2026-11-19', at: 2 },
      ],
    });
    await recordPost(of, attempt(), postOf(NINE + 3, given), undefined, run.context);
    return { write: writes[0]!, run };
  };

  it('says that it is out, and lets go of the dates that it names', async () => {
    const { write } = await recorded({ ts: '7.7' });
    const post = postOf(NINE + 3, { ts: '7.7' });
    expect(write).toEqual({
      ...{ schedule: 'schedul1', date: DATE, drop: ['2026-11-18', '2026-11-19'], before: 'as it was' },
      entry: { state: 'posted', due: NINE, began: NINE - 5, tries: 0, at: NINE + 3, post },
      posted: { channel: CHANNEL, at: NINE + 3 },
      lastDelivery: {
        date: DATE,
        due: NINE,
        at: NINE + 3,
        failures: 0,
        unanswered: {},
        result: 'posted',
        ts: '7.7',
      },
    });
    expect((await recorded({ isLate: true })).write.lastDelivery).toMatchObject({ result: 'posted-late' });
  });

  it('counts in how many posts in a row a project gave no answer, and tells of the second', async () => {
    const unanswered = { '123:1': storedCause('Billing is down.'), '7:2': storedCause('No data.') };
    const counted = (posts: number) => ({
      lastSent: () => ({ unanswered: { '123:1': { posts, cause: storedCause('x') } } }) as never,
    });
    const first = await recorded({ unanswered });
    expect(first.write.lastDelivery).toMatchObject({
      unanswered: {
        '123:1': { posts: 1, cause: storedCause('Billing is down.') },
        '7:2': { posts: 1, cause: storedCause('No data.') },
      },
    });
    expect(first.write.entry).not.toHaveProperty('pendingNotice');
    const second = await recorded({ unanswered }, counted(1));
    expect(second.write.entry).toMatchObject({
      pendingNotice: 'unanswered',
      silent: { '123:1': storedCause('Billing is down.') },
    });
    expect((await recorded({ unanswered }, counted(2))).write.entry).not.toHaveProperty('pendingNotice');
    const lastSent = () => ({ failures: 1 }) as never;
    expect((await recorded({ unanswered }, { lastSent })).write.entry).not.toHaveProperty('cause');
    const both = {
      '123:1': { posts: 1, cause: storedCause('x') },
      '7:2': { posts: 1, cause: storedCause('x') },
    };
    const told = await recorded({ unanswered }, { lastSent: () => ({ unanswered: both }) as never });
    expect(told.write.entry.silent).toEqual(unanswered);
  });

  it('of one that was skipped has nothing of the tries', async () => {
    const { context, writes } = runAt(NINE + 7);
    await recordSkip(task({ earlier: [{ date: '2026-11-19', at: 2 }] }), attempt(), context);
    expect(writes).toEqual([
      {
        ...{ schedule: 'schedul1', date: DATE, drop: ['2026-11-19'], before: 'as it was' },
        entry: { state: 'skipped', due: NINE, began: NINE - 5, tries: 3, at: NINE + 7 },
        lastDelivery: { date: DATE, due: NINE, at: NINE + 7, failures: 0, result: 'skipped' },
      },
    ]);
  });

  it('of a waiting post says what it waits for, restarts its hour of tries, and keeps the failure counts', async () => {
    const wait = async (record: Partial<Workspace>) => {
      const { context, writes } = runAt(NINE + 7, { workspace: workspaceOf([], record) });
      await recordWait(task(), attempt(), { next: NINE + HOUR, awaits: '2026-11-19' }, context);
      return writes[0]!;
    };
    const lastDelivery = {
      date: DATE,
      due: NINE,
      at: NINE + 7,
      result: 'waiting',
      awaits: '2026-11-19',
      next: NINE + HOUR,
    };
    expect(await wait({})).toEqual({
      ...{ schedule: 'schedul1', date: DATE, before: 'as it was' },
      entry: {
        state: 'trying',
        due: NINE,
        began: NINE + 7,
        at: NINE + 7,
        tries: 0,
        next: NINE + HOUR,
        waits: true,
      },
      lastDelivery: { ...lastDelivery, failures: 0 },
    });
    const unanswered = { '7:1': { posts: 1, cause: storedCause('x') } };
    const counted = await wait({ lastSent: () => ({ failures: 2, unanswered }) as never });
    expect(counted.lastDelivery).toEqual({ ...lastDelivery, failures: 2, unanswered });
  });
});

describe('a date that is delivered', () => {
  async function deliver(
    of: Partial<DeliveryTask>,
    given: Parameters<typeof recordedRun>[3] = {},
    now = NINE,
    report = () => finding('100'),
  ) {
    const saved: Schedule[] = [];
    const run = runAt(
      now,
      {
        deliveryLog: { write: async (_: unknown, write: never) => void run.writes.push(write) } as never,
        workspaces: {
          read: async () => workspaceOf([]),
          schedules: { save: async (_: unknown, one: Schedule) => void saved.push(one) },
        } as never,
        ...given,
      },
      report,
    );
    await deliverPost(task(of), run.context);
    const entries = run.writes.map(({ entry }) => entry);
    return { ...run, entries, states: entries.map(({ state }) => state), saved };
  }

  it('is written as being sent with the lease and for the schedule as it was read, then posted, then written as posted', async () => {
    const stored = JSON.stringify(schedule());
    const workspace = workspaceOf([], { fields: { 'schedule:schedul1': stored } });
    const { writes, entries, paces } = await deliver({}, { workspace });
    expect(writes).toMatchObject([
      { schedule: 'schedul1', date: DATE, before: undefined, needsLease: true, expectedSchedule: stored },
      {
        schedule: 'schedul1',
        date: DATE,
        before: JSON.stringify(entries[0]),
        posted: { channel: CHANNEL, at: NINE },
      },
    ]);
    expect(entries[0]).toMatchObject({
      state: 'sending',
      at: NINE,
      post: { ts: '', checks: 0, channel: CHANNEL },
    });
    expect(entries[1]?.post).toEqual({ ...entries[0]?.post, ts: slack.posts[0]?.ts });
    expect(entries[1]?.post?.subject).toEqual({
      ...{ report: 'yesterday', projects: [{ id: '123', product: 1 }], timing: schedule().timing },
      ...{ zone: 'UTC', covers: COVERED, connections: ['main'] },
    });
    expect(slack.posts).toMatchObject([{ key: `schedul1/${DATE}`, text: 'Spent 100' }]);
    expect(paces).toEqual([`wait ${CHANNEL}`, `posted ${CHANNEL}`]);
  });

  it('is about the moment when it was due, however late it goes out', async () => {
    const asked: number[] = [];
    const run = recordedRun(
      slack.url,
      NINE + HOUR,
      ({ at }) => {
        asked.push(at);
        return finding('100');
      },
      { deliveryLog: { write: async () => undefined } as never },
    );
    await deliverPost(task(), run.context);
    expect(asked).toEqual([NINE]);
  });

  it.each([
    [5 * MINUTE, false],
    [5 * MINUTE + 1, true],
  ])('%i ms after it was due is late: %s', async (after, isLate) => {
    expect((await deliver({}, {}, NINE + after)).entries[0]?.post?.isLate).toBe(isLate);
  });

  it('that waited for its figures is late only after they were to be looked for', async () => {
    const line = (next: number) => lineOf(DATE, { state: 'trying', due: NINE, waits: true, next });
    const isLate = async (next: number, now: number) =>
      (await deliver({ line: line(next) }, {}, now)).entries[0]?.post?.isLate;
    expect(await isLate(NINE + HOUR, NINE + HOUR + 5 * MINUTE)).toBe(false);
    expect(await isLate(NINE + HOUR, NINE + HOUR + 5 * MINUTE + 1)).toBe(true);
  });

  it('that waited for its figures is not late for a short rate limit', async () => {
    let limits = 1;
    slack.fault = ({ method }) =>
      method === 'chat.postMessage' && limits-- > 0 ? { retryAfter: 1 } : undefined;
    const line = lineOf(DATE, { state: 'trying', due: NINE, waits: true, next: NINE + HOUR });
    const { entries, states } = await deliver({ line }, {}, NINE + HOUR);
    expect([states, entries.at(-1)?.post?.isLate]).toEqual([['sending', 'sending', 'posted'], false]);
  });

  const awaiting = () => ({ ...finding('100'), awaits: 'Thu 19 Nov' });
  it('waits for a day that is missing: half an hour at a time, and no longer than the schedule says', async () => {
    const waiting = await deliver({}, {}, NINE, awaiting);
    expect(waiting.entries).toMatchObject([{ state: 'trying', waits: true, next: NINE + 30 * MINUTE }]);
    expect((await deliver({}, {}, NINE + 3 * HOUR - 1, awaiting)).entries[0]?.next).toBe(NINE + 3 * HOUR);
    const over = await deliver({}, {}, NINE + 3 * HOUR, awaiting);
    expect([over.states, over.entries[1]?.post?.without]).toEqual([['sending', 'posted'], 'Thu 19 Nov']);
    expect((await deliver({ schedule: schedule({ waitHours: 0 }) }, {}, NINE, awaiting)).states).toEqual([
      'sending',
      'posted',
    ]);
    const line = lineOf(DATE, { state: 'sending', due: NINE, post: postOf(NINE) });
    slack.fault = ({ method }) => (method === 'conversations.history' ? 'missing_scope' : undefined);
    expect((await deliver({ line }, {}, NINE, awaiting)).states).toEqual(['sending', 'posted']);
  });

  it('is skipped where nothing was spent, on missed dates too, and the schedule says so', async () => {
    const empty = () => finding(undefined, true);
    const skips = schedule({ skipsEmpty: true });
    expect((await deliver({ schedule: skips }, {}, NINE, empty)).states).toEqual(['skipped']);
    expect((await deliver({}, {}, NINE, empty)).states).toEqual(['sending', 'posted']);
    expect((await deliver({ schedule: skips })).states).toEqual(['sending', 'posted']);
    const many = Array.from({ length: 11 }, (_, n) => ({
      date: `2026-11-${String(n + 1).padStart(2, '0')}`,
      at: NINE - 1,
    }));
    expect((await deliver({ schedule: skips, earlier: many }, {}, NINE, empty)).states).toEqual([
      'sending',
      'posted',
    ]);
  });

  it('that Slack has taken before is written down, and posted no more', async () => {
    const ts = await posted(`schedul1/${DATE}`);
    const line = lineOf(DATE, { state: 'sending', due: NINE, post: postOf(NINE, { ts: '' }) });
    const found = await deliver({ line });
    expect([found.states, found.entries[0]?.post?.ts, slack.posts.length]).toEqual([['posted'], ts, 1]);
    slack.reset();
    const unrecordedPosts = new Map([[`T1/schedul1/${DATE}/${CHANNEL}`, '7.7']]);
    const known = await deliver({ line }, { unrecordedPosts });
    expect([known.entries[0]?.post?.ts, methods()]).toEqual(['7.7', []]);
    const absent = await deliver({ line });
    expect(absent.entries[0]).toMatchObject({ state: 'sending', post: { isAgain: false } });
    slack.fault = ({ method }) => (method === 'conversations.history' ? 'missing_scope' : undefined);
    expect((await deliver({ line })).entries[0]).toMatchObject({ post: { isAgain: true } });
    const again = lineOf(DATE, { state: 'sending', due: NINE, post: postOf(NINE, { isAgain: true }) });
    slack.reset();
    expect((await deliver({ line: again })).states).toEqual(['failed']);
    expect(slack.posts).toEqual([]);
  });

  it('whose second sending Slack refused is sent again, and searched around the first', async () => {
    slack.fault = ({ method }) =>
      method === 'conversations.history'
        ? 'missing_scope'
        : method === 'chat.postMessage'
          ? { retryAfter: 60 }
          : undefined;
    const line = lineOf(DATE, { state: 'sending', due: NINE, post: postOf(NINE, { ts: '' }) });
    const { entries } = await deliver({ line }, {}, NINE + HOUR);
    expect(entries).toMatchObject([
      { state: 'sending', at: NINE + HOUR, post: { isAgain: true } },
      { state: 'sending', at: NINE, post: { isAgain: false } },
    ]);
  });

  it('is not touched after the schedule was changed or the next run began', async () => {
    const writeLog = (error: Error) => ({ writeLog: () => Promise.reject(error) });
    expect((await deliver({}, writeLog(new ScheduleChangedError()))).states).toEqual([]);
    await expect(deliver({}, writeLog(new LeaseLostError()))).rejects.toThrow(LeaseLostError);
    const stopping = AbortSignal.abort();
    const broken = () => {
      throw new EditConflict('x');
    };
    await expect(deliver({}, { stopping }, NINE, broken)).rejects.toThrow(EditConflict);
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'is_archived' : undefined);
    expect((await deliver({}, { stopping })).states).toEqual(['sending', 'held']);
  });

  it('is left to the next run where the log took longer than a lease is sure to last', async () => {
    let now = 0;
    const began = mock.method(performance, 'now', () => now);
    const slowBy = (ms: number) => ({
      writeLog: async () => {
        now += ms;
        return '{}';
      },
    });
    try {
      await deliver({}, slowBy(3_000));
      expect(slack.posts).toHaveLength(1);
      await expect(deliver({}, slowBy(3_001))).rejects.toThrow(LeaseLostError);
      expect(slack.posts).toHaveLength(1);
    } finally {
      began.mock.restore();
    }
  });

  it('has its error and what became of it in its record', async () => {
    const recordOf = async (error: Error) => {
      const works: Work[] = [];
      const onFinished = (work: Work) => void works.push(work);
      await deliver({}, { onFinished }, NINE, () => {
        throw error;
      });
      return works;
    };
    for (const error of [new TypeError('a mistake'), new EditConflict('x')])
      expect(await recordOf(error)).toMatchObject([
        { kind: 'message', message: 'post', schedule: 'schedul1', outcome: 'retrying', error, late: 0 },
      ]);
  });

  it('over a rate limit leaves Slack alone', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { retryAfter: 7 } : undefined);
    const { states, backOffs } = await deliver({});
    expect([states, backOffs]).toEqual([['sending', 'trying'], [NINE + 7_000]]);
  });

  describe('of a schedule that Tally paused', () => {
    const paused = (why: 'app-removed' | 'token-rejected' | 'channel-archived', asked?: string) =>
      schedule({ paused: { why, at: NINE - HOUR, ...(asked !== undefined && { asked }) } });

    it('resumes it once it is out', async () => {
      const { states, saved } = await deliver({ schedule: paused('channel-archived') });
      expect(states).toEqual(['sending', 'posted']);
      expect(saved).toEqual([schedule()]);
      expect(methods()).not.toContain('auth.test');
      expect((await deliver({})).saved).toEqual([]);
    });

    it('asks Slack the cheapest question first where it took the token back, once for all schedules', async () => {
      const probeFailures = new Map<string, unknown>();
      slack.fault = ({ method }) => (method === 'auth.test' ? 'token_revoked' : undefined);
      for (let n = 0; n < 3; n += 1)
        expect((await deliver({ schedule: paused('app-removed') }, { probeFailures })).states).toEqual([
          'held',
        ]);
      expect(methods()).toEqual(['auth.test']);
      expect([...probeFailures.keys()]).toEqual(['app-removed']);
      slack.reset();
      slack.fault = ({ method }) => (method === 'auth.test' ? 'internal_error' : undefined);
      expect((await deliver({ schedule: paused('app-removed') })).states).toEqual(['sending', 'posted']);
    });

    it('does not wait for a day that billing has not reported', async () => {
      const awaiting = () => ({ ...finding('100'), awaits: 'Thu 19 Nov' });
      const { states } = await deliver({ schedule: paused('channel-archived') }, {}, NINE, awaiting);
      expect(states).toEqual(['sending', 'posted']);
    });

    it('remembers for the others what shows that the pause goes on, and nothing else', async () => {
      const remembered = async (of: Schedule, error: Error) => {
        const probeFailures = new Map<string, unknown>();
        await deliver({ schedule: of }, { probeFailures }, NINE, () => {
          throw error;
        });
        return [...probeFailures];
      };
      const rejected = new TokenRejected('billing');
      const waiting = paused('token-rejected', 'main a');
      expect(await remembered(waiting, rejected)).toEqual([['token-rejected main a', rejected]]);
      expect(await remembered(waiting, new NotConnected())).toEqual([]);
      expect(await remembered(waiting, new EditConflict('x'))).toEqual([]);
      expect(await remembered(paused('channel-archived'), rejected)).toEqual([]);
      expect(await remembered(schedule(), rejected)).toEqual([]);
    });

    it('does not ask billing again for another schedule with the same rejected token', async () => {
      const probeFailures = new Map<string, unknown>([
        ['token-rejected main a', new TokenRejected('billing')],
      ]);
      const held = await deliver({ schedule: paused('token-rejected', 'main a') }, { probeFailures });
      expect(held.entries).toMatchObject([
        { state: 'held', cause: storeFailure(new TokenRejected('billing')) },
      ]);
      expect(
        (await deliver({ schedule: paused('token-rejected', 'main b') }, { probeFailures })).states,
      ).toEqual(['sending', 'posted']);
      expect((await deliver({ schedule: paused('channel-archived') }, { probeFailures })).states).toEqual([
        'sending',
        'posted',
      ]);
    });
  });
});
