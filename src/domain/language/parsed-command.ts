/** The words of a command about projects, and the canonical text that they are written as. */
import { PRODUCTS, type ProductId } from '../product.ts';
import type { Unit } from '../time/calendar.ts';
import { formatVersus, type Versus } from '../time/named-comparison.ts';
import type { NamedDays } from '../time/period.ts';
import type { Output } from './items.ts';

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
