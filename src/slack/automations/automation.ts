/** Schedules and watches: what the two have in common, who may see and change one, and how a change is saved once. */
import { createHash } from 'node:crypto';
import { commandText } from '../../domain/command-names.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { pluralize } from '../../domain/wording.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout, type ProjectScope } from '../../workspace/projects/resolve-project.ts';
import type { Schedule, Target, Watch } from '../../workspace/record/automation-records.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { OwnedStore, Workspaces } from '../../workspace/record/workspaces.ts';
import { channelLink, compact, type Message, mention, textMessage } from '../block-kit/blocks.ts';
import type { Request } from '../request/request.ts';

/** A schedule or a watch: it has an owner, and sends posts or alerts. */
export type Automation = Schedule | Watch;

/** What a person who may change it does with it. */
export type AutomationAction<T> = (item: T, request: Request) => Promise<void>;

/** Why it is shown first, where it is. `news` is no problem: it did its work, and somebody should know. */
export interface AutomationNeed {
  readonly level: 'broken' | 'warning' | 'news';
  /** For a count: `2 paused by Tally`. */
  readonly what: string;
  /** The one button beside it: its label, and the action. */
  readonly fix: readonly [label: string, action: string];
}

/** What a list shows of an item to its reader. */
export interface AutomationView<T> {
  /** What it is, how it is, and the rest, a line of mrkdwn each. What the reader may not ask about is neither named nor said to have failed. */
  describe(item: T): readonly string[];
  needOf(item: T): AutomationNeed | undefined;
  /** What its menu offers besides pausing, editing and deleting. */
  choices(item: T): readonly (readonly [label: string, action: string])[];
}

/** What schedules and watches each supply to the list, the buttons and the form that they share. */
export interface AutomationKind<T extends Automation = Automation> {
  readonly noun: 'schedule' | 'watch';
  /** What goes to its target. */
  readonly sends: 'posts' | 'alerts';
  /** How many a workspace may have. */
  readonly max: number;
  /** How many one may be about. */
  readonly maxProjects: number;
  /** How many may get its alerts in direct messages; 0 where only a channel can. */
  readonly maxPeople: number;
  readonly words: AutomationWords<T>;
  readonly workspaces: Pick<Workspaces, 'load'>;
  readonly store: OwnedStore<T>;
  /** After a change: plans again what Tally does by itself. @throws store-unavailable */
  changed(teamId: string): Promise<void>;
  /** @throws unseal-failed when its record is damaged */
  find(workspace: Workspace, id: string): T | undefined;
  /** Whether people who may not change it see it where they ask. */
  isShownHere(item: T, viewer: ListViewer): boolean;
  /** @throws store-unavailable */
  viewFor(reader: Request): Promise<AutomationView<T>>;
  resumed(item: T, request: Request): T;
  readonly actions: Readonly<Record<string, AutomationAction<T>>>;
}

interface AutomationWords<T> {
  /** `Scheduled posts` */
  readonly title: string;
  /** `2 scheduled posts` */
  count(items: number): string;
  /** The label of the button that opens the form. */
  readonly create: string;
  /** What the list says when it is empty. */
  readonly none: string;
  /** What it is, without its target, as mrkdwn within a sentence, for people who may see all of it. */
  summary(item: T, reader: Pick<Request, 'workspace' | 'locale'>): string;
  /** For the audit trail, plain. */
  auditText(item: T, workspace: Workspace): string;
  readonly paused: string;
  readonly resumed: string;
}

const PLURALS = { schedule: 'schedules', watch: 'watches' } as const;
export const pluralOf = ({ noun }: Pick<AutomationKind, 'noun'>) => PLURALS[noun];
export const createCommandOf = ({ noun }: Pick<AutomationKind, 'noun'>) => `/billing ${noun}` as const;
export const listCommandOf = ({ noun }: Pick<AutomationKind, 'noun'>) => `/billing ${PLURALS[noun]}` as const;

/** IDs of all of them, damaged ones too. */
export const idsOf = ({ noun }: Pick<AutomationKind, 'noun'>, workspace: Workspace): readonly string[] =>
  noun === 'schedule' ? workspace.scheduleIds : workspace.watchIds;

export const deletedText = ({ noun }: Pick<AutomationKind, 'noun'>): string => `This ${noun} was deleted.`;

