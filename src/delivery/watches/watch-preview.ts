import type { BillingClient } from '../../billing/client.ts';
import { evaluateRule } from '../../domain/money/thresholds.ts';
import { measureWatch } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import {
  measureHistory,
  simulateWatch,
  simulationFrom,
  suggestRule,
} from '../../domain/money/watch-simulation.ts';
import { type Day, dayAt, type Millis } from '../../domain/time/calendar.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import {
  fetchAccount,
  fetchUsage,
  needsBalance,
  parseWatchFigures,
  type StoredFigures,
} from './watch-figures.ts';

/** Billing's answers for previews: rules of any kind and threshold are previewed with them without asking again. */
export interface PreviewFigures extends StoredFigures {
  /** The day they are of. */
  readonly today: Day;
}

/** What a form says before a watch is saved. */
export type WatchPreview = Readonly<ReturnType<typeof previewWatch>>;

/**
 * Asks billing for everything that previews of watches on this project need: once for its days, and once for its balance
 * if the rule looks at it.
 *
 * @param at ms since the epoch: now
 * @throws Failure
 */
export async function fetchPreviewFigures(
  billing: BillingClient,
  workspace: Workspace,
  project: ResolvedProject,
  rule: WatchRule,
  at: Millis,
): Promise<PreviewFigures> {
  const { zone } = requireSettings(workspace);
  const today = dayAt(at, zone);
  const access = openConnection(workspace, project);
  const [usage, account] = await Promise.all([
    fetchUsage(billing, access, project, { from: simulationFrom(today), today, zone, at }),
    needsBalance(rule) ? fetchAccount(billing, access, project, at) : undefined,
  ]);
  return { today, connection: access.connection, usage, ...(account && { account }) };
}

export function previewWatch(rule: WatchRule, { today, ...figures }: PreviewFigures) {
  const judged = parseWatchFigures(figures, today, figures.usage?.zone ?? 'UTC');
  const history = measureHistory(rule.kind, judged);
  const measurement = measureWatch(rule.kind, judged);
  const now = evaluateRule(rule, measurement, [], { episode: 'now', since: today });
  const suggestion = suggestRule(rule, history);
  return {
    /** The days of the last 90 that would have made it alert, ascending. */
    dates: simulateWatch(rule, history),
    /** How it is now. */
    measurement,
    /** It would alert at its first check. */
    isCrossed: now.crossings.length > 0,
    /** False when there is too little data to judge it now. */
    isKnown: now.isKnown,
    /** Reported days that the preview rests on; 0 for a project without data. */
    reported: judged.amounts.size,
    /** Earlier balances are worked out from what was spent: money that was added is not seen. */
    assumesNoTopUps: history.assumesNoTopUps,
    /** Would have alerted at most once a month; absent when the rule itself did, and if no threshold near it would. */
    ...(suggestion && { suggestion }),
  };
}
