/** The classes of tokens that productions name in capitals. */
import type { Unit } from '../../../../time/calendar.ts';
import { type Match, type Parser, parseErrorAt, senseOf } from '../parser.ts';
import { isBareYear, isDay, isDayNumber, type Token } from '../tokenizer.ts';
import type { WordRole, WordSense } from '../vocabulary.ts';
import type { Span, YearOf } from './date-ast.ts';
import type { TokenClass } from './grammar.ts';
import type { Count } from './period-ast.ts';

const take = <T>(value: T, next: number): Match<T> => ({ value, next });

/** Single tokens, by what each means; undefined for a token of another class. */
export const oneToken = <T>(
  begins: readonly string[],
  meaningOf: (token: Token) => T | undefined,
): TokenClass<T> => ({
  begins,
  isToken: true,
  parse: ({ tokens }, at) => {
    const token = tokens[at];
    const value = token && meaningOf(token);
    return value === undefined ? undefined : take(value, at + 1);
  },
});

export const tokenOfKind = <K extends Token['kind'], T>(
  kind: K,
  toValue: (token: Extract<Token, { kind: K }>) => T,
): TokenClass<T> =>
  oneToken([kind], (token) =>
    token.kind === kind ? toValue(token as Extract<Token, { kind: K }>) : undefined,
  );

export const wordOfRole = <R extends WordRole, T>(
  role: R,
  toValue: (sense: WordSense & { readonly role: R }) => T,
): TokenClass<T> =>
  oneToken([role], (token) => {
    const sense = senseOf(token, role);
    return sense && toValue(sense);
  });

/** A number that passes the test `is`. */
export const numberThat = (is: (digits: string) => boolean): TokenClass<number> =>
  oneToken(['number'], (token) =>
    token.kind === 'number' && is(token.digits) ? Number(token.digits) : undefined,
  );

const ordinalOf = (token: Token): number | undefined =>
  token.kind === 'ordinal' && isDay(token.digits) ? Number(token.digits) : undefined;

/** `first` to `fourth` in words, any ordinal in digits; -1 for `last`. */
export const rankOrLast = (token: Token): number | undefined =>
  senseOf(token, 'rank')?.number ?? ordinalOf(token) ?? (senseOf(token, 'last') && -1);

const RANK = oneToken(['rank', 'ordinal'], (token) => {
  const place = rankOrLast(token) ?? 0;
  return place >= 1 && place <= 4 ? place : undefined;
});

const countOf = (token: Token): Count | undefined => {
  const digits = token.kind === 'number' ? token.digits : senseOf(token, 'count')?.number.toString();
  return digits === undefined ? undefined : { digits };
};

/** 'q3', 'q 3' unless the q belongs to the number before it ('2q 3'), 'third quarter'; h1, 'first half'. */
const span: Parser<Span> = (source, at, bareYear) => {
  const [token, after] = [source.tokens[at], source.tokens[at + 1]];
  const month = senseOf(token, 'month')?.month;
  if (month !== undefined) return take({ kind: 'month', number: month }, at + 1);
  if (token?.kind === 'quarter' && !/^[1-4]$/.test(token.digits))
    throw parseErrorAt(source, at, at + 1, 'isn’t a quarter', 'Quarters are q1 to q4, such as 2026-q3.');
  if (token?.kind === 'quarter' || token?.kind === 'half')
    return take({ kind: token.kind, number: Number(token.digits) }, at + 1);
  if (isSpacedQuarter(token, after)) return take({ kind: 'quarter', number: Number(after.digits) }, at + 2);
  const which = RANK.parse(source, at, bareYear);
  if (which === undefined) return undefined;
  if (unitIn(false).parse(source, which.next, bareYear)?.value === 'quarter')
    return take({ kind: 'quarter', number: which.value }, which.next + 1);
  return senseOf(source.tokens[which.next], 'half') && which.value <= 2
    ? take({ kind: 'half', number: which.value }, which.next + 1)
    : undefined;
};

function isSpacedQuarter(
  token: Token | undefined,
  after: Token | undefined,
): after is Token & { kind: 'number' } {
  const apart =
    token?.kind === 'word' && /^q(?:uarter)?$/.test(token.spelling) && (token.spaced || token.dashed);
  return apart && after?.kind === 'number' && /^[1-4]$/.test(after.digits);
}

export const isWeekNumber = (digits: string): boolean => /^(?:0?[1-9]|[1-4]\d|5[0-3])$/.test(digits);

/** 'w45', 'week 45', and 'kw 45' or 'cw 45' for a calendar week */
const week: Parser<number> = ({ tokens }, at) => {
  const [token, after] = [tokens[at], tokens[at + 1]];
  const isNamed = token?.kind === 'word' && /^(?:w(?:ee)?k?|[ck]w)$/.test(token.spelling);
  const isSpaced = isNamed && (token.spaced || token.dashed) && after?.kind === 'number';
  const digits = token?.kind === 'week' ? token.digits : isSpaced ? after.digits : '';
  return isWeekNumber(digits) ? take(Number(digits), token?.kind === 'week' ? at + 1 : at + 2) : undefined;
};

