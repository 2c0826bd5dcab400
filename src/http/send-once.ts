/**
 * One attempt at a request, and what its outcome means. Written here, on undici: other clients retry by method and
 * status alone, and hide whether a body went out, which decides whether asking again may issue a second token.
 */

import { type Agent, errors } from 'undici';
import {
  BROKEN_OFF,
  type Failure,
  InvalidResponse,
  isFailure,
  NO_PUBLIC_ADDRESS,
  RateLimited,
  RedirectRefused,
  ResponseTooLarge,
  type Service,
  ServiceFailed,
  ServiceUnreachable,
  TimedOut,
} from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';
import {
  decodeLeniently,
  ExchangeTimeoutError,
  exchange,
  type HttpLimits,
  parseRetryAfter,
  type RawResponse,
  type ServiceRequest,
  type ServiceResponse,
} from './exchange.ts';
import { SLICE_LENGTH } from './json.ts';
import { createSecretMask, type SecretMask } from './secret-mask.ts';
import { nextEventLoopTurn } from './slices.ts';

/** A failure after which another try, `wait` milliseconds later, may succeed. Never leaves this folder. */
export class RetryableError extends Error {
  constructor(
    readonly failure: Failure,
    readonly wait: Millis,
  ) {
    super(failure.message, { cause: failure });
  }
}

interface AttemptContext {
  readonly agent: Agent;
  readonly limits: HttpLimits;
  /** ms left until the deadline */
  readonly timeLeft: Millis;
  /** ms to wait before the next try, if the service names no time. */
  readonly backoff: number;
}

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** A connection that was refused, reset or closed may mean a restart; a wrong name or certificate stays wrong. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * Sends a request once.
 *
 * @throws {RetryableError} if another try may help
 * @throws {Failure} if it may not
 */
export async function sendOnce(request: ServiceRequest, context: AttemptContext): Promise<ServiceResponse> {
  const { service, method, headers, body, onSending } = request;
  const { agent, timeLeft, limits } = context;
  const url = new URL(request.url);
  const sent = { method, url, headers, body, timeout: timeLeft, maxBytes: limits.bodyBytes, onSending };
  const response = await exchange(agent, sent).catch((error) => {
    throw connectionError(error, request, url.host, context);
  });
  if (response.body.length > SLICE_LENGTH) await nextEventLoopTurn();
  const mask = createSecretMask(request.secrets);
  if (response.statusCode >= 200 && response.statusCode < 300) {
    return toServiceResponse(response, decodeSuccess(response, request, context), mask);
  }
  throwIfFailed(response, url, mask, service, context);
  // The status counts, whatever happens to the body.
  return toServiceResponse(response, decodeLeniently(response), mask);
}

/** @throws for every status but a 4xx other than 429 */
function throwIfFailed(
  response: RawResponse,
  url: URL,
  mask: SecretMask,
  service: Service,
  { backoff }: AttemptContext,
): void {
  const { statusCode: status, headers } = response;
  const target = redirectTarget(response, url, mask);
  if (target !== undefined) throw new RedirectRefused(service, status, target);
  if (status < 400) throw new InvalidResponse(service, `HTTP ${status} in place of an answer`, { status });
  if (status < 500 && status !== 429) return;
  const retryAfter = parseRetryAfter(headers);
  const failure = status === 429 ? new RateLimited(service, retryAfter) : new ServiceFailed(service, status);
  if (!RETRYABLE_STATUS.has(status)) throw failure;
  throw new RetryableError(failure, retryAfter === undefined ? backoff : retryAfter * 1000);
}

/** @throws {RetryableError} for a body that broke off, {Failure} for a body that is too large, too late or not text */
function decodeSuccess(
  response: RawResponse,
  { service, headersSuffice = false }: ServiceRequest,
  context: AttemptContext,
): string {
  if (headersSuffice) return tryParse(() => decodeBody(response, service)) ?? '';
  if (response.bodyError === undefined) return decodeBody(response, service);
  const brokenOff = new InvalidResponse(service, BROKEN_OFF);
  throw limitFailure(response.bodyError, service, context) ?? new RetryableError(brokenOff, context.backoff);
}

/** @returns what to throw for a request that got no response; an error that is not about the connection is unchanged */
function connectionError(
  error: unknown,
  { service }: ServiceRequest,
  host: string,
  context: AttemptContext,
): unknown {
  if (isFailure(error)) return error;
  const limit = limitFailure(error, service, context);
  if (limit !== undefined) return limit;
  // The parser's error holds a piece of the response, so it is not passed on.
  if (error instanceof errors.HTTPParserError)
    return new InvalidResponse(service, 'something that is not HTTP');
  const code = codeOf(error);
  if (code === undefined) return error;
  const failure = new ServiceUnreachable(service, host, code, { cause: error });
  // The name's server may answer in a moment: its own error decides.
  const decisive = code === NO_PUBLIC_ADDRESS && error instanceof Error ? codeOf(error.cause) : code;
  const isRetryable = decisive !== undefined && RETRYABLE_CODES.has(decisive);
  return isRetryable ? new RetryableError(failure, context.backoff) : failure;
}

/** The limits that can be reached before the body as well as within it. */
function limitFailure(error: unknown, service: Service, { limits }: AttemptContext): Failure | undefined {
  if (error instanceof ExchangeTimeoutError) return new TimedOut(service, limits.deadline);
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new ResponseTooLarge(service, limits.bodyBytes);
  if (error instanceof errors.HeadersOverflowError)
    return new InvalidResponse(service, 'headers that never end');
  return undefined;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  // undici's code for a connection that the other side closed
  return error.code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : error.code;
}

/** @param text the decoded body, empty when it does not count */
function toServiceResponse(
  { statusCode, headers }: RawResponse,
  text: string,
  mask: SecretMask,
): ServiceResponse {
  const joined: Record<string, string> = {};
  for (const name in headers) joined[name] = [headers[name]].flat().join(', ');
  return { status: statusCode, headers: joined, text, mask };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** @throws {InvalidResponse} for a compressed body, which we never ask for, and for what is not UTF-8 */
function decodeBody({ headers, body }: RawResponse, service: Service): string {
  const encoding = [headers['content-encoding']].flat().join();
  if (body.length > 0 && encoding !== '' && encoding !== 'identity') {
    throw new InvalidResponse(service, 'a compressed body that was not asked for');
  }
  const text = tryParse(() => UTF8.decode(body));
  if (text === undefined) throw new InvalidResponse(service, 'text that is not UTF-8');
  return text;
}

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

const REDIRECT_STATUS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
