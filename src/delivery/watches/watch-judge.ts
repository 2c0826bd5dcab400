import type { Money } from '../../domain/money/amount.ts';
import { type AlertedLevel, type Evaluation, evaluateRule } from '../../domain/money/thresholds.ts';
import {
  averageDay,
  measureWatch,
  type WatchFigures,
  type WatchMeasurement,
} from '../../domain/money/watch-measurement.ts';
import type { WatchKind } from '../../domain/money/watch-rule.ts';
import { addDays, type Day, dayAt, HOUR, type Millis, type Zone } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { isShownTo } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { factsOf } from './alert-facts.ts';
import { hourlyCheckAfter, isMuted } from './check-time.ts';
import {
  knownBalances,
  needsBalance,
  needsUsage,
  parseWatchFigures,
  type StoredFigures,
} from './watch-figures.ts';
import {
  type AlertEvent,
  alertEpisode,
  type FiguresEvent,
  recordEvent,
  type StoredWatchState,
  stateFor,
  targetsOf,
} from './watch-state.ts';

/** What a watch is judged with, at one instant (ms). */
export interface WatchInput {
  readonly watch: Watch;
  readonly workspace: Workspace;
  /** IANA: the reporting zone */
  readonly zone: Zone;
  readonly now: Millis;
  readonly figures: StoredFigures | undefined;
}

/** The figures of this hour, as far as the rule needs them; undefined when they are not there. */
function currentFigures(judged: WatchInput): WatchFigures | undefined {
  const { watch, workspace, zone, now, figures } = judged;
  if (figures === undefined) return undefined;
  const today = dayAt(now, zone);
  const { account, usage } = figures;
  const isAccountNew = account !== undefined && account.at >= hourlyCheckAfter(workspace.teamId, now) - HOUR;
  const isUsageNew = usage?.zone === zone && usage.until === addDays(today, -1);
  if (needsBalance(watch.rule) && !isAccountNew) return undefined;
  if (needsUsage(watch.rule) && !isUsageNew) return undefined;
  return parsed(figures, today, zone);
}

/** Caches figures, because many watches use the same ones. */
const parsedFigures = new WeakMap<StoredFigures, WatchFigures>();

function parsed(figures: StoredFigures, today: Day, zone: Zone): WatchFigures {
  const known = parsedFigures.get(figures);
  if (known?.today === today && known.zone === zone) return known;
  const fresh = parseWatchFigures(figures, today, zone);
  parsedFigures.set(figures, fresh);
  return fresh;
}

const measurements = new WeakMap<WatchFigures, Map<WatchKind, WatchMeasurement>>();

function measure(kind: WatchKind, figures: WatchFigures): WatchMeasurement {
  const known = measurements.get(figures) ?? new Map<WatchKind, WatchMeasurement>();
  measurements.set(figures, known);
  const measurement = known.get(kind) ?? measureWatch(kind, figures);
  known.set(kind, measurement);
  return measurement;
}

/** The project can no longer be shown in the channel. */
export const isLimited = ({ target, project }: Watch, workspace: Workspace): boolean =>
  'channel' in target && !isShownTo(project, workspace, { channel: target.channel, isUnlimited: false });

/** The state of the watch, before any message. */
export function evaluateWatch(
  judged: WatchInput,
  stored: StoredWatchState | undefined,
): Evaluation | undefined {
  const { watch, zone, now, workspace } = judged;
  const figures = isLimited(watch, workspace) ? undefined : currentFigures(judged);
  if (figures === undefined) return undefined;
  return evaluateRule(watch.rule, measure(watch.rule.kind, figures), stateFor(watch, stored, now).alerted, {
    episode: now.toString(36),
    since: dayAt(watch.since, zone),
    isSuspended: isMuted(watch, now),
  });
}

/**
 * The state of the watch after a check, and the messages about it. While the watch is paused or snoozed, nothing is sent,
 * and alerts that were sent before are updated in place.
 */
export function recordJudgement(
  judged: WatchInput,
  stored: StoredWatchState | undefined,
  judgement: Evaluation | undefined,
): StoredWatchState {
  const { watch, now } = judged;
  const state = stateFor(watch, stored, now);
  const figures = judgement && currentFigures(judged);
  if (judgement === undefined || figures === undefined || !judgement.isKnown) return state;
  const targets = isMuted(watch, now) ? [] : targetsOf(watch);
  const { recoveries, corrections, crossings } = judgement;
  const facts = explanationOf(judged, figures);
  const events = (kind: FiguresEvent['kind'], levels: readonly AlertedLevel[]) =>
    levels.map(({ episode, level }): readonly [string, AlertEvent] => [
      alertEpisode(watch, episode),
      { kind, level, at: now, facts: factsOf({ ...facts, episode }) },
    ]);
  const alerts = [
    ...events('recovered', lastOfEach(recoveries)),
    ...events('corrected', corrections),
    ...events('crossed', crossings),
  ].reduce((all, [episode, event]) => recordEvent(all, episode, event, targets), state.alerts);
  return { since: state.since, alerted: judgement.alerted, alerts };
}

/** One message for a recovered episode, whatever levels it had. */
const lastOfEach = (levels: readonly AlertedLevel[]): readonly AlertedLevel[] =>
  levels.filter(({ episode }, at) => !levels.slice(at + 1).some((later) => later.episode === episode));

function explanationOf({ watch: { rule }, figures }: WatchInput, judged: WatchFigures) {
  const before = figures && balanceBefore(figures, judged.today);
  const average = averageDay(judged);
  return {
    ...{ rule, measurement: measure(rule.kind, judged) },
    ...(judged.account && { account: judged.account }),
    ...(average && { average }),
    ...(before && { before }),
  };
}

function balanceBefore(
  figures: StoredFigures,
  today: Day,
): { readonly day: Day; readonly balance: Money } | undefined {
  const earlier = [...knownBalances(figures)].filter(([day]) => day < today).at(-1);
  return earlier && { day: earlier[0], balance: earlier[1] };
}
