/** A workspace's record and its delivery log as planning reads them, without Redis. */
import type { DeliveryLogLine, DeliveryLogSnapshot } from '../../src/delivery/delivery-log.ts';
import type { DeliveryLogEntry, PostedMessage } from '../../src/delivery/delivery-log-entry.ts';
import type { Schedule } from '../../src/workspace/schedules.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';

export function workspaceOf(schedules: readonly Schedule[], given: Partial<Workspace> = {}): Workspace {
  return {
    ...{ teamId: 'T1', settings: DEFAULT_SETTINGS, damaged: [], projects: [], accesses: new Map() },
    ...{ connections: new Map(), connectionNames: ['main'], defaultConnection: 'main' },
    ...{ schedules, scheduleIds: schedules.map(({ id }) => id), watches: [], watchIds: [], fields: {} },
    channelDefault: () => undefined,
    lastUsed: () => undefined,
    lastSent: () => undefined,
    lastBalance: () => undefined,
    rejectedAt: () => undefined,
    ...given,
  } as unknown as Workspace;
}

export function snapshotOf(
  lines: readonly DeliveryLogLine[],
  given: Partial<DeliveryLogSnapshot> = {},
): DeliveryLogSnapshot {
  return {
    lines,
    lastPost: () => undefined,
    backOffUntil: undefined,
    state: () => undefined,
    statesOf: () => [],
    ...given,
  };
}

export function lineOf(
  date: string,
  entry: Partial<DeliveryLogEntry> & Pick<DeliveryLogEntry, 'state' | 'due'>,
  schedule = 'schedul1',
): DeliveryLogLine {
  const whole = { at: entry.due, began: entry.due, tries: 0, ...entry };
  return { schedule, date, entry: whole, json: JSON.stringify(whole) };
}

export const postOf = (at: number, given: Partial<PostedMessage> = {}): PostedMessage => ({
  ...{
    channel: 'C0COSTS001',
    ts: '1.2',
    at,
    isLate: false,
    isAgain: false,
    earlier: [],
    figures: {},
    checks: 0,
  },
  subject: {
    ...{ report: 'yesterday', projects: [{ id: '123', product: 1 }] },
    timing: { cadence: { kind: 'daily' }, time: '09:00', zone: 'Europe/Rome' },
    ...{ zone: 'UTC', covers: 'the day before', connections: ['main'] },
  },
  ...given,
});
