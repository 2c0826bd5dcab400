import { createHash } from 'node:crypto';
import type { ActionName, CommandName } from '../../domain/command-names.ts';
import { Failure, type FailureOf } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { pluralize } from '../../domain/wording.ts';
import type { OwnedStore } from '../../workspace/owned/owned-store.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import type { Target, Watch } from '../../workspace/owned/watch-record.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout, type ProjectScope } from '../../workspace/projects/project-visibility.ts';
import type { AuditSubject } from '../../workspace/record/audit.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import { channelLink, compact, mention } from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';

/** What a person who may change an item does with it. */
export type OwnerAction<T> = (item: T, request: Request) => Promise<void>;

/**
 * What schedules and watches each supply to the list, the buttons and the form that they share.
 * @template Details what a row shows that is not in the record
 */
export interface OwnedKind<T extends OwnedItem = OwnedItem, Details = unknown> {
  readonly kind: 'schedule' | 'watch';
  readonly plural: 'schedules' | 'watches';
  /** What goes to its target. */
  readonly sends: 'posts' | 'alerts';
  /** How many a workspace may have. */
  readonly max: number;
  readonly commands: { readonly create: CommandName; readonly list: CommandName };
  /** Action IDs; the value of a row's menu is an action and the ID. */
  readonly actions: Readonly<Record<'row' | 'undo' | 'drop' | 'list', ActionName>>;
  readonly words: OwnedWords<T>;
  readonly workspaces: Pick<Workspaces, 'load' | 'dropDamaged'>;
  readonly store: OwnedStore<T>;
  /** After a change: plans again what Tally does by itself. @throws store-unavailable */
  changed(teamId: string): Promise<void>;
  /** In the order they were created. */
  all(workspace: Workspace): readonly T[];
  /** IDs of all of them, damaged ones too. */
  ids(workspace: Workspace): readonly string[];
  /** @throws unseal-failed when its record is damaged */
  find(workspace: Workspace, id: string): T | undefined;
  /** Whether people who may not change it see it where they ask. */
  isShownHere(item: T, viewer: ListViewer): boolean;
  /** @throws store-unavailable */
  load(request: Request): Promise<Details>;
  /** One item as lines of mrkdwn. What the reader may not ask about is neither named nor said to have failed. */
  describe(item: T, reader: Request, details: Details): string;
  /** What its menu offers besides pausing, editing and deleting. */
  choices(item: T, viewer: Request): readonly (readonly [label: string, action: string])[];
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
  readonly verb: string;
  /** Which ones the list shows to people who don't manage Tally. */
  readonly shownHere: string;
  /** What it is, without its target, as mrkdwn within a sentence, for people who may see all of it. */
  summary(item: T, reader: Pick<Request, 'workspace' | 'locale'>): string;
  /** For the audit trail. */
  auditText(item: T, workspace: Workspace): string;
  deleted(item: T, request: Request): string;
  readonly paused: string;
  /** Undefined if nothing needs to be said, because it was not paused. */
  resumed(item: T): string | undefined;
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
 * @param action what is to be done with it @throws not-allowed except for its owner and managers
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

/** Why a schedule or a watch is paused where a change of the record can fix it. */
export const PAUSED_TEXTS = {
  'project-limited': 'paused: the project is limited to other channels',
  'not-connected': 'paused: its connection to the billing service is missing',
} as const;
export const RESUMES_BY_ITSELF = ' · resumes by itself once it works';

/** `2 schedules and 1 watch use it.`: what a change of a project or a connection touches; undefined for nothing. */
export function usersText(
  { schedules, watches }: Pick<Workspace, 'schedules' | 'watches'>,
  isUsed: (project: ChosenProject) => boolean,
): string | undefined {
  const count = (items: readonly OwnedItem[]) => items.filter(({ projects }) => projects.some(isUsed)).length;
  const [posts, alerts] = [count(schedules), count(watches)];
  if (posts + alerts === 0) return undefined;
  const named = compact([
    posts > 0 && pluralize(posts, 'schedule'),
    alerts > 0 && pluralize(alerts, 'watch', 'watches'),
  ]);
  return `${named.join(' and ')} ${posts + alerts === 1 ? 'uses' : 'use'} it.`;
}

export const capitalize = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** As mrkdwn. */
export const targetMarkup = ({ channel, people = [] }: Target): string =>
  channel === undefined ? people.map(mention).join(', ') : channelLink(channel);

/** A schedule or a watch: it has an owner, and posts or alerts. */
export type OwnedItem = Schedule | Watch;

/** Differs if something was changed that the form edits: not whose it is, nor that it is paused or snoozed. */
export function itemVersion(item: OwnedItem): string {
  const { owner, createdBy, createdAt, since, paused, ...edited } = item;
  const { snoozedUntil, ...version } = { snoozedUntil: undefined, ...edited };
  return createHash('sha256').update(JSON.stringify(version)).digest('base64url').slice(0, 12);
}

export interface ItemOwner {
  readonly id: string;
  readonly owner: SlackId;
}

/** @param action what a manager can be asked to do with it */
export const notOwner = (item: OwnedItem, action: string): FailureOf<'not-allowed'> =>
  new Failure('not-allowed', {
    reason: 'not-owner',
    managers: [],
    owned: {
      plural: 'rule' in item ? 'watches' : 'schedules',
      text: `${action} ${item.id}`,
    },
  });

type Viewer = Pick<Request, 'user'>;
export const ownedSubject = <T extends OwnedItem>({ kind, store }: OwnedKind<T>, item: T): AuditSubject => ({
  kind,
  item: store.serialize(item),
});

/** For the feature's `auditTexts`: words an item that the audit has kept, plain, with the IDs of people and channels. */
export const ownedAuditText =
  <T extends OwnedItem>({ store, words }: OwnedKind<T>) =>
  (json: string, workspace: Workspace): string | undefined => {
    const item = store.parse(json);
    if (item === undefined) return undefined;
    // Within a sentence: `Project 123` is what a project without a name is called.
    return words.auditText(item, workspace).replace(/\bProject (?=\d)/g, 'project ');
  };

export type ListViewer = Pick<Request, 'user' | 'workspace'> & ProjectScope;

/** Its owner and managers may change it. */
export const canEditOwned = ({ owner }: ItemOwner, { user }: Viewer): boolean =>
  user.canManage || owner === user.id;

/** Whether the user may see here what it is about. Owners who may not ask about its projects only see that it exists. */
export const canReadOwned = ({ projects }: Pick<OwnedItem, 'projects'>, viewer: ListViewer): boolean =>
  projects.every((project) => canAskAbout(project, viewer.workspace, viewer));

/** Guests see Home and status too, but nothing that full members set up. */
export const isFullMember = ({ user }: Viewer): boolean => user.role === 'admin' || user.role === 'member';
