import { LRUCache } from 'lru-cache';
import { type Failure, isFailure, type Outage, QueueFull, ServicePaused } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { HttpLimits, Priority, ServiceRequest } from './exchange.ts';

/**
 * Decides when a request may go out, so that nothing that one workspace does pauses or delays what others ask: each has
 * its turns at the connections, and its own pauses after outages.
 */
export function createAdmission(limits: HttpLimits) {
  const queue = createFairQueue(limits);
  const breakers = createBreakers(limits);

  function throwIfPaused(request: ServiceRequest, { origin, host }: URL): void {
    const cause = breakers.pausedBy(origin, request);
    if (cause !== undefined) throw new ServicePaused(request.service, host, cause);
  }

  return {
    /**
     * Runs `work` at the request's turn for the origin of `url`.
     *
     * @throws {ServicePaused} after too many outages
     * @throws {QueueFull} if too many of the workspace wait already, or an interactive request waited too long
     */
    async run<T>(request: ServiceRequest, url: URL, work: () => Promise<T>): Promise<T> {
      throwIfPaused(request, url);
      return queue.run(url.origin, request, async () => {
        // The breaker may have opened while this request waited.
        throwIfPaused(request, url);
        try {
          const answer = await work();
          breakers.recordAnswer(url.origin, request);
          return answer;
        } catch (error) {
          if (isFailure(error)) breakers.recordFailure(url.origin, request, error);
          throw error;
        }
      });
    },
    /** Refuses what waits, and from now on what would have to. */
    close: () => queue.close(),
  };
}

type QueuedRequest = Pick<ServiceRequest, 'service' | 'tenant' | 'priority'>;

interface Waiter {
  start(): void;
  refuse(): void;
}

/** The requests of one workspace to one origin. */
interface WorkspaceQueue {
  running: number;
  readonly waiters: Readonly<Record<Priority, Waiter[]>>;
}

interface Origin {
  freeConnections: number;
  runningInBackground: number;
  /** By workspace; the one whose turn was longest ago comes first. */
  readonly queues: Map<string, WorkspaceQueue>;
}

/**
 * Shares the connections to each origin among workspaces, in turn. A workspace never runs more requests than there are
 * free connections: alone it gets half of them, two get a third each, and the next one to come finds one free even
 * while all other requests hang. Background requests go last, and all of them together keep to the same limit.
 *
 * Written here: p-limit, p-queue and fastq have one line for everyone, and BullMQ's groups are not in its free edition.
 */
function createFairQueue({ connections, queueLength, queueTimeout }: HttpLimits) {
  const origins = new Map<string, Origin>();
  let isClosed = false;

  const originOf = (name: string): Origin =>
    getOrCreate(origins, name, () => ({
      freeConnections: connections,
      runningInBackground: 0,
      queues: new Map(),
    }));

  /** Resolves when it is this request's turn and its connection is reserved. */
  function waitForTurn(
    originName: string,
    workspace: SlackId,
    { service, priority = 'interactive' }: QueuedRequest,
  ): Promise<void> {
    const origin = originOf(originName);
    const queue = queueOf(origin, workspace);
    const waiters = queue.waiters[priority];
    if (priority === 'interactive' && waiters.length >= queueLength) throw new QueueFull(service);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const waiter: Waiter = {
        start() {
          clearTimeout(timer);
          queue.running += 1;
          origin.freeConnections -= 1;
          if (priority === 'background') origin.runningInBackground += 1;
          resolve();
        },
        refuse() {
          clearTimeout(timer);
          reject(new QueueFull(service));
        },
      };
      const giveUp = () => {
        waiters.splice(waiters.indexOf(waiter), 1);
        removeIfIdle(originName, workspace);
        waiter.refuse();
      };
      waiters.push(waiter);
      startAll(origin);
      if (!waiters.includes(waiter)) return;
      if (isClosed) giveUp();
      else if (priority === 'interactive') timer = setTimeout(giveUp, queueTimeout);
    });
  }

  function releaseTurn(originName: string, workspace: SlackId, { priority }: QueuedRequest): void {
    const origin = originOf(originName);
    queueOf(origin, workspace).running -= 1;
    origin.freeConnections += 1;
    if (priority === 'background') origin.runningInBackground -= 1;
    startAll(origin);
    removeIfIdle(originName, workspace);
  }

  function removeIfIdle(originName: string, workspace: SlackId): void {
    const origin = originOf(originName);
    const { running, waiters } = queueOf(origin, workspace);
    if (running === 0 && Object.values(waiters).every(({ length }) => length === 0))
      origin.queues.delete(workspace);
    if (origin.queues.size === 0) origins.delete(originName);
  }

  return {
    async run<T>(originName: string, request: QueuedRequest, work: () => Promise<T>): Promise<T> {
      const workspace = request.tenant?.workspace ?? '';
      await waitForTurn(originName, workspace, request);
      try {
        return await work();
      } finally {
        releaseTurn(originName, workspace, request);
      }
    },
    close(): void {
      isClosed = true;
      for (const { queues } of origins.values())
        for (const { waiters } of queues.values())
          for (const list of Object.values(waiters)) for (const waiter of list.splice(0)) waiter.refuse();
    },
  };
}

