import { formatPercent, type Money, sumMoney, ZERO } from '../../domain/money/amount.ts';
import { formatRunwayShort, isRunningOut } from '../../domain/money/runway-text.ts';
import { incompleteMark, readableTotal, type Usage } from '../../domain/money/usage.ts';
import {
  formatCoverage,
  isFullyReported,
  sumChanges,
  type UsageChange,
} from '../../domain/money/usage-change.ts';
import { formatReportDays } from '../../domain/report.ts';
import {
  failedNotes,
  hasOneCurrency,
  type ProjectColumn,
  projectRows,
  runningOutLine,
  severalTitle,
} from '../../slack/commands/project-answers.ts';
import { type Block, context, markup, section } from '../../slack/kit/atoms.ts';
import { table } from '../../slack/kit/rich-blocks.ts';
import { coveredDays, formatChange, monthName, noticeNotes, reportNotes } from './facts.ts';
import {
  amountOf,
  formatterFor,
  isMonthReport,
  leftText,
  type ProjectFigures,
  type ReportView,
  reportWhen,
} from './figures.ts';

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
  const lines = [...together, runningOutLine(soon)].filter(Boolean);
  return [
    ...(lines.length === 0 ? [] : [markup(lines.join('\n'))]),
    table(rows),
    ...remarks(view),
    ...(isPart
      ? [context(`${PARTLY_REPORTED} not every day is reported yet; a missing day is not counted as zero`)]
      : []),
    ...failedNotes(view.failed).map(section),
  ];
}

function remarks(view: ReportView): Block[] {
  const { answered, periods } = view;
  const isOneDay = periods.main.window.days.length === 1;
  const silent = isOneDay ? answered.filter(({ figures }) => figures.main.missing.length > 0) : [];
  const names = silent.map(({ target }) => target.label).join(', ');
  return [
    ...(silent.length === 0
      ? []
      : [
          section(
            `Nothing reported for ${formatReportDays(periods.main.window, periods.today)} yet (not counted as zero): ${names}.`,
          ),
        ]),
    ...answered.flatMap((answer) => {
      const said = silent.includes(answer)
        ? noticeNotes(answer)
        : [...reportNotes(answer, periods), ...(view.headline === 'spent' ? coverageNotes(answer) : [])];
      return said.length === 0 ? [] : [section(`${answer.target.label}: ${said.join(' ')}`)];
    }),
  ];
}

/** What a change in the table rests on, if that is not every day. How many days are reported now is said before. */
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
  const change = together(answered.map(({ figures }) => figures.change));
  const monthChange = together(answered.map(({ figures }) => figures.monthChange));
  return [
    ...(headline === 'spent' && change !== undefined ? formatChange(change, main, today, first) : []),
    // The total's row has the amount.
    ...(isMonthReport(periods) || monthChange === undefined
      ? []
      : [
          `*${monthName(month.window, today)}* (${coveredDays(month.window, monthChange)}): ${formatChange(monthChange, month, today, first, true).join('')}`,
        ]),
  ];
}

/** Only if each has one. */
function together(changes: readonly (UsageChange | undefined)[]): UsageChange | undefined {
  const all = changes.filter((change) => change !== undefined);
  return all.length < changes.length ? undefined : sumChanges(all);
}

/** Marks a sum with missing days. */
const PARTLY_REPORTED = '*';

interface Column extends ProjectColumn<ProjectFigures> {
  /** What the total adds up; absent when a sum means nothing. */
  readonly value?: (answer: ProjectFigures) => Money | undefined;
}

/**
 * A row a project, the largest first, then those that failed, with the reason; the total at the end. Five columns are
 * what a phone shows.
 */
function digestRows(view: ReportView): string[][] {
  const columns = columnsOf(view);
  const sorted = view.answered.toSorted((a, b) => sizeOf(b, view).cmp(sizeOf(a, view)));
  return [...projectRows(sorted, columns, view.failed), ...totalRow(view, columns)];
}

const sizeOf = (answer: ProjectFigures, { headline }: ReportView): Money =>
  amountOf(answer, headline) ?? ZERO;

/** Amounts of different labels have no sum. A star of any project is the total's as well. */
function totalRow({ answered }: ReportView, columns: readonly Column[]): string[][] {
  const [first] = answered;
  if (first === undefined || answered.length < 2 || !hasOneCurrency(answered)) return [];
  const cells = columns.map(({ value, cell }) => {
    const values = answered.flatMap((answer) => value?.(answer) ?? []);
    if (value === undefined || values.length === 0) return '';
    const isPart =
      values.length < answered.length || answered.some((answer) => cell(answer).endsWith(PARTLY_REPORTED));
    return `${formatterFor(first)(sumMoney(values))}${isPart ? PARTLY_REPORTED : ''}`;
  });
  return [['Total', ...cells]];
}

function columnsOf({ headline, periods }: ReportView): Column[] {
  const { main, month, today } = periods;
  const left = { title: 'Left', cell: leftCell, value: (answer: ProjectFigures) => amountOf(answer, 'left') };
  const lasts = { title: 'Lasts', cell: lastsCell };
  const change = { title: `vs ${main.before.label}`, cell: changeCell };
  const spentIn = (usage: 'main' | 'month', title: string): Column => ({
    title,
    cell: (answer) => spent(answer.figures[usage], answer),
    value: ({ figures }) => readableTotal(figures[usage]),
  });
  const ofMonth = spentIn('month', formatReportDays(month.window, today));
  if (headline === 'left')
    return [left, lasts, spentIn('main', formatReportDays(main.window, today)), ofMonth];
  return [spentIn('main', 'Spent'), change, isMonthReport(periods) ? left : ofMonth, lasts];
}

function spent({ total, reported, fullDays }: Usage, answer: ProjectFigures): string {
  if (total.readable === 0) return 'not reported';
  const isPart = total.incomplete || reported.length < fullDays;
  return `${formatterFor(answer)(total.value)}${isPart ? PARTLY_REPORTED : ''}`;
}

const changeCell = ({ figures: { change }, locale }: ProjectFigures): string =>
  change?.figures?.percent === undefined ? '–' : formatPercent(change.figures.percent, locale);

function leftCell(answer: ProjectFigures): string {
  const { balance } = answer;
  if (typeof balance === 'string') return 'unknown';
  return 'value' in balance.balance ? formatterFor(answer)(balance.balance.value) : leftText(answer);
}

const lastsCell = ({ figures: { runway } }: ProjectFigures): string =>
  runway === undefined ? 'unknown' : formatRunwayShort(runway);
