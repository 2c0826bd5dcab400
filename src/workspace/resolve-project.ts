import {
  ConnectionMissing,
  type Failure,
  isFailure,
  NotAllowed,
  NotConnected,
  ProjectMissing,
  UnsealFailed,
} from '../domain/failure/index.ts';
import type { SeveralProjects } from '../domain/language/command-text.ts';
import { DEFAULT_PRODUCT, type ProductId } from '../domain/product.ts';
import type { Project } from './projects.ts';
import type { Workspace } from './workspaces.ts';

/** What a command names: an ID, an alias, or neither. */
export interface ProjectReference {
  readonly project?: string;
  readonly alias?: string;
  readonly product?: ProductId;
}

/** The project a question is about, and how it is called in the answer. */
export interface ResolvedProject {
  /** 1 to 32 digits */
  readonly project: string;
  readonly product: ProductId;
  /** The alias where the workspace gave one, else `Project 123`. */
  readonly label: string;
  /** What a command types to mean it: the alias, else the ID. */
  readonly word: string;
  readonly alias: string | undefined;
  /** Label beside amounts; '' for none. */
  readonly currency: string;
  /** Name of the connection; the default one where undefined. */
  readonly connection: string | undefined;
}

/** Where and by whom a question is asked. */
export interface AskLocation {
  readonly channel: string | undefined;
  /** Managers may ask about a project anywhere. */
  readonly manager: boolean;
}

/**
 * The project that is meant: by alias, by ID, else the channel's default.
 * @throws ProjectMissing, NotConnected where there is nothing to ask with either, NotAllowed where the project is limited to other channels
 */
export function resolveProject(
  named: ProjectReference,
  record: Workspace,
  place: AskLocation,
): ResolvedProject {
  const project = meant(named, record, place);
  const id = project?.id ?? named.project;
  // Whoever has nothing to ask with is not asked which project first.
  if (id === undefined) throw record.connectionNames.length === 0 ? new NotConnected() : new ProjectMissing();
  const product = named.product ?? project?.product ?? DEFAULT_PRODUCT;
  const limits = limiting(id, product, project, record);
  if (!limits.every((one) => canAskAbout(one, place))) throw new NotAllowed('channel');
  return {
    project: id,
    product,
    label: project?.alias ?? `Project ${id}`,
    word: project?.alias ?? id,
    alias: project?.alias,
    currency: project?.currency ?? record.settings.currency,
    connection: project?.connection,
  };
}

/** A project of several that may not be asked about there, or the failure that says why. */
export interface UnresolvedProject {
  readonly label: string;
  readonly failure: Failure;
}

export type { SeveralProjects } from '../domain/language/command-text.ts';

/** What a command types to mean these projects: `prod,123`. */
export const listWord = (several: SeveralProjects): string =>
  several === 'all' ? several : several.map((one) => ('alias' in one ? one.alias : one.project)).join(',');

/**
 * The projects that are named, each once, or all that may be asked about there.
 * @throws ProjectMissing, NotConnected where none is registered
 */
export function resolveProjects(
  several: SeveralProjects,
  product: ProductId | undefined,
  record: Workspace,
  place: AskLocation,
): readonly (ResolvedProject | UnresolvedProject)[] {
  const names = several === 'all' ? visibleProjects(record, place).map(({ alias }) => ({ alias })) : several;
  if (names.length === 0)
    throw record.connectionNames.length === 0 ? new NotConnected() : new ProjectMissing();
  const resolved = names.map((name) => {
    try {
      return resolveProject({ ...name, ...(product && { product }) }, record, place);
    } catch (failure) {
      if (!isFailure(failure)) throw failure;
      return { label: 'alias' in name ? name.alias : `Project ${name.project}`, failure };
    }
  });
  const keys = resolved.map((one) => ('failure' in one ? one.label : `${one.project}:${one.product}`));
  return resolved.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
}

function meant(named: ProjectReference, record: Workspace, place: AskLocation): Project | undefined {
  if (named.alias !== undefined) return record.project(named.alias);
  return named.project === undefined ? defaultOf(record, place) : registered(named, record);
}

/** A default that was removed, or limited to other channels since it was set, is none, for managers too. */
function defaultOf(record: Workspace, place: AskLocation): Project | undefined {
  const alias = place.channel === undefined ? undefined : record.channelDefault(place.channel);
  const project = alias === undefined ? undefined : record.project(alias);
  return project !== undefined && canAskAbout(project, { ...place, manager: false }) ? project : undefined;
}

/** An ID finds its registration: the only one, or the only one as that product, for aliases may share an ID. */
function registered({ project, product }: ProjectReference, record: Workspace): Project | undefined {
  const same = withId(project, record);
  const exact = same.filter((one) => one.product === (product ?? DEFAULT_PRODUCT));
  const [only, ...others] = product === undefined && same.length === 1 ? same : exact;
  return others.length === 0 ? only : undefined;
}

/**
 * The registrations whose limits hold for a question. A project asked about as what it is obeys its own; an ID that
 * is not clearly one project, or a project asked about as another product, obeys all that it may bring to light.
 */
function limiting(
  id: string,
  product: ProductId,
  project: Project | undefined,
  record: Workspace,
): readonly Project[] {
  if (project?.product === product) return [project];
  const same = withId(id, record);
  const exact = same.filter((one) => one.product === product);
  return [...(project === undefined ? [] : [project]), ...(exact.length > 0 ? exact : same)];
}

/** @throws UnsealFailed where one cannot be read: it may be this one, and limited to channels */
function withId(id: string | undefined, { projects, damagedProjects }: Workspace): readonly Project[] {
  if (damagedProjects.length > 0) throw new UnsealFailed('malformed', undefined, 'project');
  return projects.filter((one) => one.id === id);
}

/** Whether a project may be asked about there. */
export function canAskAbout({ channels }: Project, { channel, manager }: AskLocation): boolean {
  return manager || channels.length === 0 || (channel !== undefined && channels.includes(channel));
}

/** The projects that may be asked about there, by alias. */
export function visibleProjects(record: Workspace, place: AskLocation): readonly Project[] {
  return record.projects.filter((one) => canAskAbout(one, place));
}

/** What billing is asked with, unsealed for this one question. */
export interface OpenedConnection {
  readonly workspace: string;
  /** Name of the connection. */
  readonly connection: string;
  readonly baseUrl: string;
  readonly token: string;
}

/** @throws NotConnected, ConnectionMissing where others are there, UnsealFailed */
export function openConnection(
  record: Workspace,
  { connection: name, label, alias }: Pick<ResolvedProject, 'connection' | 'label' | 'alias'>,
): OpenedConnection {
  const connection = record.connection(name);
  if (connection !== undefined)
    return {
      workspace: record.workspace,
      connection: connection.name,
      baseUrl: connection.baseUrl,
      token: connection.token(),
    };
  if (record.connectionNames.length === 0) throw new NotConnected();
  throw new ConnectionMissing(name, { label, alias });
}

/** Whether the connection that a project names is gone. */
export const isConnectionMissing = ({ connection }: Project, { connectionNames }: Workspace): boolean =>
  connection !== undefined && !connectionNames.includes(connection);
