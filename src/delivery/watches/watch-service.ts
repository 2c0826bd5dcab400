import { isFailure, kindOf, wordFailure } from '../../domain/failure/index.ts';
import { evaluateRule, simulateWatch, simulationFrom } from '../../domain/money/watch-evaluation.ts';
import { measureWatch, type WatchRule } from '../../domain/money/watch-measurement.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Day, dayAt, type Millis } from '../../domain/time/calendar.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { OvertakenError } from '../delivery-log.ts';
import type { RunServices, RunView } from '../outbox/message-kind.ts';
import { isProjectLimited, nextCheck } from './alert-kind.ts';
import {
  type Alert,
  alertKey,
  alertName,
  findAlert,
  isOpen,
  parseWatchRecord,
  watchField,
  watchRecordOf,
} from './alert-record.ts';
import {
  fetchAccount,
  fetchUsage,
  figuresSourceOf,
  hasFigures,
  needsBalance,
  parseWatchFigures,
  type StoredFigures,
  storedFigures,
} from './watch-figures.ts';

export type WatchState = Readonly<ReturnType<typeof stateOf>>;

export type AlertResponse = Required<Pick<Alert, 'acknowledged'>> | Required<Pick<Alert, 'snoozed'>>;

/** @throws store-unavailable from every method */
export type WatchService = ReturnType<typeof createWatchService>;

export function createWatchService({
  deliveryLog,
  billing,
  clock,
  changed,
}: Pick<RunServices, 'deliveryLog' | 'billing' | 'clock'> & {
  readonly changed: (workspace: SlackId) => Promise<void>;
}) {
  return {
    changed,
    async loadStates(workspace: Workspace): Promise<ReadonlyMap<string, WatchState>> {
      const { teamId, watches } = workspace;
      const view = { workspace, snapshot: await deliveryLog.load(teamId), now: clock() };
      const next = nextCheck(view);
      return new Map(watches.map((watch) => [watch.id, stateOf(watch, next, view)]));
    },
    /**
     * For a snooze, the caller first saves the watch's `snoozedUntil`. @param name from `alertName` @returns `repeated`
     * if somebody has acknowledged the alert already; `gone` if the alert is deleted
     */
    async respond(
      teamId: SlackId,
      watch: string,
      name: string,
      response: AlertResponse,
    ): Promise<'recorded' | 'repeated' | 'gone'> {
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
    /** The balance may be missing if the rule doesn't need it. The caller checks the right to ask. @throws Failure */
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
        fetchAccount(billing, access, project, at).catch((error: unknown) => {
          if (needsBalance(rule) || !isFailure(error)) throw error;
          return undefined;
        }),
      ]);
      return { today, source: access.connection, usage, ...(account && { account }) };
    },
  };
}

/** A check or another person may write the same watch at the same time. */
const MAX_ATTEMPTS = 10;

const LIMITED = 'The project is limited to other channels, so this watch sends no alerts.';

function stateOf(watch: Watch, nextCheckAt: Millis | undefined, { workspace, snapshot, now }: RunView) {
  const { rule, projects } = watch;
  const { zone } = workspace.settings;
  const record = watchRecordOf(watch.id, snapshot);
  const { alerts = [], alerted = [] } = record?.since === watch.since ? record : {};
  const today = dayAt(now, zone);
  const stored = storedFigures(projects[0], snapshot);
  // Hide figures that belong to another account.
  const figures = stored?.source === figuresSourceOf(projects[0], workspace) ? stored : undefined;
  const known = figures && hasFigures(rule, figures) ? figures : undefined;
  const cause = figures?.problem;
  const newest = alerts.at(-1);
  const key = newest && alertKey(watch.id, alertName(newest));
  const messages = snapshot.messages.filter((message) => key !== undefined && message.key.startsWith(key));
  const undelivered = messages.findLast(({ state, cause: why }) => why && state !== 'posted')?.cause;
  return {
    /** When billing last answered; undefined for not yet. */
    checkedAt: known && Math.max(known.account?.at ?? 0, known.usage?.at ?? 0),
    nextCheckAt: watch.paused === undefined ? nextCheckAt : undefined,
    /** Undefined before billing's first answer. */
    measurement: known && measureWatch(rule.kind, parseWatchFigures(known, today, zone)),
    isCrossed: figures !== undefined && alerted.some(({ isOver = false }) => !isOver),
    problem: isProjectLimited(watch, workspace) ? LIMITED : cause && wordFailure(cause, today),
    /** The watch can't be checked until someone replaces the token. */
    isPaused: cause !== undefined && kindOf(cause.kind)?.remedy === 'token',
    /** Why the last alert couldn't be sent, as a sentence. */
    undelivered: undelivered && wordFailure(undelivered, today),
    /** The name of the newest alert, if people can still acknowledge it. */
    openAlert: newest && isOpen(newest) ? alertName(newest) : undefined,
  };
}

export interface PreviewFigures extends StoredFigures {
  readonly today: Day;
}

export type WatchPreview = Readonly<ReturnType<typeof previewWatch>>;

export function previewWatch(rule: WatchRule, { today, ...figures }: PreviewFigures) {
  const judged = parseWatchFigures(figures, today, figures.usage?.zone ?? 'UTC');
  const measurement = measureWatch(rule.kind, judged);
  const now = evaluateRule(rule, measurement, [], { episode: 'now', since: today });
  return {
    /** The days in the last 90 on which the watch would have alerted, earliest first. */
    dates: simulateWatch(rule, judged),
    measurement,
    funds: judged.account && { ...judged.account, runway: measureWatch('runway', judged).runway },
    isCrossed: now.crossings.length > 0,
    /** False if there isn't enough data to judge the rule. */
    isKnown: now.isKnown,
    reported: judged.amounts.size,
  };
}
