/** The items that the grammar finds in a text, and how to call it. */
import type { ProductId } from '../product.ts';
import type { Day, Unit, Zone } from '../time/calendar.ts';
import type { Versus } from '../time/named-comparison.ts';
import type { NamedDays } from '../time/period.ts';
import { isKnownWord } from './correct-text.ts';
import { parse } from './generated.js';
import { Calendar, type Place, type WordsRefusal } from './named-days.ts';

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
