import * as z from 'zod';
import { Failure } from '../../domain/failure/index.ts';
import { type Money, parseAmount, toPlainDigits, ZERO } from '../../domain/money/amount.ts';
import { PRODUCT_IDS } from '../../domain/product.ts';
import { tryParseJson } from '../../domain/try-parse.ts';

/** Slack's IDs; every stored or shown ID must match. */
const PERSON = /^[UW][A-Z0-9]{1,30}$/;
const GROUP = /^S[A-Z0-9]{1,30}$/;
const CHANNEL = /^[CG][A-Z0-9]{1,30}$/;

/** Whether it has the form of a user ID. */
export const isPerson = (text: string): boolean => PERSON.test(text);
/** Whether it has the form of a user group's ID. */
export const isGroup = (text: string): boolean => GROUP.test(text);
/** A channel, not a direct message. */
export const isChannel = (text: string): boolean => CHANNEL.test(text);

export const person = z.string().regex(PERSON);
/** The ID of a person or a channel, as Slack gave it. */
export const slackId = z.string();
/** An instant since the epoch. */
export const millis = z.int();
/** 1 to 32 digits. */
export const projectId = z.string();
export const group = z.string().regex(GROUP);
export const product = z.literal(PRODUCT_IDS);
/** An exact amount, stored as plain digits: `JSON.stringify` would write an exponent. */
export const money = z.codec(
  z.string().regex(/^-?\d+(\.\d+)?$/),
  z.custom<Money>((value) => typeof value === 'object'),
  { decode: toMoney, encode: toPlainDigits },
);

function toMoney(digits: string): Money {
  const amount = parseAmount({ text: digits });
  return 'value' in amount ? amount.value : ZERO;
}

/** By ID and product, so that a project can be renamed or removed, and by the name it was chosen by: it may have several. */
export const projectChoice = z.object({ id: projectId, product, alias: z.string().exactOptional() });

/**
 * @param what it is, for unseal-failed
 * @throws unseal-failed `malformed`, without a cause: parsers quote what they cannot read in their messages
 */
export function parseRecord<T>(schema: z.ZodType<T>, json: string, what?: string): T {
  const record = schema.safeParse(tryParseJson(json));
  if (!record.success) throw new Failure('unseal-failed', { reason: 'malformed', what });
  return record.data;
}

/**
 * Like `parseRecord`, for what is stored under a name of its own.
 *
 * @param name where the record was found: one that was moved there from another name is refused, as `malformed`
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

/** Like `parseRecord`, but returns undefined if nothing is stored or it is damaged. */
export const tryParseRecord = <T>(schema: z.ZodType<T>, json: string | undefined): T | undefined =>
  json === undefined ? undefined : schema.safeParse(tryParseJson(json)).data;

/** All fields of a record, without a check of their values. @throws unseal-failed `malformed` */
export const parseFields = (json: string): Readonly<Record<string, unknown>> =>
  parseRecord(z.looseObject({}), json);
