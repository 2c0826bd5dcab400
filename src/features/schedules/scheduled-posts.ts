import type { DeliveryService } from '../../delivery/delivery-service.ts';
import type { Reports } from '../../delivery/posts/postable-report.ts';
import type { Scheduling } from '../../delivery/posts/schedule-service.ts';
import type { RateLimiter } from '../../slack/server/rate-limit.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import type { Feature } from '../feature.ts';
import { createSchedules } from './index.ts';

declare module '../feature.ts' {
  interface Feature {
    /** What schedules can post. */
    readonly reports?: Reports;
  }
}

export interface ScheduledPostsParts {
  readonly workspaces: Workspaces;
  readonly delivery: DeliveryService;
  readonly limits: RateLimiter;
  /** What the features can post. */
  readonly reports: () => Reports;
}

/** Wires the feature that people see to the delivery that works by itself. */
export function createSchedulesFeature({
  workspaces,
  delivery,
  limits,
  reports,
}: ScheduledPostsParts): Feature {
  const { scheduling, start, stop, forget } = delivery;
  const send: Scheduling['send'] = async (teamId, schedule, why, userId) => {
    limits.demand('tests', { teamId, userId });
    await scheduling.send(teamId, schedule, why, userId);
  };
  return {
    ...createSchedules({ workspaces, scheduling: { ...scheduling, send }, reports }),
    ...{ start, stop, forget },
    connected: scheduling.changed,
  };
}
