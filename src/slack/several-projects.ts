import pLimit from 'p-limit';
import { type Failure, isFailure } from '../domain/failure/index.ts';
import type { ProductId } from '../domain/product.ts';
import {
  type ResolvedProject,
  resolveProjects,
  type SeveralProjects,
  type UnresolvedProject,
} from '../workspace/resolve-project.ts';
import { askLocation, type Request } from './request.ts';

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
        return { label: target.label, failure };
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
