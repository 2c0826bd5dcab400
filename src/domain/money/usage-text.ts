import { pluralize } from '../language/text.ts';
import type { Day } from '../time/calendar.ts';
import type { Usage } from './usage.ts';
import type { Coverage, UsageChange } from './usage-change.ts';

const SHOWN_DAYS = 5;

/** What is missing or unreadable in these figures, a sentence each; `nameOf` names days as the rest of the answer does. */
export function describeGaps(usage: Usage, nameOf: (day: Day) => string): string[] {
  const { missing, unreadableDays, partialDays, mergedDays, reported, fullDays, total, bonuses } = usage;
  const list = (days: readonly Day[]) => listed(days.slice(0, SHOWN_DAYS).map(nameOf), days.length);
  return [
    ...(missing.length > 0
      ? [
          `${reported.length} of ${pluralize(fullDays, 'day')} reported: nothing for ${list(missing)} yet (not counted as zero).`,
        ]
      : []),
    ...(unreadableDays.length > 0
      ? [`No readable amount for ${list(unreadableDays)}: left out of total and average.`]
      : []),
    ...(partialDays.length > 0 ? [`Only a part of the amount for ${list(partialDays)} could be read.`] : []),
    ...(total.incomplete
      ? [`The total is incomplete: ${pluralize(total.unreadable, 'amount')} could not be read.`]
      : []),
    ...(bonuses.incomplete
      ? [
          `The bonuses are incomplete: ${bonuses.readable === 0 ? 'none could be read' : `${pluralize(bonuses.unreadable, 'amount')} could not be read`}.`,
        ]
      : []),
    ...(mergedDays > 0
      ? [`The service sent several items for ${pluralize(mergedDays, 'day')}; they are added up.`]
      : []),
  ];
}

/** `6 of 7 days reported`, `7 of 7 days reported, 1 only in part`; of a single day `not reported` */
export function formatCoverage({ reported, of, partial }: Coverage): string {
  if (of === 1) return reported === 0 ? 'not reported' : partial > 0 ? 'reported only in part' : 'reported';
  return `${reported} of ${pluralize(of, 'day')} reported${partial > 0 ? `, ${partial} only in part` : ''}`;
}

/** `now 6 of 7 days reported; then 7 of 7 days reported` */
export const formatCoverageOfBoth = ({ coverage: { current, before } }: UsageChange): string =>
  `now ${formatCoverage(current)}; then ${formatCoverage(before)}`;

function listed(names: readonly string[], of: number): string {
  const more = of - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
