import type { RedisConnection } from '../redis/connect.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { noticeKind } from './notice-kind.ts';
import { postKind } from './posts/post-kind.ts';
import { createPostService, type PostService } from './posts/post-service.ts';
import { reminderKind } from './reminder-kind.ts';
import { makeReport } from './reports/make-report.ts';
import { createWorkspaceRunner } from './run.ts';
import type { RunServices } from './run-context.ts';
import { createWakeUps, type WakeUps } from './wake-ups.ts';
import { alertKind } from './watches/alert-kind.ts';
import { createWatchService, type WatchService } from './watches/watch-service.ts';

/** Sends posts, alerts, reminders and notices. `scheduling` and `watching` carry out what people ask for. */
export interface DeliveryService extends WakeUps {
  readonly scheduling: PostService;
  readonly watching: WatchService;
}

export function createDeliveryService(
  options: Omit<RunServices, 'deliveryLog' | 'makeReport'> & {
    readonly redis: RedisConnection;
    /** A Redis connection from `connectQueue`. The caller closes it. */
    readonly queue: RedisConnection;
  },
): DeliveryService {
  const services = { ...options, deliveryLog: createDeliveryLog(options.redis), makeReport };
  const kinds = [postKind, noticeKind, reminderKind, alertKind];
  const wakeUps = createWakeUps({ ...services, runner: createWorkspaceRunner(kinds, services) });
  const { changed } = wakeUps;
  return {
    ...wakeUps,
    scheduling: createPostService({ ...services, changed }),
    watching: createWatchService({ ...services, changed }),
  };
}