/** Starts as many waiting requests as connections and fairness allow. */
function startAll(origin: Origin): void {
  for (let next = findNext(origin); next !== undefined; next = findNext(origin)) {
    const { workspace, priority } = next;
    const queue = queueOf(origin, workspace);
    // To the end of the line, until its next turn.
    origin.queues.delete(workspace);
    origin.queues.set(workspace, queue);
    queue.waiters[priority].shift()?.start();
  }
}

function findNext({
  freeConnections,
  runningInBackground,
  queues,
}: Origin): { workspace: SlackId; priority: Priority } | undefined {
  for (const priority of ['interactive', 'background'] as const) {
    if (priority === 'background' && runningInBackground >= freeConnections) return undefined;
    for (const [workspace, { running, waiters }] of queues)
      if (waiters[priority].length > 0 && running < freeConnections) return { workspace, priority };
  }
  return undefined;
}

const queueOf = ({ queues }: Origin, workspace: SlackId): WorkspaceQueue =>
  getOrCreate(queues, workspace, () => ({ running: 0, waiters: { interactive: [], background: [] } }));

function getOrCreate<T>(map: Map<string, T>, key: string, create: () => T): T {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

/** Outages in a row of one connection at one origin. */
interface Streak {
  outages: number;
  /** What the failed requests were about; two are enough to tell that it is not one project's fault. */
  readonly subjects: Set<string>;
  lastOutage: Outage;
  /** By `performance.now()`. */
  pausedUntil: Millis;
  /** Weak, because a group may be any object of the caller. */
  readonly groups: WeakSet<object>;
}

type RequestKey = Pick<ServiceRequest, 'tenant' | 'subject' | 'outageGroup'>;

/**
 * Pauses the requests of a connection to an origin after many outages in a row. Each connection of each workspace has
 * its own breaker, so nobody pauses what others ask. While only one project of a connection fails, only its requests
 * are paused. After the pause, a single outage pauses them again; any answer, even a refusal, ends the streak.
 *
 * Not cockatiel's breaker: it measures the pause by the wall clock, and a refusal does not end its streak.
 */
function createBreakers({ breakerThreshold, breakerPause, failingConnections }: HttpLimits) {
  const streaks = new LRUCache<string, Streak>({ max: failingConnections });

  return {
    /** @returns the outage that pauses these requests; undefined when they are not paused */
    pausedBy(origin: string, request: RequestKey): Outage | undefined {
      // `peek`: only a failure renews a streak's place in the cache.
      const streak = streaks.peek(keyOf(origin, request));
      if (streak === undefined || !isPaused(streak)) return undefined;
      const isOtherSubject = streak.subjects.size === 1 && !streak.subjects.has(request.subject ?? '');
      return isOtherSubject ? undefined : streak.lastOutage;
    },
    recordAnswer(origin: string, request: RequestKey): void {
      streaks.delete(keyOf(origin, request));
    },
    /** Requests of one `outageGroup` count as one outage. */
    recordFailure(origin: string, request: RequestKey, failure: Failure): void {
      const key = keyOf(origin, request);
      if (!isOutage(failure)) {
        streaks.delete(key);
        return;
      }
      const { subject = '', outageGroup = {} } = request;
      const streak = streaks.get(key) ?? newStreak(failure);
      if (!streak.groups.has(outageGroup)) streak.outages += 1;
      streak.groups.add(outageGroup);
      if (streak.subjects.size < 2) streak.subjects.add(subject);
      streak.lastOutage = failure;
      streaks.set(key, streak);
      if (streak.outages >= breakerThreshold && !isPaused(streak))
        streak.pausedUntil = performance.now() + breakerPause;
    },
  };
}

const keyOf = (origin: string, { tenant }: RequestKey): string =>
  [origin, tenant?.workspace ?? '', tenant?.connection ?? ''].join(' ');

const newStreak = (lastOutage: Outage): Streak => ({
  outages: 0,
  subjects: new Set(),
  lastOutage,
  pausedUntil: 0,
  groups: new WeakSet(),
});

const isPaused = ({ pausedUntil }: Streak): boolean => performance.now() < pausedUntil;

function isOutage(failure: Failure): failure is Outage {
  if (failure.kind === 'service-failed') return failure.status >= 500;
  return failure.kind === 'timed-out' || failure.kind === 'service-unreachable';
}
