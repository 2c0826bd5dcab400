import { setMaxListeners } from 'node:events';
import { type BillingAccess, type BillingClient, questionKey } from '../billing/client.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { earliest, MINUTE, type Millis } from '../domain/time/calendar.ts';
import { type Annotate, type RunWork, trackWork } from '../runtime/work-record.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import { type AnswerStore, createAnswerCollector } from '../workspace/service-outcomes.ts';
import {
  type DeliveryContext,
  type DeliveryRun,
  type DeliveryRunParts,
  LeaseLostError,
  startDeliveryRun,
} from './delivery-run.ts';
import type { DeliveryLogSnapshot } from './log/delivery-log.ts';

/** When a workspace has something to do again. */
export interface NextWork {
  /** Besides the calendar; undefined for never. */
  readonly next?: Millis | undefined;
  /** The calendar's next date that is still ahead; undefined for none. */
  readonly nextDue?: Millis | undefined;
}

/** A kind of work that nobody asked for at that moment: posts, watches, reminders. */
export interface Job {
  /** What is to be done for a workspace at `now` (ms), by its record and its delivery log. */
  plan(workspace: Workspace, snapshot: DeliveryLogSnapshot, now: Millis): PlannedWork;
}

/** One thing to do. @throws LeaseLostError, StoreUnavailable */
export type Task = (context: DeliveryContext) => Promise<void>;

/** What a job has to do at one instant. */
export interface PlannedWork extends NextWork {
  /** What is due now, in its order. */
  readonly tasks: readonly Task[];
  /** Fields of the delivery log that are no longer needed. */
  readonly stale: readonly string[];
}

/** The tasks of all jobs, in the jobs' order. While there are tasks, the next run is due at once. */
export function planJobs(
  jobs: readonly Job[],
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  now: Millis,
): PlannedWork {
  const all = jobs.map((job) => job.plan(workspace, snapshot, now));
  const tasks = all.flatMap((work) => work.tasks);
  return {
    tasks,
    next: tasks.length === 0 ? earliest(...all.map(({ next }) => next)) : now,
    nextDue: earliest(...all.map(({ nextDue }) => nextDue)),
    stale: all.flatMap(({ stale }) => stale),
  };
}

export const taskEach = <T>(
  items: readonly T[],
  work: (item: T, context: DeliveryContext) => Promise<void>,
): readonly Task[] => items.map((item) => (context) => work(item, context));

/** Does one after the other, until nothing new may begin. @throws LeaseLostError, StoreUnavailable */
async function runTasks(tasks: readonly Task[], context: DeliveryContext): Promise<void> {
  for (const task of tasks) if (!context.isOver()) await task(context);
}

export interface RunnerParts extends Omit<DeliveryRunParts, 'lease' | 'unrecordedPosts' | 'stopping'> {
  /** In the order in which they run. */
  readonly jobs: readonly Job[];
  readonly billing: BillingClient;
  readonly answerStore: AnswerStore;
}

export type WorkspaceRunner = ReturnType<typeof createWorkspaceRunner>;

/** Another process holds the lease: try again after this. */
const BUSY_DELAY: Millis = 3_000;
/** What becomes due during a run is done in the same run, but not without end. */
const MAX_PASSES = 10;

