import {
  formatDifference,
  formatPercent,
  isRoundedSumExact,
  type Money,
  type MoneyFormatter,
  moneyFormatter,
  sumMoney,
} from '../../domain/money/amount.ts';
import {
  byDifference,
  type Cost,
  type ExplainedDays,
  explainDays,
  foldSmallest,
  formatCost,
  type Row,
} from '../../domain/money/rows.ts';
import { formatMissingDays, incompleteMark, type Usage } from '../../domain/money/usage.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import { formatRequestedDays } from '../../domain/time/calendar.ts';
import { dayNamerFor, listDays } from '../../domain/time/day-groups.ts';
import { limitLines, listNames, pluralize } from '../../domain/wording.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { failedNotes, failedRows, productNames } from '../../slack/commands/project-table.ts';
import { type Column, cellsOf, compact, escapeMarkup, joinTexts } from '../../slack/kit/blocks.ts';
import { type Answer, answerActions, productFact, zoneFact } from '../../slack/reply/render-answer.ts';
import {
  comparableChange,
  formatTop,
  periodName,
  reportOf,
  type SpendFigures,
  type SpendView,
  spendCommand,
  uncomparedNote,
} from './figures.ts';
import { totalChange } from './several.ts';

/** A project's change, and the days that made it. */
interface Explained extends ExplainedDays {
  readonly figures: SpendFigures;
  /** Of the days that it is compared with. */
  readonly before: Usage;
}

const MOST_DAYS = 3;
const MOST_PROJECTS = 5;
const MOST_NOTES = 5;
const NO_COMPLETE_DAY = 'Only complete days are compared, and this period has none.';

/** What made the change: a sentence, then the days of a project, or the projects, the largest difference first. */
export function whyAnswer(view: SpendView): Answer {
  const { projects, answered, period, locale } = view;
  const { comparison, today, zone } = period;
  const [only] = answered;
  const explained = answered.flatMap((figures) => explain(figures, view)).sort(byDifference);
  const { who, rows, others, noun, failed, facts, change, notes } =
    projects.isList || only === undefined ? ofProjects(view, explained) : ofDays(only, view, explained[0]);
  const labels = [...new Set(explained.map(({ figures }) => figures.target.currency))];
  const sums = labels.map((label) => ({
    value: sumMoney(explained.flatMap((each) => (each.figures.target.currency === label ? each.value : []))),
    money: moneyFormatter(locale, label),
  }));
  const [sum] = labels.length === 1 ? sums : [];
  // Amounts with different labels have no sum, so then each project has a row.
  const shown = sum ? foldSmallest(rows, noun === 'day' ? MOST_DAYS : MOST_PROJECTS, noun) : rows;
  const counted = noun === 'day' && explained[0] ? countedDays(explained[0], period) : '';
  const isSingle = noun === 'day' && shown.length + others.length < 2;
  const money = moneyFormatter(locale);
  const difference =
    sums.length === 0
      ? 'no comparison'
      : `${differenceText(sums)} ${comparison?.label}${counted}${incompleteMark(explained.some(isPartial))}`;
  const columns = differenceColumns(noun, view, labels.length > 1).slice(0, comparison ? 3 : 2);
  return {
    title: [who, titleDates(period), difference].join(' · '),
    lines: [
      sum && rows.length > 1 ? reasonText(rows, sum.value, money, noun) : '',
      joinTexts(' · ', [
        change,
        isSingle &&
          shown[0] &&
          `${formatCost(shown[0].current, money)} vs ${formatCost(shown[0].before, money)}`,
      ]),
    ],
    rows: isSingle
      ? undefined
      : { cells: [...cellsOf([...shown, ...others], columns), ...failedRows(failed, columns.length - 1)] },
    remarks: answered.flatMap(({ remarks }) => remarks),
    facts: compact([today !== undefined && 'today left out', ...facts, zoneFact(view, zone)]),
    notes: compact([
      comparison === undefined && NO_COMPLETE_DAY,
      ...notes,
      explained.some(({ uncompared }) => uncompared.length > 0) && LEFT_OUT,
      sum && !isRoundedSumExact(shown.flatMap(({ value }) => value ?? [])) && ROUNDED,
      ...failedNotes(failed),
    ]),
    actions: whyActions(
      view,
      noun === 'day' ? undefined : explained.find(({ value }) => !value.eq(0))?.figures,
    ),
  };
}

