/** Fetches what projects spent, and writes the CSV file of `/spend`. */
import type { BillingClient, TimeRange } from '../../billing/client.ts';
import { collectRemarks, missedAnswer } from '../../domain/failure/index.ts';
import type { ParsedCommand } from '../../domain/language/parsed-command.ts';
import { toPlainDigits } from '../../domain/money/amount.ts';
import { compareUsage, type UsageChange } from '../../domain/money/comparison.ts';
import { type Forecast, forecastFrom, forecastMonth } from '../../domain/money/forecast.ts';
import {
  computeUsage,
  type DayCharges,
  formatReportedDays,
  formatTotal,
  type Usage,
  type UsageRow,
  usageOn,
} from '../../domain/money/usage.ts';
import {
  addDays,
  type Day,
  dayNamerFor,
  daysBetween,
  daysInRange,
  endOfDay,
  formatRequestedDays,
  type Millis,
  type RequestedDays,
  startOfDay,
  startOfUnit,
  wholeUnit,
  type Zone,
} from '../../domain/time/calendar.ts';
import { type ComparisonWindow, MAX_PERIOD_DAYS, type Period } from '../../domain/time/period.ts';
import { type Column, compact } from '../../slack/block-kit/blocks.ts';
import type { AnswerFile, AnswerView, CsvCell } from '../../slack/reply/render-answer.ts';
import { amountNotes, type ConnectedAnswer, fileSubject, rawDigits } from '../../slack/reply/send-answer.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

export interface SpendFigures extends ConnectedAnswer {
  readonly usage: Usage;
  /** A sentence if the earlier days couldn't be fetched; undefined if nothing is compared. */
  readonly change: UsageChange | string | undefined;
  readonly before: Usage | undefined;
  /** Undefined if the period isn't the current month, or if too few days are reported. */
  readonly forecast: Forecast | undefined;
}

export interface SpendView extends AnswerView<SpendFigures> {
  readonly period: Period;
  readonly shape: {
    readonly [Name in 'top' | 'isLowest' | 'isOfDays' | 'unit']?: ParsedCommand[Name] | undefined;
  };
  /** After `top 3`: the projects shown, the number of projects with figures, and the number of all projects. */
  readonly top?:
    | { readonly shown: readonly SpendFigures[]; readonly among: number; readonly of: number }
    | undefined;
}

/** Fetches the period, and the days that it is compared with. @throws Failure */
export async function fetchSpend(
  billing: BillingClient,
  workspace: Workspace,
  target: ResolvedProject,
  period: Period,
): Promise<SpendFigures> {
  const access = openConnection(workspace, target);
  const { from, to, dates, zone, comparison, requested: days } = period;
  const earlier = earlierDays(period);
  const [now, past] = await Promise.all([
    billing.consumption(access, target, { from, to, zone, days }),
    earlier && billing.consumption(access, target, { ...earlier, zone }).catch(missedAnswer),
  ]);
  const usage = computeUsage(now.charges, period);
  const charges = past && 'charges' in past ? past.charges : undefined;
  const before = comparison && charges && usageOn({ days: comparison.days }, charges);
  const today = forecastOn(period);
  return {
    target,
    connection: access.connection,
    usage,
    before,
    change:
      comparison && before
        ? compareUsage(usage, before, { current: comparison.currentDays, before: comparison.days })
        : comparison && past && 'why' in past
          ? past.why
          : undefined,
    forecast: today && charges ? forecastFor(today, zone, charges, usage) : undefined,
    remarks: collectRemarks(
      [`the figures for ${dates}`, now],
      ...(past && earlier ? [[`the figures for ${formatRequestedDays(earlier.days)}`, past] as const] : []),
    ),
  };
}

/** @returns today, if the period is the current month, whose cost can be forecast */
const forecastOn = ({ days, today, phrase }: Period): Day | undefined =>
  today !== undefined && phrase !== 'today' && days[0] === startOfUnit('month', today) ? today : undefined;

function forecastFor(today: Day, zone: Zone, charges: readonly DayCharges[], soFar: Usage) {
  const days = daysInRange(forecastFrom(today), addDays(today, -1), zone);
  return forecastMonth(usageOn({ days }, charges).amounts, today, zone, soFar);
}

