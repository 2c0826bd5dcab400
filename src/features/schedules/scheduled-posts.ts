import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { BillingClient } from '../../billing/client.ts';
import { createDelivery } from '../../delivery/delivery.ts';
import { createDeliveryLog, observeDeliveries } from '../../delivery/delivery-log.ts';
import { createEngine, type Scheduling } from '../../delivery/engine.ts';
import type { Reports } from '../../delivery/report.ts';
import { createScheduler } from '../../delivery/scheduler.ts';
import type { RateLimiter } from '../../slack/rate-limit.ts';
import type { WebClient } from '../../slack/web-client.ts';
import type { LastUsed } from '../../workspace/last-used.ts';
import { listScheduledWorkspaces } from '../../workspace/schedule-store.ts';
import type { LastDelivery } from '../../workspace/schedules.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { createSchedules } from './index.ts';

export interface ScheduledPostsParts {
  readonly redis: Redis;
  /** As `connectQueue` opens it; the caller closes it. */
  readonly queue: Redis;
  readonly workspaces: Workspaces;
  readonly billing: BillingClient;
  readonly limits: RateLimiter;
  readonly used: LastUsed;
  /** @throws NotInstalled, UnsealFailed, StoreUnavailable */
  readonly clientFor: (workspace: string) => Promise<WebClient>;
  /** What the features can post. */
  readonly reports: () => Reports;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly log: Logger;
  /** Called with the result of each due date. */
  readonly onSent: (result: LastDelivery['result']) => void;
}

/** Wires the feature that people see to the delivery that works by itself. */
export function createScheduledPosts(parts: ScheduledPostsParts): Feature {
  const { redis, queue, workspaces, billing, limits, used, clientFor, reports, clock, log, onSent } = parts;
  const deliveryLog = observeDeliveries(createDeliveryLog(redis), onSent);
  const scheduler = createScheduler({
    connection: queue,
    clock,
    onError: (err) => log.debug({ err }, 'the delivery queue reported an error'),
  });
  const engine = createEngine({
    scheduler,
    delivery: createDelivery({ workspaces, deliveryLog, clientFor, reports, billing, used, clock, log }),
    workspaces,
    deliveryLog,
    scheduledWorkspaces: () => listScheduledWorkspaces(redis),
    clock,
    log,
  });
  /** The change is stored by then, so the next repair makes up for a run that cannot be scheduled now. */
  const changed = (workspace: string): Promise<void> =>
    engine
      .changed(workspace)
      .catch((err: unknown) =>
        log.warn({ err, workspace }, 'could not reschedule a workspace; the next repair will'),
      );
  const send: Scheduling['send'] = async (teamId, schedule, why, userId) => {
    limits.demand('tests', { teamId, userId });
    await engine.send(teamId, schedule, why, userId);
  };
  return {
    ...createSchedules({ workspaces, scheduling: { ...engine, send, changed }, reports }),
    start: engine.start,
    stop: engine.stop,
    connected: changed,
    forget: scheduler.forget,
  };
}
