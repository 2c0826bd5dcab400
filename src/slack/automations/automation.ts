import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { pluralize } from '../../domain/wording.ts';
import { type ChosenProject, connectionNameOf } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout, type ProjectScope } from '../../workspace/projects/project-scope.ts';
import { auditedChange } from '../../workspace/record/audited-change.ts';
import type { Destination, Schedule, Watch } from '../../workspace/record/automation-records.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import type { AutomationStore, Workspaces } from '../../workspace/record/workspace-repository.ts';
import {
  channelLink,
  compact,
  instantMarkup,
  type Message,
  mention,
  textMessage,
} from '../block-kit/blocks.ts';
import type { Request } from '../request/request.ts';

export type Automation = Schedule | Watch;

export type AutomationAction<T> = (item: T, request: Request) => Promise<void>;

/** Why a schedule or watch is at the top of the list. The level `news` isn't a problem. */
export interface AutomationNeed {
  readonly level: 'broken' | 'warning' | 'news';
  readonly what: string;
  readonly fix?: readonly [label: string, action: string];
  /** True if another row already gives the cause. Home and status then leave out this schedule or watch. */
  readonly isTold?: boolean;
}

export interface AutomationView<T> {
  /** Lines of mrkdwn. They reveal nothing about a project that the reader may not see. */
  describe(item: T): readonly string[];
  needOf(item: T): AutomationNeed | undefined;
  choices(item: T): readonly (readonly [label: string, action: string])[];
}

export interface AutomationKind<T extends Automation = Automation> {
  readonly noun: 'schedule' | 'watch';
  readonly sends: 'posts' | 'alerts';
  readonly max: number;
  readonly maxProjects: number;
  readonly maxPeople: number;
  readonly words: AutomationWords<T>;
  readonly workspaces: Pick<Workspaces, 'load'>;
  readonly store: AutomationStore<T>;
  changed(teamId: string): Promise<void>;
  find(workspace: Workspace, id: string): T | undefined;
  isShownHere(item: T, viewer: ListViewer): boolean;
  viewFor(reader: Request): Promise<AutomationView<T>>;
  resumed(item: T, request: Request): T;
  readonly actions: Readonly<Record<string, AutomationAction<T>>>;
}

interface AutomationWords<T> {
  readonly title: string;
  count(items: number): string;
  readonly create: string;
  readonly none: string;
  summary(item: T, reader: Pick<Request, 'workspace' | 'locale'>): string;
  auditText(item: T, workspace: Workspace): string;
  readonly paused: string;
  readonly resumed: string;
}

const PLURALS = { schedule: 'schedules', watch: 'watches' } as const;
export const pluralOf = ({ noun }: Pick<AutomationKind, 'noun'>) => PLURALS[noun];
export const createCommandOf = ({ noun }: Pick<AutomationKind, 'noun'>) => `/billing ${noun}` as const;
export const listCommandOf = ({ noun }: Pick<AutomationKind, 'noun'>) => `/billing ${PLURALS[noun]}` as const;

export const idsOf = ({ noun }: Pick<AutomationKind, 'noun'>, workspace: Workspace): readonly string[] =>
  noun === 'schedule' ? workspace.scheduleIds : workspace.watchIds;

export const deletedText = ({ noun }: Pick<AutomationKind, 'noun'>): string => `This ${noun} was deleted.`;

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

export const canEditAutomation = ({ owner }: { readonly owner: SlackId }, { user }: Viewer): boolean =>
  user.canManage || owner === user.id;

/** Owners who may no longer see the projects see only that the schedule or watch exists. */
export const canReadAutomation = ({ projects }: Pick<Automation, 'projects'>, viewer: ListViewer): boolean =>
  projects.every((project) => canAskAbout(project, viewer.workspace, viewer));

/** Guests can open Home and status, but see no schedules or watches there. */
export const isFullMember = ({ user }: Viewer): boolean => user.role === 'admin' || user.role === 'member';

export const visibleAutomations = <T extends Automation>(
  kind: AutomationKind<T>,
  viewer: ListViewer,
): readonly T[] =>
  isFullMember(viewer)
    ? (viewer.workspace[PLURALS[kind.noun]] as readonly Automation[] as readonly T[]).filter(
        (item) => canEditAutomation(item, viewer) || kind.isShownHere(item, viewer),
      )
    : [];

