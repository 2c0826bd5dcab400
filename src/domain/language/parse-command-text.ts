/** Parses the text of a command. Its words may come in any order. */
import { PRODUCT_WORDS } from '../billing-products.ts';
import { commandText } from '../command-names.ts';
import { Failure, InvalidWord } from '../failure/index.ts';
import { announcesSecret, looksLikeSecret } from '../secret-detection.ts';
import { addDays, formatDays, MONTH_NAMES } from '../time/calendar.ts';
import type { NamedDays } from '../time/period.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { clipWord } from '../wording.ts';
import {
  type Aliases,
  ANY_DAY_CONTEXT,
  type Item,
  NO_ALIASES,
  type ParseContext,
  parseItems,
} from './command-items.ts';
import { type ParsedCommand, rankText, toProjectName } from './parsed-command.ts';
import { Calendar, type TextRange, type WordsRefusal } from './phrase-calendar.ts';
import {
  cleanTyping,
  correctionsOf,
  explainBadWord,
  isKnownWord,
  normalizeText,
  simplifyText,
} from './text-cleanup.ts';

const MOST_PROJECTS = 20;
const LONGEST_ID = 32;

type Kind = Item['kind'];
type Of<K extends Kind> = Extract<Item, { readonly kind: K }>;

interface Grammar {
  readonly isSingle?: boolean;
  readonly start: 'Command' | 'PeriodOnly';
  readonly works: string;
  readonly refuses: Readonly<Partial<Record<Kind, readonly [why: string, works: string, ...string[]]>>>;
}

const ONLY_SPEND = `It works with ${commandText('/spend')}.`;
export const BALANCE_IS_NOW = 'A balance is always as of now';
/** The last '' suggests the command without the refused words. */
const AS_OF_NOW = [BALANCE_IS_NOW, '', ''] as const;
const BY_LENGTH = [
  'isn’t a period. Tally picks days, weeks or months to fit the period',
  'Type last-month, or last-12-months to see each month.',
] as const;
const FIGURES = {
  versus: ['compares what was spent in two periods', ONLY_SPEND],
  top: ['ranks projects by what they spent', ONLY_SPEND],
} as const;

const SPEND: Grammar = {
  start: 'Command',
  works: `Type a project, a period (last-7-days, this-month, 2026-10) or a product (${PRODUCT_WORDS}).`,
  refuses: { now: ['doesn’t say since when', 'Type today, or this-month.'] },
};
const REPORT: Grammar = {
  ...SPEND,
  refuses: { ...SPEND.refuses, unit: BY_LENGTH, output: ['doesn’t belong there', ONLY_SPEND], ...FIGURES },
};
const BALANCE: Grammar = {
  start: 'Command',
  works: `Type a project or a product (${PRODUCT_WORDS}). Only ${commandText('/spend')} takes periods.`,
  refuses: { ...FIGURES, period: AS_OF_NOW, today: AS_OF_NOW, unit: AS_OF_NOW },
};
const SINGLE: Grammar = { ...REPORT, isSingle: true, works: 'Type a project’s name or ID.' };
const PERIOD: Grammar = {
  ...REPORT,
  start: 'PeriodOnly',
  works: 'Type a period, such as last-7-days, this-month, 2026-10 or 2026-10-01..2026-10-15.',
};

interface Read {
  readonly text: string;
  readonly items: readonly Item[];
  readonly context: ParseContext;
  readonly grammar: Grammar;
}

/** Reads an old message as of its day. A period that was still running on that day is read as of today. */
function itemsOf(text: string, { start }: Grammar, context: ParseContext): readonly Item[] {
  const { today, writtenOn = today } = context;
  const written = parseItems(text, start, { ...context, today: writtenOn });
  if (writtenOn >= today) return written;
  const current = parseItems(text, start, context);
  const isRunning = (item: Item): boolean =>
    (item.kind === 'period' && item.days.last >= writtenOn) ||
    (item.kind === 'versus' && 'last' in item.to && item.to.last >= writtenOn);
  return written.map((item, n) => (isRunning(item) ? (current[n] ?? item) : item));
}

const refusalAt = (
  { start, end }: TextRange,
  why: string,
  works: string,
  ...instead: string[]
): WordsRefusal => ({ start, end, why, works, instead });

const MONTH = `(?:${MONTH_NAMES.flatMap((name) => [name, name.slice(0, 4), name.slice(0, 3)]).join('|')})\\.?`;
const AFTER_MONTH = new RegExp(`(?<![a-z])${MONTH} (?:the )?(?:\\d{1,2}, ?)?$`, 'i');
const BEFORE_MONTH = new RegExp(`^ ${MONTH}(?![a-z])`, 'i');

