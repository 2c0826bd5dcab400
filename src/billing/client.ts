import { createHash } from 'node:crypto';
import type { z } from 'zod';
import {
  type BillingQuestion,
  Forbidden,
  InvalidResponse,
  InvalidWord,
  NoData,
  QueryRejected,
  ServiceFailed,
  TokenRejected,
} from '../domain/failure/index.ts';
import type { WireScalar } from '../domain/money/amount.ts';
import type { WireCharge } from '../domain/money/usage.ts';
import { PRODUCTS } from '../domain/product.ts';
import type { GuardedHttp, Priority, ServiceResponse, Tenant } from '../http/request.ts';
import { balanceDocument, consumptionDocument, type Subscription } from './documents.ts';
import { balanceSchema, consumptionSchema, findGraphqlErrors, parseResponse } from './schemas.ts';

export type { Subscription } from './documents.ts';

/** `baseUrl` as `checkBaseUrl` gives it; `token` is the user access token. */
export interface BillingAccess extends Tenant {
  readonly baseUrl: string;
  readonly token: string;
}

/** `remarks` are GraphQL errors that came beside the data: outside text, clipped. */
export interface BalanceRecord {
  readonly balance: WireScalar;
  readonly bonuses: WireScalar;
  readonly remarks: readonly string[];
}

/** Milliseconds since the epoch, both ends included. */
interface Asked {
  readonly from: number;
  readonly to: number;
}

export interface Consumption {
  readonly items: readonly WireCharge[];
  readonly remarks: readonly string[];
  /** What was really asked: of several who asked the same at once, the first one's. */
  readonly asked: Asked;
}

/** `running`: the period ends now, so that a few milliseconds do not make it another question. */
export interface TimeRange extends Asked {
  readonly running: boolean;
  /** How its days are called when there is no answer: `14–20 Nov`. */
  readonly label: string;
}

/**
 * The billing GraphQL interface. Both reject with what {@link GuardedHttp.request} rejects with, and with TokenRejected
 * (401), Forbidden (403), QueryRejected, NoData, InvalidResponse, ServiceFailed, InvalidWord (a token no header can carry).
 */
export interface BillingClient {
  balance(access: BillingAccess, subscription: Subscription, priority?: Priority): Promise<BalanceRecord>;
  consumption(
    access: BillingAccess,
    subscription: Subscription,
    span: TimeRange,
    priority?: Priority,
  ): Promise<Consumption>;
}

/**
 * The same question that a workspace asks again while it is under way goes out once; nothing is kept once it is
 * answered.
 */
export function createBilling({ http }: { http: GuardedHttp }): BillingClient {
  const underWay = new Map<string, Promise<unknown>>();

  function together<T>(
    access: BillingAccess,
    question: readonly unknown[],
    ask: () => Promise<T>,
  ): Promise<T> {
    // Hashed, because the token is a part of it.
    const { workspace, connection, baseUrl, token } = access;
    const all = JSON.stringify([workspace, connection, baseUrl, token, ...question]);
    const key = createHash('sha256').update(all).digest('base64');
    const running = underWay.get(key) as Promise<T> | undefined;
    if (running !== undefined) return running;
    const asking = ask().finally(() => underWay.delete(key));
    underWay.set(key, asking);
    return asking;
  }

  async function read<T>(
    access: BillingAccess,
    subscription: Subscription,
    priority: Priority,
    query: string,
    schema: z.ZodType<T | null>,
    days?: string,
  ): Promise<{ value: T; remarks: readonly string[] }> {
    const reply = await http.request({
      service: 'billing',
      method: 'POST',
      url: `${access.baseUrl}/bill/graphql`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-user-token': sendable(access.token),
      },
      body: JSON.stringify({ query }),
      tenant: access,
      subject: subscription.project,
      priority,
      // It is opened once for each command, which asks two questions at most.
      occasion: access,
    });
    const { project, product } = subscription;
    const question = { project, product: PRODUCTS[product], days };
    if (reply.status >= 400) throw refusal(reply, access.token, question);
    const { found, messages: remarks } = parseResponse(reply.text, schema, access.token);
    if ('value' in found && found.value !== null) return { value: found.value, remarks };
    if (remarks.length > 0) throw new QueryRejected(remarks, reply.status, question);
    if ('broken' in found) throw new InvalidResponse('billing', found.broken);
    throw new NoData(question);
  }

  return {
    balance(access, subscription, priority = 'interactive') {
      const question = [priority, 'balance', subscription.project, subscription.product];
      return together(access, question, async () => {
        const query = balanceDocument(subscription);
        const { value, remarks } = await read(access, subscription, priority, query, balanceSchema);
        return { ...value, remarks };
      });
    },
    consumption(access, subscription, { from, to, running, label }, priority = 'interactive') {
      const { project, product } = subscription;
      const question = [priority, 'consumption', project, product, from, running ? 'now' : to];
      return together(access, question, async () => {
        const query = consumptionDocument(subscription, from, to);
        const { value, remarks } = await read(
          access,
          subscription,
          priority,
          query,
          consumptionSchema,
          label,
        );
        return { items: value, remarks, asked: { from, to } };
      });
    },
  };
}

function refusal({ status, text }: ServiceResponse, token: string, question: BillingQuestion): Error {
  if (status === 401) return new TokenRejected('billing');
  if (status === 403) return new Forbidden('billing');
  const messages = findGraphqlErrors(text, token);
  return messages.length > 0
    ? new QueryRejected(messages, status, question)
    : new ServiceFailed('billing', status);
}

/** Checked before anything else sees it, so that nobody else's complaint can quote it. */
function sendable(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new InvalidWord(
    'the access token',
    'has a character that no HTTP header can carry',
    'Paste it again, without spaces and line breaks.',
  );
}