/** 'last year', 'this year' */
const relativeYear: Parser<YearOf> = ({ tokens }, at) => {
  const [token, unit] = [tokens[at], tokens[at + 1]];
  if (unit?.kind !== 'word' || !/^ye?a?r$/.test(unit.spelling)) return undefined;
  if (senseOf(token, 'last')) return take('last', at + 2);
  return senseOf(token, 'this') && take('this', at + 2);
};

/** A year after a month, quarter or day; a year of the last century only if it cannot be a project. */
const yearAfter: Parser<YearOf> = (source, at, bareYear) => {
  const isAfterComma = source.tokens[at]?.kind === 'comma';
  const next = isAfterComma ? at + 1 : at;
  const token = source.tokens[next];
  if (token?.kind !== 'number') return relativeYear(source, at, bareYear);
  const isJoined = isAfterComma || !token.spaced || bareYear;
  const isClear = isBareYear(token.digits) || (isJoined && /^19\d\d$/.test(token.digits));
  return isClear ? take(Number(token.digits), next + 1) : undefined;
};

/** '2026-q3'. With a space, '2026 q3' has a year only when the project is known: 2026 may be the project. */
const yearBefore: Parser<YearOf> = (source, at, bareYear) => {
  const [token, after] = [source.tokens[at], source.tokens[at + 1]];
  if (token?.kind !== 'number') return relativeYear(source, at, bareYear);
  const isClear = after?.spaced ? bareYear && isBareYear(token.digits) : /^(?:19|20)\d\d$/.test(token.digits);
  return isClear ? take(Number(token.digits), at + 1) : undefined;
};

/** A unit of more than one letter, in the singular or in the plural. */
const unitIn = (isPlural: boolean): TokenClass<Unit> =>
  oneToken(['unit'], (token) =>
    token.kind === 'word' && token.spelling.length > 1 && token.spelling.endsWith('s') === isPlural
      ? senseOf(token, 'unit')?.unit
      : undefined,
  );

const each: Parser<Unit> = ({ tokens }, at) => {
  const recurring = senseOf(tokens[at], 'recurring');
  if (recurring) return take(recurring.unit, at + 1);
  const place = senseOf(tokens[at], 'unit') ? at + 1 : at;
  const unit = senseOf(tokens[place], 'each') && senseOf(tokens[place + 1], 'unit');
  return unit && take(unit.unit, place + 2);
};

export const DATE_CLASSES = {
  /** The number of a day, `3` or `3rd`. */
  DAY: oneToken(['number', 'ordinal'], (token) =>
    isDayNumber(token) ? Number(token.digits) : ordinalOf(token),
  ),
  /** The number of a day as an ordinal: `3rd`. */
  ORDINAL: oneToken(['ordinal'], ordinalOf),
  /** A date in digits. */
  ISO_DAY: tokenOfKind('day', ({ day }) => day),
  /** Month (1 to 12) and day in digits, `5.11.` */
  DAY_MONTH: tokenOfKind('month-day', (date) => date),
  SPAN: { begins: ['month', 'quarter', 'half', 'unit', 'rank', 'ordinal'], parse: span },
  /** A month's name, 1 to 12. */
  MONTH: wordOfRole('month', ({ month }) => month),
  /** The number of a week, 1 to 53. */
  WEEK: { begins: ['week', 'unit'], parse: week },
  /** The year after a month, quarter or day: `october 2026`. */
  YEAR: { begins: ['number', 'comma', 'last', 'this'], parse: yearAfter },
  /** The year before one: `2026-q3`. */
  YEAR_BEFORE: { begins: ['number', 'last', 'this'], parse: yearBefore },
  /** 1 for Monday. */
  WEEKDAY: wordOfRole('weekday', ({ weekday }) => weekday),
  /** `first` to `fourth` */
  RANK,
  /** A count in digits or words. */
  COUNT: oneToken(['number', 'count'], countOf),
  /** A count, or `a`. */
  AMOUNT: oneToken(['number', 'count', 'a'], (token) =>
    senseOf(token, 'a') ? { digits: '1' } : countOf(token),
  ),
  /** A unit of time; `s` at its end is not looked at. */
  UNIT: wordOfRole('unit', ({ unit }) => unit),
  /** `monthly`, `by month`, `month by month` */
  EACH: { begins: ['recurring', 'each', 'unit'], parse: each },
  SINGULAR_UNIT: unitIn(false),
  PLURAL_UNIT: unitIn(true),
} as const;
