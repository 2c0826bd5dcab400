import { notSentFailure } from '../../src/delivery/outbox/failures.ts';
/** Alerts on their way to Slack: to whom they go, what they answer, and how they are kept up to date. */

import { Big } from 'big.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryContext } from '../../src/delivery/delivery-run.ts';
import type { LogWrite } from '../../src/delivery/log/delivery-log.ts';
import { sendAlerts } from '../../src/delivery/watches/alert-send.ts';
import {
  type Alert,
  type AlertEvent,
  type AlertMessage,
  parseWatchState,
} from '../../src/delivery/watches/sent-alerts.ts';
import type { StoredFigures } from '../../src/delivery/watches/watch-figures-store.ts';
import { StoreUnavailable } from '../../src/domain/failure/index.ts';
import type { Watch } from '../../src/workspace/owned/watch-record.ts';
import { balanceEvent } from '../support/alert-events.ts';
import { finding } from '../support/delivery.ts';
import { recordedRun, snapshotOf } from '../support/delivery-records.ts';
import { directMessage, type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';
import { type RecordParts, workspaceOf } from '../support/records.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');
const CHANNEL = 'C0COSTS001';
const [OWNER, ANNA, BEN, BOSS] = ['U0OWNER001', 'U0ANNA0001', 'U0BEN00001', 'U0BOSS0001'];
const REGISTRANT = 'U0REGIS001';

let slack: MinimalSlack;
beforeEach(async () => {
  slack = await startMinimalSlack();
  slack.now = () => NOW;
});
afterEach(() => slack.close());

const watch = (given: Partial<Watch> = {}) =>
  ({
    ...{
      id: 'watch001',
      projects: [{ id: '123', product: 1 }],
      rule: { kind: 'balance', below: new Big(50) },
    },
    ...{ channel: CHANNEL, owner: OWNER, createdBy: OWNER, createdAt: 0, since: 1 },
    ...given,
  }) as Watch;
const CROSSED = balanceEvent('crossed', NOW, '40');
const HIGHER = balanceEvent('crossed', NOW, '30');
const RECOVERED = balanceEvent('recovered', NOW, '60');
const message = (given: Partial<AlertMessage> = {}): AlertMessage => ({
  ...{ to: CHANNEL, event: 0, state: 'due', at: NOW, tries: 0, drawn: 0 },
  ...given,
});

interface Given {
  readonly watch?: Watch;
  readonly events?: readonly AlertEvent[];
  readonly figures?: StoredFigures;
  readonly record?: RecordParts;
  readonly given?: Partial<DeliveryContext>;
  readonly episode?: string;
}

async function send(messages: readonly AlertMessage[], options: Given = {}) {
  const { watch: one = watch(), events = [CROSSED], figures, episode = 'e' } = options;
  const alert = { episode, events, messages } as Alert;
  let json = JSON.stringify({ since: 1, alerted: [], alerts: [alert] });
  const writes: LogWrite[] = [];
  const workspace = workspaceOf({
    ...{ watches: [one], settings: { managers: [BOSS] }, connections: [{ registeredBy: REGISTRANT }] },
    ...options.record,
  });
  const run = recordedRun(slack.url, NOW, () => finding('1'), {
    workspace,
    logSnapshot: snapshotOf([], { state: (name) => (name === 'watch/watch001' ? json : undefined) }),
    async write(write) {
      writes.push(write);
      json = JSON.stringify(write.value);
      return 'written';
    },
    ...options.given,
  });
  const known = new Map(figures && [['123:1', figures]]);
  const failure = await sendAlerts(one, known, run.context).catch((error: unknown) => error);
  const stored = parseWatchState(json)?.alerts[0]?.messages ?? [];
  return { ...run, failure, stored, writes };
}
const channels = () => slack.posts.map(({ channel }) => channel);
/** Slack refuses whatever goes to these conversations. */
const refuses =
  (code: string, ...to: readonly string[]): MinimalSlack['fault'] =>
  ({ method, args }) =>
    method === 'chat.postMessage' && to.includes(args.get('channel') ?? '') ? code : undefined;

