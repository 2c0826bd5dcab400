import { parsePeriodText } from '../../domain/language/read-command.ts';
import { formatDifference, formatMoney, formatPercent, moneyFormatter } from '../../domain/money/amount.ts';
import { formatForecast } from '../../domain/money/forecast.ts';
import {
  comparedRows,
  formatCost,
  formatLabel,
  periodRows,
  type Row,
  strayRows,
} from '../../domain/money/rows.ts';
import {
  describeUnreadable,
  formatBonusTotal,
  formatCoverage,
  formatMissingDays,
  formatReportedDays,
  formatTotal,
  incompleteMark,
  isWellReported,
  reportedAmounts,
  type Usage,
} from '../../domain/money/usage.ts';
import { dayAt } from '../../domain/time/calendar.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import { compareWith } from '../../domain/time/named-comparison.ts';
import { periodOf } from '../../domain/time/period.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  type Column,
  cellsOf,
  compact,
  escapeMarkup,
  fitsTable,
  joinTexts,
} from '../../slack/block-kit/blocks.ts';
import { spendChart, versusChart } from '../../slack/block-kit/charts.ts';
import { type Command, commandButton, commandOption } from '../../slack/commands/command-buttons.ts';
import {
  type Answer,
  type AnswerText,
  answerActions,
  formatSpent,
  periodMenu,
  productFact,
  zoneFact,
} from '../../slack/reply/render-answer.ts';
import {
  comparableChange,
  periodName,
  reportOf,
  type SpendFigures,
  type SpendView,
  shownText,
  spendCommand,
  uncomparedNote,
} from './figures.ts';
import { spendFile } from './file.ts';
import { listAnswer } from './several.ts';

/** What projects spent and how that compares. */
export function spendAnswer(view: SpendView): Answer<SpendFigures> {
  const [only] = view.answered;
  const isOne = !view.projects.isList && only !== undefined;
  return {
    ...(isOne ? projectAnswer(only, view) : listAnswer(view)),
    actions: spendActions(view),
    file: () => spendFile(view),
  };
}

function projectAnswer(figures: SpendFigures, view: SpendView): AnswerText {
  const { usage, before, target, remarks } = figures;
  const { period, locale } = view;
  const { versus, comparison, today } = period;
  const isCompared = versus !== undefined && comparison !== undefined && before !== undefined;
  const uncompared = uncomparedNote(figures, period);
  const forecast = today !== undefined && figures.forecast;
  const ranked = rankDays(figures, view);
  return {
    title: [target.label, periodName(period), headline(figures, locale)].join(' · '),
    lines: compact([
      ranked.line,
      versus && uncompared !== '' ? escapeMarkup(uncompared) : factLine(figures, view),
      forecast && escapeMarkup(formatForecast(forecast, today, moneyFormatter(locale))),
    ]),
    chart: (isCompared && versusChart(usage, before, comparison)) || spendChart({ usage, period }),
    rows: ranked.rows ?? (isCompared ? versusTable(figures, view) : daysTable(figures, view)),
    remarks,
    facts: compact([
      ...reportedFacts(usage, view),
      formatBonusTotal(usage.bonuses, moneyFormatter(locale)),
      productFact(figures),
      zoneFact(view, period.zone),
    ]),
    notes: spendNotes(figures, view),
  };
}

function headline({ usage, target }: SpendFigures, locale: string): string {
  const { total, reported, fullDays } = usage;
  if (total.readable === 0) return 'no readable amounts';
  const days = hasGaps(usage) ? ` on ${reported.length} of ${fullDays} days` : '';
  const money = moneyFormatter(locale, target.currency);
  return `${formatSpent(total.value, money)}${days}${incompleteMark(total.incomplete)}`;
}

/** Whether so few days are reported that the total needs to say how many. */
const hasGaps = ({ reported, fullDays }: Usage): boolean =>
  fullDays > 1 && reported.length > 0 && !isWellReported(reported.length, fullDays);

/** The comparison, the average, and the day that cost most. Leaves out what the title says. */
function factLine(figures: SpendFigures, view: SpendView): string {
  const { average, highest, total } = figures.usage;
  const { period, shape, locale } = view;
  const money = moneyFormatter(locale);
  const isNews = (text: string) => text !== money(total.value);
  const isPeak = period.versus === undefined && !shape?.isOfDays && average && highest;
  return joinTexts(' · ', [
    comparisonText(figures, view),
    average && isNews(money(average)) && `${money(average)} a day`,
    isPeak &&
      isNews(money(highest.value)) &&
      money(highest.value) !== money(average) &&
      `most on ${dayNamerFor(period.days)(highest.day)}, ${money(highest.value)}`,
  ]);
}

/**
 * `*▲ 7.9 %* vs 8–14 Nov (daily average, 6 of 7 days reported)`, mrkdwn; '' if too few days are reported to compare. Where
 * the days were named, with the difference and what was spent then.
 */
