/**
 * A grammar written as productions, such as `DAY of? MONTH YEAR?`: words in lower case with all their synonyms (`last` is `past`
 * as well), `a|b` for either, capitals for classes of tokens, `?` for what may be missing. `to` is a range sign or a
 * dash, too.
 */
import { type Match, ParseError, type Parser, senseOf } from '../parse.ts';
import type { Token, TokenizedText } from '../tokenizer.ts';
import { VOCABULARY } from '../vocabulary.ts';

/** A class of tokens. */
export interface TokenClass<T> {
  /** The roles of words, and the kinds of other tokens, that it may begin with; undefined for any. */
  readonly begins: readonly string[] | undefined;
  readonly parse: Parser<T>;
}

/** What the words of a production mean where they cannot be asked for. Two texts or more to type are its readings. */
export class RefusedPhrase {
  constructor(
    readonly why: string,
    readonly works: string,
    readonly instead: readonly string[] = [],
  ) {}
}

/** What a production means: several for words with several meanings; undefined where it does not apply. */
type Meaning<T> = T | readonly T[] | RefusedPhrase | undefined;

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

type Classes<C> = { readonly [Name in keyof C]: TokenClass<C[Name]> };

interface Element {
  readonly begins: readonly string[] | undefined;
  readonly parse: Parser<unknown>;
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
  const { begins, parse } = tokenClass ?? (name === 'to' ? RANGE_SIGN : ofWords(name.split('|')));
  return { begins, parse, isOptional, isClass: tokenClass !== undefined };
}

/** The values of the elements from the `n`th on, from a token on. */
function matchElements(
  elements: readonly Element[],
  n: number,
  source: TokenizedText,
  at: number,
  bareYear: boolean,
): Match<readonly unknown[]> | undefined {
  const element = elements[n];
  if (element === undefined) return { value: [], next: at };
  const found = element.parse(source, at, bareYear);
  const rest = found && matchElements(elements, n + 1, source, found.next, bareYear);
  if (rest) return { ...rest, value: element.isClass ? [found.value, ...rest.value] : rest.value };
  if (!element.isOptional) return undefined;
  const without = matchElements(elements, n + 1, source, at, bareYear);
  return without && { ...without, value: element.isClass ? [undefined, ...without.value] : without.value };
}

/** The keys of the tokens that a production may begin with; undefined for any. */
function beginningsOf(elements: readonly Element[]): readonly string[] | undefined {
  const [first, ...others] = elements;
  if (first?.begins === undefined) return undefined;
  if (!first.isOptional) return first.begins;
  const rest = beginningsOf(others);
  return rest && [...first.begins, ...rest];
}

/** Parses once what several productions begin with. */
export function memoized<T>(parse: Parser<T>): Parser<T> {
  const bySource = new WeakMap<TokenizedText, Map<number, Match<T> | undefined>>();
  return (source, at, bareYear) => {
    const known = bySource.get(source) ?? new Map<number, Match<T> | undefined>();
    bySource.set(source, known);
    const key = bareYear ? at : -1 - at;
    if (!known.has(key)) known.set(key, parse(source, at, bareYear));
    return known.get(key);
  };
}

const keyOf = (token: Token): string => (token.kind === 'word' ? token.sense.role : token.kind);

/** Collects productions; the longest match at a token counts. */
export class Grammar<C, T> {
  readonly #classes: Readonly<Record<string, TokenClass<unknown>>>;
  readonly #textOf: (value: T) => string;
  readonly #anywhere: Production<T>[] = [];
  readonly #byBeginning = new Map<string, Production<T>[]>();

  /** @param textOf the canonical text of a value */
  constructor(classes: Classes<C>, textOf: (value: T) => string) {
    this.#classes = classes as Readonly<Record<string, TokenClass<unknown>>>;
    this.#textOf = textOf;
  }

  rule<S extends string>(template: S, meaning: (...values: TemplateValues<C, S>) => Meaning<T>): this {
    const elements = template.split(' ').map((text) => elementOf(this.#classes, text));
    const production: Production<T> = {
      elements,
      meaning: (values) => meaning(...(values as TemplateValues<C, S>)),
    };
    const beginnings = beginningsOf(elements);
    const lists = beginnings?.map((key) => this.#startingWith(key));
    for (const list of new Set(lists ?? [this.#anywhere, ...this.#byBeginning.values()]))
      list.push(production);
    return this;
  }

  #startingWith(key: string): Production<T>[] {
    const list = this.#byBeginning.get(key) ?? [...this.#anywhere];
    this.#byBeginning.set(key, list);
    return list;
  }

  /**
   * The longest match that begins at a token.
   * @throws ParseError where its words are refused, or have several meanings: all of them are offered then
   */
  readonly parse: Parser<T> = (source, at, bareYear) => {
    const token = source.tokens[at];
    if (token === undefined) return undefined;
    let [next, found] = [at, [] as (T | RefusedPhrase)[]];
    for (const { elements, meaning } of this.#byBeginning.get(keyOf(token)) ?? this.#anywhere) {
      const match = matchElements(elements, 0, source, at, bareYear);
      const value = match && match.next >= next && match.next > at ? meaning(match.value) : undefined;
      if (match === undefined || value === undefined) continue;
      if (match.next > next) found = [];
      next = match.next;
      found.push(...([value as T | RefusedPhrase | readonly T[]].flat() as (T | RefusedPhrase)[]));
    }
    const [first] = found;
    if (first === undefined) return undefined;
    const refusal = found.find((value) => value instanceof RefusedPhrase) ?? this.#ambiguity(found as T[]);
    if (refusal === undefined) return { value: first as T, next };
    throw refusedAt(source, at, next, refusal);
  };

  #ambiguity(values: readonly T[]): RefusedPhrase | undefined {
    const texts = values.length < 2 ? [] : [...new Set(values.map(this.#textOf))];
    if (texts.length < 2) return undefined;
    return new RefusedPhrase('has more than one meaning', `Type ${texts.join(' or ')}.`, texts);
  }
}

function refusedAt({ tokens }: TokenizedText, at: number, next: number, refusal: RefusedPhrase): ParseError {
  const { why, works, instead } = refusal;
  const [start, end] = [tokens[at]?.start ?? 0, tokens[next - 1]?.end ?? 0];
  return new ParseError(start, end, why, works, instead, instead.length > 1);
}
