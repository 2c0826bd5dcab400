/** How things are looked for among tokens. */
import { Misread } from './misread.ts';
import type { Source, Token } from './token.ts';
import type { Role, Sense } from './vocabulary.ts';

export interface Found<T> {
  readonly value: T;
  /** Index of the first token after it. */
  readonly next: number;
}

/** `bareYear`: a bare number from 2000 to 2099 may be a year, because it cannot be the project. */
export type Search<T> = (source: Source, at: number, bareYear: boolean) => Found<T> | undefined;

/** The same things before what stood in the text is written on them. */
export type Bare<T> = T extends unknown ? Omit<T, 'typed' | 'includingToday'> : never;

export function senseOf<R extends Role>(
  token: Token | undefined,
  role: R,
): (Sense & { readonly role: R }) | undefined;
export function senseOf(token: Token | undefined, role: Role): Sense | undefined {
  return token?.kind === 'word' && token.sense.role === role ? token.sense : undefined;
}

/** What stands from one token to before another, as a refusal of it all. */
export function misread(
  { tokens }: Source,
  at: number,
  next: number,
  why: string,
  works: string,
  ...instead: string[]
): Misread {
  return new Misread(tokens[at]?.start ?? 0, tokens[next - 1]?.end ?? 0, why, works, instead);
}

export function typed({ shown, tokens }: Source, at: number, next: number): string {
  return shown.slice(tokens[at]?.start, tokens[next - 1]?.end);
}

/** The first search that finds something. */
export function first<T>(...searches: Search<T>[]): Search<T> {
  return (source, at, bareYear) => {
    for (const search of searches) {
      const found = search(source, at, bareYear);
      if (found) return found;
    }
    return undefined;
  };
}