/** In `october 5, 7` the 7 could be a project or a day, so it is refused. */
function checkDayNumber({ text }: Read, { start, end }: Item): WordsRefusal | undefined {
  const [number] = /(?<![a-z\d-])(?:0?[1-9]|[12]\d|3[01])$/.exec(text.slice(start, end)) ?? [];
  const isBeside = AFTER_MONTH.test(text.slice(0, start)) || BEFORE_MONTH.test(text.slice(end));
  if (number === undefined || !isBeside || text.startsWith('project', start)) return undefined;
  const works = `Type the day as a date, such as 2026-10-05, or project ${number}.`;
  return refusalAt({ start, end }, 'could be a day', works);
}

function checkName({ text }: Read, item: Of<'project'>): WordsRefusal | undefined {
  const name = item.names.find((each) => /^0|^\d{33}/.test(each));
  if (name === undefined) return undefined;
  const start = text.indexOf(name, item.start);
  const place = { start, end: start + name.length };
  if (name.length > LONGEST_ID)
    return refusalAt(place, 'is too long for a project ID', `Project IDs have up to ${LONGEST_ID} digits.`);
  return refusalAt(place, 'starts with a zero, and project IDs don’t', 'Type an ID such as 123.');
}

/** Refuses `prod staging`. Offers `prod,staging`, unless the second project could be part of a date. */
function secondProject({ text, items }: Read, first: Of<'project'>, item: Of<'project'>): WordsRefusal {
  const hasDate = items.some(({ kind }) => kind === 'period') || /^20\d\d /.test(text.slice(first.start));
  const between = text.slice(first.end, item.start).trimEnd();
  const list = `${text.slice(first.start, first.end)},${item.names}${between}`;
  return refusalAt(
    { start: first.start, end: item.end },
    'You named two projects without a comma, {word}',
    'Ask about one, or join them with a comma.',
    ...(hasDate && /^\d\d?$/.test(`${item.names}`) ? [] : [list]),
  );
}

function meaningOf({ start, end, ...item }: Item): string {
  if (item.kind === 'output') return item.output;
  const days = item.kind === 'period' ? item.days : item.kind === 'versus' ? item.to : undefined;
  return JSON.stringify(days && 'last' in days ? [days.first, days.last] : item);
}

const ONCE: ReadonlySet<Kind> = new Set(['period', 'product', 'top', 'versus', 'today', 'output', 'unit']);

function secondOf({ text }: Read, before: Item | undefined, item: Item): WordsRefusal | undefined {
  if (before === undefined || !ONCE.has(item.kind) || meaningOf(before) === meaningOf(item)) return undefined;
  const [first, second] = [before, item].map(({ start, end }) => text.slice(start, end));
  const between = text.slice(before.end, item.start);
  return refusalAt(
    { start: before.start, end: item.end },
    `You asked for “${first}” and “${second}”`,
    'Ask for one of them.',
    ...(between.trim() === '' ? [`${first}`, `${second}`] : []),
  );
}

function refusalOf(read: Read, item: Item, before: Item | undefined): WordsRefusal | undefined {
  const { text, grammar, context } = read;
  const refused = grammar.refuses[item.kind === 'refused' && item.ofPeriod ? 'period' : item.kind];
  if (refused !== undefined) return refusalAt(item, ...refused);
  switch (item.kind) {
    case 'bad':
      return explainBadWord(text, rawPlace(text, item), grammar.works, context.aliases);
    case 'refused':
      return item.refusal;
    case 'project': {
      const isSecond = before?.kind === 'project' && `${before.names}` !== `${item.names}`;
      const refusal = isSecond ? secondProject(read, before, item) : checkName(read, item);
      return checkDayNumber(read, item) ?? refusal;
    }
    case 'product':
      return checkDayNumber(read, item) ?? secondOf(read, before, item);
    default:
      return secondOf(read, before, item);
  }
}

function findRefusal(read: Read): WordsRefusal | undefined {
  const { items } = read;
  const unknown = items.find((item) => item.kind === 'bad' && !isKnownWord(item.word));
  if (unknown !== undefined) return refusalOf(read, unknown, undefined);
  const seen = new Map<Kind, Item>();
  for (const item of items) {
    const refusal = refusalOf(read, item, seen.get(item.kind));
    if (refusal !== undefined) return refusal;
    if (!seen.has(item.kind)) seen.set(item.kind, item);
  }
  return findDoubt(read) ?? checkProjects(read) ?? checkToday(read);
}

