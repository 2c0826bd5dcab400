/** Parses the text of a command: words in any order, each kind once. Syntax only: no date is resolved here. */

import { commandText } from '../../../command-names.ts';
import { PRODUCT_WORDS, PRODUCTS } from '../../../product.ts';
import { explainParseError, rejectUnknownWords } from './explain-parse-error.ts';
import {
  type Argument,
  type ArgumentParser,
  joinsProjects,
  parseArgument,
  parsePeriodArgument,
  parsePeriodOnly,
  parseSpendArgument,
} from './parse-argument.ts';
import { formatVersus, type ParsedCommand, type ProjectName, type SharedWords } from './parsed-command.ts';
import { catchParseError, ParseError, parseErrorAt, parseWith, senseOf, skipFiller } from './parser.ts';
import { refuseDayNumber } from './periods/date-grammar.ts';
import { formatPhrase, LAST_7_DAYS, type PeriodPhrase, withToday } from './periods/period-ast.ts';
import type { Aliases, Token, TokenizedText } from './tokenizer.ts';
import { isBareYear, isDayNumber } from './tokenizer.ts';

const MOST_PROJECTS = 20;

type Items = { readonly [K in Argument['kind']]?: Extract<Argument, { kind: K }>['value'] };

/** What each grammar takes, for the refusal of a word. */
const PERIOD_HINT = 'Type a period, such as last-7-days, this-month, 2026-10 or 2026-10-01..2026-10-15.';
const SPEND_HINT = `Type a project, a period (last-7-days, this-month, 2026-10) or a product (${PRODUCT_WORDS}).`;
const BALANCE_HINT = `Type a project or a product (${PRODUCT_WORDS}). Only ${commandText('/spend')} takes periods.`;
const PROJECT_HINT = 'Type a project’s name or ID.';

/** The most digits of a project ID, which becomes a numeric literal of the query. */
const LONGEST_ID = 32;

function checkProject(source: TokenizedText, at: number, project: string): void {
  if (project.length > LONGEST_ID) {
    const works = `Project IDs have up to ${LONGEST_ID} digits.`;
    throw parseErrorAt(source, at, at + 1, 'is too long for a project ID', works);
  }
  if (!project.startsWith('0')) return;
  const without = project.replace(/^0+/, '');
  const [works, instead] = without === '' ? ['Type an ID such as 123.', []] : [`Type ${without}.`, [without]];
  throw parseErrorAt(source, at, at + 1, 'starts with a zero, and project IDs don’t', works, ...instead);
}

function textOf({ kind, value }: Argument): string {
  if (kind === 'phrase') return formatPhrase(value);
  if (kind === 'versus') return formatVersus(value);
  if (kind === 'including-today') return `${value ? 'in' : 'ex'}cluding today`;
  return kind === 'product' ? PRODUCTS[value].word : String(value);
}

const NAMES = {
  phrase: 'period',
  product: 'product',
  top: 'number',
  versus: 'comparison',
  'including-today': 'end',
} as const;

/** Adds an item; a second, different one of the same kind is refused. */
function addItem(items: Items, item: Argument, source: TokenizedText, at: number, next: number): Items {
  const before = items[item.kind];
  if (before !== undefined && item.kind !== 'all') {
    const earlier = textOf({ kind: item.kind, value: before } as Argument);
    if (earlier === textOf(item)) return items;
    if (item.kind === 'project') throw secondProject(source, at, next, item.value);
    const kind = NAMES[item.kind];
    const why = `You named two ${kind}s, “${earlier}” and {word}`;
    throw parseErrorAt(source, at, next, why, `Ask about one ${kind} at a time.`);
  }
  if (item.kind === 'project') checkProject(source, next - 1, item.value);
  return { [item.kind]: item.value, ...items };
}

