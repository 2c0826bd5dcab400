/** A workspace's record and its delivery log as planning and delivering read them, without Redis. */

import { pino } from 'pino';
import {
  type DatedLogEntry,
  type DeliveryLogSnapshot,
  deliveryKey,
  type LogWrite,
} from '../../src/delivery/log/delivery-log.ts';
import type { DeliveryLogEntry, PostContent } from '../../src/delivery/log/delivery-log-entry.ts';
import type { PostContext, ReportQuestion, ReportResult } from '../../src/delivery/posts/postable-report.ts';
import { REPORT_NAMES } from '../../src/domain/report.ts';
import type { Work } from '../../src/runtime/work.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import { BACKGROUND_OPTIONS, createClientCache } from '../../src/slack/web-client.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { SCHEDULES, type Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { createWorkspaceParser } from '../../src/workspace/record/parse-workspace.ts';
import type { Workspace } from '../../src/workspace/record/workspace.ts';
import { COVERED } from './delivery.ts';

/** Without a sealed credential, so that any key will do. */
const parse = createWorkspaceParser(createKeyring([{ id: 'k', key: Buffer.alloc(32) }]));

/** A record with these schedules, whose projects have the connection `main`. @param given what the record says otherwise */
export function workspaceOf(schedules: readonly Schedule[], given: Partial<Workspace> = {}): Workspace {
  const fields = Object.fromEntries(
    schedules.map((schedule) => [`schedule:${schedule.id}`, SCHEDULES.serialize(schedule)]),
  );
  return {
    ...parse('T1', fields),
    connectionNames: ['main'],
    defaultConnection: 'main',
    fields: {},
    ...given,
  };
}

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

/** A run whose log takes every write. @param slackUrl of the Slack that it speaks to, with a slash at the end */
export function recordedRun(
  slackUrl: string,
  now: number,
  report: (question: ReportQuestion) => ReportResult | Promise<ReportResult>,
  given: Partial<PostContext> = {},
): RecordedRun {
  const run = {
    writes: [] as LogWrite[],
    entries: [] as DeliveryLogEntry[],
    backOffs: [] as number[],
    paces: [] as string[],
    works: [] as Work[],
  };
  const log = pino({ level: 'silent' });
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {} };
  const logger = { ...quiet, getLevel: () => 'error' as never };
  const clients = createClientCache({ ...BACKGROUND_OPTIONS, slackApiUrl: slackUrl, logger });
  const context: PostContext = {
    ...{ teamId: 'T1', clock: () => now, log, workspace: workspaceOf([]), logSnapshot: snapshotOf([]) },
    ...{ unrecordedPosts: new Map(), probeFailures: new Map(), stopping: new AbortController().signal },
    answerCollector: { add: () => undefined, all: () => [] },
    reports: Object.fromEntries(
      REPORT_NAMES.map((name) => [
        name,
        { run: async (question: ReportQuestion) => report(question), covers: () => [] },
      ]),
    ),
    client: async () => clients('xoxb-T1', 'T1'),
    users: createUserDirectory(() => now),
    workspaces: { load: async () => context.workspace },
    loadWorkspace: () => context.workspaces.load('T1'),
    isOver: () => false,
    onFinished: (work: Work) => void run.works.push(work),
    write: async (write: LogWrite) => {
      run.writes.push(write);
      for (const { name, value } of [write, ...(write.with ?? [])])
        if (/^\w{8}\/\d/.test(name)) run.entries.push(value as DeliveryLogEntry);
      return 'written';
    },
    backOff: async (until: number) => void run.backOffs.push(until),
    waitForChannel: async (channel: string) => void run.paces.push(`wait ${channel}`),
    rememberPost: (channel: string) => void run.paces.push(`posted ${channel}`),
    ...given,
  } as unknown as PostContext;
  return { ...run, context };
}
