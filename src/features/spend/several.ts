import {
  divide,
  formatMoney,
  formatPercent,
  formatShare,
  type Money,
  sumMoney,
} from '../../domain/money/amount.ts';
import {
  formatCoverage,
  isPoorlyReported,
  sumChanges,
  type UsageChange,
} from '../../domain/money/usage-change.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import type { Period } from '../../domain/time/period.ts';
import {
  type CommandInvocation,
  commandButton,
  outputOptions,
  scheduleOption,
  shareButton,
} from '../../slack/commands/command-buttons.ts';
import {
  failedNotes,
  failedRows,
  type ProjectAnswers,
  productNames,
  severalTitle,
} from '../../slack/commands/several-projects.ts';
import { actions, escapeMarkup, type Message } from '../../slack/kit/atoms.ts';
import { table } from '../../slack/kit/rich-blocks.ts';
import { type AnswerDetails, moreMenu, renderAnswer } from '../../slack/reply/answer-message.ts';
import {
  listWord,
  type ResolvedProject,
  type SeveralProjects,
} from '../../workspace/projects/resolve-project.ts';
import { periodChoices, todayOption } from './blocks.ts';
import type { SpendFigures } from './figures.ts';

/** Everything an answer to `/spend` about several projects says. */
export interface SeveralSpend extends AnswerDetails, ProjectAnswers<SpendFigures> {
  readonly several: SeveralProjects;
  /** As it was typed; undefined when each project has its own. */
  readonly product: ProductId | undefined;
  readonly period: Period;
}

/** The total and its biggest change, then a row a project, the largest first; one that failed says why. */
export function severalSpendMessage(report: SeveralSpend): Message {
  const { period, answered, failed, locale } = report;
  const isIncomplete = answered.some(({ usage }) => usage.total.incomplete);
  const verb = isIncomplete ? 'spent (incomplete)' : 'spent';
  const title = severalTitle(report, spentBy, locale, { verb });
  const { nameOf, facts } = productNames(answered);
  return renderAnswer(report, {
    title,
    text: `${title}, ${period.dates}`,
    lines: [[totalChange(report), biggestChange(report)].filter(Boolean).join(' · ')],
    body: [table(rowsOf(report, nameOf))],
    remarks: answered.flatMap(({ remarks }) => remarks).slice(0, 5),
    facts: [`${period.dates} ${period.zone}${period.today === undefined ? '' : ', today so far'}`, ...facts],
    notes: failedNotes(failed),
    buttons: buttons(report),
  });
}

const spentBy = ({ usage: { total } }: SpendFigures): Money | undefined =>
  total.readable === 0 ? undefined : total.value;

const hasOneLabel = ({ answered }: SeveralSpend): boolean =>
  new Set(answered.map(({ target }) => target.currency)).size === 1;

const comparable = ({ change }: SpendFigures): UsageChange | undefined =>
  change === undefined ||
  typeof change === 'string' ||
  change.figures === undefined ||
  isPoorlyReported(change)
    ? undefined
    : change;

/** Only if every answered project can be compared, because a partial sum would look like the total. */
function totalChange(report: SeveralSpend): string {
  const { answered, period, locale } = report;
  const changes = answered.flatMap((one) => comparable(one) ?? []);
  if (period.comparison === undefined || changes.length < answered.length || !hasOneLabel(report)) return '';
  const sum = sumChanges(changes);
  const percent = sum?.figures?.percent;
  if (sum === undefined || percent === undefined) return '';
  const { before } = sum.coverage;
  const rests = before.reported === before.of ? '' : ` (${formatCoverage(before)})`;
  const isEven = changes.every(({ figures }) => figures?.basis === 'total');
  return `*${formatPercent(percent, locale)}*${isEven ? '' : ' a day'} vs ${period.comparison.label}${rests}`;
}

/** `biggest change: prod + 3,120.00` */
function biggestChange(report: SeveralSpend): string {
  const { answered, locale } = report;
  if (!hasOneLabel(report) || answered.length < 2) return '';
  const differences = answered.flatMap((one) => {
    const figures = comparable(one)?.figures;
    if (figures === undefined) return [];
    const { current, before } = figures.daily;
    const isTotal = figures.basis === 'total';
    const value = isTotal ? figures.current.minus(figures.before) : current.minus(before);
    return [{ label: one.target.label, value, daily: current.minus(before).abs(), isTotal }];
  });
  const [first, ...rest] = differences;
  if (first === undefined) return '';
  const { label, value, isTotal } = rest.reduce((top, one) => (one.daily.gt(top.daily) ? one : top), first);
  if (value.eq(0)) return '';
  const sign = value.lt(0) ? '−' : '+';
  return `biggest change: ${escapeMarkup(label)} ${sign} ${formatMoney(value.abs(), locale)}${isTotal ? '' : ' a day'}`;
}

function rowsOf(report: SeveralSpend, nameOf: (target: ResolvedProject) => string): string[][] {
  const { answered, failed, locale, period } = report;
  const amountOf = ({ usage }: SpendFigures): Money => usage.total.value;
  const sorted = answered.toSorted((a, b) => amountOf(b).cmp(amountOf(a)));
  const total = sumMoney(sorted.map(amountOf));
  const hasShares = hasOneLabel(report) && total.gt(0) && sorted.every((one) => amountOf(one).gte(0));
  const isCompared = period.comparison !== undefined;
  const row = (label: string, spent: string, change: string, share: string) => [
    label,
    spent,
    ...(isCompared ? [change] : []),
    ...(hasShares ? [share] : []),
  ];
  const header = row('Project', 'Spent', `vs ${period.comparison?.label}`, 'Share');
  return [
    header,
    ...sorted.map((one) =>
      row(
        nameOf(one.target),
        spentCell(one, report),
        changeCell(one, locale),
        hasShares ? formatShare(divide(amountOf(one).times(100), total), locale) : '',
      ),
    ),
    ...failedRows(failed, header),
  ];
}

function spentCell({ usage, target }: SpendFigures, { locale }: SeveralSpend): string {
  const { total, reported, fullDays } = usage;
  if (total.readable === 0) return 'no data';
  const coverage = reported.length < fullDays ? ` (${reported.length} of ${fullDays} days)` : '';
  return `${formatMoney(total.value, locale, target.currency)}${coverage}${total.incomplete ? ' (incomplete)' : ''}`;
}

function changeCell(one: SpendFigures, locale: string): string {
  const figures = comparable(one)?.figures;
  if (figures?.percent === undefined) return '–';
  return `${formatPercent(figures.percent, locale)}${figures.basis === 'average' ? ' a day' : ''}`;
}

function buttons({ several, product, period, asked, byline }: SeveralSpend) {
  const word = listWord(several);
  const ending = product === undefined ? '' : ` ${PRODUCTS[product].word}`;
  const words = (phrase: string): CommandInvocation => ({
    command: '/spend',
    text: `${word} ${phrase}${ending}`,
  });
  return actions(
    ...periodChoices(period, words),
    ...(byline === undefined ? shareButton(words(period.phrase), asked) : []),
    ...commandButton('balance', 'Balances', { command: '/balance', text: `${word}${ending}` }),
    ...moreMenu([
      ...todayOption(period.phrase, words),
      ...outputOptions(words(period.phrase)),
      scheduleOption({ word, product }),
    ]),
  );
}
