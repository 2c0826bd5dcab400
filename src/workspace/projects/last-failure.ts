import * as z from 'zod';
import { PRODUCT_IDS, type ProductId } from '../../domain/product.ts';
import { FIELDS } from '../../redis/keys.ts';
import { tryParseRecord } from '../record/record-schema.ts';
import type { RecordFields } from '../record/workspace-store.ts';

/** Failures of the billing service that say something of a project, by their kind. */
const KINDS = [
  'token-rejected',
  'forbidden',
  'no-data',
  'query-rejected',
  'rate-limited',
  'timed-out',
  'service-unreachable',
  'service-failed',
  'invalid-response',
  'response-too-large',
  'redirect-refused',
  'address-refused',
] as const;
export type LastFailureKind = (typeof KINDS)[number];
export const isLastFailureKind = (kind: string): kind is LastFailureKind =>
  KINDS.includes(kind as LastFailureKind);

const schema = z.object({
  kind: z.enum(KINDS),
  /** HTTP status, for `service-failed`. */
  status: z.int().exactOptional(),
  /** ms since the epoch: nothing was answered since. */
  since: z.int(),
});

/** That billing fails for a registered project, until it answers again. */
export type LastFailure = Readonly<z.infer<typeof schema>>;

/** What a project is asked for; each fails and answers by itself. */
const QUESTIONS = ['balance', 'consumption'] as const;
export type BillingTopic = (typeof QUESTIONS)[number];

/** `balance:123:1` */
export const failureKey = (topic: BillingTopic, id: string, product: ProductId): string =>
  `${topic}:${id}:${product}`;

/** For every product of the project with this ID. */
export const failureFields = (id: string): readonly string[] =>
  QUESTIONS.flatMap((topic) => PRODUCT_IDS.map((product) => FIELDS.failed + failureKey(topic, id, product)));

/** Of one project: that its balance fails, else its spend. */
export const findFailure = (
  failures: ReadonlyMap<string, LastFailure>,
  { id, product }: { readonly id: string; readonly product: ProductId },
): LastFailure | undefined =>
  QUESTIONS.map((topic) => failures.get(failureKey(topic, id, product))).find((one) => one !== undefined);

/** Leaves out what cannot be read: nothing depends on it. @param keys as `failureKey` makes them */
export function parseFailures(
  fields: RecordFields,
  keys: readonly string[],
): ReadonlyMap<string, LastFailure> {
  return new Map(
    keys.flatMap((key) => {
      const failure = tryParseRecord(schema, fields[FIELDS.failed + key]);
      return failure === undefined ? [] : [[key, failure] as const];
    }),
  );
}
