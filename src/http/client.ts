/** Sends requests to services whose addresses people typed: checks the address, queues fairly, retries once. */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { Agent, errors } from 'undici';
import { BROKEN_OFF, Failure, isFailure, type Service } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { guardedConnect, type ResolveHost, systemResolve, type TrustedHost } from './address-rules.ts';
import { createSecretMask, type SecretMask } from './secret-mask.ts';

/** Times are in ms. */
const HTTP_LIMITS = {
  /** The time from leaving the queue to the last byte of the answer, retry included. */
  deadline: 10_000,
  tries: 2,
  /** The shortest pause before a retry. The longest is twice as long, unless the service asks for a certain pause. */
  pause: 200,
  /** Twice the size of a ten-year report. */
  bodyBytes: 512 * 1024,
  connections: 32,
  /** How long a person's request waits in the queue. Background requests wait without a limit. */
  queueTimeout: 10_000,
  keepAlive: 20_000,
};
type HttpLimits = Readonly<typeof HTTP_LIMITS>;

/** The workspace and the credential that a request is for. Each workspace has its own queue. */
export interface Tenant {
  readonly workspace: SlackId;
  readonly connection: string;
}

export type Priority = 'interactive' | 'background';

export interface ServiceRequest {
  readonly service: Service;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly secrets: readonly string[];
  /** Whether the headers contain the answer. Then a 2xx with an incomplete body is a success. */
  readonly headersSuffice?: boolean;
  readonly tenant?: Tenant | undefined;
  readonly priority?: Priority;
  readonly once?: boolean;
}

/** Status 2xx, or 4xx except 429. Any other status is thrown as a Failure. */
export interface ServiceResponse {
  readonly status: number;
  /** Names are in lower case. A comma joins repeated headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if the body of a 4xx was incomplete. */
  readonly text: string;
  /** Masks the request's secrets. Any part of the answer that is stored or shown needs it. */
  readonly mask: SecretMask;
}

export interface ExchangeInfo {
  readonly service: Service;
  readonly outcome: number | Failure['kind'];
  readonly took: Millis;
}

type ReadResponse<T> = (response: ServiceResponse) => T | Promise<T>;

export interface GuardedHttp {
  /**
   * Retries once if that can help. @param read parses the response, or throws a Failure @throws address-refused,
   * queue-full, timed-out, service-unreachable, response-too-large, invalid-response, redirect-refused, rate-limited
   * (429), service-failed (5xx)
   */
  requestAndRead<T>(request: ServiceRequest, read: ReadResponse<T>): Promise<T>;
  request(request: ServiceRequest): Promise<ServiceResponse>;
  inProgress(): number;
  close(): Promise<void>;
}

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
    // A connect timeout proves that the service received nothing, so connecting gets half the time.
    connect: guardedConnect(trustedHosts, deadline / 2, resolve),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const takeTurn = createTurns(limits);
  let inProgress = 0;

  async function requestAndRead<T>(request: ServiceRequest, read: ReadResponse<T>): Promise<T> {
    const url = new URL(request.url);
    let startedAt = performance.now();
    const report = (outcome: ExchangeInfo['outcome']) =>
      onExchange?.({ service: request.service, outcome, took: performance.now() - startedAt });
    inProgress += 1;
    try {
      const response = await takeTurn(request, url.origin, () => {
        startedAt = performance.now();
        return sendWithRetry(request, agent, limits, startedAt);
      });
      const value = await read(response);
      report(response.status);
      return value;
    } catch (error) {
      if (isFailure(error)) report(error.kind);
      // The log needs the host. The path may be a secret, as in a Slack `response_url`.
      throw error instanceof Error && !('host' in error) ? Object.assign(error, { host: url.host }) : error;
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

const LINES = 10_000;

/**
 * Each origin has a queue. A quarter of its connections is for background requests. A workspace gets at most a quarter.
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
      const timer = isAwaited ? setTimeout(refuse, queueTimeout) : undefined;
      const start = async () => {
        clearTimeout(timer);
        if (!isRefused) await work().then(resolve, reject);
      };
      void ofWorkspace(() => ofAll(start));
    });
  };
}

/** Fails without a retry if the pause would last beyond the deadline. */
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
/** Errors that may soon pass, for example when a service restarts. A wrong name or certificate stays wrong. */
const RETRYABLE_CODE =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** Random unless the service sets it, so that clients don't all retry at once. Undefined if a retry can't help. */
function pauseBeforeRetry(failure: Failure, { pause }: HttpLimits): Millis | undefined {
  const random = pause * (1 + Math.random());
  if (failure.kind === 'rate-limited')
    return failure.data.retryAfter === undefined ? random : failure.data.retryAfter * 1_000;
  const mayHelp =
    (failure.kind === 'service-failed' && RETRYABLE_STATUS.has(failure.data.status)) ||
    (failure.kind === 'invalid-response' && failure.data.what === BROKEN_OFF) ||
    // The DNS server's own error tells whether another lookup can help.
    (failure.kind === 'service-unreachable' &&
      [failure.data.code, codeOf((failure.cause as Error).cause)].some((code = '') =>
        RETRYABLE_CODE.test(code),
      ));
  return mayHelp ? random : undefined;
}

const UTF8 = new TextDecoder();

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
    throw new Failure('invalid-response', { service, what: `HTTP ${status} instead of an answer`, status });
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

async function exchange(
  agent: Agent,
  { method, headers: sent, body: text }: Pick<ServiceRequest, 'method' | 'headers' | 'body'>,
  url: URL,
  timeout: Millis,
) {
  const { statusCode, headers, body } = await agent.request({
    method,
    origin: url.origin,
    path: url.pathname + url.search,
    headers: sent,
    body: text ?? null,
    signal: AbortSignal.timeout(Math.max(0, Math.ceil(timeout))),
  });
  return body.arrayBuffer().then(
    (bytes) => ({ statusCode, headers, body: Buffer.from(bytes), bodyError: undefined }),
    (bodyError: unknown) => ({ statusCode, headers, body: Buffer.alloc(0), bodyError }),
  );
}

function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function limitFailure(error: unknown, service: Service, { deadline, bodyBytes }: HttpLimits) {
  if (error instanceof Error && error.name === 'TimeoutError')
    return new Failure('timed-out', { service, after: deadline });
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new Failure('response-too-large', { service, most: `${Math.round(bodyBytes / 1024)} KB` });
  return undefined;
}

const CLOSED_CODE = /^(?:ECONNRESET|ECONNABORTED|EPIPE)$/;

function connectionFailure(error: unknown, service: Service, url: URL, limits: HttpLimits): unknown {
  if (isFailure(error)) return error;
  const limit = limitFailure(error, service, limits);
  if (limit !== undefined) return limit;
  // The parser's error contains bytes of the response, so it doesn't become the cause.
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
    return new Failure('invalid-response', { service, what: 'something that is not HTTP' });
  const code = codeOf(error);
  if (code === undefined) return error;
  const isClosed = CLOSED_CODE.test(code);
  return new Failure('service-unreachable', { service, host: url.host, code, isClosed }, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  return error.code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : error.code;
}

const joinHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));

/** Leaves out the query and the fragment, which may contain secrets. */
function redirectTarget({ location }: IncomingHttpHeaders, from: URL, mask: SecretMask): string | undefined {
  if (location === undefined) return undefined;
  const to = URL.canParse(location, from.href) && location !== '' ? new URL(location, from) : undefined;
  if (to === undefined || to.origin === 'null') return 'an unreadable address';
  return mask(`${to.origin}${to.pathname}`).slice(0, 300);
}
