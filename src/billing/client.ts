import { hash } from 'node:crypto';
import type * as z from 'zod';
import {
  type BillingQuestion,
  Forbidden,
  InvalidResponse,
  InvalidWord,
  isFailure,
  NoData,
  QueryRejected,
  ServiceFailed,
  TokenRejected,
} from '../domain/failure/index.ts';
import type { WireScalar } from '../domain/money/amount.ts';
import type { WireCharge } from '../domain/money/usage.ts';
import { PRODUCTS } from '../domain/product.ts';
import type { GuardedHttp, Priority, ServiceResponse, Tenant } from '../http/request.ts';
import {
  balanceDocument,
  balanceSchema,
  consumptionDocument,
  consumptionSchema,
  findGraphqlErrors,
  parseResponse,
  type Subscription,
} from './graphql.ts';

export type { Subscription } from './graphql.ts';

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

/** ms since the epoch, both ends included */
interface InstantRange {
  readonly from: number;
  readonly to: number;
}

export interface Consumption {
  readonly items: readonly WireCharge[];
  readonly remarks: readonly string[];
  /** The range of the request that was sent. Callers that share a request get the first one's. */
  readonly asked: InstantRange;
}

export interface TimeRange extends InstantRange {
  /** The period ends now: ranges that differ in `to` alone share one request. */
  readonly running: boolean;
  /** Names its days in an error: `14–20 Nov`. */
  readonly label: string;
}

/**
 * The billing GraphQL API. Both methods throw what {@link GuardedHttp.request} throws, and TokenRejected (401), Forbidden
 * (403), QueryRejected, NoData, InvalidResponse, ServiceFailed, and InvalidWord for a token that no header can carry.
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
export function createBilling({ http }: { http: GuardedHttp }): BillingClient {
  const running = new Map<string, Promise<unknown>>();

  function shareRequest<T>(
    access: BillingAccess,
    question: readonly unknown[],
    send: () => Promise<T>,
  ): Promise<T> {
    const { workspace, connection, baseUrl, token } = access;
    const identity = JSON.stringify([workspace, connection, baseUrl, token, ...question]);
    // Hashed, because it contains the token.
    const key = hash('sha256', identity, 'base64');
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
    schema: z.ZodType<T | null>,
    days?: string,
  ): Promise<{ value: T; remarks: readonly string[] }> {
    const response = await http.request({
      service: 'billing',
      method: 'POST',
      url: `${access.baseUrl}/bill/graphql`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-user-token': requireSendable(access.token),
      },
      body: JSON.stringify({ query: document }),
      tenant: access,
      subject: subscription.project,
      priority,
      // A command opens its access once and sends two requests at most with it.
      outageGroup: access,
    });
    const { project, product } = subscription;
    const question = { project, product: PRODUCTS[product], days };
    if (response.status >= 400) throw rejectionOf(response, access.token, question);
    const { data, errors: remarks } = parseResponse(response.text, schema, access.token);
    if ('value' in data && data.value !== null) return { value: data.value, remarks };
    if (remarks.length > 0) throw new QueryRejected(remarks, response.status, question);
    if ('problem' in data) throw new InvalidResponse('billing', data.problem);
    throw new NoData(question);
  }

  return {
    balance(access, subscription, priority = 'interactive') {
      const question = [priority, 'balance', subscription.project, subscription.product];
      return shareRequest(access, question, async () => {
        const document = balanceDocument(subscription);
        const { value, remarks } = await query(access, subscription, priority, document, balanceSchema);
        return { ...value, remarks };
      });
    },
    consumption(access, subscription, { from, to, running, label }, priority = 'interactive') {
      const { project, product } = subscription;
      const question = [priority, 'consumption', project, product, from, running ? 'now' : to];
      return shareRequest(access, question, async () => {
        const document = consumptionDocument(subscription, from, to);
        const { value, remarks } = await query(
          access,
          subscription,
          priority,
          document,
          consumptionSchema,
          label,
        );
        return { items: value, remarks, asked: { from, to } };
      });
    },
  };
}

function rejectionOf({ status, text }: ServiceResponse, token: string, question: BillingQuestion): Error {
  if (status === 401) return new TokenRejected('billing');
  if (status === 403) return new Forbidden('billing');
  const messages = findGraphqlErrors(text, token);
  return messages.length > 0
    ? new QueryRejected(messages, status, question)
    : new ServiceFailed('billing', status);
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

type Reported = Pick<Consumption, 'items' | 'remarks'>;

/** Why optional figures are missing: our sentence, and what the service said about it (outside text). */
export interface MissedAnswer {
  readonly why: string;
  readonly remarks: readonly string[];
}

/**
 * Waits for figures that an answer can do without, such as those of the window before.
 *
 * @returns the figures, without items if the service has none, or why they are missing
 * @throws what is not a Failure: a mistake of ours
 */
export async function settleOptional(consumption: Promise<Consumption>): Promise<Reported | MissedAnswer> {
  try {
    return await consumption.catch(emptyIfNoData);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { why: error.message, remarks: error.kind === 'query-rejected' ? error.messages : [] };
  }
}

/**
 * For a project that is known to exist: there NoData means that none of these days is reported yet.
 *
 * @returns no items and no remarks
 * @throws `error` itself if it is not NoData
 */
export function emptyIfNoData(error: unknown): Reported {
  if (error instanceof NoData) return { items: [], remarks: [] };
  throw error;
}