/** What an answer about a project's days, and one about projects, say differently. */
interface Reasons {
  readonly who: string;
  readonly noun: 'day' | 'project';
  /** Those that make the difference, and what is not compared. */
  readonly rows: readonly ReasonRow[];
  readonly others: readonly ReasonRow[];
  readonly failed: SpendView['failed'];
  readonly facts: readonly string[];
  /** In percent; mrkdwn. */
  readonly change: string;
  readonly notes: readonly string[];
}

/** With the label of its amounts, if they have several. */
type ReasonRow = Row & { readonly currency?: string };

/** @returns nothing if there is nothing to compare with, or too few days are reported */
function explain(figures: SpendFigures, { period: { comparison } }: SpendView): Explained[] {
  const { usage, before } = figures;
  if (comparison === undefined || before === undefined || !comparableChange(figures)) return [];
  return [{ figures, before, ...explainDays(usage, before, comparison) }];
}

/** The complete days that are compared: `14–20 Nov`. */
function datesOf({ requested, comparison, dates }: SpendView['period']): string {
  const [first, last] = [comparison?.currentDays[0], comparison?.currentDays.at(-1)];
  return first && last ? formatRequestedDays({ ...requested, first, last }) : dates;
}

/** The same as a header says it: `October`. */
const titleDates = (period: SpendView['period']): string =>
  period.today === undefined ? periodName(period) : datesOf(period);

function ofDays(figures: SpendFigures, view: SpendView, explained: Explained | undefined): Reasons {
  const { period, locale } = view;
  return {
    ...{ who: figures.target.label, noun: 'day', failed: [], facts: [productFact(figures)] },
    rows: explained?.rows ?? [],
    others: explained?.uncompared ?? [],
    change: explained ? percentText(explained, period, locale) : '',
    notes: explained ? dayNotes(explained, period) : [uncomparedNote(figures, period)].filter(Boolean),
  };
}

function ofProjects(view: SpendView, explained: readonly Explained[]): Reasons {
  const { answered, failed, period } = view;
  const { nameOf, facts } = productNames(answered);
  const uncompared = answered.filter((figures) => !explained.some((each) => each.figures === figures));
  return {
    ...{ who: countText(explained.length, view), noun: 'project', failed, facts },
    rows: explained.map(({ figures: { target }, rows, value }) => {
      const [sum] = foldSmallest(rows, 0, 'day');
      return { ...sum, label: nameOf(target), value, currency: target.currency };
    }),
    others: uncompared.map(({ target }) => ({ label: nameOf(target) })),
    change: totalChange(view, true),
    notes: [
      ...uncompared.flatMap((figures) =>
        period.comparison === undefined ? [] : `${figures.target.label}: ${uncomparedNote(figures, period)}`,
      ),
      ...limitLines(
        explained.flatMap((each) => missingNote(each, period)),
        MOST_NOTES,
      ),
    ],
  };
}

/** The name with what it cost, the difference, and what it cost before. Three columns are what a phone shows. */
function differenceColumns(
  noun: Reasons['noun'],
  { period, locale }: SpendView,
  isLabelled: boolean,
): Column<ReasonRow>[] {
  const write = ({ currency = '' }: ReasonRow) => moneyFormatter(locale, isLabelled ? currency : '');
  const amountOf = (row: ReasonRow, cost: Cost | undefined) =>
    formatCost(cost && { ...cost, days: [] }, write(row));
  return [
    {
      title: `${capital(noun)} · ${datesOf(period)}`,
      cell: (row) => (row.current ? `${row.label} · ${amountOf(row, row.current)}` : row.label),
    },
    {
      title: 'Difference',
      cell: (row) => (row.value ? formatDifference(row.value, write(row)) : 'not compared'),
    },
    { title: period.comparison?.label ?? '', cell: (row) => amountOf(row, row.before) },
  ];
}

