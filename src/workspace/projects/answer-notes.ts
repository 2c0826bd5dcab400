import * as z from 'zod';
import type { ServiceFailure } from '../../domain/failure/index.ts';
import { PRODUCT_IDS, type ProductId } from '../../domain/product.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { tryParseRecord } from '../record/record-schema.ts';
import { storedFailure } from '../record/stored-failure.ts';
import type { RecordFields } from '../record/workspace-store.ts';

const balanceSchema = z.object({
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
export type LastBalance = Readonly<z.infer<typeof balanceSchema>>;

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
): LastBalance | undefined => tryParseRecord(balanceSchema, fields[balanceField(id, product)]);

/** What fixes it when billing gives no answer about a project; undefined if the failure is not about the project. */
const REMEDIES = {
  'no-data': 'project',
  'query-rejected': 'project',
  'token-rejected': 'token',
  forbidden: 'token',
  'service-unreachable': 'address',
  'invalid-response': 'address',
  'redirect-refused': 'address',
  'address-refused': 'address',
  'rate-limited': 'patience',
  'timed-out': 'patience',
  'service-failed': 'patience',
  'response-too-large': 'patience',
  'service-paused': undefined,
  'queue-full': undefined,
} as const satisfies Record<ServiceFailure['kind'], string | undefined>;

/** @param kind of a failure, perhaps of a later version */
export const remedyFor = (kind: string) =>
  Object.hasOwn(REMEDIES, kind) ? REMEDIES[kind as keyof typeof REMEDIES] : undefined;

/**
 * A failure of billing for a registered project, stored until billing answers again. `since` is when it began, in ms.
 */
const failureSchema = storedFailure.extend({ since: z.int() });
export type LastFailure = Readonly<z.infer<typeof failureSchema>>;

/** The two questions about a project. Each fails and recovers separately. */
const QUESTIONS = ['balance', 'consumption'] as const;
export type BillingTopic = (typeof QUESTIONS)[number];

/** `balance:123:1` */
export const failureKey = (topic: BillingTopic, id: string, product: ProductId): string =>
  `${topic}:${id}:${product}`;

/** For every product of the project with this ID. */
export const failureFields = (id: string): readonly string[] =>
  QUESTIONS.flatMap((topic) => PRODUCT_IDS.map((product) => FIELDS.failed + failureKey(topic, id, product)));

/** Returns the failure of a project's balance or, if there is none, of its spend. */
export const findFailure = (
  failures: ReadonlyMap<string, LastFailure>,
  { id, product }: { readonly id: string; readonly product: ProductId },
): LastFailure | undefined =>
  QUESTIONS.map((topic) => failures.get(failureKey(topic, id, product))).find(
    (failure) => failure !== undefined,
  );

/** Leaves out damaged ones, because nothing depends on them. @param keys as `failureKey` makes them */
export function parseFailures(
  fields: RecordFields,
  keys: readonly string[],
): ReadonlyMap<string, LastFailure> {
  return new Map(
    keys.flatMap((key) => {
      const failure = tryParseRecord(failureSchema, fields[FIELDS.failed + key]);
      return failure === undefined ? [] : [[key, failure] as const];
    }),
  );
}
