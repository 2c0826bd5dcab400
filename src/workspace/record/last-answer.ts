/** What the record keeps of the last answer of billing: when a connection gave it, and a project's balance. */
import * as z from 'zod';
import { PRODUCT_IDS, type ProductId } from '../../domain/product.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { millis, tryParseRecord } from './parse-record.ts';
import type { RecordFields } from './workspace-store.ts';

const balanceSchema = z.object({
  /** Digits as the service sent them. */
  balance: z.string(),
  bonuses: z.string().exactOptional(),
  /** For about how many days that lasted, if there was an estimate. */
  days: z.int().exactOptional(),
  /** What the month was expected to cost, in digits, and which month: `2026-11`. */
  forecast: z.object({ total: z.string(), month: z.string() }).exactOptional(),
  at: millis,
});

/** A project's balance, and when it was fetched. */
export type LastBalance = Readonly<z.infer<typeof balanceSchema>>;

/** What is stored after an answer: which connection gave it, and the balance of a registered project. */
export interface StoredAnswer {
  readonly connection: string;
  readonly at: Millis;
  readonly balance?: Omit<LastBalance, 'at' | 'days'> & {
    readonly id: string;
    readonly product: ProductId;
    /** Undefined if there is no estimate; absent if nobody asked, so that an earlier one still counts. */
    readonly days?: number | undefined;
  };
}

export const lastUsedField = (connection: string): string => FIELDS.lastUsed + connection;
const balanceField = (id: string, product: ProductId): string => `${FIELDS.balance}${id}:${product}`;
/** For every product of the project with this ID. */
export const balanceFields = (id: string): readonly string[] =>
  PRODUCT_IDS.map((product) => balanceField(id, product));

export function answerFields({ connection, at, balance }: StoredAnswer): RecordFields {
  const used = { [lastUsedField(connection)]: String(at) };
  if (balance === undefined) return used;
  const { id, product, ...amounts } = balance;
  return { ...used, [balanceField(id, product)]: JSON.stringify({ ...amounts, at }) };
}

/** Undefined if nothing is stored or it can't be read, because nothing depends on it. */
export function parseLastUsed(fields: RecordFields, connection: string): number | undefined {
  const at = Number(fields[lastUsedField(connection)]);
  return Number.isSafeInteger(at) ? at : undefined;
}

/** The stored balance, read in the same way. */
export const parseLastBalance = (fields: RecordFields, id: string, product: ProductId) =>
  tryParseRecord(balanceSchema, fields[balanceField(id, product)]);