describe('an alert that is due', () => {
  it('goes out, marked so that it can be found, and is stored with what it shows', async () => {
    const { stored, writes } = await send([message()], { events: [CROSSED, RECOVERED] });
    expect(slack.posts).toMatchObject([
      {
        channel: CHANNEL,
        key: 'watch/watch001/e/0',
        thread: undefined,
        text: 'Project 123 recovered: 60.00 left',
      },
    ]);
    expect(stored).toMatchObject([{ state: 'posted', event: 0, drawn: 2, ts: slack.posts[0]?.ts }]);
    expect(writes.map(({ needsLease = false }) => needsLease)).toEqual([true, false]);
  });

  it('goes to each of several people', async () => {
    const people = [ANNA, BEN].map((to) => message({ to }));
    await send(people, { watch: watch({ channel: undefined, people: [ANNA, BEN] }) });
    expect(channels()).toEqual([directMessage(ANNA), directMessage(BEN)]);
  });

  it('says what it is based on, and charts it', async () => {
    const shown = async (figures?: StoredFigures, changes = {}) => {
      slack.reset();
      await send([message()], { ...(figures && { figures }), watch: watch(changes) });
      return slack.posts[0]?.blocks ?? '';
    };
    const days = { '2026-11-19': '10', '2026-11-14': '10', '2026-11-13': '10', '2026-11-12': '10' };
    const usage = { days, until: '2026-11-19', zone: 'UTC', at: NOW };
    const account = { balance: '40', bonuses: '0', at: NOW };
    const blocks = await shown({ connection: 'main', account, usage });
    expect(blocks).toContain(
      'Cloud platform · project 123 · UTC · 3 of the last 7 days reported · set up by',
    );
    expect(blocks).toContain('data_visualization');
    // The alert of a budget says how many days of its month are reported.
    const budget = { rule: { kind: 'budget', amount: new Big(100) } };
    expect(await shown({ connection: 'main', account, usage }, budget)).toContain('UTC · set up by');
    for (const figures of [undefined, { connection: 'main', usage: { ...usage, days: {} } }]) {
      const none = await shown(figures);
      expect(none).toContain('project 123 · UTC · set up by');
      expect(none).not.toContain('data_visualization');
    }
  });

  it('waits for its time, for the end of a pause, and for the next run if this one is over', async () => {
    await send([message({ next: NOW + 1 })]);
    await send([message()], { watch: watch({ paused: { at: 1, by: OWNER } }) });
    await send([message()], { given: { isOver: () => true } });
    expect(slack.posts).toEqual([]);
    const isOver = () => slack.posts.length > 0;
    await send([message({ next: NOW }), message({ to: ANNA })], { given: { isOver } });
    expect(channels()).toEqual([CHANNEL]);
  });
});

describe('an alert to two people, of whom one has it', () => {
  const two = watch({ channel: undefined, people: [ANNA, BEN] });
  const events = [CROSSED, RECOVERED];
  const has = message({ to: ANNA, state: 'posted', channel: directMessage(ANNA), ts: '1.2', drawn: 1 });

  it.each([
    ['paused', { paused: { at: 1, by: OWNER } }],
    ['snoozed', { snoozedUntil: NOW + MINUTE }],
  ])('is drawn again while its watch is %s, and not sent to the other one', async (_, given) => {
    const { stored } = await send([has, message({ to: BEN })], { watch: { ...two, ...given }, events });
    expect(slack.calls.filter(({ method }) => method === 'chat.update')).toHaveLength(1);
    expect(slack.posts).toEqual([]);
    expect(stored).toMatchObject([{ to: ANNA }, { to: BEN, state: 'due' }]);
  });

  it('goes to the other one as soon as nothing holds it up', async () => {
    await send([has, message({ to: BEN })], { watch: { ...two, snoozedUntil: NOW }, events });
    expect(channels()).toEqual([directMessage(BEN)]);
  });
});

