/** Splits a text into words of the vocabulary, numbers, quarters, dates, range signs, and unknown pieces. */
import { type DateLiteral, parseDateLiteral } from './periods/date-literal.ts';
import { VOCABULARY, type WordSense } from './vocabulary.ts';

interface Place {
  readonly start: number;
  readonly end: number;
  /** The characters between white space that it belongs to. */
  readonly raw: { readonly start: number; readonly end: number };
  /** What precedes it: white space (or the start of the text), a dash, or both. */
  readonly spaced: boolean;
  readonly dashed: boolean;
}

type Meaning =
  | { readonly kind: 'word'; readonly spelling: string; readonly sense: WordSense }
  | { readonly kind: 'number'; readonly digits: string }
  /** `3rd` */
  | { readonly kind: 'ordinal'; readonly digits: string }
  /** `q3`, `h1`, `w45` */
  | { readonly kind: 'quarter' | 'half' | 'week'; readonly digits: string }
  | { readonly kind: 'range-sign' }
  /** Between two projects. Any other comma means nothing. */
  | { readonly kind: 'comma' }
  | { readonly kind: 'alias'; readonly name: string }
  /** A separator: no phrase goes across it. */
  | { readonly kind: 'break' }
  | { readonly kind: 'unknown' }
  | DateLiteral;

export type Token = Place & Meaning;

/** Names that the workspace gave its projects, in lower case. */
export type Aliases = ReadonlySet<string>;

export interface TokenizedText {
  readonly text: string;
  /** The text of the same length with capitals as typed, for quoting. */
  readonly shown: string;
  readonly tokens: readonly Token[];
  readonly aliases: Aliases;
}

/** A number that may be a year without the word `year`. */
export const isBareYear = (digits: string): boolean => /^20\d\d$/.test(digits);

/** The number of a day of a month. */
export const isDay = (digits: string): boolean => /^(?:0?[1-9]|[12]\d|3[01])$/.test(digits);

export const isDayNumber = (token: Token | undefined): token is Token & { kind: 'number' } =>
  token?.kind === 'number' && isDay(token.digits);

type Piece = Meaning & { readonly length: number };

/** A longer run of letters is not split into words. */
const LONGEST = 40;

/** A run of letters as words of the vocabulary, the longest first, or undefined: 'monthtodate' is three words. */
function splitIntoWords(run: string, afterDigit: boolean): readonly Piece[] | undefined {
  if (run.length > LONGEST) return undefined;
  const rest: (readonly Piece[] | undefined)[] = [];
  rest[run.length] = [];
  for (let at = run.length - 1; at >= 0; at--) {
    const shortest = (at === 0 && afterDigit) || run.length === 1 ? 1 : 2;
    for (let end = run.length; end >= at + shortest && !rest[at]; end--) {
      const [spelling, after] = [run.slice(at, end), rest[end]];
      const sense = after && VOCABULARY.get(spelling);
      if (sense) rest[at] = [{ kind: 'word', spelling, sense, length: spelling.length }, ...after];
    }
  }
  return rest[0];
}

const match = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** Letters up to, but without, a q that begins a quarter: 'sinceq3'. */
const LETTERS = /(?:[a-pr-z]|q(?!\d))+/y;
/** The digits of a year may follow without a gap: 'q32026'. */
const LETTERED = [
  ['quarter', /q(?:[1-4](?=(?:19|20)\d\d(?!\d))|\d+)/y],
  ['half', /h(?:[12](?=(?:19|20)\d\d(?!\d))|[12](?!\d))/y],
  ['week', /[ck]?w\d{1,2}(?!\d)/y],
] as const;
/** Abbreviations: `w/c 2 november` is `week starting 2 november`. */
const ABBREVIATIONS: readonly (readonly [RegExp, string])[] = [
  [/&(?:amp;?)?/y, 'and'],
  [/w(?:\/[bc]|c)(?![a-z\d])/y, 'weekstarting'],
  [/w\/e(?![a-z\d])/y, 'weekending'],
  [/w\/o(?![a-z\d])/y, 'without'],
];
/** `q3/2026`, `1/oct/2026`, and between two dates `2026-10-01/2026-10-15` */
const DASHLIKE = /^(?:(?:\d{1,2}\/)?[a-z]+\d{0,2}\/\d{4}|\d{4}-\d\d-\d\d\/\d{4}-\d\d-\d\d)$/;
/** `3rd`, and the `1.` of `1.-15.10.` */
const ORDINAL = /\d{1,2}(?:st|nd|rd|th|\.(?=-\d))/y;
const NUMBER = /\d+/y;

/** The words that an abbreviation stands for: each has one of its characters, the first word all that remain. */
function abbreviationAt(raw: string, at: number): readonly Piece[] | undefined {
  for (const [form, spelled] of ABBREVIATIONS) {
    const found = match(form, raw, at);
    if (found === undefined) continue;
    return splitIntoWords(spelled, false)?.map((piece, n, all) => ({
      ...piece,
      length: n === 0 ? found.length - all.length + 1 : 1,
    }));
  }
  return undefined;
}

