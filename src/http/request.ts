import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { Failure, isFailure, type Service } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { startTimeout } from '../timeout.ts';
import { checkDestination, type ResolveHost, systemResolve, type TrustedHost } from './address.ts';
import {
  addHost,
  createAgent,
  HTTP_LIMITS,
  type HttpLimits,
  RetryableError,
  type ServiceRequest,
  type ServiceResponse,
  sendOnce,
} from './exchange.ts';

export type { Priority, ServiceRequest, ServiceResponse, Tenant } from './exchange.ts';

/** How a request ended, for logs and metrics: nothing secret in it. */
export interface ExchangeInfo {
  readonly service: Service;
  /** The status of the response, or the failure's kind. */
  readonly outcome: number | Failure['kind'];
  readonly tries: number;
  /** ms, since its turn */
  readonly took: Millis;
}

type Reader<T> = (response: ServiceResponse) => T | Promise<T>;

/** The only way to send requests to services whose addresses come from outside. */
export type GuardedHttp = ReturnType<typeof createGuardedHttp>;

/** @param options `resolve` and `limits` replace the system's resolver and {@link HTTP_LIMITS} in tests */
export function createGuardedHttp(options: {
  readonly trustedHosts: readonly TrustedHost[];
  readonly limits?: Partial<HttpLimits>;
  readonly resolve?: ResolveHost;
  readonly onExchange?: (exchange: ExchangeInfo) => void;
}) {
  const { trustedHosts, resolve = systemResolve, onExchange } = options;
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  const agent = createAgent(trustedHosts, limits, resolve);
  const turns = createTurns(limits);
  const running = new Set<Promise<unknown>>();

  /** A pause that would end after the deadline is not begun: the caller gets the failure at once. */
  async function sendWithRetry(request: ServiceRequest, progress: { tries: number; startedAt: Millis }) {
    const timeLeft = () => limits.deadline - (performance.now() - progress.startedAt);
    for (;;) {
      progress.tries += 1;
      try {
        return await sendOnce(request, agent, limits, timeLeft());
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        const isLast = request.once || progress.tries >= limits.tries || error.wait >= timeLeft();
        if (isLast) throw error.failure;
        await sleep(error.wait);
      }
    }
  }

  async function sendAndReport<T>(request: ServiceRequest, read: Reader<T>): Promise<T> {
    const url = new URL(request.url);
    const { service } = request;
    const progress = { tries: 0, startedAt: performance.now(), took: 0 };
    const report = (outcome: ExchangeInfo['outcome']) =>
      onExchange?.({ service, outcome, tries: progress.tries, took: progress.took });
    const send = async () => {
      try {
        checkDestination(url, trustedHosts);
        return await turns.run(request, url.origin, () => {
          progress.startedAt = performance.now();
          return sendWithRetry(request, progress);
        });
      } finally {
        progress.took = performance.now() - progress.startedAt;
      }
    };
    try {
      const response = await send();
      const value = await read(response);
      report(response.status);
      return value;
    } catch (error) {
      if (isFailure(error)) report(error.kind);
      throw addHost(error, url);
    }
  }

  /**
   * Sends a request within one deadline, which begins at its turn, and once more if that may help.
   *
   * @param read understands the response, or throws a Failure about it
   * @throws address-refused, queue-full, timed-out, service-unreachable, response-too-large,
   * invalid-response, redirect-refused, rate-limited (429), service-failed (5xx)
   */
  function requestAndRead<T>(request: ServiceRequest, read: Reader<T>): Promise<T> {
    const work = sendAndReport(request, read);
    const remove = () => running.delete(work);
    running.add(work);
    work.then(remove, remove);
    return work;
  }

  return {
    requestAndRead,
    request: (request: ServiceRequest): Promise<ServiceResponse> =>
      requestAndRead(request, (response) => response),
    /** How many requests wait or are running. */
    inProgress: (): number => running.size,
    /** Refuses the requests that wait, and from now on each that would have to: the process ends. */
    closeQueue: turns.close,
    /** Closes the queue, waits for running requests, and closes every connection. */
    async close(): Promise<void> {
      turns.close();
      await Promise.allSettled(running);
      await agent.destroy();
    },
  };
}

/** Lines that are remembered, busy or not: so many workspaces hardly ever ask at the same time. */
const LINES = 10_000;

/**
 * Turns at the connections to each origin, so that nobody waits for what others ask: a workspace takes no more than a
 * quarter of them, and all requests in the background share another quarter.
 */
function createTurns({ connections, queueTimeout }: HttpLimits) {
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