/** Two projects without a comma: with one they are a list. */
function secondProject(source: TokenizedText, at: number, next: number, second: string): ParseError {
  const { tokens, text } = source;
  const first = tokens.findIndex(({ kind }) => kind === 'alias' || kind === 'number');
  const last = tokens.findLastIndex(
    ({ kind }, n) => n < at && (kind === 'alias' || kind === 'number' || kind === 'comma'),
  );
  const listed = text.slice(tokens[first]?.start, tokens[last]?.end);
  const between = text.slice(tokens[last]?.end, tokens[at]?.start).trimEnd();
  const isAfterDay = isDayNumber(tokens[at - 1]) && senseOf(tokens[at - 2], 'month');
  const isDatePart =
    isDayNumber(tokens[next - 1]) && (isAfterDay || [tokens[at - 1], tokens[next]].some(isDate));
  return parseErrorAt(
    source,
    first,
    next,
    'You named two projects without a comma, {word}',
    'Ask about one, or join them with a comma.',
    ...(isDatePart ? [] : [`${listed},${second.replace(/^0+(?=\d)/, '')}${between}`]),
  );
}

/** A date, beside which a small number is hardly a project: `2026 10`, `2026-10 05`. */
const isDate = (token: Token | undefined): boolean =>
  token?.kind === 'day' ||
  token?.kind === 'year-month' ||
  (token?.kind === 'number' && isBareYear(token.digits));

/** What follows a comma, `and` or `vs` after a project: each is a project, also a number that would be a product elsewhere. */
function listAt(source: TokenizedText, at: number) {
  const names: string[] = [];
  let next = at;
  for (; source.tokens[next]?.kind === 'comma' || joinsProjects(source, next); next += 2) {
    const token = source.tokens[next + 1];
    if (token?.kind === 'alias') names.push(token.name);
    else if (token?.kind === 'number') {
      refuseDayNumber(source, next + 1);
      checkProject(source, next + 1, token.digits);
      names.push(token.digits);
    }
  }
  return { names, next };
}

/** The items, and the other projects of a list. */
type ListedItems = Items & { readonly others: readonly string[] };

/** `so far` needs a period that is still running, which the default period is not. */
function refuseSoFar(source: TokenizedText, phrase: PeriodPhrase | undefined): void {
  const at = source.tokens.findIndex((token) => senseOf(token, 'so'));
  if (at < 0 || (phrase !== undefined && phrase.kind !== 'last')) return;
  throw parseErrorAt(source, at, at + 2, 'needs a period that is still running', 'Type this-month so far.');
}

/** More than any command has: twenty projects, two periods and the words between them are fewer. */
const MOST_TOKENS = 200;

/** Parses every token as part of an item. Items are separated, except `including today`: 'last7daysincltoday'. */
function itemsOf(source: TokenizedText, itemAt: ArgumentParser, works: string): ListedItems {
  let items: Items = {};
  let joins = false;
  let others: readonly string[] = [];
  const doubts: (() => ParseError | undefined)[] = [];
  if (source.tokens.length > MOST_TOKENS) {
    const why = `comes after ${MOST_TOKENS} words, more than any command has`;
    throw parseErrorAt(source, MOST_TOKENS, MOST_TOKENS + 1, why, works);
  }
  for (let at = 0; at < source.tokens.length; ) {
    if (source.tokens[at]?.kind === 'break') {
      at += 1;
      continue;
    }
    const found = itemAt(source, at, items.project !== undefined);
    const afterwards = skipFiller(source, at);
    if (!found && (afterwards > at || source.tokens[at]?.kind === 'comma')) {
      [at, joins] = [Math.max(afterwards, at + 1), true];
      continue;
    }
    const includes = found?.value.kind === 'including-today';
    const isApart = source.tokens[at]?.spaced || source.tokens[at]?.dashed;
    if (!found || !(isApart || joins || includes)) throw explainParseError(source, at, works);
    items = addItem(items, found.value, source, at, found.next);
    if (found.doubt) doubts.push(found.doubt);
    const list = found.value.kind === 'project' ? listAt(source, found.next) : { names: [], ...found };
    others = [...others, ...list.names];
    [at, joins] = [list.next, includes];
  }
  if ((items.project ?? items.all ?? items.top) === undefined)
    for (const doubtIn of doubts) {
      const doubt = doubtIn();
      if (doubt !== undefined) throw doubt;
    }
  refuseSoFar(source, items.phrase);
  return { others, ...items };
}

/** `including today` extends the period, or the default one if none is named. */
const phraseOf = ({ phrase, 'including-today': includes }: Items): PeriodPhrase | undefined =>
  includes === undefined ? phrase : withToday(phrase ?? LAST_7_DAYS, includes);

