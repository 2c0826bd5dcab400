/** One attempt at a request to a service: its connections, its limits, and what its outcome means. */
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, errors } from 'undici';
import { BROKEN_OFF, Failure, isFailure, NO_PUBLIC_ADDRESS, type Service } from '../domain/failure/index.ts';
import { DEFAULT_LIMITS } from '../domain/rate-limits.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { startTimeout } from '../timeout.ts';
import { guardedConnect, type ResolveHost, type TrustedHost } from './address-rules.ts';
import { createSecretMask, type SecretMask } from './secret-mask.ts';

/** How long and how often Tally asks a service, and how much it accepts. Durations in milliseconds. */
export const HTTP_LIMITS = {
  /** One request from its turn to the last byte, with both tries and the pause between them. */
  deadline: 10_000,
  tries: 2,
  /** The pause before the second try is random, from this up to twice as long, if the service names no time. */
  pause: 200,
  /** Ten years of days have half as much. */
  bodyBytes: 512 * 1024,
  /** {@link RateLimits.serviceConnections} */
  connections: DEFAULT_LIMITS.serviceConnections,
  /** How long a request that a person waits for may wait for its turn; others wait without limit. */
  queueTimeout: 10_000,
  /** How long an unused connection is kept, unless the service names a time. */
  keepAlive: 20_000,
};
export type HttpLimits = Readonly<typeof HTTP_LIMITS>;

/** A connection pool that applies the address rules whenever it opens a connection. */
export const createAgent = (
  trusted: readonly TrustedHost[],
  { deadline, connections, keepAlive, bodyBytes }: HttpLimits,
  resolve: ResolveHost,
): Agent =>
  new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: keepAlive,
    maxResponseSize: bodyBytes,
    // A request that fails while connecting was never sent; one that fails at the deadline may have been received.
    connect: guardedConnect(trusted, deadline / 2, resolve),
    // The deadline of the whole request applies instead of undici's own timeouts.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The time until the last byte, in ms. */
  readonly timeout: Millis;
}

export interface RawResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Why the body did not arrive whole; `body` is empty then. */
  readonly bodyError?: unknown;
}

/** The response did not end in time. */
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
  { url, timeout, body: sent, ...request }: OutgoingRequest,
): Promise<RawResponse> {
  const giveUp = new AbortController();
  const cancelTimeout = startTimeout(timeout, () =>
    giveUp.abort(new ExchangeTimeoutError(`no whole answer within ${timeout} ms`)),
  );
  try {
    const { statusCode, headers, body } = await agent.request({
      ...request,
      ...{ origin: url.origin, path: url.pathname + url.search, body: sent ?? null, signal: giveUp.signal },
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

/** For the log, as few errors say which service failed. The host alone: the path of a `response_url` is a secret. */
export function addHost(error: unknown, { host }: URL): unknown {
  return error instanceof Error && !('host' in error) ? Object.assign(error, { host }) : error;
}

/** @returns the seconds of `Retry-After`; undefined when the header is missing, or is a date */
function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

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

/** A failure after which another try, `wait` milliseconds later, may succeed. Never leaves this folder. */
export class RetryableError extends Error {
  constructor(
    readonly failure: Failure,
    readonly wait: Millis,
  ) {
    super(failure.message, { cause: failure });
  }
}

/** Leaves out a byte order mark. */
const UTF8 = new TextDecoder();

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** The other side ended a connection that was open. */
const CLOSED_CODE = /^(?:ECONNRESET|ECONNABORTED|EPIPE)$/;
/** A connection that was refused, reset or closed may mean a restart; a wrong name or certificate stays wrong. */
const RETRYABLE_CODE =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/**
 * @param timeLeft ms until the deadline
 * @throws {RetryableError} if another try may help, {Failure} if it may not
 */
export async function sendOnce(
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
  const target = redirectTarget(response, url, mask);
  if (target !== undefined) throw new Failure('redirect-refused', { service, status, target });
  if (status >= 300 && status < 400)
    throw new Failure('invalid-response', { service, what: `HTTP ${status} in place of an answer`, status });
  const retryAfter = parseRetryAfter(headers);
  if (status === 429)
    throw retryable(new Failure('rate-limited', { service, retryAfter }), limits, retryAfter);
  if (status >= 500) {
    const failure = new Failure('service-failed', { service, status });
    throw RETRYABLE_STATUS.has(status) ? retryable(failure, limits, retryAfter) : failure;
  }
  if (bodyError !== undefined && status < 400 && !headersSuffice)
    throw (
      limitFailure(bodyError, service, limits) ??
      retryable(new Failure('invalid-response', { service, what: BROKEN_OFF }), limits)
    );
  return { status, headers: joinHeaders(headers), text: UTF8.decode(response.body), mask };
}

/** Waits a random time if the service names none, so that clients don't all return at once to one that has just recovered. */
const retryable = (failure: Failure, { pause }: HttpLimits, seconds?: number): RetryableError =>
  new RetryableError(failure, seconds === undefined ? pause * (1 + Math.random()) : seconds * 1_000);

/** The limits that can be reached before the body as well as within it. */
function limitFailure(error: unknown, service: Service, { deadline, bodyBytes }: HttpLimits) {
  if (error instanceof ExchangeTimeoutError) return new Failure('timed-out', { service, after: deadline });
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new Failure('response-too-large', { service, most: `${Math.round(bodyBytes / 1024)} KB` });
  return undefined;
}

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
  const failure = new Failure(
    'service-unreachable',
    { service, host: url.host, code, isClosed: CLOSED_CODE.test(code) },
    { cause: error },
  );
  // The name's server may answer in a moment: its own error decides.
  const decisive = code === NO_PUBLIC_ADDRESS ? codeOf((error as Error).cause) : code;
  return RETRYABLE_CODE.test(decisive ?? '') ? retryable(failure, limits) : failure;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  // undici's code for a connection that the other side closed
  return error.code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : error.code;
}

const joinHeaders = (headers: RawResponse['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));

const REDIRECT_STATUS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** @returns where a redirect leads, without query and fragment, in at most 300 characters; undefined for no redirect */
function redirectTarget(
  { statusCode, headers }: RawResponse,
  requestUrl: URL,
  mask: SecretMask,
): string | undefined {
  const location = [headers.location].flat()[0];
  const isRedirect = REDIRECT_STATUS.has(statusCode) || (statusCode < 400 && location !== undefined);
  if (!isRedirect) return undefined;
  if (!location || !URL.canParse(location, requestUrl.href)) return 'an unreadable address';
  const { origin, pathname } = new URL(location, requestUrl);
  return origin === 'null' ? 'an unreadable address' : mask(`${origin}${pathname}`).slice(0, 300);
}
