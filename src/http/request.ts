import { DelegateBackoff, handleWhen, retry, TimeoutStrategy, timeout } from 'cockatiel';
import { type Failure, isFailure, type Service, ServicePaused } from '../domain/failure/index.ts';
import { checkDestination, type TrustedHost } from './address.ts';
import { createAgent, type ResolveHost, systemResolve } from './agent.ts';
import { RetryableError, type ServiceRequest, type ServiceResponse, sendWithRetries } from './attempt.ts';
import { createBreakers } from './breaker.ts';
import { createFairQueue } from './fair-queue.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';

export type { Priority, ServiceRequest, ServiceResponse, Tenant } from './attempt.ts';

/** How a question ended, for logs and metrics: nothing secret in it. */
export interface ExchangeInfo {
  readonly service: Service;
  readonly host: string;
  /** The status of the reply, or the failure's kind. */
  readonly outcome: number | Failure['kind'];
  readonly tries: number;
  /** ms, since its turn came */
  readonly took: number;
}

export interface HttpOptions {
  readonly trustedHosts: readonly TrustedHost[];
  readonly limits?: Partial<HttpLimits>;
  readonly resolve?: ResolveHost;
  readonly onExchange?: (exchange: ExchangeInfo) => void;
}

/** The only way out to services whose addresses came from outside. */
export interface GuardedHttp {
  /**
   * Asks within one deadline once its turn has come, again where that may help.
   * @throws {AddressRefused} {@link ServicePaused} {@link QueueFull} {@link TimedOut} {@link Unreachable} {@link ResponseTooLarge}
   * {@link InvalidResponse} {@link Redirected} {@link RateLimited} (429) {@link ServiceFailed} (5xx)
   */
  request(question: ServiceRequest): Promise<ServiceResponse>;
  /** Questions that wait or are under way. */
  inProgress(): number;
  /** Refuses what waits for its turn, and from now on what would have to: the process ends. */
  stopWaiting(): void;
  /** The same, waits for what is under way, and closes every connection. */
  close(): Promise<void>;
}

interface Count {
  tries: number;
  /** By `performance.now()`. */
  begun: number;
}

export function createHttp(options: HttpOptions): GuardedHttp {
  const { trustedHosts, resolve = systemResolve, onExchange } = options;
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  const agent = createAgent(trustedHosts, limits, resolve);
  const breakers = createBreakers(limits);
  const queue = createFairQueue(limits);
  const deadline = timeout(limits.deadline, { strategy: TimeoutStrategy.Cooperative, abortOnReturn: false });
  const underWay = new Set<Promise<ServiceResponse>>();

  /** A pause that would not end before the deadline is not begun: the caller hears the failure at once. */
  function tryAgain(question: ServiceRequest, started: number) {
    const left = () => limits.deadline - (performance.now() - started);
    return retry(
      handleWhen((error) => error instanceof RetryableError && error.wait < left()),
      {
        maxAttempts: (question.tries ?? limits.tries) - 1,
        backoff: new DelegateBackoff(({ result }) =>
          'error' in result && result.error instanceof RetryableError ? result.error.wait : 0,
        ),
      },
    );
  }

  function refuseWhilePaused(question: ServiceRequest, url: URL): void {
    const cause = breakers.pausedBy(url.origin, question);
    if (cause !== undefined) throw new ServicePaused(question.service, url.host, cause);
  }

  async function ask(question: ServiceRequest, url: URL, count: Count): Promise<ServiceResponse> {
    checkDestination(url, trustedHosts);
    refuseWhilePaused(question, url);
    return queue.run(url.origin, question, () => {
      // It may have been paused while this one waited.
      refuseWhilePaused(question, url);
      count.begun = performance.now();
      return askNow(question, url, count);
    });
  }

  async function askNow(question: ServiceRequest, url: URL, count: Count): Promise<ServiceResponse> {
    const trying = tryAgain(question, performance.now());
    try {
      const reply = await deadline.execute(({ signal }) =>
        trying.execute(() => {
          count.tries += 1;
          return sendWithRetries(question, { agent, limits, signal, backoff: backoff(count.tries, limits) });
        }, signal),
      );
      breakers.answered(url.origin, question);
      return reply;
    } catch (error) {
      const failure = error instanceof RetryableError ? error.failure : error;
      if (isFailure(failure)) breakers.failed(url.origin, question, failure);
      throw failure;
    }
  }

  async function observed(question: ServiceRequest): Promise<ServiceResponse> {
    const url = new URL(question.url);
    const count: Count = { tries: 0, begun: performance.now() };
    const tell = (outcome: ExchangeInfo['outcome']) => {
      const took = performance.now() - count.begun;
      onExchange?.({ service: question.service, host: url.host, outcome, tries: count.tries, took });
    };
    try {
      const reply = await ask(question, url, count);
      tell(reply.status);
      return reply;
    } catch (error) {
      if (isFailure(error)) tell(error.kind);
      throw error;
    }
  }

  return {
    request(question) {
      const asking = observed(question);
      const forget = () => underWay.delete(asking);
      underWay.add(asking);
      asking.then(forget, forget);
      return asking;
    },
    inProgress: () => underWay.size,
    stopWaiting: () => queue.close(),
    async close() {
      queue.close();
      await Promise.allSettled(underWay);
      await agent.destroy();
    },
  };
}

/** Random, so that many askers of a service that just came back do not arrive in step. */
function backoff(tries: number, { shortestBackoff, longestBackoff }: HttpLimits): number {
  const ceiling = Math.min(longestBackoff, shortestBackoff * 2 ** tries);
  return shortestBackoff + Math.random() * (ceiling - shortestBackoff);
}
