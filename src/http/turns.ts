import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { Failure } from '../domain/failure/index.ts';
import { startTimeout } from '../timeout.ts';
import type { HttpLimits, ServiceRequest } from './exchange.ts';

/** Lines that are remembered, busy or not: so many workspaces hardly ever ask at the same time. */
const LINES = 10_000;

/**
 * Turns at the connections to each origin, so that nobody waits for what others ask: a workspace takes no more than a
 * quarter of them, and all requests in the background share another quarter.
 */
export function createTurns({ connections, queueTimeout }: HttpLimits) {
  const quarter = Math.max(1, Math.floor(connections / 4));
  const lines = new LRUCache<string, ReturnType<typeof pLimit>>({ max: LINES });
  const waiting = new Set<() => void>();
  let isClosed = false;

  function lineOf(name: string, most: number): ReturnType<typeof pLimit> {
    const line = lines.get(name) ?? pLimit(most);
    lines.set(name, line);
    return line;
  }

  return {
    /** Does the work at its turn. @throws queue-full if that does not come in time, or the lines were closed */
    run<T>(request: ServiceRequest, origin: string, work: () => Promise<T>): Promise<T> {
      const { service, tenant, priority = 'interactive' } = request;
      const isAwaited = priority === 'interactive';
      const ofWorkspace = lineOf(`${origin} ${priority} ${tenant?.workspace ?? ''}`, quarter);
      const ofAll = lineOf(`${origin} ${priority}`, isAwaited ? Math.max(1, connections - quarter) : quarter);
      return new Promise((resolve, reject) => {
        const refuse = () => {
          leave();
          reject(new Failure('queue-full', { service }));
        };
        const cancel = isAwaited || isClosed ? startTimeout(isClosed ? 0 : queueTimeout, refuse) : undefined;
        const leave = (): boolean => {
          cancel?.();
          return waiting.delete(refuse);
        };
        waiting.add(refuse);
        void ofWorkspace(() => ofAll(async () => leave() && (await work().then(resolve, reject))));
      });
    },
    /** Refuses what waits, and from now on what would have to. */
    close(): void {
      isClosed = true;
      // A request's turn does not come in the very moment in which it asks.
      setImmediate(() => {
        for (const refuse of waiting) refuse();
      });
    },
  };
}
