import { InvalidResponse, NoData } from '../../domain/failure/index.ts';
import { moneyFormatter, toPlainDigits } from '../../domain/money/amount.ts';
import { formatReportedDays, formatTotal, type Usage } from '../../domain/money/usage.ts';
import { formatCoverage } from '../../domain/money/usage-change.ts';
import { formatDays } from '../../domain/time/calendar.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import type { Period } from '../../domain/time/period.ts';
import type { SpendReport } from './figures.ts';

/** What a workflow's step gets. @throws NoData, InvalidResponse without a readable amount: a workflow would go on with a zero */
export function stepSpend({ target, usage, period, locale }: SpendReport) {
  const { total, reported, fullDays } = usage;
  if (total.readable === 0 && total.unreadable === 0) throw new NoData({ ...target, days: period.asked });
  if (total.readable === 0) throw new InvalidResponse('billing', 'none of its amounts is a number');
  return {
    amount: formatTotal(total, moneyFormatter(locale, target.currency)),
    amount_exact: toPlainDigits(total.value),
    period: periodText(period),
    reported: reportedText(usage, period),
    reported_days: reported.length,
    period_days: fullDays,
  };
}

/** `14–20 Nov 2026 UTC`: with the year, because a workflow may keep it. */
function periodText({ asked: { first, last }, zone, today }: Period): string {
  const days = `${formatDays(first, last)} ${zone}`;
  return today === undefined ? days : `${days}, today so far`;
}

/** More are not listed. */
const MOST_NAMED = 7;

function reportedText(usage: Usage, { days }: Period): string {
  const { missing, reported, fullDays, partialDays } = usage;
  if (fullDays === 0) return 'today isn’t over yet';
  if (fullDays > 1 && missing.length <= MOST_NAMED) return formatReportedDays(usage, dayNamerFor(days));
  return formatCoverage({ reported: reported.length, of: fullDays, partial: partialDays.length });
}
