import { type AlertedLevel, type Evaluation, evaluateRule } from '../../domain/money/watch-evaluation.ts';
import { averageDay, measureWatch, type WatchFigures } from '../../domain/money/watch-measurement.ts';
import { addDays, dayAt, earliest, HOUR, type Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { isShownTo } from '../../workspace/projects/project-visibility.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import { type DeliveryContext, openState, ScheduleChangedError } from '../delivery-run.ts';
import type { DeliveryLogSnapshot } from '../log/delivery-log.ts';
import { splitByTime } from '../outbox/send-state.ts';
import type { Job, Task } from '../workspace-runner.ts';
import { factsOf } from './alert-facts.ts';
import { alertActionAt, sendAlerts } from './alert-send.ts';
import {
  createFiguresRefresher,
  type FiguresRefresher,
  type KnownFigures,
  type WatchedProject,
} from './fetch-watch-figures.ts';
import {
  type AlertEvent,
  alertEpisode,
  type FiguresEvent,
  hourlyCheckAfter,
  isMuted,
  LAST_CHECK_FIELD,
  type LastCheck,
  nextCheckAt,
  parseWatchState,
  recordEvent,
  type StoredWatchState,
  stateFor,
  WATCH_FIELD_PREFIX,
  watchBasisOf,
} from './sent-alerts.ts';
import {
  figuresField,
  knownBalances,
  needsBalance,
  needsUsage,
  parseWatchFigures,
  type StoredFigures,
  type WatchFiguresStore,
} from './watch-figures-store.ts';

/** Checks watches, and sends alerts. @param figures what billing last said of the watched projects */
export const createWatchesJob = (figures: WatchFiguresStore): Job => ({
  plan(workspace, snapshot, now) {
    const { next, stale, ...plan } = planWatches(workspace, snapshot, now);
    return { next, stale, tasks: watchTasks(plan, figures) };
  },
});

/** What to do about watches at `now` (ms), by the record and the delivery log. */
function planWatches(workspace: Workspace, snapshot: DeliveryLogSnapshot, now: Millis) {
  const states = new Map(
    snapshot
      .statesOf(WATCH_FIELD_PREFIX)
      .map(([name, json]) => [name.slice(WATCH_FIELD_PREFIX.length), parseWatchState(json)]),
  );
  const check = nextCheckAt(workspace, snapshot, now);
  const isCheckDue = check !== undefined && check <= now;
  const acting = workspace.watches.map((watch) => {
    const { alerts = [] } = states.get(watch.id) ?? {};
    const isSuspended = isMuted(watch, now);
    const times = alerts.flatMap((alert) =>
      alert.messages.map((message) => alertActionAt(alert, message, isSuspended)),
    );
    return { what: watch, at: earliest(...times) };
  });
  const known = new Set(workspace.watchIds);
  // Slack's rate limit delays messages, not questions to billing.
  const { due, next } = splitByTime(acting, snapshot, now);
  return {
    isCheckDue,
    /** Watches with messages to send, or to draw again. */
    alerting: due,
    /** States that are no longer needed. A removed watch's is kept for as long as an undo can bring it back. */
    stale: [...states.keys()]
      .filter((id) => !known.has(id) && workspace.fields[FIELDS.removedWatch + id] === undefined)
      .map((id) => WATCH_FIELD_PREFIX + id),
    /** When there is something to do, in ms; undefined for never. */
    next: earliest(isCheckDue ? undefined : check, next),
  };
}

/** A check if it is due, else the messages that a pause or a failure of Slack held back, with the newest figures. */
function watchTasks(
  { isCheckDue, alerting }: Pick<ReturnType<typeof planWatches>, 'isCheckDue' | 'alerting'>,
  store: WatchFiguresStore,
): readonly Task[] {
  if (isCheckDue) return [(context) => checkWatches(store, context)];
  const send: Task = async (context) => {
    const known = await store.load(context.teamId);
    for (const watch of alerting) if (!context.isOver()) await sendAlerts(watch, known, context);
  };
  return alerting.length === 0 ? [] : [send];
}

/**
 * Asks billing about the watched projects and judges each watch. The alerts are stored with the judgement in one step,
 * so that each goes out once even if the process dies in between.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
async function checkWatches(store: WatchFiguresStore, context: DeliveryContext): Promise<void> {
  const { workspace, teamId, clock } = context;
  const began = clock();
  const after: LastCheck = { at: began, next: nextCheck(context), basis: watchBasisOf(workspace) };
  const end = () =>
    openState(LAST_CHECK_FIELD, () => after, context).update(() => after, { needsLease: true });
  // Damaged settings don't tell the time zone, so days can't be told either.
  if (isDamaged(workspace, 'settings')) return end();
  const known: KnownFigures = new Map(await store.load(teamId));
  const refresher = createFiguresRefresher(known, store, context);
  await refresher.refresh(projectsOf(workspace.watches.filter((watch) => !isLimited(watch, workspace))));
  for (const watch of workspace.watches) {
    if (context.isOver()) return;
    await checkWatch(watch, { known, refresher, now: began }, context);
  }
  await end();
}

async function checkWatch(
  watch: Watch,
  { known, refresher, now }: { known: KnownFigures; refresher: FiguresRefresher; now: Millis },
  context: DeliveryContext,
): Promise<void> {
  const { workspace } = context;
  const document = openState(WATCH_FIELD_PREFIX + watch.id, parseWatchState, context);
  const judge = (state: StoredWatchState | undefined) =>
    judgeWatch({ watch, workspace, now, figures: known.get(figuresField(watch.projects[0])) }, state);
  const before = document.value();
  const { found, state } = judge(before);
  if (before === undefined && state.alerted.length === 0) return;
  // A balance is judged without what was spent, but the alert says how long it lasts.
  if (watch.rule.kind === 'balance' && found && found.crossings.length > 0)
    await refresher.fetchDays(watch.projects[0]);
  const field = FIELDS.watch + watch.id;
  const expected = { field, value: workspace.fields[field] ?? '' };
  try {
    await document.update((now) => judge(now).state, { needsLease: true, expected });
  } catch (error) {
    // Somebody changed the watch: the next check judges it as it is then.
    if (!(error instanceof ScheduleChangedError)) throw error;
  }
}

function projectsOf(watches: readonly Watch[]): readonly WatchedProject[] {
  const projects = new Map<string, WatchedProject>();
  for (const {
    projects: [project],
    rule,
  } of watches) {
    const field = figuresField(project);
    const known = projects.get(field);
    projects.set(field, {
      project,
      needsBalance: needsBalance(rule) || known?.needsBalance === true,
      needsUsage: needsUsage(rule) || known?.needsUsage === true,
    });
  }
  return [...projects.values()];
}

/** The next hour, or the end of a snooze. */
function nextCheck({ workspace, teamId, clock }: DeliveryContext): number {
  const now = clock();
  const hourly = hourlyCheckAfter(teamId, now);
  const ends = workspace.watches.flatMap(({ paused, snoozedUntil = 0 }) =>
    paused === undefined && snoozedUntil > now ? [snoozedUntil] : [],
  );
  return Math.min(hourly, ...ends);
}

/** What a watch is judged with, at one instant (ms). */
export interface WatchInput {
  readonly watch: Watch;
  readonly workspace: Workspace;
  readonly now: Millis;
  readonly figures: StoredFigures | undefined;
}

/** The project can no longer be shown in the channel. */
export const isLimited = ({ channel, projects: [project] }: Watch, workspace: Workspace): boolean =>
  channel !== undefined && !isShownTo(project, workspace, { channel, isUnlimited: false });

/** The figures of this hour that the rule needs; undefined if any is missing. */
function currentFigures({ watch, workspace, now, figures }: WatchInput): WatchFigures | undefined {
  if (figures === undefined || isLimited(watch, workspace)) return undefined;
  const { zone } = workspace.settings;
  const today = dayAt(now, zone);
  const { account, usage } = figures;
  const isAccountNew = account !== undefined && account.at >= hourlyCheckAfter(workspace.teamId, now) - HOUR;
  const isUsageNew = usage?.zone === zone && usage.until === addDays(today, -1);
  if (needsBalance(watch.rule) && !isAccountNew) return undefined;
  if (needsUsage(watch.rule) && !isUsageNew) return undefined;
  return parseWatchFigures(figures, today, zone);
}

/**
 * What a check finds, if its figures are there, and the state of the watch after it with the messages about it. While the
 * watch is paused or snoozed, nothing is sent, and alerts that were sent before are updated in place.
 */
function judgeWatch(
  input: WatchInput,
  stored: StoredWatchState | undefined,
): { readonly state: StoredWatchState; readonly found?: Evaluation } {
  const { watch, workspace, now } = input;
  const { rule, since } = watch;
  const state = stateFor(watch, stored, now);
  const figures = currentFigures(input);
  if (figures === undefined) return { state };
  const measurement = measureWatch(rule.kind, figures);
  const isSuspended = isMuted(watch, now);
  const found = evaluateRule(rule, measurement, state.alerted, {
    episode: now.toString(36),
    since: dayAt(since, workspace.settings.zone),
    isSuspended,
  });
  if (!found.isKnown) return { state, found };
  const events = (kind: FiguresEvent['kind'], levels: readonly AlertedLevel[]) =>
    levels.map(({ episode, level }): readonly [string, AlertEvent] => {
      const facts = factsOf({ rule, measurement, episode, ...explanationOf(input, figures) });
      return [alertEpisode(watch, episode), { kind, level, at: now, facts }];
    });
  const targets = isSuspended ? [] : (watch.people ?? [watch.channel]);
  const alerts = [
    ...events('recovered', lastOfEach(found.recoveries)),
    ...events('corrected', found.corrections),
    ...events('crossed', found.crossings),
  ].reduce((all, [episode, event]) => recordEvent(all, episode, event, targets), state.alerts);
  return { state: { since: state.since, alerted: found.alerted, alerts }, found };
}

/** One message for a recovered episode, whatever levels it had. */
const lastOfEach = (levels: readonly AlertedLevel[]): readonly AlertedLevel[] =>
  levels.filter(({ episode }, at) => !levels.slice(at + 1).some((later) => later.episode === episode));

function explanationOf({ figures }: WatchInput, judged: WatchFigures) {
  const [day, balance] =
    [...(figures ? knownBalances(figures) : [])].findLast(([earlier]) => earlier < judged.today) ?? [];
  const average = averageDay(judged);
  return {
    ...(judged.account && { account: judged.account }),
    ...(average && { average }),
    ...(day !== undefined && balance && { before: { day, balance } }),
  };
}
