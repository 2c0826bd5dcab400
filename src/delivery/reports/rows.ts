import { formatPercent, type Money, sumMoney, ZERO } from '../../domain/money/amount.ts';
import { formatRunwayShort } from '../../domain/money/runway-text.ts';
import { readableTotal, type Usage } from '../../domain/money/usage.ts';
import { formatReportDays } from '../../domain/report.ts';
import { hasOneCurrency, type ProjectColumn, projectRows } from '../../slack/commands/project-answers.ts';
import {
  amountOf,
  formatterFor,
  isMonthReport,
  leftText,
  type ProjectFigures,
  type ReportView,
} from './figures.ts';

/** Marks a sum with missing days. */
export const PARTLY_REPORTED = '*';

interface Column extends ProjectColumn<ProjectFigures> {
  /** What the total adds up; absent when a sum means nothing. */
  readonly value?: (answer: ProjectFigures) => Money | undefined;
}

/**
 * A row a project, the largest first, then those that failed, with the reason; the total at the end. Five columns are
 * what a phone shows.
 */
export function digestRows(view: ReportView): string[][] {
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
