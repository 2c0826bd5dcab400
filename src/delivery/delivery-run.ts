import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BillingClient } from '../billing/client.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { OnFinished } from '../runtime/work-record.ts';
import type { UserDirectory } from '../slack/request/users.ts';
import type { WebClient } from '../slack/web-client.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import type { Workspaces } from '../workspace/record/workspaces.ts';
import type { AnswerCollector } from '../workspace/service-outcomes.ts';
import {
  type DeliveryLease,
  type DeliveryLog,
  type DeliveryLogSnapshot,
  LEASE_MS,
  type LogWrite,
} from './log/delivery-log.ts';

/** This run must not post anything more: another run may hold the lease by now. */
export class LeaseLostError extends Error {
  constructor() {
    super('Another process may hold the delivery lease.');
  }
}

/** Somebody paused, changed or deleted the schedule since it was read. The next pass reads it again. */
export class ScheduleChangedError extends Error {
  constructor() {
    super('The schedule or the watch was changed while Tally worked on it.');
  }
}

export interface DeliveryRunParts {
  readonly workspaces: Workspaces;
  readonly deliveryLog: DeliveryLog;
  /** @throws NotInstalled, UnsealFailed, StoreUnavailable */
  readonly clientFor: (workspace: SlackId) => Promise<WebClient>;
  readonly users: UserDirectory;
  readonly clock: () => Millis;
  readonly log: Logger;
  readonly onFinished: OnFinished;
  readonly lease: DeliveryLease;
  /** Posts that Slack took and the log could not record: workspace and delivery key → Slack's `ts`. */
  readonly unrecordedPosts: Map<string, string>;
  readonly stopping: AbortSignal;
}

/** One run for one workspace, for as long as it holds the lease. */
export type DeliveryRun = ReturnType<typeof startDeliveryRun>;

/** A run, with what one pass of it has read. */
export interface DeliveryContext extends DeliveryRun {
  readonly workspace: Workspace;
  readonly logSnapshot: DeliveryLogSnapshot;
  readonly billing: BillingClient;
  readonly answerCollector: AnswerCollector;
}

/** Slack takes about one post a second for a channel; in ms. */
const CHANNEL_INTERVAL = 1_050;

/** Renews the lease until `end`. */
export function startDeliveryRun(parts: DeliveryRunParts) {
  const { deliveryLog, lease, clock, stopping, clientFor, workspaces } = parts;
  const { teamId } = lease;
  const lastPosts = new Map<SlackId, Millis>();
  const renewal = keepLease(parts);
  let isBackingOff = false;
  let client: Promise<WebClient> | undefined;

  return {
    ...parts,
    teamId,
    /** Nothing new may begin: the process is stopping, the lease is lost, or Slack limits the rate. */
    isOver: (): boolean => stopping.aborted || isBackingOff || !renewal.isHeld(),
    /** Slack takes nothing from this workspace before `until`, in ms. */
    async backOff(until: Millis): Promise<void> {
      isBackingOff = true;
      await deliveryLog.backOff(lease, until);
    },
    /** Reads the workspace's record again, not earlier than it is asked for. @throws StoreUnavailable */
    loadWorkspace: shareReads(() => workspaces.load(teamId)),
    /** The workspace's client, the same for the whole run. @throws NotInstalled, UnsealFailed */
    client(): Promise<WebClient> {
      client ??= clientFor(teamId);
      return client;
    },
    /** Writes a field of the log; `needsLease` also checks the lease's age. @throws LeaseLostError, StoreUnavailable */
    async write(write: LogWrite): ReturnType<DeliveryLog['write']> {
      if (write.needsLease === true && !renewal.isHeld()) throw new LeaseLostError();
      return deliveryLog.write(lease, write);
    },
    /** Leaves a second between two posts to one channel. @param lastPost ms since the epoch */
    async waitForChannel(channel: SlackId, lastPost: Millis = 0): Promise<void> {
      const last = Math.max(lastPosts.get(channel) ?? 0, lastPost);
      // If the clock went back, this still waits no longer than one interval.
      const rest = Math.min(CHANNEL_INTERVAL, last + CHANNEL_INTERVAL - clock());
      if (rest > 0) await delay(rest, undefined, { signal: stopping });
    },
    rememberPost: (channel: SlackId) => void lastPosts.set(channel, clock()),
    end: renewal.stop,
  };
}

/**
 * Calls in one turn of the event loop, or during a read, share the next read, which begins after each of them: so no
 * caller gets what was read before it asked.
 */
function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const loadNext = async (): Promise<T> => {
    await Promise.allSettled([underWay]);
    await new Promise(process.nextTick);
    next = undefined;
    const reading = read();
    underWay = reading;
    return reading;
  };
  return () => {
    next ??= loadNext();
    return next;
  };
}

/** The lease may expire in Redis while this process hangs, so its age is measured here as well. */
function keepLease({ deliveryLog, lease, log }: DeliveryRunParts) {
  const { teamId } = lease;
  let renewed = performance.now();
  let isLost = false;
  const timer = setInterval(() => {
    const began = performance.now();
    deliveryLog.renew(lease).then(
      (isHeld) => {
        if (isHeld) renewed = began;
        else isLost = true;
      },
      (err: unknown) => log.warn({ err, workspace: teamId }, 'Could not renew the lease of a delivery run'),
    );
  }, LEASE_MS / 4);
  return {
    isHeld: () => !isLost && performance.now() - renewed < LEASE_MS,
    stop: () => clearInterval(timer),
  };
}

/** A field of the delivery log that several processes may read, change and write. */
export type StateDocument<T> = ReturnType<typeof openState<T>>;

const MAX_ATTEMPTS = 10;

/** What a write needs, and what is written with it. */
export type WriteConditions = Omit<LogWrite, 'name' | 'before' | 'value'>;

/** Opens the field as this pass read it. @param parse gets the stored JSON, or undefined if nothing is stored */
export function openState<T>(
  name: string,
  parse: (json: string | undefined) => T,
  context: Pick<DeliveryContext, 'teamId' | 'logSnapshot' | 'deliveryLog' | 'write'>,
) {
  let before = context.logSnapshot.state(name);
  let value = parse(before);
  const document = {
    value: (): T => value,
    /**
     * Applies `change` and writes the result. If another process wrote first, `change` is applied to the newer value.
     * Does nothing if it changes nothing, and once the field is deleted.
     *
     * @throws LeaseLostError, with `needsLease` also when it was deleted; ScheduleChangedError if the record is not as expected; StoreUnavailable
     */
    async update(change: (value: T) => T, conditions: WriteConditions = {}): Promise<void> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const after = change(value);
        const json = JSON.stringify(after);
        if (json === before) return;
        const outcome = await context.write({ name, before, value: after, ...conditions });
        if (outcome === 'changed') throw new ScheduleChangedError();
        if (outcome === 'written') {
          [before, value] = [json, after];
          return;
        }
        const now = (await context.deliveryLog.load(context.teamId)).state(name);
        if (now === undefined && conditions.needsLease !== true) return;
        if (now === undefined || now === before) break;
        [before, value] = [now, parse(now)];
      }
      throw new LeaseLostError();
    },
    /** Writes it over the value as last read. @throws LeaseLostError also if another process wrote since; as `update` */
    replace(after: T, conditions?: WriteConditions): Promise<void> {
      const known = value;
      return document.update((now) => {
        if (now !== known) throw new LeaseLostError();
        return after;
      }, conditions);
    },
  };
  return document;
}
