import type { Button } from '@slack/types';
import type { ActionName, CommandName } from '../../domain/commands.ts';
import type { OwnedStore } from '../../workspace/owned/owned-store.ts';
import type { Workspace, Workspaces } from '../../workspace/record/workspaces.ts';
import type { Request } from '../request/request.ts';
import { canEditOwned, isFullMember, type ListViewer, notOwner, type OwnedItem } from './ownership.ts';

/** What a person who may change an item does with it. */
export type OwnerAction<T> = (item: T, request: Request) => Promise<void>;

/**
 * What schedules and watches each supply to the list, the buttons and the form that they share.
 * @template Details what a row shows that is not in the record
 */
export interface OwnedKind<T extends OwnedItem = OwnedItem, Details = unknown> {
  readonly kind: 'schedule' | 'watch';
  readonly plural: 'schedules' | 'watches';
  /** What it is called in a sentence to everyone. */
  readonly noun: 'scheduled post' | 'watch';
  /** What goes to its target. */
  readonly sends: 'posts' | 'alerts';
  /** How many a workspace may have. */
  readonly max: number;
  readonly commands: { readonly create: CommandName; readonly list: CommandName };
  /** Action IDs; the value of a row's menu is an action and the ID. `manage` shows the list where the announcement is. */
  readonly actions: Readonly<Record<'row' | 'undo' | 'drop' | 'list' | 'manage', ActionName>>;
  readonly words: OwnedWords<T>;
  readonly workspaces: Pick<Workspaces, 'read' | 'dropDamaged'>;
  readonly store: OwnedStore<T>;
  /** After a change: plans again what Tally does by itself. @throws StoreUnavailable */
  changed(teamId: string): Promise<void>;
  /** In the order they were created. */
  all(workspace: Workspace): readonly T[];
  /** IDs of all of them, damaged ones too. */
  ids(workspace: Workspace): readonly string[];
  /** @throws UnsealFailed when its record is damaged */
  find(workspace: Workspace, id: string): T | undefined;
  /** Whether people who may not change it see it where they ask. */
  isShownHere(item: T, viewer: ListViewer): boolean;
  /** @throws StoreUnavailable */
  load(request: Request): Promise<Details>;
  /** One item as lines of mrkdwn. What the reader may not ask about is neither named nor said to have failed. */
  describe(item: T, reader: Request, details: Details): string;
  /** What its menu offers besides pausing, editing and deleting. */
  choices(item: T, viewer: Request): readonly (readonly [label: string, action: string])[];
  /** Buttons below the list, before the one that sets up another. */
  listButtons?(viewer: Request): readonly Button[];
  /** By the second part of a row's choice; pausing, resuming, editing and deleting are shared. */
  readonly ownerActions: Readonly<Record<string, OwnerAction<T>>>;
  paused(item: T, request: Request): T;
  resumed(item: T, request: Request): T;
}

/** Sentences are plain unless they say mrkdwn. */
export interface OwnedWords<T> {
  /** `Scheduled posts` */
  readonly title: string;
  /** `2 scheduled posts` */
  count(items: number): string;
  /** The label of the button that opens the form. */
  readonly create: string;
  /** What the list says when it is empty. */
  readonly none: string;
  /** What Tally can't do with a damaged one: `post`. */
  readonly does: string;
  /** Which ones the list shows to people who don't manage Tally. */
  readonly shownHere: string;
  /** What it is, without its target, as mrkdwn within a sentence, for people who may see all of it. */
  summary(item: T, reader: Pick<Request, 'workspace' | 'locale'>): string;
  /** For the audit trail. */
  auditText(item: T, workspace: Workspace): string;
  deleted(item: T, request: Request): string;
  readonly paused: string;
  /** Undefined if it was not paused and that needs no word. */
  resumed(item: T): string | undefined;
  readonly adopted: string;
}

/** The user's own, those that concern this place, and for managers all; nothing for guests. Oldest first. */
export const visibleItems = <T extends OwnedItem>(
  kind: Pick<OwnedKind<T>, 'all' | 'isShownHere'>,
  viewer: ListViewer,
): readonly T[] =>
  isFullMember(viewer)
    ? kind
        .all(viewer.workspace)
        .filter((item) => canEditOwned(item, viewer) || kind.isShownHere(item, viewer))
    : [];

/**
 * What a button or a form names; undefined for none and once it is deleted.
 * @param action what is to be done with it @throws NotAllowed except for its owner and managers
 */
export function requireOwned<T extends OwnedItem>(
  find: (workspace: Workspace, id: string) => T | undefined,
  id: string,
  request: Pick<Request, 'user' | 'workspace'>,
  action = 'edit',
): T | undefined {
  const item = find(request.workspace, id);
  if (item !== undefined && !canEditOwned(item, request)) throw notOwner(item, action);
  return item;
}
