/** Parser combinators, and what runs a grammar over a text and turns its errors into a failure with a suggestion. */
import { InvalidWord, SecretPasted, UNRECOGNIZED } from '../failure/index.ts';
import { joinAliasWords } from './joined-names.ts';
import { nearestWord } from './nearest-word.ts';
import { labelsSecret, looksLikeSecret, MENTION } from './secret-detection.ts';
import { keepsWords } from './suggestion.ts';
import { cleanTyping, clipWord, originalSpelling, simplifyText } from './text.ts';
import { type Aliases, type Token, type TokenizedText, tokenize } from './tokenizer.ts';
import { SUGGESTIONS, type WordRole, type WordSense } from './vocabulary.ts';

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
    /** Whether each text in `instead` is a meaning of the word, and offered; else only the first valid one is. */
    readonly isAmbiguous = false,
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

/** What the word means, if it means something of this role. */
export function senseOf<R extends WordRole>(token: Token | undefined, role: R) {
  if (token?.kind !== 'word' || token.sense.role !== role) return undefined;
  return token.sense as WordSense & { readonly role: R };
}

/** The index after `the` or `so far`, which add nothing; `at` when there is none. */
export function afterFiller({ tokens }: TokenizedText, at: number): number {
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

/** No word of the language, however run together, is much longer. */
const LONGEST_WORD = 40;
/** The longest suggestion: what a button can hold, and people can check before pressing it. */
const LONGEST_SUGGESTION = 200;
/** A text with more mistakes than this is not corrected. */
const MOST_SLIPS = 3;

const SPELLINGS = [...SUGGESTIONS.keys()];

const NO_ALIASES: Aliases = new Set();

const holdsUnknown = ({ tokens }: TokenizedText): boolean => tokens.some(({ kind }) => kind === 'unknown');

const isUnknown = (text: string, aliases = NO_ALIASES): boolean => holdsUnknown(tokenize(text, aliases));

/** Whether a text has a word that is neither part of the language nor a project's name. */
export const holdsUnknownWord = (text: string, aliases: Aliases): boolean =>
  isUnknown(simplifyText(text), aliases);

function near(word: string, aliases: Aliases): string | undefined {
  const found = nearestWord(word, [...SPELLINGS, ...aliases]);
  return found && (SUGGESTIONS.get(found) ?? found);
}

/** The known words nearest to a raw one: letter run by letter run ('lst7dys'), and as a whole ('yester-day'). */
function corrections(raw: string, aliases: Aliases): readonly string[] {
  const runs = raw
    .split(/([^a-z]+)/)
    .map((run) => (/[a-z]/.test(run) && isUnknown(run) ? near(run, NO_ALIASES) : run));
  const piecewise = runs.includes(undefined) ? [] : [runs.join('')];
  // A sign before a word may mean that it is not wanted: -prod.
  const wholes = /^[a-z\d]/.test(raw) ? [near(raw, aliases), near(raw.replaceAll('-', ''), aliases)] : [];
  return [...piecewise, ...wholes.filter((whole) => whole !== undefined)];
}

interface Shape {
  readonly form: RegExp;
  readonly why: string;
  readonly works: string;
  readonly instead: (raw: string) => readonly string[];
}

const DIGITS_ONLY = 'Project IDs are digits only, such as 123.';

/** Words that are refused, but show what was meant. */
const SHAPES: readonly Shape[] = [
  {
    form: /^\^\d\d$/,
    why: 'could be a day or a year',
    works: 'Type the year with four digits.',
    instead: (raw) => [`20${raw.slice(1)}`, raw.slice(1)],
  },
  {
    form: /^(?:fy(?:-?\d+)?|fiscal)$/,
    why: 'needs the month in which your fiscal year begins, which Tally doesn’t know',
    works: 'Name the first and the last month, such as 2025-04..2026-03.',
    instead: () => [],
  },
  {
    form: /^(?:christmas|xmas|easter|thanksgiving|halloween|spring|summer|autumn|winter)$/,
    why: 'isn’t a date that Tally knows',
    works: 'Name the first and the last day, such as 2025-12-24..2025-12-26.',
    instead: () => [],
  },
  {
    form: MENTION,
    why: 'You mentioned a person, a channel or a group',
    works: 'Type a project’s name or ID.',
    instead: () => [],
  },
  {
    form: /^\d{1,3}(?:[.,]\d{3})+$/,
    why: 'isn’t a project ID',
    works: DIGITS_ONLY,
    instead: (raw) => [raw.replace(/\D/g, '')],
  },
  {
    form: /^(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])$/,
    why: 'is a day only with a dot after it too',
    works: 'Type 5.11. or 2026-11-05.',
    instead: () => [],
  },
  { form: /^[-+#]*\d[\d.,]*$/, why: 'isn’t a project ID', works: DIGITS_ONLY, instead: () => [] },
  {
    form: /^\d{4}-\d\d-\d\dt[\d:.]+/,
    why: 'has a time of day',
    works: 'Tally works with whole days, such as 2026-10-05.',
    instead: (raw) => [raw.slice(0, 10)],
  },
];

function unknownWord({ text, aliases }: TokenizedText, { raw }: Token, works: string): ParseError {
  const word = text.slice(raw.start, raw.end);
  const shape = SHAPES.find(({ form }) => form.test(word));
  if (shape) {
    const instead = shape.instead(word);
    return new ParseError(raw.start, raw.end, shape.why, shape.works, instead, instead.length > 1);
  }
  const instead = word.length > LONGEST_WORD ? [] : corrections(word, aliases);
  return new ParseError(raw.start, raw.end, UNRECOGNIZED, works, instead);
}

/** @throws ParseError for the first word that the language does not have. @param works what to type instead */
export function rejectUnknownWords(source: TokenizedText, works: string): void {
  const bad = source.tokens.find(({ kind }) => kind === 'unknown' || kind === 'bad');
  if (bad?.kind === 'bad')
    throw new ParseError(bad.start, bad.end, bad.why, bad.works, bad.instead, bad.isAmbiguous);
  if (bad) throw unknownWord(source, bad, works);
}

/** A text that could not be parsed, and where. `again` parses another text with the same grammar. */
interface Attempt {
  readonly text: string;
  readonly slip: ParseError;
  readonly again: (text: string) => ParseError | undefined;
}

/** Words that “the” does not go with. */
const RELATIVE = /^(?:this-|last-(?!\d)|today|yesterday)/;

/** The whole text with every mistake corrected, or undefined: only what can be parsed is suggested. */
function corrected({ text, slip, again }: Attempt, left = MOST_SLIPS): string | undefined {
  if (left === 0 || text.length > LONGEST_SUGGESTION || slip.isAmbiguous) return undefined;
  for (const instead of slip.instead) {
    const typed = text.slice(0, slip.start);
    const before = RELATIVE.test(instead) ? typed.replace(/(?<![^ ])the $/, '') : typed;
    const candidate = simplifyText(before + instead + text.slice(slip.end));
    const next = again(candidate);
    const isInside = next && next.start < before.length + instead.length && next.end > before.length;
    // Corrected twice, a word becomes another one: “tomorow” is not “today”.
    if (isInside && slip.why === UNRECOGNIZED) continue;
    const right = next ? corrected({ text: candidate, slip: next, again }, left - 1) : candidate;
    if (right !== undefined) return right;
  }
  return undefined;
}

/** What to offer: a correction, or each meaning of an ambiguous word that leaves nothing else to correct. */
function suggestions({ slip, ...attempt }: Attempt): readonly string[] {
  if (!slip.isAmbiguous) return [corrected({ ...attempt, slip }) ?? []].flat();
  return slip.instead.flatMap((instead) => {
    const only = new ParseError(slip.start, slip.end, slip.why, slip.works, [instead]);
    return corrected({ ...attempt, slip: only }, 1) ?? [];
  });
}

/** The value, or the ParseError; other errors are thrown on. */
export function tryParse<T>(read: () => T): { readonly value: T } | ParseError {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ParseError) return error;
    throw error;
  }
}

/** Only a word without meaning can be a secret. `text` is as typed, because lower case would hide the form of a token. */
function holdsSecret(text: string, source: TokenizedText, hasMeaning: (word: string) => boolean): boolean {
  const tidied = cleanTyping(text);
  if (holdsUnknown(source) && labelsSecret(tidied)) return true;
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
    const read = tryParse(() => grammar(tokenized(other)));
    return read instanceof ParseError ? read : undefined;
  };
  if (holdsSecret(text, source, (word) => !holdsUnknown(tokenized(word)) && !slipIn(word)))
    throw new SecretPasted();
  const read = tryParse(() => grammar(source));
  if (!(read instanceof ParseError)) return read.value;
  const word = originalSpelling(text, source.shown.slice(read.start, read.end));
  const refused = source.text.slice(read.start, read.end);
  const suggestion = suggestions({ text: source.text, slip: read, again: slipIn }).filter((offered) =>
    keepsWords(source.text, refused, offered, aliases),
  );
  // `web shop` for `web-shop`
  const joined = joinAliasWords(source.text, aliases).filter((other) => slipIn(other) === undefined);
  throw new InvalidWord(clipWord(word), read.why, read.works, [...joined, ...suggestion]);
}