const ROUNDED = 'Rounded amounts may not add up to the last cent.';

/** Whether a part of a day's amount could not be read. */
const isPartial = ({ figures: { usage }, before }: Explained): boolean =>
  usage.partialDays.length + before.partialDays.length > 0;

/** `3,120.00 EUR more than`, `70.00 EUR more and 20.00 USD less than`, `unchanged vs`: what the days before follow. */
function differenceText(sums: readonly { readonly value: Money; readonly money: MoneyFormatter }[]): string {
  const changes = sums
    .filter(({ value }) => !value.eq(0))
    .map(({ value, money }) => `${money(value.abs())} ${value.gt(0) ? 'more' : 'less'}`);
  return changes.length === 0 ? 'unchanged vs' : `${listNames(changes)} than`;
}

const creditIn = ({ current, before }: Row): readonly [Cost, Money] | undefined =>
  [current, before].flatMap((cost) => {
    const amount = cost?.days.length === 1 ? cost.amount : undefined;
    return cost && amount && 'value' in amount && amount.value.lt(0) ? [[cost, amount.value] as const] : [];
  })[0];

/**
 * The reason in a sentence, mrkdwn: `Mostly one more day: + 25,933.36 of 45,817.62.`, `Tue 10 Nov had a credit of 4,470.00.`
 * @param rows those that make `value`, the largest difference first
 */
