/** The only way to send requests to services whose addresses come from outside: guarded, in turns, with one retry. */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { Agent, errors } from 'undici';
import { BROKEN_OFF, Failure, isFailure, type Service } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { startTimeout } from '../timeout.ts';
import {
  checkDestination,
  guardedConnect,
  type ResolveHost,
  systemResolve,
  type TrustedHost,
} from './address-rules.ts';
import { addHost, ExchangeTimeoutError, exchange, parseRetryAfter } from './exchange.ts';
import { createSecretMask, type SecretMask } from './secret-mask.ts';

/** How long and how often Tally asks a service, and how much it accepts. Durations in milliseconds. */
const HTTP_LIMITS = {
  /** One request from its turn to the last byte, with both tries and the pause between them. */
  deadline: 10_000,
  tries: 2,
  /** The pause before the second try is random, from this up to twice as long, if the service names no time. */
  pause: 200,
  /** Ten years of days have half as much. */
  bodyBytes: 512 * 1024,
  /** Parallel requests to one origin, each on its own socket. */
  connections: 32,
  /** How long a request that a person waits for may wait for its turn; others wait without limit. */
  queueTimeout: 10_000,
  /** How long an unused connection is kept, unless the service names a time. */
  keepAlive: 20_000,
};
type HttpLimits = Readonly<typeof HTTP_LIMITS>;

/** Whose request it is. Nothing that one workspace does delays another one's requests. */
export interface Tenant {
  readonly workspace: SlackId;
  /** Which of the workspace's credentials it uses: a connection's name, or a project's ID. */
  readonly connection: string;
}

/** `interactive`: a person waits for the answer. */
export type Priority = 'interactive' | 'background';

export interface ServiceRequest {
  readonly service: Service;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** http(s), absolute */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The credentials in it, which must not be shown when the service repeats them. */
  readonly secrets: readonly string[];
  /** The headers of a 2xx are the answer: a body that broke off makes `text` empty. */
  readonly headersSuffice?: boolean;
  /** Absent when the request belongs to no workspace. */
  readonly tenant?: Tenant | undefined;
  /** `interactive` by default. */
  readonly priority?: Priority;
  /** Must not be sent twice. */
  readonly once?: boolean;
}

/** A 2xx, or a 4xx other than 429; everything else is thrown. */
export interface ServiceResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a 4xx whose body broke off, where the status is the answer. See also `headersSuffice`. */
  readonly text: string;
  /** Masks the request's secrets, in whatever is stored or shown of the answer. */
  readonly mask: SecretMask;
}

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
  const { deadline, connections, keepAlive, bodyBytes } = limits;
  const agent = new Agent({
    ...{ connections, pipelining: 1, keepAliveTimeout: keepAlive, maxResponseSize: bodyBytes },
    // A request that fails while connecting was never sent; one that fails at the deadline may have been received.
    connect: guardedConnect(trustedHosts, deadline / 2, resolve),
    // The deadline of the whole request applies instead of undici's own timeouts.
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  });
  const takeTurn = createTurns(limits);
  let inProgress = 0;

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
        return sendWithRetry(request, agent, limits, startedAt);
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

/** A pause that would end after the deadline is not begun: the caller gets the failure at once. */
async function sendWithRetry(
  request: ServiceRequest,
  agent: Agent,
  limits: HttpLimits,
  startedAt: Millis,
): Promise<ServiceResponse> {
  const timeLeft = () => limits.deadline - (performance.now() - startedAt);
  for (let tries = 1; ; tries += 1) {
    try {
      return await sendOnce(request, agent, limits, timeLeft());
    } catch (error) {
      const pause = isFailure(error) ? pauseBeforeRetry(error, limits) : undefined;
      if (pause === undefined || request.once || tries >= limits.tries || pause >= timeLeft()) throw error;
      await sleep(pause);
    }
  }
}

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504]);
/** A connection that was refused, reset or closed may mean a restart; a wrong name or certificate stays wrong. */
const RETRYABLE_CODE =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** @returns in ms, random so that clients don't all return at once to a service that has just recovered; undefined if no other try can help */
function pauseBeforeRetry(failure: Failure, { pause }: HttpLimits): Millis | undefined {
  const random = pause * (1 + Math.random());
  if (failure.kind === 'rate-limited')
    return failure.data.retryAfter === undefined ? random : failure.data.retryAfter * 1_000;
  const mayHelp =
    (failure.kind === 'service-failed' && RETRYABLE_STATUS.has(failure.data.status)) ||
    (failure.kind === 'invalid-response' && failure.data.what === BROKEN_OFF) ||
    // Where a name could not be looked up, the error of its server decides.
    (failure.kind === 'service-unreachable' &&
      [failure.data.code, codeOf((failure.cause as Error).cause)].some((code = '') =>
        RETRYABLE_CODE.test(code),
      ));
  return mayHelp ? random : undefined;
}

