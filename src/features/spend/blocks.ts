import { Failure } from '../../domain/failure/index.ts';
import { parsePeriodText } from '../../domain/language/read-command.ts';
import { formatMoney, type Money, type MoneyFormatter, moneyFormatter } from '../../domain/money/amount.ts';
import { formatForecast } from '../../domain/money/forecast.ts';
import {
  describeUnreadable,
  formatBonusTotal,
  formatMissingDays,
  formatReportedDays,
  incompleteMark,
  type Usage,
} from '../../domain/money/usage.ts';
import { isWellReported } from '../../domain/money/usage-change.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { dayAt, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import { compareWith, type Versus } from '../../domain/time/named-comparison.ts';
import { periodOf } from '../../domain/time/period.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { pluralize } from '../../domain/wording.ts';
import type { Command } from '../../slack/commands/command.ts';
import { commandButton, commandOption } from '../../slack/commands/command-buttons.ts';
import { type Chart, compact, escapeMarkup, joinTexts, type Message } from '../../slack/kit/blocks.ts';
import { spendChart } from '../../slack/kit/charts.ts';
import { answerActions, periodMenu, renderAnswer, sourceOf } from '../../slack/reply/render-answer.ts';
import { comparable, comparisonText, uncomparedNote, versusDates } from './comparison-wording.ts';
import { daysTable, rankedDaysLine, rankedDaysTable, versusDaysTable } from './days.ts';
import { reportOf, type SpendReport, type SpendView, shownText, spendCommand } from './figures.ts';
import { spendListMessage } from './several-blocks.ts';
import { versusChart } from './versus-chart.ts';

/** What projects spent and how that compares. */
export function spendMessage(view: SpendView): Message {
  const [only] = view.answered;
  if (view.projects.isList || only === undefined) return spendListMessage(view, buttons(view));
  const { period, locale, shape } = view;
  const report: SpendReport = { ...only, period, locale, ...(shape && { shape }) };
  const title = `${only.target.label} · ${headline(report)}`;
  return renderAnswer(view, {
    title,
    text: `${title}, ${period.dates}${versusDates(period)}, ${PRODUCTS[only.target.product].name}`,
    lines: [rankedDaysLine(report), factLine(report), forecastLine(report)],
    body: [chartOf(report), rankedDaysTable(report) ?? versusDaysTable(report) ?? daysTable(report)].filter(
      (block) => block !== undefined,
    ),
    remarks: only.remarks,
    facts: [
      ...periodFacts(report),
      formatBonusTotal(only.usage.bonuses, moneyFormatter(locale)),
      ...sourceOf(only),
    ],
    notes: spendNotes(report),
    buttons: buttons(view),
  });
}

function chartOf(report: SpendReport): Chart | undefined {
  const { usage, before, period } = report;
  const both = period.versus && period.comparison && before && versusChart(usage, before, period.comparison);
  return both ?? spendChart(report);
}

/** An amount with its currency label, which a table's cells don't have. */
const labelled = ({ locale, target }: SpendReport): MoneyFormatter => moneyFormatter(locale, target.currency);

function headline(report: SpendReport): string {
  const { total, reported, fullDays } = report.usage;
  if (total.readable === 0) return 'no readable amounts';
  const days = hasGaps(report.usage) ? ` on ${reported.length} of ${fullDays} days` : '';
  return `${labelled(report)(total.value)} spent${days}${incompleteMark(total.incomplete)}`;
}

/** Whether so few days are reported that the total needs to say how many. */
const hasGaps = ({ reported, fullDays }: Usage): boolean =>
  fullDays > 1 && reported.length > 0 && !isWellReported(reported.length, fullDays);

/** The comparison, or why the named days can't be compared; then the average, else the peak. Leaves out what the title says. */
function factLine(report: SpendReport): string {
  const { usage, period, locale } = report;
  const uncompared = period.versus === undefined ? '' : uncomparedNote(report, period);
  if (uncompared !== '') return escapeMarkup(uncompared);
  const { average, highest, total } = usage;
  const nameOf = dayNamerFor(period.days);
  const money = labelled(report);
  const figure = (value: Money) => escapeMarkup(formatMoney(value, locale));
  const isSaid = (value: Money) => money(value) === money(total.value);
  const isPeak =
    period.versus === undefined &&
    !report.shape?.isOfDays &&
    highest !== undefined &&
    average !== undefined &&
    money(highest.value) !== money(average);
  return joinTexts(' · ', [
    comparisonText(report),
    average && !isSaid(average) && `${escapeMarkup(money(average))} a day`,
    isPeak && !isSaid(highest.value) && `peak ${nameOf(highest.day)}, ${figure(highest.value)}`,
  ]);
}

