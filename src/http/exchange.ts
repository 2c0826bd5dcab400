import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, type Dispatcher, errors } from 'undici';

export interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** A body that announces more ends the exchange at once. The agent's `maxResponseSize` bounds the others. */
  readonly maxBytes: number;
  /** In ms, from now to the last byte. */
  readonly timeout?: number;
  /** For a caller that brings one: a timer of its own costs less. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection is open and the request goes out: from then on it may have arrived. */
  readonly onSending?: (() => void) | undefined;
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
 * @throws {ExchangeTimeoutError}, the signal's reason, or undici's or the system's error, where no headers arrived
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
