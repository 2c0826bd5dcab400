/** One check of a workspace's watches: what billing is asked, what is stored, and what people see of it. */

import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { BillingClient } from '../../src/billing/client.ts';
import type { DeliveryContext } from '../../src/delivery/delivery-run.ts';
import type { DeliveryLogSnapshot, LogWrite } from '../../src/delivery/log/delivery-log.ts';
import { alertText, alertWords } from '../../src/delivery/watches/alert-wording.ts';
import { type Alert, type AlertMessage, hourlyCheckAfter } from '../../src/delivery/watches/sent-alerts.ts';
import {
  fetchUsage,
  type StoredFigures,
  type WatchFiguresStore,
} from '../../src/delivery/watches/watch-figures-store.ts';
import { type AlertResponse, createWatchService } from '../../src/delivery/watches/watch-service.ts';
import { checkWatches } from '../../src/delivery/watches/watches-job.ts';
import { type Failure, QueueFull, TimedOut, TokenRejected } from '../../src/domain/failure/index.ts';
import { forecastFrom } from '../../src/domain/money/forecast.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import { addDays } from '../../src/domain/time/calendar.ts';
import { fingerprintOf } from '../../src/workspace/credentials/connection-record.ts';
import type { Watch } from '../../src/workspace/owned/watch-record.ts';
import { UNLIMITED } from '../../src/workspace/projects/project-visibility.ts';
import { openConnection, resolveProject } from '../../src/workspace/projects/resolve-project.ts';
import { storeFailure } from '../../src/workspace/record/stored-failure.ts';
import type { Workspace } from '../../src/workspace/record/workspace.ts';
import { balanceEvent } from '../support/alert-events.ts';
import { finding, NO_BILLING } from '../support/delivery.ts';
import { deliveryLogOf, recordedRun, snapshotOf } from '../support/delivery-records.ts';
import { storedCause } from '../support/failures.ts';
import { createFakeBilling, type FakeBilling } from '../support/fake-billing.ts';
import { type RecordParts, workspaceOf } from '../support/records.ts';
import { chargesOf } from '../support/usage.ts';
import { MAIN } from '../support/workspace-store.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-20T12:30:00Z');
const TODAY = '2026-11-20';
const YESTERDAY = '2026-11-19';
/** The hour of the workspace T1 that `NOW` is in. */
const SLOT = hourlyCheckAfter('T1', NOW) - HOUR;
const BALANCE: WatchRule = { kind: 'balance', below: new Big(50) };
const RUNWAY: WatchRule = { kind: 'runway', days: 7 };
const BUDGET: WatchRule = { kind: 'budget', amount: new Big(100_000) };

const watch = (given: Partial<Watch> = {}) =>
  ({
    ...{ id: 'watch001', projects: [{ id: '123', product: 1 }], rule: BALANCE, channel: 'C1' },
    ...{ owner: 'U1', createdBy: 'U1', createdAt: 0, since: NOW - DAY },
    ...given,
  }) as Watch;
/** The fingerprint of a connection’s token. */
const MARK = fingerprintOf(MAIN.token);
const recordOf = (watches: readonly Watch[], given: RecordParts = {}): Workspace =>
  workspaceOf({
    ...{ watches, connections: [{}, { name: 'eu', token: 'another-fake-token-abcd' }] },
    projects: [{}, { alias: 'eu', id: '7', connection: 'eu' }],
    ...given,
  });

const runAt = (now: number, given: Parameters<typeof recordedRun>[3]) =>
  recordedRun('http://127.0.0.1:9/', now, () => finding('1'), given);

interface Given {
  /** Name → value, by `123:1`. */
  readonly known?: Record<string, StoredFigures>;
  /** By the watch's ID. */
  readonly states?: Record<string, object>;
  readonly balance?: number | undefined;
  /** Of the last days, the newest first. */
  readonly days?: readonly (number | undefined)[];
  readonly failure?: FakeBilling['failure'] | undefined;
  /** Whether the run is over, after that many questions and writes. */
  readonly isOver?: (asked: number, written: number) => boolean;
  readonly write?: (write: LogWrite) => ReturnType<DeliveryContext['write']>;
  readonly now?: number;
  readonly record?: RecordParts;
}