function comparisonText(figures: SpendFigures, { period, locale }: SpendView): string {
  const change = comparableChange(figures);
  const { comparison, versus } = period;
  if (change === undefined || comparison === undefined) return '';
  const { coverage } = change;
  const { basis, percent, daily, current, before } = change.figures;
  const money = moneyFormatter(locale);
  const isAverage = basis === 'average';
  const difference = current.minus(before);
  const [now, then] = [figures.usage, figures.before].map(
    (usage) => usage && formatTotal(usage.total, money),
  );
  const rests = compact([
    isAverage && percent && 'daily average',
    versus && !isAverage && !difference.eq(0) && formatDifference(difference, money),
    versus && now !== then && `${then} then`,
    (coverage.before.reported < coverage.before.of || coverage.before.partial > 0) &&
      formatCoverage(coverage.before),
  ]).join(', ');
  const against = `${comparison.label}${rests && ` (${rests})`}`;
  if (percent !== undefined) return `*${formatPercent(percent, locale)}* vs ${escapeMarkup(against)}`;
  return `vs ${money(daily.before)}${comparison.days.length === 1 ? ' on' : ' a day in'} ${escapeMarkup(against)}`;
}

/** How many days are reported where not all are, unless the title says it, and today's part. */
function reportedFacts(usage: Usage, { period: { days, today }, locale }: SpendView): string[] {
  const isWhole = usage.missing.length === 0;
  const reported = isWhole
    ? ''
    : (hasGaps(usage) ? formatMissingDays : formatReportedDays)(usage, dayNamerFor(days));
  if (today === undefined) return [reported];
  if (usage.today === undefined) return [reported, 'no data for today yet'];
  return [reported, days.length === 1 ? 'so far' : `today so far ${formatMoney(usage.today.value, locale)}`];
}

function spendNotes(figures: SpendFigures, { period }: SpendView): string[] {
  const { usage } = figures;
  const { versus, comparison, rule } = period;
  const isOfWeeks = rule.kind !== 'days' && rule.unit === 'week';
  return compact([
    ...describeUnreadable(usage, dayNamerFor(period.days)),
    ...strayNotes(usage),
    versus === undefined && uncomparedNote(figures, period),
    // The dates alone would look wrong.
    versus &&
      'same' in versus &&
      versus.same === 'year' &&
      isOfWeeks &&
      `${comparison?.label}: the same weekdays 52 weeks before.`,
  ]);
}

function strayNotes({ outside, unplaced }: Usage): string[] {
  const note = ({ readable, unreadable }: Usage['outside'], what: string) => {
    const count = readable || unreadable;
    const where = readable === 0 ? 'not counted' : 'in the total, not in the days';
    return count > 0 && `${pluralize(count, 'item')} ${what} ${count === 1 ? 'is' : 'are'} ${where}.`;
  };
  return compact([note(outside, 'outside this period'), note(unplaced, 'without a readable day')]);
}

/** Tables of more days are grouped by week; the CSV has every day. */
const MOST_DAYS = 31;
/** The most rows of a grouped table: a year has so many weeks. */
const MOST_GROUPS = 54;

const labelled = (title: string): Column<Row> => ({ title, cell: formatLabel });
const foldedRows = (fold: string, cells: readonly (readonly string[])[]) => ({
  fold: `${fold} (${cells.length - 1})`,
  cells,
});

/** A row a day, with those that are missing; by week, month or longer where days don't fit, or as it was asked. */
function daysTable({ usage }: SpendFigures, { period, shape, locale }: SpendView): Answer['rows'] {
  const { rows: reported, missing, bonuses } = usage;
  const [first, ...others] = reported;
  // The title has the amount of a single row.
  if (first === undefined || (others.length + missing.length === 0 && first.merged === 1)) return undefined;
  const unit = shape?.unit ?? (reported.length + missing.length <= MOST_DAYS ? 'day' : 'week');
  const money = moneyFormatter(locale);
  const bonusOf = ({ current }: Row) =>
    current?.bonuses ? formatCost({ ...current, amount: current.bonuses, days: [] }, money) : '';
  const columns: readonly Column<Row>[] = [
    { title: 'Amount', cell: ({ current }) => formatCost(current, money) },
    // A column of zeros says nothing.
    ...(bonuses.value.eq(0) && !bonuses.incomplete ? [] : [{ title: 'Bonuses', cell: bonusOf }]),
  ];
  for (const finest of unit === 'day' ? (['day', 'week'] as const) : [unit]) {
    const most = finest === 'day' ? Number.POSITIVE_INFINITY : MOST_GROUPS;
    const drawn = periodRows(usage, period, most, finest);
    const rows = [...drawn.rows, ...strayRows(usage, MOST_GROUPS)];
    const title = drawn.unit === 'day' ? 'Day' : `By ${drawn.unit}`;
    const cells = cellsOf(rows, [labelled(title), ...columns]);
    if (fitsTable(cells)) return foldedRows(`Each ${drawn.unit}`, cells);
  }
  return undefined;
}

