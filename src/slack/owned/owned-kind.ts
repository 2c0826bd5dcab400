/** Schedules and watches: what the two have in common, who may see and change one, and how a change is saved once. */
import { createHash } from 'node:crypto';
import { commandText } from '../../domain/command-names.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { pluralize } from '../../domain/wording.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import type { Target, Watch } from '../../workspace/owned/watch-record.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout, type ProjectScope } from '../../workspace/projects/project-visibility.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import type { OwnedStore } from '../../workspace/record/item-store.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import { channelLink, compact, type Message, mention, textMessage } from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';

/** A schedule or a watch: it has an owner, and posts or alerts. */
export type OwnedItem = Schedule | Watch;

/** What a person who may change an item does with it. */
export type OwnerAction<T> = (item: T, request: Request) => Promise<void>;

/** Why an item is shown first, where it is. `news` is no problem: it did its work, and somebody should know. */
export interface OwnedNeed {
  readonly level: 'broken' | 'warning' | 'news';
  /** For a count: `2 paused by Tally`. */
  readonly what: string;
  /** The one button beside it: its label, and the action. */
  readonly fix: readonly [label: string, action: string];
}

/**
 * What schedules and watches each supply to the list, the buttons and the form that they share.
 * @template Details what a row shows that is not in the record
 */
export interface OwnedKind<T extends OwnedItem = OwnedItem, Details = unknown> {
  readonly kind: 'schedule' | 'watch';
  /** What goes to its target. */
  readonly sends: 'posts' | 'alerts';
  /** How many a workspace may have. */
  readonly max: number;
  readonly words: OwnedWords<T>;
  readonly workspaces: Pick<Workspaces, 'load'>;
  readonly store: OwnedStore<T>;
  /** After a change: plans again what Tally does by itself. @throws store-unavailable */
  changed(teamId: string): Promise<void>;
  /** @throws unseal-failed when its record is damaged */
  find(workspace: Workspace, id: string): T | undefined;
  /** Whether people who may not change it see it where they ask. */
  isShownHere(item: T, viewer: ListViewer): boolean;
  /** @throws store-unavailable */
  load(request: Request): Promise<Details>;
  /** What it is, how it is, and the rest, a line of mrkdwn each. What the reader may not ask about is neither named nor said to have failed. */
  describe(item: T, reader: Request, details: Details): readonly string[];
  needOf(item: T, reader: Request, details: Details): OwnedNeed | undefined;
  /** When it does something next, in ms, to sort those that work; absent where only the others are of interest. */
  dueOf?(item: T, details: Details): number;
  resumed(item: T, request: Request): T;
  /** What its menu offers besides pausing, editing and deleting. */
  choices(item: T, viewer: Request): readonly (readonly [label: string, action: string])[];
  readonly actions: Readonly<Record<string, OwnerAction<T>>>;
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
  /** Which ones the list shows to people who don't manage Tally. */
  readonly shownHere: string;
  /** What it is, without its target, as mrkdwn within a sentence, for people who may see all of it. */
  summary(item: T, reader: Pick<Request, 'workspace' | 'locale'>): string;
  /** For the audit trail. */
  auditText(item: T, workspace: Workspace): string;
  deleted(item: T, request: Request): string;
  readonly paused: string;
  /** As mrkdwn. @param item as it was */
  resumed(item: T): string | undefined;
}

const PLURALS = { schedule: 'schedules', watch: 'watches' } as const;
export const pluralOf = ({ kind }: Pick<OwnedKind, 'kind'>) => PLURALS[kind];
export const createCommandOf = ({ kind }: Pick<OwnedKind, 'kind'>) => `/billing ${kind}` as const;
export const listCommandOf = ({ kind }: Pick<OwnedKind, 'kind'>) => `/billing ${PLURALS[kind]}` as const;

/** IDs of all of them, damaged ones too. */
export const idsOf = ({ kind }: Pick<OwnedKind, 'kind'>, workspace: Workspace): readonly string[] =>
  kind === 'schedule' ? workspace.scheduleIds : workspace.watchIds;

export const deletedText = ({ kind }: Pick<OwnedKind, 'kind'>): string => `This ${kind} was deleted.`;

/** The answer where a workspace has as many as it may have; undefined where it has fewer. */
export const limitReachedMessage = (
  kind: Pick<OwnedKind, 'kind' | 'max'>,
  { workspace }: Request,
): Message | undefined =>
  idsOf(kind, workspace).length < kind.max
    ? undefined
    : textMessage(
        `This workspace has ${kind.max} ${pluralOf(kind)}, the maximum. Delete one first with ${commandText(listCommandOf(kind))}.`,
      );

