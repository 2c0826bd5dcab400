import { pluralize } from '../language/text.ts';
import type { Day } from '../time/calendar.ts';
import type { Usage } from './usage.ts';
import type { Coverage, UsageChange } from './usage-change.ts';

const SHOWN_DAYS = 5;

const list = (days: readonly Day[], nameOf: (day: Day) => string): string =>
  listed(days.slice(0, SHOWN_DAYS).map(nameOf), days.length);

/** `6 of 7 days reported, no data for Mon 16 Nov`; of a single day nothing when it is reported. */
export function formatReportedDays(
  { missing, reported, fullDays }: Usage,
  nameOf: (day: Day) => string,
): string {
  if (fullDays === 0) return '';
  if (fullDays === 1) return missing.length > 0 ? 'no data yet' : '';
  const gaps = missing.length === 0 ? '' : `, no data for ${list(missing, nameOf)}`;
  return `${reported.length} of ${fullDays} days reported${gaps}`;
}

/** What could not be read in these figures, a sentence each. Missing days are {@link formatReportedDays}'s. */
export function describeUnreadable(usage: Usage, nameOf: (day: Day) => string): string[] {
  const { unreadableDays, partialDays, total, bonuses } = usage;
  return [
    ...(unreadableDays.length > 0
      ? [`No readable amount for ${list(unreadableDays, nameOf)}: not in the total or the average.`]
      : []),
    ...(partialDays.length > 0
      ? [`Part of the amount for ${list(partialDays, nameOf)} couldn't be read.`]
      : []),
    ...(total.incomplete
      ? [`The total is incomplete: ${pluralize(total.unreadable, 'amount')} couldn't be read.`]
      : []),
    ...(bonuses.incomplete
      ? [
          `The bonuses are incomplete: ${bonuses.readable === 0 ? 'none' : pluralize(bonuses.unreadable, 'amount')} could${bonuses.readable === 0 ? '' : "n't"} be read.`,
        ]
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