/** The answer where a workspace has as many as it may have; undefined where it has fewer. */
export const limitReachedMessage = (
  kind: Pick<AutomationKind, 'noun' | 'max'>,
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
export const canEditAutomation = ({ owner }: { readonly owner: SlackId }, { user }: Viewer): boolean =>
  user.canManage || owner === user.id;

/** Whether the user may see here what it is about. Owners who may not ask about its projects only see that it exists. */
export const canReadAutomation = ({ projects }: Pick<Automation, 'projects'>, viewer: ListViewer): boolean =>
  projects.every((project) => canAskAbout(project, viewer.workspace, viewer));

/** Guests see Home and status too, but nothing that full members set up. */
export const isFullMember = ({ user }: Viewer): boolean => user.role === 'admin' || user.role === 'member';

/** What the viewer may see here, in the order in which it was made. */
export const visibleAutomations = <T extends Automation>(
  kind: AutomationKind<T>,
  viewer: ListViewer,
): readonly T[] =>
  isFullMember(viewer)
    ? (viewer.workspace[PLURALS[kind.noun]] as readonly Automation[] as readonly T[]).filter(
        (item) => canEditAutomation(item, viewer) || kind.isShownHere(item, viewer),
      )
    : [];

/**
 * What a button or a form names; undefined for none and once it is deleted.
 * @param action what a manager can be asked to do with it @throws not-allowed except for its owner and managers
 */
export function requireAutomation<T extends Automation>(
  kind: Pick<AutomationKind<T>, 'find' | 'noun'>,
  id: string,
  request: Pick<Request, 'user' | 'workspace'>,
  action = 'edit',
): T | undefined {
  const item = kind.find(request.workspace, id);
  if (item === undefined || canEditAutomation(item, request)) return item;
  const owned = { plural: pluralOf(kind), text: `${action} ${id}` };
  throw new Failure('not-allowed', { reason: 'not-owner', managers: [], owned });
}

/**
 * Writes a change with its entry in the audit trail, and has what posts or checks plan again. When somebody else, or the same
 * click in another process, was first, it is made from what there is now.
 *
 * @param did as the audit says it: `paused`
 * @param write makes the change from the item as it is; undefined where that is done already
 * @throws edit-conflict when that happens twice; not-allowed; store-unavailable
 */
export async function changeAutomation<T extends Automation>(
  kind: AutomationKind<T>,
  id: string,
  request: Request,
  did: string,
  write: (item: T) => { readonly save: T } | 'remove' | undefined,
): Promise<void> {
  const attempt = async (now: Request): Promise<void> => {
    const item = requireAutomation(kind, id, now);
    const wanted = item && write(item);
    if (item === undefined || wanted === undefined) return;
    const made = wanted === 'remove' ? item : wanted.save;
    const change = automationChange(kind, did, made, now);
    await (wanted === 'remove' ? kind.store.remove(change, id) : kind.store.save(change, made));
    await kind.changed(now.user.teamId);
  };
  try {
    await attempt(request);
  } catch (error) {
    if (!isFailure(error, 'edit-conflict')) throw error;
    await attempt({ ...request, workspace: await kind.workspaces.load(request.user.teamId) });
  }
}

/** @param did what a person did to the item: `paused` */
export const automationChange = <T extends Automation>(
  { noun, words }: AutomationKind<T>,
  did: string,
  item: T,
  request: Request,
) => auditedChange(request, [`${did} a ${noun}:`, words.auditText(item, request.workspace)]);

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
  const count = (items: readonly Automation[]) =>
    items.filter(({ projects }) => projects.some(isUsed)).length;
  const [posts, alerts] = [count(schedules), count(watches)];
  if (posts + alerts === 0) return undefined;
  const named = compact([
    posts > 0 && pluralize(posts, 'schedule'),
    alerts > 0 && pluralize(alerts, 'watch', 'watches'),
  ]);
  return `${named.join(' and ')} ${posts + alerts === 1 ? 'uses' : 'use'} it.`;
}

/** As mrkdwn. */
export const targetMarkup = ({ channel, people = [] }: Target): string =>
  channel === undefined ? people.map(mention).join(', ') : channelLink(channel);

/** Differs if something was changed that the form edits: not whose it is, nor that it is paused or snoozed. */
export function automationVersion(item: Automation): string {
  const { owner, createdBy, createdAt, since, paused, ...edited } = item;
  const { snoozedUntil, ...version } = { snoozedUntil: undefined, ...edited };
  return createHash('sha256').update(JSON.stringify(version)).digest('base64url').slice(0, 12);
}
