/** Reads a text into items of the grammar: projects, periods, products and other words. */
import type { ProductId } from '../billing-products.ts';
import type { Day, Unit, Zone } from '../time/calendar.ts';
import type { NamedDays, Versus } from '../time/period.ts';
import { parse } from './generated.js';
import type { Output } from './parsed-command.ts';
import { Calendar, type TextRange, type WordsRefusal } from './phrase-calendar.ts';
import { isKnownWord } from './text-cleanup.ts';

export type Aliases = ReadonlySet<string>;

export const NO_ALIASES: Aliases = new Set();

export interface ParseContext {
  readonly today: Day;
  readonly zone: Zone;
  /** The day the text was written, if that was before `today`. */
  readonly writtenOn?: Day | undefined;
  readonly aliases: Aliases;
}

export const ANY_DAY_CONTEXT: ParseContext = { today: '2000-01-01', zone: 'UTC', aliases: NO_ALIASES };

export type Item = TextRange &
  (
    | { readonly kind: 'period'; readonly days: NamedDays }
    /** Words that the grammar understands, but that Tally can't answer. */
    | { readonly kind: 'refused'; readonly refusal: WordsRefusal; readonly ofPeriod?: true }
    | { readonly kind: 'today'; readonly includes: boolean }
    | { readonly kind: 'versus'; readonly to: Versus }
    | { readonly kind: 'project'; readonly names: readonly string[] }
    | { readonly kind: 'all' | 'help' }
    | { readonly kind: 'now' }
    | { readonly kind: 'top'; readonly count?: number; readonly isLowest?: true; readonly isOfDays?: true }
    | { readonly kind: 'product'; readonly product: ProductId }
    | { readonly kind: 'unit'; readonly unit: Unit }
    | { readonly kind: 'output'; readonly output: Output }
    /** A word that adds nothing, such as `for`. */
    | { readonly kind: 'filler'; readonly word: string }
    /** A word that the grammar doesn't know. */
    | { readonly kind: 'bad'; readonly word: string }
  );

const LONGEST_ALIAS = 32;

/** Finds where an alias that begins at `start` ends; 0 if none begins there. Spaces may replace hyphens: `web shop`. */
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

export const parseItems = (
  text: string,
  startRule: 'Command' | 'PeriodOnly' | 'Question',
  { today, zone, aliases }: ParseContext,
  more: object = {},
): readonly Item[] =>
  parse(text, {
    startRule,
    calendar: new Calendar(today, zone),
    isPeriod: startRule === 'PeriodOnly',
    aliasEnd: aliasEndIn(text, aliases),
    ...more,
  }) as readonly Item[];
