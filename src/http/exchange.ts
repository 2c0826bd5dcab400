/** One request and its whole response, by a deadline. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Agent } from 'undici';
import type { Millis } from '../domain/time/calendar.ts';
import { startTimeout } from '../timeout.ts';

interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Until the last byte. */
  readonly timeout: Millis;
}

interface RawResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Why the body did not arrive whole; `body` is empty then. */
  readonly bodyError?: unknown;
}

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
      origin: url.origin,
      path: url.pathname + url.search,
      body: sent ?? null,
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
export function addHost(error: unknown, { host }: URL): unknown {
  return error instanceof Error && !('host' in error) ? Object.assign(error, { host }) : error;
}

/** @returns seconds; undefined if missing or a date */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
