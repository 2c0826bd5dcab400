/** What a text says: the items that the grammar finds in it, the words of a command, and the canonical text that they are written as. */
import { PRODUCTS, type ProductId } from '../product.ts';
import type { Day, Unit, Zone } from '../time/calendar.ts';
import { formatVersus, type NamedDays, type Versus } from '../time/period.ts';
import { parse } from './generated.js';
import { Calendar, type Place, type WordsRefusal } from './named-days.ts';
import { isKnownWord } from './typed-text.ts';

export interface ParsedCommand {
  readonly help: boolean;
  /** 1 to 32 digits, never a number. */
  readonly project?: string;
  /** The project by its name in the workspace, in lower case; never together with `project`. */
  readonly alias?: string;
  /** Two projects or more, in the order they were typed, or all that are registered; then neither of the above. */
  readonly several?: SeveralProjects;
  readonly product?: ProductId;
  readonly phrase?: NamedDays;
  /** What the period is compared with, unless that is the period before. */
  readonly versus?: Versus;
  /** How many of all projects, largest amounts first, where `several` is `all`; or of the days. */
  readonly top?: number;
  /** Whether the smallest amounts come first. */
  readonly isLowest?: true;
  /** Whether days are ranked, and not projects. */
  readonly isOfDays?: true;
  /** What the days are put together by. */
  readonly unit?: Unit;
  readonly output?: Output;
}

/** The words that every command about projects takes. */
export type SharedWords = Omit<ParsedCommand, 'versus' | 'top' | 'output' | 'unit' | 'isLowest' | 'isOfDays'>;

/** A project by its ID or by its name. */
export type ProjectName = { readonly project: string } | { readonly alias: string };

/** @param name digits are an ID */
export const nameOf = (name: string): ProjectName => (/^\d/.test(name) ? { project: name } : { alias: name });

export type SeveralProjects = 'all' | readonly ProjectName[];

/** What a command types to mean these projects: `prod,123`. */
export const projectList = (several: SeveralProjects): string =>
  several === 'all'
    ? several
    : several.map((named) => ('alias' in named ? named.alias : named.project)).join(',');

/** Some words of a command. */
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

/** Whether the answer may have to be shown in a window: a quick guess, wrong only if a project is called `csv` or `details`. */
export const mayOpenWindow = (text: string): boolean => /(?:^|\s)(?:csv|details)[?!.,]?(?:\s|$)/i.test(text);

/** Names that the workspace gave its projects, in lower case. */
export type Aliases = ReadonlySet<string>;

/** For a workspace that has named no projects. */
export const NO_ALIASES: Aliases = new Set();

/** What the meaning of words depends on: which day it is, in which zone, and which names are projects. */
export interface Reader {
  readonly today: Day;
  readonly zone: Zone;
  /** The day on which the words were written, if that was an earlier one. */
  readonly writtenOn?: Day | undefined;
  readonly aliases: Aliases;
}

/** For texts that name no period, so that the day makes no difference. */
export const ANY_DAY_READER: Reader = { today: '2000-01-01', zone: 'UTC', aliases: NO_ALIASES };

/** The figures as a file, what to reconcile with, what made the change, or whether the budget holds or is passed. */
export type Output = 'csv' | 'details' | 'why' | 'budget' | 'over-budget';

export type Item = Place &
  (
    | { readonly kind: 'period'; readonly days: NamedDays }
    /** Words that are read, but can't be asked about. */
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
    /** A word that no rule reads. */
    | { readonly kind: 'bad'; readonly word: string }
  );

/** The most letters of a name. */
const LONGEST_NAME = 32;

/** Where the name that begins at a place ends, or 0. One of several words has dashes; people type it with spaces: `web shop`. */
const aliasEndIn =
  (text: string, aliases: Aliases) =>
  (start: number): number => {
    if (/[a-z\d-]/.test(text[start - 1] ?? '')) return 0;
    const near = text.slice(start, start + LONGEST_NAME + 1);
    const words = /^[a-z][a-z\d-]*(?: [a-z\d-]+)*/.exec(near)?.[0].split(' ') ?? [];
    for (let count = words.length; count > 0; count--) {
      const name = words.slice(0, count).join('-');
      if (aliases.has(name) && !words.slice(1, count).some(isKnownWord)) return start + name.length;
    }
    return 0;
  };

/**
 * Reads a text from its beginning to its end: nothing in it is left out.
 *
 * @param text normalised, in lower case
 * @param startRule the rule to begin with
 * @param more what else the rules of the start need
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
