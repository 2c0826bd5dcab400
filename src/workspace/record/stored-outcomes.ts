/** What the record stores about the services' last responses: use, balances, failures, rejected credentials. */

import * as z from 'zod';
import { storedFailure } from '../../domain/failure/index.ts';
import { PRODUCT_IDS, type ProductId } from '../../domain/product.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { OpenableAccess, OpenableConnection } from '../credentials/credential-records.ts';
import { millis, tryParseRecord } from './parse-record.ts';
import type { RecordFields } from './workspace-store.ts';

const balanceSchema = z.object({
  /** The connection used. */
  connection: z.string(),
  /** Exact digits as received. */
  balance: z.string(),
  bonuses: z.string().exactOptional(),
  /** Estimated days it lasted, if known. */
  days: z.int().exactOptional(),
  /** Forecast for a month: exact total, and the month `2026-11`. */
  forecast: z.object({ total: z.string(), month: z.string() }).exactOptional(),
  at: millis,
});

/** The last known balance and its time. */
export type LastBalance = Readonly<z.infer<typeof balanceSchema>>;

/** What to store after a response. */
export interface StoredAnswer {
  readonly connection: string;
  readonly at: Millis;
  readonly balance?: Omit<LastBalance, 'at' | 'days' | 'connection'> & {
    readonly id: string;
    readonly product: ProductId;
    /** Undefined: there is no estimate. Absent: not asked, so keep the stored one. */
    readonly days?: number | undefined;
  };
}

export const lastUsedField = (connection: string): string => FIELDS.lastUsed + connection;
const balanceField = (id: string, product: ProductId): string => `${FIELDS.balance}${id}:${product}`;
/** Fields for every product of the project. */
export const balanceFields = (id: string): readonly string[] =>
  PRODUCT_IDS.map((product) => balanceField(id, product));

export function answerFields({ connection, at, balance }: StoredAnswer): RecordFields {
  const used = { [lastUsedField(connection)]: String(at) };
  if (balance === undefined) return used;
  const { id, product, ...amounts } = balance;
  return { ...used, [balanceField(id, product)]: JSON.stringify({ ...amounts, connection, at }) };
}

/** An unreadable one counts as none. */
export function parseLastUsed(fields: RecordFields, connection: string): number | undefined {
  const at = Number(fields[lastUsedField(connection)]);
  return Number.isSafeInteger(at) ? at : undefined;
}

/** Ignores balances from another account or token. @param askedOver the connections that the project's names use now */
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

/** A project's failure, stored until the same query succeeds. */
const failureSchema = storedFailure.extend({
  topic: z.enum(['balance', 'consumption']),
  /** When it started. */
  since: z.int(),
});
export type LastFailure = Readonly<z.infer<typeof failureSchema>>;

/** @param key from `projectKey` */
export const failureField = (key: string): string => FIELDS.failed + key;

/** Fields for every product of the project. */
export const failureFields = (id: string): readonly string[] =>
  PRODUCT_IDS.map((product) => failureField(`${id}:${product}`));

/** By `projectKey`. Skips damaged entries. */
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

/** Identifies a token or an access. */
export interface CredentialName {
  readonly kind: 'connection' | 'access';
  /** Connection name, or project ID. */
  readonly name: string;
}

/** A rejection by a service. */
const rejectionSchema = z.object({
  /** Which credential was sent (it may have been replaced since): fingerprint, or the end of the ID. */
  mark: z.string(),
  at: millis,
});

export const rejectionField = ({ kind, name }: CredentialName): string => `${FIELDS.rejected}${kind}:${name}`;

/** The credential's record field. Without it, rejections aren't stored. */
export const credentialField = ({ kind, name }: CredentialName): string => FIELDS[kind] + name;

interface Credentials {
  readonly connections: ReadonlyMap<string, OpenableConnection>;
  readonly accesses: ReadonlyMap<string, OpenableAccess>;
  lastUsed(connection: string): number | undefined;
}

/** Whether this is the registered credential, and not one from a form or a replaced one. */
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