/** Finds the whole word that an item is part of: in `last-wek`, the grammar reads `last` and `wek`. */
function rawPlace(text: string, { start, end }: Item): TextRange {
  const [before = ''] = /[^ ,]*$/.exec(text.slice(0, start)) ?? [];
  const [after = ''] = /^[^ ,]*/.exec(text.slice(end)) ?? [];
  return { start: start - before.length, end: end + after.length };
}

const itemOf = <K extends Kind>(items: readonly Item[], kind: K): Of<K> | undefined =>
  items.find((item): item is Of<K> => item.kind === kind);

function checkProjects({ items, text, grammar }: Read): WordsRefusal | undefined {
  const whole = { start: 0, end: text.length };
  const [project, top, all] = [itemOf(items, 'project'), itemOf(items, 'top'), itemOf(items, 'all')];
  const count = new Set(project?.names).size;
  if (grammar.isSingle && ((top && !top.isOfDays) || all || count > 1))
    return refusalAt(whole, 'You named several projects', 'Name one project here.');
  // `prod,staging lowest` ranks named projects, and `prod top 3 days` ranks days. Neither asks about all projects.
  const isPart = top?.isOfDays || (top?.isLowest && top.count === undefined);
  const everything = top && !isPart ? rankText({ top: top.count }) : all && 'all';
  const why = `You named a project and also “${everything}”`;
  if (everything && project) {
    const before = text.slice(0, project.start);
    const [year] = /^20\d\d$/.exec(text.slice(project.start, project.end)) ?? [];
    const instead = year === undefined ? [] : [`${before}year ${year}${text.slice(project.end)}`];
    return refusalAt(whole, why, 'Ask about all, or about some: prod,staging.', ...instead);
  }
  return count > MOST_PROJECTS
    ? refusalAt(whole, `You named ${count} projects`, `Ask about ${MOST_PROJECTS} at a time.`)
    : undefined;
}

/** Refuses `so far` beside a period that has ended. */
function checkToday(read: Read): WordsRefusal | undefined {
  const { items, context } = read;
  const soFar = items.find((item) => item.kind === 'filler' && item.word.startsWith('so'));
  const named = [itemOf(items, 'period')?.days, itemOf(items, 'versus')?.to];
  if (soFar && !named.some((days) => days && 'last' in days && days.last === context.today))
    return refusalAt(soFar, 'needs a period that is still running', 'Type this-month so far.');
  const days = daysOf(read);
  return days && 'why' in days ? days : undefined;
}

/** Patterns whose number could also be a project: `3 october`, `friday 13`. */
const LEADING = /^(?:(?:in|of|during) )?([1-9]\d*)(?! [a-z]+\.?(?: ?-| to| until) ?\d)((?: .*)?)$/;
const TRAILING = /^((?:.*[-. ])?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?) ([1-9]\d*)$/;

/** Refuses `3 october` if no other word names a project, because the project could be 3. */
function findDoubt({ text, items, grammar, context }: Read): WordsRefusal | undefined {
  if (grammar.start !== 'Command' || items.some(({ kind }) => /^(?:project|all|top)$/.test(kind)))
    return undefined;
  for (const [n, item] of items.entries()) {
    if (item.kind !== 'period' || items[n - 1]?.kind === 'unit') continue;
    const typed = text.slice(item.start, item.end);
    const reading = typed.replace(LEADING, 'project $1$2').replace(TRAILING, 'project $2 $1');
    const kinds = reading === typed ? [] : parseItems(reading, 'Command', context).map(({ kind }) => kind);
    if (!/^project(?:,period)?$/.test(kinds.join())) continue;
    const works = `Type ${item.days.text} or ${reading}.`;
    return refusalAt(item, 'could be a date or a project', works, item.days.text, reading);
  }
  return undefined;
}

function daysOf({ items, context }: Read): NamedDays | WordsRefusal | undefined {
  const [named, end] = [itemOf(items, 'period')?.days, itemOf(items, 'today')];
  if (end === undefined) return named;
  const { today, zone } = context;
  const days = named ?? lastSevenDays(context);
  const { first, last, counted, typed } = days;
  if ((last === today) === end.includes) return days;
  const counts = counted && new Calendar(today, zone).lastUnits('day', counted, end.includes);
  if (counts && !('refusal' in counts)) return { ...counts, typed };
  if (end.includes)
    return refusalAt(
      end,
      `doesn’t work with ${formatDays(first, last)}, which is over`,
      'Use it with a number of days, such as last-7-days including today.',
    );
  if (first === today) return refusalAt(end, 'begins today, and today is left out', 'Type today.');
  return { ...parsePeriodText(`${first}..${addDays(today, -1)}`, { today, zone }), typed };
}