function reasonText(rows: readonly Row[], value: Money, money: MoneyFormatter, noun: string): string {
  const [first, second] = rows;
  if (first?.value === undefined || first.value.eq(0)) return '';
  const credit = noun === 'day' ? creditIn(first) : undefined;
  if (credit) return `${escapeMarkup(credit[0].name)} had a credit of ${money(credit[1].abs())}.`;
  const difference = (row: Row) => formatDifference(row.value ?? value, money);
  const isMost = (part: Money) => part.times(value).gt(0) && part.abs().times(2).gt(value.abs());
  const sum = money(value.abs());
  if (first.value.eq(value)) return `All of it is ${nameOf(first, noun)}.`;
  if (first.value.times(value).gt(0) && first.value.abs().lte(value.abs()) && isMost(first.value))
    return `Mostly ${nameOf(first, noun)}: ${difference(first)} of ${sum}.`;
  if (second?.value === undefined || second.value.eq(0)) return '';
  if (first.value.times(second.value).lt(0))
    return `${capital(nameOf(first, noun))} ${difference(first)}, partly offset by ${nameOf(second, noun)} ${difference(second)}.`;
  const both = first.value.plus(second.value);
  const names = `${nameOf(first, noun)} and ${nameOf(second, noun)}`;
  if (isMost(both) && both.abs().lte(value.abs()))
    return `Mostly ${names}: ${formatDifference(both, money)} of ${sum}.`;
  return `Spread over ${pluralize(rows.length, noun)}: the most is ${difference(first)} of ${sum}, ${nameOf(first, noun)}.`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `one more day`, `2 fewer days` where only one of the periods has them; mrkdwn. */
function nameOf({ label, current, before }: Row, noun: string): string {
  const alone = current && before ? undefined : (current ?? before);
  if (noun !== 'day' || alone === undefined) return escapeMarkup((noun === 'day' && current?.name) || label);
  const count = alone.days.length;
  const words = current ? 'more' : 'fewer';
  return count === 1 ? `one ${words} day` : `${count} ${words} days`;
}

/** ` on 6 of 7 days` if some reported days are not in the difference. */
function countedDays({ rows, uncompared }: Explained, { comparison }: SpendView['period']): string {
  if (uncompared.length === 0 || comparison === undefined) return '';
  const counted = rows.flatMap(({ current, before }) => [
    ...(current?.days ?? []),
    ...(current ? [] : (before?.days ?? [])),
  ]);
  return ` on ${counted.length} of ${Math.max(comparison.currentDays.length, comparison.days.length)} days`;
}

/** `*▲ 7.9 %* (daily average, 31 days vs 30)`: a month with a day more can cost more, and less a day. */
function percentText({ figures }: Explained, { comparison }: SpendView['period'], locale: string): string {
  const { basis, percent } = comparableChange(figures)?.figures ?? {};
  if (percent === undefined || comparison === undefined) return '';
  const { currentDays, days } = comparison;
  const rests = compact([
    basis === 'average' && 'daily average',
    currentDays.length !== days.length && `${pluralize(currentDays.length, 'day')} vs ${days.length}`,
  ]).join(', ');
  return `*${formatPercent(percent, locale)}*${rests && ` (${rests})`}`;
}

const LEFT_OUT = 'Days whose counterpart has no data are left out.';

function dayNotes({ figures, before, isSwapped }: Explained, { comparison }: SpendView['period']): string[] {
  const { usage } = figures;
  const nameOf = dayNamerFor([...(comparison?.currentDays ?? []), ...(comparison?.days ?? [])]);
  const all = (name: 'missing' | 'unreadableDays' | 'partialDays') =>
    [...usage[name], ...before[name]].sort();
  const [missing, unreadable, partial] = [all('missing'), all('unreadableDays'), all('partialDays')];
  return compact([
    missing.length > 0 && `${capital(formatMissingDays({ missing }, nameOf))}.`,
    unreadable.length > 0 && `No readable amount for ${listDays(unreadable, nameOf)}.`,
    partial.length > 0 && `Part of the amount for ${listDays(partial, nameOf)} couldn’t be read.`,
    isSwapped && 'Days whose counterpart has no data are compared with each other.',
  ]);
}

/** `3 projects`, `2 of 3 projects`, `Top 3 of 12 projects`, `2 of the top 3 of 12 projects` */
function countText(compared: number, { answered, failed, top }: SpendView): string {
  const of = top?.shown.length ?? answered.length + failed.length;
  const all = top === undefined ? pluralize(of, 'project') : formatTop(top);
  if (compared === of || compared === 0) return all;
  return `${compared} of ${top === undefined ? all : `the ${all.toLowerCase()}`}`;
}

/** `prod: no data for Mon 16 Nov.` */
function missingNote(
  { figures: { target, usage }, before }: Explained,
  { comparison }: SpendView['period'],
): string[] {
  const missing = [usage, before].flatMap((side) => [...side.missing, ...side.unreadableDays]).sort();
  const nameOf = dayNamerFor([...(comparison?.currentDays ?? []), ...(comparison?.days ?? [])]);
  return missing.length === 0 ? [] : [`${target.label}: ${formatMissingDays({ missing }, nameOf)}.`];
}

/** The figures behind the explanation, the same question about other products or about one project, and the menu. */
function whyActions(view: SpendView, largest?: SpendFigures) {
  const { projects, answered, period } = view;
  const [only] = answered;
  // A project that has a name has its product with it: another one could give a wrong answer.
  const others =
    projects.isList || only?.target.alias !== undefined
      ? []
      : PRODUCT_IDS.filter((product) => product !== only?.target.product);
  const whyOf = (word: string, product: ProductId) =>
    spendCommand({ projects: { ...projects, word, product }, period }, { output: 'why' });
  const figures = spendCommand(view);
  return answerActions(view, {
    link: spendCommand(view, { output: 'why' }),
    figures,
    before: commandButton('spend', 'Spend', figures),
    after: [
      ...others.flatMap((product) =>
        commandButton(`why-${product}`, `Same for ${PRODUCTS[product].name}`, whyOf(projects.word, product)),
      ),
      ...(largest === undefined
        ? []
        : commandButton(
            'why',
            `What changed in ${largest.target.label}`,
            whyOf(largest.target.word, largest.target.product),
          )),
    ],
    more: [],
    report: reportOf(view),
  });
}