/** As `parseArgument`, but refuses every period, a malformed one too. */
const timelessItemAt: ArgumentParser = (source, at, projectKnown) => {
  const why = 'is a period, and a balance is always as of now';
  const works = `Only ${commandText('/spend')} takes periods.`;
  const parsed = catchParseError(() => parsePeriodArgument(source, at, projectKnown));
  if (parsed instanceof ParseError) throw new ParseError(parsed.start, parsed.end, why, works);
  if (parsed.value !== undefined) throw parseErrorAt(source, at, parsed.value.next, why, works);
  return parseArgument(source, at, projectKnown);
};

const refuseAll = (source: TokenizedText, why: string, works: string): ParseError =>
  parseErrorAt(source, 0, source.tokens.length, why, works);

const nameOf = (name: string): ProjectName => (/^\d/.test(name) ? { project: name } : { alias: name });

function wordsOf(source: TokenizedText, itemAt: ArgumentParser, works: string): ParsedCommand {
  if (source.tokens.some((token) => senseOf(token, 'help'))) return { help: true };
  rejectUnknownWords(source, works);
  const { project, product, all, top, versus, others, ...items } = itemsOf(source, itemAt, works);
  const phrase = phraseOf(items);
  const names = [...new Set(project === undefined ? [] : [project, ...others])];
  const everything = top === undefined ? all && 'all' : `top ${top}`;
  if (everything && names.length > 0)
    throw refuseAll(
      source,
      `You named a project and “${everything}” of them`,
      'Ask about all, or about some: prod,staging.',
    );
  if (names.length > MOST_PROJECTS)
    throw refuseAll(source, `You named ${names.length} projects`, `Ask about ${MOST_PROJECTS} at a time.`);
  return {
    help: false,
    ...(everything ? { several: 'all' as const } : names.length > 1 ? { several: names.map(nameOf) } : {}),
    ...(names.length === 1 && nameOf(names[0] ?? '')),
    ...(product && { product }),
    ...(phrase && { phrase }),
    ...(versus && { versus }),
    ...(top !== undefined && { top }),
  };
}

type TextParser<Words> = (text: string, aliases?: Aliases) => Words;

/** @param isSingle whether several projects are refused */
function parser(itemAt: ArgumentParser, works: string, isSingle = false): TextParser<ParsedCommand> {
  const read = (source: TokenizedText): ParsedCommand => {
    const words = wordsOf(source, itemAt, works);
    if (!isSingle || words.several === undefined) return words;
    throw refuseAll(source, 'You named several projects', 'Name one project here.');
  };
  return (text, aliases) => parseWith(text, read, aliases);
}

/**
 * Parses the text of `/spend`. With `help` anywhere in it, the rest is ignored. Aliases are in lower case.
 * @throws InvalidWord, whose suggestion is the whole text corrected; SecretPasted
 */
export const parseCommandText = parser(parseSpendArgument, SPEND_HINT);

/** Parses the text of a scheduled post, which takes no `vs` and no `top`. @throws InvalidWord, SecretPasted */
export const parseReportText: TextParser<SharedWords> = parser(parseArgument, SPEND_HINT);

/** Parses the text of `/balance`, which takes no period. @throws InvalidWord, SecretPasted */
export const parseBalanceText: TextParser<Omit<SharedWords, 'phrase'>> = parser(timelessItemAt, BALANCE_HINT);

/** Parses the text of a command about a project, which itself refuses a period or a product. @throws InvalidWord, SecretPasted */
export const parseProjectText: TextParser<SharedWords> = parser(parseArgument, PROJECT_HINT, true);

/** As `parseReportText`, for commands about one project. */
export const parseSingleProjectText: TextParser<SharedWords> = parser(parseArgument, SPEND_HINT, true);

/** Parses a text that is only a period; '' is the last 7 days. @throws InvalidWord, SecretPasted */
export function parsePeriodText(text: string): PeriodPhrase {
  return parseWith(text, (source) => {
    rejectUnknownWords(source, PERIOD_HINT);
    return phraseOf(itemsOf(source, parsePeriodOnly, PERIOD_HINT)) ?? LAST_7_DAYS;
  });
}
