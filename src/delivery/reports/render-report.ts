/**
 * Renders a scheduled report. The header has the main figure. Below come the comparison, the month so far and the
 * balance, each on its own line. One project gets a chart; several get rows and totals.
 */
import { PRODUCTS } from '../../domain/billing-products.ts';
import { warningLead } from '../../domain/billing-warnings.ts';
import type { Failure } from '../../domain/failure/index.ts';
import {
  divide,
  formatFactor,
  formatPercent,
  type Money,
  type MoneyFormatter,
  moneyFormatter,
  sumMoney,
  ZERO,
} from '../../domain/money/amount.ts';
import {
  type Account,
  formatBalance,
  formatBonuses,
  formatRunwayLine,
  formatRunwayShort,
  isRunningOut,
  type Runway,
} from '../../domain/money/balance-and-runway.ts';
import {
  formatCoverage,
  formatUncompared,
  isWellReported,
  sumChanges,
  type UsageChange,
} from '../../domain/money/comparison.ts';
import { formatForecast } from '../../domain/money/forecast.ts';
import {
  describeUnreadable,
  formatMissingDays,
  formatReportedDays,
  incompleteMark,
  readableTotal,
  type Usage,
} from '../../domain/money/usage.ts';
import { MIN_CHARTED_DAYS, type ReportFigures, type ReportPeriods } from '../../domain/report.ts';
import { WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import {
  type Day,
  dayNamerFor,
  endOfUnit,
  formatDays,
  formatMonth,
  isoWeekday,
} from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  compact,
  escapeMarkup,
  joinTexts,
  type Message,
  markup,
  section,
  table,
  titleBlocks,
} from '../../slack/block-kit/blocks.ts';
import { spendChart } from '../../slack/block-kit/charts.ts';
import {
  failedNotes,
  hasOneCurrency,
  type ProjectAnswer,
  type ProjectAnswers,
  projectRows,
  runningOutLine,
} from '../../slack/reply/project-answers.ts';
import { BALANCE_VERBS, formatSums } from '../../slack/reply/render-answer.ts';

export interface ProjectFigures extends ProjectAnswer {
  readonly figures: ReportFigures;
  readonly locale: string;
  /** The balance, or a sentence that says why there is none. */
  readonly balance: Account | string;
  /** If this project doesn't answer at an update: the figure that the post already shows. */
  readonly unchanged?: { readonly headline: Headline; readonly amount: Money; readonly failure: Failure };
}

export type Headline = 'spent' | 'left';

export interface ReportView extends ProjectAnswers<ProjectFigures> {
  readonly headline: Headline;
  readonly periods: ReportPeriods;
}

export function amountOf(
  { balance, figures, unchanged }: ProjectFigures,
  headline: Headline,
): Money | undefined {
  if (unchanged?.headline === headline) return unchanged.amount;
  if (headline === 'spent') return readableTotal(figures.main);
  return typeof balance !== 'string' && 'value' in balance.balance ? balance.balance.value : undefined;
}

const formatterFor = ({ target, locale }: ProjectFigures): MoneyFormatter =>
  moneyFormatter(locale, target.currency);

/** `print`: the report's small print, to which the post adds its own. */
export type ReportMessage = Message & { readonly print: string };

export function renderReport(view: ReportView): ReportMessage {
  const { answered, failed, periods } = view;
  const [only] = answered.length + failed.length === 1 ? answered : [];
  const post = { ...view, only, totals: totalsOf(view) };
  const title = titleOf(post);
  const reasons = answered.map((answer) => uncomparedText(answer, periods));
  const [shared = ''] = reasons.every((reason) => reason === reasons[0]) ? reasons : [];
  const lines = figureLines(post, shared);
  const usage = only?.figures.charted;
  const drawn =
    usage && usage.reported.length >= MIN_CHARTED_DAYS && spendChart(usage, { days: periods.charted });
  const notes = only ? projectNotes(only, periods) : digestNotes(view, shared);
  return {
    text: title,
    print: only === undefined ? '' : smallPrint(only, periods, Boolean(drawn)),
    blocks: compact([
      ...titleBlocks(title),
      lines !== '' && markup(lines),
      drawn,
      only === undefined && table(digestRows(post)),
      ...[...notes, ...failedNotes(failed)].map(section),
    ]),
  };
}

type Post = ReportView & { readonly only: ProjectFigures | undefined; readonly totals: Totals | undefined };

