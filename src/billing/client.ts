import { hash } from 'node:crypto';
import { type BillingQuestion, Failure, failureOf, InvalidWord, isFailure } from '../domain/failure/index.ts';
import type { WireScalar } from '../domain/money/amount.ts';
import { collectCharges, type DayCharges } from '../domain/money/usage.ts';
import { PRODUCT_IDS, type ProductId } from '../domain/product.ts';
import { DAY, type Millis, type RequestedDays, type Zone } from '../domain/time/calendar.ts';
import type { GuardedHttp, Priority, ServiceRequest, ServiceResponse, Tenant } from '../http/client.ts';
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

/** Where billing is and the token to send: `baseUrl` as `checkBaseUrl` returns it, and a person's access token. */
export interface BillingAccess extends Tenant {
  readonly baseUrl: string;
  readonly token: string;
  /**
   * The workspace's stored billing failures, by project and product. Absent if the connection wasn't read from a
   * workspace's record.
   */
  readonly failures?: ReadonlyMap<string, { readonly kind: string; readonly topic: string }>;
}

/** A balance. `remarks` are GraphQL errors that billing sent with the data: untrusted text, shortened. */
export interface BalanceRecord {
  readonly balance: WireScalar;
  readonly bonuses: WireScalar;
  readonly remarks: readonly string[];
}

export interface Consumption {
  readonly charges: readonly DayCharges[];
  readonly remarks: readonly string[];
}

/** A period from `from` to `to`, both included. */
export interface TimeRange {
  readonly from: Millis;
  readonly to: Millis;
  /** The workspace's reporting time zone: tells the day of an item that has only a timestamp. */
  readonly zone: Zone;
  /** The days that the user asked for, to name in error messages. */
  readonly days: RequestedDays;
}

/**
 * The billing GraphQL API. Both methods throw what {@link GuardedHttp.request} throws, and token-rejected (401), forbidden
 * (403), query-rejected, no-data, invalid-response, service-failed, and InvalidWord for a token with odd characters.
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

export function createBillingClient({ http }: { http: GuardedHttp }): BillingClient {
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
    async balance(access, subscription, priority = 'interactive') {
      const document = balanceDocument(subscription);
      const { value, remarks } = await query(access, subscription, priority, document, parseBalance);
      return { remarks, ...value };
    },
    async consumption(access, subscription, { from, to, zone, days }, priority = 'interactive') {
      const document = consumptionDocument(subscription, from, to);
      const parse = parseConsumption(Math.ceil((to - from) / DAY));
      const { value, remarks } = await query(access, subscription, priority, document, parse, days);
      return { charges: collectCharges(value, zone), remarks };
    },
  };
}

/** A cache key for a query and its credentials. It is a hash, so that the cache doesn't hold the token. */
export function questionKey(access: BillingAccess, question: readonly unknown[]): string {
  const { workspace, connection, baseUrl, token } = access;
  return hash('sha256', JSON.stringify([workspace, connection, baseUrl, token, ...question]), 'base64');
}

/** Called after each query; must never reject. @param error why the query failed; undefined if billing answered */
export type OnBillingOutcome = (
  access: BillingAccess,
  asked: Subscription & { readonly topic: 'balance' | 'consumption' },
  error?: unknown,
) => Promise<void>;

/** Wraps a billing client so that each query's outcome is reported before the caller gets the answer. */
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

/** Checks the token before it is sent, because the HTTP library's error for an invalid header would quote it. */
function requireSendable(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new InvalidWord(
    'the access token',
    'has a character that no HTTP header can carry',
    'Paste it again, without spaces and line breaks.',
  );
}

/**
 * Turns a no-data failure into an empty report. For projects known to exist: billing hasn't reported these days yet.
 *
 * @returns a report without charges and remarks
 * @throws `error` itself if it is any other failure
 */
export function emptyIfNoData(error: unknown): Consumption {
  if (isFailure(error, 'no-data')) return { charges: [], remarks: [] };
  throw error;
}

/** The products for which billing returned the project's balance, and those for which the query failed. */
export type BalanceByProduct = Readonly<Awaited<ReturnType<typeof fetchBalanceByProduct>>>;

/**
 * Asks for the project's balance once per product, in parallel. The API doesn't tell a project's product, and for a
 * wrong product it may return nothing or another product's figures.
 * @throws Failure if the query failed for every product
 */
export async function fetchBalanceByProduct(
  billing: BillingClient,
  // Without `failures`, because a failure for a guessed product must not be stored as the project's.
  { failures: _, ...access }: BillingAccess,
  project: string,
) {
  /** The products for which billing returned a balance. */
  const found: { readonly product: ProductId; readonly balance: BalanceRecord }[] = [];
  /** The products for which the query failed. */
  const failed: { readonly product: ProductId; readonly failure: Failure }[] = [];
  const answers = await Promise.all(
    PRODUCT_IDS.map((product) => billing.balance(access, { project, product }).catch(failureOf)),
  );
  for (const [at, product] of PRODUCT_IDS.entries()) {
    const answer = answers[at];
    if (answer === undefined || isFailure(answer, 'no-data')) continue;
    if (isFailure(answer)) failed.push({ product, failure: answer });
    else found.push({ product, balance: answer });
  }
  const [first] = failed;
  if (first !== undefined && failed.length === PRODUCT_IDS.length) throw first.failure;
  return { found, failed };
}
