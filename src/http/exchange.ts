import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, type Dispatcher, errors } from 'undici';
import { InvalidResponse, type Service } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { tryRead } from '../domain/try-read.ts';
import type { WaitMeter } from '../runtime/work.ts';
import type { SecretMask } from './secret-mask.ts';

/** Whose request it is. Nothing that one tenant does pauses or delays another one's requests. */
export interface Tenant {
  readonly workspace: SlackId;
  /** Which of the workspace's credentials it uses: a connection's name, or a project's ID. */
  readonly connection: string;
  /** Measures how long the caller waits for the answer. */
  readonly waits?: WaitMeter | undefined;
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
  /** Absent when the request belongs to no workspace. */
  readonly tenant?: Tenant | undefined;
  /** What it is about, if a connection serves several: a project's ID. */
  readonly subject?: string;
  /** `interactive` by default. */
  readonly priority?: Priority;
  /** Fewer tries than usual, for what must not be done twice. */
  readonly tries?: number;
  /** Requests with the same object that fail count as one outage: they are parts of one command. */
  readonly outageGroup?: object;
  /** Called when the connection is open and the body goes out: from then on the service may have received it. */
  readonly onSending?: (() => void) | undefined;
  /** The headers of a 2xx are the answer: an unreadable body makes `text` empty. */
  readonly headersSuffice?: boolean;
}

/** A 2xx, or a 4xx other than 429; everything else is thrown. */
export interface ServiceResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a 4xx with an unreadable body, where the status is the answer. See also `headersSuffice`. */
  readonly text: string;
  /** For whatever is kept of the answer: masks the request's secrets. */
  readonly mask: SecretMask;
}

export interface OutgoingRequest extends Pick<ServiceRequest, 'method' | 'headers' | 'body' | 'onSending'> {
  readonly url: URL;
  /** A body that announces more ends the exchange at once. The agent's `maxResponseSize` bounds the others. */
  readonly maxBytes: number;
  /** From now to the last byte. */
  readonly timeout?: Millis;
  /** The caller's own signal; `timeout` alone costs less. */
  readonly signal?: AbortSignal | undefined;
}

export interface RawResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Why the body did not arrive whole; `body` is empty then. */
  readonly bodyError?: unknown;
}

/** The response did not end in time. */
export class ExchangeTimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

const NOTHING = Buffer.alloc(0);

/**
 * Sends a request once and reads the whole response. By undici's callbacks: a stream for each of these small bodies takes
 * longer than everything else about it.
 *
 * @throws {ExchangeTimeoutError}, the signal's reason, or undici's or the system's error, if no headers arrived
 */
export function exchange(
  agent: Agent,
  { url, timeout, signal, maxBytes, onSending, method, headers, body }: OutgoingRequest,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Pick<RawResponse, 'statusCode' | 'headers'> | undefined;
    let gaveUp: Error | undefined;
    const chunks: Buffer[] = [];
    const stopWaiting = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown): void => {
      stopWaiting();
      if (head === undefined) reject(error);
      else resolve({ ...head, body: NOTHING, bodyError: error });
    };
    const giveUp = (error: Error): void => {
      gaveUp = error;
      fail(error);
      controller?.abort(error);
    };
    const onAbort = (): void => giveUp(signal?.reason);
    const timer =
      timeout === undefined ? undefined : setTimeout(() => giveUp(new ExchangeTimeoutError()), timeout);
    signal?.addEventListener('abort', onAbort);
    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null },
      {
        onRequestStart(started) {
          controller = started;
          // It may have waited for its connection until then.
          if (gaveUp !== undefined) started.abort(gaveUp);
          else onSending?.();
        },
        onResponseStart(started, statusCode, received) {
          if (statusCode < 200) return;
          head = { statusCode, headers: received };
          if (method !== 'HEAD' && Number(received['content-length'] ?? 0) > maxBytes)
            started.abort(new errors.ResponseExceededMaxSizeError());
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd() {
          if (head === undefined) return fail(new errors.SocketError('the response has no status'));
          stopWaiting();
          const [first = NOTHING] = chunks;
          resolve({ ...head, body: chunks.length > 1 ? Buffer.concat(chunks) : first });
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

/** @param text the decoded body, empty when it does not count */
export function toServiceResponse(
  { statusCode, headers }: RawResponse,
  text: string,
  mask: SecretMask,
): ServiceResponse {
  const joined: Record<string, string> = {};
  for (const name in headers) joined[name] = [headers[name]].flat().join(', ');
  return { status: statusCode, headers: joined, text, mask };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const LENIENT_UTF8 = new TextDecoder();

/** @throws {InvalidResponse} for a compressed body, which we never ask for, and for what is not UTF-8 */
export function decodeBody({ headers, body }: RawResponse, service: Service): string {
  const encoding = [headers['content-encoding']].flat().join();
  if (body.length > 0 && encoding !== '' && encoding !== 'identity') {
    throw new InvalidResponse(service, 'a compressed body that was not asked for');
  }
  const text = tryRead(() => UTF8.decode(body));
  if (text === undefined) throw new InvalidResponse(service, 'text that is not UTF-8');
  return text;
}

/** For a body that does not decide: what cannot be read is replaced. */
export const decodeLeniently = ({ body }: Pick<RawResponse, 'body'>): string => LENIENT_UTF8.decode(body);

/** @returns where a redirect leads, without query and fragment, in at most 300 characters; undefined for no redirect */
export function redirectTarget(
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

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3). A date is measured from the response's own `Date`: both come from one clock,
 * so ours may be wrong.
 *
 * @returns seconds, 0 or more; undefined when the header is missing or unreadable
 */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const seconds = (parseHttpDate(text) - parseHttpDate(headers.date ?? '')) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function parseHttpDate(text: string): number {
  return text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
}