async function check(watches: readonly Watch[], given: Given = {}) {
  const { known = {}, states = {}, days = [10, 10, 10, 10, 10, 10, 10], now = NOW } = given;
  const balance = 'balance' in given ? given.balance : 60;
  const ranges: (readonly [string, number, number])[] = [];
  const amounts = new Map(
    days.flatMap((cost, n) => (cost === undefined ? [] : [[addDays(TODAY, -n - 1), cost] as const])),
  );
  const fakeBilling = createFakeBilling(
    () => ({ amounts: () => amounts, balance: () => balance }),
    () => now,
  );
  if (given.failure) fakeBilling.failure = given.failure;
  const workspace = recordOf(watches, given.record);
  const saved: (readonly [string, StoredFigures])[] = [];
  const notes: unknown[][] = [];
  const stored = Object.fromEntries(
    Object.entries(states).map(([id, state]) => [`watch/${id}`, JSON.stringify(state)]),
  );
  const snapshot = snapshotOf([], { state: (name) => stored[name] });
  const writes: LogWrite[] = [];
  const { context } = runAt(now, {
    ...{ workspace, logSnapshot: snapshot },
    billing: {
      ...fakeBilling.client,
      consumption: (...args) => {
        ranges.push([args[1].project, args[2].from, args[2].to]);
        return fakeBilling.client.consumption(...args);
      },
    },
    answerCollector: { add: (...note) => void notes.push(note), all: () => [] },
    deliveryLog: deliveryLogOf({ load: async () => snapshot }),
    isOver: () => given.isOver?.(fakeBilling.asked.length, writes.length) ?? false,
    async write(write) {
      writes.push(write);
      return given.write?.(write) ?? 'written';
    },
  });
  const store: WatchFiguresStore = {
    load: async () => new Map(Object.entries(known)),
    save: async (_, field, figures) => void saved.push([field, figures]),
  };
  const failure = await checkWatches(store, context).catch((error: unknown) => error);
  return {
    ...{ failure, writes, saved, notes, ranges, workspace },
    asked: fakeBilling.asked.map(({ project, what }) => `${what} ${project}`).sort(),
    figures: Object.fromEntries(saved),
    state: (name: string) => {
      const json = JSON.stringify(writes.findLast((one) => one.name === name)?.value);
      return json === undefined ? undefined : JSON.parse(json);
    },
  };
}

