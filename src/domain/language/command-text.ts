/** A command's text, read: words in any order, each once. Syntax only; nothing here knows what day it is. */

import { PRODUCTS, type ProductId } from '../product.ts';
import {
  type Argument,
  type ArgumentParser,
  parseArgument,
  parsePeriodArgument,
  parsePeriodOnly,
} from './argument.ts';
import { parseErrorAt, senseOf } from './combinators.ts';
import { parseWith, rejectUnknownWords, tryParse } from './parse.ts';
import { ParseError } from './parse-error.ts';
import { formatPhrase, LAST_7_DAYS, type PeriodPhrase } from './period-phrase.ts';
import { type Expectation, explainUnparsed } from './syntax-hints.ts';
import type { Aliases, TokenizedText } from './tokenizer.ts';

export { nearestWord } from './spelling.ts';
export { normalizeText } from './text.ts';

export interface CommandWords {
  readonly help: boolean;
  /** 1 to 32 digits, never a number. */
  readonly project?: string;
  /** The project by the name that the workspace gave it, in lower case; never beside `project`. */
  readonly alias?: string;
  /** Two projects or more, in the order they were typed, or all that are registered; then neither of the above. */
  readonly several?: SeveralProjects;
  readonly product?: ProductId;
  readonly phrase?: PeriodPhrase;
}

/** A project by its ID or by its name. */
export type ProjectName = { readonly project: string } | { readonly alias: string };

export type SeveralProjects = 'all' | readonly ProjectName[];

/** More are not asked about side by side. */
const MOST_PROJECTS = 20;

type Items = { readonly [K in Argument['kind']]?: Extract<Argument, { kind: K }>['value'] };

const PERIOD: Expectation = {
  name: 'period',
  works: 'Periods are such as last-7-days, this-month, last-month, 2026-10 or 2026-10-01..2026-10-15.',
};
const ANYTHING: Expectation = {
  name: 'project, period or product',
  works:
    'Type a project ID, a period (last-7-days, this-month, 2026-10) or a product (cloud, storage, virtualization).',
};

const NOW: Expectation = {
  name: 'project or product',
  works: 'Type a project ID or a product (cloud, storage, virtualization); /spend takes periods.',
};

const PROJECT: Expectation = { name: 'project', works: 'Type a project’s name or its ID.' };

/** The contract writes the ID into the query as a number literal; no known number is longer. */
const LONGEST_ID = 32;

function checkProject(source: TokenizedText, at: number, project: string): void {
  const refuse = (why: string, works: string, ...instead: string[]) =>
    parseErrorAt(source, at, at + 1, why, works, ...instead);
  if (project.length > LONGEST_ID)
    throw refuse('is too long for a project ID', `An ID has ${LONGEST_ID} digits at the most, such as 123.`);
  if (!project.startsWith('0')) return;
  const without = project.replace(/^0+/, '');
  const works = without === '' ? 'An ID is such as 123.' : `Without it: ${without}.`;
  throw refuse('begins with a zero, as no project ID does', works, ...(without === '' ? [] : [without]));
}

const text = ({ kind, value }: Argument): string =>
  kind === 'phrase' ? formatPhrase(value) : kind === 'product' ? PRODUCTS[value].word : String(value);

const NAMES = { phrase: 'period', product: 'product', project: 'project', all: 'project' } as const;

/** The items with one more; two different ones of a kind are refused with both named. */
function added(items: Items, item: Argument, source: TokenizedText, at: number, next: number): Items {
  const before = items[item.kind];
  if (before !== undefined && item.kind !== 'including-today' && item.kind !== 'all') {
    const earlier = text({ kind: item.kind, value: before } as Argument);
    if (earlier !== text(item) && item.kind === 'project') throw secondProject(source, at, next, item.value);
    if (earlier !== text(item))
      throw parseErrorAt(
        source,
        at,
        next,
        `is a second ${NAMES[item.kind]} beside “${earlier}”`,
        `Ask about one ${NAMES[item.kind]} at a time.`,
      );
  }
  if (item.kind === 'project') checkProject(source, next - 1, item.value);
  return { ...items, [item.kind]: item.value };
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
  return parseErrorAt(
    source,
    first,
    next,
    'names two projects without a comma',
    'Ask about one, or join them with a comma.',
    `${listed},${second}${between}`,
  );
}

/** What follows a comma, and the next commas: each is a project, also a number that would be a product elsewhere. */
function listAt(
  source: TokenizedText,
  at: number,
): { readonly names: readonly string[]; readonly next: number } {
  const names: string[] = [];
  let next = at;
  for (; source.tokens[next]?.kind === 'comma'; next += 2) {
    const token = source.tokens[next + 1];
    if (token?.kind === 'alias') names.push(token.name);
    else if (token?.kind === 'number') {
      checkProject(source, next + 1, token.digits);
      names.push(token.digits);
    }
  }
  return { names, next };
}

