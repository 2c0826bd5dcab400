import { type Failure, isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { TrustedHost } from '../../http/address.ts';
import type { HttpLimits } from '../../http/exchange.ts';
import {
  createGuardedHttp,
  type GuardedHttp,
  type ServiceRequest,
  type ServiceResponse,
} from '../../http/request.ts';
import { type BillingAccess, type BillingClient, createBillingClient } from '../client.ts';
import { parseResponse } from '../graphql-contract.ts';
import type { PointId } from './points.ts';

export type Answer<T> = { readonly query: string } & ({ readonly value: T } | { readonly failure: Failure });

/** What the questions so far have shown of the service. */
interface Progress {
  requests: number;
  /** Requests, including Tally's own retries. */
  attempts: number;
  /** An answer came, readable or not. */
  isReached: boolean;
  /** An answer to a document had JSON in it. */
  isReadable: boolean;
  /** The first 2xx. */
  first?: ServiceResponse;
  slowest: Millis;
  /** Length of the largest body, in characters. */
  largest: number;
  /** How many answers closed their connection. */
  closing: number;
  /** The failure that ended the check, because each later question would fail the same way. */
  breakdown?: { readonly point: PointId; readonly failure: Failure; readonly query: string };
}

/** `document`: an answer is expected. `probe`: a refusal is. `without-token`: a probe, and the request has no token. */
export type QuestionKind = 'document' | 'probe' | 'without-token';

export type Questioner = ReturnType<typeof createQuestioner>;

/** Asks one question after the other with Tally's own client and documents, over one HTTP client. */
export function createQuestioner(parts: {
  readonly baseUrl: string;
  readonly token: string;
  readonly trustedHosts: readonly TrustedHost[];
  readonly limits?: Partial<HttpLimits>;
}) {
  const progress: Progress = {
    requests: 0,
    attempts: 0,
    isReached: false,
    isReadable: false,
    slowest: 0,
    largest: 0,
    closing: 0,
  };
  const http = createGuardedHttp({
    ...parts,
    onExchange({ tries }) {
      progress.requests += 1;
      progress.attempts += tries;
    },
  });
  const { baseUrl, token } = parts;
  const access: BillingAccess = { workspace: 'T0', connection: 'check', baseUrl, token };
  let last: { readonly query: string; readonly response?: ServiceResponse } = { query: '' };

  const recording = (kind: QuestionKind): GuardedHttp => ({
    ...http,
    async requestAndRead(request, read) {
      last = { query: queryOf(request) };
      const begun = performance.now();
      try {
        const response = await http.request(kind === 'without-token' ? withoutToken(request) : request);
        last = { ...last, response };
        if (response.status < 300) progress.first ??= response;
        progress.largest = Math.max(progress.largest, response.text.length);
        if (response.headers.connection === 'close') progress.closing += 1;
        return read(response);
      } finally {
        progress.slowest = Math.max(progress.slowest, performance.now() - begun);
      }
    },
  });

  return {
    progress: progress as Readonly<Progress>,
    /** @returns undefined after a breakdown */
    async ask<T>(
      kind: QuestionKind,
      question: (billing: BillingClient, access: BillingAccess) => Promise<T>,
    ): Promise<Answer<T> | undefined> {
      if (progress.breakdown !== undefined) return undefined;
      try {
        const value = await question(createBillingClient({ http: recording(kind) }), access);
        progress.isReached = true;
        progress.isReadable ||= kind === 'document';
        return { value, query: last.query };
      } catch (failure) {
        if (!isFailure(failure)) throw failure;
        const { query, response } = last;
        const point = breakdownPoint(failure, kind, response, progress.isReached);
        progress.isReached ||= !UNREACHED.includes(failure.kind);
        if (point !== undefined) {
          progress.breakdown = { point, failure, query };
          return undefined;
        }
        progress.isReadable ||= kind === 'document';
        return { failure, query };
      }
    },
    close: http.close,
  };
}

const UNREACHED: readonly Failure['kind'][] = ['service-unreachable', 'address-refused', 'timed-out'];

const queryOf = ({ body = '' }: ServiceRequest): string => JSON.parse(body).query;

function withoutToken(request: ServiceRequest): ServiceRequest {
  const { 'x-user-token': _, ...headers } = request.headers;
  return { ...request, headers };
}

/** The points that these failures end the check at, whatever was asked. */
const BREAKDOWNS: Partial<Record<Failure['kind'], PointId>> = {
  'address-refused': 'reach',
  'timed-out': 'time',
  'rate-limited': 'rate-limit',
  'response-too-large': 'size',
};
/** A probe that gets one of these instead of a refusal fails its own point, and does not end the check. */
const DOCUMENT_BREAKDOWNS: typeof BREAKDOWNS = {
  'redirect-refused': 'redirect',
  'token-rejected': 'token',
  forbidden: 'token',
  'service-failed': 'http',
};
/** Statuses that mean a wrong path or method, even when the body has GraphQL errors. */
const WRONG_PATH: ReadonlySet<number> = new Set([404, 405, 415]);

/**
 * @param response undefined if none came that Tally reads
 * @param isReached whether an earlier question was answered
 * @returns the point that ends the check; undefined if the failure says something about this question only
 */
function breakdownPoint(
  failure: Failure,
  kind: QuestionKind,
  response: ServiceResponse | undefined,
  isReached: boolean,
): PointId | undefined {
  if (failure.kind === 'service-unreachable') return isReached ? 'keep-alive' : 'reach';
  if (kind !== 'document') return BREAKDOWNS[failure.kind];
  if (failure.kind === 'query-rejected') return WRONG_PATH.has(failure.status) ? 'http' : undefined;
  if (failure.kind !== 'invalid-response')
    return BREAKDOWNS[failure.kind] ?? DOCUMENT_BREAKDOWNS[failure.kind];
  if (response === undefined) return unreadablePoint(failure.what);
  return isReadable(response) ? undefined : 'json';
}

/** Whether it is a JSON object, of any shape and size. */
function isReadable(response: ServiceResponse): boolean {
  try {
    parseResponse(response, () => null);
    return true;
  } catch (error) {
    if (isFailure(error)) return error.kind !== 'invalid-response';
    throw error;
  }
}

function unreadablePoint(what: string): PointId {
  if (what.includes('compressed')) return 'compression';
  return what.includes('UTF-8') ? 'json' : 'http';
}
