import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher, errors } from 'undici';
import type { Service } from '../domain/failure/index.ts';
import { DEFAULT_LIMITS } from '../domain/rate-limits.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { startTimeout } from '../runtime/timers.ts';
import type { WaitMeter } from '../runtime/work-record.ts';
import { guardedConnect, type ResolveHost, type TrustedHost } from './address.ts';
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

/** How long and how often Tally asks a service, and how much it accepts. Durations in milliseconds. */
export const HTTP_LIMITS = {
  /** One request from its turn in the queue to the last byte, with all tries and the pauses between them. */
  deadline: 10_000,
  tries: 3,
  /** The pause before the next try is random between these two; its upper end grows with each try. */
  shortestBackoff: 100,
  longestBackoff: 800,
  /** After this many outages in a row, a connection does not ask an origin for `breakerPause`. */
  breakerThreshold: 10,
  breakerPause: 5_000,
  /** How many failing connections are remembered; beyond that, those that failed longest ago are forgotten. */
  failingConnections: 1_024,
  bodyBytes: 4 * 1024 * 1024,
  /** {@link RateLimits.serviceConnections} */
  connections: DEFAULT_LIMITS.serviceConnections,
  /** How many interactive requests of a workspace may wait for one origin; the next one is refused. */
  queueLength: 500,
  /** How long an interactive request may wait for its turn. A background request waits without limit. */
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
    connect: guardedConnect(trusted, deadline, resolve),
    // The deadline of the whole request applies instead of undici's own timeouts.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

export interface OutgoingRequest extends Pick<ServiceRequest, 'method' | 'headers' | 'body' | 'onSending'> {
  readonly url: URL;
  /** A body that announces more ends the exchange at once. The agent's `maxResponseSize` bounds the others. */
  readonly maxBytes: number;
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

/** For the log, as few errors say which service failed. The host alone: the path of a `response_url` is a secret. */
export function addHost(error: Error, { host }: URL): void {
  if (!('host' in error)) Object.assign(error, { host });
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
 * @throws {ExchangeTimeoutError}, or undici's or the system's error, if no headers arrived
 */
export function exchange(
  agent: Agent,
  { url, timeout, maxBytes, onSending, method, headers, body }: OutgoingRequest,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Pick<RawResponse, 'statusCode' | 'headers'> | undefined;
    let gaveUp: Error | undefined;
    const chunks: Buffer[] = [];
    const fail = (error: Error): void => {
      cancelTimeout();
      addHost(error, url);
      if (head === undefined) reject(error);
      else resolve({ ...head, body: NOTHING, bodyError: error });
    };
    const cancelTimeout = startTimeout(timeout, () => {
      gaveUp = new ExchangeTimeoutError(`no whole answer within ${timeout} ms`);
      fail(gaveUp);
      controller?.abort(gaveUp);
    });
    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null },
      {
        onRequestStart(started) {
          controller = started;
          // The deadline may have passed while it waited for a connection.
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
          cancelTimeout();
          const [first = NOTHING] = chunks;
          resolve({ body: chunks.length > 1 ? Buffer.concat(chunks) : first, ...head });
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

const LENIENT_UTF8 = new TextDecoder();

/** Decodes a body that is only quoted, never parsed: invalid UTF-8 is replaced. */
export const decodeLeniently = ({ body }: Pick<RawResponse, 'body'>): string => LENIENT_UTF8.decode(body);

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

const parseHttpDate = (text: string): number => (text.endsWith('GMT') ? Date.parse(text) : Number.NaN);
