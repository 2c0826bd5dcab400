/** When watches are checked, what their alerts say and when those go out, without Redis. */

import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { BillingClient, Subscription, TimeRange } from '../../src/billing/client.ts';
import { MAX_RETRY_DELAY } from '../../src/delivery/outbox/failures.ts';
import { figureText } from '../../src/delivery/watches/alert-blocks.ts';
import { alertActionAt } from '../../src/delivery/watches/alert-send.ts';
import { alertText, alertWords } from '../../src/delivery/watches/alert-wording.ts';
import {
  type Alert,
  type AlertEvent,
  type AlertMessage,
  alertEpisode,
  alertMessageTo,
  hourlyCheckAfter,
  isMuted,
  isParent,
  nextCheckAt,
  parseWatchState,
  recordEvent,
  type StoredWatchState,
  stateFor,
  watchBasisOf,
  withMessage,
} from '../../src/delivery/watches/sent-alerts.ts';
import {
  knownBalances,
  parseWatchFigures,
  type StoredFigures,
} from '../../src/delivery/watches/watch-figures-store.ts';
import {
  isLimited,
  judgeWatch,
  planWatches,
  type WatchInput,
} from '../../src/delivery/watches/watches-job.ts';
import { createBillingCache } from '../../src/delivery/workspace-runner.ts';
import type { WatchRule } from '../../src/domain/money/watch-rule.ts';
import { addDays } from '../../src/domain/time/calendar.ts';
import type { Watch } from '../../src/workspace/owned/watch-record.ts';
import { balanceEvent } from '../support/alert-events.ts';
import { snapshotOf } from '../support/delivery-records.ts';
import { storedCause } from '../support/failures.ts';
import { type RecordParts, workspaceOf } from '../support/records.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-20T12:30:00Z');
const RUNWAY: WatchRule = { kind: 'runway', days: 7 };
const BALANCE: WatchRule = { kind: 'balance', below: new Big(50) };
const watch = (given: Partial<Watch> = {}) =>
  ({
    ...{ id: 'watch001', projects: [{ id: '123', product: 1 }], rule: BALANCE, channel: 'C1' },
    ...{ owner: 'U1', createdBy: 'U1', createdAt: 0, since: NOW - DAY },
    ...given,
  }) as Watch;
const recordOf = (watches: readonly Watch[], given: RecordParts = {}) => workspaceOf({ watches, ...given });

