/** Parses the text of a command: items in any order, each kind once. */
import { commandText } from '../command-names.ts';
import { Failure, InvalidWord } from '../failure/index.ts';
import { PRODUCT_WORDS, PRODUCTS } from '../product.ts';
import { addDays, formatDays } from '../time/calendar.ts';
import { formatVersus } from '../time/named-comparison.ts';
import type { NamedDays } from '../time/period.ts';
import { correctionsOf, explainBadWord, isKnownWord, type Slip } from './correct-text.ts';
import { type Aliases, ANY_DAY_READER, type Item, NO_ALIASES, type Reader, readItems } from './items.ts';
import { Calendar, MONTH_NAMES, type Place, refuseWords } from './named-days.ts';
import { type ParsedCommand, type ProjectName, rankText, type SharedWords } from './parsed-command.ts';
import { announcesSecret, looksLikeSecret } from './secret-detection.ts';
import { cleanTyping, clipWord, originalSpelling, simplifyText } from './text.ts';

const MOST_PROJECTS = 20;
/** The most digits of a project ID, which becomes a numeric literal of the query. */
const LONGEST_ID = 32;

type Kind = Item['kind'];
type Of<K extends Kind> = Extract<Item, { readonly kind: K }>;

/** What a command takes: kinds of items, with what it says of the others. */
interface Grammar {
  /** Whether several projects are refused. */
  readonly isSingle?: boolean;
  readonly start: 'Command' | 'PeriodOnly';
  /** What to type instead of an unknown word. */
  readonly works: string;
  readonly refuses: Readonly<Partial<Record<Kind, readonly [why: string, works: string]>>>;
}

const ONLY_SPEND = `It works with ${commandText('/spend')}.`;
const AS_OF_NOW = [
  'is a period, and a balance is always as of now',
  `Only ${commandText('/spend')} takes periods.`,
] as const;
const BY_LENGTH = [
  'isn’t a period. Tally shows days, weeks or months by how long the period is',
  'Type last-month, or last-12-months to see each month.',
] as const;
const NOW = ['doesn’t say since when', 'Type today, or this-month.'] as const;
const FIGURES = {
  versus: ['compares what was spent in two periods', ONLY_SPEND],
  top: ['ranks projects by what they spent', ONLY_SPEND],
} as const;
const NO_FILE = { output: ['doesn’t belong there', ''] } as const;
const SPEND_HINT = `Type a project, a period (last-7-days, this-month, 2026-10) or a product (${PRODUCT_WORDS}).`;

const SPEND: Grammar = { start: 'Command', works: SPEND_HINT, refuses: { now: NOW } };
const REPORT: Grammar = { ...SPEND, refuses: { ...SPEND.refuses, unit: BY_LENGTH, ...FIGURES, ...NO_FILE } };
const BALANCE: Grammar = {
  start: 'Command',
  works: `Type a project or a product (${PRODUCT_WORDS}). Only ${commandText('/spend')} takes periods.`,
  refuses: { ...FIGURES, period: AS_OF_NOW, today: AS_OF_NOW, unit: AS_OF_NOW },
};
const PROJECT: Grammar = { ...REPORT, isSingle: true, works: 'Type a project’s name or ID.' };
const SINGLE: Grammar = { ...REPORT, isSingle: true };
const PERIOD: Grammar = {
  ...REPORT,
  start: 'PeriodOnly',
  works: 'Type a period, such as last-7-days, this-month, 2026-10 or 2026-10-01..2026-10-15.',
};

/** A text with its items: what every check looks at. */
interface Read {
  readonly text: string;
  readonly items: readonly Item[];
  readonly reader: Reader;
  readonly grammar: Grammar;
}

/**
 * The items of a text, those of the day on which it was written: what was still running then, runs until today.
 */
function itemsOf(text: string, { start }: Grammar, reader: Reader): readonly Item[] {
  const { today, writtenOn = today } = reader;
  const written = readItems(text, start, { ...reader, today: writtenOn }, isKnownWord);
  if (writtenOn >= today) return written;
  const current = readItems(text, start, reader, isKnownWord);
  const isRunning = (item: Item): boolean =>
    (item.kind === 'period' && item.days.last >= writtenOn) ||
    (item.kind === 'versus' && 'last' in item.to && item.to.last >= writtenOn);
  return written.map((item, n) => (isRunning(item) ? (current[n] ?? item) : item));
}

