import { formatPercent, type Money, sumMoney, ZERO } from '../../domain/money/amount.ts';
import { forecastDay } from '../../domain/money/forecast.ts';
import { formatRunwayShort, isRunningOut } from '../../domain/money/runway.ts';
import { incompleteMark, readableTotal } from '../../domain/money/usage.ts';
import {
  formatCoverage,
  isFullyReported,
  sumChanges,
  type UsageChange,
} from '../../domain/money/usage-change.ts';
import { type ComparedWindows, formatReportDays } from '../../domain/report.ts';
import {
  failedNotes,
  hasOneCurrency,
  type ProjectColumn,
  projectRows,
  runningOutLine,
  severalTitle,
} from '../../slack/commands/project-table.ts';
import {
  type Block,
  compact,
  context,
  escapeMarkup,
  joinTexts,
  markup,
  section,
} from '../../slack/kit/blocks.ts';
import { table } from '../../slack/kit/tables.ts';
import {
  amountOf,
  formatChange,
  formatRemaining,
  formatterFor,
  type Headline,
  isMonthReport,
  monthName,
  type ProjectFigures,
  type ReportView,
  remarkNotes,
  reportNotes,
  reportWhen,
} from './figure-lines.ts';

/** `3 projects · 31,579.81 spent on Fri 20 Nov`, with one sum for each currency label. */
export function digestTitle(view: ReportView): string {
  const { headline, periods, answered } = view;
  const isIncomplete = headline === 'spent' && answered.some(({ figures }) => figures.main.total.incomplete);
  const when = headline === 'spent' ? ` ${reportWhen(periods)}` : '';
  return severalTitle(view, (answer) => amountOf(answer, headline), answered[0]?.locale ?? '', {
    verb: `${headline}${when}${incompleteMark(isIncomplete)}`,
    ...(headline === 'spent' && {
      none: `nothing reported for ${formatReportDays(periods.main.window, periods.today)} yet`,
    }),
  });
}

/** The total of all projects, then a row for each, then notes: missing days, projects without figures. */
export function renderDigest(view: ReportView): Block[] {
  const rows = digestRows(view);
  const together = togetherLines(view);
  const isPart = rows.flat().some((cell) => cell.endsWith(PARTLY_REPORTED));
  const soon = view.answered.filter(
    ({ figures: { runway } }) => runway !== undefined && isRunningOut(runway),
  );
  const lines = joinTexts('\n', [...together, runningOutLine(soon)]);
  return compact([
    lines !== '' && markup(lines),
    table(rows),
    ...digestNotes(view),
    isPart &&
      context(`${PARTLY_REPORTED} not every day is reported yet; a missing day is not counted as zero`),
    ...failedNotes(view.failed).map(section),
  ]);
}

function digestNotes(view: ReportView): Block[] {
  const { answered, periods } = view;
  const isOneDay = periods.main.window.days.length === 1;
  const silent = isOneDay ? answered.filter(({ figures }) => figures.main.missing.length > 0) : [];
  const names = silent.map(({ target }) => target.label).join(', ');
  const day = formatReportDays(periods.main.window, periods.today);
  return compact([
    silent.length > 0 && section(`Nothing reported for ${day} yet (not counted as zero): ${names}.`),
    ...answered.flatMap((answer) => {
      const said = silent.includes(answer)
        ? remarkNotes(answer)
        : [...reportNotes(answer, periods), ...(view.headline === 'spent' ? coverageNotes(answer) : [])];
      return said.length === 0 ? [] : section(`${answer.target.label}: ${said.join(' ')}`);
    }),
  ]);
}

/** How many days the changes in the table are based on, if not all; for the current days that is said above the table. */
function coverageNotes({ figures: { change } }: ProjectFigures): string[] {
  if (change === undefined || isFullyReported(change)) return [];
  const basis = change.figures?.basis === 'average' ? 'averages a day, ' : '';
  return [`Change: ${basis}${formatCoverage(change.coverage.before)} before.`];
}

