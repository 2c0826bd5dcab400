/** Parses the text of a command: items in any order, each kind once. */
import { commandText } from '../command-names.ts';
import { Failure, InvalidWord } from '../failure/index.ts';
import { PRODUCT_WORDS } from '../product.ts';
import { announcesSecret, looksLikeSecret } from '../secret-detection.ts';
import { addDays, formatDays } from '../time/calendar.ts';
import type { NamedDays } from '../time/period.ts';
import { clipWord } from '../wording.ts';
import { correctionsOf, explainBadWord, isKnownWord, type Slip } from './correct-text.ts';
import { type Aliases, ANY_DAY_READER, type Item, NO_ALIASES, type Reader, readBy } from './items.ts';
import { Calendar, MONTH_NAMES, type Place } from './named-days.ts';
import { type ParsedCommand, type ProjectName, rankText, type SharedWords } from './parsed-command.ts';
import { cleanTyping, normalizeText, simplifyText } from './text.ts';

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
  const written = readBy(text, start, { ...reader, today: writtenOn });
  if (writtenOn >= today) return written;
  const current = readBy(text, start, reader);
  const isRunning = (item: Item): boolean =>
    (item.kind === 'period' && item.days.last >= writtenOn) ||
    (item.kind === 'versus' && 'last' in item.to && item.to.last >= writtenOn);
  return written.map((item, n) => (isRunning(item) ? (current[n] ?? item) : item));
}

const slipAt = ({ start, end }: Place, why: string, works: string, ...instead: string[]): Slip => ({
  ...{ start, end, why, works, instead },
});

const MONTH = `(?:${MONTH_NAMES.flatMap((name) => [name, name === 'september' ? 'sept' : name, name.slice(0, 3)]).join('|')})\\.?`;
const AFTER_MONTH = new RegExp(`(?<![a-z])${MONTH} (?:the )?(?:\\d{1,2}, ?)?$`);
const BEFORE_MONTH = new RegExp(`^ ${MONTH}(?![a-z])`);

/** `15th of october`, `october 5, 7`: a number of 1 to 31 beside a month is its day, never a product or a project. */
function checkDayNumber({ text }: Read, { start, end }: Item): Slip | undefined {
  const [number] = /(?<![a-z\d-])(?:0?[1-9]|[12]\d|3[01])$/.exec(text.slice(start, end)) ?? [];
  const isBeside = AFTER_MONTH.test(text.slice(0, start)) || BEFORE_MONTH.test(text.slice(end));
  if (number === undefined || !isBeside || text.startsWith('project', start)) return undefined;
  const works = `Type the day as a date, such as 2026-10-05, or project ${number}.`;
  return slipAt({ start, end }, 'could be a day', works);
}

function checkName({ text }: Read, item: Of<'project'>): Slip | undefined {
  const typed = text.slice(item.start, item.end);
  const name = item.names.find((each) => /^0|^\d{33}/.test(each));
  if (name === undefined) return undefined;
  // 701,001
  if (/^\d{1,3}(?:,\d{3})+$/.test(typed))
    return slipAt(
      item,
      'isn’t a project ID',
      'Project IDs are digits only, such as 123.',
      typed.replaceAll(',', ''),
    );
  const start = item.start + Math.max(0, typed.search(new RegExp(`(?<!\\d)${name}(?!\\d)`)));
  const place = { start, end: start + name.length };
  if (name.length > LONGEST_ID)
    return slipAt(place, 'is too long for a project ID', `Project IDs have up to ${LONGEST_ID} digits.`);
  const instead = /[1-9]\d*$/.exec(name) ?? [];
  const works = instead[0] === undefined ? 'Type an ID such as 123.' : `Type ${instead[0]}.`;
  return slipAt(place, 'starts with a zero, and project IDs don’t', works, ...instead);
}

/** A date, beside which a small number is hardly a project: `2026 10`, `2026-10 05`. */
const DATE_BEFORE = /(?:(?<!\d)20\d\d(?:-\d\d?){0,2}|(?<![a-z])[a-z]{3,9} \d{1,2}) $/;

/** Two projects without a comma: with one they are a list, and `701 001` is one number. */
function secondProject({ text, items }: Read, first: Of<'project'>, item: Of<'project'>): Slip {
  const [a, b] = [text.slice(first.start, first.end), item.names.join(',').replace(/^0+(?=\d)/, '')];
  const between = text.slice(first.end, item.start);
  const isDatePart =
    /^\d{1,2}$/.test(b) &&
    (DATE_BEFORE.test(text.slice(0, item.start)) ||
      items.some(({ kind, start }) => kind === 'period' && start > item.end && start <= item.end + 1) ||
      /^20\d\d$/.test(text.slice(item.end + 1, item.end + 5)));
  const isNumber = /^\d{1,3} 0\d\d$/.test(text.slice(first.start, item.end));
  const meant = isNumber ? a + item.names.join() : `${a},${b}${between.trimEnd()}`;
  return slipAt(
    { start: first.start, end: item.end },
    'You named two projects without a comma, {word}',
    'Ask about one, or join them with a comma.',
    ...(isDatePart && !isNumber ? [] : [meant]),
  );
}

const NOUNS: Readonly<Partial<Record<Kind, string>>> = {
  ...{ period: 'period', product: 'product', top: 'number', versus: 'comparison', today: 'end' },
  ...{ output: 'file', unit: 'unit' },
};

