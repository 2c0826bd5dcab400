/** Finds the projects that people type, and decides who may see which project. */

import { DEFAULT_PRODUCT, type ProductId } from '../../domain/billing-products.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import type { SeveralProjects } from '../../domain/language/parsed-command.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import {
  findConnection,
  findProject,
  isDamaged,
  requireSettings,
  type Workspace,
} from '../record/workspace.ts';
import type { Project } from './project-record.ts';

export interface ProjectReference {
  readonly project?: string;
  readonly alias?: string;
  readonly product?: ProductId;
}

export interface ResolvedProject {
  readonly project: string;
  readonly product: ProductId;
  /** The project's name in messages: the alias, or `Project 123`. */
  readonly label: string;
  readonly word: string;
  readonly alias: string | undefined;
  /** True if the project's name implies the product. Answers then needn't name the product. */
  readonly isOwnProduct: boolean;
  readonly currency: string;
  readonly connection: string | undefined;
}

/**
 * Without an alias or ID, takes the channel's default project. @throws project-missing if there is none, or
 * not-connected without any connection; not-allowed if the project is limited to other channels; unseal-failed if
 * damaged
 */
export function resolveProject(
  named: ProjectReference,
  record: Workspace,
  scope: ProjectScope,
): ResolvedProject {
  const project = findRegistration(named, record, scope);
  const id = project?.id ?? named.project;
  // Say “not connected” first: choosing a project wouldn't help.
  if (id === undefined)
    throw record.connectionNames.length === 0 ? new Failure('not-connected') : new Failure('project-missing');
  const product = named.product ?? project?.product ?? DEFAULT_PRODUCT;
  // For a wrong product billing may answer with the registered project's figures, so that project's limits apply, too.
  const registered = project === undefined ? [] : [project];
  const asked = [{ id, product }, ...registered];
  const mayAskIn = (where: ProjectScope) => asked.every((project) => canAskAbout(project, record, where));
  if (!mayAskIn(scope)) {
    const limits = asked.flatMap((project) => findAllowedChannels(project, record) ?? []);
    const channels = [...new Set(limits)].filter((channel) => mayAskIn({ channel, isUnlimited: false }));
    // A person who typed an ID may not learn the project's name.
    const limited = { label: named.alias ?? `Project ${id}`, channels };
    throw new Failure('not-allowed', { reason: 'channel', limited });
  }
  const { alias, connection, currency = requireSettings(record).currency } = project ?? {};
  return {
    project: id,
    product,
    label: alias ?? `Project ${id}`,
    word: alias ?? id,
    alias,
    connection,
    currency,
    isOwnProduct: project?.product === product,
  };
}

/** A project in the user's list that the user can't ask about, and why. */
export interface UnresolvedProject {
  readonly label: string;
  /** The project's ID, or what the user typed if the user may not learn the ID. */
  readonly project: string;
  readonly product: ProductId | undefined;
  readonly failure: Failure;
}

/**
 * Finds each listed project once; for `all`, those that the user can ask about. @throws project-missing, or
 * not-connected without any connection
 */
export function resolveProjects(
  several: SeveralProjects,
  product: ProductId | undefined,
  record: Workspace,
  scope: ProjectScope,
): readonly (ResolvedProject | UnresolvedProject)[] {
  const names = several === 'all' ? visibleProjects(record, scope).map(({ alias }) => ({ alias })) : several;
  if (names.length === 0)
    throw record.connectionNames.length === 0 ? new Failure('not-connected') : new Failure('project-missing');
  const resolved = names.map((name) => {
    try {
      return resolveProject({ ...name, ...(product && { product }) }, record, scope);
    } catch (failure) {
      if (!isFailure(failure)) throw failure;
      const typed = 'alias' in name ? name.alias : name.project;
      return {
        label: 'alias' in name ? typed : `Project ${typed}`,
        project: typed,
        product,
        failure,
      };
    }
  });
  const keys = resolved.map((found) =>
    'failure' in found ? found.label : `${found.project}:${found.product}`,
  );
  return resolved.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
}

function findRegistration(
  named: ProjectReference,
  record: Workspace,
  scope: ProjectScope,
): Project | undefined {
  if (named.alias !== undefined) return findProject(record, named.alias);
  return named.project === undefined ? findChannelDefault(record, scope) : findById(named, record);
}

/** Ignores a default project that was since removed or limited to other channels, for managers, too. */
function findChannelDefault(record: Workspace, scope: ProjectScope): Project | undefined {
  const alias = scope.channel === undefined ? undefined : record.channelDefault(scope.channel);
  const project = alias === undefined ? undefined : findProject(record, alias);
  if (project === undefined) return undefined;
  return canAskAbout(project, record, { ...scope, isUnlimited: false }) ? project : undefined;
}

/**
 * The only project with this ID and product. Several aliases can share an ID. @throws unseal-failed if any project is
 * damaged, because that one might have this ID and a channel limit
 */
function findById({ project: id, product }: ProjectReference, record: Workspace): Project | undefined {
  if (isDamaged(record, 'project'))
    throw new Failure('unseal-failed', { reason: 'malformed', what: 'project' });
  const same = record.projects.filter((project) => project.id === id);
  const exact = same.filter((project) => project.product === (product ?? DEFAULT_PRODUCT));
  const [only, ...others] = product === undefined && same.length === 1 ? same : exact;
  return others.length === 0 ? only : undefined;
}

export interface OpenedConnection {
  readonly workspace: SlackId;
  readonly connection: string;
  readonly baseUrl: string;
  readonly token: string;
  readonly failures: Workspace['failures'];
}

/** @throws not-connected without any connection; connection-missing if this one was removed; unseal-failed */
export function openConnection(
  record: Workspace,
  { connection: name, label, alias }: Pick<ResolvedProject, 'connection' | 'label' | 'alias'>,
): OpenedConnection {
  const connection = findConnection(record, name);
  if (connection !== undefined)
    return {
      workspace: record.teamId,
      connection: connection.name,
      baseUrl: connection.baseUrl,
      token: connection.token(),
      failures: record.failures,
    };
  if (record.connectionNames.length === 0) throw new Failure('not-connected');
  throw new Failure('connection-missing', { connection: name, project: { label, alias } });
}

export const isConnectionMissing = ({ connection }: Project, { connectionNames }: Workspace): boolean =>
  connection !== undefined && !connectionNames.includes(connection);

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
 * apply. While a damaged project might have the ID, such a product is shown nowhere.
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
