import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type BillingAccess, type BillingClient, questionKey } from '../billing/client.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { OnFinished } from '../ops/work-record.ts';
import type { UserDirectory } from '../slack/request/users.ts';
import type { WebClient } from '../slack/web-client.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import type { Workspaces } from '../workspace/record/workspaces.ts';
import type { AnswerCollector, AnswerStore } from '../workspace/service-outcomes.ts';
import type { DeliveryLog, DeliveryLogSnapshot } from './delivery-log.ts';

/** What a run has read of a workspace. */
export interface RunView {
  readonly workspace: Workspace;
  readonly snapshot: DeliveryLogSnapshot;
  readonly now: Millis;
}

/** What every run works with. */
export interface RunParts {
  readonly workspaces: Workspaces;
  readonly deliveryLog: DeliveryLog;
  readonly billing: BillingClient;
  /** @throws not-installed, unseal-failed, store-unavailable */
  readonly clientFor: (workspace: SlackId) => Promise<WebClient>;
  readonly users: UserDirectory;
  readonly clock: () => Millis;
  readonly log: Logger;
  readonly onFinished: OnFinished;
  readonly answerStore: AnswerStore;
}

/** What one pass of a run has read, and works with. */
export interface DeliveryContext extends RunParts, RunView {
  readonly teamId: SlackId;
  readonly answerCollector: AnswerCollector;
  readonly stopping: AbortSignal;
  /** Nothing new may begin: the process is stopping, or Slack limits the rate. */
  isOver(): boolean;
  /** Slack takes nothing from this workspace before `until`, in ms. @throws store-unavailable */
  backOff(until: Millis): Promise<void>;
  /** Reads the workspace's record as it is now: once for all who ask at the same moment. @throws store-unavailable */
  loadWorkspace(): Promise<Workspace>;
  /** The workspace's client. @throws not-installed, unseal-failed */
  client(): Promise<WebClient>;
  /** Leaves a second between two messages to one channel. */
  waitForChannel(channel: SlackId): Promise<void>;
}

/** Slack takes about one post a second for a channel; in ms. */
const CHANNEL_INTERVAL: Millis = 1_050;

/** What stays the same over the passes of a run. */
export function openRun(teamId: SlackId, parts: RunParts, stopping: AbortSignal) {
  const { deliveryLog, clientFor, workspaces, clock } = parts;
  const lastPosts = new Map<SlackId, Millis>();
  let isBackingOff = false;
  let loading: Promise<Workspace> | undefined;
  let client: Promise<WebClient> | undefined;
  return {
    ...parts,
    billing: askOnce(parts.billing),
    teamId,
    stopping,
    isOver: () => stopping.aborted || isBackingOff,
    async backOff(until: Millis) {
      isBackingOff = true;
      await deliveryLog.backOff(teamId, until);
    },
    loadWorkspace() {
      loading ??= setImmediate().then(() => {
        loading = undefined;
        return workspaces.load(teamId);
      });
      return loading;
    },
    client() {
      client ??= clientFor(teamId);
      return client;
    },
    async waitForChannel(channel: SlackId) {
      const now = clock();
      const at = Math.max(now, (lastPosts.get(channel) ?? 0) + CHANNEL_INTERVAL);
      // If the clock went back, this still waits no longer than one interval.
      const rest = Math.min(CHANNEL_INTERVAL, at - now);
      lastPosts.set(channel, now + rest);
      if (rest > 0) await delay(rest, undefined, { signal: stopping });
    },
  };
}

/** Asks each question once, failures included: not every schedule waits for a service that is down. People's questions go first. */
export function askOnce(billing: BillingClient): BillingClient {
  const answers = new Map<string, Promise<unknown>>();
  const once = <T>(
    access: BillingAccess,
    question: readonly unknown[],
    ask: () => Promise<T>,
  ): Promise<T> => {
    const key = questionKey(access, question);
    const answer = (answers.get(key) as Promise<T> | undefined) ?? ask();
    answers.set(key, answer);
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
}
