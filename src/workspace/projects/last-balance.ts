import * as z from 'zod';
import { PRODUCT_IDS, type ProductId } from '../../domain/product.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { tryParseRecord } from '../record/record-schema.ts';
import type { RecordFields } from '../record/workspace-store.ts';

const schema = z.object({
  /** Digits as the service sent them. */
  balance: z.string(),
  bonuses: z.string().exactOptional(),
  /** For about how many days that lasted, if there was an estimate. */
  days: z.int().exactOptional(),
  /** What the month was expected to cost, in digits, and which month: `2026-11`. */
  forecast: z.object({ total: z.string(), month: z.string() }).exactOptional(),
  /** ms since the epoch */
  at: z.int(),
});

/** A project's balance, and when it was fetched. */
export type LastBalance = Readonly<z.infer<typeof schema>>;

/** What is stored after an answer: which connection gave it, and the balance of a registered project. */
export interface AnswerNote {
  readonly connection: string;
  readonly at: Millis;
  readonly balance?: Omit<LastBalance, 'at'> & { readonly id: string; readonly product: ProductId };
}

export const lastUsedField = (connection: string): string => FIELDS.lastUsed + connection;
const balanceField = (id: string, product: ProductId): string => `${FIELDS.balance}${id}:${product}`;
/** For every product of the project with this ID. */
export const balanceFields = (id: string): readonly string[] =>
  PRODUCT_IDS.map((product) => balanceField(id, product));

export function answerNoteFields({ connection, at, balance }: AnswerNote): RecordFields {
  const used = { [lastUsedField(connection)]: String(at) };
  if (balance === undefined) return used;
  const { id, product, ...amounts } = balance;
  return { ...used, [balanceField(id, product)]: JSON.stringify({ ...amounts, at }) };
}

/** Undefined when there is no note, and if it cannot be read: nothing depends on it. */
export function parseLastUsed(fields: RecordFields, connection: string): number | undefined {
  const at = Number(fields[lastUsedField(connection)]);
  return Number.isSafeInteger(at) ? at : undefined;
}

/** Undefined when there is no note, and if it cannot be read: nothing depends on it. */
export const parseLastBalance = (
  fields: RecordFields,
  id: string,
  product: ProductId,
): LastBalance | undefined => tryParseRecord(schema, fields[balanceField(id, product)]);
