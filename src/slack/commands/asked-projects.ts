/** Finds the projects that a command names, and makes the command that asks about given projects. */
import { PRODUCTS, type ProductId } from '../../domain/billing-products.ts';
import type { SlashCommand } from '../../domain/command-names.ts';
import { type ParsedCommand, rankText } from '../../domain/language/parsed-command.ts';
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
import type { Request } from '../request/request.ts';

export interface AskedProjects {
  readonly word: string;
  readonly product: ProductId | undefined;
  readonly targets: readonly (ResolvedProject | UnresolvedProject)[];
  readonly isList: boolean;
  readonly top?: number;
}

/** @throws project-missing or not-connected for an empty list; for a single project, what `resolveProject` throws */
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
  // Even if a manager shares the answer, it leaves out projects that the channel must not see.
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