describe('watches', () => {
  it('are checked once an hour, at a moment that is the workspace’s own', () => {
    const next = hourlyCheckAfter('T1', NOW);
    expect(next).toBeGreaterThan(NOW);
    expect(next).toBeLessThanOrEqual(NOW + HOUR);
    expect(hourlyCheckAfter('T1', next - 1)).toBe(next);
    expect(hourlyCheckAfter('T1', next)).toBe(next + HOUR);
    expect(hourlyCheckAfter('T2', NOW) % HOUR).not.toBe(next % HOUR);
  });

  it('alert nobody while they are paused or snoozed', () => {
    expect(isMuted(watch(), NOW)).toBe(false);
    expect(isMuted(watch({ paused: { at: 1, by: 'U1' } }), NOW)).toBe(true);
    expect(isMuted(watch({ snoozedUntil: NOW + 1 }), NOW)).toBe(true);
    expect(isMuted(watch({ snoozedUntil: NOW }), NOW)).toBe(false);
  });

  const workspace = recordOf([watch()], { projects: [{}] });
  const checked = (given: object) => {
    const last = JSON.stringify({ at: NOW - HOUR, next: NOW + 5, basis: watchBasisOf(workspace), ...given });
    return snapshotOf([], { state: (name) => (name === 'check/watches' ? last : undefined) });
  };

  it('are checked at once where they never were, where something changed, or where the clock went back', () => {
    expect(nextCheckAt(workspace, checked({}), NOW)).toBe(NOW + 5);
    expect(nextCheckAt(workspace, checked({ at: NOW }), NOW)).toBe(NOW + 5);
    expect(nextCheckAt(workspace, checked({ at: NOW + 1 }), NOW)).toBe(NOW);
    expect(nextCheckAt(workspace, checked({ basis: 'another' }), NOW)).toBe(NOW);
    expect(nextCheckAt(workspace, checked({ next: 'soon' }), NOW)).toBe(NOW);
    expect(nextCheckAt(workspace, snapshotOf([]), NOW)).toBe(NOW);
    expect(nextCheckAt(recordOf([]), checked({}), NOW)).toBeUndefined();
  });

  it.each<[string, RecordParts]>([
    ['a rule', { watches: [watch({ since: NOW })] }],
    ['a watch more', { watches: [watch(), watch({ id: 'watch002' })] }],
    ['a pause', { watches: [watch({ paused: { at: 5, by: 'U1' } })] }],
    ['a snooze', { watches: [watch({ snoozedUntil: 5 })] }],
    ['a token', { connections: [{ token: 'another-fake-token-abcd' }] }],
    ['the connection of a project', { projects: [{ connection: 'eu' }] }],
    ['the product of a project', { projects: [{ product: 2 }] }],
    ['the zone', { settings: { zone: 'Asia/Tokyo' } }],
    ['the default connection', { settings: { connection: 'eu' } }],
  ])('are checked at once after a change of %s', (_, given) => {
    const changed = recordOf([watch()], { projects: [{}], ...given });
    expect(nextCheckAt(changed, checked({}), NOW)).toBe(NOW);
  });

  it('are not checked for what they do not depend on', () => {
    const same = recordOf([watch({ owner: 'U2' })], { projects: [{}], settings: { guests: true } });
    expect(nextCheckAt(same, checked({}), NOW)).toBe(NOW + 5);
  });

  const planned = (
    messages: readonly Partial<AlertMessage>[],
    given: { next?: number; backOffUntil?: number; paused?: boolean } = {},
  ) => {
    const one = watch(given.paused ? { paused: { at: 1, by: 'U1' } } : {});
    const record = recordOf([one], { fields: { 'unwatched:undo0001': '{}' } });
    const state = {
      since: one.since,
      alerted: [],
      alerts: [{ episode: 'e', events: [CROSSED], messages: messages.map(message) }],
    };
    const last = JSON.stringify({ at: NOW - 1, next: given.next ?? NOW + HOUR, basis: watchBasisOf(record) });
    const states = [
      ['watch/watch001', JSON.stringify(state)] as const,
      ['watch/gone0001', '{}'] as const,
      ['watch/undo0001', '{'] as const,
    ];
    const snapshot = snapshotOf([], {
      state: (name) => (name === 'check/watches' ? last : undefined),
      statesOf: (prefix) => (prefix === 'watch/' ? states : []),
      backOffUntil: given.backOffUntil,
    });
    const { alerting, ...plan } = planWatches(record, snapshot, NOW);
    return { ...plan, alerting: alerting.map(({ id }) => id) };
  };

  it('have nothing to do until the next check, and lose the state of one that is gone for good', () => {
    expect(planned([])).toEqual({
      isCheckDue: false,
      alerting: [],
      stale: ['watch/gone0001'],
      next: NOW + HOUR,
    });
    expect(planned([], { next: NOW })).toMatchObject({ isCheckDue: true, next: undefined });
    expect(planned([], { next: NOW + 1 })).toMatchObject({ isCheckDue: false, next: NOW + 1 });
  });

  it('send what is due, unless Slack limits the rate, for an hour at most', () => {
    expect(planned([{ state: 'due' }])).toMatchObject({ alerting: ['watch001'] });
    expect(planned([{ state: 'due', next: NOW }])).toMatchObject({ alerting: ['watch001'] });
    expect(planned([{ state: 'due', next: NOW + 9 }])).toMatchObject({
      alerting: [],
      next: NOW + 9,
    });
    expect(
      planned([
        { state: 'due', next: NOW + 9 },
        { state: 'due', to: 'C2', next: NOW + 7 },
      ]).next,
    ).toBe(NOW + 7);
    expect(planned([{ state: 'due' }], { backOffUntil: NOW + 3 })).toMatchObject({
      alerting: [],
      next: NOW + 3,
    });
    expect(planned([{ state: 'due' }], { backOffUntil: NOW })).toMatchObject({ alerting: ['watch001'] });
    expect(planned([{ state: 'due' }], { backOffUntil: NOW + MAX_RETRY_DELAY })).toMatchObject({
      alerting: [],
    });
    expect(planned([{ state: 'due' }], { backOffUntil: NOW + MAX_RETRY_DELAY + 1 })).toMatchObject({
      alerting: ['watch001'],
    });
    expect(planned([{ state: 'due' }], { paused: true })).toMatchObject({ alerting: [] });
    expect(planned([{ state: 'posted', drawn: 1 }])).toMatchObject({ alerting: [], next: NOW + HOUR });
  });
});

