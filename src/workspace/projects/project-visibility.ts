import type { SlackId } from '../../domain/slack-id.ts';
import { isDamaged, type Workspace } from '../record/workspace.ts';
import type { Project } from './project-record.ts';

/** Where and by whom a question is asked. */
export interface ProjectScope {
  /** Undefined in Home and in forms opened from there. */
  readonly channel: SlackId | undefined;
  /** Whether projects' limits to channels don't count: for a manager, where nobody else reads the answer. */
  readonly isUnlimited: boolean;
}

/** No limit on channels, for what is asked before anybody sees the answer. */
export const UNLIMITED: ProjectScope = { channel: undefined, isUnlimited: true };

/**
 * The channels in which a project may be shown; undefined for all. It is limited by each of its names: all of them must
 * allow a channel. The service may answer for a product that nobody registered with the figures of another one, so that
 * one has the limits of every project with the ID, and is shown nowhere if a damaged project may have it.
 */
export function findChannelLimit(
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
 * The project's other names, with the channel limit that they get when this name is changed to `after` or, if that is
 * undefined, removed.
 */
export function limitOtherNames(
  record: Workspace,
  { alias, id, product }: Project,
  after: Project | undefined,
): readonly Project[] {
  const isMoved = after !== undefined && (after.id !== id || after.product !== product);
  const channels = after?.channels ?? findChannelLimit({ id, product }, record) ?? [];
  if (isMoved || (after === undefined && channels.length === 0)) return [];
  return record.projects
    .filter((other) => other.alias !== alias && other.id === id && other.product === product)
    .map((other) => ({ ...other, channels: [...channels] }));
}

/** Whether the project may be shown to this person, or to everybody, in this channel. */
export function canAskAbout(
  project: Pick<Project, 'id' | 'product'>,
  record: Pick<Workspace, 'projects' | 'damaged'>,
  { channel, isUnlimited }: ProjectScope,
): boolean {
  if (isUnlimited) return true;
  const limit = findChannelLimit(project, record);
  return limit === undefined || (channel !== undefined && limit.includes(channel));
}

/**
 * Like `canAskAbout`, for what Tally sends without being asked, which nobody checks first. While a damaged record may
 * hold a limit of the project, only managers get it.
 */
export const isShownTo = (
  project: Pick<Project, 'id' | 'product'>,
  record: Pick<Workspace, 'projects' | 'damaged'>,
  scope: ProjectScope,
): boolean =>
  scope.isUnlimited ||
  (!isDamaged(record, 'project') && !isDamaged(record, 'settings') && canAskAbout(project, record, scope));

/** The projects that the channel may not see. A manager's rights don't count: everyone there reads the message. */
export const limitedProjects = <T extends Pick<Project, 'id' | 'product'>>(
  channel: SlackId,
  projects: readonly T[],
  record: Pick<Workspace, 'projects' | 'damaged'>,
): readonly T[] =>
  projects.filter((project) => !canAskAbout(project, record, { channel, isUnlimited: false }));

/** The projects that the user can ask about in this channel, ordered by alias. */
export function visibleProjects(record: Workspace, scope: ProjectScope): readonly Project[] {
  return record.projects.filter((project) => canAskAbout(project, record, scope));
}
