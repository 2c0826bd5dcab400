/** The items that the grammar reads in a text, the command they make, and that command's canonical text. */
import { PRODUCTS, type ProductId } from '../billing-products.ts';
import type { Day, Unit, Zone } from '../time/calendar.ts';
import { formatVersus, type NamedDays, type Versus } from '../time/period.ts';
import { parse } from './generated.js';
import { Calendar, type TextRange, type WordsRefusal } from './phrase-calendar.ts';
import { isKnownWord } from './text-cleanup.ts';

export interface ParsedCommand {
  readonly help: boolean;
  /** An ID of 1 to 32 digits. It may exceed 2^53. */
  readonly project?: string;
  /** In lower case. Never set together with `project`. */
  readonly alias?: string;
  /** Two or more projects in typed order, or all. Then `project` and `alias` are undefined. */
  readonly several?: SeveralProjects;
  readonly product?: ProductId;
  readonly phrase?: NamedDays;
  readonly versus?: Versus;
  /** How many to list, largest first: projects if `several` is `all`, days if `isOfDays`. */
  readonly top?: number;
  readonly isLowest?: true;
  readonly isOfDays?: true;
  readonly unit?: Unit;
  readonly output?: Output;
}

export type ProjectName = { readonly project: string } | { readonly alias: string };

/** @param name a project's ID if it starts with a digit, else its alias */
export const nameOf = (name: string): ProjectName => (/^\d/.test(name) ? { project: name } : { alias: name });

export type SeveralProjects = 'all' | readonly ProjectName[];

/** Makes `prod,123`. */
export const projectList = (several: SeveralProjects): string =>
  several === 'all'
    ? several
    : several.map((named) => ('alias' in named ? named.alias : named.project)).join(',');

export type Words = { readonly [Name in keyof ParsedCommand]?: ParsedCommand[Name] | undefined };

/** Makes a text such as `prod 2026-10 vs 2026-09 storage csv`, which parses to the same command again. */
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

export const rankText = ({ top, isLowest, isOfDays }: Pick<Words, 'top' | 'isLowest' | 'isOfDays'>): string =>
  [(isLowest && 'lowest') || (top !== undefined && 'top'), top, isOfDays && 'days'].filter(Boolean).join(' ');

/** A quick guess. It is wrong only for a project named `csv` or `details`. */
export const mayOpenWindow = (text: string): boolean => /(?:^|\s)(?:csv|details)[?!.,]?(?:\s|$)/i.test(text);

export type Aliases = ReadonlySet<string>;

export const NO_ALIASES: Aliases = new Set();

export interface Reader {
  readonly today: Day;
  readonly zone: Zone;
  /** The day the text was written, if that was before `today`. */
  readonly writtenOn?: Day | undefined;
  readonly aliases: Aliases;
}

export const ANY_DAY_READER: Reader = { today: '2000-01-01', zone: 'UTC', aliases: NO_ALIASES };

/** `budget` answers “are we within budget?”, `over-budget` answers “are we over budget?”. */
export type Output = 'csv' | 'details' | 'why' | 'budget' | 'over-budget';

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

/** Returns where the alias ends, or 0. People may type spaces for the hyphens of an alias: `web shop`. */
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