const slipAt = (
  { start, end }: Pick<Item, 'start' | 'end'>,
  why: string,
  works: string,
  ...instead: string[]
): Slip => ({
  ...{ start, end, why, works, instead },
  isAmbiguous: instead.length > 1,
});

/** `15th of october`, `october 5, 7`: a number of 1 to 31 beside a month is its day, never a product or a project. */
const MONTH = `(?:${MONTH_NAMES.flatMap((name) => [name, name === 'september' ? 'sept' : name, name.slice(0, 3)]).join('|')})\\.?`;
const AFTER_MONTH = new RegExp(`(?<![a-z])${MONTH} (?:the )?(?:\\d{1,2}, ?)?$`);
const BEFORE_MONTH = new RegExp(`^ ${MONTH}(?![a-z])`);

function checkDayNumber({ text }: Read, { start, end }: Item): Slip | undefined {
  if (text.startsWith('project', start)) return undefined;
  const [number = ''] = /(?<![a-z\d-])\d+$/.exec(text.slice(start, end)) ?? [];
  if (!/^(?:0?[1-9]|[12]\d|3[01])$/.test(number)) return undefined;
  const before = AFTER_MONTH.exec(text.slice(0, start));
  if (before === null && !BEFORE_MONTH.test(text.slice(end))) return undefined;
  return slipAt(
    { start, end },
    'could be a day',
    `Type the day as a date, such as 2026-10-05, or project ${number}.`,
  );
}

function checkName({ text }: Read, item: Of<'project'>): Slip | undefined {
  const typed = text.slice(item.start, item.end);
  // 701,001
  if (/^\d{1,3}(?:,\d{3})+$/.test(typed) && item.names.some((name) => name.startsWith('0')))
    return slipAt(
      item,
      'isn’t a project ID',
      'Project IDs are digits only, such as 123.',
      typed.replaceAll(',', ''),
    );
  for (const name of item.names) {
    const start = item.start + Math.max(0, typed.search(new RegExp(`(?<!\\d)${name}(?!\\d)`)));
    const place = { start, end: start + name.length };
    if (/^\d/.test(name) && name.length > LONGEST_ID)
      return slipAt(place, 'is too long for a project ID', `Project IDs have up to ${LONGEST_ID} digits.`);
    if (!name.startsWith('0')) continue;
    const [without] = /[1-9]\d*$/.exec(name) ?? [];
    return slipAt(
      place,
      'starts with a zero, and project IDs don’t',
      without === undefined ? 'Type an ID such as 123.' : `Type ${without}.`,
      ...(without === undefined ? [] : [without]),
    );
  }
  return undefined;
}

/** A date, beside which a small number is hardly a project: `2026 10`, `2026-10 05`. */
const DATE_BEFORE = /(?:(?<!\d)20\d\d(?:-\d\d?){0,2}|(?<![a-z])[a-z]{3,9} \d{1,2}) $/;

/** Two projects without a comma: with one they are a list. */
function secondProject({ text, items }: Read, first: Of<'project'>, item: Of<'project'>): Slip {
  const place = { start: first.start, end: item.end };
  const works = 'Ask about one, or join them with a comma.';
  const [a, b] = [text.slice(first.start, first.end), item.names.join(',').replace(/^0+(?=\d)/, '')];
  const between = text.slice(first.end, item.start);
  // 701 001
  const digits =
    /^\d{1,3}$/.test(a) && /^0\d\d$/.test(item.names.join()) && between === ' '
      ? [`${a}${item.names.join()}`]
      : [];
  const isDatePart =
    /^\d{1,2}$/.test(b) &&
    (DATE_BEFORE.test(text.slice(0, item.start)) ||
      items.some(({ kind, start }) => kind === 'period' && start > item.end && start <= item.end + 1) ||
      /^20\d\d$/.test(text.slice(item.end + 1, item.end + 5)));
  const listed = isDatePart ? [] : [`${a},${b}${between.trimEnd()}`];
  return slipAt(
    place,
    'You named two projects without a comma, {word}',
    works,
    ...(digits.length > 0 ? digits : listed),
  );
}

const NAMES: Readonly<Partial<Record<Kind, string>>> = {
  period: 'period',
  product: 'product',
  top: 'number',
  versus: 'comparison',
  today: 'end',
  output: 'file',
  unit: 'unit',
};

function meaningOf(item: Item, text: string): string {
  switch (item.kind) {
    case 'period':
      return `${item.days.first} ${item.days.last}`;
    case 'versus':
      return 'last' in item.to ? `${item.to.first} ${item.to.last}` : formatVersus(item.to);
    case 'product':
      return PRODUCTS[item.product].word;
    default:
      return text.slice(item.start, item.end);
  }
}

