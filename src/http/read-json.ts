/** Reads JSON from outside with every digit. Its size is bounded by that of a body: see `HTTP_LIMITS`. */
import { isLosslessNumber, parse } from 'lossless-json';
import type { SecretMask } from './secret-mask.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** Longer texts and numbers are cut, in characters: nothing that is shown is as long. */
const LONGEST = 1_000;
/** How many lists and objects may be nested. */
const DEEPEST = 100;

/** The text can’t be read. */
export class JsonError extends Error {
  /** @param isCutOff whether it is JSON up to its end */
  constructor(readonly isCutOff = false) {
    super(isCutOff ? 'JSON without its end' : 'Not JSON.');
  }
}

/**
 * @param mask applied to each text and number, not to names
 * @returns objects, lists, texts, LosslessNumbers, booleans and null
 * @throws {JsonError} which quotes nothing of the text
 */
export function readJson(text: string, mask: SecretMask): unknown {
  return shorten(parseExactly(text), mask, 0);
}

function parseExactly(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // The parser calls itself for each level, until the stack is full.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new JsonError(error.message.includes('reached end of input'));
  }
}

function shorten(value: unknown, mask: SecretMask, depth: number): unknown {
  if (depth > DEEPEST) throw new JsonError();
  if (typeof value === 'string') return mask(value.slice(0, LONGEST));
  if (isLosslessNumber(value)) {
    const digits = mask(value.value.slice(0, LONGEST));
    return digits === value.value ? value : digits;
  }
  if (Array.isArray(value)) return value.map((item) => shorten(item, mask, depth + 1));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, shorten(field, mask, depth + 1)]);
  return Object.fromEntries(fields);
}
