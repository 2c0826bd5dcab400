/** Asks billing about several projects, some of which may fail, and names the projects and their failures. */
import pLimit from 'p-limit';
import { PRODUCTS, type ProductId } from '../../domain/billing-products.ts';
import type { BillingWarning } from '../../domain/billing-warnings.ts';
import { type Failure, isFailure, kindOf, withQuestion } from '../../domain/failure/index.ts';
import { WARNING_DAYS } from '../../domain/money/balance-and-runway.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { listNames } from '../../domain/wording.ts';
import type { ResolvedProject, UnresolvedProject } from '../../workspace/projects/resolve-project.ts';
import { type Column, clipText, escapeMarkup } from '../block-kit/blocks.ts';
import type { AskedProjects } from '../commands/asked-projects.ts';
import type { Request } from '../request/request.ts';

export interface ProjectAnswer {
  readonly target: ResolvedProject;
  readonly remarks: readonly BillingWarning[];
}

export interface ProjectAnswers<T extends ProjectAnswer> {
  readonly answered: readonly T[];
  readonly failed: readonly UnresolvedProject[];
}

export interface AnswerView<T extends ProjectAnswer = ProjectAnswer>
  extends ProjectAnswers<T>,
    Pick<Request, 'at' | 'locale' | 'sharedBy' | 'mayShare'> {
  readonly user: Pick<Request['user'], 'canManage' | 'zone'>;
  readonly projects: AskedProjects;
  readonly fetched: Millis;
}

const AT_ONCE = 4;

/** @throws the failure of a single project; for a list, the failure that all its projects share, except no-data */
export async function fetchAnswers<T extends ProjectAnswer>(
  projects: AskedProjects,
  { at, locale, sharedBy, mayShare, user }: Request,
  clock: () => Millis,
  ask: (target: ResolvedProject) => Promise<T>,
): Promise<AnswerView<T>> {
  const limit = pLimit(AT_ONCE);
  const results = await Promise.all(
    projects.targets.map(async (target): Promise<T | UnresolvedProject> => {
      if ('failure' in target) return target;
      try {
        return await limit(() => ask(target));
      } catch (failure) {
        if (!isFailure(failure)) throw failure;
        return { ...target, failure: withQuestion(failure, { name: target.alias }) };
      }
    }),
  );
  const failed = results.filter((result) => 'failure' in result);
  const answered = results.filter((result) => 'target' in result);
  const [first] = failed;
  const isOneCause = first !== undefined && (!projects.isList || isShared(first.failure, failed));
  if (answered.length === 0 && isOneCause) throw first.failure;
  return { projects, answered, failed, fetched: clock(), at, locale, sharedBy, mayShare, user };
}

const isShared = ({ kind }: Failure, failed: readonly UnresolvedProject[]): boolean =>
  kind !== 'no-data' && failed.every(({ failure }) => failure.kind === kind);

const summarize = ({ kind }: Failure): string => kindOf(kind)?.summary ?? 'no answer';

/** @param beside a figure written after the project's name, because phones show only three columns */
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

/** The first column of figures contains the reason. @param columns how many columns of figures the table has */
export const failedRows = (failed: readonly UnresolvedProject[], columns: number): string[][] =>
  failed.map(({ label, failure }) => [label, summarize(failure), ...Array(columns - 1).fill('')]);

const joinParts = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' · ');

type ProjectNamer = (target: ResolvedProject) => string;

/** A product that all projects share is named below the rows. Otherwise, a row names its own, except Cloud platform. */
export function productNames(answered: readonly ProjectAnswer[]) {
  const products = new Set(answered.map(({ target }) => target.product));
  const shared = products.size === 1 ? [...products][0] : products.has(USUAL) ? USUAL : undefined;
  return {
    nameOf: ({ label, product }: ResolvedProject): string =>
      product === shared ? label : `${label} (${PRODUCTS[product].name})`,
    facts:
      shared === undefined || (shared === USUAL && answered.every(({ target }) => target.isOwnProduct))
        ? []
        : [`${PRODUCTS[shared].name}${products.size > 1 ? ', unless a row says otherwise' : ''}`],
  };
}

const USUAL: ProductId = 1;

export const hasOneCurrency = (answered: readonly ProjectAnswer[]): boolean =>
  new Set(answered.map(({ target }) => target.currency)).size === 1;

/** @param names the projects that run out soon @returns '' if there are none */
export const runningOutLine = (names: readonly string[]): string =>
  names.length > 0
    ? `:warning: *Under ${WARNING_DAYS} days or overdrawn: ${escapeMarkup(listNames(names))}*`
    : '';

export const labelsOf = (answers: readonly ProjectAnswer[]): readonly string[] =>
  answers.map(({ target }) => target.label);

const LONGEST_REASON = 200;

function reasonOf(failure: Failure): string {
  const { messages = [] } = failure.kind === 'query-rejected' ? failure.data : {};
  return messages.length === 0 ? failure.message : `${failure.message} “${messages.join('” “')}”`;
}

/** `dev: The billing service rejected the token.` One sentence names all projects with no data for a product. */
export const failedNotes = (failed: readonly UnresolvedProject[]): string[] =>
  failed.flatMap((project) => {
    const { label, failure } = project;
    if (failure.kind !== 'no-data') {
      const reason = clipText(reasonOf(failure), LONGEST_REASON);
      return 'question' in failure.data ? reason : `${label}: ${reason}`;
    }
    const { product } = failure.data.question;
    const [first, ...others] = failed.filter(
      (other) => other.failure.kind === 'no-data' && other.failure.data.question.product === product,
    );
    if (first !== project) return [];
    const names = [first, ...others].map((each) => each.label.replace(/^Project (?=\d)/, 'project '));
    return withQuestion(failure, { name: listNames(names) }).message;
  });

/** `No figures for dev (no data) and labs (token rejected).` Empty if no project failed. */
export const failedSentence = (failed: readonly UnresolvedProject[]): string =>
  failed.length === 0
    ? ''
    : `No figures for ${listNames(failed.map(({ label, failure }) => `${label} (${summarize(failure)})`))}.`;