/** Undefined if the schedule or watch was deleted. @throws not-allowed unless the user owns it or manages Tally */
export function requireAutomation<T extends Automation>(
  kind: Pick<AutomationKind<T>, 'find' | 'noun'>,
  id: string,
  request: Pick<Request, 'user' | 'workspace'>,
  action = 'edit',
): T | undefined {
  const item = kind.find(request.workspace, id);
  if (item === undefined || canEditAutomation(item, request)) return item;
  const owned = { plural: pluralOf(kind), text: `${action} ${id}` };
  throw new Failure('not-allowed', { reason: 'not-owner', people: [item.owner], owned });
}

/** @param did for the audit, such as `paused` @throws edit-conflict */
export async function changeAutomation<T extends Automation>(
  kind: AutomationKind<T>,
  id: string,
  request: Request,
  did: string,
  write: (item: T) => { readonly save: T } | 'remove' | undefined,
): Promise<void> {
  const item = requireAutomation(kind, id, request);
  const wanted = item && write(item);
  if (item === undefined || wanted === undefined) return;
  const made = wanted === 'remove' ? item : wanted.save;
  const change = automationChange(kind, did, made, request);
  await (wanted === 'remove' ? kind.store.remove(change, id) : kind.store.save(change, made));
  await kind.changed(request.user.teamId);
}

export const automationChange = <T extends Automation>(
  { noun, words }: AutomationKind<T>,
  did: string,
  item: T,
  request: Request,
) => auditedChange(request, [`${did} a ${noun}:`, words.auditText(item, request.workspace)]);

export type AutomationContent = Destination & { readonly projects: readonly ChosenProject[] };

type StopReason = 'not-connected' | 'project-limited' | 'managers-only';

/** @returns undefined if at least one project can be shown, or if the settings or any project's record is damaged */
export function stopReasonOf(
  item: Pick<Schedule, 'projects' | 'channel'>,
  workspace: Workspace,
): Exclude<StopReason, 'managers-only'> | undefined;
export function stopReasonOf(item: AutomationContent, workspace: Workspace): StopReason | undefined;
export function stopReasonOf(item: AutomationContent, workspace: Workspace): StopReason | undefined {
  if (isDamaged(workspace, 'settings') || isDamaged(workspace, 'project')) return undefined;
  const { projects, channel, people = [] } = item;
  const reasonOf = (project: ChosenProject): StopReason | undefined => {
    if (!workspace.connectionNames.includes(connectionNameOf(project, workspace))) return 'not-connected';
    if (canAskAbout(project, workspace, { channel, isUnlimited: false })) return undefined;
    if (channel !== undefined) return 'project-limited';
    return people.every((person) => workspace.settings.managers.includes(person))
      ? undefined
      : 'managers-only';
  };
  const reasons = projects.map(reasonOf);
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/** Reasons for a pause, all of which people can fix in Tally. */
export const PAUSED_TEXTS = {
  'project-limited': 'paused: the project is limited to other channels',
  'not-connected': 'paused: its connection to the billing service is missing',
} as const;
export const RESUMES_BY_ITSELF = ' · resumes by itself when that’s fixed';

export const pausedByMarkup = ({ by, at }: NonNullable<Automation['paused']>): string =>
  `*paused* by ${mention(by)}, since: ${instantMarkup(at)}`;

/** `2 schedules and 1 watch use it.` Undefined if nothing uses it. */
export function usersText(
  { schedules, watches }: Pick<Workspace, 'schedules' | 'watches'>,
  isUsed: (project: ChosenProject, channel: SlackId | undefined) => boolean,
  what = 'it',
): string | undefined {
  const count = (items: readonly Automation[]) =>
    items.filter(({ projects, channel }) => projects.some((project) => isUsed(project, channel))).length;
  const [posts, alerts] = [count(schedules), count(watches)];
  if (posts + alerts === 0) return undefined;
  const named = compact([
    posts > 0 && pluralize(posts, 'schedule'),
    alerts > 0 && pluralize(alerts, 'watch', 'watches'),
  ]);
  return `${named.join(' and ')} ${posts + alerts === 1 ? 'uses' : 'use'} ${what}.`;
}

export const targetMarkup = ({ channel, people = [] }: Destination): string =>
  channel === undefined ? people.map(mention).join(', ') : channelLink(channel);
