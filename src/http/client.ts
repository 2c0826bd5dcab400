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
import { createSecretMask, type SecretMask } from './secret-mask.ts';

/** Limits for requests to services; durations in ms. */
const HTTP_LIMITS = {
  /** For both attempts and the pause between, from the request's turn to the last byte. */
  deadline: 10_000,
  tries: 2,
  /** Random pause before the retry: `pause` to 2 × `pause`, unless the service says. */
  pause: 200,
  /** Ten years of days have half as much. */
  bodyBytes: 512 * 1024,
  /** Parallel requests to one origin, each on its own socket. */
  connections: 32,
  /** Maximum queueing for interactive requests; background ones wait indefinitely. */
  queueTimeout: 10_000,
  /** Keep-alive of idle connections, unless the service says. */
  keepAlive: 20_000,
};
type HttpLimits = Readonly<typeof HTTP_LIMITS>;

/** Whose request it is, for fair queueing. */
export interface Tenant {
  readonly workspace: SlackId;
  /** The credential used: connection name or project ID. */
  readonly connection: string;
}

/** `interactive`: a person waits for the answer. */
export type Priority = 'interactive' | 'background';

export interface ServiceRequest {
  readonly service: Service;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Credentials in the request, to mask if the service echoes them. */
  readonly secrets: readonly string[];
  /** The answer is in the headers, so a truncated 2xx body is fine. */
  readonly headersSuffice?: boolean;
  /** Absent if no workspace is involved. */
  readonly tenant?: Tenant | undefined;
  /** `interactive` by default. */
  readonly priority?: Priority;
  /** Never retry. */
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

/** A request's outcome for metrics, without secrets. */
export interface ExchangeInfo {
  readonly service: Service;
  /** HTTP status, or failure kind. */
  readonly outcome: number | Failure['kind'];
  /** ms, since its turn */
  readonly took: Millis;
}

type Reader<T> = (response: ServiceResponse) => T | Promise<T>;

export interface GuardedHttp {
  /**
   * Sends within one deadline, which begins at the request's turn, with one retry if useful.
   * @param read parses the response, or throws a Failure
   * @throws address-refused, queue-full, timed-out, service-unreachable, response-too-large, invalid-response,
   * redirect-refused, rate-limited (429), service-failed (5xx)
   */
  requestAndRead<T>(request: ServiceRequest, read: Reader<T>): Promise<T>;
  request(request: ServiceRequest): Promise<ServiceResponse>;
  /** Waiting and running requests. */
  inProgress(): number;
  /** Closes all connections; running requests fail. */
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
    connections,
    pipelining: 1,
    keepAliveTimeout: keepAlive,
    maxResponseSize: bodyBytes,
    // Half the deadline, so that a failed connect is known to be unsent, while a timeout at the deadline may have
    // been received.
    connect: guardedConnect(trustedHosts, deadline / 2, resolve),
    // Disabled: the request's own deadline applies.
    headersTimeout: 0,
    bodyTimeout: 0,
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

/** Queues kept in memory: one per origin, priority and workspace. */
const LINES = 10_000;

/**
 * Fair queues per origin: a workspace gets at most a quarter of the connections, and all background requests together a
 * quarter.
 * @returns a function that runs work at its turn; throws queue-full if a person would wait too long
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

/** If the pause wouldn't end before the deadline, fails at once. */
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
/** Refused or closed connections may be a restart; wrong names and certificates are permanent. */
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
  request: ServiceRequest,
  agent: Agent,
  limits: HttpLimits,
  timeLeft: Millis,
): Promise<ServiceResponse> {
  const { service, secrets, headersSuffice } = request;
  const url = new URL(request.url);
  const mask = createSecretMask(secrets);
  const response = await exchange(agent, request, url, timeLeft).catch((error) => {
    throw connectionFailure(error, service, url, limits);
  });
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

interface RawResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Why the body did not arrive whole; `body` is empty then. */
  readonly bodyError?: unknown;
}

class ExchangeTimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Sends a request once and reads the whole response.
 *
 * @throws {ExchangeTimeoutError}, or undici's or the system's error, if no headers arrived
 */
async function exchange(
  agent: Agent,
  { method, headers: sent, body: text }: Pick<ServiceRequest, 'method' | 'headers' | 'body'>,
  url: URL,
  timeout: Millis,
): Promise<RawResponse> {
  const giveUp = new AbortController();
  const cancelTimeout = startTimeout(timeout, () =>
    giveUp.abort(new ExchangeTimeoutError(`no whole answer within ${timeout} ms`)),
  );
  try {
    const { statusCode, headers, body } = await agent.request({
      method,
      origin: url.origin,
      path: url.pathname + url.search,
      headers: sent,
      body: text ?? null,
      signal: giveUp.signal,
    });
    return await body.arrayBuffer().then(
      (bytes) => ({ statusCode, headers, body: Buffer.from(bytes) }),
      (bodyError: unknown) => ({ statusCode, headers, body: Buffer.alloc(0), bodyError }),
    );
  } catch (error) {
    throw addHost(error, url);
  } finally {
    cancelTimeout();
  }
}

/**
 * Adds the host for the log, because network errors often lack it. Only the host: paths can be secret (`response_url`).
 */
function addHost(error: unknown, { host }: URL): unknown {
  return error instanceof Error && !('host' in error) ? Object.assign(error, { host }) : error;
}

/** @returns seconds; undefined if missing or a date */
function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The limits that can be reached before the body as well as within it. */
function limitFailure(error: unknown, service: Service, { deadline, bodyBytes }: HttpLimits) {
  if (error instanceof ExchangeTimeoutError) return new Failure('timed-out', { service, after: deadline });
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new Failure('response-too-large', { service, most: `${Math.round(bodyBytes / 1024)} KB` });
  return undefined;
}

/** The peer closed an open connection. */
const CLOSED_CODE = /^(?:ECONNRESET|ECONNABORTED|EPIPE)$/;

/** @returns the failure for an error without response */
function connectionFailure(error: unknown, service: Service, url: URL, limits: HttpLimits): unknown {
  if (isFailure(error)) return error;
  const limit = limitFailure(error, service, limits);
  if (limit !== undefined) return limit;
  // Don't pass the parser's error on: it contains response bytes.
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
    return new Failure('invalid-response', { service, what: 'something that is not HTTP' });
  const code = codeOf(error);
  if (code === undefined) return error;
  const isClosed = CLOSED_CODE.test(code);
  return new Failure('service-unreachable', { service, host: url.host, code, isClosed }, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  // undici's code for “closed by the peer”
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
