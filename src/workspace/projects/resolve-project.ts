/** Finds the projects that people type, and the connections to ask about them. */
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
import {
  canAskAbout,
  findAllowedChannels,
  firstNames,
  type ProjectScope,
  visibleProjects,
} from './project-scope.ts';

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
 * not-connected if there is no connection; not-allowed if the project is limited to other channels; unseal-failed if a
 * record is damaged
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
 * not-connected if there is no connection
 */
export function resolveProjects(
  several: SeveralProjects,
  product: ProductId | undefined,
  record: Workspace,
  scope: ProjectScope,
): readonly (ResolvedProject | UnresolvedProject)[] {
  const names =
    several === 'all' ? firstNames(visibleProjects(record, scope)).map(({ alias }) => ({ alias })) : several;
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

/** Ignores a default project that was removed or limited to other channels, even if a manager asks. */
function findChannelDefault(record: Workspace, scope: ProjectScope): Project | undefined {
  const alias = scope.channel === undefined ? undefined : record.channelDefault(scope.channel);
  const project = alias === undefined ? undefined : findProject(record, alias);
  if (project === undefined) return undefined;
  return canAskAbout(project, record, { ...scope, isUnlimited: false }) ? project : undefined;
}

/**
 * Without a product, takes the ID's only registered product, or else the default one.
 * @throws unseal-failed if any project is damaged, because that project might have this ID and a channel limit
 */
function findById({ project: id, product }: ProjectReference, record: Workspace): Project | undefined {
  if (isDamaged(record, 'project'))
    throw new Failure('unseal-failed', { reason: 'malformed', what: 'project' });
  const same = firstNames(record.projects.filter((project) => project.id === id));
  const [only, ...others] = same;
  if (product === undefined && others.length === 0) return only;
  return same.find((project) => project.product === (product ?? DEFAULT_PRODUCT));
}

export interface OpenedConnection {
  readonly workspace: SlackId;
  readonly connection: string;
  readonly baseUrl: string;
  readonly token: string;
  readonly failures: Workspace['failures'];
}

/** @throws not-connected if there is no connection; connection-missing if `name` was removed; unseal-failed */
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