type Viewer = Pick<Request, 'user'>;
export type ListViewer = Pick<Request, 'user' | 'workspace'> & ProjectScope;

/** Its owner and managers may change it. */
export const canEditOwned = (
  { owner }: { readonly id: string; readonly owner: SlackId },
  { user }: Viewer,
): boolean => user.canManage || owner === user.id;

/** Whether the user may see here what it is about. Owners who may not ask about its projects only see that it exists. */
export const canReadOwned = ({ projects }: Pick<OwnedItem, 'projects'>, viewer: ListViewer): boolean =>
  projects.every((project) => canAskAbout(project, viewer.workspace, viewer));

/** Guests see Home and status too, but nothing that full members set up. */
export const isFullMember = ({ user }: Viewer): boolean => user.role === 'admin' || user.role === 'member';

/** What the viewer may see here, in the order in which it was made. */
export const visibleItems = <T extends OwnedItem>(kind: OwnedKind<T>, viewer: ListViewer): readonly T[] =>
  isFullMember(viewer)
    ? (viewer.workspace[PLURALS[kind.kind]] as readonly OwnedItem[] as readonly T[]).filter(
        (item) => canEditOwned(item, viewer) || kind.isShownHere(item, viewer),
      )
    : [];

/**
 * What a button or a form names; undefined for none and once it is deleted.
 * @param action what a manager can be asked to do with it @throws not-allowed except for its owner and managers
 */
export function requireOwned<T extends OwnedItem>(
  { find }: Pick<OwnedKind<T>, 'find'>,
  id: string,
  request: Pick<Request, 'user' | 'workspace'>,
  action = 'edit',
): T | undefined {
  const item = find(request.workspace, id);
  if (item !== undefined && !canEditOwned(item, request)) throw notOwner(item, action);
  return item;
}

export const notOwner = (item: OwnedItem, action: string) =>
  new Failure('not-allowed', {
    reason: 'not-owner',
    managers: [],
    owned: { plural: 'rule' in item ? 'watches' : 'schedules', text: `${action} ${item.id}` },
  });

/**
 * Writes a change with its entry in the audit trail, and has what posts or checks plan again. When somebody else, or the same
 * click in another process, was first, it is made from what there is now.
 *
 * @param did as the audit says it: `paused`
 * @param write makes the change from the item as it is; undefined where that is done already
 * @returns the item that it was made from; undefined if there is none any more
 * @throws edit-conflict when that happens twice; not-allowed; store-unavailable
 */
export async function changeOwned<T extends OwnedItem>(
  kind: OwnedKind<T>,
  id: string,
  request: Request,
  did: string,
  write: (item: T) => { readonly save: T } | 'remove' | undefined,
): Promise<T | undefined> {
  const attempt = async (now: Request): Promise<T | undefined> => {
    const item = requireOwned(kind, id, now);
    const wanted = item && write(item);
    if (item === undefined || wanted === undefined) return item;
    const made = wanted === 'remove' ? item : wanted.save;
    const change = ownedChange(kind, did, made, now);
    await (wanted === 'remove' ? kind.store.remove(change, id, now.at) : kind.store.save(change, made));
    await kind.changed(now.user.teamId);
    return item;
  };
  try {
    return await attempt(request);
  } catch (error) {
    if (!isFailure(error, 'edit-conflict')) throw error;
    return attempt({ ...request, workspace: await kind.workspaces.load(request.user.teamId) });
  }
}

/** @param did what a person did to the item: `paused` */
export const ownedChange = <T extends OwnedItem>(
  kind: OwnedKind<T>,
  did: string,
  item: T,
  request: Request,
) => auditedChange(request, [`${did} a ${kind.kind}:`, ownedAuditText(kind, item, request)]);

/** What the audit says of an item, plain, with the IDs of people and channels. */
export const ownedAuditText = <T extends OwnedItem>(
  { words }: OwnedKind<T>,
  item: T,
  { workspace }: Pick<Request, 'workspace'>,
): string =>
  // Within a sentence: `Project 123` is what a project without a name is called.
  words.auditText(item, workspace).replace(/\bProject (?=\d)/g, 'project ');

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

/** Differs if something was changed that the form edits: not whose it is, nor that it is paused or snoozed. */
export function itemVersion(item: OwnedItem): string {
  const { owner, createdBy, createdAt, since, paused, ...edited } = item;
  const { snoozedUntil, ...version } = { snoozedUntil: undefined, ...edited };
  return createHash('sha256').update(JSON.stringify(version)).digest('base64url').slice(0, 12);
}
