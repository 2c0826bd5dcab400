/** Decides who may see which project: managers may see all, everyone else only those that their channel may see. */
import type { SlackId } from '../../domain/slack-id.ts';
import { isDamaged, type Workspace } from '../record/workspace.ts';
import type { Project } from './project-record.ts';

/** Where a person asks about projects, and whether channel limits apply. */
export interface ProjectScope {
  /** Undefined in Home and in forms opened from there. */
  readonly channel: SlackId | undefined;
  /** True if a manager asks and nobody else sees the answer. Channel limits then don't apply. */
  readonly isUnlimited: boolean;
}

export const UNLIMITED: ProjectScope = { channel: undefined, isUnlimited: true };

/**
 * The channels where a project may be shown; undefined for all. Every alias of the project must allow the channel. For
 * an unregistered product billing may answer with another product's figures, so the limits of all projects with the ID
 * apply. While a project's record is damaged, unregistered products are shown nowhere.
 */
export function findAllowedChannels(
  { id, product }: Pick<Project, 'id' | 'product'>,
  record: Pick<Workspace, 'projects' | 'damaged'>,
): readonly string[] | undefined {
  const same = record.projects.filter((project) => project.id === id);
  const exact = same.filter((project) => project.product === product);
  if (exact.length === 0 && isDamaged(record, 'project')) return [];
  const [first, ...others] = (exact.length > 0 ? exact : same)
    .map(({ channels }) => channels)
    .filter(({ length }) => length > 0);
  return others.reduce(
    (allowed, channels) => allowed?.filter((channel) => channels.includes(channel)),
    first,
  );
}

/**
 * The project's other aliases, with the channel limit that they take over if this alias changes or is removed. @param
 * after undefined if removed
 */
export function limitOtherNames(
  record: Workspace,
  { alias, id, product }: Project,
  after: Project | undefined,
): readonly Project[] {
  const isMoved = after !== undefined && (after.id !== id || after.product !== product);
  const channels = after?.channels ?? findAllowedChannels({ id, product }, record) ?? [];
  if (isMoved || (after === undefined && channels.length === 0)) return [];
  return record.projects
    .filter((other) => other.alias !== alias && other.id === id && other.product === product)
    .map((other) => ({ ...other, channels: [...channels] }));
}

/** Whether the person who asks, or everyone in the channel, may see the project. */
export function canAskAbout(
  project: Pick<Project, 'id' | 'product'>,
  record: Pick<Workspace, 'projects' | 'damaged'>,
  { channel, isUnlimited }: ProjectScope,
): boolean {
  if (isUnlimited) return true;
  const limit = findAllowedChannels(project, record);
  return limit === undefined || (channel !== undefined && limit.includes(channel));
}

/**
 * Like `canAskAbout`, for messages that Tally sends on its own. A damaged record might contain a limit, so then only
 * managers get them.
 */
export const isShownTo = (
  project: Pick<Project, 'id' | 'product'>,
  record: Pick<Workspace, 'projects' | 'damaged'>,
  scope: ProjectScope,
): boolean =>
  scope.isUnlimited ||
  (!isDamaged(record, 'project') && !isDamaged(record, 'settings') && canAskAbout(project, record, scope));

/** Everyone in the channel reads the answer, so managers get no exception. */
export const limitedProjects = <T extends Pick<Project, 'id' | 'product'>>(
  channel: SlackId,
  projects: readonly T[],
  record: Pick<Workspace, 'projects' | 'damaged'>,
): readonly T[] =>
  projects.filter((project) => !canAskAbout(project, record, { channel, isUnlimited: false }));

export function visibleProjects(record: Workspace, scope: ProjectScope): readonly Project[] {
  return record.projects.filter((project) => canAskAbout(project, record, scope));
}

/** For each ID and product, keeps only the alias that was registered first. */
export function firstNames(projects: readonly Project[]): readonly Project[] {
  const oldest = projects.toSorted((a, b) => a.addedAt - b.addedAt);
  return projects.filter(
    (project) =>
      oldest.find(({ id, product }) => id === project.id && product === project.product) === project,
  );
}