describe('a check of watches', () => {
  it.each<[string, readonly Partial<Watch>[], number]>([
    ['every hour', [{}, { snoozedUntil: NOW - 1 }], SLOT + HOUR],
    ['when a snooze ends before that', [{}, { snoozedUntil: NOW + 5 }], NOW + 5],
    ['every hour of watches that are all snoozed', [{ snoozedUntil: NOW + DAY }], SLOT + HOUR],
    ['at the first end of several', [{ snoozedUntil: NOW + 9 }, { snoozedUntil: NOW + 7 }], NOW + 7],
    ['not for a snooze that ends now', [{}, { snoozedUntil: NOW }], SLOT + HOUR],
    ['every hour where all are paused', [{ paused: { at: 1, by: 'U1' } }], SLOT + HOUR],
    [
      'not for the snooze of a paused one',
      [{ paused: { at: 1, by: 'U1' }, snoozedUntil: NOW + 5 }],
      SLOT + HOUR,
    ],
  ])('comes again %s', async (_, given, next) => {
    const watches = given.map((one, n) => watch({ id: `watch00${n}`, ...one }));
    expect((await check(watches)).state('check/watches').next).toBe(next);
  });

  it('asks nothing and judges nothing where the settings are damaged', async () => {
    const known = { '123:1': { connection: 'main', account: { balance: '1', bonuses: '0', at: NOW } } };
    const { asked, writes } = await check([watch()], { known, record: { fields: { settings: '{' } } });
    expect([asked, writes.map(({ name }) => name)]).toEqual([[], ['check/watches']]);
  });

  it('asks for what the rules of a project need, once, whatever their order', async () => {
    const rules = async (...of: readonly WatchRule[]) =>
      (await check(of.map((rule, n) => watch({ id: `watch00${n}`, rule })))).asked;
    expect(await rules(BALANCE)).toEqual(['balance 123']);
    expect(await rules(BUDGET)).toEqual(['consumption 123']);
    expect(await rules(RUNWAY)).toEqual(['balance 123', 'consumption 123']);
    for (const both of [
      [BALANCE, BUDGET],
      [BUDGET, BALANCE],
      [BALANCE, BUDGET, BALANCE],
    ])
      expect(await rules(...both)).toEqual(['balance 123', 'consumption 123']);
    const paused = watch({ id: 'watch002', rule: BUDGET, paused: { at: 1, by: 'U1' } });
    expect((await check([watch(), paused])).asked).toEqual(['balance 123', 'consumption 123']);
    const others = [watch(), watch({ id: 'watch002', projects: [{ id: '123', product: 2 }] })];
    expect((await check(others)).asked).toEqual(['balance 123', 'balance 123']);
  });

  const whyOf = (state: (name: string) => { readonly alerts: readonly Alert[] }): string => {
    const [event] = state('watch/watch001').alerts[0]?.events ?? [];
    if (event?.kind !== 'crossed') return '';
    return alertText(event, alertWords(watch(), recordOf([]), TODAY)).why;
  };

  it('asks what was spent for a balance only where it has fallen below, and says how long it lasts', async () => {
    expect((await check([watch()], { balance: 50 })).asked).toEqual(['balance 123']);
    const { asked, state } = await check([watch()], { balance: 40 });
    expect(asked).toEqual(['balance 123', 'consumption 123']);
    const [alert] = state('watch/watch001').alerts;
    expect(alert.events[0]).toMatchObject({ kind: 'crossed', at: NOW });
    expect(whyOf(state)).toBe('At 10.00 a day the balance reaches zero around 24 Nov 2026.');
    const alerted = {
      ...{ since: NOW - DAY, alerts: [] },
      alerted: [{ episode: 'e', level: 'threshold' }],
    };
    expect((await check([watch()], { balance: 40, states: { watch001: alerted } })).asked).toEqual([
      'balance 123',
    ]);
    const silent = await check([watch({ rule: { kind: 'budget', amount: new Big(1) } })], {
      failure: () => new QueueFull('billing'),
    });
    expect(silent.asked).toEqual(['consumption 123']);
  });
});