function commandOf(read: Read): ParsedCommand {
  const { items } = read;
  const names = [...new Set(itemOf(items, 'project')?.names)];
  const phrase = daysOf(read) as NamedDays | undefined;
  const [top, unit, versus] = [itemOf(items, 'top'), itemOf(items, 'unit'), itemOf(items, 'versus')];
  const [product, output, all] = [itemOf(items, 'product'), itemOf(items, 'output'), itemOf(items, 'all')];
  const isAll = all !== undefined || (top !== undefined && !top.isOfDays && names.length === 0);
  const several = isAll ? 'all' : names.length > 1 ? names.map(toProjectName) : undefined;
  return {
    help: false,
    ...(several === undefined && names.length === 1 && toProjectName(names[0] ?? '')),
    ...withoutUndefined({
      several,
      phrase,
      product: product?.product,
      versus: versus?.to,
      unit: unit?.unit,
      output: output?.output,
      top: top?.count,
      isLowest: top?.isLowest,
      isOfDays: top?.isOfDays,
    }),
  };
}

/** @param typed the text with its capitals, which help to recognize tokens @throws secret-pasted */
export function refuseSecret(
  typed: string,
  items: readonly { readonly kind: string }[],
  hasMeaning: (word: string) => boolean,
): void {
  const tidied = cleanTyping(typed);
  const isSecret = (word: string) => looksLikeSecret(word) && !hasMeaning(normalizeText(word));
  if (
    (items.some(({ kind }) => kind === 'bad') && announcesSecret(tidied)) ||
    [...new Set(tidied.split(' '))].some(isSecret)
  )
    throw new Failure('secret-pasted');
}

function parseWith(typed: string, grammar: Grammar, context: ParseContext): ParsedCommand {
  const shown = simplifyText(typed);
  const text = shown.toLowerCase();
  const readAll = (other: string): Read => ({
    text: other,
    context,
    grammar,
    items: itemsOf(other, grammar, context),
  });
  const read = readAll(text);
  const isValid = (other: string) => findRefusal(readAll(other)) === undefined;
  refuseSecret(typed, read.items, isValid);
  if (itemOf(read.items, 'help')) return { help: true };
  const refusal = findRefusal(read);
  if (refusal === undefined) return commandOf(read);
  // Some letters (İ) are longer in lower case, which would shift the positions.
  const source = shown.length === text.length ? shown : text;
  const word = source.slice(refusal.start, refusal.end).replace('^', '’');
  throw new InvalidWord(clipWord(word), refusal.why, refusal.works, correctionsOf(text, refusal, isValid));
}

const parserOf =
  (grammar: Grammar) =>
  (text: string, context: ParseContext): ParsedCommand =>
    parseWith(text, grammar, context);

/**
 * With `help` in the text, the rest is ignored. @throws InvalidWord, whose suggestions are whole texts; secret-pasted
 */
export const parseCommandText = parserOf(SPEND);
/** Parses the text of a schedule, which takes no `vs` and no `top`. */
export const parseReportText = parserOf(REPORT);
/** Parses the text of `/balance`, which takes no period. */
export const parseBalanceText = parserOf(BALANCE);
/** Parses the text of a command about one project. The caller refuses a period. */
export const parseSingleProjectText = parserOf(SINGLE);

/** An empty text means the last 7 days. */
export const parsePeriodText = (text: string, context: Omit<ParseContext, 'aliases'>): NamedDays =>
  parseWith(text, PERIOD, { aliases: NO_ALIASES, ...context }).phrase ?? lastSevenDays(context);

export const lastSevenDays = ({ today, zone }: Pick<ParseContext, 'today' | 'zone'>): NamedDays => ({
  ...(new Calendar(today, zone).lastUnits('day', 7) as Omit<NamedDays, 'typed'>),
  typed: 'last-7-days',
});

export const holdsUnknownWord = (text: string, aliases: Aliases): boolean =>
  parseItems(normalizeText(text), 'Command', { ...ANY_DAY_CONTEXT, aliases }).some(
    (item) => item.kind === 'bad' && !isKnownWord(item.word),
  );

const QUESTION: Grammar = { ...SPEND, refuses: {} };

export const findItemsRefusal = (
  text: string,
  items: readonly Item[],
  context: ParseContext,
): WordsRefusal | undefined => findRefusal({ text, items, context, grammar: QUESTION });

export const commandOfItems = (items: readonly Item[], context: ParseContext): ParsedCommand =>
  commandOf({ text: '', items, context, grammar: QUESTION });
