import { hash } from 'node:crypto';
import { type BillingQuestion, Failure, InvalidWord, isFailure } from '../domain/failure/index.ts';
import type { WireScalar } from '../domain/money/amount.ts';
import { collectCharges, type DayCharges } from '../domain/money/charges.ts';
import { DAY, type Millis, type RequestedDays, type Zone } from '../domain/time/calendar.ts';
import type { GuardedHttp, Priority, ServiceRequest, ServiceResponse, Tenant } from '../http/request.ts';
import {
  balanceDocument,
  consumptionDocument,
  findGraphqlErrors,
  type ParseData,
  parseBalance,
  parseConsumption,
  parseResponse,
  type Subscription,
} from './graphql-contract.ts';

export type { Subscription } from './graphql-contract.ts';

/** `baseUrl` as `checkBaseUrl` returns it; `token` is the user access token. */
export interface BillingAccess extends Tenant {
  readonly baseUrl: string;
  readonly token: string;
  /** What failed when its record was read, by `failureKey`; absent for a connection that is not from a record. */
  readonly failures?: ReadonlyMap<string, { readonly kind: string }>;
}

/** `remarks` are GraphQL errors that came with the data: outside text, shortened. */
export interface BalanceRecord {
  readonly balance: WireScalar;
  readonly bonuses: WireScalar;
  readonly remarks: readonly string[];
}

/** `from` and `to` are included. */
interface InstantRange {
  readonly from: Millis;
  readonly to: Millis;
}

export interface Consumption {
  readonly charges: readonly DayCharges[];
  readonly remarks: readonly string[];
  /** The range that was sent: of callers that share a request, the first caller's. */
  readonly requested: InstantRange;
}

export interface TimeRange extends InstantRange {
  /** Whether the period ends now. Then questions that differ in `to` alone share one request. */
  readonly running: boolean;
  /** IANA: the reporting zone, which some of the service's timestamps are read in. */
  readonly zone: Zone;
  /** The days that a failure's message names. */
  readonly days: RequestedDays;
}

/**
 * The billing GraphQL API. Both methods throw what {@link GuardedHttp.request} throws, and token-rejected (401), forbidden
 * (403), query-rejected, no-data, invalid-response, service-failed, and InvalidWord for a token that no header can carry.
 */
export interface BillingClient {
  balance(access: BillingAccess, subscription: Subscription, priority?: Priority): Promise<BalanceRecord>;
  consumption(
    access: BillingAccess,
    subscription: Subscription,
    range: TimeRange,
    priority?: Priority,
  ): Promise<Consumption>;
}

/**
 * Identical requests of one workspace at the same time share one response. Nothing is cached after that, so a plain
 * Map of promises does.
 */
export function createBillingClient({ http }: { http: GuardedHttp }): BillingClient {
  const running = new Map<string, Promise<unknown>>();

  function shareRequest<T>(
    access: BillingAccess,
    question: readonly unknown[],
    send: () => Promise<T>,
  ): Promise<T> {
    const key = questionKey(access, question);
    const shared = running.get(key) as Promise<T> | undefined;
    if (shared !== undefined) return shared;
    const response = send().finally(() => running.delete(key));
    running.set(key, response);
    return response;
  }

  async function query<T>(
    access: BillingAccess,
    subscription: Subscription,
    priority: Priority,
    document: string,
    parse: ParseData<T>,
    days?: RequestedDays,
  ): Promise<{ value: T; remarks: readonly string[] }> {
    const token = requireSendable(access.token);
    const { project, product } = subscription;
    const question = { project, product, days };
    const request: ServiceRequest = {
      service: 'billing',
      method: 'POST',
      url: `${access.baseUrl}/bill/graphql`,
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-user-token': token },
      secrets: [token],
      body: JSON.stringify({ query: document }),
      tenant: access,
      priority,
    };
    return http.requestAndRead(request, (response) => {
      if (response.status >= 400) throw rejectionOf(response, question);
      const { data, errors: remarks } = parseResponse(response, parse);
      if ('value' in data && data.value !== null) return { value: data.value, remarks };
      if (remarks.length > 0)
        throw new Failure('query-rejected', { messages: remarks, status: response.status, question });
      if ('problem' in data)
        throw new Failure('invalid-response', { service: 'billing', what: data.problem });
      throw new Failure('no-data', { question });
    });
  }

  return {
    balance(access, subscription, priority = 'interactive') {
      const question = [priority, 'balance', subscription.project, subscription.product];
      return shareRequest(access, question, async () => {
        const document = balanceDocument(subscription);
        const { value, remarks } = await query(access, subscription, priority, document, parseBalance);
        return { remarks, ...value };
      });
    },
    consumption(access, subscription, { from, to, zone, running, days }, priority = 'interactive') {
      const { project, product } = subscription;
      const question = [priority, 'consumption', project, product, from, running ? 'now' : to, zone];
      return shareRequest(access, question, async () => {
        const document = consumptionDocument(subscription, from, to);
        const parse = parseConsumption(Math.ceil((to - from) / DAY));
        const { value, remarks } = await query(access, subscription, priority, document, parse, days);
        return { charges: collectCharges(value, zone), remarks, requested: { from, to } };
      });
    },
  };
}

