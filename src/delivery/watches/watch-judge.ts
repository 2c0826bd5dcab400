import { type AlertedLevel, type Evaluation, evaluateRule } from '../../domain/money/watch-evaluation.ts';
import { averageDay, measureWatch, type WatchFigures } from '../../domain/money/watch-measurement.ts';
import { addDays, dayAt, HOUR, type Millis } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { isShownTo } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { factsOf } from './alert-facts.ts';
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
  hourlyCheckAfter,
  isMuted,
  recordEvent,
  type StoredWatchState,
  stateFor,
  targetsOf,
} from './watch-state.ts';

/** What a watch is judged with, at one instant (ms). */
export interface WatchInput {
  readonly watch: Watch;
  readonly workspace: Workspace;
  readonly now: Millis;
  readonly figures: StoredFigures | undefined;
}

/** The project can no longer be shown in the channel. */
export const isLimited = ({ target, project }: Watch, workspace: Workspace): boolean =>
  'channel' in target && !isShownTo(project, workspace, { channel: target.channel, isUnlimited: false });

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
export function judgeWatch(
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
    ...{ episode: now.toString(36), since: dayAt(since, workspace.settings.zone), isSuspended },
  });
  if (!found.isKnown) return { state, found };
  const events = (kind: FiguresEvent['kind'], levels: readonly AlertedLevel[]) =>
    levels.map(({ episode, level }): readonly [string, AlertEvent] => {
      const facts = factsOf({ rule, measurement, episode, ...explanationOf(input, figures) });
      return [alertEpisode(watch, episode), { kind, level, at: now, facts }];
    });
  const targets = isSuspended ? [] : targetsOf(watch);
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
