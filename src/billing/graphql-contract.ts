/** The queries of the billing GraphQL API, and what their answers must look like. */
import { isLosslessNumber, stringify } from 'lossless-json';
import { isProductId, isProjectId, PRODUCT_IDS, type ProductId } from '../domain/billing-products.ts';
import { BROKEN_OFF, Failure } from '../domain/failure/index.ts';
import type { WireScalar } from '../domain/money/amount.ts';
import type { WireCharge } from '../domain/money/charges.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';
import { firstCharacters } from '../domain/wording.ts';
import type { ServiceResponse } from '../http/client.ts';
import { isJsonObject, JsonError, type JsonObject, parseJson } from '../http/parse-json.ts';
import type { SecretMask } from '../http/secret-mask.ts';

/** `project` is an ID of 1 to 32 digits that doesn't start with 0. */
export interface Subscription {
  readonly project: string;
  readonly product: ProductId;
}

export function balanceDocument(subscription: Subscription): string {
  const fields = 'balance bonuses';
  return `query { bill { getSubscriptionBalance(${subscriptionArguments(subscription)}) { ${fields} } } }`;
}

export function consumptionDocument(subscription: Subscription, from: Millis, to: Millis): string {
  const [first, last] = [from, to].map((ms) => new Date(ms).toISOString());
  const period = `periodFrom: "${first}", periodTo: "${last}"`;
  const filter = `{ ${period}, ${subscriptionArguments(subscription)} }`;
  const fields = 'items { day totalAmount totalBonuses }';
  return `query { bill { reportSubscriptionConsuming(filter: ${filter}) { ${fields} } } }`;
}

/** Checks the ID again, because it becomes part of the query's text. The ID may exceed 2^53, so it stays a string. */
function subscriptionArguments({ project, product }: Subscription): string {
  if (!isProjectId(project)) throw new TypeError('A project ID is 1 to 32 digits, the first not a zero.');
  if (!isProductId(product)) throw new TypeError(`A product is one of ${PRODUCT_IDS.join(', ')}.`);
  return `externalSubscriptionId: ${project}, productId: ${product}`;
}

/** The maximum number of error messages shown, and of characters in each. */
const SHOWN = { messages: 5, characters: 300 } as const;

/** The maximum number of items in a report. `spare` allows for items whose day is outside the period. */
const ITEMS = { perDay: 8, spare: 1_000 } as const;

export interface GraphqlResponse<T> {
  /** `value` is null if billing has no data. `problem` says what is wrong with the data's shape. */
  readonly data: { readonly value: T | null } | { readonly problem: string };
  /** GraphQL error messages: untrusted text, with secrets masked. */
  readonly errors: readonly string[];
}

export type ParseData<T> = (bill: JsonObject, mask: SecretMask) => T | null;

/** The message completes "The billing service sent a response that Tally can’t read: …". */
class ShapeError extends Error {}

function objectOrNull(value: unknown, problem: string): JsonObject | undefined {
  if (value === null) return undefined;
  if (!isJsonObject(value)) throw new ShapeError(problem);
  return value;
}

export interface WireBalance {
  readonly balance: WireScalar;
  readonly bonuses: WireScalar;
}

export const parseBalance: ParseData<WireBalance> = ({ getSubscriptionBalance }, mask) => {
  const record = objectOrNull(getSubscriptionBalance, 'no balance record');
  if (record === undefined) return null;
  const [balance, bonuses] = [parseScalar(record.balance, mask), parseScalar(record.bonuses, mask)];
  return 'missing' in balance && 'missing' in bonuses ? null : { balance, bonuses };
};

export const parseConsumption =
  (days: number): ParseData<readonly WireCharge[]> =>
  ({ reportSubscriptionConsuming }, mask) => {
    const report = objectOrNull(reportSubscriptionConsuming, 'no consumption report');
    if (report === undefined || report.items === null) return null;
    if (!Array.isArray(report.items)) throw new ShapeError('no items list');
    const most = ITEMS.perDay * days + ITEMS.spare;
    if (report.items.length > most)
      throw new Failure('response-too-large', {
        service: 'billing',
        most: `${most.toLocaleString('en-US')} items`,
      });
    return report.items.length === 0 ? null : report.items.map((item) => parseItem(item, mask));
  };

/** A malformed item gets its JSON text in every field, so the other items still count. */
function parseItem(value: unknown, mask: SecretMask): WireCharge {
  if (isJsonObject(value)) {
    const { day, totalAmount, totalBonuses } = value;
    return {
      day: parseScalar(day, mask),
      totalAmount: parseScalar(totalAmount, mask),
      totalBonuses: parseScalar(totalBonuses, mask),
    };
  }
  const odd = { odd: shortJson(value, mask) };
  return { day: odd, totalAmount: odd, totalBonuses: odd };
}

/** The API documentation doesn't show the outer object, so a bare `{bill}` is accepted too. @throws invalid-response */
export function parseResponse<T>(response: ReadableBody, parse: ParseData<T>): GraphqlResponse<T> {
  const root = parseBody(response);
  if (!isJsonObject(root)) throw invalid('JSON that is not an object');
  const errors = parseMessages(root.errors);
  try {
    const bill = objectOrNull(billOf(root), 'JSON without “bill”');
    return { data: { value: bill === undefined ? null : parse(bill, response.mask) }, errors };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return { data: { problem: error.message }, errors };
  }
}

export function findGraphqlErrors(response: ReadableBody): readonly string[] {
  const root = tryParse(() => parseBody(response), Failure);
  return isJsonObject(root) ? parseMessages(root.errors) : [];
}

function billOf(root: JsonObject): unknown {
  if (!('data' in root)) return root.bill;
  return isJsonObject(root.data) ? root.data.bill : root.data;
}

function parseMessages(errors: unknown): readonly string[] {
  const first = [errors ?? []].flat().slice(0, SHOWN.messages);
  return first.map((error) => clip(messageOf(error)));
}

function messageOf(error: unknown): string {
  const text = isJsonObject(error) ? error.message : error;
  return typeof text === 'string' ? text : 'an error without a message';
}

function parseScalar(value: unknown, mask: SecretMask): WireScalar {
  if (value === null || value === undefined) return { missing: true };
  if (typeof value === 'string') return { text: value };
  return isLosslessNumber(value) ? { text: value.value } : { odd: shortJson(value, mask) };
}

/** Cuts before masking, because masking a long text is slow. */
const shortJson = (value: unknown, mask: SecretMask): string =>
  clip(mask((stringify(value) ?? '').slice(0, SHOWN.characters * 3)));

const clip = (text: string): string => firstCharacters(text, SHOWN.characters);

const invalid = (what: string): Failure => new Failure('invalid-response', { service: 'billing', what });

type ReadableBody = Pick<ServiceResponse, 'text' | 'mask'>;

function parseBody({ text, mask }: ReadableBody): unknown {
  if (text.trim() === '') throw invalid('an empty body');
  if (text.trimStart().startsWith('<')) throw invalid('HTML instead of JSON');
  try {
    return parseJson(text, mask);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalid(error.isCutOff ? BROKEN_OFF : 'text that is not valid JSON');
  }
}
