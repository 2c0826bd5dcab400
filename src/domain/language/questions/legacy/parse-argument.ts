/** The arguments of a command, each parsed at an index among tokens, and the word for a file or a window. */
import { InvalidWord } from '../../../failure/index.ts';
import { isProductId, PRODUCT_IDS, PRODUCTS, type ProductId } from '../../../product.ts';
import { listNames } from '../../text.ts';
import { catchParseError, type Match, ParseError, parseErrorAt, senseOf, skipFiller } from './parser.ts';
import { refuseDayNumber } from './periods/date-grammar.ts';
import { type PeriodMatch, parsePeriodPhrase } from './periods/parse-period.ts';
import type { PeriodPhrase } from './periods/period-ast.ts';
import { DATE_CLASSES } from './periods/token-classes.ts';
import type { Token, TokenizedText } from './tokenizer.ts';
import { isBareYear } from './tokenizer.ts';

/** The figures as a file, what to reconcile with, or what made the change. */
export type Output = 'csv' | 'details' | 'why';

const OUTPUT = /^(csv|details|why)[?!.,]?$/i;

const outputOf = (word: string) => OUTPUT.exec(word)?.[1]?.toLowerCase() as Output | undefined;

/**
 * Parses a command's text that may say `csv`, `details` or `why` anywhere.
 * @param parse the grammar for the text without that word
 * @throws what `parse` throws; a suggestion keeps the word. InvalidWord for two different ones
 */
export function parseWithOutput<T>(
  text: string,
  aliases: ReadonlySet<string>,
  parse: (text: string, aliases: ReadonlySet<string>) => T,
): { readonly words: T; readonly output: Output | undefined } {
  const typed = text.split(/\s+/);
  const isOutput = (word: string) => outputOf(word) !== undefined && !aliases.has(word.toLowerCase());
  const [output, other] = new Set(typed.filter(isOutput).map(outputOf));
  if (output === undefined) return { words: parse(text, aliases), output };
  if (other !== undefined)
    throw new InvalidWord(other, `You asked for “${output}” and {word}`, 'Ask for one of them.');
  try {
    return { words: parse(typed.filter((word) => !isOutput(word)).join(' '), aliases), output };
  } catch (error) {
    throw error instanceof InvalidWord ? error.within((suggestion) => `${suggestion} ${output}`) : error;
  }
}

/** Whether the answer may have to be shown in a window: a quick guess, wrong only if a project is called `csv` or `details`. */
export const mayOpenWindow = (text: string): boolean =>
  text.split(/\s+/).some((word) => /^(?:csv|details)$/.test(outputOf(word) ?? ''));

/** What a period is compared with: another one, or the same days a year before. */
export type Versus = PeriodPhrase | 'year-before';

export type Argument =
  | { readonly kind: 'phrase'; readonly value: PeriodPhrase }
  | { readonly kind: 'product'; readonly value: ProductId }
  /** Digits, or an alias, which begins with a letter. */
  | { readonly kind: 'project'; readonly value: string }
  /** Every registered project. */
  | { readonly kind: 'all'; readonly value: true }
  /** The `value` projects with the largest amounts. */
  | { readonly kind: 'top'; readonly value: number }
  | { readonly kind: 'versus'; readonly value: Versus }
  /** False for `excluding today`. */
  | { readonly kind: 'including-today'; readonly value: boolean };

type ArgumentMatch = Match<Argument> & Partial<Pick<PeriodMatch, 'doubt'>>;

/** @param projectKnown a project was parsed before, so a bare number can be a product or a year */
export type ArgumentParser = (
  source: TokenizedText,
  at: number,
  projectKnown: boolean,
) => ArgumentMatch | undefined;

/** Whether a number is an argument by itself: nothing is attached on its left, and at most a dash and a word on its right. */
function standsAlone({ text, tokens }: TokenizedText, at: number): boolean {
  const [token, after] = [tokens[at], tokens[at + 1]];
  if (token?.kind !== 'number' || token.start !== token.raw.start) return false;
  const years =
    after?.kind === 'number' && after.dashed && [token, after].every(({ digits }) => isBareYear(digits));
  return !years && /^(?:-+(?:[a-z].*)?)?$/.test(text.slice(token.end, token.raw.end));
}

/** The first bare number is the project, always; after a project 1, 2 and 3 are products. */
function numberAt(source: TokenizedText, at: number, projectKnown: boolean): Match<Argument> | undefined {
  const token = source.tokens[at];
  if (token?.kind !== 'number' || !standsAlone(source, at)) return undefined;
  refuseDayNumber(source, at);
  const number = Number(token.digits);
  if (projectKnown && token.digits.length === 1 && isProductId(number))
    return { value: { kind: 'product', value: number }, next: at + 1 };
  return { value: { kind: 'project', value: token.digits }, next: at + 1 };
}

/** A word of a product's name: `cloud`, or `platform`. */
const productWord = (token: Token | undefined) =>
  senseOf(token, 'product-name') ?? senseOf(token, 'product-lead') ?? senseOf(token, 'product-end');

