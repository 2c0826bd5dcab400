/**
 * A grammar written as productions, such as `DAY of? MONTH YEAR?`: words in lower case with all their synonyms (`last` is `past`
 * as well), `a|b` for either, capitals for classes of tokens, `?` for what may be missing. `to` is a range sign or a
 * dash, too.
 */
import { type Match, type Parser, parseErrorAt, senseOf } from '../parser.ts';
import type { Token, TokenizedText } from '../tokenizer.ts';
import { VOCABULARY } from '../vocabulary.ts';

export interface TokenClass<T> {
  /** The roles of words, and the kinds of other tokens, that it may begin with; undefined for any. */
  readonly begins: readonly string[] | undefined;
  /** Whether it is always one token, so that what follows begins with the next one. */
  readonly isToken?: boolean;
  readonly parse: Parser<T>;
}

/** Returned for a period that can't be asked for. With two or more texts to type, they are its readings. */
export class RefusedPhrase {
  constructor(
    readonly why: string,
    readonly works: string,
    readonly instead: readonly string[] = [],
  ) {}
}

/** What a production means; undefined where it does not apply. */
type Meaning<T> = T | RefusedPhrase | undefined;

type ElementValue<C, E extends string> = E extends keyof C
  ? [C[E]]
  : E extends `${infer Name}?`
    ? Name extends keyof C
      ? [C[Name] | undefined]
      : []
    : [];

/** The values of a template's classes, in order. */
type TemplateValues<C, T extends string> = T extends `${infer First} ${infer Rest}`
  ? [...ElementValue<C, First>, ...TemplateValues<C, Rest>]
  : ElementValue<C, T>;

export type ValuesOf<Classes> = {
  readonly [Name in keyof Classes]: Classes[Name] extends TokenClass<infer Value> ? Value : never;
};

interface Element extends TokenClass<unknown> {
  readonly isOptional: boolean;
  readonly isClass: boolean;
}

interface Production<T> {
  readonly elements: readonly Element[];
  readonly meaning: (values: readonly unknown[]) => Meaning<T>;
}

const isWord = (token: Token | undefined, words: readonly string[]): boolean =>
  token?.kind === 'word' && (words.includes(token.sense.role) || words.includes(token.spelling));

const ofWords = (words: readonly string[]): TokenClass<true> => ({
  begins: words.map((word) => VOCABULARY.get(word)?.role ?? word),
  isToken: true,
  parse: ({ tokens }, at) => (isWord(tokens[at], words) ? { value: true, next: at + 1 } : undefined),
});

const RANGE_SIGN: TokenClass<true> = {
  begins: undefined,
  parse: ({ tokens }, at) => {
    const token = tokens[at];
    if (token?.kind === 'range-sign' || senseOf(token, 'to')) return { value: true, next: at + 1 };
    return token?.dashed ? { value: true, next: at } : undefined;
  },
};

function elementOf(classes: Readonly<Record<string, TokenClass<unknown>>>, text: string): Element {
  const isOptional = text.endsWith('?');
  const name = isOptional ? text.slice(0, -1) : text;
  const tokenClass = classes[name];
  const { begins, isToken, parse } = tokenClass ?? (name === 'to' ? RANGE_SIGN : ofWords(name.split('|')));
  return { begins, isToken: isToken ?? false, parse, isOptional, isClass: tokenClass !== undefined };
}

/** Adds the values of the elements from the `n`th on, from a token on. @returns the index after them, undefined for no match */
function matchElements(
  elements: readonly Element[],
  n: number,
  source: TokenizedText,
  at: number,
  bareYear: boolean,
  values: unknown[],
): number | undefined {
  const element = elements[n];
  if (element === undefined) return at;
  const found = element.parse(source, at, bareYear);
  if (element.isClass) values.push(found?.value);
  let next = found && matchElements(elements, n + 1, source, found.next, bareYear, values);
  if (next === undefined && element.isOptional) {
    if (element.isClass) values[values.length - 1] = undefined;
    next = matchElements(elements, n + 1, source, at, bareYear, values);
  }
  if (next === undefined && element.isClass) values.pop();
  return next;
}

