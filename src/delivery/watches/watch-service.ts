import { wordFailure } from '../../domain/failure/index.ts';
import { evaluateRule } from '../../domain/money/watch-evaluation.ts';
import { measureWatch } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { measureHistory, simulateWatch, simulationFrom } from '../../domain/money/watch-simulation.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Day, dayAt, type Millis } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { openState } from '../delivery-run.ts';
import type { DeliveryLogSnapshot, LogWrite } from '../log/delivery-log.ts';
import type { RunnerParts } from '../workspace-runner.ts';
import {
  type AlertEvent,
  nextCheckAt,
  parseWatchState,
  type StoredWatchState,
  WATCH_FIELD_PREFIX,
} from './sent-alerts.ts';
import {
  fetchAccount,
  fetchUsage,
  figuresField,
  needsBalance,
  needsUsage,
  parseWatchFigures,
  type StoredFigures,
  type WatchFiguresStore,
} from './watch-figures-store.ts';
import { isLimited } from './watches-job.ts';

export type WatchState = Readonly<ReturnType<typeof stateOf>>;

/** What a person did with an alert. */
export type AlertResponse = Extract<AlertEvent, { readonly kind: 'acknowledged' | 'snoozed' }>;

/** What forms, lists and alerts of watches need from delivery. @throws StoreUnavailable from each method */
export type WatchService = ReturnType<typeof createWatchService>;

/** No lease: the write is refused unless the state exists as it was read. */
const WITHOUT_LEASE = '';

export function createWatchService(
  parts: Pick<RunnerParts, 'deliveryLog' | 'billing' | 'clock'> & {
    readonly figures: WatchFiguresStore;
    /** The workspace's watches or connections changed: derives its runs again, and new ones are checked at once. */
    readonly changed: (workspace: SlackId) => Promise<void>;
  },
) {
  const { deliveryLog, figures, billing, changed, clock } = parts;
  return {
    changed,
    /** By the watch's ID, of every watch of the record. */
    async loadStates(workspace: Workspace): Promise<ReadonlyMap<string, WatchState>> {
      const { teamId, watches } = workspace;
      const [snapshot, known] = await Promise.all([deliveryLog.load(teamId), figures.load(teamId)]);
      const now = clock();
      const stateNow = (watch: Watch) =>
        stateOf(watch, known.get(figuresField(watch.projects[0])), workspace, snapshot, now);
      return new Map(watches.map((watch) => [watch.id, stateNow(watch)]));
    },
    /**
     * Records what a person did with an alert, and updates its message. Snoozing itself is the record's `snoozedUntil`,
     * which the caller saves first.
     *
     * @returns `repeated` if it was already acknowledged; `gone` if the alert no longer exists
     */
    async respond(
      workspace: SlackId,
      watch: string,
      episode: string,
      response: AlertResponse,
    ): Promise<'recorded' | 'repeated' | 'gone'> {
      const context = {
        teamId: workspace,
        deliveryLog,
        logSnapshot: await deliveryLog.load(workspace),
        write: (write: LogWrite) => deliveryLog.write({ teamId: workspace, token: WITHOUT_LEASE }, write),
      };
      const document = openState(WATCH_FIELD_PREFIX + watch, parseWatchState, context);
      const respondTo = (state: StoredWatchState | undefined) =>
        state === undefined ? 'gone' : withResponse(state, episode, response);
      const after = respondTo(document.value());
      if (typeof after === 'string') return after;
      await document.update((state) => {
        const answered = respondTo(state);
        return typeof answered === 'string' ? state : answered;
      });
      await changed(workspace);
      return 'recorded';
    },
    /**
     * What previews of watches on this project need, asked from billing once: its days, and its balance if the rule looks
     * at it. `previewWatch` makes a preview of any rule that needs no more. The caller checks that the person may ask about
     * the project there.
     *
     * @throws Failure
     */
    async fetchPreview(
      workspace: Workspace,
      project: ResolvedProject,
      rule: WatchRule,
    ): Promise<PreviewFigures> {
      const at = clock();
      const { zone } = requireSettings(workspace);
      const today = dayAt(at, zone);
      const access = openConnection(workspace, project);
      const [usage, account] = await Promise.all([
        fetchUsage(billing, access, project, { from: simulationFrom(today), today, zone, at }),
        needsBalance(rule) ? fetchAccount(billing, access, project, at) : undefined,
      ]);
      return { today, connection: access.connection, usage, ...(account && { account }) };
    },
  };
}

