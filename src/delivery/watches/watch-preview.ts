/** What a rule would have done in the last 90 days, and would do now. */
import type { Account, Runway } from '../../domain/money/balance-and-runway.ts';
import { evaluateRule, simulateWatch } from '../../domain/money/watch-evaluation.ts';
import { measureWatch, type WatchMeasurement } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import type { Day } from '../../domain/time/calendar.ts';
import { parseWatchFigures, type StoredFigures } from './watch-figures.ts';

export interface PreviewFigures extends StoredFigures {
  readonly today: Day;
}

export interface WatchPreview {
  readonly measurement: WatchMeasurement;
  readonly isCrossed: boolean;
  /** The days in the last 90 on which the watch would have alerted, earliest first. */
  readonly dates: readonly Day[];
  readonly funds: (Account & { readonly runway: Runway | undefined }) | undefined;
  /** False if there isn't enough data to judge the rule. */
  readonly isKnown: boolean;
  readonly reported: number;
}

export function previewWatch(rule: WatchRule, { today, ...figures }: PreviewFigures): WatchPreview {
  const judged = parseWatchFigures(figures, today, figures.usage?.zone ?? 'UTC');
  const measurement = measureWatch(rule.kind, judged);
  const now = evaluateRule(rule, measurement, [], { episode: 'now', since: today });
  return {
    dates: simulateWatch(rule, judged),
    measurement,
    funds: judged.account && { ...judged.account, runway: measureWatch('runway', judged).runway },
    isCrossed: now.crossings.length > 0,
    isKnown: now.isKnown,
    reported: judged.amounts.size,
  };
}