function productAt(source: TokenizedText, at: number): Match<Argument> | undefined {
  const { tokens } = source;
  const [word, other] = [productWord(tokens[at]), productWord(tokens[at + 1])];
  const isWhole = word?.product === other?.product && word?.role !== other?.role;
  if (word !== undefined && (isWhole || word.role === 'product-name'))
    return { value: { kind: 'product', value: word.product }, next: isWhole ? at + 2 : at + 1 };
  return senseOf(tokens[at], 'product') && productNumbered(source, at + 1);
}

/** `product 2`, `product cloud` */
function productNumbered(source: TokenizedText, at: number): Match<Argument> | undefined {
  const token = source.tokens[at];
  if (token?.kind !== 'number') return productAt(source, at);
  const number = Number(token.digits);
  if (isProductId(number)) return { value: { kind: 'product', value: number }, next: at + 1 };
  throw parseErrorAt(
    source,
    at,
    at + 1,
    'isn’t a product',
    `Products are ${listNames(PRODUCT_IDS.map((id) => `${PRODUCTS[id].word} (${id})`))}.`,
  );
}

/** The index after `projects`, which adds nothing to `all` and `top 3`. */
const afterNoun = ({ tokens }: TokenizedText, at: number): number =>
  senseOf(tokens[at], 'project') ? at + 1 : at;

/** 'prod', 'project prod', 'project 123', 'all', 'all projects' */
function projectsAt(source: TokenizedText, at: number): Match<Argument> | undefined {
  const { tokens } = source;
  if (senseOf(tokens[at], 'all'))
    return { value: { kind: 'all', value: true }, next: afterNoun(source, at + 1) };
  const place = senseOf(tokens[at], 'project') ? at + 1 : at;
  const token = tokens[place];
  if (token?.kind === 'alias') return { value: { kind: 'project', value: token.name }, next: place + 1 };
  return token?.kind === 'number' && place > at
    ? { value: { kind: 'project', value: token.digits }, next: place + 1 }
    : undefined;
}

function includingAt({ tokens }: TokenizedText, at: number): Match<Argument> | undefined {
  const including = senseOf(tokens[at], 'including');
  return (including ?? senseOf(tokens[at], 'excluding')) && senseOf(tokens[at + 1], 'today')
    ? { value: { kind: 'including-today', value: including !== undefined }, next: at + 2 }
    : undefined;
}

/** The largest N of `top N`. */
const LONGEST_TOP = 99;

/** 'top 3', 'top three projects' */
function topAt(source: TokenizedText, at: number): Match<Argument> | undefined {
  if (!senseOf(source.tokens[at], 'top')) return undefined;
  const number = DATE_CLASSES.COUNT.parse(source, at + 1, false);
  const count = Number(number?.value.digits ?? 0);
  if (count >= 1 && count <= LONGEST_TOP)
    return { value: { kind: 'top', value: count }, next: afterNoun(source, at + 2) };
  const [next, why] =
    number === undefined ? [at + 1, 'doesn’t say how many'] : [at + 2, 'isn’t a number of projects'];
  throw parseErrorAt(source, at, next, why, `Type top 3, or all. The most is ${LONGEST_TOP}.`);
}

/** 'vs september', 'vs last year' */
function versusAt(source: TokenizedText, at: number): Match<Argument> | undefined {
  const { tokens } = source;
  if (!senseOf(tokens[at], 'versus')) return undefined;
  const year = tokens[at + 2];
  if (senseOf(tokens[at + 1], 'last') && year?.kind === 'word' && year.spelling === 'year')
    return { value: { kind: 'versus', value: 'year-before' }, next: at + 3 };
  let from = at + 1;
  for (let next = skipFiller(source, from); next > from; next = skipFiller(source, from)) from = next;
  const period = parsePeriodPhrase(source, from, true);
  if (period !== undefined) return { ...period, value: { kind: 'versus', value: period.value } };
  throw parseErrorAt(source, at, at + 1, 'needs a period after it', 'Type vs september, or vs last-year.');
}

/** Whether `vs` or `and` at `at` is between two projects, where it means the same as a comma. */
export function joinsProjects(source: TokenizedText, at: number): boolean {
  const { tokens } = source;
  if (!(senseOf(tokens[at], 'versus') ?? senseOf(tokens[at], 'and'))) return false;
  const found = catchParseError(() => parseArgument(source, at + 1, true));
  if (found instanceof ParseError || found.value === undefined) return false;
  return found.value.value.kind === 'project' && found.value.next === at + 2;
}

export const parsePeriodArgument: ArgumentParser = (source, at, projectKnown) => {
  const including = includingAt(source, at);
  if (including !== undefined) return including;
  const found = parsePeriodPhrase(source, at, projectKnown);
  return found && { ...found, value: { kind: 'phrase', value: found.value } };
};

export const parseArgument: ArgumentParser = (source, at, projectKnown) =>
  parsePeriodArgument(source, at, projectKnown) ??
  productAt(source, at) ??
  projectsAt(source, at) ??
  numberAt(source, at, projectKnown);

/** A comparison (`vs`) or a ranking (`top`), which only `/spend` takes. */
export const parseSpendArgument: ArgumentParser = (source, at, projectKnown) =>
  topAt(source, at) ?? versusAt(source, at) ?? parseArgument(source, at, projectKnown);

/** For a text without a project, where a bare number can be a year. */
export const parsePeriodOnly: ArgumentParser = (source, at) => parsePeriodArgument(source, at, true);
