/** The grammar's items, a command's words, and their canonical text. */
import { PRODUCTS, type ProductId } from '../product.ts';
import type { Day, Unit, Zone } from '../time/calendar.ts';
import { formatVersus, type NamedDays, type Versus } from '../time/period.ts';
import { parse } from './generated.js';
import { Calendar, type TextRange, type WordsRefusal } from './phrase-calendar.ts';
import { isKnownWord } from './typed-text.ts';

export interface ParsedCommand {
  readonly help: boolean;
  /** 1 to 32 digits, never a number. */
  readonly project?: string;
  /** A project's alias, lower case. Never set together with `project`. */
  readonly alias?: string;
  /** Two or more projects in typed order, or all. Then `project` and `alias` are absent. */
  readonly several?: SeveralProjects;
  readonly product?: ProductId;
  readonly phrase?: NamedDays;
  readonly versus?: Versus;
  /** How many of all projects, largest amounts first, where `several` is `all`; or of the days. */
  readonly top?: number;
  readonly isLowest?: true;
  readonly isOfDays?: true;
  readonly unit?: Unit;
  readonly output?: Output;
}

export type ProjectName = { readonly project: string } | { readonly alias: string };

/** @param name if it starts with a digit, it is an ID */
export const nameOf = (name: string): ProjectName => (/^\d/.test(name) ? { project: name } : { alias: name });

export type SeveralProjects = 'all' | readonly ProjectName[];

/** Projects as command text: `prod,123`. */
export const projectList = (several: SeveralProjects): string =>
  several === 'all'
    ? several
    : several.map((named) => ('alias' in named ? named.alias : named.project)).join(',');

export type Words = { readonly [Name in keyof ParsedCommand]?: ParsedCommand[Name] | undefined };

/** The canonical text, which parses back to the same words: `prod 2026-10 vs 2026-09 storage csv`. */
export function formatParsedCommand({ project, alias = project, ...words }: Words): string {
  const { several, top, isLowest, isOfDays, phrase, versus, product, unit, output } = words;
  const rank = rankText({ top, isLowest, isOfDays });
  const isRankOfAll = several === 'all' && top !== undefined && !isOfDays;
  return [
    (isRankOfAll ? undefined : several && projectList(several)) ?? alias,
    rank,
    phrase?.text,
    versus && `vs ${formatVersus(versus)}`,
    product && PRODUCTS[product].word,
    unit && `by ${unit}`,
    output,
  ]
    .filter(Boolean)
    .join(' ');
}

/** `top 3`, `lowest`, `lowest 3 days` */
export const rankText = ({ top, isLowest, isOfDays }: Pick<Words, 'top' | 'isLowest' | 'isOfDays'>): string =>
  [(isLowest && 'lowest') || (top !== undefined && 'top'), top, isOfDays && 'days'].filter(Boolean).join(' ');

/** A quick guess whether the command opens a window. Wrong only for a project named `csv` or `details`. */
export const mayOpenWindow = (text: string): boolean => /(?:^|\s)(?:csv|details)[?!.,]?(?:\s|$)/i.test(text);

/** The workspace's project names, lower case. */
export type Aliases = ReadonlySet<string>;

export const NO_ALIASES: Aliases = new Set();

/** What parsing depends on: date, time zone, project names. */
export interface Reader {
  readonly today: Day;
  readonly zone: Zone;
  /** The day on which the words were written, if that was an earlier one. */
  readonly writtenOn?: Day | undefined;
  readonly aliases: Aliases;
}

/** For texts without a period, where the date doesn't matter. */
export const ANY_DAY_READER: Reader = { today: '2000-01-01', zone: 'UTC', aliases: NO_ALIASES };

/** Requested output. `budget` / `over-budget`: “does it hold?” / “is it passed?” */
export type Output = 'csv' | 'details' | 'why' | 'budget' | 'over-budget';

export type Item = TextRange &
  (
    | { readonly kind: 'period'; readonly days: NamedDays }
    /** Words that are understood, but can't be asked about. */
    | { readonly kind: 'refused'; readonly refusal: WordsRefusal; readonly ofPeriod?: true }
    /** `including today`, `excluding today` */
    | { readonly kind: 'today'; readonly includes: boolean }
    | { readonly kind: 'versus'; readonly to: Versus }
    /** Digits or aliases, joined by commas. */
    | { readonly kind: 'project'; readonly names: readonly string[] }
    | { readonly kind: 'all' | 'help' }
    /** `right now` */
    | { readonly kind: 'now' }
    /** `top 3`, `lowest`, `lowest 3 days` */
    | { readonly kind: 'top'; readonly count?: number; readonly isLowest?: true; readonly isOfDays?: true }
    | { readonly kind: 'product'; readonly product: ProductId }
    /** `by month`, `weekly`: how to group the days. */
    | { readonly kind: 'unit'; readonly unit: Unit }
    | { readonly kind: 'output'; readonly output: Output }
    /** A word that says nothing here. */
    | { readonly kind: 'filler'; readonly word: string }
    /** An unreadable word. */
    | { readonly kind: 'bad'; readonly word: string }
  );

const LONGEST_ALIAS = 32;

/** The end of an alias at this position, or 0. Aliases have hyphens where people type spaces: `web shop`. */
const aliasEndIn =
  (text: string, aliases: Aliases) =>
  (start: number): number => {
    if (/[a-z\d-]/.test(text[start - 1] ?? '')) return 0;
    const near = text.slice(start, start + LONGEST_ALIAS + 1);
    const words = /^[a-z][a-z\d-]*(?: [a-z\d-]+)*/.exec(near)?.[0].split(' ') ?? [];
    for (let count = words.length; count > 0; count--) {
      const name = words.slice(0, count).join('-');
      if (aliases.has(name) && !words.slice(1, count).some(isKnownWord)) return start + name.length;
    }
    return 0;
  };

/**
 * Parses a whole text; every part of it becomes an item.
 * @param text normalized, in lower case
 * @param startRule the grammar rule to begin with
 * @param more options of that rule
 */
export const readBy = (
  text: string,
  startRule: 'Command' | 'PeriodOnly' | 'Question',
  { today, zone, aliases }: Reader,
  more: object = {},
): readonly Item[] =>
  parse(text, {
    startRule,
    calendar: new Calendar(today, zone),
    isPeriod: startRule === 'PeriodOnly',
    aliasEnd: aliasEndIn(text, aliases),
    ...more,
  }) as readonly Item[];