/** Both periods side by side, where the comparison was named; what is not compared, as today, comes last. */
function versusTable({ usage, before }: SpendFigures, { period, locale }: SpendView): Answer['rows'] {
  const { comparison, dates } = period;
  if (before === undefined || comparison === undefined) return undefined;
  const { currentDays, days, label } = comparison;
  const isShort = Math.max(currentDays.length, days.length) <= MOST_DAYS;
  const { paired, rows } = comparedRows(
    usage,
    before,
    comparison,
    isShort ? 2 * MOST_DAYS : MOST_GROUPS,
    isShort ? 'day' : 'week',
  );
  const today = period.today === undefined ? [] : [period.today];
  const others = [...periodRows(usage, { ...period, days: today }, 1).rows, ...strayRows(usage, MOST_GROUPS)];
  // The line says as much of two single days.
  if (rows.length === 1 && others.length === 0) return undefined;
  const money = moneyFormatter(locale);
  const cells = cellsOf(
    [...rows, ...others],
    [
      labelled(paired.unit === 'day' ? 'Day' : 'Days'),
      { title: dates, cell: ({ current }) => formatCost(current, money) },
      { title: label, cell: ({ before }) => formatCost(before, money) },
    ],
  );
  const each =
    paired.isCalendar || paired.unit === 'day' ? `Each ${paired.unit}` : `Every ${paired.days} days`;
  return fitsTable(cells) ? foldedRows(each, cells) : undefined;
}

const MOST_NAMED = 3;

/** The complete days with the largest or smallest amounts first, where that was asked; of equal ones the earlier first. */
function rankDays({ usage }: SpendFigures, { shape, period, locale }: SpendView) {
  if (!shape?.isOfDays) return { line: '', rows: undefined };
  const sign = shape.isLowest ? 1 : -1;
  const nameOf = dayNamerFor(period.days);
  const days = [...reportedAmounts(usage)]
    .sort(([, a], [, b]) => sign * a.cmp(b))
    .slice(0, shape.top ?? MOST_DAYS)
    .map(([day, amount]) => [nameOf(day), formatMoney(amount, locale)]);
  const named = days.slice(0, MOST_NAMED).map((day) => escapeMarkup(day.join(', ')));
  const order = shape.isLowest ? 'lowest' : 'highest';
  return {
    line: named.length === 0 ? '' : `*${shape.isLowest ? 'Lowest' : 'Highest'}:* ${named.join(' · ')}`,
    rows: days.length < 2 ? undefined : foldedRows(`By amount, ${order} first`, [['Day', 'Amount'], ...days]),
  };
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

function spendActions(view: SpendView) {
  const { projects, period } = view;
  const words = (phrase: string) => spendCommand(view, { phrase });
  const isCompared = view.answered.some((figures) => comparableChange(figures));
  return answerActions(view, {
    link: words(period.phrase),
    before: periodChoices(view, words),
    after: commandButton('balance', projects.isList ? 'Balances' : 'Balance', {
      command: '/balance',
      text: shownText(view),
    }),
    more: [
      ...(isCompared ? [commandOption('What changed', spendCommand(view, { output: 'why' }))] : []),
      ...todayOption(period.phrase, words),
    ],
    report: reportOf(view),
  });
}

/** The current period is selected; one that is not in the list is named by its days. Each can be compared with what was named. */
function periodChoices({ period, at }: SpendView, words: (phrase: string) => Command) {
  const { phrase, dates, zone, versus } = period;
  const reader = { today: dayAt(at, zone), zone };
  const isComparable = (listed: string): boolean =>
    versus === undefined ||
    tryParse(() => compareWith(periodOf(parsePeriodText(listed, reader), at, zone), versus)) !== undefined;
  const isListed = PERIODS.some(([, listed]) => listed === phrase);
  const periods = (isListed ? PERIODS : [[dates, phrase] as const, ...PERIODS]).filter(
    ([, listed]) => listed === phrase || isComparable(listed),
  );
  const options = periods.map(([label, listed]) => commandOption(label, words(listed)));
  return periodMenu(options, options[periods.findIndex(([, listed]) => listed === phrase)]);
}

const WITH_TODAY = ' including today';

/** The same days with or without today, as far as the period can be asked both ways. */
function todayOption(phrase: string, words: (phrase: string) => Command) {
  if (phrase.endsWith(WITH_TODAY))
    return [commandOption('Leave out today', words(phrase.slice(0, -WITH_TODAY.length)))];
  return /^last-\d+-days$/.test(phrase)
    ? [commandOption('Include today', words(`${phrase}${WITH_TODAY}`))]
    : [];
}
