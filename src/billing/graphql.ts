import { isLosslessNumber, parse, stringify } from 'lossless-json';
import * as z from 'zod';
import { InvalidResponse } from '../domain/failure/index.ts';
import type { WireScalar } from '../domain/money/amount.ts';
import type { WireCharge } from '../domain/money/usage.ts';
import { isProductId, isProjectId, type ProductId } from '../domain/product.ts';
import { toWireTimestamp } from '../domain/time/period.ts';

/** A project and a product; `project` is 1 to 32 digits without a leading zero. */
export interface Subscription {
  readonly project: string;
  readonly product: ProductId;
}

/** @returns the contract's getSubscriptionBalance document @throws TypeError for an invalid project or product */
export function balanceDocument(subscription: Subscription): string {
  const fields = 'balance bonuses';
  return `query { bill { getSubscriptionBalance(${subscriptionArguments(subscription)}) { ${fields} } } }`;
}

/**
 * @param from ms since the epoch, included; so is `to`
 * @returns the contract's reportSubscriptionConsuming document
 * @throws TypeError for an invalid project or product
 */
export function consumptionDocument(subscription: Subscription, from: number, to: number): string {
  const period = `periodFrom: "${toWireTimestamp(from)}", periodTo: "${toWireTimestamp(to)}"`;
  const filter = `{ ${period}, ${subscriptionArguments(subscription)} }`;
  const fields = 'items { day totalAmount totalBonuses }';
  return `query { bill { reportSubscriptionConsuming(filter: ${filter}) { ${fields} } } }`;
}

/**
 * The ID becomes part of the query's text, so it is checked here too, whoever parsed it. It stays a string, because it
 * may exceed 2^53.
 */
function subscriptionArguments({ project, product }: Subscription): string {
  if (!isProjectId(project)) throw new TypeError('A project ID is 1 to 32 digits, the first not a zero.');
  if (!isProductId(product)) throw new TypeError('A product is 1, 2 or 3.');
  return `externalSubscriptionId: ${project}, productId: ${product}`;
}

/** How much of the service's error messages people see. */
const SHOWN = { messages: 5, characters: 300 } as const;

/** A body can hold data, GraphQL errors, or both. */
interface GraphqlResponse<T> {
  /** `value` is null if the service has no data; `problem` says what is wrong with the data's shape. */
  readonly data: { readonly value: T | null } | { readonly problem: string };
  /** GraphQL error messages: outside text, shortened. */
  readonly errors: readonly string[];
}

type JsonObject = Record<string, unknown>;

/** lossless-json makes objects of numbers: those are not meant. */
function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

const jsonObject = (problem: string) => z.custom<JsonObject>(isJsonObject, problem);

const scalar = z.unknown().optional().transform(readScalar);

const balanceRecord = z.object({ balance: scalar, bonuses: scalar }).transform((record) => {
  const empty = 'missing' in record.balance && 'missing' in record.bonuses;
  return empty ? null : record;
});

/** A malformed item is reported; the others still count. */
const item = z.unknown().transform((value): WireCharge => {
  if (isJsonObject(value)) {
    const { day, totalAmount, totalBonuses } = value;
    return {
      day: readScalar(day),
      totalAmount: readScalar(totalAmount),
      totalBonuses: readScalar(totalBonuses),
    };
  }
  const odd = { odd: shortJson(value) };
  return { day: odd, totalAmount: odd, totalBonuses: odd };
});

const report = z
  .object({ items: z.array(item, 'no items list').nullable() })
  .transform(({ items }) => (items === null || items.length === 0 ? null : items));

export const balanceSchema = jsonObject('no bill')
  .pipe(z.object({ getSubscriptionBalance: jsonObject('no balance record').pipe(balanceRecord).nullable() }))
  .transform((bill) => bill.getSubscriptionBalance)
  .nullable();

export const consumptionSchema = jsonObject('no bill')
  .pipe(
    z.object({ reportSubscriptionConsuming: jsonObject('no consumption report').pipe(report).nullable() }),
  )
  .transform((bill) => bill.reportSubscriptionConsuming)
  .nullable();

/**
 * Parses the body of a response. The contract does not show the envelope: GraphQL's `{data: {bill}}` is accepted, and a
 * bare `{bill}` too. Numbers keep their digits.
 *
 * @param token is masked in the error messages, because a service may quote it
 * @throws {InvalidResponse} for what is not a JSON object, and for a name given twice with different values
 */
export function parseResponse<T>(
  text: string,
  schema: z.ZodType<T | null>,
  token: string,
): GraphqlResponse<T> {
  return rejectDeepNesting(() => {
    const root = parseJson(text);
    if (!isJsonObject(root)) throw new InvalidResponse('billing', 'JSON that is not an object');
    const result = schema.safeParse(billOf(root));
    const problem = result.success ? undefined : result.error.issues[0]?.message;
    return {
      data: result.success ? { value: result.data } : { problem: problem ?? 'JSON of another shape' },
      errors: readMessages(root.errors, token),
    };
  });
}

/** @returns the GraphQL error messages in any body, masked and shortened; none when it is not JSON */
export function findGraphqlErrors(text: string, token: string): readonly string[] {
  try {
    return rejectDeepNesting(() => {
      const root = parseJson(text);
      return isJsonObject(root) ? readMessages(root.errors, token) : [];
    });
  } catch {
    return [];
  }
}

function billOf(root: JsonObject): unknown {
  if (!('data' in root)) return root.bill;
  return isJsonObject(root.data) ? root.data.bill : root.data;
}

function readMessages(errors: unknown, token: string): readonly string[] {
  const first = [errors ?? []].flat().slice(0, SHOWN.messages);
  // Masked before it is shortened: half a token is a secret too.
  return first.map((error) => clip(messageOf(error).replaceAll(token, '…')));
}

function messageOf(error: unknown): string {
  const text = isJsonObject(error) ? error.message : error;
  return typeof text === 'string' ? text : 'an error without a message';
}

function readScalar(value: unknown): WireScalar {
  if (value === null || value === undefined) return { missing: true };
  if (typeof value === 'string') return { text: value };
  return isLosslessNumber(value) ? { text: value.value } : { odd: shortJson(value) };
}

function shortJson(value: unknown): string {
  return clip(stringify(value) ?? '');
}

/** Cuts between characters, never within a surrogate pair. */
function clip(text: string): string {
  return Array.from(text.slice(0, SHOWN.characters * 2))
    .slice(0, SHOWN.characters)
    .join('');
}

/** Megabytes of opening brackets overflow the stack. @throws {InvalidResponse} instead of the RangeError */
function rejectDeepNesting<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError
      ? new InvalidResponse('billing', 'JSON that is nested too deeply')
      : error;
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new InvalidResponse('billing', 'an empty body');
  if (text.trimStart().startsWith('<')) throw new InvalidResponse('billing', 'HTML instead of JSON');
  try {
    return parse(text);
  } catch (error) {
    // The parser's message quotes the body, so it is not passed on.
    throw error instanceof SyntaxError
      ? new InvalidResponse('billing', describeSyntaxError(text, error.message))
      : error;
  }
}

function describeSyntaxError(text: string, message: string): string {
  if (message.startsWith('Duplicate key')) return 'JSON with the same name given twice';
  const position = Number(/at position (\d+)$/.exec(message)?.[1]);
  const rest = text.slice(position).trim();
  const isCutOff = ['true', 'false', 'null', '\\'].some((word) => word.startsWith(rest));
  return isCutOff && /^\s*[{[]/.test(text) ? 'JSON that breaks off' : 'text that is not JSON';
}
