/** What all stored records share: their types of fields, how they are parsed, and which of them are encrypted. */
import * as z from 'zod';
import { PRODUCT_IDS } from '../../domain/billing-products.ts';
import { Failure } from '../../domain/failure/index.ts';
import { type Money, parseAmount, toPlainDigits, ZERO } from '../../domain/money/amount.ts';
import { GROUP, PERSON, type SlackId } from '../../domain/slack-id.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import type { SealOwner } from '../../vault/keyring.ts';

export const person = z.string().regex(PERSON);
export const slackId = z.string();
export const millis = z.int();
export const projectId = z.string();
export const group = z.string().regex(GROUP);
export const product = z.literal(PRODUCT_IDS);
/** `JSON.stringify` can write a Big with an exponent, so amounts are stored as plain digits. */
export const money = z.codec(
  z.string().regex(/^-?\d+(\.\d+)?$/),
  z.custom<Money>((value) => typeof value === 'object'),
  { decode: toMoney, encode: toPlainDigits },
);

function toMoney(digits: string): Money {
  const amount = parseAmount({ text: digits });
  return 'value' in amount ? amount.value : ZERO;
}

/** A reference to a project. ID and product outlast a rename; `alias` tells which of several aliases was chosen. */
export const projectChoice = z.object({ id: projectId, product, alias: z.string().exactOptional() });

/**
 * Parser messages quote the input, so the error has no `cause`. @param what the record's kind, for the error @throws
 * unseal-failed `malformed`
 */
export function parseRecord<T>(schema: z.ZodType<T>, json: string, what?: string): T {
  const record = schema.safeParse(tryParseJson(json));
  if (!record.success) throw new Failure('unseal-failed', { reason: 'malformed', what });
  return record.data;
}

/**
 * Like `parseRecord`, but also refuses a record that was copied from another field. @param name from the field's name
 */
export function parseNamedRecord<T, Key extends keyof T>(
  schema: z.ZodType<T>,
  json: string,
  key: Key,
  name: string,
  what?: string,
): T {
  const record = parseRecord(schema, json, what);
  if (record[key] !== name) throw new Failure('unseal-failed', { reason: 'malformed', what });
  return record;
}

/** Like `parseRecord`, but returns undefined if nothing is stored or the record is damaged. */
export const tryParseRecord = <T>(schema: z.ZodType<T>, json: string | undefined): T | undefined =>
  json === undefined ? undefined : schema.safeParse(tryParseJson(json)).data;

export const parseFields = (json: string): Readonly<Record<string, unknown>> =>
  parseRecord(z.looseObject({}), json);

/**
 * All fields with an encrypted (“sealed”) value. It can be decrypted only for its workspace, kind and ID, and beside
 * the same `addresses`, to which the secret may be sent. A new kind needs a line here, and a noun in unseal-failed.
 * `tally reseal` and `tally doctor` use this table.
 */
const SEALED_KINDS = [
  { kind: 'billing-token', field: /^connection:(.+)$/s, addresses: ['baseUrl', 'authUrl'] },
  { kind: 'application-access', field: /^access:(.+)$/s, addresses: ['authUrl'] },
  { kind: 'slack-installation', field: /^(installation)$/, addresses: [] },
] as const;

export type SealedKind = (typeof SEALED_KINDS)[number]['kind'];

export function sealOwnerOf(
  kind: SealedKind,
  workspace: SlackId,
  id: string,
  record: object = {},
): SealOwner {
  const addresses = SEALED_KINDS.find((sealed) => sealed.kind === kind)?.addresses ?? [];
  const values = new Map<string, unknown>(Object.entries(record));
  return { workspace, kind, id, audience: addresses.map((name) => String(values.get(name) ?? '')) };
}

/** @returns undefined if the field has no encrypted value @throws unseal-failed `malformed` */
export function sealOwnerOfField(workspace: SlackId, field: string, value: string): SealOwner | undefined {
  for (const { kind, field: pattern } of SEALED_KINDS) {
    const id = pattern.exec(field)?.[1];
    if (id === undefined) continue;
    const record = value.startsWith('{') ? tryParseJson(value) : {};
    if (record === undefined) throw new Failure('unseal-failed', { reason: 'malformed', what: kind });
    return sealOwnerOf(kind, workspace, id, record as object);
  }
  return undefined;
}
