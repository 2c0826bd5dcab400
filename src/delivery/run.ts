/** One run of a workspace: load, plan, do what is due, repeat until idle; then schedule the next run. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import { type BillingClient, questionKey } from '../billing/client.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { earliest, type Millis } from '../domain/time/calendar.ts';
import { type RunWork, trackWork } from '../ops/work-record.ts';
import { isPerson } from '../workspace/record/parse-record.ts';
import { createAnswerCollector } from '../workspace/service-outcomes.ts';
import { dueTime, type OutboxMessage, OvertakenError } from './delivery-log.ts';
import type { DeliveryContext, MessageKind, RunParts, RunView } from './outbox/message-kind.ts';
import { deliverMessage } from './outbox/send.ts';

/** Schedules the next run; undefined for never, because the workspace was removed. @throws store-unavailable */
type PlanRun = (next: Millis | undefined) => Promise<void>;

/** Retry delay if another process is working on the workspace. */
const BUSY: Millis = 3_000;
/** A run also does what becomes due while it runs, in at most this many passes. */
const MAX_PASSES = 10;
/** Channels written to in parallel. Messages to one channel are sequential. */
const CHANNELS = 5;

export interface WorkspaceRunner {
  /**
   * Does everything due. Safe to repeat or to run late. @param plan schedules the next run, replacing an earlier plan; if
   * absent, the caller does @returns when the next run is due; undefined for never @throws store-unavailable
   */
  run(workspace: SlackId, plan?: PlanRun): Promise<Millis | undefined>;
  stop(): void;
}

/** @param kinds planned in this order */
export function createWorkspaceRunner(kinds: readonly MessageKind[], parts: RunParts): WorkspaceRunner {
  const { clock, onFinished } = parts;
  const stopping = new AbortController();
  // Each waiting message adds a listener; Node would warn at eleven.
  setMaxListeners(0, stopping.signal);

  async function runPasses(teamId: SlackId, plan?: PlanRun): Promise<Millis | undefined> {
    const run = openRun(teamId, parts, stopping.signal);
    let planned: { readonly read: unknown; readonly next: Millis | undefined } | undefined;
    for (let pass = 0; pass < MAX_PASSES && !run.isEnding(); pass += 1) {
      const view = await loadView(teamId, parts);
      const read = view && [view.workspace.fields, view.snapshot.fields];
      if (planned !== undefined && isDeepStrictEqual(read, planned.read)) return planned.next;
      const { isIdle, next } = view ? await doWhatIsDue(kinds, view, run) : { isIdle: true };
      if (!isIdle) continue;
      if (plan === undefined) return next;
      // `plan` also replaces a wake-up set by a change during this run, so read once more.
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
            const next = clock() + (isStopped ? 0 : BUSY);
            await plan?.(next);
            return next;
          }
        },
      ),
    stop: () => stopping.abort(),
  };
}

/** @returns undefined if the workspace was removed @throws store-unavailable */
async function loadView(
  teamId: SlackId,
  { workspaces, deliveryLog, clock }: RunParts,
): Promise<RunView | undefined> {
  const [workspace, snapshot] = await Promise.all([workspaces.load(teamId), deliveryLog.load(teamId)]);
  const hasLeft = Object.keys(workspace.fields).length === 0;
  return hasLeft ? undefined : { workspace, snapshot, now: clock() };
}

/** @returns whether nothing was due, and then when something is */
async function doWhatIsDue(kinds: readonly MessageKind[], view: RunView, run: OpenedRun) {
  const { due, tasks, writes, next } = planRun(kinds, view);
  if (writes.length + tasks.length + due.length === 0) return { isIdle: true, next };
  // If another process wrote first, the next pass reads its result.
  if (writes.length > 0) await run.deliveryLog.write(run.teamId, writes);
  const answerCollector = createAnswerCollector(run.clock);
  const context = { ...run, ...view, answerCollector };
  for (const task of tasks) if (!context.isEnding()) await task(context);
  await deliverAll(due, context);
  await Promise.all(answerCollector.all().map((answer) => run.answerStore.save(view.workspace, answer)));
  return { isIdle: false };
}

interface DueMessage {
  readonly kind: MessageKind;
  readonly message: OutboxMessage;
}

/** All kinds' plans for one instant, and the stored messages that are due. */
function planRun(kinds: readonly MessageKind[], view: RunView) {
  const { snapshot, now } = view;
  const plans = kinds.map((kind) => ({ kind, ...kind.plan(view) }));
  const stored = kinds.flatMap((kind) =>
    snapshot.messagesOf(kind).map((message) => ({
      ...{ kind, message },
      at: kind.dueAt === undefined ? dueTime(message, now) : kind.dueAt(message, view),
    })),
  );
  return {
    writes: plans.flatMap(({ writes = [] }) => writes),
    tasks: plans.flatMap(({ task }) => task ?? []),
    due: stored.filter(({ at }) => at !== undefined && at <= now),
    next: earliest(...plans.map(({ next }) => next), ...stored.map(({ at }) => at)),
  };
}

async function deliverAll(due: readonly DueMessage[], context: DeliveryContext): Promise<void> {
  const byPlace = new Map<string, DueMessage[]>();
  for (const each of due) {
    const { channel, to } = each.message;
    // People are one place: a message for one may be passed on to another.
    const place = isPerson(to) ? 'people' : (channel ?? to);
    byPlace.set(place, [...(byPlace.get(place) ?? []), each]);
  }
  const limit = pLimit(CHANNELS);
  const inOrder = async (messages: readonly DueMessage[]): Promise<void> => {
    for (const { kind, message } of messages)
      if (!context.isEnding()) await deliverMessage(kind, message, context);
  };
  const ended = await Promise.allSettled([...byPlace.values()].map((messages) => limit(inOrder, messages)));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Slack allows about one message a second per channel. */
const CHANNEL_INTERVAL: Millis = 1_050;

/** The part of the context that all passes share. */
interface OpenedRun extends Omit<DeliveryContext, keyof RunView | 'answerCollector'> {
  /** Until when Slack takes nothing, in ms. */
  quietUntil(): Millis | undefined;
}

function openRun(teamId: SlackId, parts: RunParts, stopping: AbortSignal): OpenedRun {
  const { clientFor, workspaces, clock } = parts;
  const lastPosts = new Map<SlackId, Millis>();
  let quietUntil: Millis | undefined;
  return {
    ...parts,
    billing: askOnce(parts.billing),
    ...{ teamId, stopping },
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
 * Caches answers and failures for one run, so that not every schedule waits for a service that is down. Asks with background
 * priority.
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