function withResponse(
  state: StoredWatchState,
  episode: string,
  response: AlertResponse,
): StoredWatchState | 'repeated' | 'gone' {
  const alert = state.alerts.find((other) => other.episode === episode);
  if (alert === undefined) return 'gone';
  const isDone = response.kind === 'acknowledged' && alert.events.some(({ kind }) => kind === response.kind);
  if (isDone) return 'repeated';
  const after = { ...alert, events: [...alert.events, response] };
  return { ...state, alerts: state.alerts.map((other) => (other === alert ? after : other)) };
}

const LIMITED = 'The project is limited to other channels, so this watch sends no alerts.';

function stateOf(
  watch: Watch,
  figures: StoredFigures | undefined,
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  now: Millis,
) {
  const stored = parseWatchState(snapshot.state(WATCH_FIELD_PREFIX + watch.id));
  const state = stored?.since === watch.since ? stored : undefined;
  const { alerts = [], alerted = [] } = state ?? {};
  const { zone } = workspace.settings;
  const today = dayAt(now, zone);
  const { account, usage, problem } = figures ?? {};
  const asked = [
    ...(needsBalance(watch.rule) ? [account?.at] : []),
    ...(needsUsage(watch.rule) ? [usage?.at] : []),
  ];
  const known = asked.every((at) => at !== undefined) ? figures : undefined;
  const undelivered = alerts
    .at(-1)
    ?.messages.findLast(({ cause, state: sent }) => cause !== undefined && sent !== 'posted')?.cause;
  return {
    /** When billing last answered for it, and when it is asked again, in ms; undefined for not yet, and for never. */
    checkedAt: known && Math.max(...asked.map((at) => at ?? 0)),
    nextCheckAt: watch.paused === undefined ? nextCheckAt(workspace, snapshot, now) : undefined,
    /** What was measured then; undefined when billing has not answered yet. */
    measurement: known && measureWatch(watch.rule.kind, parseWatchFigures(known, today, zone)),
    /** It has alerted and not recovered. */
    isCrossed: alerted.some(({ isOver = false }) => !isOver),
    /** Why it could not be judged last time, in a sentence. */
    problem: isLimited(watch, workspace) ? LIMITED : problem && wordFailure(problem.cause, today),
    /** Why an alert of it could not be sent, in a sentence. */
    undelivered: undelivered && wordFailure(undelivered, today),
    /** Oldest first. */
    alerts,
  };
}

/** Billing's answers for previews: rules of any kind and threshold are previewed with them without asking again. */
export interface PreviewFigures extends StoredFigures {
  readonly today: Day;
}

/** What a form says before a watch is saved. */
export type WatchPreview = Readonly<ReturnType<typeof previewWatch>>;

export function previewWatch(rule: WatchRule, { today, ...figures }: PreviewFigures) {
  const judged = parseWatchFigures(figures, today, figures.usage?.zone ?? 'UTC');
  const measurement = measureWatch(rule.kind, judged);
  const now = evaluateRule(rule, measurement, [], { episode: 'now', since: today });
  return {
    /** The days of the last 90 that would have made it alert, ascending. */
    dates: simulateWatch(rule, measureHistory(rule.kind, judged)),
    measurement,
    /** It would alert at its first check. */
    isCrossed: now.crossings.length > 0,
    /** False when there is too little data to judge it now. */
    isKnown: now.isKnown,
    /** Reported days that the preview rests on; 0 for a project without data. */
    reported: judged.amounts.size,
  };
}