/** Identifies a question and who asks it. A hash, because the token is a part of it. */
export function questionKey(access: BillingAccess, question: readonly unknown[]): string {
  const { workspace, connection, baseUrl, token } = access;
  return hash('sha256', JSON.stringify([workspace, connection, baseUrl, token, ...question]), 'base64');
}

/** @param error why there was no answer. Never rejects. */
export type OnBillingOutcome = (
  access: BillingAccess,
  asked: Subscription & { readonly topic: 'balance' | 'consumption' },
  error?: unknown,
) => Promise<void>;

/** The same client, which reports how each question ended before it returns the answer. */
export function reportOutcomes(billing: BillingClient, report: OnBillingOutcome): BillingClient {
  const reporting = async <T>(
    answer: Promise<T>,
    ...[access, asked]: Parameters<OnBillingOutcome>
  ): Promise<T> => {
    const [ended] = await Promise.allSettled([answer]);
    await report(access, asked, ended.status === 'rejected' ? ended.reason : undefined);
    return answer;
  };
  return {
    balance: (access, subscription, ...rest) =>
      reporting(billing.balance(access, subscription, ...rest), access, {
        topic: 'balance',
        ...subscription,
      }),
    consumption: (access, asked, ...rest) =>
      reporting(billing.consumption(access, asked, ...rest), access, { topic: 'consumption', ...asked }),
  };
}

function rejectionOf(response: ServiceResponse, question: BillingQuestion): Error {
  const { status } = response;
  if (status === 401) return new Failure('token-rejected', { service: 'billing' });
  if (status === 403) return new Failure('forbidden', { service: 'billing' });
  const messages = findGraphqlErrors(response);
  return messages.length > 0
    ? new Failure('query-rejected', { messages, status, question })
    : new Failure('service-failed', { service: 'billing', status });
}

/** Checked first, so that no library's error can quote the token. */
function requireSendable(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new InvalidWord(
    'the access token',
    'has a character that no HTTP header can carry',
    'Paste it again, without spaces and line breaks.',
  );
}

type Reported = Pick<Consumption, 'charges' | 'remarks'>;

/** Why optional figures are missing: our sentence, and what the service said about it (outside text). */
export interface MissedAnswer {
  readonly why: string;
  readonly remarks: readonly string[];
}

/**
 * Waits for figures that an answer can do without, such as those of the window before.
 *
 * @returns the figures, without charges if the service has none, or why they are missing
 * @throws what is not a Failure: a mistake of ours
 */
export async function settleOptional(consumption: Promise<Consumption>): Promise<Reported | MissedAnswer> {
  try {
    return await consumption.catch(emptyIfNoData);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { why: error.message, remarks: error.kind === 'query-rejected' ? error.data.messages : [] };
  }
}

/**
 * For a project that is known to exist: there no-data means that none of these days is reported yet.
 *
 * @returns no charges and no remarks
 * @throws `error` itself if it is not no-data
 */
export function emptyIfNoData(error: unknown): Reported {
  if (isFailure(error, 'no-data')) return { charges: [], remarks: [] };
  throw error;
}
