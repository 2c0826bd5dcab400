import { isFailure } from '../domain/failure/index.ts';
import { isProductId, isProjectId, type ProductId } from '../domain/product.ts';
import { type AskLocation, resolveProject } from './resolve-project.ts';
import type { Workspace } from './workspace.ts';

/** What a schedule or a watch is about: an ID and a product, so that a project can be renamed or removed. */
export interface ChosenProject {
  /** 1 to 32 digits */
  readonly id: string;
  readonly product: ProductId;
}

/** `123:1`: the value of an option. */
export const projectValue = ({ id, product }: ChosenProject): string => `${id}:${product}`;

/** @returns undefined for a value that `projectValue` did not make */
export function parseProjectValue(value: string): ChosenProject | undefined {
  const [id = '', digit] = value.split(':');
  const product = Number(digit);
  return isProjectId(id) && isProductId(product) ? { id, product } : undefined;
}

export const isSameProject = (a: ChosenProject, b: ChosenProject): boolean =>
  a.id === b.id && a.product === b.product;

/** Whether a project may be shown there, as far as is known: a damaged record may limit it. */
export function isShownTo({ id, product }: ChosenProject, workspace: Workspace, place: AskLocation): boolean {
  try {
    return place.manager || resolveProject({ project: id, product }, workspace, place).project === id;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return false;
  }
}

/** The projects that the channel may not see. A manager's rights don't count: everyone there reads the message. */
export function limitedProjects(
  channel: string,
  projects: readonly ChosenProject[],
  workspace: Workspace,
): readonly ChosenProject[] {
  return projects.filter(({ id, product }) => {
    try {
      resolveProject({ project: id, product }, workspace, { channel, manager: false });
      return false;
    } catch (error) {
      if (isFailure(error) && error.kind === 'not-allowed') return true;
      throw error;
    }
  });
}
