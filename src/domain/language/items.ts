/** The items that the grammar reads in a text, and how it is called: the text of a person becomes a list of what was said. */
import type { ProductId } from '../product.ts';
import type { Day, Unit, Zone } from '../time/calendar.ts';
import type { Versus } from '../time/named-comparison.ts';
import type { NamedDays } from '../time/period.ts';
import { parse } from './generated.js';
import { Calendar, type Place, type WordsRefusal } from './named-days.ts';

/** Names that the workspace gave its projects, in lower case. */
export type Aliases = ReadonlySet<string>;

/** For a workspace that has named no projects. */
export const NO_ALIASES: Aliases = new Set();

/** From where words are read: which day it is, and in which zone; which names are projects. */
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
    | {
        readonly kind: 'top';
        readonly count?: number;
        readonly isLowest?: true;
        readonly isOfDays?: true;
      }
    | { readonly kind: 'product'; readonly product: ProductId }
    /** `by month`, `weekly`: how to group the days. */
    | { readonly kind: 'unit'; readonly unit: Unit }
    | { readonly kind: 'output'; readonly output: Output }
    /** A word that says nothing here. */
    | { readonly kind: 'filler'; readonly word: string }
    /** A word that no rule reads. */
    | { readonly kind: 'bad'; readonly word: string }
  );

/** A name of several words is written with dashes; people type it with spaces: `web shop`. */
function aliasEndIn(text: string, aliases: Aliases, isKnown: (word: string) => boolean) {
  const most = Math.max(0, ...[...aliases].map((name) => name.split('-').length));
  return (start: number): number => {
    if (/[a-z\d-]/.test(text[start - 1] ?? '') || !/[a-z]/.test(text[start] ?? '')) return 0;
    const words = text.slice(start, start + 200).match(/[a-z\d-]+(?: |$|(?=[^a-z\d-]))/g) ?? [];
    let found = 0;
    let [end, name] = [start, ''];
    for (const [n, word] of words.slice(0, most).entries()) {
      const bare = word.trim();
      if (!text.startsWith(word, end)) break;
      name = n === 0 ? bare : `${name}-${bare}`;
      if (aliases.has(name) && (n === 0 || !isKnown(bare))) found = end + bare.length;
      if (!word.endsWith(' ')) break;
      end += word.length;
    }
    return found;
  };
}

/**
 * Reads a text from its beginning to its end: nothing in it is left out.
 *
 * @param text normalised, in lower case
 * @param start the rule to begin with
 * @param isKnown whether a word is one of the language, so that no name is made of it
 * @param more what else the rules of the start need
 */
export function readItems(
  text: string,
  startRule: 'Command' | 'PeriodOnly' | 'Question',
  { today, zone, aliases }: Reader,
  isKnown: (word: string) => boolean,
  more: object = {},
): readonly Item[] {
  return parse(text, {
    startRule,
    calendar: new Calendar(today, zone),
    isPeriod: startRule === 'PeriodOnly',
    aliasEnd: aliasEndIn(text, aliases, isKnown),
    ...more,
  }) as readonly Item[];
}