/** One query covers both the days to compare with and the last months for the forecast. */
function earlierDays(period: Period): Omit<TimeRange, 'zone'> | undefined {
  const { zone, comparison } = period;
  const today = forecastOn(period);
  const compared = comparison && { from: comparison.from, to: comparison.to, days: comparison.requested };
  if (today === undefined) return compared;
  const last = addDays(today, -1);
  const [first = last] = [forecastFrom(today), ...(compared ? [compared.days.first] : [])].sort();
  // Billing would have to send too many days for the forecast.
  if (compared !== undefined && daysBetween(first, last) >= MAX_PERIOD_DAYS) return compared;
  return {
    from: startOfDay(first, zone),
    to: endOfDay(last, zone),
    // If the query fails, the answer mentions only the days to compare with.
    days: comparison?.requested ?? { first, last, today },
  };
}

const COMPARED = 'compared, not in the total';

export function spendFile({ answered, period, projects }: SpendView): AnswerFile<SpendFigures> {
  const compared = period.versus && period.comparison;
  const days = [period.requested, ...(compared ? [compared.requested] : [])].map(fileDays).join('-vs-');
  return {
    name: `spend-${fileSubject(projects)}-${days}.csv`,
    columns: COLUMNS.map(({ title }) => title),
    each: `each day (${period.zone})`,
    gaps: [
      ...answered.flatMap(({ usage, target }) =>
        gapOf(usage, period.days, projects.isList ? `${target.label}: ` : ''),
      ),
      ...(compared ? comparedGaps(answered, compared) : []),
    ],
    rows: ({ usage, before }) => [
      ...dayRows(usage, period.today),
      ...(compared && before ? dayRows(before, undefined, COMPARED) : []),
    ],
    details: ({ usage, before }) => [
      ...sums(usage, period),
      ...(compared && before
        ? sums(before, compared).map(([name, value]) => [`Compared ${name.toLowerCase()}`, value] as const)
        : []),
    ],
  };
}

function fileDays({ first, last }: RequestedDays): string {
  const unit = wholeUnit({ first, last });
  if (unit === 'month' || unit === 'year') return first.slice(0, unit === 'month' ? 7 : 4);
  return first === last ? first : `${first}_${last}`;
}

const gapOf = (usage: Usage | undefined, days: readonly Day[], lead: string): readonly string[] =>
  usage === undefined || usage.missing.length === 0
    ? []
    : [`${lead}${formatReportedDays(usage, dayNamerFor(days))}.`];

const comparedGaps = (answered: readonly SpendFigures[], { label, days }: ComparisonWindow): string[] => [
  `Rows noted “${COMPARED}” are for ${label}.`,
  ...answered.flatMap(({ target, before, change }) => {
    const lead = `${target.label}, ${label}: `;
    return typeof change === 'string' ? `${lead}${change}` : gapOf(before, days, lead);
  }),
];

const sums = ({ total, bonuses }: Usage, { from, to }: { readonly from: Millis; readonly to: Millis }) =>
  [
    ['Start', new Date(from).toISOString()],
    ['End', new Date(to).toISOString()],
    ['Total', formatTotal(total, toPlainDigits)],
    ['Bonuses', formatTotal(bonuses, toPlainDigits)],
    ['Items', String(total.readable + total.unreadable)],
  ] as const;

type FileRow = Pick<UsageRow, 'day' | 'shown' | 'outside' | 'merged'> &
  Partial<Pick<UsageRow, 'amount' | 'bonuses'>>;

const COLUMNS: readonly Column<FileRow, CsvCell>[] = [
  { title: 'day', cell: ({ day, shown }) => ({ text: day ?? shown }) },
  { title: 'amount', cell: ({ amount }) => rawDigits(amount) },
  { title: 'bonuses', cell: ({ bonuses }) => rawDigits(bonuses) },
  { title: 'items', cell: ({ merged }) => ({ digits: String(merged) }) },
];

/** Days without data have a row; items without a readable day come last. @param note begins each row's note */
function dayRows({ rows, missing }: Usage, today?: Day, note?: string): CsvCell[][] {
  const notesOf = ({ day, outside, merged, amount, bonuses }: FileRow): string[] =>
    compact([
      note,
      merged === 0 && 'no data',
      day !== undefined && day === today && 'so far',
      merged > 1 && `${merged} items added`,
      outside && 'outside this period',
      day === undefined && 'unreadable day',
      ...(amount ? amountNotes('amount', amount) : []),
      ...(bonuses ? amountNotes('bonuses', bonuses) : []),
    ]);
  const empty = missing.map((day): FileRow => ({ day, shown: day, outside: false, merged: 0 }));
  return [...rows, ...empty]
    .sort(({ day: a = '~' }, { day: b = '~' }) => (a < b ? -1 : a > b ? 1 : 0))
    .map((row) => [...COLUMNS.map(({ cell }) => cell(row)), { text: notesOf(row).join('; ') }]);
}
