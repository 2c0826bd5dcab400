import { formatPercent } from '../../domain/money.ts';
import { runwayShort } from '../../domain/runway-text.ts';
import type { Usage } from '../../domain/usage.ts';
import type { ReportView } from './blocks.ts';
import { type Answered, isOfMonth, leftText, moneyOf, shortly } from './figures.ts';

/** Stands behind a sum that some day is missing from. */
export const PART = '*';

interface Column {
  readonly title: string;
  readonly cell: (one: Answered) => string;
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
    title: shortly(month.window, today),
    cell: (one: Answered) => spent(one.briefing.month, one),
  };
  const ofMain = (title: string) => ({ title, cell: (one: Answered) => spent(one.briefing.main, one) });
  if (headline === 'left') return [left, lasts, ofMain(shortly(main.window, today)), ofMonth];
  return [ofMain('Spent'), change, isOfMonth(brief) ? left : ofMonth, lasts];
}

function spent({ total, reported, fullDays }: Usage, one: Answered): string {
  if (total.readable === 0) return 'not reported';
  const isPart = total.incomplete || reported.length < fullDays;
  return `${moneyOf(one)(total.value)}${isPart ? PART : ''}`;
}

const changeCell = ({ briefing: { change }, locale }: Answered): string =>
  change?.figures?.percent === undefined ? '–' : formatPercent(change.figures.percent, locale);

function leftCell(one: Answered): string {
  const { balance } = one;
  if (typeof balance === 'string') return 'unknown';
  return 'value' in balance.balance ? moneyOf(one)(balance.balance.value) : leftText(one);
}

const lastsCell = ({ briefing: { runway } }: Answered): string =>
  runway === undefined ? 'unknown' : runwayShort(runway);
