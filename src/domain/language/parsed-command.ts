/** What a command's text asks for, and the canonical text that says the same. */
import { PRODUCTS, type ProductId } from '../billing-products.ts';
import type { Unit } from '../time/calendar.ts';
import { formatVersus, type NamedDays, type Versus } from '../time/period.ts';

export interface ParsedCommand {
  readonly help: boolean;
  /** An ID of 1 to 32 digits. It may exceed 2^53. */
  readonly project?: string;
  /** In lower case. Never set together with `project`. */
  readonly alias?: string;
  /** Two or more projects in the order typed, or all projects. Then `project` and `alias` are undefined. */
  readonly several?: SeveralProjects;
  readonly product?: ProductId;
  readonly phrase?: NamedDays;
  readonly versus?: Versus;
  /** How many projects to list, or days if `isOfDays`: the largest, or the smallest if `isLowest`. */
  readonly top?: number;
  readonly isLowest?: true;
  readonly isOfDays?: true;
  readonly unit?: Unit;
  readonly output?: Output;
}

/** `budget` answers “are we within budget?”, `over-budget` answers “are we over budget?”. */
export type Output = 'csv' | 'details' | 'why' | 'budget' | 'over-budget';

export type ProjectName = { readonly project: string } | { readonly alias: string };

/** @param name a project's ID if it starts with a digit, else its alias */
export const toProjectName = (name: string): ProjectName =>
  /^\d/.test(name) ? { project: name } : { alias: name };

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
