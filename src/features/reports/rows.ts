import { formatPercent } from '../../domain/money.ts';
import { runwayShort } from '../../domain/runway-text.ts';
import type { Usage } from '../../domain/usage.ts';
import type { ReportView } from './blocks.ts';
import { type Answered, headlineOf, moneyOf } from './figures.ts';

/** A row a project, those that could not be answered at the end. */
export function digestRows({ brief, answered, unanswered }: ReportView): string[][] {
  const month = brief.month.window.label;
  return [
    ['Project', `Spent ${brief.main.window.label}`, 'Change', `Month, ${month}`, 'Left', 'Lasts'],
    ...answered.map((one) => [
      one.target.label,
      spent(one.briefing.main, one),
      changed(one),
      spent(one.briefing.month, one),
      left(one),
      one.briefing.runway === undefined ? 'unknown' : runwayShort(one.briefing.runway),
    ]),
    ...unanswered.map(({ label }) => [label, 'no answer', '', '', '', '']),
  ];
}

function spent({ total, reported, fullDays }: Usage, one: Answered): string {
  if (total.readable === 0) return 'not reported';
  const isPart = total.incomplete || reported.length < fullDays;
  return `${moneyOf(one)(total.value)}${isPart ? ` (${reported.length} of ${fullDays} days)` : ''}`;
}

const changed = ({ briefing: { change }, locale }: Answered): string =>
  change?.percent === undefined ? '–' : formatPercent(change.percent, locale);

function left(one: Answered): string {
  const { balance } = one;
  if (typeof balance === 'string') return 'unknown';
  return 'value' in balance.balance ? moneyOf(one)(balance.balance.value) : headlineOf(one, 'left');
}
