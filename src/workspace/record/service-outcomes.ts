/** What the record keeps of the services' answers: last use, balances, failures, rejected credentials. */
import * as z from 'zod';
import { PRODUCT_IDS, type ProductId } from '../../domain/billing-products.ts';
import { storedFailureSchema } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { OpenableAccess, OpenableConnection } from '../credentials/credential-records.ts';
import { millis, tryParseRecord } from './record-schemas.ts';
import type { RecordFields } from './workspace-store.ts';

const balanceSchema = z.object({
  connection: z.string(),
  balance: z.string(),
  bonuses: z.string().exactOptional(),
  days: z.int().exactOptional(),
  /** Set if the project spends nothing, so its money lasts. */
  isIdle: z.literal(true).exactOptional(),
  /** `total`: its exact digits. `month`: such as `2026-11`. */
  forecast: z.object({ total: z.string(), month: z.string() }).exactOptional(),
  at: millis,
});

export type LastBalance = Readonly<z.infer<typeof balanceSchema>>;

export interface ServiceOutcome {
  readonly connection: string;
  readonly at: Millis;
  readonly balance?: Omit<LastBalance, 'at' | 'days' | 'isIdle' | 'connection'> & {
    readonly id: string;
    readonly product: ProductId;
    /** Undefined: there is no estimate. Absent: none was computed, so the stored estimate is kept. */
    readonly days?: number | undefined;
    readonly isIdle?: true | undefined;
    /** When the estimates were made, if they are older than this answer. */
    readonly at?: Millis;
  };
}

export const lastUsedField = (connection: string): string => FIELDS.lastUsed + connection;
const balanceField = (id: string, product: ProductId): string => `${FIELDS.balance}${id}:${product}`;
export const balanceFields = (id: string): readonly string[] =>
  PRODUCT_IDS.map((product) => balanceField(id, product));

export function outcomeFields({ connection, at, balance }: ServiceOutcome): RecordFields {
  const used = { [lastUsedField(connection)]: String(at) };
  if (balance === undefined) return used;
  const { id, product, ...amounts } = balance;
  return { ...used, [balanceField(id, product)]: JSON.stringify({ at, ...amounts, connection }) };
}

/** Undefined if the connection was never used, or if the stored time can't be read. */
export function parseLastUsed(fields: RecordFields, connection: string): number | undefined {
  const at = Number(fields[lastUsedField(connection)]);
  return Number.isSafeInteger(at) ? at : undefined;
}

/** Ignores a balance fetched with a token or connection no longer in use. @param askedOver the connections in use */
export function parseLastBalance(
  fields: RecordFields,
  id: string,
  product: ProductId,
  askedOver: readonly Pick<OpenableConnection, 'name' | 'registeredAt'>[],
): LastBalance | undefined {
  const last = tryParseRecord(balanceSchema, fields[balanceField(id, product)]);
  if (last === undefined) return undefined;
  const source = askedOver.find(({ name }) => name === last.connection);
  return source !== undefined && last.at >= source.registeredAt ? last : undefined;
}

const failureSchema = storedFailureSchema.extend({
  topic: z.enum(['balance', 'consumption']),
  since: z.int(),
});
export type LastFailure = Readonly<z.infer<typeof failureSchema>>;

export const failureField = (key: string): string => FIELDS.failed + key;

export const failureFields = (id: string): readonly string[] =>
  PRODUCT_IDS.map((product) => failureField(`${id}:${product}`));

export function parseFailures(
  fields: RecordFields,
  keys: readonly string[],
): ReadonlyMap<string, LastFailure> {
  return new Map(
    keys.flatMap((key) => {
      const failure = tryParseRecord(failureSchema, fields[failureField(key)]);
      return failure === undefined ? [] : [[key, failure] as const];
    }),
  );
}

export interface CredentialName {
  readonly kind: 'connection' | 'access';
  readonly name: string;
}

const rejectionSchema = z.object({
  /** Changes if the credential is replaced: the token's fingerprint, or the last characters of the access's ID. */
  mark: z.string(),
  at: millis,
});

export const rejectionField = ({ kind, name }: CredentialName): string => `${FIELDS.rejected}${kind}:${name}`;

export const credentialField = ({ kind, name }: CredentialName): string => FIELDS[kind] + name;

interface Credentials {
  readonly connections: ReadonlyMap<string, OpenableConnection>;
  readonly accesses: ReadonlyMap<string, OpenableAccess>;
  lastUsed(connection: string): number | undefined;
}

/** False for a credential that a form is testing, or that has since been replaced. */
export function isRegistered(
  { connections, accesses }: Pick<Credentials, 'connections' | 'accesses'>,
  { kind, name }: CredentialName,
  mark: string,
): boolean {
  return kind === 'access'
    ? accesses.get(name)?.lastFour === mark
    : connections.get(name)?.fingerprint === mark;
}

/** When the stored credential was last rejected; undefined if it has worked since. */
export function findRejection(
  fields: RecordFields,
  credential: CredentialName,
  credentials: Credentials,
): number | undefined {
  const rejection = tryParseRecord(rejectionSchema, fields[rejectionField(credential)]);
  if (rejection === undefined || !isRegistered(credentials, credential, rejection.mark)) return undefined;
  const { kind, name } = credential;
  const workedAt =
    kind === 'access' ? credentials.accesses.get(name)?.registeredAt : credentials.lastUsed(name);
  return rejection.at >= (workedAt ?? 0) ? rejection.at : undefined;
}
