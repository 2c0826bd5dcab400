import { DelegateBackoff, handleWhen, retry } from 'cockatiel';
import { type Failure, isFailure, type Service } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { checkDestination, type ResolveHost, systemResolve, type TrustedHost } from './address.ts';
import { createAdmission } from './admission.ts';
import {
  addHost,
  createAgent,
  HTTP_LIMITS,
  type HttpLimits,
  type ServiceRequest,
  type ServiceResponse,
} from './exchange.ts';
import { RetryableError, sendOnce } from './send-once.ts';

export type { Priority, ServiceRequest, ServiceResponse, Tenant } from './exchange.ts';

/** How a request ended, for logs and metrics: nothing secret in it. */
export interface ExchangeInfo {
  readonly service: Service;
  readonly method: string;
  /** `https://host:port` */
  readonly origin: string;
  /** The status of the response, or the failure's kind. */
  readonly outcome: number | Failure['kind'];
  readonly tries: number;
  /** ms, since its turn in the queue */
  readonly took: Millis;
}

type Reader<T> = (response: ServiceResponse) => T | Promise<T>;

/** What a status can hide. */
const HIDDEN_BY_STATUS: ReadonlySet<string> = new Set<Failure['kind']>([
  'invalid-response',
  'query-rejected',
  'service-failed',
]);

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
  const admission = createAdmission(limits);
  const running = new Set<Promise<unknown>>();

  async function sendWithRetries(request: ServiceRequest, progress: { tries: number; startedAt: Millis }) {
    const timeLeft = () => limits.deadline - (performance.now() - progress.startedAt);
    try {
      return await retryPolicy(request.tries ?? limits.tries, timeLeft).execute(() => {
        progress.tries += 1;
        const backoff = backoffAfter(progress.tries, limits);
        return sendOnce(request, { agent, limits, backoff, timeLeft: timeLeft() });
      });
    } catch (error) {
      throw error instanceof RetryableError ? error.failure : error;
    }
  }

  /** @param read its failure counts in place of the status that hides it, as for GraphQL errors or a page of a proxy with 200 */
  async function sendAndReport<T>(request: ServiceRequest, read: Reader<T>): Promise<T> {
    const url = new URL(request.url);
    const { service, method, tenant } = request;
    const progress = { tries: 0, startedAt: performance.now(), took: 0 };
    let status: number | undefined;
    const report = (outcome: ExchangeInfo['outcome']) =>
      onExchange?.({
        service,
        method,
        origin: url.origin,
        outcome,
        tries: progress.tries,
        took: progress.took,
      });
    const send = async () => {
      tenant?.waits?.begin();
      try {
        checkDestination(url, trustedHosts);
        return await admission.run(request, url, () => {
          progress.startedAt = performance.now();
          return sendWithRetries(request, progress);
        });
      } finally {
        progress.took = performance.now() - progress.startedAt;
        tenant?.waits?.end();
      }
    };
    try {
      const response = await send();
      status = response.status;
      const value = await read(response);
      report(status);
      return value;
    } catch (error) {
      if (isFailure(error)) {
        report(status === undefined || HIDDEN_BY_STATUS.has(error.kind) ? error.kind : status);
        addHost(error, url);
      }
      throw error;
    }
  }

  function track<T>(work: Promise<T>): Promise<T> {
    const remove = () => running.delete(work);
    running.add(work);
    work.then(remove, remove);
    return work;
  }

  return {
    /**
     * Sends a request within one deadline, which begins at its turn in the queue, and tries again if that may help.
     *
     * @throws {AddressRefused} {@link ServicePaused} {@link QueueFull} {@link TimedOut} {@link ServiceUnreachable}
     * {@link ResponseTooLarge} {@link InvalidResponse} {@link RedirectRefused} {@link RateLimited} (429)
     * {@link ServiceFailed} (5xx)
     */
    request: (request: ServiceRequest): Promise<ServiceResponse> =>
      track(sendAndReport(request, (response) => response)),
    /** The same for a request whose response `read` understands or throws a Failure about. */
    requestAndRead: <T>(request: ServiceRequest, read: Reader<T>): Promise<T> =>
      track(sendAndReport(request, read)),
    /** How many requests wait or are running. */
    inProgress: (): number => running.size,
    /** Refuses the requests that wait, and from now on each that would have to: the process ends. */
    closeQueue: admission.close,
    /** Closes the queue, waits for running requests, and closes every connection. */
    async close(): Promise<void> {
      admission.close();
      await Promise.allSettled(running);
      await agent.destroy();
    },
  };
}

/** A pause that would end after the deadline is not begun: the caller gets the failure at once. @param timeLeft in ms */
const retryPolicy = (tries: number, timeLeft: () => number) =>
  retry(
    handleWhen((error) => error instanceof RetryableError && error.wait < timeLeft()),
    {
      maxAttempts: tries - 1,
      backoff: new DelegateBackoff(({ result }) =>
        'error' in result && result.error instanceof RetryableError ? result.error.wait : 0,
      ),
    },
  );

/** Random, so that many clients do not all return at once to a service that has just recovered. @returns ms */
function backoffAfter(tries: number, { shortestBackoff, longestBackoff }: HttpLimits): number {
  const upperEnd = Math.min(longestBackoff, shortestBackoff * 2 ** tries);
  return shortestBackoff + Math.random() * (upperEnd - shortestBackoff);
}
