import type { RedisConnection } from '../redis/connect.ts';
import { createDeliveryLog } from './delivery-log.ts';
import type { RunServices } from './outbox/message-kind.ts';
import { noticeKind } from './posts/notice-kind.ts';
import { postKind } from './posts/post-kind.ts';
import { createScheduleService } from './posts/send-now.ts';
import { reminderKind } from './reminder-kind.ts';
import { makeReport } from './reports/make-report.ts';
import { createWorkspaceRunner } from './run.ts';
import { createWakeUps } from './wake-ups.ts';
import { alertKind } from './watches/alert-kind.ts';
import { createWatchService } from './watches/watch-service.ts';

export interface DeliveryServices extends Omit<RunServices, 'deliveryLog' | 'makeReport'> {
  readonly redis: RedisConnection;
  /** A Redis connection from `connectQueue`. The caller closes it. */
  readonly queue: RedisConnection;
}

export type DeliveryService = ReturnType<typeof createDeliveryService>;

export function createDeliveryService(options: DeliveryServices) {
  const services = { ...options, deliveryLog: createDeliveryLog(options.redis), makeReport };
  const kinds = [postKind, noticeKind, reminderKind, alertKind];
  const wakeUps = createWakeUps({ ...services, runner: createWorkspaceRunner(kinds, services) });
  const { changed } = wakeUps;
  return {
    ...wakeUps,
    scheduling: createScheduleService({ ...services, changed }),
    watching: createWatchService({ ...services, changed }),
  };
}