/** Of each kind there is one, unless they mean the same. */
function secondOf({ text }: Read, before: Item | undefined, item: Item): Slip | undefined {
  const name = NAMES[item.kind];
  if (before === undefined || name === undefined || meaningOf(before, text) === meaningOf(item, text))
    return undefined;
  if (item.kind === 'output' && before.kind === 'output')
    return slipAt(item, `You asked for “${before.output}” and {word}`, 'Ask for one of them.');
  const earlier =
    item.kind === 'product'
      ? meaningOf(before, text)
      : text.slice(before.start, before.end).replace(/^(?:vs|top) /, '');
  return slipAt(item, `You named two ${name}s, “${earlier}” and {word}`, `Ask about one ${name} at a time.`);
}

/** What is wrong with an item by itself, or beside an earlier one of its kind. */
function slipOf(read: Read, item: Item, before: Item | undefined): Slip | undefined {
  const { text, grammar, reader } = read;
  const refused = grammar.refuses[item.kind === 'refused' && item.ofPeriod ? 'period' : item.kind];
  if (refused !== undefined) return slipAt(item, refused[0], refused[1] || grammar.works);
  switch (item.kind) {
    case 'bad':
      return explainBadWord(text, rawPlace(text, item), grammar.works, reader.aliases);
    case 'refused':
      return { ...slipAt(item, '', '', ...item.refusal.instead), ...item.refusal };
    case 'project': {
      const isSecond = before?.kind === 'project' && `${before.names}` !== `${item.names}`;
      return (
        checkDayNumber(read, item) ?? (isSecond ? secondProject(read, before, item) : checkName(read, item))
      );
    }
    default:
      return (
        (item.kind === 'product' ? checkDayNumber(read, item) : undefined) ?? secondOf(read, before, item)
      );
  }
}

/** The first thing in the text that no command, or not this one, can do. A word of no language comes before all others. */
function findSlip(read: Read): Slip | undefined {
  const { items } = read;
  const unknown = items.find((item) => item.kind === 'bad' && !isKnownWord(item.word));
  if (unknown !== undefined) return slipOf(read, unknown, undefined);
  const seen = new Map<Kind, Item>();
  for (const item of items) {
    const slip = slipOf(read, item, seen.get(item.kind));
    if (slip !== undefined) return slip;
    if (!seen.has(item.kind)) seen.set(item.kind, item);
  }
  return findDoubt(read) ?? checkProjects(read) ?? checkToday(read);
}

/** The whole of what stands between spaces and commas: `last-wek` is one word. */
function rawPlace(text: string, { start, end }: Item): Place {
  const [before = ''] = /[^ ,]*$/.exec(text.slice(0, start)) ?? [];
  const [after = ''] = /^[^ ,]*/.exec(text.slice(end)) ?? [];
  return { start: start - before.length, end: end + after.length };
}

const itemOf = <K extends Kind>(items: readonly Item[], kind: K): Of<K> | undefined =>
  items.find((item): item is Of<K> => item.kind === kind);

/** Some projects, or all of them, and not too many. */
function checkProjects({ items, text, grammar }: Read): Slip | undefined {
  const whole = { start: 0, end: text.length };
  const [project, top, all] = [itemOf(items, 'project'), itemOf(items, 'top'), itemOf(items, 'all')];
  const count = new Set(project?.names).size;
  if (grammar.isSingle && ((top && !top.isOfDays) || all || count > 1))
    return slipAt(whole, 'You named several projects', 'Name one project here.');
  // Of the named projects the lowest, or of one its days.
  const isPart = top?.isOfDays || (top?.isLowest && top.count === undefined);
  const everything = top && !isPart ? rankText({ top: top.count }) : all && 'all';
  const why = `You named a project and “${everything}” of them`;
  if (everything && project) return slipAt(whole, why, 'Ask about all, or about some: prod,staging.');
  return count > MOST_PROJECTS
    ? slipAt(whole, `You named ${count} projects`, `Ask about ${MOST_PROJECTS} at a time.`)
    : undefined;
}

