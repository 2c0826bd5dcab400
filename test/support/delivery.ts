/** The engine of scheduled posts without the rest of the bot, with reports of the tests' own. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { BillingClient } from '../../src/billing/client.ts';
import { createDelivery } from '../../src/delivery/delivery.ts';
import { createDeliveryLog } from '../../src/delivery/delivery-log.ts';
import { createEngine } from '../../src/delivery/engine.ts';
import type { PostableReport, ReportQuestion, ReportResult } from '../../src/delivery/report.ts';
import { createScheduler } from '../../src/delivery/scheduler.ts';
import { connectQueue } from '../../src/redis.ts';
import { BACKGROUND_OPTIONS, createClientCache } from '../../src/slack/web-client.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createLastUsed } from '../../src/workspace/last-used.ts';
import { listScheduledWorkspaces } from '../../src/workspace/schedule-store.ts';
import type { ReportName, Schedule } from '../../src/workspace/schedules.ts';
import { createWorkspaces } from '../../src/workspace/workspaces.ts';

export interface DeliveryOptions {
  readonly redis: Redis;
  readonly redisUrl: string;
  /** With a slash at the end. */
  readonly slackUrl: string;
  readonly clock?: () => number;
  /** What each report says. */
  readonly report?: (question: ReportQuestion, name: ReportName) => ReportResult | Promise<ReportResult>;
  readonly billing?: BillingClient;
  readonly onLog?: (line: string) => void;
}

const NO_BILLING = {
  balance: () => Promise.reject(new Error('no billing')),
  consumption: () => Promise.reject(new Error('no billing')),
};

export function createDeliveryParts(options: DeliveryOptions) {
  const { redis, redisUrl, slackUrl, clock = Date.now, billing = NO_BILLING } = options;
  const lines: string[] = [];
  const onLog = options.onLog ?? ((line: string) => void lines.push(line));
  const log = pino({ level: 'debug' }, { write: onLog });
  const keyring = createKeyring([{ id: 'test', key: randomBytes(32) }]);
  const workspaces = createWorkspaces({ redis, keyring });
  const deliveryLog = createDeliveryLog(redis);
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {} };
  const clients = createClientCache({
    ...BACKGROUND_OPTIONS,
    slackApiUrl: slackUrl,
    logger: { ...quiet, getLevel: () => 'error' as never },
  });
  const { report = () => finding('100') } = options;
  const reportOf = (name: ReportName): PostableReport => ({
    run: async (question) => report(question, name),
    covers: () => [],
  });
  const reports: Record<ReportName, PostableReport> = {
    yesterday: reportOf('yesterday'),
    'last-week': reportOf('last-week'),
    'month-to-date': reportOf('month-to-date'),
    balance: reportOf('balance'),
  };
  const delivery = createDelivery({
    workspaces,
    deliveryLog,
    clientFor: async (workspace) => clients(`xoxb-${workspace}`, workspace),
    reports: () => reports,
    billing,
    used: createLastUsed(workspaces, (err) => log.debug({ err })),
    clock,
    log,
  });
  const queue = connectQueue(redisUrl, () => undefined);
  const scheduler = createScheduler({ connection: queue, clock, onError: (err) => log.debug({ err }) });
  const scheduledWorkspaces = () => listScheduledWorkspaces(redis);
  const engine = createEngine({
    scheduler,
    delivery,
    workspaces,
    deliveryLog,
    scheduledWorkspaces,
    clock,
    log,
  });
  return {
    workspaces,
    deliveryLog,
    delivery,
    scheduler,
    engine,
    lines,
    async close() {
      await engine.stop(5_000);
      queue.disconnect();
    },
  };
}

/** Says one figure, of project 123. */
export const finding = (digits: string | undefined, isEmpty = false): ReportResult => ({
  message: {
    text: `Spent ${digits ?? 'nothing'}`,
    blocks: [{ type: 'section', text: { type: 'plain_text', text: `Spent ${digits ?? 'nothing'}` } }],
  },
  figures: digits === undefined ? {} : { '123:1': digits },
  covers: 'the day before',
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
  owner: 'U0OWNER001',
  createdBy: 'U0OWNER001',
  createdAt: 0,
  since: 0,
  ...given,
});

/** Saves a schedule without the form. */
export const save = (redis: Redis, workspace: string, one: Schedule) =>
  redis.hset(`tally:workspace:${workspace}`, `schedule:${one.id}`, JSON.stringify(one));