describe('what billing is asked about a watched project', () => {
  const account = (at: number) => ({ balance: '60', bonuses: '0', at });
  const asked = async (rule: WatchRule, known: Partial<StoredFigures>, now = NOW) =>
    (await check([watch({ rule })], { now, known: { '123:1': { connection: 'main', ...known } } })).asked
      .length > 0;

  it('is its balance once an hour, and again where a clock went back', async () => {
    expect(await asked(BALANCE, {})).toBe(true);
    expect(await asked(BALANCE, { account: account(SLOT) })).toBe(false);
    expect(await asked(BALANCE, { account: account(SLOT - 1) })).toBe(true);
    expect(await asked(BALANCE, { account: account(NOW) })).toBe(false);
    expect(await asked(BALANCE, { account: account(NOW + 1) })).toBe(true);
  });

  it('is its days once they are complete, then each hour while yesterday is missing, or every six for corrections', async () => {
    const usage = (at: number, days: Record<string, string>, given: object = {}) => ({
      usage: { ...{ days, until: YESTERDAY, zone: 'UTC', at }, ...given },
    });
    const complete = { [YESTERDAY]: '10', '2026-11-18': '10' };
    expect(await asked(BUDGET, {})).toBe(true);
    expect(await asked(BUDGET, usage(SLOT - 5 * HOUR, complete))).toBe(false);
    expect(await asked(BUDGET, usage(SLOT - 5 * HOUR - 1, complete))).toBe(true);
    expect(await asked(BUDGET, usage(NOW + 1, complete))).toBe(true);
    expect(await asked(BUDGET, usage(NOW, complete, { zone: 'Asia/Tokyo' }))).toBe(true);
    expect(await asked(BUDGET, usage(NOW, complete, { until: '2026-11-18' }))).toBe(true);
    for (const day of ['2026-11-18', '2026-11-17', '2026-11-16']) {
      expect(await asked(BUDGET, usage(SLOT - 1, { [day]: '10' }))).toBe(true);
      expect(await asked(BUDGET, usage(SLOT, { [day]: '10' }))).toBe(false);
    }
    // Billing reports nothing about it lately.
    expect(await asked(BUDGET, usage(SLOT - 1, { '2026-11-15': '10' }))).toBe(false);
  });

  it('is all days that a forecast needs, in the days of the reporting zone', async () => {
    const zone = 'Asia/Tokyo';
    const now = Date.parse('2026-11-20T16:00:00Z');
    const { ranges, figures } = await check([watch({ rule: BUDGET })], {
      now,
      record: { settings: { zone } },
    });
    const begins = (day: string) => Date.parse(`${day}T00:00:00+09:00`);
    expect(ranges).toEqual([['123', begins(forecastFrom('2026-11-21')), begins('2026-11-21') - 1]]);
    expect(figures['123:1']?.usage).toMatchObject({ until: TODAY, zone, at: now });
    expect(Object.keys(figures['123:1']?.usage?.days ?? {})).toContain(YESTERDAY);
  });

  it('is noted as an answer of its connection, with the balance of a project that is registered', async () => {
    const note = { id: '123', product: 1, balance: '60.00', bonuses: '0.00' };
    expect((await check([watch()])).notes).toEqual([['main', note]]);
    expect((await check([watch({ rule: BUDGET })])).notes).toEqual([['main', undefined]]);
    expect((await check([watch({ projects: [{ id: '7', product: 1 }] })])).notes).toMatchObject([
      ['eu', { id: '7' }],
    ]);
    expect((await check([watch({ projects: [{ id: '999', product: 1 }] })])).notes).toEqual([
      ['main', undefined],
    ]);
    expect((await check([watch()], { failure: () => new QueueFull('billing') })).notes).toEqual([]);
    const known = { '123:1': { connection: 'main', account: account(SLOT) } };
    const failing: Given['failure'] = (_, __, what) =>
      what === 'consumption' ? new QueueFull('billing') : undefined;
    expect((await check([watch({ rule: RUNWAY })], { known, failure: failing })).notes).toEqual([]);
    expect((await check([watch({ rule: RUNWAY })], { failure: failing })).notes).toEqual([['main', note]]);
    expect((await check([watch({ rule: RUNWAY })], { known })).notes).toEqual([['main', undefined]]);
  });

  it('is saved although another question failed', async () => {
    const failing =
      (failed: string): Given['failure'] =>
      (_, __, what) =>
        what === failed ? new TimedOut('billing', 5_000) : undefined;
    const noDays = await check([watch({ rule: RUNWAY })], { failure: failing('consumption') });
    expect(noDays.figures['123:1']).toMatchObject({ account: { balance: '60.00' }, problem: { at: NOW } });
    expect(noDays.figures['123:1']).not.toHaveProperty('usage');
    const noBalance = await check([watch({ rule: RUNWAY })], { failure: failing('balance') });
    expect(noBalance.figures['123:1']).toMatchObject({ usage: { until: YESTERDAY }, problem: { at: NOW } });
    expect(noBalance.figures['123:1']).not.toHaveProperty('account');
  });

  const problem = (at: number, rejected?: string) => ({
    '123:1': {
      connection: 'main',
      problem: { cause: storedCause('Gone.'), at, ...(rejected && { rejected }) },
    },
  });
  const askedAfter = async (...args: Parameters<typeof problem>) =>
    (await check([watch({ rule: RUNWAY })], { known: problem(...args) })).asked.length;

  it('is asked again in the next hour where it failed, or at once with another token', async () => {
    expect(await askedAfter(SLOT)).toBe(0);
    expect(await askedAfter(SLOT - 1)).toBe(2);
    expect(await askedAfter(NOW + 1)).toBe(2);
    expect(await askedAfter(SLOT, MARK)).toBe(0);
    expect(await askedAfter(SLOT, 'print of another')).toBe(2);
  });

  it('says why it was not answered, with the token where that was rejected', async () => {
    const problemAfter = async (error: Failure) =>
      (await check([watch()], { failure: () => error })).figures['123:1']?.problem;
    const full = new QueueFull('billing');
    expect(await problemAfter(full)).toEqual({ cause: storeFailure(full), at: NOW });
    const rejected = new TokenRejected('billing');
    expect(await problemAfter(rejected)).toEqual({
      cause: storeFailure(rejected),
      at: NOW,
      rejected: MARK,
    });
    const none = await check([watch()], { record: { connections: [] } });
    expect(none.figures['123:1']).toMatchObject({ connection: '', problem: { at: NOW } });
    expect(none.asked).toEqual([]);
  });

  it('is asked with a rejected token once for all its projects, and not before that one answers', async () => {
    const ids = ['1', '2', '3', '4'];
    const watches = ids.map((id, n) => watch({ id: `watch00${n}`, projects: [{ id, product: 1 }] }));
    const known = Object.fromEntries(
      ids.slice(1).map((id) => [
        `${id}:1`,
        {
          connection: 'main',
          problem: { cause: storedCause('Gone.'), at: SLOT - 1, rejected: MARK },
        },
      ]),
    );
    const error = new TokenRejected('billing');
    const failing = await check(watches, { known, failure: () => error });
    expect(failing.asked).toEqual(['balance 2']);
    expect(failing.saved.map(([field]) => field)).toEqual(['2:1', '3:1', '4:1', '1:1']);
    for (const [, { problem: of }] of failing.saved)
      expect(of).toEqual({ cause: storeFailure(error), at: NOW, rejected: MARK });
    expect((await check(watches, { known })).asked).toHaveLength(4);
    const other = [...watches, watch({ id: 'watch009', projects: [{ id: '7', product: 1 }] })];
    const eu = await check(other, {
      known,
      failure: ({ connection: name }) => (name === 'main' ? error : undefined),
    });
    expect(eu.asked).toEqual(['balance 2', 'balance 7']);
  });

  it('leaves out amounts that cannot be read, and those of no complete day', async () => {
    const item = (day: string, digits: string) => ({
      ...{ day: { text: day }, totalAmount: { text: digits }, totalBonuses: { text: '0' } },
    });
    const items = [item(YESTERDAY, '1'), item('2026-11-18', 'many'), item('some day', '3'), item(TODAY, '4')];
    const billing: BillingClient = {
      ...NO_BILLING,
      consumption: async (_, __, { from, to }) => ({
        ...{ charges: chargesOf(items), remarks: [], requested: { from, to } },
      }),
    };
    const access = openConnection(workspaceOf(), { connection: 'main', label: 'prod', alias: 'prod' });
    const subscription = { project: '123', product: 1 } as const;
    const question = { from: '2026-11-15', today: TODAY, zone: 'UTC', at: NOW };
    const usage = await fetchUsage(billing, access, subscription, question);
    expect(usage.days).toEqual({ [YESTERDAY]: '1' });
  });
});

