import { formatMoney, type Money } from '../../domain/money/amount.ts';
import { formatForecast } from '../../domain/money/forecast.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import type { Period } from '../../domain/time/period.ts';
import {
  moneyFormatter,
  moreMenu,
  periodMenu,
  renderAnswer,
  sourceOf,
  titleOf,
} from '../../slack/answer-message.ts';
import {
  type CommandInvocation,
  commandButton,
  commandOption,
  nameButton,
  outputOptions,
  scheduleOption,
  shareButton,
  watchOption,
} from '../../slack/command-buttons.ts';
import { actions, escapeMarkup, type Message } from '../../slack/kit/atoms.ts';
import { spendChart } from '../../slack/spend-chart.ts';
import { daysTable } from './days.ts';
import type { SpendReport } from './figures.ts';
import { comparisonText, periodFacts, spendNotes } from './notes.ts';

export function spendMessage(report: SpendReport): Message {
  const { period, target, remarks } = report;
  const title = titleOf(report, headline(report));
  return renderAnswer(report, {
    title,
    text: `${title}, ${period.dates}, ${PRODUCTS[target.product].name}`,
    lines: [factLine(report), forecastLine(report)],
    body: [spendChart(report), daysTable(report)].filter((block) => block !== undefined),
    remarks,
    facts: [...periodFacts(report), bonusesText(report), ...sourceOf(report)],
    notes: spendNotes(report),
    buttons: buttons(report),
  });
}

function headline(report: SpendReport): string {
  const { total } = report.usage;
  if (total.readable === 0) return 'no readable amounts';
  return `${moneyFormatter(report)(total.value)} spent${total.incomplete ? ' (incomplete)' : ''}`;
}

/** The comparison, the average and the peak; no figure that is in the title. */
function factLine(report: SpendReport): string {
  const { usage, period, locale } = report;
  const { average, highest, total } = usage;
  const nameOf = dayNamerFor(period.days);
  const money = moneyFormatter(report);
  const figure = (value: Money) => escapeMarkup(formatMoney(value, locale));
  const isSaid = (value: Money) => money(value) === money(total.value);
  const isPeak = highest !== undefined && average !== undefined && money(highest.value) !== money(average);
  return [
    comparisonText(report),
    ...(average === undefined || isSaid(average) ? [] : [`${escapeMarkup(money(average))} a day`]),
    ...(isPeak && !isSaid(highest.value) ? [`peak ${nameOf(highest.day)}, ${figure(highest.value)}`] : []),
  ]
    .filter(Boolean)
    .join(' · ');
}

const forecastLine = ({ forecast, period: { today }, locale }: SpendReport): string =>
  forecast === undefined || today === undefined
    ? ''
    : escapeMarkup(formatForecast(forecast, today, (value) => formatMoney(value, locale)));

function bonusesText({ usage: { bonuses }, locale }: SpendReport): string {
  const { value, incomplete } = bonuses;
  if (value.eq(0) && !incomplete) return '';
  return `bonuses ${formatMoney(value, locale)}${incomplete ? ' (incomplete)' : ''}`;
}

const PERIODS: readonly (readonly [string, string])[] = [
  ['Yesterday', 'yesterday'],
  ['Last 7 days', 'last-7-days'],
  ['Last 30 days', 'last-30-days'],
  ['Last week', 'last-week'],
  ['This month so far', 'this-month'],
  ['Last month', 'last-month'],
  ['Last 3 months', 'last-3-months'],
  ['This year so far', 'this-year'],
];

/** The periods that a schedule posts. */
const SCHEDULED = ['yesterday', 'last-week', 'this-month'];

function buttons(report: SpendReport) {
  const { target, period, asked, byline } = report;
  const product = PRODUCTS[target.product].word;
  const words = (phrase: string): CommandInvocation => ({
    command: '/spend',
    text: `${target.word} ${phrase} ${product}`,
  });
  return actions(
    ...periodChoices(period, words),
    // Everybody sees a public answer already.
    ...(byline === undefined ? shareButton(words(period.phrase), asked) : []),
    ...commandButton('balance', 'Balance', { command: '/balance', text: `${target.word} ${product}` }),
    ...(report.mayName ? nameButton(target) : []),
    ...moreMenu(moreOptions(report, words)),
  );
}

/** The current period is selected; one that is not in the list is named by its days. */
export function periodChoices(
  { phrase, dates }: Pick<Period, 'phrase' | 'dates'>,
  words: (phrase: string) => CommandInvocation,
) {
  const isListed = PERIODS.some(([, listed]) => listed === phrase);
  const periods = isListed ? PERIODS : [[dates, phrase] as const, ...PERIODS];
  const options = periods.map(([label, listed]) => commandOption(label, words(listed)));
  return periodMenu(options, options[periods.findIndex(([, one]) => one === phrase)]);
}

const WITH_TODAY = ' including today';

/** The same days with today or without; none when the period leaves no choice. */
export function todayOption(phrase: string, words: (phrase: string) => CommandInvocation) {
  if (phrase.endsWith(WITH_TODAY))
    return [commandOption('Leave out today', words(phrase.slice(0, -WITH_TODAY.length)))];
  return /^last-\d+-days$/.test(phrase)
    ? [commandOption('Include today', words(`${phrase}${WITH_TODAY}`))]
    : [];
}

const moreOptions = ({ target, period }: SpendReport, words: (phrase: string) => CommandInvocation) => [
  ...todayOption(period.phrase, words),
  ...outputOptions(words(period.phrase)),
  scheduleOption(
    target,
    SCHEDULED.find((phrase) => phrase === period.phrase),
  ),
  watchOption(target),
];