const isApart = ({ tokens }: TokenizedText, at: number): boolean =>
  tokens[at]?.spaced || tokens[at]?.dashed || false;

/** With the projects that follow the first one in a list. */
type ListedItems = Items & { readonly others: readonly string[] };

/** Reads every token as part of some item. Items are apart, save `including today`: 'last7daysincltoday'. */
function itemsOf(source: TokenizedText, itemAt: ArgumentParser, advice: Expectation): ListedItems {
  let items: Items = {};
  let joins = false;
  let others: readonly string[] = [];
  for (let at = 0; at < source.tokens.length; ) {
    const found = itemAt(source, at, items.project !== undefined);
    const includes = found?.value.kind === 'including-today';
    if (!found || !(isApart(source, at) || joins || includes)) throw explainUnparsed(source, at, advice);
    items = added(items, found.value, source, at, found.next);
    const list = listAt(source, found.next);
    others = [...others, ...list.names];
    [at, joins] = [list.next, includes];
  }
  return { ...items, others };
}

/** `including today` asks for more of a period, and of the default one when there is no other. */
function phraseOf(items: Items): PeriodPhrase | undefined {
  if (!items['including-today']) return items.phrase;
  return { ...(items.phrase ?? LAST_7_DAYS), includingToday: true };
}

/** A period is refused with everything else left to run, and so is a wrong one: put right it would still be one. */
const timelessItemAt: ArgumentParser = (source, at, projectKnown) => {
  const why = 'names a period, and a balance is of now';
  const works = '/balance takes a project and a product; /spend takes periods.';
  const read = tryParse(() => parsePeriodArgument(source, at, projectKnown));
  if (read instanceof ParseError) throw new ParseError(read.start, read.end, why, works, ['']);
  if (read.value !== undefined) throw parseErrorAt(source, at, read.value.next, why, works, '');
  return parseArgument(source, at, projectKnown);
};

const nameOf = (name: string): ProjectName => (/^\d/.test(name) ? { project: name } : { alias: name });

function wordsOf(source: TokenizedText, itemAt: ArgumentParser, advice: Expectation): CommandWords {
  if (source.tokens.some((token) => senseOf(token, 'help'))) return { help: true };
  rejectUnknownWords(source, advice);
  const { project, product, all, others, ...items } = itemsOf(source, itemAt, advice);
  const phrase = phraseOf(items);
  const names = [...new Set(project === undefined ? [] : [project, ...others])];
  if (all && names.length > 0)
    throw parseErrorAt(
      source,
      0,
      source.tokens.length,
      'names a project beside all of them',
      'Ask about all, or about some: prod,staging.',
    );
  if (names.length > MOST_PROJECTS)
    throw parseErrorAt(
      source,
      0,
      source.tokens.length,
      `names ${names.length} projects`,
      `Ask about ${MOST_PROJECTS} at a time.`,
    );
  return {
    help: false,
    ...(all ? { several: 'all' as const } : names.length > 1 ? { several: names.map(nameOf) } : {}),
    ...(names.length === 1 && nameOf(names[0] ?? '')),
    ...(product && { product }),
    ...(phrase && { phrase }),
  };
}

/**
 * Reads a whole command's text. With `help` anywhere in it, nothing else matters. `aliases` in lower case.
 * Throws InvalidWord, whose suggestion is the whole text put right, or SecretPasted.
 */
export function parseCommandText(text: string, aliases?: Aliases): CommandWords {
  return parseWith(text, (source) => wordsOf(source, parseArgument, ANYTHING), aliases);
}

/** The same for a question about now: a period is refused, and no suggestion has one. */
export function parseBalanceText(text: string, aliases?: Aliases): Omit<CommandWords, 'phrase'> {
  return parseWith(text, (source) => wordsOf(source, timelessItemAt, NOW), aliases);
}

/** The same for a question about a whole project: it reads as much, so that each word is refused for what it is. */
export function parseProjectText(text: string, aliases?: Aliases): CommandWords {
  return parseWith(
    text,
    (source) => requireOneProject(source, wordsOf(source, parseArgument, PROJECT)),
    aliases,
  );
}

/** As `parseCommandText`, where several projects mean nothing. */
export function parseSingleProjectText(text: string, aliases?: Aliases): CommandWords {
  return parseWith(
    text,
    (source) => requireOneProject(source, wordsOf(source, parseArgument, ANYTHING)),
    aliases,
  );
}

function requireOneProject(source: TokenizedText, words: CommandWords): CommandWords {
  if (words.several === undefined) return words;
  throw parseErrorAt(source, 0, source.tokens.length, 'names several projects', 'Name one project here.');
}

/** Reads a text that is a period phrase and nothing else; the empty one is the default. Throws as `parseCommandText` does. */
export function parsePeriodText(text: string): PeriodPhrase {
  return parseWith(text, (source) => {
    rejectUnknownWords(source, PERIOD);
    return phraseOf(itemsOf(source, parsePeriodOnly, PERIOD)) ?? LAST_7_DAYS;
  });
}
