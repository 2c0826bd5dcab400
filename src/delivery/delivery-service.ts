import type { RedisConnection } from '../redis/connect.ts';
import { createDeliveryLog } from './delivery-log.ts';
import type { RunParts } from './outbox/message-kind.ts';
import { noticeKind } from './posts/notice-kind.ts';
import { createPostKind } from './posts/post-kind.ts';
import { createScheduleService } from './posts/send-now.ts';
import { reminderKind } from './reminder-kind.ts';
import { makeReport } from './reports/make-report.ts';
import { createWorkspaceRunner } from './run.ts';
import { createWakeUps } from './wake-ups.ts';
import { alertKind } from './watches/alert-kind.ts';
import { createWatchService } from './watches/watch-service.ts';

export interface DeliveryParts extends Omit<RunParts, 'deliveryLog'> {
  readonly redis: RedisConnection;
  /** From `connectQueue`; the caller closes it. */
  readonly queue: RedisConnection;
}

/** Background delivery, and the parts of it that features call. */
export type DeliveryService = ReturnType<typeof createDeliveryService>;

export function createDeliveryService(options: DeliveryParts) {
  const parts = { ...options, deliveryLog: createDeliveryLog(options.redis) };
  const kinds = [createPostKind(makeReport), noticeKind, reminderKind, alertKind];
  const wakeUps = createWakeUps({ ...parts, runner: createWorkspaceRunner(kinds, parts) });
  const { changed } = wakeUps;
  return {
    ...wakeUps,
    scheduling: createScheduleService({ ...parts, makeReport, changed }),
    watching: createWatchService({ ...parts, changed }),
  };
}
