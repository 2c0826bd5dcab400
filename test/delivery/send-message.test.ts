/** What is written before and after Slack takes a message, one step at a time. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError, openState, ScheduleChangedError } from '../../src/delivery/delivery-run.ts';
import type { LogWrite } from '../../src/delivery/log/delivery-log.ts';
import type { SendState, StoredMessage } from '../../src/delivery/log/delivery-log-entry.ts';
import type { Refusal } from '../../src/delivery/outbox/check-recipient.ts';
import { notSentFailure } from '../../src/delivery/outbox/failures.ts';
import { findPost } from '../../src/delivery/outbox/find-post.ts';
import { sendMessage } from '../../src/delivery/outbox/send-message.ts';
import { type OutboxMessage, sendsAt, withSendState } from '../../src/delivery/outbox/send-state.ts';
import type { ReminderMessage, ReminderPlan } from '../../src/delivery/reminders/reminder-plan.ts';
import { reminderTasks } from '../../src/delivery/reminders/reminders.ts';
import { runTasks } from '../../src/delivery/workspace-runner.ts';
import { EditConflict, StoreUnavailable } from '../../src/domain/failure/index.ts';
import type { ChosenProject } from '../../src/workspace/projects/chosen-project.ts';
import { finding } from '../support/delivery.ts';
import { deliveryLogOf, recordedRun, snapshotOf } from '../support/delivery-records.ts';
import { storedCause } from '../support/failures.ts';
import { directMessage, type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';
import { workspaceOf } from '../support/records.ts';
import { WATCH } from '../support/workspace-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NINE = Date.parse('2026-11-20T08:00:00Z');
const CHANNEL = 'C0COSTS001';

let slack: MinimalSlack;
beforeEach(async () => {
  slack = await startMinimalSlack();
  slack.now = () => NINE;
});
afterEach(() => slack.close());

const runAt = (now: number, given: Parameters<typeof recordedRun>[3] = {}, report = () => finding('100')) =>
  recordedRun(slack.url, now, report, given);
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
    job: Partial<Omit<OutboxMessage, 'save'>> & {
      readonly save?: (message: StoredMessage) => Promise<void>;
      readonly projects?: readonly ChosenProject[];
    } = {},
    given: Parameters<typeof recordedRun>[3] = {},
    now = NINE + 1_000,
  ): Promise<Sent> {
    const saved: (readonly [StoredMessage, boolean])[] = [];
    const run = runAt(now, given);
    let stored: StoredMessage = { ...DUE, ...message };
    const { save, projects = [], ...more } = job;
    await sendMessage(
      {
        ...{ kind: 'alert', key: 'watch/abcd1234/e/0', to: stored.to, stored },
        prepare: async () => ({
          projects,
          render: ({ isAgain }) => ({ message: { text: isAgain ? 'again' : 'once', blocks: [] } }),
        }),
        async save(change, { needsLease = false }) {
          const after = withSendState(stored, change(stored));
          await save?.(after);
          stored = after;
          saved.push([after, needsLease]);
        },
        ...more,
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
    const workspace = workspaceOf({ projects: [{ id: '7', channels: ['C0ELSEWHERE'] }] });
    const { saved } = await send({}, { projects: [{ id: '7', product: 1 }] }, { workspace });
    const cause = notSentFailure('channel-limited');
    const failed = { ...DUE, state: 'failed', at: NINE + 1_000, cause };
    expect(saved).toEqual([[failed, false]]);
    expect(methods()).toEqual([]);
  });

  it('is not sent, nor stored, once another run has stored a step of it', async () => {
    const others: Partial<StoredMessage>[] = [{ state: 'posted', ts: '1.1' }, { state: 'failed' }, { at: 1 }];
    for (const step of others) {
      const saved: SendState[] = [];
      const now: StoredMessage = { ...DUE, ...step };
      const message: OutboxMessage = {
        ...{ kind: 'alert', key: 'watch/abcd1234/e/0', to: CHANNEL, stored: DUE },
        prepare: async () => ({ projects: [], render: () => ({ message: { text: 'x', blocks: [] } }) }),
        save: async (change) => void saved.push(change(now)),
      };
      await expect(sendMessage(message, runAt(NINE).context)).rejects.toThrow(LeaseLostError);
      const failing = { ...message, prepare: () => Promise.reject(new EditConflict('x')) };
      await sendMessage(failing, runAt(NINE).context);
      expect([slack.posts, saved]).toEqual([[], [now]]);
    }
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

  it('that can’t be looked for is sent a second time, which says so, and not a third time', async () => {
    slack.fault = ({ method }) => (method === 'conversations.history' ? 'missing_scope' : undefined);
    const { saved } = await send({ state: 'sending' });
    expect(saved.map(([one]) => [one.state, one.isAgain])).toEqual([
      ['sending', true],
      ['posted', true],
    ]);
    expect(slack.posts[0]?.text).toBe('again');
    expect(slack.posts[0]?.blocks).toContain('This may be a duplicate');
    slack.reset();
    const third = await send({ state: 'sending', isAgain: true });
    expect(third.last).toMatchObject({
      state: 'failed',
      cause: notSentFailure('message-unconfirmed'),
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

  it('is tried for an hour, every five minutes at least, then each hour, and given up after three days', async () => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'msg_too_long' : undefined);
    const failedAfter = async (tries: number) => (await send({ tries })).last;
    expect((await failedAfter(3))?.next).toBe(NINE + 1_000 + 5 * MINUTE);
    expect((await failedAfter(14))?.next).toBe(NINE + 1_000 + HOUR);
    expect(await failedAfter(85)).toMatchObject({ state: 'due', tries: 86 });
    expect(await failedAfter(86)).toMatchObject({ state: 'failed', tries: 87, at: NINE + 1_000 });
  });

  it.each([
    'user_not_found',
    'user_disabled',
    'users_not_found',
    'user_not_visible',
    'cannot_dm_bot',
    'messages_tab_disabled',
    'is_archived',
  ])('goes to the next recipient if the first can’t get it, else counts as failed: %s', async (code) => {
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? code : undefined);
    const causes: unknown[] = [];
    const onRefused = async ({ cause }: Refusal) => causes.push(cause) > 0;
    expect((await send({}, { onRefused })).saved.map(([one]) => one.state)).toEqual(['sending']);
    expect(causes).toHaveLength(1);
    expect((await send({})).last).toMatchObject({ state: 'failed', tries: 1 });
  });

  it('is left to another run if the process stops, but Slack’s answer is stored', async () => {
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
  ])('counts as unknown if Tally can’t read the channel: %s', async (code) => {
    slack.fault = () => code;
    expect(await search()).toBe('unknown');
  });

  it('is looked for page by page, by its event as well as its key, and counts as unknown after five pages', async () => {
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

  it('counts as unknown if Slack does not answer', async () => {
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
      write: async ({ before, value, ...rest }) => {
        const json = JSON.stringify(value);
        const [next] = meanwhile.splice(0, 1);
        if (next === 'changed') return next;
        if (next !== undefined && next !== 'refused') now = next === 'gone' ? undefined : next;
        if (next === 'refused' || before !== now) return 'refused';
        writes.push([before, json, rest]);
        now = json;
        return 'written';
      },
      deliveryLog: deliveryLogOf({ load: async () => snapshotOf([], { state: () => now }) }),
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

  it('is changed on top of what somebody else wrote in between', async () => {
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

  it('is left to another run if the lease is lost, or if others write first again and again', async () => {
    const increment = (value: number) => value + 1;
    await expect(stateOf('5', ['refused']).document.update(increment)).rejects.toThrow(LeaseLostError);
    const often = (count: number) =>
      stateOf(
        '5',
        Array.from({ length: count }, (_, n) => String(n * 10)),
      );
    await expect(often(10).document.update(increment)).rejects.toThrow(LeaseLostError);
    const { document, now } = often(9);
    await document.update(increment);
    expect(now()).toBe('81');
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
  const managers = ['U0BOSS0001', 'U0ANNA0001'];
  const workspace = workspaceOf({ settings: { managers }, watches: [{ ...WATCH, owner: 'U0WATCH001' }] });
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
    const writes: Omit<LogWrite, 'value' | 'before'>[] = [];
    const snapshot = () => snapshotOf([], { state: (name) => (name === NAME ? json : undefined) });
    const run = runAt(NINE, {
      workspace,
      logSnapshot: snapshot(),
      deliveryLog: deliveryLogOf({ load: async () => snapshot() }),
      write: async ({ value, before: _, ...rest }) => {
        json = JSON.stringify(value);
        writes.push(rest);
        return 'written';
      },
      ...given,
    });
    await runTasks(reminderTasks({ due: [], sending: [], ...plan }), run.context);
    return { state: json === undefined ? undefined : JSON.parse(json), writes };
  }
  const due = (step: '3' | 'rejected') => ({
    due: [{ credential: CREDENTIAL, step, steps: ['14', step] as const }],
  });

  it('is stored with its messages for the credential as it was read, in place of those that are not out yet', async () => {
    const stored = {
      ...{ credential: 'x', reminded: ['14'] },
      messages: [
        messageTo('U1'),
        messageTo('U2', { state: 'sending' }),
        messageTo('U3', { state: 'posted' }),
      ],
    };
    const { state, writes } = await remind(due('3'), stored);
    expect(state.reminded).toEqual(['14', '3']);
    expect(
      state.messages.map(({ to, step, state: sent }: ReminderMessage) => `${to} ${step} ${sent}`),
    ).toEqual([...['U2 14 sending', 'U3 14 posted', 'U0ANNA0001 3 due', 'U0BOSS0001 3 due']]);
    expect(writes).toEqual([
      {
        name: NAME,
        needsLease: true,
        expected: { field: 'connection:main', value: workspace.fields['connection:main'] },
      },
    ]);
  });

  it('begins again for another credential, and of a rejected one tells the owners of watches too', async () => {
    const { state } = await remind(due('rejected'), {
      credential: 'another',
      reminded: ['1'],
      messages: [messageTo('U1')],
    });
    expect([state.credential, state.reminded]).toEqual(['x', ['14', 'rejected']]);
    expect(state.messages.map(({ to }: ReminderMessage) => to)).toEqual([
      'U0ANNA0001',
      'U0BOSS0001',
      'U0WATCH001',
    ]);
  });

  it('is left alone where the credential was replaced in between, or the run is over', async () => {
    expect((await remind(due('3'), undefined, { write: async () => 'changed' })).state).toBeUndefined();
    const isOver = () => true;
    expect((await remind(due('3'), undefined, { isOver })).writes).toEqual([]);
    const stored = { credential: 'x', reminded: ['14'], messages: [messageTo('U0ANNA0001')] };
    expect((await remind({ sending: [CREDENTIAL] }, stored, { isOver })).writes).toEqual([]);
  });

  it('goes to each person when their message is due, under a name of its own', async () => {
    const stored = {
      ...{ credential: 'x', reminded: ['14', '3'] },
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
    expect(writes.map(({ needsLease = false }) => needsLease)).toEqual([true, false, true, false]);
  });

  it('goes to the next manager if the first cannot get it', async () => {
    slack.fault = ({ method, args }) =>
      method === 'chat.postMessage' && args.get('channel') === directMessage('U0GONE0001')
        ? 'user_disabled'
        : undefined;
    const stored = {
      credential: 'x',
      reminded: ['3'],
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
