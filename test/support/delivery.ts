/** The delivery worker without the rest of the bot, for tests with their own reports. */
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { noticeKind } from '../../src/delivery/notice-kind.ts';
import { postKind } from '../../src/delivery/posts/post-kind.ts';
import type { LastDelivery } from '../../src/delivery/posts/post-record.ts';
import { createPostService } from '../../src/delivery/posts/post-service.ts';
import { reminderKind } from '../../src/delivery/reminder-kind.ts';
import type { ReportRequest, ReportResult } from '../../src/delivery/reports/make-report.ts';
import { createWakeUps } from '../../src/delivery/wake-ups.ts';
import { alertKind } from '../../src/delivery/watches/alert-kind.ts';
import { createWatchService } from '../../src/delivery/watches/watch-service.ts';
import { connectQueue } from '../../src/redis/connect.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import type { Schedule } from '../../src/workspace/record/automation-records.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-store.ts';
import { createRunner, type RunnerOptions } from './delivery-runner.ts';

export interface DeliveryOptions extends RunnerOptions {
  readonly redisUrl: string;
  readonly report?: (question: ReportRequest) => ReportResult | Promise<ReportResult>;
}

export function createDeliveryParts(options: DeliveryOptions) {
  const { redisUrl, report = () => finding('100') } = options;
  const makeReport = async (question: ReportRequest) => report(question);
  const kinds = [postKind, noticeKind, reminderKind, alertKind];
  const changed = (workspace: string) => planner.changed(workspace);
  const { parts, lines, outcomes, runner } = createRunner({ changed, makeReport, ...options }, kinds);
  const queue = connectQueue(redisUrl, () => undefined);
  const planner = createWakeUps({ ...parts, queue, runner });
  return {
    ...parts,
    lines,
    runner,
    planner,
    saveRejection: outcomes.rejected,
    watching: createWatchService({ ...parts, changed }),
    scheduling: createPostService({ ...parts, changed }),
    async close() {
      await planner.stop(5_000);
      queue.disconnect();
    },
  };
}

/** Opens the queue as another process would. */
export function openWakeUps(
  redis: Redis,
  redisUrl: string,
  given: { run?: (workspace: string) => Promise<void>; clock?: () => number } = {},
) {
  const queue = connectQueue(redisUrl, () => undefined);
  const workspaces = createWorkspaces({
    redis,
    keyring: createKeyring([{ id: 'k', key: Buffer.alloc(32) }]),
  });
  const runner = {
    async run(workspace: string) {
      await given.run?.(workspace);
      return undefined;
    },
    stop: () => undefined,
  };
  const { clock = Date.now } = given;
  const wakeUps = createWakeUps({ redis, queue, workspaces, clock, log: pino({ level: 'silent' }), runner });
  return {
    ...wakeUps,
    async close() {
      await wakeUps.stop(1_000);
      queue.disconnect();
    },
  };
}

export const COVERED = { first: '2026-11-18', last: '2026-11-18', zone: 'UTC' };

export const finding = (digits: string | undefined): ReportResult => ({
  message: {
    text: `Spent ${digits ?? 'nothing'}`,
    print: '',
    blocks: [{ type: 'section', text: { type: 'plain_text', text: `Spent ${digits ?? 'nothing'}` } }],
  },
  figures: digits === undefined ? {} : { '123:1': digits },
  covers: COVERED,
  unanswered: {},
});

export const schedule = (given: Partial<Schedule> = {}): Schedule => ({
  id: 'schedul1',
  report: 'yesterday',
  projects: [{ id: '123', product: 1 }],
  timing: { cadence: { kind: 'daily' }, time: '09:00', zone: 'Europe/Rome' },
  channel: 'C0COSTS001',
  waitHours: 3,
  owner: 'U0OWNER001',
  createdBy: 'U0OWNER001',
  createdAt: 0,
  since: 0,
  ...given,
});

/** The delivery log's entry for a schedule's last post. */
export function lastPost(
  id: string,
  { date = '2026-11-21', due = 0, at = due, ...given }: Partial<LastDelivery>,
): Record<string, string> {
  const { result = 'posted', cause, next } = given;
  const state = result.startsWith('posted') ? 'posted' : result === 'failed' ? 'failed' : 'due';
  const { report, projects, timing } = schedule();
  const subject = { report, projects, timing, zone: 'UTC', covers: COVERED, connections: [] };
  const post = { earlier: { counted: 0, named: [] }, figures: {}, unanswered: {}, subject };
  const about = {
    due,
    tried: at,
    post: { ...post, isLate: result === 'posted-late' },
    ...(result === 'paused' && { basis: 'before' }),
  };
  const stored = { to: 'C0COSTS001', state, at, tries: 1, ...(next && { next }), cause, about };
  return { [`post/${id}/${date}`]: JSON.stringify(stored) };
}

export async function save(redis: Redis, workspace: string, schedule: Schedule): Promise<void> {
  await createWorkspaceIndex(redis).touch(workspace);
  await redis.hset(recordKey(workspace), `schedule:${schedule.id}`, JSON.stringify(schedule));
}
