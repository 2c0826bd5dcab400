import type { Logger } from 'pino';
import type { BillingClient } from '../billing/client.ts';
import { type Day, dayAt } from '../domain/time/calendar.ts';
import type { PostableReport } from '../features/feature.ts';
import { postMessage } from '../slack/post-message.ts';
import type { WebClient } from '../slack/web-client.ts';
import { type AnswerNotes, collectAnswerNotes, type LastUsed } from '../workspace/last-used.ts';
import type { LastDelivery, ReportName, Schedule } from '../workspace/schedules.ts';
import type { Workspace, Workspaces } from '../workspace/workspaces.ts';
import { createBillingCache } from './billing-cache.ts';
import {
  type DeliveryContext,
  type DeliveryRun,
  LeaseLostError,
  reportAt,
  startDeliveryRun,
} from './context.ts';
import { correctPost } from './correction.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { notifyOwners } from './notify-owner.ts';
import { abandonDelivery, resumeSchedule } from './outcome.ts';
import { type DeliveryPlan, planDeliveries } from './plan.ts';
import { deliverPost } from './post.ts';
import { manualPostMessage } from './post-blocks.ts';

export interface DeliveryParts {
  readonly workspaces: Workspaces;
  readonly ledger: DeliveryLog;
  /** @throws NotInstalled, UnsealFailed, StoreUnavailable */
  readonly clientFor: (workspace: string) => Promise<WebClient>;
  readonly reports: () => Readonly<Partial<Record<ReportName, PostableReport>>>;
  readonly billing: BillingClient;
  readonly used: LastUsed;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly log: Logger;
}

export interface Delivery {
  /**
   * Does whatever is to be done for a workspace now, alone among all processes: an extra, doubled or late call does no
   * harm.
   *
   * @returns when there is something to do again beside the calendar, in ms
   * @throws StoreUnavailable
   */
  run(workspace: string): Promise<number | undefined>;
  /** Posts what the schedule would, as of now, beside ledger and calendar. @throws Failure */
  send(workspace: string, schedule: Schedule, why: 'test' | 'now', by: string): Promise<void>;
  /** No further post is begun. */
  stop(): void;
}

/** Somebody else is at it: looked at again after this, in ms. */
const BUSY = 3_000;
/** What falls due while a run lasts is taken along, but nothing keeps a run going for ever. */
const MOST_ROUNDS = 10;
/** Channels of one workspace that are posted to side by side. */
const CHANNELS = 5;

export function createDelivery(parts: DeliveryParts): Delivery {
  const { workspaces, ledger, clientFor, clock, log } = parts;
  const stopping = new AbortController();
  const askedOnce = createBillingCache(parts.billing, clock);
  const arrived = new Map<string, string>();
  const reportOf = ({ report }: Pick<Schedule, 'report'>): PostableReport => {
    const found = parts.reports()[report];
    if (found === undefined) throw new Error(`There is no report ${report}.`);
    return found;
  };

  async function noteUsed(teamId: string, workspace: Workspace, answered: AnswerNotes) {
    await Promise.all(answered.all().map((notes) => parts.used.note({ teamId, workspace }, notes)));
  }

  /** It is out: that it could not be noted is no failure of it. */
  async function noteByHand(workspace: string, record: Workspace, schedule: Schedule) {
    const at = clock();
    const sent = sentByHand(record.lastSent(schedule.id), dayAt(at, schedule.timing.zone), at);
    await workspaces
      .noteSent(workspace, record, schedule.id, sent)
      .catch((err: unknown) => log.warn({ err, workspace }, 'what was sent by hand could not be noted'));
  }

  async function rounds(run: DeliveryRun): Promise<number | undefined> {
    const { teamId, lease } = run;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const [workspace, book] = await Promise.all([workspaces.read(teamId), ledger.read(teamId)]);
      const plan = planDeliveries(workspace, book, clock());
      await ledger.drop(lease, plan.stale);
      if (isIdle(plan)) return plan.next;
      if (run.isOver()) return clock();
      const answered = collectAnswerNotes(clock);
      const failing = new Map<string, unknown>();
      await carryOut(plan, { ...run, workspace, book, billing: askedOnce(), answered, failing });
      await noteUsed(teamId, workspace, answered);
    }
    return clock() + BUSY;
  }

  return {
    async run(workspace) {
      const lease = await ledger.lease(workspace);
      if (lease === 'gone') return undefined;
      if (lease === 'taken') return clock() + BUSY;
      const run = startDeliveryRun({
        workspaces,
        ledger,
        clientFor,
        clock,
        log,
        lease,
        reportOf,
        arrived,
        stopping: stopping.signal,
      });
      try {
        return await rounds(run);
      } catch (error) {
        if (stopping.signal.aborted) return clock();
        if (!(error instanceof LeaseLostError)) throw error;
        log.warn({ workspace }, 'a run that delivers posts lost its lease');
        return clock() + BUSY;
      } finally {
        run.end();
        // It lapses by itself where the store does not answer.
        await ledger.release(lease).catch(() => undefined);
      }
    },
    async send(teamId, schedule, why, by) {
      const workspace = await workspaces.read(teamId);
      const answered = collectAnswerNotes(clock);
      const asking = { workspace, billing: parts.billing, answered };
      const finding = await reportAt(reportOf(schedule), schedule, clock(), asking);
      const client = await clientFor(teamId);
      await postMessage(
        client,
        { channel: schedule.channel, thread: undefined },
        manualPostMessage(finding, why, by),
      );
      await noteUsed(teamId, workspace, answered);
      if (why === 'now') await noteByHand(teamId, workspace, schedule);
    },
    stop: () => stopping.abort(),
  };
}

/** What failed is made up for; what is tried still is tried on. */
function sentByHand(before: LastDelivery | undefined, date: Day, at: number): LastDelivery {
  if (before?.result === 'trying') return { ...before, byHand: at };
  const { cause: _, next, ts, ...rest } = before ?? { date, due: at, failures: 0 };
  return { ...rest, result: 'posted', at, byHand: at };
}

export const isIdle = ({ tasks, resumed, looks, untold, stranded }: DeliveryPlan): boolean =>
  tasks.length + resumed.length + looks.length + untold.length + stranded.length === 0;

/** Channels side by side, and one after the other what goes to one channel. */
async function carryOut(
  { tasks, resumed, looks, untold, stranded }: DeliveryPlan,
  round: DeliveryContext,
): Promise<void> {
  for (const one of stranded) await abandonDelivery(one, round);
  await notifyOwners(untold, round);
  // The next round finds them running.
  for (const one of resumed) await resumeSchedule(one, round);
  const channels = new Map<string, (() => Promise<void>)[]>();
  const add = (channel: string, work: () => Promise<void>): void => {
    channels.set(channel, [...(channels.get(channel) ?? []), work]);
  };
  for (const task of tasks) add(task.schedule.channel, () => deliverPost(task, round));
  for (const look of looks) add(look.line.entry.post?.channel ?? '', () => correctPost(look, round));
  const queues = [...channels.values()];
  const work = async () => {
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift())
      for (const one of queue) if (!round.isOver()) await one();
  };
  const ended = await Promise.allSettled(Array.from({ length: CHANNELS }, work));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
