/** What a delivery run needs, for tests with their own jobs. */
import { randomBytes } from 'node:crypto';
import { type Logger, LogLevel } from '@slack/bolt';
import type { Cluster, Redis } from 'ioredis';
import { pino } from 'pino';
import { type BillingClient, reportOutcomes } from '../../src/billing/client.ts';
import { createDeliveryLog } from '../../src/delivery/delivery-log.ts';
import type { MessageKind } from '../../src/delivery/outbox/message-kind.ts';
import { type MakeReport, makeReport } from '../../src/delivery/reports/make-report.ts';
import { createWorkspaceRunner } from '../../src/delivery/run.ts';
import type { OnFinished } from '../../src/ops/work-record.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import { BACKGROUND_OPTIONS, createClientFactory } from '../../src/slack/web-client.ts';
import { createKeyring, type Keyring } from '../../src/vault/keyring.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import { createServiceOutcomes } from '../../src/workspace/save-service-outcomes.ts';
import { createThreadStore } from '../../src/workspace/thread-store.ts';

export interface RunnerOptions {
  readonly redis: Redis | Cluster;
  /** With a trailing slash. */
  readonly slackUrl: string;
  readonly clock?: () => number;
  readonly botToken?: string;
  readonly billing?: BillingClient;
  readonly makeReport?: MakeReport;
  readonly keyring?: Keyring;
  readonly onLog?: (line: string) => void;
  readonly onFinished?: OnFinished;
  readonly changed?: (workspace: string) => Promise<void>;
}

const unasked = () => Promise.reject(new Error('no billing'));
export const NO_BILLING: BillingClient = { balance: unasked, consumption: unasked };

export const QUIET: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => LogLevel.ERROR,
};

export function createRunner(options: RunnerOptions, kinds: readonly MessageKind[]) {
  const { redis, slackUrl, clock = Date.now, changed = async () => undefined } = options;
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: options.onLog ?? ((line) => void lines.push(line)) });
  const { keyring = createKeyring([{ id: 'test', key: randomBytes(32) }]) } = options;
  const workspaces = createWorkspaces({ redis, keyring });
  const deliveryLog = createDeliveryLog(redis);
  const clients = createClientFactory({ ...BACKGROUND_OPTIONS, slackApiUrl: slackUrl, logger: QUIET });
  const outcomes = createServiceOutcomes({
    workspaces,
    changed,
    clock,
    onFailure: (err) => log.debug({ err }),
  });
  const parts = {
    redis,
    workspaces,
    deliveryLog,
    clock,
    log,
    users: createUserDirectory(clock),
    billing: reportOutcomes(options.billing ?? NO_BILLING, outcomes.billing),
    clientFor: async (workspace: string) => clients(options.botToken ?? `xoxb-${workspace}`, workspace),
    outcomeStore: outcomes,
    makeReport: options.makeReport ?? makeReport,
    threads: createThreadStore(redis),
    onFinished: options.onFinished ?? (() => undefined),
  };
  return { parts, lines, outcomes, runner: createWorkspaceRunner(kinds, parts) };
}
