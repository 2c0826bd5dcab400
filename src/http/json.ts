/**
 * Reads JSON from outside. Written here: JSON.parse rounds numbers, and neither it nor lossless-json can stop at a limit
 * or pause, so that one answer of 4 MB would hold up everybody's requests.
 */
import type { SecretMask } from './secret-mask.ts';
import { PART } from './turns.ts';

/** A number with its digits as they were sent: the first `LONGEST` of them. */
export class JsonNumber {
  constructor(readonly digits: string) {}
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** How much is read. */
export interface JsonLimits {
  /** Elements of one list. */
  readonly elements: number;
  /** Values in all. */
  readonly values: number;
}

/** Characters of a text or a number that are kept; no figure and no text that is shown has as many. */
const LONGEST = 1_000;
/** Lists and objects within each other. */
const DEEPEST = 100;

/** `position` is where the text stops being JSON. */
export class JsonSyntaxError extends Error {
  constructor(readonly position: number) {
    super('not JSON');
  }
}

/** The text is JSON so far, and not to be read on. */
export class JsonLimitError extends Error {
  constructor(readonly reason: 'deep' | 'long' | 'elements' | 'values' | 'duplicate') {
    super(reason);
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const CONSTANTS: Readonly<Record<string, readonly [word: string, value: boolean | null]>> = {
  t: ['true', true],
  f: ['false', false],
  n: ['null', null],
};

/** A list or an object that is not closed yet. */
type Open = { readonly list: unknown[] } | { readonly object: Record<string, unknown>; name: string };

/**
 * Reads a text in parts: it pauses after every `PART` characters.
 *
 * @param mask applied to each text and number, not to names
 * @returns objects (without a field `__proto__`), lists, texts, JsonNumbers, booleans and null
 * @throws {JsonSyntaxError} {@link JsonLimitError}, before more is built
 */
export function* readJson(text: string, limits: JsonLimits, mask: SecretMask): Generator<void, unknown> {
  const scanner = createScanner(text, mask);
  const open: Open[] = [];
  let pausedAt = 0;
  let values = 0;
  if (text.length > PART) yield;
  scanner.skipSpace();
  for (;;) {
    if (scanner.position() - pausedAt > PART) {
      pausedAt = scanner.position();
      yield;
    }
    values += 1;
    if (values > limits.values) throw new JsonLimitError('values');
    let value: unknown;
    if (scanner.skip('{')) {
      const object: Record<string, unknown> = {};
      value = object;
      if (!scanner.skip('}')) {
        open.push({ object, name: scanner.readName() });
        if (open.length > DEEPEST) throw new JsonLimitError('deep');
        continue;
      }
    } else if (scanner.skip('[')) {
      const list: unknown[] = [];
      value = list;
      if (!scanner.skip(']')) {
        open.push({ list });
        if (open.length > DEEPEST) throw new JsonLimitError('deep');
        continue;
      }
    } else value = scanner.readScalar();

    // The value is complete, and perhaps what it is in.
    for (let isOpen = false; !isOpen; ) {
      const parent = open.at(-1);
      if (parent === undefined) {
        scanner.expectEnd();
        return value;
      }
      add(value, parent, limits);
      isOpen = scanner.skip(',');
      if (isOpen && 'object' in parent) parent.name = scanner.readName();
      if (isOpen) continue;
      scanner.expect('object' in parent ? '}' : ']');
      value = 'object' in parent ? parent.object : parent.list;
      open.pop();
    }
  }
}

function add(value: unknown, parent: Open, { elements }: JsonLimits): void {
  if ('list' in parent) {
    if (parent.list.length === elements) throw new JsonLimitError('elements');
    parent.list.push(value);
    return;
  }
  const { object, name } = parent;
  if (name === '__proto__') return;
  if (Object.hasOwn(object, name) && !isSame(object[name], value)) throw new JsonLimitError('duplicate');
  object[name] = value;
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (one instanceof JsonNumber && other instanceof JsonNumber && one.digits === other.digits);

/** Of an escaped character. */
const ESCAPE_LENGTH = 6;
/** Characters of a text that has escaped quotation marks: to look for its end takes a step for each of them. */
const LONGEST_RAW = 64 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them as escapes only.
const CONTROL = /[\u0000-\u001f]/;
const ESCAPE = /\\(?:u([\da-fA-F]{4})|([^u]))/g;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const unescapeText = (text: string): string =>
  text.replace(ESCAPE, (_, code: string | undefined, sign: string) =>
    code === undefined ? (ESCAPED[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** Whether the quotation mark at `end` belongs to the text that begins at `start`. */
function isEscaped(text: string, start: number, end: number): boolean {
  let first = end;
  while (first > start && text.charCodeAt(first - 1) === 92) first -= 1;
  return (end - first) % 2 === 1;
}

function createScanner(text: string, mask: SecretMask) {
  let at = 0;

  const skipSpace = (): void => {
    if (text.charCodeAt(at) > 32) return;
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
  };
  /** With the space after it. */
  const skip = (sign: string): boolean => {
    if (text[at] !== sign) return false;
    at += 1;
    skipSpace();
    return true;
  };
  const expect = (sign: string): void => {
    if (!skip(sign)) throw new JsonSyntaxError(at);
  };
  const readText = (): string => {
    const start = at + 1;
    let end = text.indexOf('"', start);
    while (isEscaped(text, start, end)) {
      if (end - start > LONGEST_RAW) throw new JsonLimitError('long');
      end = text.indexOf('"', end + 1);
    }
    const raw = text.slice(start, end < 0 ? start : Math.min(end, start + LONGEST * ESCAPE_LENGTH));
    if (end < 0) throw new JsonSyntaxError(text.length);
    if (CONTROL.test(raw)) throw new JsonSyntaxError(start);
    at = end + 1;
    return (raw.includes('\\') ? unescapeText(raw) : raw).slice(0, LONGEST);
  };
  const readNumber = (): JsonNumber => {
    NUMBER.lastIndex = at;
    const digits = NUMBER.exec(text)?.[0] ?? '';
    if (digits === '') throw new JsonSyntaxError(at);
    at += digits.length;
    return new JsonNumber(mask(digits.slice(0, LONGEST)));
  };
  const readValue = (): unknown => {
    const sign = text[at] ?? '';
    if (sign === '"') return mask(readText());
    const [word, value] = CONSTANTS[sign] ?? [];
    if (word === undefined) return readNumber();
    if (!text.startsWith(word, at)) throw new JsonSyntaxError(at);
    at += word.length;
    return value;
  };

  return {
    position: () => at,
    skipSpace,
    skip,
    expect,
    readScalar(): unknown {
      const value = readValue();
      skipSpace();
      return value;
    },
    /** With the colon after it. */
    readName(): string {
      if (text[at] !== '"') throw new JsonSyntaxError(at);
      const name = readText();
      skipSpace();
      expect(':');
      return name;
    },
    expectEnd(): void {
      if (at < text.length) throw new JsonSyntaxError(at);
    },
  };
}

/** @returns JSON with the digits as they were sent; texts may have been shortened and masked, names not */
export function writeJson(value: unknown): string {
  if (value instanceof JsonNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? '';
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${writeJson(field)}`);
  return `{${fields.join(',')}}`;
}
