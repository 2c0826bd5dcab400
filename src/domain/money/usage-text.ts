/** What is said about usage and its change: plain text of Tally's own words and figures. */
import { listNames, pluralize } from '../language/text.ts';
import type { Day } from '../time/calendar.ts';
import type { MoneyFormatter } from './amount.ts';
import type { Usage, UsageTotal } from './usage.ts';
import type { Compared, Coverage, UsageChange } from './usage-change.ts';

/** `1,234.00`, `1,234.00 (incomplete)` */
export const formatTotal = (
  { value, incomplete }: Pick<UsageTotal, 'value' | 'incomplete'>,
  money: MoneyFormatter,
): string => `${money(value)}${incompleteMark(incomplete)}`;

export const incompleteMark = (isIncomplete: boolean): string => (isIncomplete ? ' (incomplete)' : '');

/** `bonuses 12.00`; '' if they are zero. */
export const formatBonusTotal = (bonuses: UsageTotal, money: MoneyFormatter): string =>
  bonuses.value.eq(0) && !bonuses.incomplete ? '' : `bonuses ${formatTotal(bonuses, money)}`;

const list = (days: readonly Day[], nameOf: (day: Day) => string): string => listNames(days.map(nameOf));

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

/** `Thu 25 Feb isn't reported yet`: why a change has no figures. */
export function formatUncompared(
  { coverage: { current, before } }: UsageChange,
  labels: Compared<string>,
): string {
  const isCurrent = current.reported === 0;
  const [{ of }, label] = isCurrent ? [current, labels.current] : [before, labels.before];
  return `${of === 1 ? `${label} isn't` : `no day of ${label} is`} reported${isCurrent ? ' yet' : ''}`;
}

/** `6 of 7 days reported`, `7 of 7 days reported, 1 only in part`; of a single day `not reported` */
export function formatCoverage({ reported, of, partial }: Coverage): string {
  if (of === 1) return reported === 0 ? 'not reported' : partial > 0 ? 'reported only in part' : 'reported';
  return `${reported} of ${pluralize(of, 'day')} reported${partial > 0 ? `, ${partial} only in part` : ''}`;
}

/** `6 of 7 days reported now, 7 of 7 days reported before` */
export const formatCoverageOfBoth = ({ coverage: { current, before } }: UsageChange): string =>
  `${formatCoverage(current)} now, ${formatCoverage(before)} before`;