/** Leaves out a byte order mark. */
const UTF8 = new TextDecoder();

/** @param timeLeft ms until the deadline @throws {Failure} */
async function sendOnce(
  { service, secrets, headersSuffice, method, headers: sent, body, ...request }: ServiceRequest,
  agent: Agent,
  limits: HttpLimits,
  timeLeft: Millis,
): Promise<ServiceResponse> {
  const url = new URL(request.url);
  const mask = createSecretMask(secrets);
  const response = await exchange(agent, { url, method, headers: sent, body, timeout: timeLeft }).catch(
    (error) => {
      throw connectionFailure(error, service, url, limits);
    },
  );
  const { statusCode: status, headers, bodyError } = response;
  if (status >= 300 && status < 400) {
    const target = redirectTarget(headers, url, mask);
    if (target !== undefined) throw new Failure('redirect-refused', { service, status, target });
    throw new Failure('invalid-response', { service, what: `HTTP ${status} in place of an answer`, status });
  }
  if (status === 429) throw new Failure('rate-limited', { service, retryAfter: parseRetryAfter(headers) });
  if (status >= 500) throw new Failure('service-failed', { service, status });
  if (bodyError !== undefined && status < 400 && !headersSuffice)
    throw (
      limitFailure(bodyError, service, limits) ??
      new Failure('invalid-response', { service, what: BROKEN_OFF })
    );
  return { status, headers: joinHeaders(headers), text: UTF8.decode(response.body), mask };
}

/** The limits that can be reached before the body as well as within it. */
function limitFailure(error: unknown, service: Service, { deadline, bodyBytes }: HttpLimits) {
  if (error instanceof ExchangeTimeoutError) return new Failure('timed-out', { service, after: deadline });
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new Failure('response-too-large', { service, most: `${Math.round(bodyBytes / 1024)} KB` });
  return undefined;
}

/** The other side ended a connection that was open. */
const CLOSED_CODE = /^(?:ECONNRESET|ECONNABORTED|EPIPE)$/;

/** @returns what an error means that came in place of a response */
function connectionFailure(error: unknown, service: Service, url: URL, limits: HttpLimits): unknown {
  if (isFailure(error)) return error;
  const limit = limitFailure(error, service, limits);
  if (limit !== undefined) return limit;
  // The parser's error holds a piece of the response, so it is not passed on.
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
    return new Failure('invalid-response', { service, what: 'something that is not HTTP' });
  const code = codeOf(error);
  if (code === undefined) return error;
  const isClosed = CLOSED_CODE.test(code);
  return new Failure('service-unreachable', { service, host: url.host, code, isClosed }, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  // undici's code for a connection that the other side closed
  return error.code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : error.code;
}

const joinHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));

/** @returns where it leads, without query and fragment, in at most 300 characters; undefined without a `Location` */
function redirectTarget({ location }: IncomingHttpHeaders, from: URL, mask: SecretMask): string | undefined {
  if (location === undefined) return undefined;
  const to = URL.canParse(location, from.href) && location !== '' ? new URL(location, from) : undefined;
  if (to === undefined || to.origin === 'null') return 'an unreadable address';
  return mask(`${to.origin}${to.pathname}`).slice(0, 300);
}