/** `so far` and `excluding today` need a period that runs until today, `including today` one that can. */
function checkToday({ items, reader }: Read): Slip | undefined {
  const [period, versus] = [itemOf(items, 'period')?.days, itemOf(items, 'versus')?.to];
  const soFar = items.find((item) => item.kind === 'filler' && item.word.startsWith('so'));
  const isRunning = [period, versus].some((days) => days && 'last' in days && days.last === reader.today);
  if (soFar && !isRunning)
    return slipAt(soFar, 'needs a period that is still running', 'Type this-month so far.');
  const end = itemOf(items, 'today');
  const days = end && withToday(period, end.includes, reader);
  return end && days && 'why' in days ? slipAt(end, days.why, days.works) : undefined;
}

/** The number could be a project instead: `3 october`, `friday 13`. It is a date only where something else names the project. */
function findDoubt({ text, items, grammar, reader }: Read): Slip | undefined {
  if (grammar.start !== 'Command' || items.some(({ kind }) => /^(?:project|all|top)$/.test(kind)))
    return undefined;
  for (const item of items) {
    if (item.kind !== 'period') continue;
    const typed = text.slice(item.start, item.end);
    const [, lead, rest = ''] = /^(?:(?:in|of|during) )?([1-9]\d*)((?: .*)?)$/.exec(typed) ?? [];
    const [, before = '', last] = /^(.*\D) ([1-9]\d*)$/.exec(typed) ?? [];
    const isLast = /(?:^|[-. ])(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?$/.test(before);
    const other = lead === undefined ? before : rest;
    const reading =
      lead === undefined ? (isLast ? `project ${last} ${before}` : undefined) : `project ${lead}${rest}`;
    // After `3` in `3 october - 5 november` comes no period.
    const isRange = /^ [a-z]+\.?(?: ?-| to| until) ?\d/.test(rest);
    if (reading === undefined || isRange) continue;
    const [named, period, ...others] = readItems(reading, 'Command', reader, isKnownWord);
    if (named?.kind !== 'project' || (other !== '' && period?.kind !== 'period') || others.length > 0)
      continue;
    const works = `Type ${item.days.text} or ${reading}.`;
    return slipAt(item, 'could be a date or a project', works, item.days.text, reading);
  }
  return undefined;
}

/** The days with today in them, or without. */
function withToday(days: NamedDays | undefined, includes: boolean, { today, zone }: Reader) {
  const calendar = new Calendar(today, zone);
  const counted = days === undefined ? 7 : days.counted;
  if (counted !== undefined)
    return { ...calendar.lastUnits('day', counted, includes), typed: days?.typed ?? 'last-7-days' };
  if (days === undefined || (days.last === today) === includes) return days;
  if (includes)
    return refuseWords(
      `doesn’t work with ${formatDays(days.first, days.last)}, which is over`,
      'Use it with a number of days, such as last-7-days including today.',
    );
  if (days.first === today) return refuseWords('begins today, and today is left out', 'Type today.');
  return { ...parsePeriodText(`${days.first}..${addDays(today, -1)}`, { today, zone }), typed: days.typed };
}

const nameOf = (name: string): ProjectName => (/^\d/.test(name) ? { project: name } : { alias: name });

function commandOf({ items, reader }: Read): ParsedCommand {
  const names = [...new Set(itemOf(items, 'project')?.names)];
  const [top, end] = [itemOf(items, 'top'), itemOf(items, 'today')];
  const named = itemOf(items, 'period')?.days;
  const phrase = end ? (withToday(named, end.includes, reader) as NamedDays) : named;
  const [product, versus, output] = [
    itemOf(items, 'product'),
    itemOf(items, 'versus'),
    itemOf(items, 'output'),
  ];
  const unit = itemOf(items, 'unit');
  const isAll =
    (top !== undefined && !top.isOfDays && names.length === 0) || itemOf(items, 'all') !== undefined;
  return {
    help: false,
    ...(isAll ? { several: 'all' as const } : names.length > 1 ? { several: names.map(nameOf) } : {}),
    ...(!isAll && names.length === 1 && nameOf(names[0] ?? '')),
    ...(product && { product: product.product }),
    ...(phrase && { phrase }),
    ...(versus && { versus: versus.to }),
    ...(top?.count && { top: top.count }),
    ...(top?.isLowest && { isLowest: true }),
    ...(top?.isOfDays && { isOfDays: true }),
    ...(unit && { unit: unit.unit }),
    ...(output && { output: output.output }),
  };
}

/** Only a word without meaning can be a secret. `typed` has its capitals, because lower case would hide the form of a token. */
function holdsSecret(typed: string, { items }: Read, hasMeaning: (word: string) => boolean): boolean {
  const tidied = cleanTyping(typed);
  if (items.some(({ kind }) => kind === 'bad') && announcesSecret(tidied)) return true;
  return [...new Set(tidied.split(' '))].some(
    (word) => looksLikeSecret(word) && !hasMeaning(simplifyText(word).toLowerCase()),
  );
}

/** @throws InvalidWord, or secret-pasted when a word that could not be parsed looks like a secret */
function parseWith(typed: string, grammar: Grammar, reader: Reader): ParsedCommand {
  const shown = simplifyText(typed);
  const text = shown.toLowerCase();
  const readAll = (other: string): Read => ({
    text: other,
    items: itemsOf(other, grammar, reader),
    reader,
    grammar,
  });
  const read = readAll(text);
  const slipIn = (other: string) => findSlip(readAll(other));
  if (holdsSecret(typed, read, (word) => slipIn(word) === undefined)) throw new Failure('secret-pasted');
  if (read.items.some(({ kind }) => kind === 'help')) return { help: true };
  const slip = findSlip(read);
  if (slip === undefined) return commandOf(read);
  const { start, end } = slip.quotes ?? slip;
  // Some capitals have no lower case of the same length: İ.
  const word = originalSpelling(typed, (shown.length === text.length ? shown : text).slice(start, end));
  throw new InvalidWord(clipWord(word), slip.why, slip.works, correctionsOf(text, slip, slipIn));
}

/**
 * Parses the text of `/spend`. With `help` anywhere in it, the rest is ignored.
 * @throws InvalidWord, whose suggestion is the whole text corrected; secret-pasted
 */
export const parseCommandText = (text: string, reader: Reader): ParsedCommand =>
  parseWith(text, SPEND, reader);

/** Parses the text of a scheduled post, which takes no `vs` and no `top`. @throws InvalidWord, secret-pasted */
export const parseReportText = (text: string, reader: Reader): SharedWords => parseWith(text, REPORT, reader);

/** Parses the text of `/balance`, which takes no period. @throws InvalidWord, secret-pasted */
export const parseBalanceText = (text: string, reader: Reader): Omit<ParsedCommand, 'phrase'> =>
  parseWith(text, BALANCE, reader);

/** Parses the text of a command about one project, which itself refuses a period or a product. @throws InvalidWord, secret-pasted */
export const parseProjectText = (text: string, reader: Reader): SharedWords =>
  parseWith(text, PROJECT, reader);

/** As `parseReportText`, for commands about one project. */
export const parseSingleProjectText = (text: string, reader: Reader): SharedWords =>
  parseWith(text, SINGLE, reader);

/** Parses a text that is only a period; '' is the last 7 days. @throws InvalidWord, secret-pasted */
export function parsePeriodText(text: string, reader: Omit<Reader, 'aliases'>): NamedDays {
  return parseWith(text, PERIOD, { aliases: NO_ALIASES, ...reader }).phrase ?? lastSevenDays(reader);
}

/** The default period. */
export const lastSevenDays = ({ today, zone }: Omit<Reader, 'aliases'>): NamedDays => ({
  ...new Calendar(today, zone).lastUnits('day', 7),
  typed: 'last-7-days',
});

/** Whether a text has a word that is neither of the language nor a project's name. */
export const holdsUnknownWord = (text: string, aliases: Aliases): boolean =>
  readItems(simplifyText(text).toLowerCase(), 'Command', { ...ANY_DAY_READER, aliases }, isKnownWord).some(
    (item) => item.kind === 'bad' && !isKnownWord(item.word),
  );

/** Whether all of a word says something in commands, so that no project can have it as its name. */
export const hasMeaning = (word: string): boolean => !holdsUnknownWord(word, NO_ALIASES);

/** What a question takes: the same, and what is running now is no other day. */
const QUESTION: Grammar = {
  ...SPEND,
  works: `Type a command, such as ${commandText('/spend')} prod last-month.`,
  refuses: {},
};

/** Why the items of a question can't be asked for; undefined where they can. */
export const findItemsSlip = (text: string, items: readonly Item[], reader: Reader): Slip | undefined =>
  findSlip({ text, items, reader, grammar: QUESTION });

/** The words of a command that items say, which have no slip. */
export const commandOfItems = (items: readonly Item[], reader: Reader): ParsedCommand =>
  commandOf({ text: '', items, reader, grammar: QUESTION });

/** Reads a text by another rule of the grammar. */
export const readBy = (
  text: string,
  start: 'Command' | 'PeriodOnly' | 'Question',
  reader: Reader,
  more: object = {},
): readonly Item[] => readItems(text, start, reader, isKnownWord, more);