describe('what follows an alert', () => {
  it('goes into its thread; a higher level goes to the channel as well', async () => {
    const events = [CROSSED, RECOVERED, HIGHER];
    const answers = [1, 2].map((event) => message({ event }));
    const { stored } = await send([message(), ...answers], { events });
    const [alert, ...replies] = slack.posts;
    expect(replies).toMatchObject([
      {
        thread: alert?.ts,
        isBroadcast: false,
        text: 'Project 123 recovered: 60.00 left.',
        key: 'watch/watch001/e/1',
      },
      {
        thread: alert?.ts,
        isBroadcast: true,
        text: 'Project 123 has 30.00 left, below 50.00',
        key: 'watch/watch001/e/2',
      },
    ]);
    expect(stored.map(({ state, event }) => [state, event])).toEqual([
      ['posted', 0],
      ['posted', 1],
      ['posted', 2],
    ]);
  });

  it('goes by direct message without a thread', async () => {
    const messages = [message({ to: ANNA }), message({ to: ANNA, event: 1 })];
    await send(messages, { events: [CROSSED, HIGHER], watch: watch({ channel: undefined, people: [ANNA] }) });
    expect(slack.posts[1]).toMatchObject({ thread: slack.posts[0]?.ts, isBroadcast: false });
  });

  it('goes into the thread of the same person, where it goes to several', async () => {
    const people = [ANNA, BEN];
    const messages = [0, 1].flatMap((event) => people.map((to) => message({ to, event })));
    await send(messages, { events: [CROSSED, HIGHER], watch: watch({ channel: undefined, people }) });
    for (const to of people) {
      const [alert, answer] = slack.posts.filter(({ channel }) => channel === directMessage(to));
      expect(alert).toMatchObject({ thread: undefined });
      expect(answer).toMatchObject({ thread: alert?.ts });
    }
    expect(new Set(slack.posts.map(({ ts }) => ts)).size).toBe(4);
  });

  it('waits for the alert itself', async () => {
    slack.fault = refuses('internal_error', CHANNEL);
    await send([message(), message({ event: 1 })], { events: [CROSSED, HIGHER] });
    expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(1);
  });
});

describe('an alert that was sent', () => {
  const events = [CROSSED, RECOVERED];
  /** What is stored of it after it was drawn again, with this answer of Slack. */
  async function redrawn(
    answer: ReturnType<MinimalSlack['fault']> = undefined,
    given: Partial<AlertMessage> = {},
    options: Given = {},
  ) {
    slack.fault = () => undefined;
    const { stored } = await send([message()]);
    slack.fault = ({ method }) => (method === 'chat.update' ? answer : undefined);
    const [out] = stored;
    return send([{ ...out!, ...given }], { events, ...options });
  }

  it('is updated in place with what happened since', async () => {
    const { stored, writes } = await redrawn(undefined, { tries: 3, next: NOW });
    expect(slack.posts).toHaveLength(1);
    expect(slack.posts[0]?.edits).toBe(1);
    expect(slack.posts[0]?.blocks).toContain('Project 123 recovered: 60.00 left');
    const { args } = slack.calls.findLast(({ method }) => method === 'chat.update')!;
    expect([args.get('channel'), args.get('metadata')]).toEqual([
      CHANNEL,
      expect.stringContaining('watch/watch001/e/0'),
    ]);
    expect(stored).toMatchObject([{ state: 'posted', drawn: 2, tries: 0 }]);
    expect(stored[0]).not.toHaveProperty('next');
    expect(writes).toMatchObject([{ needsLease: true }]);
    expect((await send(stored, { events })).writes).toEqual([]);
  });

  it('keeps saying that it may be a duplicate', async () => {
    await redrawn(undefined, { isAgain: true });
    expect(slack.posts[0]?.blocks).toContain('This may be a duplicate');
    await redrawn();
    expect(slack.posts[1]?.blocks).not.toContain('duplicate');
  });

  it('is drawn in the conversation where Slack put it', async () => {
    await redrawn(undefined, { to: ANNA, channel: 'D0ANNA0001' });
    expect(slack.calls.at(-1)?.args.get('channel')).toBe('D0ANNA0001');
  });

  it('is tried again in half an hour if Slack still fails, six times', async () => {
    const failed = await redrawn('internal_error', { tries: 5 });
    expect(failed.stored).toMatchObject([{ drawn: 1, tries: 6, next: NOW + 30 * MINUTE }]);
    expect(failed.backOffs).toEqual([]);
    const last = await redrawn('internal_error', { tries: 6 });
    expect(last.stored).toMatchObject([{ drawn: 2, tries: 0 }]);
  });

  it.each(['message_not_found', 'cant_update_message', 'edit_window_closed', 'is_archived'])(
    'is left as it is where Slack says %s',
    async (code) => {
      const { stored, failure } = await redrawn(code, { next: NOW - 1 });
      expect(failure).toBeUndefined();
      expect(stored).toMatchObject([{ drawn: 2, tries: 0 }]);
      expect(stored[0]).not.toHaveProperty('next');
    },
  );

  it('is left for later if Slack limits the rate', async () => {
    const { backOffs, stored } = await redrawn({ retryAfter: 7 });
    expect(backOffs).toEqual([NOW + 7_000]);
    expect(stored).toMatchObject([{ drawn: 1, tries: 0, next: NOW + 7_000 }]);
  });

  it('is left to the next run if the store is away', async () => {
    const error = new StoreUnavailable();
    const { failure } = await redrawn(undefined, {}, { given: { write: () => Promise.reject(error) } });
    expect(failure).toBe(error);
  });
});

