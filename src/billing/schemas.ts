import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { z } from 'zod';
import { InvalidResponse } from '../domain/failure/index.ts';
import type { WireScalar } from '../domain/money/amount.ts';
import type { WireCharge } from '../domain/money/usage.ts';

/** Outside text that people will see: this much of it is enough to understand. */
const SHOWN = { messages: 5, characters: 300 } as const;

/** What an answer holds: the operation's result, GraphQL errors, or both. */
interface Answer<T> {
  /** null: the service answered properly and had nothing. */
  readonly found: { readonly value: T | null } | { readonly broken: string };
  readonly messages: readonly string[];
}

type Fields = Record<string, unknown>;

/** Neither a list nor a number: exact numbers arrive as objects of their own. */
function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

const fields = (otherwise: string) => z.custom<Fields>(isFields, otherwise);

const scalar = z.unknown().optional().transform(readScalar);

const balanceRecord = z.object({ balance: scalar, bonuses: scalar }).transform((record) => {
  const empty = 'missing' in record.balance && 'missing' in record.bonuses;
  return empty ? null : record;
});

const charge = z.object({ day: scalar, totalAmount: scalar, totalBonuses: scalar });

/** One bad element is shown as such; it does not take the others with it. */
const item = z.unknown().transform((value): WireCharge => {
  if (isFields(value)) return charge.parse(value);
  const odd = { odd: shortJson(value) };
  return { day: odd, totalAmount: odd, totalBonuses: odd };
});

const report = z
  .object({ items: z.array(item, 'no items list').nullable() })
  .transform(({ items }) => (items === null || items.length === 0 ? null : items));

export const balanceSchema = fields('no bill')
  .pipe(z.object({ getSubscriptionBalance: fields('no balance record').pipe(balanceRecord).nullable() }))
  .transform((bill) => bill.getSubscriptionBalance)
  .nullable();

export const consumptionSchema = fields('no bill')
  .pipe(z.object({ reportSubscriptionConsuming: fields('no consumption report').pipe(report).nullable() }))
  .transform((bill) => bill.reportSubscriptionConsuming)
  .nullable();

/**
 * Reads the body of an answer. The envelope is not in the contract: `{data: {bill}}` as GraphQL has it is taken, and a
 * bare `{bill}` too. Numbers keep their digits. A name given twice with different values is refused, not guessed at.
 * @param token is masked in the messages: a service may quote what it was sent.
 * @throws {InvalidResponse} when it is no JSON object
 */
export function parseResponse<T>(text: string, schema: z.ZodType<T | null>, token: string): Answer<T> {
  return withinTheStack(() => {
    const root = parseJson(text);
    if (!isFields(root)) throw new InvalidResponse('billing', 'JSON that is not an object');
    const result = schema.safeParse(billOf(root));
    const broken = result.success ? undefined : result.error.issues[0]?.message;
    return {
      found: result.success ? { value: result.data } : { broken: broken ?? 'JSON of another shape' },
      messages: readMessages(root.errors, token),
    };
  });
}

/** The GraphQL errors in a body that may be anything at all. */
export function findGraphqlErrors(text: string, token: string): readonly string[] {
  try {
    return withinTheStack(() => {
      const root = parseJson(text);
      return isFields(root) ? readMessages(root.errors, token) : [];
    });
  } catch {
    return [];
  }
}

function billOf(root: Fields): unknown {
  if (!('data' in root)) return root.bill;
  return isFields(root.data) ? root.data.bill : root.data;
}

function readMessages(errors: unknown, token: string): readonly string[] {
  const first = [errors ?? []].flat().slice(0, SHOWN.messages);
  // Masked before it is clipped: half a token is a secret too.
  return first.map((error) => clip(messageOf(error).replaceAll(token, '…')));
}

function messageOf(error: unknown): string {
  const text = isFields(error) ? error.message : error;
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

/** By characters, so that none is cut in half. */
function clip(text: string): string {
  return Array.from(text.slice(0, SHOWN.characters * 2))
    .slice(0, SHOWN.characters)
    .join('');
}

/** A few megabytes of opening brackets are deeper than any stack. */
function withinTheStack<T>(read: () => T): T {
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
    // The parser's own words quote the body: they end here.
    throw error instanceof SyntaxError
      ? new InvalidResponse('billing', whatIsWrong(text, error.message))
      : error;
  }
}

function whatIsWrong(text: string, complaint: string): string {
  if (complaint.startsWith('Duplicate key')) return 'JSON with the same name given twice';
  const position = Number(/at position (\d+)$/.exec(complaint)?.[1]);
  const rest = text.slice(position).trim();
  const cut = ['true', 'false', 'null', '\\'].some((word) => word.startsWith(rest));
  return cut && /^\s*[{[]/.test(text) ? 'JSON that breaks off' : 'text that is not JSON';
}
