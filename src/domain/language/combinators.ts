/** Parser combinators: how the grammar finds something among tokens, and reports errors. */
import type { Token, TokenizedText } from './tokenizer.ts';
import type { WordRole, WordSense } from './vocabulary.ts';

/** Suggestions for a place that cannot be parsed. */
interface Repairs {
  /** Whether to offer every text in `instead`, because each is a meaning of the word, or only the first valid one. */
  readonly isAmbiguous?: boolean;
  /** Whole texts to suggest; tried after `instead`. */
  readonly texts?: readonly string[];
}

/** A place in a text that cannot be read. `parseWith`, which has the whole text, turns it into a failure. */
export class ParseError extends Error {
  constructor(
    readonly start: number,
    readonly end: number,
    /** As in InvalidWord. */
    readonly why: string,
    /** A whole sentence: what to type. */
    readonly works: string,
    /** Replacements for the word; the first that makes the text valid is suggested. */
    readonly instead: readonly string[] = [],
    readonly repairs: Repairs = {},
  ) {
    super(why);
  }
}

export interface Match<T> {
  readonly value: T;
  /** Index of the first token after it. */
  readonly next: number;
}

/** `bareYear`: a bare number from 2000 to 2099 may be a year, because it cannot be the project. */
export type Parser<T> = (source: TokenizedText, at: number, bareYear: boolean) => Match<T> | undefined;

/** A node of the syntax before its source text is added. */
export type WithoutSource<T> = T extends unknown ? Omit<T, 'typed' | 'includingToday'> : never;

export function senseOf<R extends WordRole>(
  token: Token | undefined,
  role: R,
): (WordSense & { readonly role: R }) | undefined;
export function senseOf(token: Token | undefined, role: WordRole): WordSense | undefined {
  return token?.kind === 'word' && token.sense.role === role ? token.sense : undefined;
}

/** Refuses the tokens from `at` up to, but without, `next`. */
export function parseErrorAt(
  { tokens }: TokenizedText,
  at: number,
  next: number,
  why: string,
  works: string,
  ...instead: string[]
): ParseError {
  return new ParseError(tokens[at]?.start ?? 0, tokens[next - 1]?.end ?? 0, why, works, instead);
}

/** The tokens from `at` up to, but without, `next`, as they were typed. */
export function typedText({ shown, tokens }: TokenizedText, at: number, next: number): string {
  return shown.slice(tokens[at]?.start, tokens[next - 1]?.end);
}

/** Tries each parser in turn; the first match counts. */
export function firstOf<T>(...parsers: Parser<T>[]): Parser<T> {
  return (source, at, bareYear) => {
    for (const parse of parsers) {
      const found = parse(source, at, bareYear);
      if (found) return found;
    }
    return undefined;
  };
}
