import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { BillingClient } from '../../billing/client.ts';
import { createDelivery } from '../../delivery/delivery.ts';
import { createDeliveryLog, type DeliveryLog } from '../../delivery/delivery-log.ts';
import { createEngine } from '../../delivery/engine.ts';
import { createScheduler } from '../../delivery/scheduler.ts';
import type { RateLimiter } from '../../slack/rate-limit.ts';
import type { WebClient } from '../../slack/web-client.ts';
import type { LastUsed } from '../../workspace/last-used.ts';
import { listScheduledWorkspaces } from '../../workspace/schedule-store.ts';
import type { LastDelivery, ReportName } from '../../workspace/schedules.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature, PostableReport } from '../feature.ts';
import { createSchedules } from './index.ts';
import type { Scheduling } from './scheduling.ts';

export interface ScheduledPostsParts {
  readonly redis: Redis;
  /** As `connectQueue` opens it; closed by whoever opened it. */
  readonly queue: Redis;
  readonly workspaces: Workspaces;
  readonly billing: BillingClient;
  readonly limits: RateLimiter;
  readonly used: LastUsed;
  /** @throws NotInstalled, UnsealFailed, StoreUnavailable */
  readonly clientFor: (workspace: string) => Promise<WebClient>;
  /** What the features have to post. */
  readonly reports: () => Readonly<Partial<Record<ReportName, PostableReport>>>;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly log: Logger;
  /** Told of each due date's end. */
  readonly onSent: (result: LastDelivery['result']) => void;
}

/** The whole of it: what people set up and see, and what posts by itself. */
export function createScheduledPosts(parts: ScheduledPostsParts): Feature {
  const { redis, queue, workspaces, billing, limits, used, clientFor, reports, clock, log, onSent } = parts;
  const ledger = watched(createDeliveryLog(redis), onSent);
  const alarms = createScheduler({
    connection: queue,
    clock,
    onError: (err) => log.debug({ err }, 'the queue stumbled'),
  });
  const engine = createEngine({
    alarms,
    delivery: createDelivery({ workspaces, ledger, clientFor, reports, billing, used, clock, log }),
    workspaces,
    ledger,
    scheduled: () => listScheduledWorkspaces(redis),
    clock,
    log,
  });
  /** What was changed is stored by then: an alarm that cannot be derived now is derived by the next repair. */
  const changed = (workspace: string): Promise<void> =>
    engine.changed(workspace).catch((err: unknown) => log.warn({ err }, 'schedules wait for the next look'));
  const send: Scheduling['send'] = async (teamId, schedule, why, userId) => {
    limits.demand('tests', { teamId, userId });
    await engine.send(teamId, schedule, why, userId);
  };
  return {
    ...createSchedules({ workspaces, scheduling: { ...engine, send, changed }, reports }),
    start: engine.start,
    stop: engine.stop,
    connected: changed,
    forget: alarms.forget,
  };
}

/** What the ledger does not take did not happen here. */
const watched = (ledger: DeliveryLog, onSent: ScheduledPostsParts['onSent']): DeliveryLog => ({
  ...ledger,
  async enter(lease, entering) {
    const entered = await ledger.enter(lease, entering);
    const { sent } = entering;
    if (entered !== undefined && sent !== undefined && sent.result !== 'trying') onSent(sent.result);
    return entered;
  },
});