/** Whether elements may match where the next tokens have these keys. */
function mayMatch(elements: readonly Element[], keys: readonly string[]): boolean {
  const [[element, ...others], [key, ...later]] = [elements, keys];
  if (element === undefined || key === undefined) return true;
  const begins = element.begins?.includes(key) ?? true;
  return (
    (begins && (!element.isToken || mayMatch(others, later))) ||
    (element.isOptional && mayMatch(others, keys))
  );
}

/** Parses once what several productions begin with. */
export function memoize<T>(parse: Parser<T>): Parser<T> {
  const bySource = new WeakMap<TokenizedText, (Match<T> | 'none' | undefined)[]>();
  return (source, at, bareYear) => {
    const known = bySource.get(source) ?? new Array(2 * source.tokens.length + 2).fill(undefined);
    bySource.set(source, known);
    const key = bareYear ? 2 * at + 1 : 2 * at;
    const found = known[key] ?? parse(source, at, bareYear) ?? 'none';
    known[key] = found;
    return found === 'none' ? undefined : found;
  };
}

/** The key of the place after the last token. */
const END_KEY = 'end';

/** Matches the end of the text. */
export const END: TokenClass<true> = {
  begins: [END_KEY],
  parse: ({ tokens }, at) => (at === tokens.length ? { value: true, next: at } : undefined),
};

const keyOf = (token: Token | undefined): string =>
  token?.kind === 'word' ? token.sense.role : (token?.kind ?? END_KEY);

/** Collects productions; the longest match at a token counts. */
export class Grammar<C extends Readonly<Record<string, TokenClass<unknown>>>, T> {
  readonly #classes: Readonly<Record<string, TokenClass<unknown>>>;
  readonly #textOf: (value: T) => string;
  readonly #productions: Production<T>[] = [];
  /** The productions that may match, by the keys of the first two tokens. */
  readonly #byBeginning = new Map<string, Map<string, readonly Production<T>[]>>();

  /** @param textOf the canonical text of a value */
  constructor(classes: C, textOf: (value: T) => string) {
    this.#classes = classes;
    this.#textOf = textOf;
  }

  /** @param templates one, or several with the same meaning */
  rule<const S extends string>(
    templates: S | readonly S[],
    meaning: (...values: TemplateValues<ValuesOf<C>, S>) => Meaning<T>,
  ): this {
    for (const template of [templates].flat())
      this.#productions.push({
        elements: template.split(' ').map((text) => elementOf(this.#classes, text)),
        meaning: (values) => meaning(...(values as TemplateValues<ValuesOf<C>, S>)),
      });
    return this;
  }

  #beginningWith(first: string, second: string): readonly Production<T>[] {
    const bySecond = this.#byBeginning.get(first) ?? new Map<string, readonly Production<T>[]>();
    const found =
      bySecond.get(second) ?? this.#productions.filter(({ elements }) => mayMatch(elements, [first, second]));
    this.#byBeginning.set(first, bySecond.set(second, found));
    return found;
  }

  /**
   * The longest match that begins at a token.
   * @throws ParseError where its words are refused, or have several meanings: all of them are offered then
   */
  readonly parse: Parser<T> = (source, at, bareYear) => {
    const token = source.tokens[at];
    if (token === undefined) return undefined;
    let [next, found] = [at, [] as (T | RefusedPhrase)[]];
    for (const { elements, meaning } of this.#beginningWith(keyOf(token), keyOf(source.tokens[at + 1]))) {
      const values: unknown[] = [];
      const end = matchElements(elements, 0, source, at, bareYear, values);
      const value = end !== undefined && end >= next && end > at ? meaning(values) : undefined;
      if (end === undefined || value === undefined) continue;
      found = end > next ? [value] : [...found, value];
      next = end;
    }
    const [first] = found;
    if (first === undefined) return undefined;
    const refusal = found.find((value) => value instanceof RefusedPhrase) ?? this.#ambiguity(found as T[]);
    if (refusal === undefined) return { value: first as T, next };
    throw parseErrorAt(source, at, next, refusal.why, refusal.works, ...refusal.instead);
  };

  #ambiguity(values: readonly T[]): RefusedPhrase | undefined {
    const texts = values.length < 2 ? [] : [...new Set(values.map(this.#textOf))];
    if (texts.length < 2) return undefined;
    return new RefusedPhrase('has more than one meaning', `Type ${texts.join(' or ')}.`, texts);
  }
}