/** Only if every answered project has a figure with the same label, because a partial sum would look like the total. */
function togetherLines({ headline, periods, answered }: ReportView): string[] {
  const [first] = answered;
  if (first === undefined || !hasOneCurrency(answered)) return [];
  const { main, month, today } = periods;
  const change = sumOfAll(answered.map(({ figures }) => figures.change));
  const monthChange = sumOfAll(answered.map(({ figures }) => figures.monthChange));
  const sumOf = (amount: (answer: ProjectFigures) => Money | undefined): string => {
    const values = answered.flatMap((answer) => amount(answer) ?? []);
    return values.length < answered.length ? '' : escapeMarkup(formatterFor(first)(sumMoney(values)));
  };
  const spentSum = sumOf(({ figures }) => readableTotal(figures.main));
  const monthSum = sumOf(({ figures }) => readableTotal(figures.month));
  const left = sumOf((answer) => amountOf(answer, 'left'));
  const expected = sumOf(({ figures }) => figures.forecast?.total);
  const day = formatReportDays(main.window, today);
  const changes = formatChange(change, main, today, first);
  const monthDays = [month.window.label, ...monthCoverage(answered)].join(', ');
  return compact([
    headline === 'spent'
      ? changes.join(' · ') || changedRows(answered, main)
      : spentSum && [`*Spent ${day}* ${spentSum}`, ...changes].join(' · '),
    !isMonthReport(periods) &&
      monthSum !== '' &&
      joinTexts(' · ', [
        `*${monthName(month.window, today)}* ${monthSum} (${monthDays})`,
        ...formatChange(monthChange, month, today, first, true),
        expected !== '' && `forecast about ${expected} by ${forecastDay(today)}`,
      ]),
    headline === 'spent' && left !== '' && `*${left} left*`,
  ]);
}

/** `8 of 20 days reported`, of the project with the fewest; nothing where every day is. */
function monthCoverage(answered: readonly ProjectFigures[]): string[] {
  const months = answered.map(({ figures }) => figures.month);
  const worst = months.reduce((a, b) => (b.reported.length < a.reported.length ? b : a));
  const { reported, fullDays: of } = worst;
  return reported.length < of ? [formatCoverage({ reported: reported.length, of, partial: 0 })] : [];
}

/** The note on what the rows are compared with, for a digest whose total has no comparison. */
const changedRows = (answered: readonly ProjectFigures[], { before }: ComparedWindows): string =>
  answered.some(({ figures }) => figures.change?.figures?.percent) ? `Change vs ${before.label}` : '';

/** The changes together; undefined unless every project has one. */
function sumOfAll(changes: readonly (UsageChange | undefined)[]): UsageChange | undefined {
  const all = changes.filter((change) => change !== undefined);
  return all.length < changes.length ? undefined : sumChanges(all);
}

const PARTLY_REPORTED = '*';

/** A row a project, the largest first, then those that failed, with the reason. Three columns are what a phone shows. */
function digestRows(view: ReportView): string[][] {
  const sorted = view.answered.toSorted((a, b) => sizeOf(b, view).cmp(sizeOf(a, view)));
  const lasts = { title: 'lasts', cell: lastsCell };
  return projectRows(sorted, COLUMNS[view.headline], view.failed, {
    beside: view.headline === 'spent' ? lasts : undefined,
  });
}

const sizeOf = (answer: ProjectFigures, { headline }: ReportView): Money =>
  amountOf(answer, headline) ?? ZERO;

const COLUMNS: Readonly<Record<Headline, readonly ProjectColumn<ProjectFigures>[]>> = {
  left: [
    { title: 'Left', cell: leftCell },
    { title: 'Lasts', cell: lastsCell },
  ],
  spent: [
    { title: 'Spent', cell: spentCell },
    {
      title: 'Change',
      cell: ({ figures: { change }, locale }) =>
        change?.figures?.percent === undefined ? '–' : formatPercent(change.figures.percent, locale),
    },
  ],
};

function spentCell(answer: ProjectFigures): string {
  const { total, reported, fullDays } = answer.figures.main;
  if (total.readable === 0) return 'not reported';
  const isPart = total.incomplete || reported.length < fullDays;
  return `${formatterFor(answer)(total.value)}${isPart ? PARTLY_REPORTED : ''}`;
}

function leftCell(answer: ProjectFigures): string {
  const { balance } = answer;
  if (typeof balance === 'string') return 'unknown';
  return 'value' in balance.balance ? formatterFor(answer)(balance.balance.value) : formatRemaining(answer);
}

function lastsCell({ figures: { runway } }: ProjectFigures): string {
  return runway === undefined ? 'unknown' : formatRunwayShort(runway);
}
