import { formatPercent } from '../../domain/money/amount.ts';
import { formatRunwayShort } from '../../domain/money/runway-text.ts';
import type { Usage } from '../../domain/money/usage.ts';
import type { ReportView } from './blocks.ts';
import { formatterFor, isMonthReport, leftText, type ProjectFigures, shortFailure } from './figures.ts';

/** Stands behind a sum that some day is missing from. */
export const TABLE_PART_SIZE = '*';

interface Column {
  readonly title: string;
  readonly cell: (one: ProjectFigures) => string;
}

/** A row a project, those that could not be answered at the end. Five columns are what a telephone shows. */
export function digestRows(view: ReportView): string[][] {
  const columns = columnsOf(view);
  return [
    ['Project', ...columns.map(({ title }) => title)],
    ...view.answered.map((one) => [one.target.label, ...columns.map(({ cell }) => cell(one))]),
    ...view.unanswered.map(({ label }) => [label, ...columns.map((_, at) => (at === 0 ? 'no answer' : ''))]),
  ];
}

function columnsOf({ headline, brief }: ReportView): Column[] {
  const { main, month, today } = brief;
  const left = { title: 'Left', cell: leftCell };
  const lasts = { title: 'Lasts', cell: lastsCell };
  const change = { title: 'Change', cell: changeCell };
  const ofMonth = {
    title: shortFailure(month.window, today),
    cell: (one: ProjectFigures) => spent(one.briefing.month, one),
  };
  const ofMain = (title: string) => ({ title, cell: (one: ProjectFigures) => spent(one.briefing.main, one) });
  if (headline === 'left') return [left, lasts, ofMain(shortFailure(main.window, today)), ofMonth];
  return [ofMain('Spent'), change, isMonthReport(brief) ? left : ofMonth, lasts];
}

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
