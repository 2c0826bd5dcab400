/** How things are looked for among tokens. */
import { ParseError } from './parse-error.ts';
import type { Token, TokenizedText } from './tokenizer.ts';
import type { WordRole, WordSense } from './vocabulary.ts';

export interface Match<T> {
  readonly value: T;
  /** Index of the first token after it. */
  readonly next: number;
}

/** `bareYear`: a bare number from 2000 to 2099 may be a year, because it cannot be the project. */
export type Parser<T> = (source: TokenizedText, at: number, bareYear: boolean) => Match<T> | undefined;

/** The same things before what stood in the text is written on them. */
export type WithoutSource<T> = T extends unknown ? Omit<T, 'typed' | 'includingToday'> : never;

export function senseOf<R extends WordRole>(
  token: Token | undefined,
  role: R,
): (WordSense & { readonly role: R }) | undefined;
export function senseOf(token: Token | undefined, role: WordRole): WordSense | undefined {
  return token?.kind === 'word' && token.sense.role === role ? token.sense : undefined;
}

/** What stands from one token to before another, as a refusal of it all. */
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

export function typedText({ shown, tokens }: TokenizedText, at: number, next: number): string {
  return shown.slice(tokens[at]?.start, tokens[next - 1]?.end);
}

/** The first search that finds something. */
export function firstOf<T>(...searches: Parser<T>[]): Parser<T> {
  return (source, at, bareYear) => {
    for (const search of searches) {
      const found = search(source, at, bareYear);
      if (found) return found;
    }
    return undefined;
  };
}