/** The pieces that begin at a character of a raw word, or undefined if nothing known does. */
function piecesAt(raw: string, at: number): readonly Piece[] | undefined {
  if (raw.startsWith('..', at)) return [{ kind: 'range-sign', length: 2 }];
  const abbreviated = abbreviationAt(raw, at);
  if (abbreviated) return abbreviated;
  const literal = parseDateLiteral(raw, at);
  if (literal) return [literal];
  const ordinal = match(ORDINAL, raw, at);
  const after = ordinal && match(LETTERS, raw, at + ordinal.length);
  if (ordinal && (after === undefined || splitIntoWords(after, false)))
    return [{ kind: 'ordinal', digits: ordinal.replace(/\D+/, ''), length: ordinal.length }];
  const number = match(NUMBER, raw, at);
  if (number) return [{ kind: 'number', digits: number, length: number.length }];
  for (const [kind, form] of LETTERED) {
    const part = match(form, raw, at);
    if (part) return [{ kind, digits: part.replace(/^\D+/, ''), length: part.length }];
  }
  const letters = match(LETTERS, raw, at);
  // No token of its own: `a1` may be a project's name.
  if (letters === 'a' && raw !== letters) return undefined;
  return letters === undefined ? undefined : splitIntoWords(letters, /\d/.test(raw[at - 1] ?? ''));
}

/** Typed between spaces, it separates: `3 ; october` is a project and a month. */
export const CLAUSE_BREAK = ';';

/** A piece of a raw word. */
type Part = Piece & { readonly at: number; readonly spaced: boolean; readonly dashed: boolean };

/** The pieces of a raw word that is known in all its parts, or undefined; a half-known word is something else. */
function partsOf(raw: string): readonly Part[] | undefined {
  const found: Part[] = [];
  let [at, spaced, dashed] = [0, true, false];
  const dashes = DASHLIKE.test(raw) ? '-/' : '-';
  while (at < raw.length) {
    if (dashes.includes(raw[at] ?? '') || (raw[at] === '.' && /[a-z]\.\d/.test(raw.slice(at - 1, at + 2)))) {
      [at, dashed] = [at + 1, true];
      continue;
    }
    const pieces = piecesAt(raw, at);
    if (!pieces) return undefined;
    for (const piece of pieces) {
      found.push({ at, spaced, dashed, ...piece });
      [at, spaced, dashed] = [at + piece.length, false, false];
    }
  }
  return found;
}

const isProject = (piece: string, aliases: Aliases): boolean => aliases.has(piece) || /^\d+$/.test(piece);

/** `oct`, `q3` */
export const isSpan = (word: string): boolean =>
  VOCABULARY.get(word)?.role === 'month' || /^q[1-4]$/.test(word);

/** What a comma between two pieces means: in `oct, nov` it is `and`. */
function commaBetween(before: string, after: string, aliases: Aliases): Meaning | undefined {
  if (isProject(before, aliases) && isProject(after, aliases)) return { kind: 'comma' };
  return isSpan(before) && isSpan(after) ? splitIntoWords('and', false)?.[0] : undefined;
}

/** A dash that nothing follows says that something is missing. */
function danglingDash(text: string, after: Token): Token {
  const [start, end] = [Math.max(text.lastIndexOf('-'), after.end), text.length];
  return { kind: 'range-sign', start, end, raw: { start, end }, spaced: true, dashed: false };
}

/** Splits a text, ignoring case. A dash before or between spaces belongs to what follows. */
export function tokenize(typed: string, aliases: Aliases): TokenizedText {
  const text = typed.toLowerCase();
  /** The pieces of raw words, so that a repeated word is split once. */
  const parts = new Map<string, readonly Part[] | undefined>();
  /** The tokens of one raw word: a name, its pieces, or an unknown token. */
  const tokensOf = (word: string, start: number, dashBefore: boolean): readonly Token[] => {
    const raw: Place['raw'] = { start, end: start + word.length };
    const whole = (meaning: Meaning): Token[] => [
      { ...raw, raw, spaced: true, dashed: dashBefore, ...meaning },
    ];
    if (word === CLAUSE_BREAK) return whole({ kind: 'break' });
    if (aliases.has(word)) return whole({ kind: 'alias', name: word });
    if (!parts.has(word)) parts.set(word, partsOf(word));
    return (
      parts.get(word)?.map((part, n) => ({
        start: start + part.at,
        end: start + part.at + part.length,
        raw,
        // Last, as adding fields to what was spread takes V8 twenty times as long.
        ...(n === 0 && dashBefore ? { ...part, dashed: true } : part),
      })) ?? whole({ kind: 'unknown' })
    );
  };
  /** A raw word, or several with commas between. */
  const tokensOfList = (raw: string, start: number, dashBefore: boolean): readonly Token[] => {
    const pieces = raw.includes(',') ? raw.split(',') : [raw];
    if (pieces.length === 1 || pieces.every((piece) => piece === '')) return tokensOf(raw, start, dashBefore);
    let at = start;
    return pieces.flatMap((piece, n): readonly Token[] => {
      const [from, comma] = [at, commaBetween(piece, pieces[n + 1] ?? '', aliases)];
      at += piece.length + 1;
      const place: Place['raw'] = { start: from + piece.length, end: at };
      return [
        ...(piece === '' ? [] : tokensOf(piece, from, n === 0 && dashBefore)),
        ...(comma ? [{ raw: place, spaced: true, dashed: false, ...place, ...comma }] : []),
      ];
    });
  };
  const found: Token[] = [];
  let dashBefore = false;
  for (const { 0: raw, index } of text.matchAll(/\S+/g)) {
    const some = tokensOfList(raw, index, dashBefore);
    found.push(...some);
    dashBefore = some.length === 0 ? raw.includes('-') : raw.endsWith('-');
  }
  const last = found.at(-1);
  if (dashBefore && last !== undefined) found.push(danglingDash(text, last));
  // Some capitals have no lower case of the same length: İ.
  return { text, shown: typed.length === text.length ? typed : text, tokens: found, aliases };
}