const CROSSED = balanceEvent('crossed', NOW, '40');
const RECOVERED = balanceEvent('recovered', NOW + 1, '60');
const message = (given: Partial<AlertMessage>): AlertMessage => ({
  ...{ to: 'C1', event: 0, state: 'posted', at: NOW, tries: 0, drawn: 0 },
  ...given,
});
const alert = (messages: readonly AlertMessage[], events: readonly AlertEvent[] = [CROSSED]): Alert => ({
  ...{ episode: 'e', events, messages },
});

describe('an alert', () => {
  it('begins with a crossing alone, with a message to everybody it is for', () => {
    expect(recordEvent([], 'e', RECOVERED, ['C1'])).toEqual([]);
    const [begun] = recordEvent([], 'e', CROSSED, ['U1', 'U2']);
    const due = { event: 0, state: 'due', at: NOW, tries: 0, drawn: 0 };
    expect(begun).toEqual({
      episode: 'e',
      events: [CROSSED],
      messages: [
        { ...due, to: 'U1' },
        { ...due, to: 'U2' },
      ],
    });
  });

  it('gets replies once it was sent; what happened before that is part of the alert', () => {
    const events = (state: AlertMessage['state'], event: AlertEvent) =>
      recordEvent([alert([message({ state })])], 'e', event, ['C1'])[0];
    expect(events('due', RECOVERED)?.messages).toHaveLength(1);
    expect(events('due', RECOVERED)?.events).toEqual([CROSSED, RECOVERED]);
    for (const state of ['posted', 'sending'] as const)
      expect(events(state, RECOVERED)?.messages[1]).toEqual({
        to: 'C1',
        event: 1,
        state: 'due',
        at: NOW + 1,
        tries: 0,
        drawn: 0,
      });
    expect(events('posted', { kind: 'acknowledged', at: NOW, by: 'U1' })?.messages).toHaveLength(1);
    expect(events('failed', RECOVERED)?.messages).toHaveLength(1);
    expect(events('failed', CROSSED)?.messages[1]).toMatchObject({ to: 'C1', event: 1, state: 'due' });
  });

  it('gets its follow-up where it was delivered instead of its own target', () => {
    const instead = message({ to: 'U9', insteadOf: { to: 'C1', cause: storedCause('x'), tried: ['C1'] } });
    const [after] = recordEvent([alert([instead])], 'e', RECOVERED, ['C1']);
    expect(after?.messages[1]).toMatchObject({ to: 'U9', event: 1 });
    expect(alertMessageTo(alert([instead]), 'C1')).toBe(instead);
    expect(alertMessageTo(alert([message({ state: 'failed' })]), 'C1')).toBeUndefined();
  });

  it('of another month or day stays as it is, and only the newest alerts are kept', () => {
    const before = [{ ...alert([message({})]), episode: 'other' }];
    expect(recordEvent(before, 'e', CROSSED, [])[0]).toBe(before[0]);
    const many = Array.from({ length: 60 }, (_, n) => String(n)).reduce<readonly Alert[]>(
      (all, episode) => recordEvent(all, episode, CROSSED, []),
      [],
    );
    expect(many.length).toBeLessThan(60);
    expect(many.at(-1)?.episode).toBe('59');
    expect(many.map(({ episode }) => Number(episode))).toEqual(many.map((_, n) => 60 - many.length + n));
  });

  it('goes out when its pause is over, and its answers after it', () => {
    const [first, answer] = [message({ state: 'due', next: 7 }), message({ state: 'due', event: 1 })];
    expect(alertActionAt(alert([first, answer]), first, false)).toBe(7);
    expect(alertActionAt(alert([first, answer]), answer, false)).toBeUndefined();
    const sending = message({ state: 'sending' });
    expect(alertActionAt(alert([sending]), sending, false)).toBe(NOW + 20_000);
    expect(alertActionAt(alert([sending, answer]), answer, false)).toBeUndefined();
    expect(alertActionAt(alert([message({}), answer]), answer, false)).toBe(0);
    expect([isParent(alert([first, answer]), first), isParent(alert([first, answer]), answer)]).toEqual([
      true,
      false,
    ]);
  });

  it('of a watch that is paused goes nowhere, but is looked for where Slack may have it', () => {
    const [due, sending] = [message({ state: 'due' }), message({ state: 'sending' })];
    expect(alertActionAt(alert([due]), due, true)).toBeUndefined();
    expect(alertActionAt(alert([sending]), sending, true)).toBe(NOW + 20_000);
  });

  it('is updated until it shows everything that happened', () => {
    const drawn = (given: Partial<AlertMessage>) => {
      const one = message(given);
      return alertActionAt(alert([one], [CROSSED, RECOVERED]), one, false);
    };
    expect(drawn({ drawn: 1 })).toBe(0);
    expect(drawn({ drawn: 1, next: 9 })).toBe(9);
    expect(drawn({ drawn: 2 })).toBeUndefined();
    expect(drawn({ drawn: 0, state: 'failed' })).toBeUndefined();
    const answer = message({ event: 1, drawn: 0 });
    expect(
      alertActionAt(alert([message({ drawn: 2 }), answer], [CROSSED, RECOVERED]), answer, false),
    ).toBeUndefined();
  });

  it('can have one of its messages changed without the others', () => {
    const messages = [message({}), message({ to: 'C2' }), message({ event: 1 })];
    const state = {
      since: 1,
      alerted: [],
      alerts: [alert(messages), { ...alert(messages), episode: 'other' }],
    };
    const after = withMessage(state, { episode: 'e', event: 0, to: 'C1' }, (one) => ({ ...one, tries: 9 }));
    expect(after.alerts.flatMap((one) => one.messages.map(({ tries }) => tries))).toEqual([9, 0, 0, 0, 0, 0]);
  });
});