export function createWorkspaceRunner(parts: RunnerParts) {
  const { jobs, workspaces, deliveryLog, answerStore, clock, onFinished } = parts;
  const stopping = new AbortController();
  // Every post that waits listens to it, and there may be any number of them: Node would warn from the eleventh on.
  setMaxListeners(0, stopping.signal);
  const billingForRun = createBillingCache(parts.billing, clock);
  const unrecordedPosts = new Map<string, string>();

  /** Takes the lease of a workspace, and delivers. @returns when to run again */
  async function deliver(workspace: SlackId, annotate: Annotate<RunWork>): Promise<NextWork> {
    const lease = await deliveryLog.lease(workspace);
    if (lease === 'gone') {
      annotate({ outcome: 'gone' });
      return {};
    }
    if (lease === 'taken') {
      annotate({ outcome: 'lease-taken' });
      return { next: clock() + BUSY_DELAY };
    }
    const run = startDeliveryRun({ ...parts, lease, unrecordedPosts, stopping: stopping.signal });
    try {
      return await runPasses(run);
    } catch (error) {
      if (!stopping.signal.aborted && !(error instanceof LeaseLostError)) throw error;
      annotate({ outcome: stopping.signal.aborted ? 'stopped' : 'lease-lost' });
      return { next: clock() + (stopping.signal.aborted ? 0 : BUSY_DELAY) };
    } finally {
      run.end();
      // If the store is away, the lease expires by itself.
      await deliveryLog.release(lease).catch(() => undefined);
    }
  }

  /** Plans and delivers until nothing is left. @returns when to run again */
  async function runPasses(run: DeliveryRun): Promise<NextWork> {
    const { teamId, lease } = run;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const [workspace, logSnapshot] = await Promise.all([workspaces.load(teamId), deliveryLog.load(teamId)]);
      const work = planJobs(jobs, workspace, logSnapshot, clock());
      await deliveryLog.drop(lease, work.stale);
      if (work.tasks.length === 0) return work;
      if (run.isOver()) return { next: clock() };
      const answerCollector = createAnswerCollector(clock);
      await runTasks(work.tasks, {
        ...run,
        workspace,
        logSnapshot,
        billing: billingForRun(),
        answerCollector,
      });
      await Promise.all(answerCollector.all().map((answer) => answerStore.save(workspace, answer)));
    }
    return { next: clock() + BUSY_DELAY };
  }

  return {
    /**
     * Delivers whatever is due in a workspace. Only one process does so at a time, and an extra, repeated or late call
     * does no harm.
     *
     * @returns when to run again
     * @throws StoreUnavailable
     */
    run: (workspace: SlackId): Promise<NextWork> =>
      trackWork<RunWork, NextWork>(
        { kind: 'run', workspace, outcome: 'ok', began: performance.now() },
        onFinished,
        (annotate) => deliver(workspace, annotate),
      ),
    stop: (): void => stopping.abort(),
  };
}

/** Many schedules ask for the same figures at the same moment: answers are kept this long, in ms. */
const KEEP_MS = MINUTE;
const MAX_ANSWERS = 200;

/**
 * A billing client that asks each question once: within a minute for all runs of this process, and at most once within a
 * run, failures included, so that not every schedule waits for a service that is down. People's questions go first.
 *
 * @returns creates the client of one run
 */
export function createBillingCache(billing: BillingClient, clock: () => Millis): () => BillingClient {
  const shared = new Map<string, { readonly until: Millis; readonly answer: Promise<unknown> }>();

  function recent<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const now = clock();
    const known = shared.get(key);
    if (known !== undefined && known.until > now && known.until <= now + KEEP_MS)
      return known.answer as Promise<T>;
    for (const [old, { until }] of shared) if (until <= now || shared.size >= MAX_ANSWERS) shared.delete(old);
    const answer = ask();
    shared.set(key, { until: now + KEEP_MS, answer });
    answer.catch(() => shared.delete(key));
    return answer;
  }

  return () => {
    const own = new Map<string, Promise<unknown>>();
    const once = <T>(access: BillingAccess, question: readonly unknown[], ask: () => Promise<T>) => {
      const key = questionKey(access, question);
      const known = own.get(key) as Promise<T> | undefined;
      const answer = known ?? recent(key, ask);
      own.set(key, answer);
      return answer;
    };
    return {
      balance: (access, { project, product }) =>
        once(access, ['balance', project, product], () =>
          billing.balance(access, { project, product }, 'background'),
        ),
      consumption: (access, { project, product }, span) =>
        once(access, ['consumption', project, product, span.from, span.to, span.zone], () =>
          billing.consumption(access, { project, product }, span, 'background'),
        ),
    };
  };
}