/** Sums over all projects; undefined if a project lacks the figure, because a partial sum would look complete. */
interface Totals extends Record<'spent' | 'usual' | 'month' | 'forecast' | 'left', Money | undefined> {
  readonly money: MoneyFormatter;
  readonly locale: string;
  readonly change: UsageChange | undefined;
}

/** @returns undefined if there are no projects, or if their currencies differ */
function totalsOf({ answered }: ReportView): Totals | undefined {
  const [first] = answered;
  if (first === undefined || !hasOneCurrency(answered)) return undefined;
  const sumOf = (find: (answer: ProjectFigures) => Money | undefined): Money | undefined => {
    const values = answered.flatMap((answer) => find(answer) ?? []);
    return values.length < answered.length ? undefined : sumMoney(values);
  };
  const changes = answered.flatMap(({ figures: { change } }) =>
    change?.figures === undefined ? [] : change,
  );
  const change = answered.length === 1 ? changes[0] : sumChanges(changes);
  return {
    money: moneyFormatter(first.locale),
    locale: first.locale,
    spent: sumOf((answer) => amountOf(answer, 'spent')),
    usual: sumOf(({ figures }) => figures.usual),
    month: sumOf(({ figures }) => readableTotal(figures.month)),
    forecast: sumOf(({ figures }) => figures.forecast?.total),
    left: sumOf((answer) => amountOf(answer, 'left')),
    change: changes.length < answered.length ? undefined : change,
  };
}

/** `prod · Thu 26 Nov · 30,535.61 EUR · 4× a usual Thursday`, `2 of 3 projects · 1,234.00 EUR left` */
function titleOf({ headline, answered, failed, periods, only, totals }: Post): string {
  const { window } = periods.main;
  const known = answered.filter((answer) => amountOf(answer, headline) !== undefined);
  const all = pluralize(answered.length + failed.length, 'project');
  const isWhole = known.length === 0 || known.length === answered.length + failed.length;
  const who = only?.target.label ?? (isWhole ? all : `${known.length} of ${all}`);
  const sums = formatSums(
    known.map((answer) => ({ value: amountOf(answer, headline) ?? ZERO, label: answer.target.currency })),
    known[0]?.locale ?? '',
    SUM_VERBS[headline],
  );
  if (headline === 'left') return `${who} · ${sums || 'balance unknown'}`;
  const mark = incompleteMark(known.some(({ figures }) => figures.main.total.incomplete));
  const { main } = only?.figures ?? {};
  const part = main && isThin(main) ? ` on ${main.reported.length} of ${main.fullDays} days` : '';
  const spent = sums === '' ? 'not reported yet' : `${sums}${part}${mark}`;
  return joinTexts(' · ', [who, window.label, spent, totals && newsOf(totals, window.days)]);
}

/** Whether the header must say how many days are reported, because they are few. */
const isThin = ({ fullDays, reported }: Usage): boolean =>
  fullDays > 1 && !isWellReported(reported.length, fullDays);

/** The words after a positive and after a negative sum. Money spent needs no word. */
export const SUM_VERBS = { spent: ['', 'credited'], left: BALANCE_VERBS } as const;

/** The header mentions the usual amount if a day's spend is at least 1.5 times or at most half of it. */
const NEWS = { least: '1.5', most: '0.5' } as const;

/** `4× a usual Thursday`; '' if the day's spend is as usual */
function newsOf({ spent, usual, locale }: Totals, [day = '']: readonly Day[]): string {
  if (spent === undefined || usual === undefined || usual.lte(0)) return '';
  const factor = divide(spent, usual);
  const rounded = factor.round(factor.gte(10) ? 0 : 1);
  if ((factor.lt(NEWS.least) && factor.gt(NEWS.most)) || rounded.lte(0)) return '';
  return `${formatFactor(rounded, locale)}× a usual ${WEEKDAY_NAMES[isoWeekday(day) - 1]}`;
}

/** @param uncompared why no project can be compared; '' if one can */
function figureLines(post: Post, uncompared: string): string {
  const { headline, only, totals, periods } = post;
  if (totals === undefined) return uncompared;
  const { money, spent } = totals;
  const { main } = only?.figures ?? {};
  const compared = joinTexts(' · ', [
    comparisonText(totals, periods) || uncompared,
    main?.average &&
      main.fullDays > 1 &&
      `${money(main.average)} a day${isThin(main) ? '' : partText(main.reported.length, main.fullDays)}`,
  ]);
  const [month, left] = [monthLine(post, totals), leftLine(post, totals)];
  if (headline === 'spent') return joinTexts('\n', [compared, month, left]);
  const day = `*${periods.main.window.label}* ${spent === undefined ? 'not reported yet' : money(spent)}`;
  return joinTexts('\n', [left, joinTexts(' · ', [(only || spent) && day, compared]), month]);
}

