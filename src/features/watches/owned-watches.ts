import type { DeliveryService } from '../../delivery/delivery-service.ts';
import type { WatchService, WatchState } from '../../delivery/watches/watch-service.ts';
import { projectList } from '../../domain/language/parsed-command.ts';
import {
  addDays,
  DAY,
  dayAt,
  endOfUnit,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import { type Block, button } from '../../slack/kit/blocks.ts';
import { changeItem } from '../../slack/owned/actions.ts';
import { attentionRows, damagedStatus, showOwned, statusPart } from '../../slack/owned/list.ts';
import {
  canReadOwned,
  type ListViewer,
  type OwnedKind,
  type OwnerAction,
  visibleItems,
} from '../../slack/owned/owned-kind.ts';
import type { Request } from '../../slack/request/request.ts';
import { lookUp } from '../../slack/server/listeners.ts';
import { MAX_WATCHES, type Watch } from '../../workspace/owned/watch-record.ts';
import { HIDDEN_PROJECT } from '../../workspace/projects/chosen-project.ts';
import { findProject, findWatch, requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import type { Services, StatusPart } from '../feature.ts';
import type { WatchListWords } from './parse.ts';
import {
  describeWatch,
  isSnoozed,
  isWatchBlocked,
  watchAuditText,
  watchMarkup,
  watchText,
} from './watch-wording.ts';

export type StateOf = (watch: Watch) => WatchState | undefined;
export type OwnedWatches = OwnedKind<Watch, StateOf>;

export function createOwnedWatches({
  workspaces,
  watching,
}: Pick<Services, 'workspaces'> & Pick<DeliveryService, 'watching'>): OwnedWatches {
  const kind: OwnedWatches = {
    kind: 'watch',
    plural: 'watches',
    sends: 'alerts',
    max: MAX_WATCHES,
    commands: { create: '/billing watch', list: '/billing watches' },
    actions: {
      row: 'watch-row',
      undo: 'watch-undo',
      drop: 'watch-drop',
      list: 'watch-list',
    },
    workspaces,
    store: workspaces.watches,
    changed: watching.changed,
    all: ({ watches }) => watches,
    ids: ({ watchIds }) => watchIds,
    find: findWatch,
    isShownHere: (watch, viewer) => isForViewer(watch, viewer) && canReadOwned(watch, viewer),
    load: (request) => loadStates(watching, request),
    describe: describeWatch,
    choices: (watch, { at }) => [isSnoozed(watch, at) ? ['Stop snoozing', 'wake'] : ['Snooze…', 'snooze']],
    paused: (watch, { at, user }) => ({ ...watch, paused: { at, by: user.id } }),
    resumed: ({ paused: _, ...running }) => running,
    words: {
      title: 'Watches',
      count: (watches) => pluralize(watches, 'watch', 'watches'),
      create: 'Watch…',
      none: 'No watches here yet. Tally can alert you before the money runs out, when a budget is reached, or when a day costs too much.',
      verb: 'check',
      shownHere: 'watches of this channel, yours, and those that alert you',
      summary: watchMarkup,
      auditText: watchAuditText,
      deleted: (watch, request) =>
        `Deleted the watch on ${
          canReadOwned(watch, request) ? watchText(watch, request) : HIDDEN_PROJECT
        }. It won’t alert anyone again.`,
      paused: 'Paused. Nobody is alerted until you resume it.',
      resumed: () => 'Resumed. Tally alerts if a threshold was crossed in between and still is.',
    },
  };
  return kind;
}

/** The watches that a person may see here, or those of projects or of budgets, with the form that sets one up. */
export async function listWatches(
  kind: OwnedWatches,
  { page, projects, isBudget }: WatchListWords,
  request: Request,
): Promise<void> {
  if (projects.length === 0 && !isBudget) return showOwned(kind, request, { page });
  const { workspace } = request;
  const names = projectList(projects);
  const ids = projects.map((name) =>
    'alias' in name ? findProject(workspace, name.alias)?.id : name.project,
  );
  // A watch on a hidden project is listed without its name, and must not be found by it.
  const isListed = (watch: Watch): boolean =>
    canReadOwned(watch, request) &&
    (projects.length === 0 || ids.includes(watch.projects[0].id)) &&
    (!isBudget || watch.rule.kind === 'budget');
  const listed: OwnedWatches = {
    ...kind,
    all: (record) => kind.all(record).filter(isListed),
    words: {
      ...kind.words,
      create: isBudget ? 'Set a budget…' : kind.words.create,
      none: `No ${isBudget ? 'budget' : 'watch'}${names && ` for ${names}`} is set up here yet.`,
    },
  };
  const budget = isBudget && 'budget';
  const filter = [names, budget].filter(Boolean).join(' ');
  const createText = [projects.length === 1 && names, budget].filter(Boolean).join(' ');
  return showOwned(listed, request, { page, filter, createText });
}

const isForViewer = ({ channel, people }: Watch, viewer: ListViewer): boolean =>
  people === undefined ? channel === viewer.channel : people.includes(viewer.user.id);

/** Cached for each request's record, because Home shows watches twice. */
const statesOfRequest = new WeakMap<Workspace, ReturnType<WatchService['loadStates']>>();

/** The states of the watches that the viewer may ask about. @throws store-unavailable */
async function loadStates(watching: WatchService, viewer: Request): Promise<StateOf> {
  const { workspace } = viewer;
  if (workspace.watches.length === 0) return () => undefined;
  const loading = statesOfRequest.get(workspace) ?? watching.loadStates(workspace);
  statesOfRequest.set(workspace, loading);
  const states = await loading;
  return (watch) => (canReadOwned(watch, viewer) ? states.get(watch.id) : undefined);
}

/** Why it needs attention; undefined while it does its work, and where a person has paused it. */
function needOf(watch: Watch, workspace: Workspace, stateOf: StateOf): Need | undefined {
  const { isPaused, problem, undelivered, isCrossed } = stateOf(watch) ?? {};
  if (watch.paused !== undefined) return undefined;
  if (isWatchBlocked(watch, workspace) || isPaused) return 'paused by Tally';
  if (problem !== undefined || undelivered !== undefined) return 'with a problem';
  return isCrossed ? 'crossed' : undefined;
}
type Need = 'crossed' | 'paused by Tally' | 'with a problem';
/** In the order in which they are shown. */
const NEEDS: readonly Need[] = ['crossed', 'paused by Tally', 'with a problem'];

/** The watches that need attention, by why they do, of those that the viewer sees. */
function watchesInNeed(watches: readonly Watch[], { workspace }: Request, stateOf: StateOf) {
  const needs = new Map(watches.map((watch) => [watch, needOf(watch, workspace, stateOf)]));
  return NEEDS.map((need) => ({ need, items: watches.filter((watch) => needs.get(watch) === need) }));
}

/** The top of a person's Home: watches that have crossed their threshold, or can't do their work. */
export async function watchAttention(kind: OwnedWatches, request: Request): Promise<readonly Block[]> {
  const viewer = { ...request, channel: undefined };
  const details = await kind.load(viewer);
  const needy = watchesInNeed(visibleItems(kind, viewer), viewer, details).flatMap(({ items }) => items);
  return attentionRows(kind, needy, { viewer, details });
}

/** For `/billing status`: how many there are, and those that cannot do their work. */
export async function watchStatus(kind: OwnedWatches, request: Request): Promise<readonly StatusPart[]> {
  const stateOf = await kind.load(request);
  const all = visibleItems(kind, request);
  if (all.length === 0) return damagedStatus(kind, request);
  const found = watchesInNeed(all, request, stateOf);
  const attention = found.map(({ need, items }) => {
    return { items, what: need, health: need === 'crossed' ? 'fine' : 'broken' } as const;
  });
  const stopped = attention.filter(({ what }) => what === 'paused by Tally').flatMap(({ items }) => items);
  const paused = all.filter((watch) => watch.paused !== undefined);
  const counts = [all.length - paused.length - stopped.length, paused.length] as const;
  const failing = attention.filter(({ health }) => health === 'broken').flatMap(({ items }) => items);
  return [...damagedStatus(kind, request), statusPart(kind, counts, attention, failing, request, stateOf)];
}

/** What an alert and the list offer, by what a button's value says. In the reporting zone, where a month begins. */
const SNOOZES: Readonly<Record<string, readonly [label: string, until: (at: Millis, zone: Zone) => Millis]>> =
  {
    day: ['1 day', (at) => at + DAY],
    week: ['7 days', (at) => at + 7 * DAY],
    month: [
      'Until next month',
      (at, zone) => startOfDay(addDays(endOfUnit('month', dayAt(at, zone)), 1), zone),
    ],
  };

/** What the menu of a watch does besides what is shared: asks how long to snooze it, or ends that. */
export const watchActions = (kind: OwnedWatches): Readonly<Record<string, OwnerAction<Watch>>> => ({
  snooze: ({ id }, request) =>
    showOwned(kind, request, {
      notice: 'Snooze for how long? Nobody is alerted until then.',
      buttons: Object.entries(SNOOZES).map(([snooze, [label]]) =>
        button(`watch-snooze:${snooze}`, label, { value: `${snooze} ${id}` }),
      ),
    }),
  async wake({ snoozedUntil, ...awake }, request) {
    if (snoozedUntil !== undefined) await changeItem(kind, awake, 'watch changed', request);
    await showOwned(kind, request, {
      notice: 'No longer snoozed. Tally alerts if a threshold was crossed in between and still is.',
    });
  },
});

/**
 * Saves until when nobody is alerted.
 * @param choice a key of `SNOOZES`, or not: outside text
 * @returns that instant in ms; undefined for another choice
 */
export async function snoozeWatch(
  kind: OwnedKind<Watch>,
  watch: Watch,
  choice: string,
  request: Request,
): Promise<Millis | undefined> {
  const [, snoozeUntil] = lookUp(SNOOZES, choice) ?? [];
  const until = snoozeUntil?.(request.at, requireSettings(request.workspace).zone);
  if (until !== undefined)
    await changeItem(kind, { ...watch, snoozedUntil: until }, 'watch snoozed', request);
  return until;
}
