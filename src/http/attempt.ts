import { Readable } from 'node:stream';
import { type Agent, type Dispatcher, errors } from 'undici';
import {
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
import type { HttpLimits } from './limits.ts';
import { parseRetryAfter } from './retry-after.ts';

/** For whom a question is asked. What one of them does neither pauses nor delays what another one asks. */
export interface Tenant {
  readonly workspace: string;
  /** What of the workspace's the service is asked with: a connection's name, or a project's ID. */
  readonly connection: string;
}

/** `interactive`: somebody waits for the answer. */
export type Priority = 'interactive' | 'background';

export interface ServiceRequest {
  readonly service: Service;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** http(s), absolute */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Absent where it is asked for no workspace. */
  readonly tenant?: Tenant | undefined;
  /** What it is about, where a connection asks about several: a project's ID. */
  readonly subject?: string;
  /** `interactive` when not given. */
  readonly priority?: Priority;
  /** Fewer tries than usual, for what must not be done twice. */
  readonly tries?: number;
  /** The same object for questions that somebody asks side by side: should they fail, they are one outage. */
  readonly occasion?: object;
  /** Called when the body is about to leave on a connection that stands: from then on it may have been heard. */
  readonly onSending?: () => void;
  /** A 2xx is an answer by its headers alone: `text` is empty where its body cannot be read. */
  readonly headersSuffice?: boolean;
}

/** 2xx, or a 4xx other than 429: everything else is thrown. */
export interface ServiceResponse {
  readonly status: number;
  /** Lower-case names; a header that came twice is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a 4xx whose body could not be read: there the status is the answer. See also `headersSuffice`. */
  readonly text: string;
}

/** A failure that may have passed when it is asked again after `wait` milliseconds. Never leaves this room. */
export class RetryableError extends Error {
  constructor(
    readonly failure: Failure,
    readonly wait: number,
  ) {
    super(failure.message, { cause: failure });
  }
}

interface Line {
  readonly agent: Agent;
  readonly limits: HttpLimits;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** The pause to make, should this try fail in passing. */
  readonly backoff: number;
}

type Answer = Dispatcher.ResponseData;

const PASSING_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504]);

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A refused, reset or silently closed connection may be a restart; a wrong name or certificate stays wrong. */
const PASSING_CODE: ReadonlySet<string> = new Set([
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
 * Asks once.
 * @throws {RetryableError} when asking again may help
 * @throws a typed failure when not
 */
export async function sendWithRetries(question: ServiceRequest, line: Line): Promise<ServiceResponse> {
  const { service, method, headers } = question;
  const { agent, signal } = line;
  const url = new URL(question.url);
  const answer = await agent
    .request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body: bodyOf(question),
      signal,
    })
    .catch((error) => {
      throw notReached(error, question, url.host, line);
    });
  const status = answer.statusCode;
  const suffices = question.headersSuffice === true && status >= 200 && status < 300;
  if (method !== 'HEAD' && announcesTooMuch(answer, line)) {
    answer.body.on('error', () => {}).destroy();
    if (suffices) return reply(answer, '');
    throw new ResponseTooLarge(service, line.limits.bodyBytes);
  }
  if (status >= 200 && status < 300) {
    const whole = wholeText(answer, service, line);
    return reply(answer, await (suffices ? whole.catch(() => '') : whole));
  }
  // Read to the end, so that the connection can be used again; the status stands whatever the body is.
  const text = await answer.body.text().catch(() => '');
  if (REDIRECTS.has(status) || (status < 400 && answer.headers.location !== undefined))
    throw new RedirectRefused(service, status, targetOf(answer, url));
  if (status < 400) throw new InvalidResponse(service, `HTTP ${status} in place of an answer`, { status });
  const failure = refusal(service, answer);
  if (failure === undefined) return reply(answer, text);
  const wait = parseRetryAfter(answer.headers);
  throw status === 429 || PASSING_STATUS.has(status)
    ? new RetryableError(failure, wait === undefined ? line.backoff : wait * 1000)
    : failure;
}

/** A stream is asked for its first bytes only when they can be written; of a string nobody tells. */
function bodyOf({ body, onSending }: ServiceRequest): Readable | string | null {
  if (body === undefined || onSending === undefined) return body ?? null;
  return new Readable({
    read() {
      onSending();
      this.push(body);
      this.push(null);
    },
  });
}

function reply(answer: Answer, text: string): ServiceResponse {
  const pairs = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { status: answer.statusCode, headers: Object.fromEntries(pairs), text };
}

function announcesTooMuch({ statusCode, headers }: Answer, { limits }: Line): boolean {
  return statusCode < 300 && Number([headers['content-length']].flat()[0] ?? 0) > limits.bodyBytes;
}

function refusal(service: Service, { statusCode, headers }: Answer): Failure | undefined {
  if (statusCode === 429) return new RateLimited(service, parseRetryAfter(headers));
  return statusCode >= 500 ? new ServiceFailed(service, statusCode) : undefined;
}

function targetOf({ headers }: Answer, asked: URL): string {
  const location = [headers.location].flat()[0] ?? '';
  if (location === '' || !URL.canParse(location, asked.href)) return 'an unreadable address';
  const { origin, pathname } = new URL(location, asked);
  return origin === 'null' ? 'an unreadable address' : `${origin}${pathname}`.slice(0, 300);
}

async function wholeText(answer: Answer, service: Service, line: Line): Promise<string> {
  const bytes = await answer.body.arrayBuffer().catch((error) => {
    throw brokenOff(error, service, line);
  });
  const encoding = [answer.headers['content-encoding']].flat().join();
  if (bytes.byteLength > 0 && encoding !== '' && encoding !== 'identity') {
    throw new InvalidResponse(service, 'a compressed body that was not asked for');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidResponse(service, 'text that is not UTF-8');
  }
}

function notReached(error: unknown, { service }: ServiceRequest, host: string, line: Line): unknown {
  if (isFailure(error)) return error;
  const known = eitherWay(error, service, line);
  if (known !== undefined) return known;
  // The parser's error holds a piece of the answer: it stays here.
  if (error instanceof errors.HTTPParserError)
    return new InvalidResponse(service, 'something that is not HTTP');
  const code = codeOf(error);
  if (code === undefined) return error;
  const failure = new ServiceUnreachable(service, host, code, { cause: error });
  const isPassing = PASSING_CODE.has(code === NO_PUBLIC_ADDRESS ? causeOf(error) : code);
  return isPassing ? new RetryableError(failure, line.backoff) : failure;
}

function brokenOff(error: unknown, service: Service, line: Line): unknown {
  const brokeOff = new InvalidResponse(service, 'it broke off in the middle');
  return eitherWay(error, service, line) ?? new RetryableError(brokeOff, line.backoff);
}

/** What can happen before the body and within it alike. */
function eitherWay(error: unknown, service: Service, { signal, limits }: Line): Failure | undefined {
  if (signal.aborted) return new TimedOut(service, limits.deadline);
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new ResponseTooLarge(service, limits.bodyBytes);
  if (error instanceof errors.HeadersOverflowError)
    return new InvalidResponse(service, 'headers that never end');
  return undefined;
}

/** Why a name was not resolved: its server may answer in a moment. */
const causeOf = (error: unknown): string => (error instanceof Error && codeOf(error.cause)) || '';

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  // undici's word for a connection that the other side closed
  return error.code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : error.code;
}
