/** How answers about several projects are shown: a table, its title, and what is said below it. */
import { type Failure, kindOf } from '../../domain/failure/index.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import { listNames } from '../../domain/wording.ts';
import type { ResolvedProject, UnresolvedProject } from '../../workspace/projects/resolve-project.ts';
import { type Column, clipText, escapeMarkup } from '../kit/blocks.ts';
import type { ProjectAnswer } from './project-answers.ts';

const summarize = ({ kind }: Failure): string => kindOf(kind)?.summary ?? 'no answer';

/**
 * A header, then a row a project in this order, then those that failed, with the reason in short.
 * @param beside a figure in the column of the names, which wraps: a phone has no room for a fourth column
 */
export function projectRows<T extends ProjectAnswer>(
  sorted: readonly T[],
  columns: readonly Column<T>[],
  failed: readonly UnresolvedProject[],
  {
    nameOf = productNames(sorted).nameOf,
    beside,
  }: {
    readonly nameOf?: ProjectNamer;
    readonly beside?: Column<T> | undefined;
  } = {},
): string[][] {
  return [
    [joinParts('Project', beside?.title), ...columns.map(({ title }) => title)],
    ...sorted.map((answer) => [
      joinParts(nameOf(answer.target), beside?.cell(answer)),
      ...columns.map(({ cell }) => cell(answer)),
    ]),
    ...failedRows(failed, columns.length),
  ];
}

/** The projects that failed, with the reason in short in the first of so many columns of figures. */
export const failedRows = (failed: readonly UnresolvedProject[], columns: number): string[][] =>
  failed.map(({ label, failure }) => [label, summarize(failure), ...Array(columns - 1).fill('')]);

/** `prod · 57.1 %` */
const joinParts = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' · ');

type ProjectNamer = (target: ResolvedProject) => string;

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
    // A name says its project's product.
    facts:
      shared === undefined || (shared === USUAL && answered.every(({ target }) => target.isOwnProduct))
        ? []
        : [`${PRODUCTS[shared].name}${products.size > 1 ? ' unless a row names another' : ''}`],
  };
}

const USUAL: ProductId = 1;

/** Whether the amounts of all have the same label: others have no sum. */
export const hasOneCurrency = (answered: readonly ProjectAnswer[]): boolean =>
  new Set(answered.map(({ target }) => target.currency)).size === 1;

/** A warning about projects that run out soon; '' for none. The table says how long each lasts. */
export const runningOutLine = (soon: readonly ProjectAnswer[]): string =>
  soon.length === 0
    ? ''
    : `:warning: *Under 14 days or overdrawn: ${soon.map(({ target }) => escapeMarkup(target.label)).join(', ')}*`;

const LONGEST_REASON = 200;

/** With what the service says about itself, if that is all that is known. */
function reasonOf(failure: Failure): string {
  const { messages = [] } = failure.kind === 'query-rejected' ? failure.data : {};
  return messages.length === 0 ? failure.message : `${failure.message} “${messages.join('” “')}”`;
}

/** `dev: The billing service rejected the token.` A sentence that has the ID needs no “Project 999:” before it. */
export const failedNotes = (failed: readonly UnresolvedProject[]): string[] =>
  failed.map(({ label, project, failure }) => {
    const reason = clipText(reasonOf(failure), LONGEST_REASON);
    const isNamed = label === `Project ${project}` && reason.includes(`project ${project}`);
    return isNamed ? reason : `${label}: ${reason}`;
  });

/** `No figures for dev (no data) and labs (token rejected).`; '' when nothing failed. */
export const failedSentence = (failed: readonly UnresolvedProject[]): string =>
  failed.length === 0
    ? ''
    : `No figures for ${listNames(failed.map(({ label, failure }) => `${label} (${summarize(failure)})`))}.`;
