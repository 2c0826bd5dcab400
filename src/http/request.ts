/** The only way to send requests to services whose addresses come from outside: guarded, in turns, with one retry. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { Failure, isFailure, type Service } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { startTimeout } from '../timeout.ts';
import { checkDestination, type ResolveHost, systemResolve, type TrustedHost } from './address-rules.ts';
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

/** How a request ended, for metrics: nothing secret in it. */
export interface ExchangeInfo {
  readonly service: Service;
  /** The status of the response, or the failure's kind. */
  readonly outcome: number | Failure['kind'];
  /** ms, since its turn */
  readonly took: Millis;
}

type Reader<T> = (response: ServiceResponse) => T | Promise<T>;

export interface GuardedHttp {
  /**
   * Sends a request within one deadline, which begins at its turn, and once more if that may help.
   *
   * @param read understands the response, or throws a Failure about it
   * @throws address-refused, queue-full, timed-out, service-unreachable, response-too-large,
   * invalid-response, redirect-refused, rate-limited (429), service-failed (5xx)
   */
  requestAndRead<T>(request: ServiceRequest, read: Reader<T>): Promise<T>;
  request(request: ServiceRequest): Promise<ServiceResponse>;
  /** How many requests wait or are running. */
  inProgress(): number;
  /** Closes every connection: what is still asked fails. */
  close(): Promise<void>;
}

/** @param options `resolve` and `limits` replace the system's resolver and {@link HTTP_LIMITS} in tests */
export function createGuardedHttp(options: {
  readonly trustedHosts: readonly TrustedHost[];
  readonly limits?: Partial<HttpLimits>;
  readonly resolve?: ResolveHost;
  readonly onExchange?: (exchange: ExchangeInfo) => void;
}): GuardedHttp {
  const { trustedHosts, resolve = systemResolve, onExchange } = options;
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  const agent = createAgent(trustedHosts, limits, resolve);
  const takeTurn = createTurns(limits);
  let inProgress = 0;

  /** A pause that would end after the deadline is not begun: the caller gets the failure at once. */
  async function sendWithRetry(request: ServiceRequest, startedAt: Millis): Promise<ServiceResponse> {
    const timeLeft = () => limits.deadline - (performance.now() - startedAt);
    for (let tries = 1; ; tries += 1) {
      try {
        return await sendOnce(request, agent, limits, timeLeft());
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        if (request.once || tries >= limits.tries || error.wait >= timeLeft()) throw error.failure;
        await sleep(error.wait);
      }
    }
  }

  async function requestAndRead<T>(request: ServiceRequest, read: Reader<T>): Promise<T> {
    const url = new URL(request.url);
    let startedAt = performance.now();
    const report = (outcome: ExchangeInfo['outcome']) =>
      onExchange?.({ service: request.service, outcome, took: performance.now() - startedAt });
    inProgress += 1;
    try {
      checkDestination(url, trustedHosts);
      const response = await takeTurn(request, url.origin, () => {
        startedAt = performance.now();
        return sendWithRetry(request, startedAt);
      });
      const value = await read(response);
      report(response.status);
      return value;
    } catch (error) {
      if (isFailure(error)) report(error.kind);
      throw addHost(error, url);
    } finally {
      inProgress -= 1;
    }
  }

  return {
    requestAndRead,
    request: (request) => requestAndRead(request, (response) => response),
    inProgress: () => inProgress,
    close: () => agent.destroy(),
  };
}

/** Lines that are remembered, busy or not: so many workspaces hardly ever ask at the same time. */
const LINES = 10_000;

/**
 * Turns at the connections to each origin, so that nobody waits for what others ask: a workspace takes no more than a
 * quarter of them, and all requests in the background share another quarter.
 * @returns does the work at its turn; throws queue-full if a person waits too long for it
 */
function createTurns({ connections, queueTimeout }: HttpLimits) {
  const quarter = Math.max(1, Math.floor(connections / 4));
  const lines = new LRUCache<string, ReturnType<typeof pLimit>>({ max: LINES });

  function lineOf(name: string, most: number): ReturnType<typeof pLimit> {
    const line = lines.get(name) ?? pLimit(most);
    lines.set(name, line);
    return line;
  }

  return <T>(request: ServiceRequest, origin: string, work: () => Promise<T>): Promise<T> => {
    const { service, tenant, priority = 'interactive' } = request;
    const isAwaited = priority === 'interactive';
    const ofWorkspace = lineOf(`${origin} ${priority} ${tenant?.workspace ?? ''}`, quarter);
    const ofAll = lineOf(`${origin} ${priority}`, isAwaited ? Math.max(1, connections - quarter) : quarter);
    return new Promise((resolve, reject) => {
      let isRefused = false;
      const refuse = () => {
        isRefused = true;
        reject(new Failure('queue-full', { service }));
      };
      const cancel = isAwaited ? startTimeout(queueTimeout, refuse) : () => undefined;
      const start = async () => {
        cancel();
        if (!isRefused) await work().then(resolve, reject);
      };
      void ofWorkspace(() => ofAll(start));
    });
  };
}
