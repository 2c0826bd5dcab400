/** What all stored records share: the types of their fields, and how they are parsed. */
import * as z from 'zod';
import { PRODUCT_IDS } from '../../domain/billing-products.ts';
import { Failure } from '../../domain/failure/index.ts';
import { type Money, parseAmount, toPlainDigits, ZERO } from '../../domain/money/amount.ts';
import { GROUP, PERSON } from '../../domain/slack-id.ts';
import { tryParseJson } from '../../domain/try-parse.ts';

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

/** Like `parseRecord`, but refuses a record copied from another field. @param name must be the value of `key` */
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
