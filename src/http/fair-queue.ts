import { QueueFull } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { HttpLimits } from './agent.ts';
import type { Priority, ServiceRequest } from './exchange.ts';

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
export function createFairQueue({ connections, queueLength, queueTimeout }: HttpLimits) {
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
    /**
     * Runs `work` at its turn for the origin.
     *
     * @throws {QueueFull} if too many of the workspace wait already, or an interactive request waited too long
     */
    async run<T>(originName: string, request: QueuedRequest, work: () => Promise<T>): Promise<T> {
      const workspace = request.tenant?.workspace ?? '';
      await waitForTurn(originName, workspace, request);
      try {
        return await work();
      } finally {
        releaseTurn(originName, workspace, request);
      }
    },
    /** Refuses what waits, and from now on what would have to. */
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
