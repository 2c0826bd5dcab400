import { NotAllowed, NotConnected, ProjectMissing } from '../domain/failure.ts';
import { DEFAULT_PRODUCT, type ProductId } from '../domain/product.ts';
import type { Project } from './projects.ts';
import type { WorkspaceRecord } from './workspaces.ts';

/** What a command names: an ID, an alias, or neither. */
export interface Named {
  readonly project?: string;
  readonly alias?: string;
  readonly product?: ProductId;
}

/** The project a question is about, and how it is called in the answer. */
export interface Target {
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
export interface Place {
  readonly channel: string | undefined;
  /** Managers may ask about a project anywhere. */
  readonly manager: boolean;
}

/**
 * The project that is meant: by alias, by ID (a registered project's limits count for its ID too), else the
 * channel's default.
 * @throws ProjectMissing, NotAllowed where the project is limited to other channels
 */
export function targetOf(named: Named, record: WorkspaceRecord, place: Place): Target {
  const alias = named.alias ?? (named.project === undefined ? defaultOf(record, place) : undefined);
  if (alias === undefined && named.project === undefined) throw new ProjectMissing();
  const project = alias === undefined ? registered(named, record) : record.project(alias);
  const limits =
    alias === undefined ? record.projects.filter(({ id }) => id === named.project) : project ? [project] : [];
  if (!limits.every((one) => mayAsk(one, place))) throw new NotAllowed('channel');
  const id = project?.id ?? named.project;
  if (id === undefined) throw new ProjectMissing();
  return {
    project: id,
    product: named.product ?? project?.product ?? DEFAULT_PRODUCT,
    label: project?.alias ?? `Project ${id}`,
    word: project?.alias ?? id,
    alias: project?.alias,
    currency: project?.currency ?? record.settings.currency,
    connection: project?.connection,
  };
}

const defaultOf = (record: WorkspaceRecord, { channel }: Place): string | undefined =>
  channel === undefined ? undefined : record.channelDefault(channel);

/** An ID finds its registration only when that is the only one: two aliases may share an ID with other products. */
function registered({ project, product }: Named, record: WorkspaceRecord): Project | undefined {
  const same = record.projects.filter(
    (one) => one.id === project && (product === undefined || one.product === product),
  );
  return same.length === 1 ? same[0] : undefined;
}

/** Whether a project may be asked about there. */
export function mayAsk({ channels }: Project, { channel, manager }: Place): boolean {
  return manager || channels.length === 0 || (channel !== undefined && channels.includes(channel));
}

/** What billing is asked with, unsealed for this one question. @throws NotConnected, SealBroken */
export function accessOf(
  record: WorkspaceRecord,
  name?: string,
): { readonly baseUrl: string; readonly token: string } {
  const connection = record.connection(name);
  if (connection === undefined) throw new NotConnected();
  return { baseUrl: connection.baseUrl, token: connection.token() };
}
