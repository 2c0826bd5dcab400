/** Parses untrusted JSON and keeps all digits of numbers. The caller has already limited the text's size. */
import { isLosslessNumber, parse } from 'lossless-json';
import type { SecretMask } from './secret-mask.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** Longer strings and numbers are cut to this many characters. */
const LONGEST = 1_000;
const DEEPEST = 100;

export class JsonError extends Error {
  constructor(readonly isCutOff = false) {
    super(isCutOff ? 'JSON without its end' : 'Not JSON.');
  }
}

/** @param mask applied to values, not to keys @throws JsonError, which doesn't quote the text */
export function parseJson(text: string, mask: SecretMask): unknown {
  return shorten(parseExactly(text), mask, 0);
}

function parseExactly(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // Deep nesting overflows the recursive parser's stack.
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
