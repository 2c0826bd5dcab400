import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryContext } from '../context.ts';
import type { Job } from '../job.ts';
import type { DeliveryLogSnapshot } from '../log/delivery-log.ts';
import { earliest, splitByTime } from '../log/due-dates.ts';
import { backOffEnd } from '../outbox/retry.ts';
import { alertActionAt, sendAlerts } from './alert-send.ts';
import { isSuspended, nextCheckAt, WATCH_STATE } from './check-time.ts';
import { checkWatches } from './watch-check.ts';
import type { WatchFiguresStore } from './watch-figures.ts';
import { parseWatchState, type StoredWatchState } from './watch-state.ts';

/** Checks watches, and sends alerts. @param figures what billing last said of the watched projects */
export const createWatchesJob = (figures: WatchFiguresStore): Job => ({
  plan(workspace, snapshot, now) {
    const plan = planWatches(workspace, snapshot, now);
    return { ...plan, isIdle: isWatchIdle(plan), run: (context) => runWatches(plan, figures, context) };
  },
});

export interface WatchPlan {
  readonly isCheckDue: boolean;
  /** Watches with messages to send, or to draw again. */
  readonly alerting: readonly Watch[];
  /** States that are no longer needed. */
  readonly stale: readonly string[];
  /** When there is something to do, in ms; undefined for never. */
  readonly next: number | undefined;
}

/** Nothing is to be done now. */
export const isWatchIdle = ({ isCheckDue, alerting }: WatchPlan): boolean =>
  !isCheckDue && alerting.length === 0;

/** What to do about watches at `now` (ms), by the record and the delivery log. */
export function planWatches(workspace: Workspace, snapshot: DeliveryLogSnapshot, now: Millis): WatchPlan {
  const states = new Map(
    snapshot
      .statesOf(WATCH_STATE)
      .map(([name, json]) => [name.slice(WATCH_STATE.length), parseWatchState(json)]),
  );
  const check = nextCheckAt(workspace, snapshot, now);
  const isCheckDue = check !== undefined && check <= now;
  // Slack's rate limit delays messages, not questions to billing.
  const backOffUntil = backOffEnd(snapshot, now);
  const acting = workspace.watches.flatMap((watch) => {
    const at = actionAt(states.get(watch.id), isSuspended(watch, now));
    return at === undefined ? [] : [{ what: watch, at: Math.max(at, backOffUntil) }];
  });
  const known = new Set(workspace.watchIds);
  const { due, next } = splitByTime(acting, now);
  return {
    isCheckDue,
    alerting: due,
    stale: [...states.keys()].flatMap((id) =>
      known.has(id) || canBeRestored(id, workspace) ? [] : [WATCH_STATE + id],
    ),
    next: earliest(isCheckDue ? undefined : check, next),
  };
}

function actionAt(state: StoredWatchState | undefined, isWatchSuspended: boolean): number | undefined {
  const { alerts = [] } = state ?? {};
  return earliest(
    ...alerts.flatMap((alert) =>
      alert.messages.map((message) => alertActionAt(alert, message, isWatchSuspended)),
    ),
  );
}

/** Whether an undo can still bring the watch back: until then its state is kept. */
const canBeRestored = (id: string, { fields }: Workspace): boolean =>
  fields[FIELDS.removedWatch + id] !== undefined;

/**
 * Checks what is due, else sends what checks left: what a pause or a failure of Slack held back is sent as the newest
 * check sees it. @throws LeaseLostError, StoreUnavailable
 */
export async function runWatches(
  { isCheckDue, alerting }: WatchPlan,
  store: WatchFiguresStore,
  context: DeliveryContext,
): Promise<void> {
  if (context.isOver()) return;
  if (isCheckDue) return checkWatches(store, context);
  if (alerting.length === 0) return;
  const known = await store.read(context.teamId);
  for (const watch of alerting) if (!context.isOver()) await sendAlerts(watch, known, context);
}