/** `▲ 1.9 %`; '' if it rounds to 0.0 % */
const percentText = (percent: Money, locale: string): string =>
  percent.abs().lte('0.05') ? '' : formatPercent(percent, locale);

/** `*▲ 1.9 %* vs 9–15 Nov (daily average, 6 of 7 days reported)`; '' without a comparison */
function comparisonText({ change, money, locale }: Totals, { main: { before } }: ReportPeriods): string {
  if (change?.figures === undefined) return '';
  const { percent, daily } = change.figures;
  if (percent === undefined)
    return `vs ${money(daily.before)} ${before.days.length === 1 ? 'on' : 'a day in'} ${before.label}`;
  const { reported, of } = change.coverage.before;
  const rests = compact([
    change.coverage.current.reported !== reported && 'daily average',
    reported < of && formatCoverage(change.coverage.before),
  ]).join(', ');
  const against = rests === '' ? before.label : `${before.label} (${rests})`;
  const text = percentText(percent, locale);
  return text === '' ? `Same as ${against}` : `*${text}* vs ${against}`;
}

/** Why the project can't be compared; '' if it can, or if none of its days is reported. */
function uncomparedText({ figures: { change } }: ProjectFigures, { main }: ReportPeriods): string {
  const labels = { current: main.window.label, before: main.before.label };
  return change && change.coverage.current.reported > 0 ? formatUncompared(change, labels) : '';
}

/** ` (6 of 7 days)`: how many days a figure covers; '' if it covers all */
const partText = (reported: number, of: number): string =>
  reported < of ? ` (${reported} of ${of} days)` : '';

/** The month's total and forecast. In a report about the month, the header has the total instead. */
function monthLine({ answered, periods }: ReportView, totals: Totals): string {
  const { month: days, main, history, today } = periods;
  const { money, month, forecast } = totals;
  const isMonth = main.window.days.length === days.length && main.window.days[0] === days[0];
  const months = answered.map(({ figures }) => figures.month);
  const counts = months.map((usage) => usage.reported.length);
  const part = partText(Math.min(...counts), days.length);
  const gaps = new Set(counts).size > 1 ? part.replace('(', '(at least ') : part;
  const mark = incompleteMark(months.some(({ total }) => total.incomplete));
  const [first = today, last = today] = [days[0], days.at(-1)];
  const past =
    endOfUnit('month', first) === last
      ? formatMonth(first, today)
      : formatDays(first, last, today.slice(0, 4));
  const name = history.length === 0 ? past : 'This month';
  const total = !isMonth && month !== undefined && `*${name}* ${money(month)}${mark}${gaps}`;
  const expected = forecast && formatForecast(forecast, today, money);
  return joinTexts(' · ', [total, expected && `${total === false ? '*Forecast*' : 'forecast'} ${expected}`]);
}

/** The money left and how long it lasts; for several projects, the sum and the projects that run out soon. */
function leftLine({ headline, answered, only }: Post, totals: Totals): string {
  const { left, money, locale } = totals;
  if (typeof only?.balance === 'string') return `*Balance unknown*: ${escapeMarkup(only.balance)}`;
  const amounts = answered.map((answer) => ({ value: amountOf(answer, 'left') ?? ZERO, label: '' }));
  const sums = left && formatSums(amounts, locale, BALANCE_VERBS);
  const balance = only ? formatBalance(only.balance.balance, money) : sums;
  const soon = answered.filter(({ figures }) => figures.runway && isRunningOut(figures.runway));
  return joinTexts(' · ', [
    balance && (headline === 'spent' || !left) && `*${escapeMarkup(balance)}*`,
    only === undefined
      ? runningOutLine(soon.map(({ target }) => target.label))
      : lastsText(only.figures.runway, only.balance, money),
  ]);
}

