/** The delivery worker without the rest of the bot, for tests with their own reports. */
import { randomBytes } from 'node:crypto';
import { type Logger, LogLevel } from '@slack/bolt';
import type { Cluster, Redis } from 'ioredis';
import { pino } from 'pino';
import { type BillingClient, reportOutcomes } from '../../src/billing/client.ts';
import { createDeliveryLog } from '../../src/delivery/log/delivery-log.ts';
import { createPostsJob } from '../../src/delivery/posts/posts-job.ts';
import type { ReportQuestion, ReportResult } from '../../src/delivery/posts/run-report.ts';
import { createScheduleService } from '../../src/delivery/posts/schedule-service.ts';
import { remindersJob } from '../../src/delivery/reminders/reminders.ts';
import { createRunPlanner } from '../../src/delivery/run-planner.ts';
import { createScheduler } from '../../src/delivery/wakeup/scheduler.ts';
import { createWatchFiguresStore } from '../../src/delivery/watches/watch-figures-store.ts';
import { createWatchService } from '../../src/delivery/watches/watch-service.ts';
import { createWatchesJob } from '../../src/delivery/watches/watches-job.ts';
import { createWorkspaceRunner } from '../../src/delivery/workspace-runner.ts';
import { connectQueue } from '../../src/redis/connect.ts';
import { recordKey } from '../../src/redis/keys.ts';
import type { OnFinished } from '../../src/runtime/work-record.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import { BACKGROUND_OPTIONS, createClientCache } from '../../src/slack/web-client.ts';
import { createKeyring, type Keyring } from '../../src/vault/keyring.ts';
import type { Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { deleteOrphan } from '../../src/workspace/record/deletion.ts';
import { createWorkspaceIndex, type WorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { createAnswerStore, createServiceOutcomes } from '../../src/workspace/service-outcomes.ts';
import { createThreadStore } from '../../src/workspace/thread-store.ts';

export interface DeliveryOptions {
  readonly redis: Redis | Cluster;
  readonly redisUrl: string;
  /** With a trailing slash. */
  readonly slackUrl: string;
  readonly clock?: () => number;
  /** Returns the result of a report. */
  readonly report?: (question: ReportQuestion) => ReportResult | Promise<ReportResult>;
  /** The same for every workspace. */
  readonly botToken?: string;
  readonly billing?: BillingClient;
  readonly keyring?: Keyring;
  readonly onLog?: (line: string) => void;
  readonly onFinished?: OnFinished;
  readonly index?: WorkspaceIndex;
}

const unasked = () => Promise.reject(new Error('no billing'));
export const NO_BILLING: BillingClient = { balance: unasked, consumption: unasked };

/** For the Web API's client. */
export const QUIET: Logger = {
  ...{ debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {} },
  getLevel: () => LogLevel.ERROR,
};

export function createDeliveryParts(options: DeliveryOptions) {
  const { redis, redisUrl, slackUrl, clock = Date.now } = options;
  const lines: string[] = [];
  const onLog = options.onLog ?? ((line: string) => void lines.push(line));
  const log = pino({ level: 'debug' }, { write: onLog });
  const { keyring = createKeyring([{ id: 'test', key: randomBytes(32) }]) } = options;
  const workspaces = createWorkspaces({ redis, keyring });
  const deliveryLog = createDeliveryLog(redis);
  const clients = createClientCache({
    ...BACKGROUND_OPTIONS,
    slackApiUrl: slackUrl,
    logger: QUIET,
  });
  const { report = () => finding('100') } = options;
  const makeReport = async (question: ReportQuestion) => report(question);
  const watchFigures = createWatchFiguresStore(redis);
  const notes = createServiceOutcomes({
    workspaces,
    changed: (workspace) => planner.changed(workspace),
    clock,
    onFailure: (err) => log.debug({ err }),
  });
  const billing = reportOutcomes(options.billing ?? NO_BILLING, notes.billing);
  const given = {
    ...{ workspaces, deliveryLog, billing, clock, log, users: createUserDirectory(clock) },
    clientFor: async (workspace: string) => clients(options.botToken ?? `xoxb-${workspace}`, workspace),
    threads: createThreadStore(redis),
    answerStore: createAnswerStore(workspaces, (err) => log.debug({ err })),
    onFinished: options.onFinished ?? (() => undefined),
  };
  const jobs = [createPostsJob(makeReport), remindersJob, createWatchesJob(watchFigures)];
  const runner = createWorkspaceRunner({ ...given, jobs });
  const queue = connectQueue(redisUrl, () => undefined);
  const scheduler = createScheduler({
    connection: queue,
    clock,
    onError: (err) => log.debug({ err }),
  });
  const planner = createRunPlanner({
    scheduler,
    runner,
    jobs,
    workspaces,
    deliveryLog,
    index: options.index ?? createWorkspaceIndex(redis),
    deleteOrphan: (workspace, fields) => deleteOrphan(redis, workspace, fields),
    clock,
    log,
  });
  return {
    workspaces,
    saveRejection: notes.rejected,
    watching: createWatchService({
      deliveryLog,
      figures: watchFigures,
      billing,
      changed: planner.changed,
      clock,
    }),
    scheduling: createScheduleService({ ...given, makeReport, changed: planner.changed }),
    deliveryLog,
    runner,
    scheduler,
    planner,
    lines,
    async close() {
      await planner.stop(5_000);
      queue.disconnect();
    },
  };
}

export const COVERED = { first: '2026-11-18', last: '2026-11-18', zone: 'UTC' };

/** A report's result with one figure for project 123. */
export const finding = (digits: string | undefined, isEmpty = false): ReportResult => ({
  message: {
    text: `Spent ${digits ?? 'nothing'}`,
    blocks: [{ type: 'section', text: { type: 'plain_text', text: `Spent ${digits ?? 'nothing'}` } }],
  },
  figures: digits === undefined ? {} : { '123:1': digits },
  covers: COVERED,
  isEmpty,
  unanswered: {},
});

export const schedule = (given: Partial<Schedule> = {}): Schedule => ({
  id: 'schedul1',
  report: 'yesterday',
  projects: [{ id: '123', product: 1 }],
  timing: { cadence: { kind: 'daily' }, time: '09:00', zone: 'Europe/Rome' },
  channel: 'C0COSTS001',
  skipsEmpty: false,
  correctsFrom: 5,
  waitHours: 3,
  owner: 'U0OWNER001',
  createdBy: 'U0OWNER001',
  createdAt: 0,
  since: 0,
  ...given,
});

/** Saves a schedule without the form; the next repair schedules its runs. */
export async function save(redis: Redis, workspace: string, schedule: Schedule): Promise<void> {
  await createWorkspaceIndex(redis).setCheck(workspace, 0);
  await redis.hset(recordKey(workspace), `schedule:${schedule.id}`, JSON.stringify(schedule));
}
