import { formatPercent, type Money, sumMoney, ZERO } from '../../domain/money/amount.ts';
import { formatReportDays } from '../../domain/money/report-figures.ts';
import { formatRunwayShort } from '../../domain/money/runway-text.ts';
import type { Usage } from '../../domain/money/usage.ts';
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
export const TABLE_PART_SIZE = '*';

interface Column extends ProjectColumn<ProjectFigures> {
  /** What the total adds up; absent when a sum means nothing. */
  readonly value?: (one: ProjectFigures) => Money | undefined;
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

const sizeOf = (one: ProjectFigures, { headline }: ReportView): Money => amountOf(one, headline) ?? ZERO;

/** Amounts of different labels have no sum. A star of any project is the total's as well. */
function totalRow({ answered }: ReportView, columns: readonly Column[]): string[][] {
  const [first] = answered;
  if (first === undefined || answered.length < 2 || !hasOneCurrency(answered)) return [];
  const cells = columns.map(({ value, cell }) => {
    const values = answered.flatMap((one) => value?.(one) ?? []);
    if (value === undefined || values.length === 0) return '';
    const isPart =
      values.length < answered.length || answered.some((one) => cell(one).endsWith(TABLE_PART_SIZE));
    return `${formatterFor(first)(sumMoney(values))}${isPart ? TABLE_PART_SIZE : ''}`;
  });
  return [['Total', ...cells]];
}

function columnsOf({ headline, brief }: ReportView): Column[] {
  const { main, month, today } = brief;
  const left = { title: 'Left', cell: leftCell, value: (one: ProjectFigures) => amountOf(one, 'left') };
  const lasts = { title: 'Lasts', cell: lastsCell };
  const change = { title: `vs ${main.before.label}`, cell: changeCell };
  const ofMonth = {
    title: formatReportDays(month.window, today),
    cell: (one: ProjectFigures) => spent(one.briefing.month, one),
    value: (one: ProjectFigures) => readableTotal(one.briefing.month),
  };
  const ofMain = (title: string) => ({
    title,
    cell: (one: ProjectFigures) => spent(one.briefing.main, one),
    value: (one: ProjectFigures) => readableTotal(one.briefing.main),
  });
  if (headline === 'left') return [left, lasts, ofMain(formatReportDays(main.window, today)), ofMonth];
  return [ofMain('Spent'), change, isMonthReport(brief) ? left : ofMonth, lasts];
}

const readableTotal = ({ total }: Usage): Money | undefined =>
  total.readable === 0 ? undefined : total.value;

function spent({ total, reported, fullDays }: Usage, one: ProjectFigures): string {
  if (total.readable === 0) return 'not reported';
  const isPart = total.incomplete || reported.length < fullDays;
  return `${formatterFor(one)(total.value)}${isPart ? TABLE_PART_SIZE : ''}`;
}

const changeCell = ({ briefing: { change }, locale }: ProjectFigures): string =>
  change?.figures?.percent === undefined ? '–' : formatPercent(change.figures.percent, locale);

function leftCell(one: ProjectFigures): string {
  const { balance } = one;
  if (typeof balance === 'string') return 'unknown';
  return 'value' in balance.balance ? formatterFor(one)(balance.balance.value) : leftText(one);
}

const lastsCell = ({ briefing: { runway } }: ProjectFigures): string =>
  runway === undefined ? 'unknown' : formatRunwayShort(runway);
