import { LRUCache } from 'lru-cache';
import { type Failure, isFailure, type Outage, QueueFull, ServicePaused } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { startTimeout } from '../runtime/timers.ts';
import type { HttpLimits, Priority, ServiceRequest } from './exchange.ts';

/**
 * Decides when a request may go out, so that nothing that one workspace does pauses or delays what others ask: each has
 * its turns at the connections, and its own pauses after outages.
 */
export function createAdmission(limits: HttpLimits) {
  const queue = createFairQueue(limits);
  const breakers = createBreakers(limits);

  return {
    /**
     * Runs `work` at the request's turn for the origin of `url`.
     *
     * @throws {ServicePaused} after too many outages
     * @throws {QueueFull} if too many of the workspace wait already, or an interactive request waited too long
     */
    async run<T>(request: ServiceRequest, url: URL, work: () => Promise<T>): Promise<T> {
      breakers.requireClosed(request, url);
      return queue.run(url.origin, request, async () => {
        // The breaker may have opened while this request waited.
        breakers.requireClosed(request, url);
        try {
          const answer = await work();
          breakers.recordAnswer(request, url);
          return answer;
        } catch (error) {
          if (isFailure(error)) breakers.recordFailure(request, url, error);
          throw error;
        }
      });
    },
    /** Refuses what waits, and from now on what would have to. */
    close: queue.close,
  };
}

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
  /** By workspace, least recently served first. */
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

  async function run<T>(
    name: string,
    { service, tenant, priority = 'interactive' }: ServiceRequest,
    work: () => Promise<T>,
  ): Promise<T> {
    const workspace = tenant?.workspace ?? '';
    const origin = getOrCreate(origins, name, () => ({
      freeConnections: connections,
      runningInBackground: 0,
      queues: new Map(),
    }));
    const queue = queueOf(origin, workspace);
    const waiters = queue.waiters[priority];
    if (priority === 'interactive' && waiters.length >= queueLength) throw new QueueFull(service);
    const reserve = (count: 1 | -1): void => {
      queue.running += count;
      origin.freeConnections -= count;
      if (priority === 'background') origin.runningInBackground += count;
    };
    const removeIfIdle = (): void => {
      const isWaiting = Object.values(queue.waiters).some(({ length }) => length > 0);
      if (queue.running === 0 && !isWaiting) origin.queues.delete(workspace);
      if (origin.queues.size === 0) origins.delete(name);
    };
    await new Promise<void>((resolve, reject) => {
      let cancelTimeout = (): void => undefined;
      const waiter: Waiter = {
        start() {
          cancelTimeout();
          reserve(1);
          resolve();
        },
        refuse() {
          cancelTimeout();
          waiters.splice(waiters.indexOf(waiter), 1);
          removeIfIdle();
          reject(new QueueFull(service));
        },
      };
      waiters.push(waiter);
      startAll(origin);
      if (!waiters.includes(waiter)) return;
      if (isClosed) waiter.refuse();
      else if (priority === 'interactive') cancelTimeout = startTimeout(queueTimeout, waiter.refuse);
    });
    try {
      return await work();
    } finally {
      reserve(-1);
      startAll(origin);
      removeIfIdle();
    }
  }

  return {
    /** Does the work at the request's turn, when its connection is reserved. @throws {QueueFull} */
    run,
    close(): void {
      isClosed = true;
      const queues = [...origins.values()].flatMap((origin) => [...origin.queues.values()]);
      const waiting = queues.flatMap(({ waiters }) => Object.values(waiters).flat());
      for (const waiter of waiting) waiter.refuse();
    },
  };
}

/** Starts as many waiting requests as connections and fairness allow. */
function startAll(origin: Origin): void {
  for (let next = findNext(origin); next !== undefined; next = findNext(origin)) {
    const { workspace, priority } = next;
    const queue = queueOf(origin, workspace);
    // Moves the workspace to the end of the line.
    origin.queues.delete(workspace);
    origin.queues.set(workspace, queue);
    queue.waiters[priority].shift()?.start();
  }
}

function findNext(origin: Origin): { workspace: SlackId; priority: Priority } | undefined {
  const { freeConnections, runningInBackground, queues } = origin;
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
  /** The projects of the failed requests; two different ones show that the service is down, not a project. */
  readonly subjects: Set<string>;
  lastOutage: Outage;
  /** By `performance.now()`. */
  pausedUntil: Millis;
  /** Weak, because a group may be any object of the caller. */
  readonly groups: WeakSet<object>;
}

/**
 * Pauses the requests of a connection to an origin after many outages in a row. Each connection of each workspace has
 * its own breaker, so nobody pauses what others ask. While only one project of a connection fails, only its requests
 * are paused. After the pause, a single outage pauses them again; any answer, even a refusal, ends the streak.
 *
 * Written here: cockatiel's breaker measures the pause by the wall clock, and a refusal does not end its streak.
 */
function createBreakers({ breakerThreshold, breakerPause, failingConnections }: HttpLimits) {
  const streaks = new LRUCache<string, Streak>({ max: failingConnections });

  return {
    /** @throws {ServicePaused} while these requests are paused */
    requireClosed(request: ServiceRequest, url: URL): void {
      // `peek`: only a failure renews a streak's place in the cache.
      const streak = streaks.peek(keyOf(request, url));
      if (streak === undefined || !isPaused(streak)) return;
      const isOtherSubject = streak.subjects.size === 1 && !streak.subjects.has(request.subject ?? '');
      if (!isOtherSubject) throw new ServicePaused(request.service, url.host, streak.lastOutage);
    },
    recordAnswer(request: ServiceRequest, url: URL): void {
      streaks.delete(keyOf(request, url));
    },
    /** Requests of one `outageGroup` count as one outage. */
    recordFailure(request: ServiceRequest, url: URL, failure: Failure): void {
      const key = keyOf(request, url);
      if (!isOutage(failure)) return void streaks.delete(key);
      const { subject = '', outageGroup = {} } = request;
      const streak: Streak = streaks.get(key) ?? {
        outages: 0,
        subjects: new Set(),
        lastOutage: failure,
        pausedUntil: 0,
        groups: new WeakSet(),
      };
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

const keyOf = ({ tenant }: ServiceRequest, { origin }: URL): string =>
  [origin, tenant?.workspace ?? '', tenant?.connection ?? ''].join(' ');

const isPaused = ({ pausedUntil }: Streak): boolean => performance.now() < pausedUntil;

function isOutage(failure: Failure): failure is Outage {
  if (failure.kind === 'service-failed') return failure.status >= 500;
  return failure.kind === 'timed-out' || failure.kind === 'service-unreachable';
}