/** What an item says, which two spellings share. */
function meaningOf({ start, end, ...item }: Item): string {
  const days = item.kind === 'period' ? item.days : item.kind === 'versus' ? item.to : undefined;
  return JSON.stringify(days && 'last' in days ? [days.first, days.last] : item);
}

/** Of each kind there is one, unless they mean the same. */
function secondOf({ text }: Read, before: Item | undefined, item: Item): Slip | undefined {
  const noun = NOUNS[item.kind];
  if (before === undefined || noun === undefined || meaningOf(before) === meaningOf(item)) return undefined;
  const first = text.slice(before.start, before.end).replace(/^(?:vs|top) /, '');
  return item.kind === 'output'
    ? slipAt(item, `You asked for “${first}” and {word}`, 'Ask for one of them.')
    : slipAt(item, `You named two ${noun}s, “${first}” and {word}`, `Ask about one ${noun} at a time.`);
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
      return { start: item.start, end: item.end, ...item.refusal };
    case 'project': {
      const isSecond = before?.kind === 'project' && `${before.names}` !== `${item.names}`;
      const slip = isSecond ? secondProject(read, before, item) : checkName(read, item);
      return checkDayNumber(read, item) ?? slip;
    }
    case 'product':
      return checkDayNumber(read, item) ?? secondOf(read, before, item);
    default:
      return secondOf(read, before, item);
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

/** `so far` needs a period that is still running. */
function checkToday(read: Read): Slip | undefined {
  const { items, reader } = read;
  const soFar = items.find((item) => item.kind === 'filler' && item.word.startsWith('so'));
  const named = [itemOf(items, 'period')?.days, itemOf(items, 'versus')?.to];
  if (soFar && !named.some((days) => days && 'last' in days && days.last === reader.today))
    return slipAt(soFar, 'needs a period that is still running', 'Type this-month so far.');
  const days = daysOf(read);
  return days && 'why' in days ? days : undefined;
}

/** A number before or after other words of a period: `3 october`, `in 2025`, `friday 13`. */
const LEADING = /^(?:(?:in|of|during) )?([1-9]\d*)(?! [a-z]+\.?(?: ?-| to| until) ?\d)((?: .*)?)$/;
const TRAILING = /^((?:.*[-. ])?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?) ([1-9]\d*)$/;

/** The number could be a project instead. It is a part of a date only where something else names the project. */
function findDoubt({ text, items, grammar, reader }: Read): Slip | undefined {
  if (grammar.start !== 'Command' || items.some(({ kind }) => /^(?:project|all|top)$/.test(kind)))
    return undefined;
  for (const [n, item] of items.entries()) {
    // After `by month`, a number is the year.
    if (item.kind !== 'period' || items[n - 1]?.kind === 'unit') continue;
    const typed = text.slice(item.start, item.end);
    const reading = typed.replace(LEADING, 'project $1$2').replace(TRAILING, 'project $2 $1');
    const kinds = reading === typed ? [] : readBy(reading, 'Command', reader).map(({ kind }) => kind);
    if (!/^project(?:,period)?$/.test(kinds.join())) continue;
    const works = `Type ${item.days.text} or ${reading}.`;
    return slipAt(item, 'could be a date or a project', works, item.days.text, reading);
  }
  return undefined;
}

/** The days, with today in them or without where that is said. */
function daysOf({ items, reader }: Read): NamedDays | Slip | undefined {
  const [named, end] = [itemOf(items, 'period')?.days, itemOf(items, 'today')];
  if (end === undefined) return named;
  const { today, zone } = reader;
  const days = named ?? lastSevenDays(reader);
  const { first, last, counted, typed } = days;
  if ((last === today) === end.includes) return days;
  const counts = counted && new Calendar(today, zone).lastUnits('day', counted, end.includes);
  if (counts && !('refusal' in counts)) return { ...counts, typed };
  if (end.includes)
    return slipAt(
      end,
      `doesn’t work with ${formatDays(first, last)}, which is over`,
      'Use it with a number of days, such as last-7-days including today.',
    );
  if (first === today) return slipAt(end, 'begins today, and today is left out', 'Type today.');
  return { ...parsePeriodText(`${first}..${addDays(today, -1)}`, { today, zone }), typed };
}

const nameOf = (name: string): ProjectName => (/^\d/.test(name) ? { project: name } : { alias: name });

function commandOf(read: Read): ParsedCommand {
  const { items } = read;
  const names = [...new Set(itemOf(items, 'project')?.names)];
  const phrase = daysOf(read) as NamedDays | undefined;
  const [top, unit, versus] = [itemOf(items, 'top'), itemOf(items, 'unit'), itemOf(items, 'versus')];
  const [product, output, all] = [itemOf(items, 'product'), itemOf(items, 'output'), itemOf(items, 'all')];
  const isAll = all !== undefined || (top !== undefined && !top.isOfDays && names.length === 0);
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
  const word = (shown.length === text.length ? shown : text).slice(start, end).replace('^', '’');
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
export const lastSevenDays = (reader: Omit<Reader, 'aliases'>): NamedDays =>
  parsePeriodText('last-7-days', reader);

/** Whether a text has a word that is neither of the language nor a project's name. */
export const holdsUnknownWord = (text: string, aliases: Aliases): boolean =>
  readBy(normalizeText(text), 'Command', { ...ANY_DAY_READER, aliases }).some(
    (item) => item.kind === 'bad' && !isKnownWord(item.word),
  );

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