describe('what people see of a watch', () => {
  const CROSSED = balanceEvent('crossed', NOW, '40');
  const message = (given: Partial<AlertMessage> = {}): AlertMessage => ({
    ...{ to: 'C1', event: 0, state: 'posted', at: NOW, tries: 0, drawn: 1 },
    ...given,
  });
  const alert = (episode: string, ...messages: readonly AlertMessage[]): Alert => ({
    ...{ episode, events: [CROSSED], messages },
  });
  const stateWith = (given: object = {}) => ({
    ...{ since: NOW - DAY, alerted: [], alerts: [] },
    ...given,
  });

  interface Stored {
    readonly state?: object | string | undefined;
    readonly figures?: StoredFigures | undefined;
    readonly outcomes?: readonly ('written' | 'refused')[];
  }
  function watching({ state, figures, outcomes = ['written'] }: Stored, billing = NO_BILLING) {
    const json = typeof state === 'string' ? state : state && JSON.stringify(state);
    const writes: unknown[][] = [];
    const changes: string[] = [];
    const left = [...outcomes];
    let stored = json;
    const load = async (): Promise<DeliveryLogSnapshot> => {
      const now = stored;
      return snapshotOf([], { state: (name) => (name === 'watch/watch001' ? now : undefined) });
    };
    const made = createWatchService({
      deliveryLog: deliveryLogOf({
        load,
        async write(...args) {
          writes.push(args);
          const outcome = (left.length > 1 ? left.shift() : left[0]) ?? 'written';
          // A check wrote before.
          if (outcome === 'refused') stored = `${stored} `;
          return outcome;
        },
      }),
      figures: { load: async () => new Map(figures && [['123:1', figures]]), save: async () => undefined },
      billing,
      changed: async (id) => void changes.push(id),
      clock: () => NOW,
    });
    return { ...made, writes, changes, json };
  }
  const seen = async (given: Stored, one: Watch = watch(), record: RecordParts = {}) =>
    (await watching(given).loadStates(recordOf([one], record))).get(one.id);

  it('has when billing last answered all that its rule needs, and the value measured then', async () => {
    const account = { balance: '60', bonuses: '0', at: 7 };
    const usage = {
      days: { [YESTERDAY]: '10', '2026-11-18': '10', '2026-11-17': '10' },
      until: YESTERDAY,
      zone: 'UTC',
      at: 9,
    };
    const figures = { connection: 'main', account, usage };
    expect(await seen({ figures })).toMatchObject({ checkedAt: 7, measurement: { kind: 'balance' } });
    expect(await seen({ figures }, watch({ rule: BUDGET }))).toMatchObject({ checkedAt: 9 });
    const runway = await seen({ figures }, watch({ rule: RUNWAY }));
    expect(runway).toMatchObject({ checkedAt: 9, measurement: { runway: { kind: 'estimate', days: 6 } } });
    for (const some of [undefined, { connection: 'main', account }, { connection: 'main', usage }])
      expect(await seen({ figures: some }, watch({ rule: RUNWAY }))).toMatchObject({
        checkedAt: undefined,
        measurement: undefined,
      });
  });

  it('has when it is checked next, unless it is paused', async () => {
    expect((await seen({}))?.nextCheckAt).toBe(NOW);
    expect((await seen({}, watch({ paused: { at: 1, by: 'U1' } })))?.nextCheckAt).toBeUndefined();
  });

  it('has whether it has alerted and not recovered, under its present rule', async () => {
    const alerted = (isOver?: boolean) => ({
      alerted: [{ episode: 'e', level: 'threshold', ...(isOver !== undefined && { isOver }) }],
      alerts: [alert('e', message())],
    });
    expect(await seen({ state: stateWith(alerted()) })).toMatchObject({
      isCrossed: true,
      alerts: [{ episode: 'e' }],
    });
    expect((await seen({ state: stateWith(alerted(true)) }))?.isCrossed).toBe(false);
    const both = [...alerted(true).alerted, { episode: 'f', level: 'threshold' }];
    expect((await seen({ state: stateWith({ alerted: both }) }))?.isCrossed).toBe(true);
    expect(await seen({ state: stateWith(alerted()) }, watch({ since: NOW }))).toMatchObject({
      isCrossed: false,
      alerts: [],
    });
    expect(await seen({})).toMatchObject({ isCrossed: false, alerts: [], undelivered: undefined });
  });

  it('has the reason why it could not be judged', async () => {
    const figures = { connection: 'main', problem: { cause: storedCause('eu'), at: 1 } };
    expect((await seen({ figures }))?.problem).toBe('There is no connection named eu.');
    expect((await seen({}))?.problem).toBeUndefined();
    expect((await seen({ figures }, watch(), { projects: [{ channels: ['C2'] }] }))?.problem).toBe(
      'The project is limited to other channels, so this watch sends no alerts.',
    );
  });

  it('has the reason why its newest alert could not be sent', async () => {
    const undelivered = async (...alerts: readonly Alert[]) =>
      (await seen({ state: stateWith({ alerts }) }))?.undelivered;
    const failed = (named: string) => message({ state: 'failed', cause: storedCause(named) });
    expect(await undelivered(alert('a', failed('First.'), failed('last'), message()))).toBe(
      'There is no connection named last.',
    );
    expect(await undelivered(alert('a', message({ cause: storedCause('Was late.') })))).toBeUndefined();
    expect(await undelivered(alert('a', failed('Older.')), alert('b', message()))).toBeUndefined();
  });

  it('before it is saved, is a preview on what billing says of the project', async () => {
    const { client } = createFakeBilling(
      () => ({ amounts: () => new Map([[YESTERDAY, 5]]), balance: () => 60 }),
      () => NOW,
    );
    const made = watching({}, client);
    const project = resolveProject({ alias: 'prod' }, recordOf([]), UNLIMITED);
    const preview = (rule: WatchRule) => made.fetchPreview(recordOf([]), project, rule);
    const usage = { days: { [YESTERDAY]: '5.00' }, until: YESTERDAY, zone: 'UTC', at: NOW };
    expect(await preview(BUDGET)).toEqual({ today: TODAY, connection: 'main', usage });
    const account = { balance: '60.00', bonuses: '0.00', at: NOW };
    expect(await preview(RUNWAY)).toEqual({ today: TODAY, connection: 'main', usage, account });
  });

  describe('when somebody answers an alert', () => {
    const ACKNOWLEDGED: AlertResponse = { kind: 'acknowledged', at: NOW, by: 'U2' };
    const SNOOZED: AlertResponse = { kind: 'snoozed', at: NOW, by: 'U2', until: NOW + HOUR };
    const [open, other] = [alert('e', message()), alert('other', message())];
    const state = stateWith({ alerts: [open, other] });
    const respond = async (response: AlertResponse, given: Stored, episode = 'e') => {
      const made = watching(given);
      const result = await made
        .respond('T1', 'watch001', episode, response)
        .catch((error: Error) => error.message);
      return { ...made, result };
    };

    it('is recorded on that alert alone, without a lease, and leads to a run', async () => {
      const { result, writes, changes, json } = await respond(ACKNOWLEDGED, { state });
      expect([result, changes]).toEqual(['recorded', ['T1']]);
      expect(writes).toMatchObject([
        [
          { teamId: 'T1', token: '' },
          { name: 'watch/watch001', before: json },
        ],
      ]);
      const [[, { value }]] = writes as [[unknown, { value: unknown }]];
      expect(value).toEqual({
        ...state,
        alerts: [{ ...open, events: [CROSSED, ACKNOWLEDGED] }, other],
      });
    });

    it('is acknowledged once, and snoozed as often as they like', async () => {
      const events = [CROSSED, ACKNOWLEDGED, SNOOZED];
      const answered = stateWith({ alerts: [{ ...alert('e', message()), events }] });
      const again = await respond(ACKNOWLEDGED, { state: answered });
      expect([again.result, again.writes, again.changes]).toEqual(['repeated', [], []]);
      expect((await respond(SNOOZED, { state: answered })).result).toBe('recorded');
    });

    it('changes nothing if the watch’s state or the alert was deleted', async () => {
      expect((await respond(ACKNOWLEDGED, { state: undefined })).result).toBe('gone');
      expect((await respond(ACKNOWLEDGED, { state: '{' })).result).toBe('gone');
      expect((await respond(ACKNOWLEDGED, { state }, 'another')).result).toBe('gone');
    });

    it('is tried again if a check writes at the same time, ten times at most', async () => {
      const twice = await respond(ACKNOWLEDGED, { state, outcomes: ['refused', 'written'] });
      expect([twice.result, twice.writes.length, twice.changes]).toEqual(['recorded', 2, ['T1']]);
      const often = await respond(ACKNOWLEDGED, { state, outcomes: ['refused'] });
      expect([often.writes.length, often.changes]).toEqual([10, []]);
    });
  });
});