describe('an alert that its channel or person does not take', () => {
  /** Sends until nothing is due any more. */
  async function sendAll(first: readonly AlertMessage[], options: Given = {}) {
    let { stored } = await send(first, options);
    for (let left = 5; left > 0 && stored.some(({ state }) => state === 'due'); left -= 1)
      ({ stored } = await send(stored, options));
    return stored;
  }
  it('goes to the owner, then to a manager, and names its first recipient', async () => {
    slack.fault = refuses('is_archived', CHANNEL);
    const { writes } = await send([message()]);
    expect(writes.map(({ needsLease }) => needsLease)).toEqual([true, true]);
    const toOwner = await sendAll([message({ tries: 2 })]);
    expect(channels()).toEqual([directMessage(OWNER)]);
    expect(slack.posts[0]?.blocks).toContain(`This was meant for <#${CHANNEL}>. The channel is archived.`);
    const insteadOf = { to: CHANNEL, cause: notSentFailure('channel-archived'), tried: [CHANNEL] };
    expect(toOwner).toMatchObject([{ to: OWNER, state: 'posted', tries: 0, drawn: 1, insteadOf }]);
    slack.reset();
    slack.fault = (call) =>
      call.method === 'conversations.open' && [OWNER, BOSS].includes(call.args.get('users') ?? '')
        ? 'user_disabled'
        : refuses('is_archived', CHANNEL)(call);
    const toRegistrant = await sendAll([message()]);
    expect(toRegistrant).toMatchObject([
      { to: REGISTRANT, insteadOf: { ...insteadOf, tried: [CHANNEL, OWNER, BOSS] } },
    ]);
    expect(slack.posts[0]?.blocks).toContain(`meant for <#${CHANNEL}>`);
  });

  it('has failed if nobody can get it', async () => {
    slack.fault = ({ method }) => (method === 'conversations.open' ? 'user_disabled' : undefined);
    const stored = await sendAll([message({ to: ANNA })]);
    expect(stored).toMatchObject([
      { state: 'failed', to: REGISTRANT, insteadOf: { to: ANNA, tried: [ANNA, OWNER, BOSS] } },
    ]);
    expect(slack.posts).toEqual([]);
  });

  it('goes to nobody twice', async () => {
    slack.fault = ({ method, args }) =>
      method === 'conversations.open' && args.get('users') === ANNA ? 'user_disabled' : undefined;
    const one = watch({ channel: undefined, people: [ANNA, OWNER] });
    await sendAll([message({ to: ANNA }), message({ to: OWNER })], { watch: one });
    expect(channels()).toEqual([directMessage(OWNER), directMessage(BOSS)]);
    slack.reset();
    // It got an earlier message of this alert, and not this one.
    await sendAll([message({ to: OWNER, state: 'failed' }), message({ to: ANNA, event: 1 })], {
      watch: one,
      events: [CROSSED, HIGHER],
    });
    expect(channels()).toEqual([directMessage(OWNER)]);
  });
});

describe('an alert of a project that is limited to channels', () => {
  const to = async (person: string) => {
    slack.reset();
    const { stored } = await send([message({ to: person })], {
      record: { projects: [{ channels: [CHANNEL] }] },
    });
    return [stored[0]?.state, channels()];
  };

  it('goes to its channel, and to people only if they manage Tally', async () => {
    expect(await to(CHANNEL)).toEqual(['posted', [CHANNEL]]);
    expect(await to(BOSS)).toEqual(['posted', [directMessage(BOSS)]]);
    slack.admins.add(BEN);
    expect(await to(BEN)).toEqual(['posted', [directMessage(BEN)]]);
    // As if it had not been crossed: the next check finds that again.
    expect(await to(ANNA)).toEqual([undefined, []]);
  });
});