/** How long the money lasts, and at what daily average. Names bonuses that add a day or more. */
function lastsText(runway: Runway | undefined, { bonuses }: Account, money: MoneyFormatter): string {
  if (runway === undefined) return '';
  if (runway.kind === 'overdrawn' || runway.kind === 'unknown') return formatRunwayLine(runway, money);
  const { average, reported, of } = runway;
  const days = runway.kind === 'estimate' ? runway.days : undefined;
  const lead = days === 0 ? '*Less than a day*' : days && `*About ${pluralize(days, 'day')}*`;
  const rate = runway.kind === 'no-spend' ? '' : ` at ${money(average)} a day`;
  const isLarge = 'unreadable' in bonuses || bonuses.value.gte(average);
  return joinTexts(' · ', [
    `${isRunningOut(runway) ? ':warning: ' : ''}${lead ?? formatRunwayLine(runway, money)}${rate}${partText(reported, of)}`,
    isLarge && escapeMarkup(formatBonuses(bonuses, money)),
  ]);
}

/** Slack may hide a chart's labels, so this names days without data, but not a report's only day: the header does. */
function smallPrint({ target, figures }: ProjectFigures, { today }: ReportPeriods, isCharted: boolean) {
  const { main, charted } = figures;
  const { missing: all } = isCharted ? charted : main;
  const missing = all.filter((day) => main.fullDays > 1 || !main.missing.includes(day));
  return joinTexts(' · ', [
    target.alias === undefined && PRODUCTS[target.product].name,
    formatMissingDays({ missing }, dayNamerFor([today])),
  ]);
}

/** Plain text, because some of it comes from billing. */
function projectNotes({ figures: { main, strays }, remarks }: ProjectFigures, { today }: ReportPeriods) {
  return compact([
    ...describeUnreadable(main, dayNamerFor([today])),
    strays > 0 && `Left out: ${pluralize(strays, 'item')} outside this period.`,
    ...remarks.map(
      (remark) => `${warningLead(remark)} ${remark.messages.map((text) => `“${text}”`).join(', ')}`,
    ),
  ]);
}

/** Marks a total that lacks some items or days. */
const partMark = ({ total, reported, fullDays }: Usage): string =>
  total.readable > 0 && (total.incomplete || reported.length < fullDays) ? '*' : '';

/** `* dev: 6 of 7 days reported, no data for Mon 16 Nov.` @param shared a reason that is shown once for all projects */
function digestNotes({ answered, periods }: ReportView, shared: string): string[] {
  return answered.flatMap((answer) => {
    const { figures, unchanged, target } = answer;
    if (unchanged !== undefined) return `${target.label}: not updated. ${unchanged.failure.message}`;
    const { main } = figures;
    const gaps = main.fullDays > 1 && main.missing.length > 0;
    const uncompared = uncomparedText(answer, periods);
    const notes = compact([
      uncompared !== shared && uncompared,
      gaps && `${formatReportedDays(main, dayNamerFor([periods.today]))}.`,
      ...projectNotes(answer, periods),
    ]);
    const name = `${partMark(main)} ${target.label}`.trim();
    return notes.length === 0 ? [] : `${name}: ${notes.join(' ')}`;
  });
}

/** A row for each project, largest first, then projects without an answer. Three columns fit a phone. */
function digestRows({ answered, headline, failed, periods, totals }: Post): string[][] {
  const sizeOf = (answer: ProjectFigures): Money => amountOf(answer, headline) ?? ZERO;
  const sorted = answered.toSorted((a, b) => sizeOf(b).cmp(sizeOf(a)));
  const amountCell = (none: string) => (answer: ProjectFigures) => {
    const amount = amountOf(answer, headline);
    const mark = headline === 'spent' ? partMark(answer.figures.main) : '';
    return amount === undefined ? none : `${formatterFor(answer)(amount)}${mark}`;
  };
  const lastsCell = ({ figures: { runway } }: ProjectFigures): string =>
    runway === undefined ? 'unknown' : formatRunwayShort(runway);
  const lasts = { title: headline === 'left' ? 'Lasts' : 'lasts', cell: lastsCell };
  const left = { title: 'Left', cell: amountCell('unknown') };
  if (headline === 'left') return projectRows(sorted, [left, lasts], failed);
  const spent = { title: 'Spent', cell: amountCell('not reported') };
  const change = {
    title: totals?.change ? 'Change' : `vs ${periods.main.before.label}`,
    cell: ({ figures: { change: is }, locale }: ProjectFigures): string =>
      is?.figures?.percent === undefined ? '–' : percentText(is.figures.percent, locale) || 'same',
  };
  const isCompared = answered.some(({ figures }) => figures.change?.figures?.percent);
  return projectRows(sorted, isCompared ? [spent, change] : [spent], failed, { beside: lasts });
}
