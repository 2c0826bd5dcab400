/** The client of the billing GraphQL API: a project's balance, and its charges day by day. */
import { Failure, failureOf, isFailure } from '../domain/failure/index.ts';
import type { BillingQuestion } from '../domain/failure/kinds.ts';
import { collectCharges, type DayCharges } from '../domain/money/charges.ts';
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
  type WireBalance,
} from './graphql-contract.ts';

export type { Subscription } from './graphql-contract.ts';

export interface BillingCredentials extends Tenant {
  readonly baseUrl: string;
  readonly token: string;
  /** The failed queries in the workspace's record, by project and product. */
  readonly failures?: ReadonlyMap<string, { readonly kind: string; readonly topic: string }>;
}

/** `remarks` are GraphQL errors that came with the data: untrusted text. */
export interface BalanceRecord extends WireBalance {
  readonly remarks: readonly string[];
}

export interface Consumption {
  readonly charges: readonly DayCharges[];
  readonly remarks: readonly string[];
}

export interface TimeRange {
  readonly from: Millis;
  readonly to: Millis;
  /** The time zone that turns an item's timestamp into a day. */
  readonly zone: Zone;
  readonly days: RequestedDays;
}

/**
 * Both methods throw what {@link GuardedHttp.requestAndRead} throws, and token-rejected (401), forbidden (403),
 * query-rejected, no-data, invalid-response and service-failed.
 */
export interface BillingClient {
  balance(
    access: BillingCredentials,
    subscription: Subscription,
    priority?: Priority,
  ): Promise<BalanceRecord>;
  consumption(
    access: BillingCredentials,
    subscription: Subscription,
    range: TimeRange,
    priority?: Priority,
  ): Promise<Consumption>;
}

export function createBillingClient({ http }: { http: GuardedHttp }): BillingClient {
  async function query<T>(
    access: BillingCredentials,
    subscription: Subscription,
    priority: Priority,
    document: string,
    parse: ParseData<T>,
    days?: RequestedDays,
  ): Promise<{ value: T; remarks: readonly string[] }> {
    const { token } = access;
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

/** Called after each query; must never reject. `error` is undefined if billing answered. */
export type OnBillingOutcome = (
  access: BillingCredentials,
  asked: Subscription & { readonly topic: 'balance' | 'consumption' },
  error?: unknown,
) => Promise<void>;

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

/** For a project that is known to exist, no-data means that billing hasn't reported these days yet. */
export function emptyIfNoData(error: unknown): Consumption {
  if (isFailure(error, 'no-data')) return { charges: [], remarks: [] };
  throw error;
}

/** For figures that an answer can do without: `work.catch(missedAnswer)`. @throws errors other than a Failure */
export function missedAnswer(error: unknown): (
  | { readonly why: string }
  | { readonly charges: readonly never[] }
) & {
  readonly remarks: readonly string[];
} {
  const failure = failureOf(error);
  if (failure.kind === 'no-data') return { charges: [], remarks: [] };
  return {
    why: failure.message,
    remarks: failure.kind === 'query-rejected' ? (failure.data.messages ?? []) : [],
  };
}
