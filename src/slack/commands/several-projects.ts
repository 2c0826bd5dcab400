import pLimit from 'p-limit';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import { listNames, pluralize } from '../../domain/language/text.ts';
import { formatMoney, type Money, sumMoney } from '../../domain/money/amount.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import {
  type ResolvedProject,
  resolveProjects,
  type SeveralProjects,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import { clipText } from '../kit/limits.ts';
import { askLocation, type Request } from '../request/request.ts';

/** Projects asked about at a time: the service answers others too. */
const AT_ONCE = 4;

/** The answers, and why the other projects gave none. */
export interface ProjectAnswers<T> {
  readonly answered: readonly T[];
  readonly failed: readonly UnresolvedProject[];
}

/**
 * Asks the same about several projects, side by side. One that fails is in `failed`, the others are answered.
 * @throws Failure if all fail for the same reason, and that is not missing data
 */
export async function askEach<T extends object>(
  several: SeveralProjects,
  product: ProductId | undefined,
  request: Request,
  ask: (target: ResolvedProject) => Promise<T>,
): Promise<ProjectAnswers<T>> {
  const limit = pLimit(AT_ONCE);
  const projects = resolveProjects(several, product, request.workspace, askLocation(request));
  const results = await Promise.all(
    projects.map(async (target): Promise<{ answer: T } | UnresolvedProject> => {
      if ('failure' in target) return target;
      try {
        return { answer: await limit(() => ask(target)) };
      } catch (failure) {
        if (!isFailure(failure)) throw failure;
        return { ...target, failure };
      }
    }),
  );
  const failed = results.flatMap((one) => ('failure' in one ? [one] : []));
  const answered = results.flatMap((one) => ('answer' in one ? [one.answer] : []));
  const [first] = failed;
  if (answered.length === 0 && first !== undefined && isShared(first.failure, failed)) throw first.failure;
  return { answered, failed };
}

const isShared = ({ kind }: Failure, failed: readonly UnresolvedProject[]): boolean =>
  kind !== 'no-data' && failed.every(({ failure }) => failure.kind === kind);

type Answered = ProjectAnswers<{ readonly target: ResolvedProject }>['answered'];

/**
 * `2 of 3 projects · 1,234.00 EUR spent`: how many have a figure, and their sum. Amounts of different labels have no
 * sum: each has its own.
 *
 * @param words what was done with the sum, and what is said where no project has a figure
 */
export function severalTitle<T extends Answered[number]>(
  { answered, failed }: ProjectAnswers<T>,
  amountOf: (one: T) => Money | undefined,
  locale: string,
  { verb, none = 'no figures' }: { readonly verb: string; readonly none?: string },
): string {
  const known = answered.flatMap((one) => {
    const value = amountOf(one);
    return value === undefined ? [] : [{ value, label: one.target.currency }];
  });
  const count = pluralize(answered.length + failed.length, 'project');
  if (known.length === 0) return `${count} · ${none}`;
  const totals = [...new Set(known.map(({ label }) => label))].map((label) => {
    const values = known.filter((one) => one.label === label).map(({ value }) => value);
    return formatMoney(sumMoney(values), locale, label);
  });
  const isWhole = known.length === answered.length + failed.length;
  return `${isWhole ? count : `${known.length} of ${count}`} · ${totals.join(' and ')} ${verb}`;
}

/** How the rows name their projects: with the product where there are several; a single one is a fact about them all. */
export function productNames(answered: Answered) {
  const products = new Set(answered.map(({ target }) => target.product));
  const [only] = products;
  return {
    nameOf: ({ label, product }: ResolvedProject): string =>
      products.size > 1 ? `${label} (${PRODUCTS[product].name})` : label,
    facts: products.size === 1 && only !== undefined ? [PRODUCTS[only].name] : [],
  };
}

/** A row for each project that failed, under a table's header: its name and the reason. */
export const failedRows = (failed: readonly UnresolvedProject[], header: readonly string[]): string[][] =>
  failed.map((one) => header.map((_, at) => [one.label, one.failure.brief][at] ?? ''));

const LONGEST_REASON = 200;

export const failedNotes = (failed: readonly UnresolvedProject[]): string[] =>
  failed.map(({ label, failure }) => `${label}: ${clipText(failure.message, LONGEST_REASON)}`);

/** `No figures for dev (no data) and labs (token rejected).`; '' when nothing failed. */
export const failedSentence = (failed: readonly UnresolvedProject[]): string =>
  failed.length === 0
    ? ''
    : `No figures for ${listNames(failed.map((one) => `${one.label} (${one.failure.brief})`))}.`;
