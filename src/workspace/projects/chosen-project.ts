/** References to projects in schedules, watches and menus: how they are stored, found and named. */
import type * as z from 'zod';
import { DEFAULT_PRODUCT, isProductId, isProjectId, PRODUCTS } from '../../domain/billing-products.ts';
import { type MoneyFormatter, moneyFormatter } from '../../domain/money/amount.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { projectChoice } from '../record/record-schemas.ts';
import type { Workspace } from '../record/workspace.ts';
import { isAlias, type Project } from './project-record.ts';
import { canAskAbout, firstNames, type ProjectScope, UNLIMITED } from './project-scope.ts';
import type { ProjectReference, ResolvedProject } from './resolve-project.ts';

/** `alias`: the name under which a person chose the project. */
export type ChosenProject = Readonly<z.infer<typeof projectChoice>>;

export const chosenProject = ({ project: id, product, alias }: ResolvedProject): ChosenProject => ({
  id,
  product,
  ...(alias !== undefined && { alias }),
});

/** `123:1`: a project's ID and product, whatever its alias. */
export const projectKey = ({ id, product }: ChosenProject): string => `${id}:${product}`;

/** `123:1` or `123:1:prod`: the value of a project's option in a menu. */
export const projectValue = ({ id, product, alias }: ChosenProject): string =>
  [id, product, alias].filter((part) => part !== undefined).join(':');

/** @returns undefined if `projectValue` can't have made this value */
export function parseProjectValue(value: string): ChosenProject | undefined {
  const [id = '', digit, alias] = value.split(':');
  const product = Number(digit);
  if (!isProjectId(id) || !isProductId(product)) return undefined;
  return { id, product, ...(alias !== undefined && isAlias(alias) && { alias }) };
}

export const isSameProject = (a: ChosenProject, b: ChosenProject): boolean => projectKey(a) === projectKey(b);

/** Finds the project with the chosen alias, or else with the chosen ID and product. */
export function findNamed(
  chosen: ChosenProject,
  { projects }: Pick<Workspace, 'projects'>,
): Project | undefined {
  const same = projects.filter((project) => isSameProject(project, chosen));
  return same.find(({ alias }) => alias === chosen.alias) ?? firstNames(same)[0];
}

/** May name a connection that has been removed. '' if the project has no connection. */
export const connectionNameOf = (project: ChosenProject, workspace: Workspace): string =>
  findNamed(project, workspace)?.connection ?? workspace.defaultConnection ?? '';

export const connectionsOf = (
  { projects }: { readonly projects: readonly ChosenProject[] },
  workspace: Workspace,
): readonly string[] => projects.map((project) => connectionNameOf(project, workspace));

/** Whether the projects have the same connections with the same tokens in both records. */
export const hasSameConnections = (
  item: { readonly projects: readonly ChosenProject[] },
  before: Workspace,
  now: Workspace,
): boolean =>
  connectionsOf(item, before).every((name, at) => {
    const field = FIELDS.connection + name;
    return name === connectionsOf(item, now)[at] && before.fields[field] === now.fields[field];
  });

/** Writes the project's amounts with its currency. */
export type ProjectMoneyFormatter = MoneyFormatter & { readonly locale: string };

export function projectMoneyFormatter(
  project: ChosenProject,
  workspace: Workspace,
  locale: string,
): ProjectMoneyFormatter {
  return Object.assign(moneyFormatter(locale, currencyOf(project, workspace)), { locale });
}

export const currencyOf = (
  project: ChosenProject,
  workspace: Pick<Workspace, 'projects' | 'settings'>,
): string => findNamed(project, workspace)?.currency ?? workspace.settings.currency;

export function referenceTo(chosen: ChosenProject, workspace: Workspace): ProjectReference {
  const { alias } = findNamed(chosen, workspace) ?? {};
  return alias === undefined
    ? { project: chosen.id, product: chosen.product }
    : { alias, product: chosen.product };
}

/** The chosen alias, or else the project's first alias, or else its ID. */
export const projectLabel = (project: ChosenProject, workspace: Workspace): string =>
  findNamed(project, workspace)?.alias ?? projectIdLabel(project);

/** For people who may not see the project's alias. */
export function projectIdLabel({ id, product }: ChosenProject): string {
  return product === DEFAULT_PRODUCT ? `Project ${id}` : `Project ${id} (${PRODUCTS[product].name})`;
}

export const HIDDEN_PROJECT = 'a project you can’t ask about here';

/** `prod, web-shop` @param scope where people read the list; without a scope, no project is hidden */
export function describeProjects(
  { projects }: { readonly projects: readonly ChosenProject[] },
  workspace: Workspace,
  scope: ProjectScope = UNLIMITED,
): string {
  const shown = projects.filter((project) => canAskAbout(project, workspace, scope));
  const hidden = projects.length - shown.length;
  return [
    ...shown.map((project) => projectLabel(project, workspace)),
    ...(hidden === 0 ? [] : [hidden === 1 ? HIDDEN_PROJECT : `${hidden} projects you can’t ask about here`]),
  ].join(', ');
}
