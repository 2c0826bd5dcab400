/** What people can do with watches and alerts: see their state, acknowledge or snooze them, and preview a rule. */
import { failureSentence, isFailure } from '../../domain/failure/index.ts';
import { type AlertedLevel, simulationFrom } from '../../domain/money/watch-evaluation.ts';
import { measureWatch, type WatchMeasurement } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { OvertakenError } from '../delivery-log.ts';
import type { RunServices, RunView } from '../outbox/message-kind.ts';
import type { WakeUps } from '../wake-ups.ts';
import { nextCheck, pauseCauseOf } from './check-watches.ts';
import {
  fetchAccount,
  fetchUsage,
  hasFigures,
  knownFigures,
  needsBalance,
  parseWatchFigures,
} from './watch-figures.ts';
import type { PreviewFigures } from './watch-preview.ts';
import {
  type Alert,
  alertKey,
  alertName,
  findAlert,
  parseWatchRecord,
  watchField,
  watchRecordOf,
} from './watch-record.ts';

/** @throws store-unavailable from every method */
export interface WatchActions {
  loadStates(workspace: Workspace): Promise<ReadonlyMap<string, WatchState>>;
  /**
   * For a snooze, the caller first saves the watch's `snoozedUntil`. @param name from `alertName` @returns `repeated` if
   * somebody has acknowledged the alert already; `gone` if the alert is deleted
   */
  respond(
    teamId: SlackId,
    watch: string,
    name: string,
    response: AlertResponse,
  ): Promise<'recorded' | 'repeated' | 'gone'>;
  /** The balance may be missing if the rule doesn't need it. The caller checks the right to ask. @throws Failure */
  fetchPreview(workspace: Workspace, project: ResolvedProject, rule: WatchRule): Promise<PreviewFigures>;
}

export interface WatchState {
  /** When billing last answered; undefined if it hasn't yet. */
  readonly checkedAt: Millis | undefined;
  readonly nextCheckAt: Millis | undefined;
  readonly measurement: WatchMeasurement | undefined;
  readonly isCrossed: boolean;
  /** Why the last check failed, as a sentence. */
  readonly problem: string | undefined;
  /** The watch sends no alerts until a person fixes the cause. */
  readonly isPaused: boolean;
  /** Why the last alert couldn't be sent, as a sentence. */
  readonly undelivered: string | undefined;
}

export type AlertResponse = Required<Pick<Alert, 'acknowledged'>> | Required<Pick<Alert, 'snoozed'>>;

/** A check or another person may write the same watch at the same time. */
const MAX_ATTEMPTS = 10;

export function createWatchActions({
  deliveryLog,
  billing,
  clock,
  changed,
}: Pick<RunServices, 'deliveryLog' | 'billing' | 'clock'> & Pick<WakeUps, 'changed'>): WatchActions {
  return {
    async loadStates(workspace) {
      const { teamId, watches } = workspace;
      const view = { workspace, snapshot: await deliveryLog.load(teamId), now: clock() };
      const next = nextCheck(view);
      return new Map(watches.map((watch) => [watch.id, stateOf(watch, next, view)]));
    },
    async respond(teamId, watch, name, response) {
      const field = watchField(watch);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const before = (await deliveryLog.load(teamId)).fields[field];
        const record = parseWatchRecord(before);
        const found = findAlert(record, name);
        if (record === undefined || found === undefined) return 'gone';
        if ('acknowledged' in response && found.acknowledged !== undefined) return 'repeated';
        const alerts = record.alerts.map((alert) => (alert === found ? { ...alert, ...response } : alert));
        const after = JSON.stringify({ ...record, alerts });
        if (!(await deliveryLog.write(teamId, [{ name: field, before, after }]))) continue;
        await changed(teamId);
        return 'recorded';
      }
      throw new OvertakenError();
    },
    async fetchPreview(workspace, project, rule) {
      const at = clock();
      const { zone } = requireSettings(workspace);
      const today = dayAt(at, zone);
      const access = openConnection(workspace, project);
      const [usage, account] = await Promise.all([
        fetchUsage(billing, access, project, { from: simulationFrom(today), today, zone, at }),
        fetchAccount(billing, access, project, at).catch((error: unknown) => {
          if (needsBalance(rule) || !isFailure(error)) throw error;
          return undefined;
        }),
      ]);
      return { today, source: access.connection, usage, ...(account && { account }) };
    },
  };
}

function stateOf(watch: Watch, nextCheckAt: Millis | undefined, view: RunView): WatchState {
  const { workspace, snapshot, now } = view;
  const { rule } = watch;
  const { zone } = workspace.settings;
  const record = watchRecordOf(watch.id, snapshot);
  const { alerts = [], alerted = [] } = record?.since === watch.since ? record : {};
  const today = dayAt(now, zone);
  const isCurrent = ({ episode, isOver = false }: AlertedLevel): boolean =>
    !isOver && (rule.kind !== 'budget' || episode === today.slice(0, 7));
  const figures = knownFigures(watch, view);
  const known = figures && hasFigures(rule, figures) ? figures : undefined;
  const cause = figures?.problem;
  const newest = alerts.at(-1);
  const key = newest && alertKey(watch.id, alertName(newest));
  const messages = snapshot.messages.filter((message) => key !== undefined && message.key.startsWith(key));
  const undelivered = messages.findLast(({ state, cause: why }) => why && state !== 'posted')?.cause;
  return {
    checkedAt: known && Math.max(known.account?.at ?? 0, known.usage?.at ?? 0),
    nextCheckAt: watch.paused === undefined ? nextCheckAt : undefined,
    measurement: known && measureWatch(rule.kind, parseWatchFigures(known, today, zone)),
    isCrossed: figures !== undefined && alerted.some(isCurrent),
    problem: cause && failureSentence(cause, today),
    isPaused: pauseCauseOf(watch, view) !== undefined,
    undelivered: undelivered && failureSentence(undelivered, today),
  };
}
