/** How answers about several projects are shown: a table, its title, and what is said below it. */
import { type Failure, kindOf } from '../../domain/failure/index.ts';
import { formatMoney, type Money, sumMoney } from '../../domain/money/amount.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import type { ResolvedProject, UnresolvedProject } from '../../workspace/projects/resolve-project.ts';
import { clipText, escapeMarkup } from '../kit/blocks.ts';
import type { ProjectAnswer, ProjectAnswers } from './project-answers.ts';

const summarize = ({ kind }: Failure): string => kindOf(kind)?.summary ?? 'no answer';

/** A column of a table of projects, beside their names. */
export interface ProjectColumn<T> {
  readonly title: string;
  readonly cell: (answer: T) => string;
}

/**
 * A header, then a row a project in this order, then `others`, then those that failed, with the reason in short.
 * @param beside a figure in the column of the names, which wraps: a phone has no room for a fourth column
 */
export function projectRows<T extends ProjectAnswer>(
  sorted: readonly T[],
  columns: readonly ProjectColumn<T>[],
  failed: readonly UnresolvedProject[],
  {
    nameOf = productNames(sorted).nameOf,
    others = [],
    beside,
  }: {
    readonly nameOf?: ProjectNamer;
    readonly others?: readonly string[][];
    readonly beside?: ProjectColumn<T> | undefined;
  } = {},
): string[][] {
  const blank = columns.slice(1).map(() => '');
  return [
    [joinParts('Project', beside?.title), ...columns.map(({ title }) => title)],
    ...sorted.map((answer) => [
      joinParts(nameOf(answer.target), beside?.cell(answer)),
      ...columns.map(({ cell }) => cell(answer)),
    ]),
    ...others,
    ...failed.map((project) => [project.label, summarize(project.failure), ...blank]),
  ];
}

/** `prod · 57.1 %` */
const joinParts = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' · ');

export type ProjectNamer = (target: ResolvedProject) => string;

/**
 * How the rows name their projects. A product of them all is a fact below; where there are several, rows name those that
 * are not the usual one.
 */
export function productNames(answered: readonly ProjectAnswer[]) {
  const products = new Set(answered.map(({ target }) => target.product));
  const shared = products.size === 1 ? [...products][0] : products.has(USUAL) ? USUAL : undefined;
  return {
    nameOf: ({ label, product }: ResolvedProject): string =>
      product === shared ? label : `${label} (${PRODUCTS[product].name})`,
    facts:
      shared === undefined
        ? []
        : [`${PRODUCTS[shared].name}${products.size > 1 ? ' unless a row names another' : ''}`],
  };
}

const USUAL: ProductId = 1;

/** Whether the amounts of all have the same label: others have no sum. */
export const hasOneCurrency = (answered: readonly ProjectAnswer[]): boolean =>
  new Set(answered.map(({ target }) => target.currency)).size === 1;

/**
 * `2 of 3 projects · 1,234.00 EUR spent`: how many have a figure, and their sum. Amounts of different labels have no
 * sum: each has its own.
 * @param words what was done with the sum, what is said where no project has a figure, and how many projects there are
 */
export function severalTitle<T extends ProjectAnswer>(
  { answered, failed }: ProjectAnswers<T>,
  amountOf: (answer: T) => Money | undefined,
  locale: string,
  {
    verb,
    none = 'no figures',
    count,
  }: { readonly verb: string; readonly none?: string; readonly count?: string },
): string {
  const known = answered.flatMap((answer) => {
    const value = amountOf(answer);
    return value === undefined ? [] : [{ value, label: answer.target.currency }];
  });
  const all = pluralize(answered.length + failed.length, 'project');
  if (known.length === 0) return `${all} · ${none}`;
  const totals = [...new Set(known.map(({ label }) => label))].map((label) => {
    const values = known.filter((figure) => figure.label === label).map(({ value }) => value);
    return formatMoney(sumMoney(values), locale, label);
  });
  const isWhole = known.length === answered.length + failed.length;
  const counted = count ?? (isWhole ? all : `${known.length} of ${all}`);
  return `${counted} · ${totals.join(' and ')} ${verb}`;
}

/** A warning about projects that run out soon; '' for none. The table says how long each lasts. */
export const runningOutLine = (soon: readonly ProjectAnswer[]): string =>
  soon.length === 0
    ? ''
    : `:warning: *Under 14 days or overdrawn: ${soon.map(({ target }) => escapeMarkup(target.label)).join(', ')}*`;

const LONGEST_REASON = 200;

/** `dev: The billing service rejected the token.` A sentence that has the ID needs no “Project 999:” before it. */
export const failedNotes = (failed: readonly UnresolvedProject[]): string[] =>
  failed.map(({ label, project, failure }) => {
    const reason = clipText(failure.message, LONGEST_REASON);
    const isNamed = label === `Project ${project}` && reason.includes(`project ${project}`);
    return isNamed ? reason : `${label}: ${reason}`;
  });

/** `No figures for dev (no data) and labs (token rejected).`; '' when nothing failed. */
export const failedSentence = (failed: readonly UnresolvedProject[]): string =>
  failed.length === 0
    ? ''
    : `No figures for ${listNames(failed.map(({ label, failure }) => `${label} (${summarize(failure)})`))}.`;