const forecastLine = ({ forecast, period: { today }, locale }: SpendReport): string =>
  forecast === undefined || today === undefined
    ? ''
    : escapeMarkup(formatForecast(forecast, today, moneyFormatter(locale)));

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

function buttons(view: SpendView) {
  const { projects, period } = view;
  const words = (phrase: string) => spendCommand(view, { phrase });
  return answerActions(view, {
    link: words(period.phrase),
    before: periodChoices(view, words),
    after: commandButton('balance', projects.isList ? 'Balances' : 'Balance', {
      command: '/balance',
      text: shownText(view),
    }),
    more: [...whyOption(view), ...todayOption(period.phrase, words)],
    report: reportOf(view),
  });
}

/**
 * The current period is selected; one that is not in the list is named by its days. Those that cannot be compared with the
 * named days are left out.
 */
function periodChoices(
  { period: { phrase, dates, zone, versus }, at }: SpendView,
  words: (phrase: string) => Command,
) {
  const isListed = PERIODS.some(([, listed]) => listed === phrase);
  const periods = (isListed ? PERIODS : [[dates, phrase] as const, ...PERIODS]).filter(
    ([, listed]) => versus === undefined || listed === phrase || isComparable(listed, versus, zone, at),
  );
  const options = periods.map(([label, listed]) => commandOption(label, words(listed)));
  return periodMenu(options, options[periods.findIndex(([, listed]) => listed === phrase)]);
}

/** Whether a listed period can be compared with what is named. */
const isComparable = (listed: string, versus: Versus, zone: Zone, at: Millis): boolean =>
  tryParse(
    () => compareWith(periodOf(parsePeriodText(listed, { today: dayAt(at, zone), zone }), at, zone), versus),
    Failure,
  ) !== undefined;

const whyOption = (view: SpendView) =>
  view.answered.some((figures) => comparable(figures) !== undefined)
    ? [commandOption('What changed', spendCommand(view, { output: 'why' }))]
    : [];

const WITH_TODAY = ' including today';

/** The same days with or without today, as far as the period can be asked both ways. */
function todayOption(phrase: string, words: (phrase: string) => Command) {
  if (phrase.endsWith(WITH_TODAY))
    return [commandOption('Leave out today', words(phrase.slice(0, -WITH_TODAY.length)))];
  return /^last-\d+-days$/.test(phrase)
    ? [commandOption('Include today', words(`${phrase}${WITH_TODAY}`))]
    : [];
}

/** The days that were asked about, and how many of them are reported: `14–20 Nov UTC`, `6 of 7 days reported`. */
function periodFacts({ period, usage, locale }: SpendReport): string[] {
  const { dates, zone, days, today } = period;
  // The title has how many, if they are few.
  const reported = (hasGaps(usage) ? formatMissingDays : formatReportedDays)(usage, dayNamerFor(days));
  const isWhole = days.length === 1;
  const soFar =
    usage.today && (isWhole ? 'so far' : `today so far ${formatMoney(usage.today.value, locale)}`);
  const running = today === undefined ? '' : (soFar ?? 'no data for today yet');
  return [`${dates} ${zone}`, [reported, running].filter(Boolean).join(reported === '' ? '' : ', ')];
}

function spendNotes(report: SpendReport): string[] {
  const { usage, period } = report;
  return compact([
    ...describeUnreadable(usage, dayNamerFor(period.days)),
    ...strayNotes(usage),
    period.versus === undefined && uncomparedNote(report, period),
    weekNote(period),
  ]);
}

/** What `vs last year` means of weeks: the dates alone would look wrong. */
const weekNote = ({ versus, comparison, rule }: SpendView['period']): string =>
  versus !== undefined &&
  'same' in versus &&
  versus.same === 'year' &&
  rule.kind !== 'days' &&
  rule.unit === 'week'
    ? `${comparison?.label}: ${comparison?.basis}.`
    : '';

/** An item without a readable amount is in no total, wherever it belongs. */
function strayNotes({ outside, unplaced }: Usage): string[] {
  return [
    ...strayNote(outside.readable, 'outside this period', 'in the total, not in the days'),
    ...strayNote(outside.unreadable, 'outside this period without a readable amount', 'not counted'),
    ...strayNote(unplaced.readable, 'without a readable day', 'in the total, not in the days'),
    ...strayNote(unplaced.unreadable, 'without a readable day or amount', 'not counted'),
  ];
}

const strayNote = (count: number, what: string, where: string): string[] =>
  count === 0 ? [] : [`${pluralize(count, 'item')} ${what} ${count === 1 ? 'is' : 'are'} ${where}.`];
