/** A workspace's delivery log as planning and delivering read it, without Redis. */

import { pino } from 'pino';
import { startDeliveryRun } from '../../src/delivery/delivery-run.ts';
import {
  createDeliveryLog,
  type DeliveryLog,
  type DeliveryLogSnapshot,
  deliveryKey,
  type LogWrite,
} from '../../src/delivery/log/delivery-log.ts';
import type {
  DatedLogEntry,
  DeliveryLogEntry,
  PostContent,
} from '../../src/delivery/log/delivery-log-entry.ts';
import type { PostContext, ReportQuestion, ReportResult } from '../../src/delivery/posts/run-report.ts';
import type { Work } from '../../src/runtime/work-record.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import { BACKGROUND_OPTIONS, createClientCache } from '../../src/slack/web-client.ts';
import { createWorkspaces, type Workspaces } from '../../src/workspace/record/workspaces.ts';
import { COVERED, NO_BILLING, QUIET } from './delivery.ts';
import { KEYRING, workspaceOf } from './records.ts';
import { disconnectedRedis } from './redis.ts';

export function snapshotOf(
  lines: readonly DatedLogEntry[],
  given: Partial<DeliveryLogSnapshot> = {},
): DeliveryLogSnapshot {
  return {
    entries: lines,
    lastPost: () => undefined,
    backOffUntil: undefined,
    state: (name) => lines.find(({ schedule, date }) => deliveryKey(schedule, date) === name)?.json,
    statesOf: () => [],
    ...given,
  };
}

export function lineOf(
  date: string,
  entry: Partial<DeliveryLogEntry> & Pick<DeliveryLogEntry, 'state' | 'due'>,
  schedule = 'schedul1',
): DatedLogEntry {
  const whole = { at: entry.due, began: entry.due, tries: 0, ...entry };
  return { schedule, date, entry: whole, json: JSON.stringify(whole) };
}

/** Where a post is in Slack, and what it says. */
export const postedAt = (at: number, given: Partial<PostContent> = {}) => ({
  ...{ at, channel: 'C0COSTS001', ts: '1.2', post: postOf(given) },
});

export const postOf = (given: Partial<PostContent> = {}): PostContent => ({
  ...{ isLate: false, earlier: { counted: 0, named: [] }, figures: {}, checks: 0 },
  subject: {
    ...{ report: 'yesterday', projects: [{ id: '123', product: 1 }] },
    timing: { cadence: { kind: 'daily' }, time: '09:00', zone: 'Europe/Rome' },
    ...{ zone: 'UTC', covers: COVERED, connections: ['main'] },
  },
  ...given,
});

/** What a run did to its log, to Slack's pace and to its channels. */
export interface RecordedRun {
  readonly context: PostContext;
  readonly writes: LogWrite[];
  /** The dates among them, as they were written. */
  readonly entries: DeliveryLogEntry[];
  /** Until when Slack is left alone. */
  readonly backOffs: number[];
  /** The channels that were waited for and posted to, in order: `wait C1`, `posted C1`. */
  readonly paces: string[];
  /** The records of its messages. */
  readonly works: Work[];
}

const redis = disconnectedRedis();

/** The store of records, without Redis but for what is given. */
export const workspacesOf = (given: Partial<Workspaces>): Workspaces => ({
  ...createWorkspaces({ redis, keyring: KEYRING }),
  ...given,
});
/** The delivery log, without Redis but for what is given. */
export const deliveryLogOf = (given: Partial<DeliveryLog>): DeliveryLog => ({
  ...createDeliveryLog(redis),
  ...given,
});

/** A run whose log takes every write. @param slackUrl of the Slack that it speaks to, with a slash at the end */
export function recordedRun(
  slackUrl: string,
  now: number,
  report: (question: ReportQuestion) => ReportResult | Promise<ReportResult>,
  given: Partial<PostContext> = {},
): RecordedRun {
  const [writes, entries, works]: [LogWrite[], DeliveryLogEntry[], Work[]] = [[], [], []];
  const [backOffs, paces]: [number[], string[]] = [[], []];
  const clients = createClientCache({ ...BACKGROUND_OPTIONS, slackApiUrl: slackUrl, logger: QUIET });
  const run = startDeliveryRun({
    workspaces: workspacesOf({ load: async () => context.workspace }),
    deliveryLog: deliveryLogOf({}),
    clientFor: async () => clients('xoxb-T1', 'T1'),
    users: createUserDirectory(() => now),
    ...{ clock: () => now, log: pino({ level: 'silent' }), onFinished: (work) => void works.push(work) },
    ...{ lease: { teamId: 'T1', token: 'x' }, unrecordedPosts: new Map() },
    stopping: new AbortController().signal,
  });
  run.end();
  const context: PostContext = {
    ...run,
    ...{ workspace: workspaceOf(), logSnapshot: snapshotOf([]), probeFailures: new Map() },
    billing: NO_BILLING,
    answerCollector: { add: () => undefined, all: () => [] },
    makeReport: async (question) => report(question),
    loadWorkspace: () => context.workspaces.load('T1'),
    isOver: () => false,
    async write(write) {
      writes.push(write);
      for (const { name, value } of [write, ...(write.with ?? [])])
        if (/^\w{8}\/\d/.test(name)) entries.push(value as DeliveryLogEntry);
      return 'written';
    },
    backOff: async (until) => void backOffs.push(until),
    waitForChannel: async (channel) => void paces.push(`wait ${channel}`),
    rememberPost: (channel) => void paces.push(`posted ${channel}`),
    ...given,
  };
  return { context, writes, entries, backOffs, paces, works };
}
