/** A run of a workspace reads its records, sends all due messages, and schedules the next run. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import type { BillingClient, BillingCredentials } from '../billing/client.ts';
import { isPerson, type SlackId } from '../domain/slack-id.ts';
import { earliest, type Millis } from '../domain/time/calendar.ts';
import { type RunWork, trackWork } from '../ops/work-record.ts';
import { createOutcomeCollector } from '../workspace/save-service-outcomes.ts';
import { nextAttemptAt, type OutboxMessage, OvertakenError } from './delivery-log.ts';
import type { MessageKind } from './outbox/message-kind.ts';
import { deliverMessage } from './outbox/send.ts';
import type { DeliveryContext, RunServices, RunView } from './run-context.ts';

type PlanRun = (next: Millis | undefined) => Promise<void>;

const BUSY_PAUSE: Millis = 3_000;
/** More messages can become due during a run. This limits how often the run plans again. */
const MAX_PASSES = 10;
/** How many channels get messages in parallel. Messages to one channel go out one after another. */
const PARALLEL_CHANNELS = 5;

export interface WorkspaceRunner {
  /**
   * Does everything that is due. Safe to repeat or to run late. @param plan schedules the next run, unless the
   * caller does that @returns when the next run is due; undefined for never @throws store-unavailable
   */
  run(workspace: SlackId, plan?: PlanRun): Promise<Millis | undefined>;
  stop(): void;
}

export function createWorkspaceRunner(kinds: readonly MessageKind[], services: RunServices): WorkspaceRunner {
  const { clock, onFinished } = services;
  const stopping = new AbortController();
  // Each waiting message listens to this signal. By default Node warns at the eleventh listener.
  setMaxListeners(0, stopping.signal);

  async function runPasses(teamId: SlackId, plan?: PlanRun): Promise<Millis | undefined> {
    const run = openRun(teamId, services, stopping.signal);
    let planned: { readonly read: unknown; readonly next: Millis | undefined } | undefined;
    for (let pass = 0; pass < MAX_PASSES && !run.isEnding(); pass += 1) {
      const view = await loadView(teamId, services);
      const read = view && [view.workspace.fields, view.snapshot.fields];
      if (planned !== undefined && isDeepStrictEqual(read, planned.read)) return planned.next;
      const { isIdle, next } = view ? await doWhatIsDue(kinds, view, run) : { isIdle: true };
      if (!isIdle) continue;
      if (plan === undefined) return next;
      // `plan` may have replaced a run that was requested because of a change, so read the records once more.
      await plan(next);
      planned = { read, next };
    }
    const next = run.quietUntil() ?? clock();
    await plan?.(next);
    return next;
  }

  return {
    run: (workspace, plan) =>
      trackWork<RunWork, Millis | undefined>(
        { kind: 'run', workspace, outcome: 'ok', began: performance.now() },
        onFinished,
        async (annotate) => {
          try {
            return await runPasses(workspace, plan);
          } catch (error) {
            const isStopped = stopping.signal.aborted;
            if (!isStopped && !(error instanceof OvertakenError)) throw error;
            annotate({ outcome: isStopped ? 'stopped' : 'overtaken' });
            const next = clock() + (isStopped ? 0 : BUSY_PAUSE);
            await plan?.(next);
            return next;
          }
        },
      ),
    stop: () => stopping.abort(),
  };
}

async function loadView(
  teamId: SlackId,
  { workspaces, deliveryLog, clock }: RunServices,
): Promise<RunView | undefined> {
  const [workspace, snapshot] = await Promise.all([workspaces.load(teamId), deliveryLog.load(teamId)]);
  const hasLeft = Object.keys(workspace.fields).length === 0;
  return hasLeft ? undefined : { workspace, snapshot, now: clock() };
}

async function doWhatIsDue(kinds: readonly MessageKind[], view: RunView, run: OpenedRun) {
  const { due, tasks, writes, next } = planRun(kinds, view);
  if (writes.length + tasks.length + due.length === 0) return { isIdle: true, next };
  // If another process wrote first, the next pass reads what that process wrote.
  if (writes.length > 0) await run.deliveryLog.write(run.teamId, writes);
  const outcomeCollector = createOutcomeCollector(run.clock);
  const context = { ...run, ...view, outcomeCollector };
  for (const task of tasks) if (!context.isEnding()) await task(context);
  await deliverAll(due, context);
  await Promise.all(outcomeCollector.all().map((answer) => run.outcomeStore.save(view.workspace, answer)));
  return { isIdle: false };
}