describe('the state of a watch', () => {
  const alerted = [
    { episode: 'a', level: 'threshold' },
    { episode: 'b', level: 'threshold', isOver: true },
    { episode: 'a', level: '100' },
  ] as const;
  const stored: StoredWatchState = {
    ...{ since: 5, alerted },
    alerts: ['a', 'b'].map((episode) => ({
      ...alert([message({})]),
      episode: alertEpisode({ since: 5 }, episode),
    })),
  };

  it('begins empty, is kept as long as the rule is the same, and ends its open alerts when the rule changes', () => {
    expect(stateFor(watch({ since: 5 }), undefined, NOW)).toEqual({ since: 5, alerted: [], alerts: [] });
    expect(stateFor(watch({ since: 5 }), stored, NOW)).toBe(stored);
    const { since, alerted: left, alerts } = stateFor(watch({ since: 6 }), stored, NOW);
    expect([since, left]).toEqual([6, []]);
    expect(alerts.map(({ events }) => events.map(({ kind }) => kind))).toEqual([
      ['crossed', 'replaced'],
      ['crossed'],
    ]);
    expect(alerts[0]?.messages).toHaveLength(1);
  });

  it.each([undefined, '', '{', '{"since":"x"}'])('is none where it cannot be read: %s', (json) => {
    expect(parseWatchState(json)).toBeUndefined();
  });

  it('names alerts of one month under two rules differently', () => {
    expect(alertEpisode({ since: 5 }, '2026-11')).not.toBe(alertEpisode({ since: 6 }, '2026-11'));
  });
});

