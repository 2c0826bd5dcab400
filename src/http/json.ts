/**
 * Reads JSON from outside: with every digit, up to a limit, and with pauses. JSON.parse does none of it, so that one answer
 * of 4 MB would hold up everybody's requests.
 */
import { Tokenizer, TokenizerError, TokenParser, TokenParserError } from '@streamparser/json';
import type { SecretMask } from './secret-mask.ts';

/** A number with its digits as they were sent: the first `LONGEST` of them. */
export class JsonNumber {
  constructor(readonly digits: string) {}
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** Work on an answer pauses after this many characters. */
export const SLICE_LENGTH = 16 * 1024;

/** Characters of a text, a name or a number that are kept; no figure and no text that is shown has as many. */
const LONGEST = 1_000;
/** Lists and objects within each other. */
const DEEPEST = 100;

/** `isCutOff`: the text is JSON up to its end. */
export class JsonSyntaxError extends Error {
  constructor(readonly isCutOff: boolean) {
    super('not JSON');
  }
}

/** The text is JSON so far, and not to be read on. */
export class JsonLimitError extends Error {
  constructor(readonly reason: 'deep' | 'elements' | 'values' | 'duplicate') {
    super(reason);
  }
}

class ExactTokenizer extends Tokenizer {
  // The library declares a number, and takes anything.
  protected override parseNumber(digits: string): number {
    return new JsonNumber(digits.slice(0, LONGEST)) as unknown as number;
  }
}

/**
 * Reads a text in parts: it pauses after every `SLICE_LENGTH` characters.
 *
 * @param limits `elements` of one list, `values` in all
 * @param mask applied to each text and number, not to names
 * @returns objects, lists, texts, JsonNumbers, booleans and null
 * @throws {JsonSyntaxError} {@link JsonLimitError}, before more is built
 */
export function* readJson(
  text: string,
  limits: { readonly elements: number; readonly values: number },
  mask: SecretMask,
): Generator<void, unknown> {
  // Without a buffer, a text of megabytes is a list of its characters until it ends.
  const tokenizer = new ExactTokenizer({ stringBufferSize: LONGEST, numberBufferSize: LONGEST });
  tokenizer.onToken = ({ token, value }) =>
    parser.write({ token, value: typeof value === 'string' ? value.slice(0, LONGEST) : value });
  // A name comes as a partial value, and so does the beginning of a list or an object.
  const parser = new TokenParser({ emitPartialValues: true });
  let root: unknown;
  let values = 0;
  /** The object's earlier value under the same name. */
  let before: { readonly value: unknown } | undefined;
  parser.onValue = ({ value, key, parent, stack, partial }) => {
    const fields = parent as Record<string, unknown> | undefined;
    if (partial && typeof key === 'string') {
      before = fields && Object.hasOwn(fields, key) ? { value: fields[key] } : undefined;
      return;
    }
    const read = maskValue(value, mask);
    if (before && !isSame(before.value, read)) throw new JsonLimitError('duplicate');
    before = undefined;
    if (stack.length > DEEPEST) throw new JsonLimitError('deep');
    if (partial) return;
    values += 1;
    if (values > limits.values) throw new JsonLimitError('values');
    if (Array.isArray(parent) && parent.length > limits.elements) throw new JsonLimitError('elements');
    if (fields === undefined) root = read;
    else fields[key ?? ''] = read;
  };

  let at = 0;
  try {
    if (text.length > SLICE_LENGTH) yield;
    for (; at < text.length; at += SLICE_LENGTH) {
      if (at > 0) yield;
      tokenizer.write(text.slice(at, at + SLICE_LENGTH));
    }
    tokenizer.end();
  } catch (error) {
    if (!(error instanceof TokenizerError || error instanceof TokenParserError)) throw error;
    throw new JsonSyntaxError(at >= text.length && !parser.isEnded);
  }
  if (!parser.isEnded) throw new JsonSyntaxError(true);
  return root;
}

function maskValue(value: unknown, mask: SecretMask): unknown {
  if (typeof value === 'string') return mask(value);
  return value instanceof JsonNumber ? new JsonNumber(mask(value.digits)) : value;
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (a instanceof JsonNumber && b instanceof JsonNumber && a.digits === b.digits);

/** @returns JSON with the digits as they were sent; texts may have been shortened and masked, names not */
export function writeJson(value: unknown): string {
  if (value instanceof JsonNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? '';
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${writeJson(field)}`);
  return `{${fields.join(',')}}`;
}
