/** Figures of projects: of one that is asked about, or of several, each of which may fail by itself. */
import pLimit from 'p-limit';
import { type BillingRemark, type Failure, isFailure } from '../../domain/failure/index.ts';
import { projectList, rankText } from '../../domain/language/parsed-command.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import {
  type ProjectReference,
  type ProjectScope,
  type ResolvedProject,
  resolveProject,
  resolveProjects,
  type SeveralProjects,
  type UnresolvedProject,
} from '../../workspace/projects/resolve-project.ts';
import type { Request } from '../request/request.ts';

/** What a command asks about: one project, or a list. */
export interface AskedProjects {
  /** What a command types to name them: `prod`, `prod,123`, `all`, `top 3`. */
  readonly word: string;
  /** What it types after that: the product of a single project; of a list the product that was typed, if any. */
  readonly product: ProductId | undefined;
  readonly targets: readonly (ResolvedProject | UnresolvedProject)[];
  readonly isList: boolean;
  /** How many of them, with the largest amounts, are shown. */
  readonly top?: number;
}

/** @throws what `resolveProject` throws of a single project; project-missing, not-connected if a list is empty */
export function findAskedProjects(
  {
    several,
    top,
    isLowest,
    isOfDays: _,
    ...named
  }: ProjectReference & {
    readonly several?: SeveralProjects;
    readonly top?: number;
    readonly isLowest?: true;
    readonly isOfDays?: true;
  },
  request: ProjectScope & Pick<Request, 'workspace'>,
): AskedProjects {
  if (several === undefined) {
    const target = resolveProject(named, request.workspace, request);
    return { word: target.word, product: target.product, targets: [target], isList: false };
  }
  const { product } = named;
  const targets = resolveProjects(several, product, request.workspace, request);
  const list = { product, targets, isList: true };
  return top === undefined
    ? { ...list, word: projectList(several) }
    : { ...list, word: rankText({ top, isLowest }), top };
}

/** The words of a command about these projects: `prod last-week cloud`. */
export const askedText = ({ word, product }: Pick<AskedProjects, 'word' | 'product'>, ...more: string[]) =>
  [word, ...more, product && PRODUCTS[product].word].filter(Boolean).join(' ');

/** What billing answered about one project; each command has its own figures. */
export interface ProjectAnswer {
  readonly target: ResolvedProject;
  /** The service's remarks about its figures. */
  readonly remarks: readonly BillingRemark[];
}

/** The answers, and why the other projects gave none. */
export interface ProjectAnswers<T extends ProjectAnswer> {
  readonly answered: readonly T[];
  readonly failed: readonly UnresolvedProject[];
}

const AT_ONCE = 4;

/**
 * Asks the same about each project, side by side. One of a list that fails is in `failed`, the others are answered.
 * @throws Failure of a single project, or if all of a list fail for the same reason, and that is not missing data
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
