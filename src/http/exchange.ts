import type { IncomingHttpHeaders } from 'node:http';
import { Agent } from 'undici';
import { DEFAULT_LIMITS } from '../domain/rate-limits.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { startTimeout } from '../timeout.ts';
import { guardedConnect, type ResolveHost, type TrustedHost } from './address.ts';

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
    // What ends with the deadline may have been received, what ends with this was not.
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
export class ExchangeTimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Sends a request once and reads the whole response.
 *
 * @throws {ExchangeTimeoutError}, or undici's or the system's error, if no headers arrived
 */
export async function exchange(
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

const LENIENT_UTF8 = new TextDecoder();

/** Decodes a body that is only quoted, never parsed: invalid UTF-8 is replaced. */
export const decodeLeniently = ({ body }: Pick<RawResponse, 'body'>): string => LENIENT_UTF8.decode(body);

/** @returns the seconds of `Retry-After`; undefined when the header is missing, or is a date */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
