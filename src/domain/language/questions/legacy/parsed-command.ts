/** The words of a command about projects, and the canonical text that they are written as. */
import { PRODUCTS, type ProductId } from '../../../product.ts';
import type { Output, Versus } from './parse-argument.ts';
import { formatPhrase, type PeriodPhrase } from './periods/period-ast.ts';
import { MONTH_NAMES } from './vocabulary.ts';

export interface ParsedCommand {
  readonly help: boolean;
  /** 1 to 32 digits, never a number. */
  readonly project?: string;
  /** The project by its name in the workspace, in lower case; never together with `project`. */
  readonly alias?: string;
  /** Two projects or more, in the order they were typed, or all that are registered; then neither of the above. */
  readonly several?: SeveralProjects;
  readonly product?: ProductId;
  readonly phrase?: PeriodPhrase;
  /** What the period is compared with, unless that is the period before. */
  readonly versus?: Versus;
  /** How many of all projects, largest amounts first; `several` is `all` then. */
  readonly top?: number;
}

/** The words that every command about projects takes. */
export type SharedWords = Omit<ParsedCommand, 'versus' | 'top'>;

/** A project by its ID or by its name. */
export type ProjectName = { readonly project: string } | { readonly alias: string };

export type SeveralProjects = 'all' | readonly ProjectName[];

/** What a command types to mean these projects: `prod,123`. */
export const projectList = (several: SeveralProjects): string =>
  several === 'all'
    ? several
    : several.map((named) => ('alias' in named ? named.alias : named.project)).join(',');

/** Words to format; what is undefined is left out. */
type SomeWords = { readonly [Name in keyof ParsedCommand]?: ParsedCommand[Name] | undefined };

/** The canonical text, which parses back to the same words: `prod october vs september storage csv`. */
export function formatParsedCommand(
  { project, alias = project, several, top, phrase, versus, product }: SomeWords,
  output?: Output,
): string {
  const projects = (top === undefined ? several && projectList(several) : `top ${top}`) ?? alias;
  const period = phrase && formatPhrase(phrase);
  return [
    projects,
    // Beside a month's name `5` would be its day.
    ENDS_WITH_DAY.test(projects ?? '') && BEGINS_WITH_MONTH.test(period ?? '') && 'in',
    period,
    versus && `vs ${formatVersus(versus)}`,
    product && PRODUCTS[product].word,
    output,
  ]
    .filter(Boolean)
    .join(' ');
}

const ENDS_WITH_DAY = /(?:^|,)(?:[1-9]|[12]\d|3[01])$/;
const BEGINS_WITH_MONTH = new RegExp(`^(?:${MONTH_NAMES.join('|')})`);

/** What follows `vs`: `september`, `last-year`. */
export const formatVersus = (versus: Versus): string =>
  versus === 'year-before' ? 'last-year' : formatPhrase(versus);