interface DueMessage {
  readonly kind: MessageKind;
  readonly message: OutboxMessage;
}

function planRun(kinds: readonly MessageKind[], view: RunView) {
  const { snapshot, now } = view;
  const plans = kinds.map((kind) => ({ kind, ...kind.plan(view) }));
  const stored = kinds.flatMap((kind) =>
    snapshot.messagesOf(kind).map((message) => {
      const planned = nextAttemptAt(message, now);
      return { kind, message, at: kind.dueAt ? kind.dueAt(message, view, planned) : planned };
    }),
  );
  return {
    writes: plans.flatMap(({ writes = [] }) => writes),
    tasks: plans.flatMap(({ task }) => task ?? []),
    due: stored.filter(({ at }) => at !== undefined && at <= now),
    next: earliest(...plans.map(({ next }) => next), ...stored.map(({ at }) => at)),
  };
}

async function deliverAll(due: readonly DueMessage[], context: DeliveryContext): Promise<void> {
  const queues = new Map<string, DueMessage[]>();
  for (const each of due) {
    const { channel, to } = each.message;
    // All people share one queue, because a message for one person may be passed on to another.
    const queue = isPerson(to) ? 'people' : (channel ?? to);
    queues.set(queue, [...(queues.get(queue) ?? []), each]);
  }
  const limit = pLimit(PARALLEL_CHANNELS);
  const inOrder = async (messages: readonly DueMessage[]): Promise<void> => {
    for (const { kind, message } of messages)
      if (!context.isEnding()) await deliverMessage(kind, message, context);
  };
  const ended = await Promise.allSettled([...queues.values()].map((messages) => limit(inOrder, messages)));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Slack allows about one message a second in a channel. */
const CHANNEL_INTERVAL: Millis = 1_050;

interface OpenedRun extends Omit<DeliveryContext, keyof RunView | 'outcomeCollector'> {
  quietUntil(): Millis | undefined;
}

function openRun(teamId: SlackId, services: RunServices, stopping: AbortSignal): OpenedRun {
  const { clientFor, workspaces, clock } = services;
  const lastPosts = new Map<SlackId, Millis>();
  let quietUntil: Millis | undefined;
  return {
    ...services,
    billing: askOnce(services.billing),
    teamId,
    stopping,
    isEnding: () => stopping.aborted || quietUntil !== undefined,
    quietUntil: () => quietUntil,
    backOff(until) {
      quietUntil = until;
    },
    loadWorkspace: () => workspaces.load(teamId),
    client: () => clientFor(teamId),
    async waitForChannel(channel) {
      const now = clock();
      const at = Math.max(now, (lastPosts.get(channel) ?? 0) + CHANNEL_INTERVAL);
      // Wait at most one interval, even if the clock was set back.
      const rest = Math.min(CHANNEL_INTERVAL, at - now);
      lastPosts.set(channel, now + rest);
      if (rest > 0) await delay(rest, undefined, { signal: stopping });
    },
  };
}

/**
 * Keeps billing's answers and failures for one run, so that a service that is down holds up the run once, not for each
 * schedule. People's own questions have priority over a run's.
 */
export function askOnce(billing: BillingClient): BillingClient {
  const answers = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const answer = answers.get(key) ?? ask();
    answers.set(key, answer);
    return answer as Promise<T>;
  };
  return {
    balance: (access, asked) =>
      once(questionKey(access, ['balance', asked.project, asked.product]), () =>
        billing.balance(access, asked, 'background'),
      ),
    consumption(access, asked, span) {
      const question = ['consumption', asked.project, asked.product, span.from, span.to, span.zone];
      return once(questionKey(access, question), () =>
        billing.consumption(access, asked, span, 'background'),
      );
    },
  };
}

const questionKey = (
  { workspace, connection, baseUrl, token }: BillingCredentials,
  question: readonly unknown[],
): string => JSON.stringify([workspace, connection, baseUrl, token, ...question]);