describe('a judgement', () => {
  const usage = {
    days: { '2026-11-19': '10', '2026-11-18': '10', '2026-11-17': '10' },
    until: '2026-11-19',
    zone: 'UTC',
    at: NOW,
  };
  const account = (balance: string, at = NOW) => ({ balance, bonuses: '0', at });
  const judged = (figures: StoredFigures | undefined, given: Partial<Watch> = {}, now = NOW): WatchInput => {
    const one = watch(given);
    return { ...{ watch: one, workspace: recordOf([one]), now }, figures };
  };
  const crossings = (figures: StoredFigures | undefined, given: Partial<Watch> = {}, now?: number) =>
    judgeWatch(judged(figures, given, now), undefined).found?.crossings.length;

  it('uses only figures of the current hour', () => {
    const slot = hourlyCheckAfter('T1', NOW) - HOUR;
    expect(crossings({ connection: 'main', account: account('49') })).toBe(1);
    expect(crossings({ connection: 'main', account: account('50') })).toBe(0);
    expect(crossings({ connection: 'main', account: account('49', slot) })).toBe(1);
    expect(crossings({ connection: 'main', account: account('49', slot - 1) })).toBeUndefined();
    expect(crossings({ connection: 'main', usage })).toBeUndefined();
    expect(crossings(undefined)).toBeUndefined();
  });

  it('needs the days up to yesterday, of the reporting zone, if the rule uses them', () => {
    const runway = (given: Partial<typeof usage>) =>
      crossings(
        { connection: 'main', account: account('30'), usage: { ...usage, ...given } },
        { rule: RUNWAY },
      );
    expect(runway({})).toBe(1);
    expect(runway({ until: '2026-11-18' })).toBeUndefined();
    expect(runway({ zone: 'Asia/Tokyo' })).toBeUndefined();
    expect(crossings({ connection: 'main', usage }, { rule: RUNWAY })).toBeUndefined();
    expect(
      crossings({ connection: 'main', usage }, { rule: { kind: 'budget', amount: new Big(40) } }),
    ).toBeGreaterThan(0);
  });

  it('alerts nobody while the watch is paused or snoozed, and is none where its channel may not see the project', () => {
    const figures = { connection: 'main', account: account('49') };
    expect(crossings(figures, { paused: { at: 1, by: 'U1' } })).toBe(0);
    expect(crossings(figures, { snoozedUntil: NOW + 1 })).toBe(0);
    const one = watch();
    const limited = recordOf([one], { projects: [{ channels: ['C2'] }] });
    expect(isLimited(one, limited)).toBe(true);
    expect(isLimited(watch({ channel: undefined, people: ['U1'] }), limited)).toBe(false);
    expect(isLimited(watch({ channel: 'C2' }), limited)).toBe(false);
    const damaged = recordOf([one], { fields: { 'project:x': '{' } });
    expect(isLimited(one, damaged)).toBe(true);
    expect(judgeWatch({ ...judged(figures), workspace: limited }, undefined).found).toBeUndefined();
  });

  it('alerts once, and again after it recovered', () => {
    let state: StoredWatchState | undefined;
    const kinds = (balance: string, now: number, given: Partial<Watch> = {}) => {
      const one = judged({ connection: 'main', account: account(balance, now) }, given, now);
      state = judgeWatch(one, state).state;
      return state.alerts.map(({ events }) => events.map(({ kind }) => kind).join(' '));
    };
    expect(kinds('49', NOW)).toEqual(['crossed']);
    expect(kinds('48', NOW + HOUR)).toEqual(['crossed']);
    expect(kinds('500', NOW + 2 * HOUR)).toEqual(['crossed recovered']);
    expect(kinds('40', NOW + 3 * HOUR)).toEqual(['crossed recovered', 'crossed']);
    expect(state?.alerts[0]?.events[0]).toMatchObject({ level: 'threshold', at: NOW });
    expect(state?.alerts[1]?.messages).toMatchObject([{ to: 'C1', state: 'due', event: 0 }]);
  });

  it('during a pause updates the alert when it recovers, and after the pause alerts if a crossing still holds', () => {
    const paused = { paused: { at: 1, by: 'U1' } };
    let state: StoredWatchState | undefined;
    const check = (balance: string, hour: number, given: Partial<Watch> = {}) => {
      const now = NOW + hour * HOUR;
      const one = judged({ connection: 'main', account: account(balance, now) }, given, now);
      state = judgeWatch(one, state).state;
      return state.alerts.map(({ events }) => events.map(({ kind }) => kind).join(' '));
    };
    check('49', 0);
    expect(check('48', 1, paused)).toEqual(['crossed']);
    expect(check('500', 2, paused)).toEqual(['crossed recovered']);
    expect(state?.alerts[0]?.messages).toEqual([]);
    expect(check('40', 3, paused)).toEqual(['crossed recovered']);
    expect(check('40', 4)).toEqual(['crossed recovered', 'crossed']);
    expect(check('40', 5)).toEqual(['crossed recovered', 'crossed']);
    check('500', 6);
    expect(check('40', 7, paused)).toEqual(check('500', 8));
  });

  const month = (costs: Readonly<Record<string, string>>): StoredFigures => {
    const days = Array.from({ length: 40 }, (_, n) => [addDays('2026-11-19', -n), '10'] as const);
    return { connection: 'main', usage: { ...usage, days: { ...Object.fromEntries(days), ...costs } } };
  };
  const SPIKE: WatchRule = { kind: 'spike', factor: new Big(2), floor: new Big(0) };

  it('after a pause alerts about a spike of the last days that billing still reports', () => {
    const given = { rule: SPIKE, since: NOW - 9 * DAY };
    const spikes = (figures: StoredFigures, more: Partial<Watch> = {}) =>
      judgeWatch(judged(figures, { ...given, ...more }), undefined).found?.crossings.map(
        ({ episode }) => episode,
      );
    const one = month({ '2026-11-17': '100' });
    expect(spikes(one, { paused: { at: 1, by: 'U1' } })).toEqual([]);
    expect(spikes(one)).toEqual(['2026-11-17']);
    expect(spikes(month({ '2026-11-17': '10' }))).toEqual([]);
  });

  it('of a corrected day updates the alert, newest amount last, and alerts again if it is a spike once more', () => {
    const given = { rule: SPIKE, since: NOW - 9 * DAY };
    let state: StoredWatchState | undefined;
    const texts = (cost: string, more: Partial<Watch> = {}) => {
      const one = judged(month({ '2026-11-17': cost }), { ...given, ...more });
      state = judgeWatch(one, state).state;
      return state.alerts[0]?.events.map((event) =>
        'facts' in event ? figureText(event, alertWords(one.watch, one.workspace, '2026-11-20')) : event.kind,
      );
    };
    const crossed = (cost: string, times: string) =>
      `Project 123 cost ${cost} on Tue 17 Nov, ${times} times the usual`;
    const corrected = (cost: string) => `Project 123 corrected: billing now reports ${cost} for Tue 17 Nov.`;
    expect(texts('100')).toEqual([crossed('100.00', '10')]);
    expect(texts('110')).toEqual([crossed('100.00', '10'), corrected('110.00')]);
    expect(texts('120')).toEqual([crossed('100.00', '10'), corrected('120.00')]);
    expect(texts('3')).toEqual([crossed('100.00', '10'), corrected('3.00')]);
    expect(texts('90', { snoozedUntil: NOW + 1 })?.at(-1)).toBe(corrected('90.00'));
    expect(state?.alerts).toHaveLength(1);
    expect(texts('90')?.at(-1)).toBe(crossed('90.00', '9'));
    expect(texts('90')).toEqual([crossed('100.00', '10'), corrected('90.00'), crossed('90.00', '9')]);
  });

  it('of several levels that recover together is sent once, with the last of them', () => {
    const given = { rule: { kind: 'budget', amount: new Big(1_000) } as const };
    const one = judged(month({}), given);
    const alerted = (['50', '80', 'forecast'] as const).map((level) => ({ episode: '2026-11', level }));
    const alerts = recordEvent([], alertEpisode(one.watch, '2026-11'), CROSSED, ['C1']);
    const stored = { since: one.watch.since, alerted, alerts };
    const after = judgeWatch(one, stored).state;
    expect(after.alerted).toEqual([]);
    expect(after.alerts[0]?.events.slice(1)).toMatchObject([
      {
        kind: 'recovered',
        level: 'forecast',
        at: NOW,
        facts: { month: '2026-11', spend: { forecast: '300' } },
      },
    ]);
  });

  it('of two spikes that are corrected is sent for each', () => {
    const one = judged(month({}), { rule: SPIKE, since: NOW - 9 * DAY });
    const days = ['2026-11-15', '2026-11-17'];
    const alerts = days.reduce(
      (all, day) => recordEvent(all, alertEpisode(one.watch, day), CROSSED, ['C1']),
      [] as readonly Alert[],
    );
    const alerted = days.map((episode) => ({ episode, level: 'threshold' as const }));
    const stored = { since: one.watch.since, alerted, alerts };
    const after = judgeWatch(one, stored).state.alerts;
    expect(after.map(({ events }) => events.map(({ kind }) => kind))).toEqual([
      ['crossed', 'recovered'],
      ['crossed', 'recovered'],
    ]);
  });

  it('of the same figures differs by the day and by the zone', () => {
    const figures = { ...month({}), account: account('40') };
    const why = (zone: string, now: number) => {
      const before = judged(figures, {}, now);
      const one = { ...before, workspace: recordOf([before.watch], { settings: { zone } }) };
      const { alerts } = judgeWatch(one, undefined).state;
      const [event] = alerts[0]?.events ?? [];
      const words = alertWords(one.watch, one.workspace, '2026-11-20');
      return event?.kind === 'crossed' ? alertText(event, words).why : undefined;
    };
    expect(why('UTC', NOW)).toContain('10.00 a day');
    expect(why('Asia/Tokyo', NOW)).toBe('');
    expect(why('UTC', NOW)).toContain('24 Nov');
    const tomorrow = hourlyCheckAfter('T1', NOW + DAY);
    figures.account = account('40', tomorrow);
    expect(why('UTC', tomorrow)).toContain('25 Nov');
  });

  it('without a measurement leaves the state as it is', () => {
    const one = judged({ connection: 'main', account: account('x') });
    const stored: StoredWatchState = {
      since: one.watch.since,
      alerted: [{ episode: 'a', level: 'threshold' }],
      alerts: [],
    };
    expect(judgeWatch(one, stored).state).toEqual(stored);
  });
});

