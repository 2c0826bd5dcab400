/** Fetches figures for a project, or for several where each can fail on its own. */

import pLimit from 'p-limit';
import { PRODUCTS, type ProductId } from '../../domain/billing-products.ts';
import type { SlashCommand } from '../../domain/command-names.ts';
import { type BillingRemark, type Failure, isFailure, kindOf } from '../../domain/failure/index.ts';
import { type ParsedCommand, rankText } from '../../domain/language/parsed-command.ts';
import { listNames } from '../../domain/wording.ts';
import { type ChosenProject, findNamed } from '../../workspace/projects/chosen-project.ts';
import type { ProjectScope } from '../../workspace/projects/project-scope.ts';
import {
  type ProjectReference,
  type ResolvedProject,
  resolveProject,
  resolveProjects,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { AskedQuestion } from '../../workspace/thread-store.ts';
import { type Column, clipText, escapeMarkup } from '../block-kit/blocks.ts';
import type { Request } from '../request/request.ts';

export interface AskedProjects {
  readonly word: string;
  readonly product: ProductId | undefined;
  readonly targets: readonly (ResolvedProject | UnresolvedProject)[];
  readonly isList: boolean;
  readonly top?: number;
}

/** @throws for a single project, what `resolveProject` throws; for an empty list, project-missing or not-connected */
export function findAskedProjects(
  named: ProjectReference & Pick<ParsedCommand, 'several' | 'top' | 'isLowest'>,
  request: ProjectScope & Pick<Request, 'workspace'> & Partial<Pick<Request, 'sharedFrom'>>,
): AskedProjects {
  const { several, product, top, isLowest } = named;
  if (several === undefined) {
    const target = resolveProject(named, request.workspace, request);
    return { word: target.word, product: target.product, targets: [target], isList: false };
  }
  const found = resolveProjects(several, product, request.workspace, request);
  const allowed = found.filter((target) => !('failure' in target) || target.failure.kind !== 'not-allowed');
  // A shared answer leaves out projects that the channel must not see, even if the person who shares it can see them.
  const targets = request.sharedFrom === undefined || allowed.length === 0 ? found : allowed;
  const words = targets.map((target) => ('word' in target ? target.word : target.project));
  const word = several === 'all' ? several : words.join(',');
  const list = { product, targets, isList: true };
  return top === undefined ? { ...list, word } : { ...list, word: rankText({ top, isLowest }), top };
}

export const askedText = ({ word, product }: Pick<AskedProjects, 'word' | 'product'>, ...more: string[]) =>
  [word, ...more, product && PRODUCTS[product].word].filter(Boolean).join(' ');

/** @param words the period and comparison @returns undefined if no single command can ask about all these projects */
export function followUpQuestion(
  command: SlashCommand,
  projects: readonly ChosenProject[],
  words: string,
  workspace: Workspace,
): AskedQuestion | undefined {
  const named = projects.map((project) => findNamed(project, workspace));
  const products = new Set(named.includes(undefined) ? projects.map(({ product }) => product) : []);
  const [product, ...others] = products;
  if (projects.length === 0 || others.length > 0) return undefined;
  const word = projects.map(({ id }, at) => named[at]?.alias ?? id).join(',');
  const ids = named.flatMap((project) => (project ? [[project.alias, project.id]] : []));
  return { command, text: askedText({ word, product }, words), ids: Object.fromEntries(ids) };
}

export interface ProjectAnswer {
  readonly target: ResolvedProject;
  readonly remarks: readonly BillingRemark[];
}

export interface ProjectAnswers<T extends ProjectAnswer> {
  readonly answered: readonly T[];
  readonly failed: readonly UnresolvedProject[];
}

const AT_ONCE = 4;

/**
 * In a list, a project without figures goes to `failed`. @throws a single project's failure; for a list, the failure
 * that all projects share, unless it is missing data
 */
export async function fetchEach<T extends ProjectAnswer>(
  { targets, isList }: Pick<AskedProjects, 'targets' | 'isList'>,
  ask: (target: ResolvedProject) => Promise<T>,
): Promise<ProjectAnswers<T>> {
  const limit = pLimit(AT_ONCE);
  const results = await Promise.all(
    targets.map(async (target): Promise<T | UnresolvedProject> => {
      if ('failure' in target) return target;
      try {
        return await limit(() => ask(target));
      } catch (failure) {
        if (!isFailure(failure)) throw failure;
        return { ...target, failure };
      }
    }),
  );
  const failed = results.filter((result) => 'failure' in result);
  const answered = results.filter((result) => 'target' in result);
  const [first] = failed;
  if (answered.length === 0 && first !== undefined && (!isList || isShared(first.failure, failed)))
    throw first.failure;
  return { answered, failed };
}

const isShared = ({ kind }: Failure, failed: readonly UnresolvedProject[]): boolean =>
  kind !== 'no-data' && failed.every(({ failure }) => failure.kind === kind);

const summarize = ({ kind }: Failure): string => kindOf(kind)?.summary ?? 'no answer';

/**
 * Draws a header, a row per answer, and a row per failure. @param beside a figure after the name, because phones fit
 * three columns
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

/** The reason stands in the first of the columns for figures. @param columns how many these are */
export const failedRows = (failed: readonly UnresolvedProject[], columns: number): string[][] =>
  failed.map(({ label, failure }) => [label, summarize(failure), ...Array(columns - 1).fill('')]);

const joinParts = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' · ');

type ProjectNamer = (target: ResolvedProject) => string;

/** If all projects have the same product, it is named below the rows. Otherwise rows name all but Cloud platform. */
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

export const runningOutLine = (soon: readonly ProjectAnswer[]): string =>
  soon.length === 0
    ? ''
    : `:warning: *Under 14 days or overdrawn: ${soon.map(({ target }) => escapeMarkup(target.label)).join(', ')}*`;

const LONGEST_REASON = 200;

function reasonOf(failure: Failure): string {
  const { messages = [] } = failure.kind === 'query-rejected' ? failure.data : {};
  return messages.length === 0 ? failure.message : `${failure.message} “${messages.join('” “')}”`;
}

/** `dev: The billing service rejected the token.` A sentence that names the project's ID gets no prefix. */
export const failedNotes = (failed: readonly UnresolvedProject[]): string[] =>
  failed.map(({ label, project, failure }) => {
    const reason = clipText(reasonOf(failure), LONGEST_REASON);
    const isNamed = label === `Project ${project}` && reason.includes(`project ${project}`);
    return isNamed ? reason : `${label}: ${reason}`;
  });

/** `No figures for dev (no data) and labs (token rejected).` Empty if no project failed. */
export const failedSentence = (failed: readonly UnresolvedProject[]): string =>
  failed.length === 0
    ? ''
    : `No figures for ${listNames(failed.map(({ label, failure }) => `${label} (${summarize(failure)})`))}.`;
