/** Parser combinators, and what runs a grammar over a text and turns its errors into a failure with a suggestion. */
import { Failure, InvalidWord } from '../failure/index.ts';
import { joinAliasWords } from './normalize-project-names.ts';
import { announcesSecret, looksLikeSecret } from './secret-detection.ts';
import { cleanTyping, clipWord, originalSpelling, simplifyText } from './text.ts';
import { type Aliases, type Token, type TokenizedText, tokenize } from './tokenizer.ts';
import type { WordRole, WordSense } from './vocabulary.ts';

/** A place in a text that cannot be read. `parseWith`, which has the whole text, turns it into a failure. */
export class ParseError extends Error {
  constructor(
    readonly start: number,
    readonly end: number,
    /** Why the word is refused, as in InvalidWord. */
    readonly why: string,
    /** A whole sentence: what to type. */
    readonly works: string,
    /** Replacements for the word. */
    readonly instead: readonly string[] = [],
    /** Whether each text in `instead` is a meaning of the word, and offered; else only the first that makes the text valid. */
    readonly isAmbiguous = instead.length > 1,
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

/** The word's sense in this role; undefined if it has none. */
export function senseOf<R extends WordRole>(token: Token | undefined, role: R) {
  if (token?.kind !== 'word' || token.sense.role !== role) return undefined;
  return token.sense as WordSense & { readonly role: R };
}

/** The index after `the` or `so far`, which add nothing; `at` when there is none. */
export function skipFiller({ tokens }: TokenizedText, at: number): number {
  if (senseOf(tokens[at], 'filler')) return at + 1;
  return senseOf(tokens[at], 'so') && senseOf(tokens[at + 1], 'far') ? at + 2 : at;
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

/** The longest suggestion: what a button can hold, and people can check before pressing it. */
const LONGEST_SUGGESTION = 200;
/** A text with more mistakes than this is not corrected. */
const MOST_SLIPS = 3;

/** For a workspace that has named no projects. */
export const NO_ALIASES: Aliases = new Set();

const holdsUnknown = ({ tokens }: TokenizedText): boolean => tokens.some(({ kind }) => kind === 'unknown');

/** Whether a text has a word that is neither part of the language nor a project's name. */
export const holdsUnknownWord = (text: string, aliases: Aliases): boolean =>
  holdsUnknown(tokenize(simplifyText(text), aliases));

/** Words that “the” does not go with. */
const RELATIVE = /^(?:this-|last-(?!\d)|today|yesterday)/;

/**
 * The whole text with every mistake corrected: only what can be parsed is suggested. A meaning of an ambiguous word is
 * suggested if nothing else is left to correct.
 * @param slipIn parses another text with the same grammar
 */
function* corrections(
  text: string,
  slip: ParseError,
  slipIn: (text: string) => ParseError | undefined,
  left = MOST_SLIPS,
): Generator<string> {
  if (left === 0 || text.length > LONGEST_SUGGESTION) return;
  for (const instead of slip.instead) {
    const typed = text.slice(0, slip.start);
    const before = RELATIVE.test(instead) ? typed.replace(/(?<![^ ])the $/, '') : typed;
    const candidate = simplifyText(before + instead + text.slice(slip.end));
    const next = slipIn(candidate);
    const isInside = next && next.start < before.length + instead.length && next.end > before.length;
    // Corrected twice, a word becomes another one: “tomorow” is not “today”.
    if (isInside) continue;
    if (next === undefined) yield candidate;
    else if (!slip.isAmbiguous && !next.isAmbiguous) yield* corrections(candidate, next, slipIn, left - 1);
  }
}

/** The value, or the ParseError; other errors are thrown on. */
export function catchParseError<T>(parse: () => T): { readonly value: T } | ParseError {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof ParseError) return error;
    throw error;
  }
}

/** Only a word without meaning can be a secret. `text` is as typed, because lower case would hide the form of a token. */
function holdsSecret(text: string, source: TokenizedText, hasMeaning: (word: string) => boolean): boolean {
  const tidied = cleanTyping(text);
  if (holdsUnknown(source) && announcesSecret(tidied)) return true;
  return [...new Set(tidied.split(' '))].some(
    (word) => looksLikeSecret(word) && !hasMeaning(simplifyText(word)),
  );
}

/** @throws InvalidWord, or SecretPasted when a word that could not be parsed looks like a secret */
export function parseWith<T>(
  text: string,
  grammar: (source: TokenizedText) => T,
  aliases: Aliases = NO_ALIASES,
): T {
  const source = tokenize(simplifyText(text), aliases);
  // A text of one word that looks like a secret is asked about by itself as well.
  const tokenized = (other: string) => (other === source.text ? source : tokenize(other, aliases));
  const slipIn = (other: string) => {
    const parsed = catchParseError(() => grammar(tokenized(other)));
    return parsed instanceof ParseError ? parsed : undefined;
  };
  if (holdsSecret(text, source, (word) => !holdsUnknown(tokenized(word)) && !slipIn(word)))
    throw new Failure('secret-pasted');
  const parsed = catchParseError(() => grammar(source));
  if (!(parsed instanceof ParseError)) return parsed.value;
  const word = originalSpelling(text, source.shown.slice(parsed.start, parsed.end));
  const refused = source.text.slice(parsed.start, parsed.end);
  const corrected = corrections(source.text, parsed, slipIn);
  const suggested = (parsed.isAmbiguous ? [...corrected] : [corrected.next().value ?? []].flat()).filter(
    (offered) => saysAllTyped(source.text, refused, offered, aliases),
  );
  // `web shop` for `web-shop`
  const joined = joinAliasWords(source.text, aliases).filter((other) => slipIn(other) === undefined);
  throw new InvalidWord(clipWord(word), parsed.why, parsed.works, [...joined, ...suggested]);
}

/** The meaning of a token, to compare texts by; '' for signs, and for words that only announce the next word. */
function meaningOf(token: Token, text: string): string {
  switch (token.kind) {
    case 'word':
      return /^(?:to|project|product|platform|object|filler|so|far)$/.test(token.sense.role)
        ? ''
        : Object.values(token.sense).join(' ');
    case 'number':
      return token.digits.replace(/^0+(?=\d)/, '');
    case 'range-sign':
    case 'comma':
    case 'break':
      return '';
    default:
      return text.slice(token.start, token.end).replaceAll(/[,-]/g, '');
  }
}

function meaningsOf(text: string, aliases: Aliases) {
  const source = tokenize(simplifyText(text), aliases);
  const of = (isUnknown: boolean) =>
    source.tokens
      .filter(({ kind }) => (kind === 'unknown' || kind === 'bad') === isUnknown)
      .map((token) => meaningOf(token, source.text))
      .filter(Boolean);
  return { known: of(false), unknown: of(true) };
}

/** @returns the words that only the first list has, and those that only the second has */
function compare(all: readonly string[], some: readonly string[]) {
  const counts = new Map<string, number>();
  for (const word of some) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rest = all.filter((word) => {
    const count = counts.get(word) ?? 0;
    counts.set(word, count - 1);
    return count <= 0;
  });
  return { rest, missing: some.length - (all.length - rest.length) };
}

/**
 * Whether what is offered says all that was typed: each word that Tally knows, in whatever order, and something in the place
 * of each that was refused or is unknown. A button that leaves a word out asks something else.
 */
export function saysAllTyped(typed: string, refused: string, offered: string, aliases: Aliases): boolean {
  const [all, bad] = [meaningsOf(typed, aliases), meaningsOf(refused, aliases)];
  const next = meaningsOf(offered, aliases);
  const known = compare(all.known, bad.known);
  const unknown = compare(all.unknown, bad.unknown);
  const added = compare([...next.known, ...next.unknown], known.rest);
  const corrected = compare(added.rest, unknown.rest);
  return known.missing + unknown.missing + added.missing === 0 && corrected.rest.length > corrected.missing;
}