describe('figures of a project', () => {
  it('are of complete days of the zone, and readable', () => {
    const usage = {
      days: { '2026-11-19': '10', '2026-11-20': '3', '2026-11-18': 'x' },
      until: '2026-11-20',
      zone: 'UTC',
      at: 1,
    };
    const days = (zone: string) => [
      ...parseWatchFigures({ connection: 'main', usage }, '2026-11-20', zone).amounts.keys(),
    ];
    expect(days('UTC')).toEqual(['2026-11-19']);
    expect(days('Asia/Tokyo')).toEqual([]);
    expect(parseWatchFigures({ connection: 'main' }, '2026-11-20', 'UTC')).not.toHaveProperty('account');
  });

  it('keep balances in the order of days, as far as they can be read', () => {
    const balances = { '2026-11-19': '2', '2026-11-17': '1', '2026-11-18': '' };
    expect(
      [...knownBalances({ connection: 'main', balances })].map(([day, value]) => `${day} ${value}`),
    ).toEqual([...['2026-11-17 1', '2026-11-19 2']]);
    expect(knownBalances({ connection: 'main' }).size).toBe(0);
  });
});

describe('answers of billing', () => {
  const ACCESS = { workspace: 'T1', connection: 'main', baseUrl: 'https://b.example.com', token: 't' };
  const PROJECT = { project: '123', product: 1 } as const;
  const DAYS = { first: '1970-01-01', last: '1970-01-01' };
  const SPAN: TimeRange = { from: 1, to: 2, zone: 'UTC', running: false, days: DAYS };
  let asked: string[] = [];
  const cached = (clock: () => number, fails = false) => {
    asked = [];
    const ask = async (what: string, { project, product }: Subscription, priority?: string) => {
      asked.push(`${what} ${project} ${product} ${priority}`);
      if (fails) throw new Error('down');
    };
    const billing: BillingClient = {
      async balance(_, of, priority) {
        await ask('balance', of, priority);
        return { balance: { text: '1' }, bonuses: { text: '0' }, remarks: [] };
      },
      async consumption(_, of, { from, to }, priority) {
        await ask('consumption', of, priority);
        return { charges: [], remarks: [], requested: { from, to } };
      },
    };
    return createBillingCache(billing, clock);
  };

  it('are kept for a minute for all runs, and for a run as long as it lasts', async () => {
    let now = NOW;
    const run = cached(() => now);
    const first = run();
    for (const client of [first, run(), first]) await client.balance(ACCESS, PROJECT);
    expect(asked).toEqual(['balance 123 1 background']);
    now += 59_999;
    await run().balance(ACCESS, PROJECT);
    expect(asked).toHaveLength(1);
    now += 1;
    await run().balance(ACCESS, PROJECT);
    expect(asked).toHaveLength(2);
    await first.balance(ACCESS, PROJECT);
    expect(asked).toHaveLength(2);
    now -= HOUR;
    await run().balance(ACCESS, PROJECT);
    expect(asked).toHaveLength(3);
  });

  it('are not shared with another question', async () => {
    const client = cached(() => NOW)();
    const different = [
      () => client.balance(ACCESS, PROJECT),
      () => client.balance(ACCESS, { ...PROJECT, project: '124' }),
      () => client.balance(ACCESS, { ...PROJECT, product: 2 }),
      ...(['workspace', 'connection', 'baseUrl', 'token'] as const).map(
        (part) => () => client.balance({ ...ACCESS, [part]: 'x' }, PROJECT),
      ),
      () => client.consumption(ACCESS, PROJECT, SPAN),
      () => client.consumption(ACCESS, PROJECT, { ...SPAN, from: 0 }),
      () => client.consumption(ACCESS, PROJECT, { ...SPAN, to: 3 }),
      () => client.consumption(ACCESS, { ...PROJECT, project: '124' }, SPAN),
      () => client.consumption(ACCESS, { ...PROJECT, product: 2 }, SPAN),
    ];
    for (const ask of [...different, ...different]) await ask();
    expect(asked).toHaveLength(different.length);
    await client.consumption(ACCESS, PROJECT, { ...SPAN, days: { ...DAYS, last: '1970-01-02' } });
    expect(asked).toHaveLength(different.length);
    expect(asked.slice(0, 3)).toEqual([
      'balance 123 1 background',
      'balance 124 1 background',
      'balance 123 2 background',
    ]);
    expect(asked.slice(7, 8)).toEqual(['consumption 123 1 background']);
    expect(asked.every((one) => one.endsWith('background'))).toBe(true);
  });

  it('that failed are asked for again by the next run, not by the same', async () => {
    const run = cached(() => NOW, true);
    const first = run();
    for (const client of [first, first, run()])
      await expect(client.balance(ACCESS, PROJECT)).rejects.toThrow('down');
    expect(asked).toHaveLength(2);
  });

  it('are dropped, the oldest first, when there are too many', async () => {
    const run = cached(() => NOW);
    const ask = (project: string) => run().balance(ACCESS, { project, product: 1 });
    for (let n = 0; n < 201; n += 1) await ask(String(n));
    for (const known of ['200', '100', '1']) await ask(known);
    expect(asked).toHaveLength(201);
    await ask('0');
    expect(asked).toHaveLength(202);
  });
});
