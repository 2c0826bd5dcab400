/** The answer of `/spend … why`: the days or projects that made the change, the largest difference first. */
import {
  formatDifference,
  formatMoney,
  formatPercent,
  type LabelledAmount,
  type Money,
  type MoneyFormatter,
  moneyFormatter,
  sumByLabel,
} from '../../domain/money/amount.ts';
import {
  byDifference,
  type ExplainedDays,
  type ExplainedRow,
  explainDays,
  foldSmallest,
} from '../../domain/money/comparison.ts';
import { type Cost, formatCost, type Row } from '../../domain/money/period-rows.ts';
import { formatMissingDays, type Usage } from '../../domain/money/usage.ts';
import { type Day, dayNamerFor, formatRequestedDays, listDays } from '../../domain/time/calendar.ts';
import { countKnown, limitLines, listNames, pluralize } from '../../domain/wording.ts';
import { type Column, cellsOf, compact, escapeMarkup, joinTexts } from '../../slack/block-kit/blocks.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { failedNotes, failedRows, productNames } from '../../slack/reply/project-answers.ts';
import { type Answer, answerActions, productFact, zoneFact } from '../../slack/reply/render-answer.ts';
import type { SpendFigures, SpendView } from './figures.ts';
import { formatTop, totalChange } from './list-answer.ts';
import {
  type ComparedChange,
  comparedChange,
  NONE_COMPLETE,
  reportOf,
  spendCommand,
  uncomparedNote,
} from './project-answer.ts';

interface Explained extends ExplainedDays {
  readonly figures: SpendFigures;
  readonly before: Usage;
}

/** One more row sums up the rest. */
const MOST_ROWS = { day: 3, project: 5 } as const;
type Noun = keyof typeof MOST_ROWS;

type ReasonRow = ExplainedRow & { readonly currency?: string };

const MOST_NOTES = 5;

export function whyAnswer(view: SpendView): Answer<SpendFigures> {
  const { projects, answered, failed, period, locale } = view;
  const { comparison, today, zone } = period;
  const explained = answered.flatMap((figures) => explain(figures, view)).sort(byDifference);
  const [only] = projects.isList ? [] : answered;
  const noun: Noun = only ? 'day' : 'project';
  const { nameOf, facts } = productNames(answered);
  const uncompared = answered.filter((figures) => !explained.some((each) => each.figures === figures));
  const rows = only ? explained.flatMap((each) => each.rows) : explained.map((each) => rowOf(each, nameOf));
  const others = only
    ? explained.flatMap((each) => each.uncompared)
    : uncompared.map(({ target }) => ({ label: nameOf(target) }));
  const sums = sumByLabel(explained.map(({ value, figures }) => ({ value, label: figures.target.currency })));
  const [sum] = sums.length === 1 ? sums : [];
  const isCompared = explained.length > 0;
  // Different currencies can't be summed up in one row.
  const shown = sum ? foldSmallest(rows, MOST_ROWS[noun], noun) : rows;
  const single = only && shown.length + others.length < 2 ? shown[0] : undefined;
  const money = moneyFormatter(locale);
  const change = only ? comparedChange(only) : totalChange(view);
  const columns = differenceColumns(noun, view, sums.length > 1);
  const leftOut = explained.flatMap((each) => each.uncompared.flatMap(daysOf));
  const difference = joinTexts(', ', [
    `${differenceText(sums, locale)} ${comparison?.label}`,
    leftOut.length > 0 && `leaving out ${pluralize(new Set(leftOut).size, 'day')}`,
  ]);
  const notes = compact([
    comparison === undefined && NONE_COMPLETE,
    ...missingNotes(view, explained, uncompared),
    ...failedNotes(failed),
  ]);
  return {
    title: [
      only?.target.label ?? countText(explained.length, view),
      comparedDates(period),
      ...(isCompared ? [difference] : []),
    ].join(' · '),
    lines: [
      ...(isCompared ? [] : notes.map(escapeMarkup)),
      joinTexts(' · ', [
        change && percentText(change, locale),
        sum && rows.length > 1 && reasonText(rows, sum.value, money, noun),
        single && `${formatCost(single.current, money)} vs ${formatCost(single.before, money)}`,
      ]),
    ],
    rows:
      single || !isCompared
        ? undefined
        : { cells: [...cellsOf([...shown, ...others], columns), ...failedRows(failed, columns.length - 1)] },
    remarks: answered.flatMap(({ remarks }) => remarks),
    facts: compact([
      today !== undefined && 'today left out',
      ...(only ? [productFact(only)] : facts),
      zoneFact(view, zone),
    ]),
    notes: !isCompared ? [] : only ? notes : [notes.join(' ')],
    actions: whyActions(view, only ? undefined : explained.find(({ value }) => !value.eq(0))?.figures),
  };
}

function missingNotes(
  { projects, period }: SpendView,
  explained: readonly Explained[],
  uncompared: readonly SpendFigures[],
): readonly string[] {
  const named = ({ target }: SpendFigures, note: string) =>
    note === '' ? [] : [projects.isList ? `${target.label}: ${note}` : capital(note)];
  return [
    ...uncompared.flatMap((figures) =>
      period.comparison ? named(figures, uncomparedNote(figures, period)) : [],
    ),
    ...limitLines(
      explained.flatMap((each) => named(each.figures, gapNote(each, period))),
      MOST_NOTES,
    ),
  ];
}

/** A daily average could rise although the header says “less”. */
const percentText = ({ figures: { percent, basis } }: ComparedChange, locale: string): string =>
  percent && basis === 'total' ? `*${formatPercent(percent, locale)}*` : '';

const daysOf = ({ current, before }: Row): readonly Day[] =>
  [current, before].flatMap((cost) => cost?.days ?? []);

function explain(figures: SpendFigures, { period: { comparison } }: SpendView): Explained[] {
  const { usage, before } = figures;
  if (comparison === undefined || before === undefined || !comparedChange(figures)) return [];
  return [{ figures, before, ...explainDays(usage, before, comparison) }];
}

function rowOf(
  { figures: { target }, rows, value }: Explained,
  nameOf: (target: SpendFigures['target']) => string,
): ReasonRow {
  const [sum] = foldSmallest(rows, 0, 'day');
  return { ...sum, label: nameOf(target), value, currency: target.currency };
}

/** `14–20 Nov`: the days that are over */
function comparedDates({ requested, comparison, dates }: SpendView['period']): string {
  const [first, last] = [comparison?.currentDays[0], comparison?.currentDays.at(-1)];
  return first && last ? formatRequestedDays({ ...requested, first, last }) : dates;
}

/** Three columns fit on a phone, so a row's name and cost share one. */
function differenceColumns(
  noun: Noun,
  { period, locale }: SpendView,
  isLabelled: boolean,
): Column<ReasonRow>[] {
  const write = ({ currency = '' }: ReasonRow) => moneyFormatter(locale, isLabelled ? currency : '');
  const amountOf = (row: ReasonRow, cost: Cost | undefined) =>
    formatCost(cost && { ...cost, days: [] }, write(row));
  return [
    {
      title: `${capital(noun)} · ${comparedDates(period)}`,
      cell: (row) => (row.current ? `${row.label} · ${amountOf(row, row.current)}` : row.label),
    },
    {
      title: 'Difference',
      cell: (row) => (row.value ? formatDifference(row.value, write(row)) : 'not compared'),
    },
    { title: period.comparison?.label ?? '', cell: (row) => amountOf(row, row.before) },
  ];
}

function differenceText(sums: readonly LabelledAmount[], locale: string): string {
  const changes = sums
    .filter(({ value }) => !value.eq(0))
    .map(({ value, label }) => `${formatMoney(value.abs(), locale, label)} ${value.gt(0) ? 'more' : 'less'}`);
  return changes.length === 0 ? 'unchanged vs' : `${listNames(changes)} than`;
}

/** `Mostly one more day: …`, as Slack markup. @param rows the largest difference first */
function reasonText(rows: readonly ReasonRow[], value: Money, money: MoneyFormatter, noun: Noun): string {
  const changed = rows.flatMap((row) => (row.value && !row.value.eq(0) ? [{ row, part: row.value }] : []));
  const isOneSided = ({ current, before }: Row) => noun === 'day' && !(current && before);
  const causes = compact([changed[0], changed.find(({ row }) => isOneSided(row))])
    .map((cause) => ({ ...cause, name: causeName(cause.row, noun, money) }))
    .filter(({ name }) => name !== '');
  const all = causes.find(({ part }) => part.eq(value));
  if (all) return `All of it comes from ${all.name}.`;
  const [size, isOpposite] = [value.abs(), (part: Money) => part.times(value).lt(0)];
  const most = causes.find(({ part }) => !isOpposite(part));
  if (most?.part.abs().lte(size) && most.part.abs().times(2).gt(size))
    return `Mostly ${most.name}: ${formatDifference(most.part, money)} of ${money(size)}.`;
  const one = causes.find(({ row, part }) => isOneSided(row) || (!isOpposite(part) && part.abs().gt(size)));
  if (one === undefined) return `Spread over ${pluralize(rows.length, noun)}.`;
  const name = noun === 'day' ? capital(one.name) : one.name;
  const others = `The other ${noun}${changed.length > 2 ? 's' : ''}`;
  const [part, rest] = [one.part, value.minus(one.part)].map((each) => formatDifference(each, money));
  return `${name}: ${part}. ${others}: ${rest}.`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `Mon 16 Nov`; `one more day`, `2 fewer days` for days without a counterpart; as Slack markup */
function nameOf({ label, current, before }: Row, noun: Noun): string {
  const alone = current && before ? undefined : (current ?? before);
  if (noun !== 'day' || alone === undefined) return escapeMarkup((noun === 'day' && current?.name) || label);
  const count = alone.days.length;
  const words = current ? 'more' : 'fewer';
  return count === 1 ? `one ${words} day` : `${count} ${words} days`;
}

/** Of two days, names the unusual one. @returns '' if both are usual for their weekday */
function causeName(row: ReasonRow, noun: Noun, money: MoneyFormatter): string {
  const { current, before, unusual } = row;
  if (noun !== 'day' || !current || !before) return nameOf(row, noun);
  if (unusual === before) return `${escapeMarkup(before.name)}, ${formatCost(before, money)} then`;
  return unusual ? nameOf(row, noun) : '';
}

function gapNote({ figures: { usage }, before }: Explained, { comparison }: SpendView['period']): string {
  const nameDay = dayNamerFor([...(comparison?.currentDays ?? []), ...(comparison?.days ?? [])]);
  const lacking = (name: 'missing' | 'unreadableDays') => [...usage[name], ...before[name]].sort();
  const unreadable = lacking('unreadableDays');
  const text = joinTexts(', ', [
    formatMissingDays({ missing: lacking('missing') }, nameDay),
    unreadable.length > 0 && `the amount for ${listDays(unreadable, nameDay)} couldn’t be read in full`,
  ]);
  return text && `${text}.`;
}

function countText(compared: number, { answered, failed, top }: SpendView): string {
  const of = top?.shown.length ?? answered.length + failed.length;
  return top && (compared === 0 || compared === of) ? formatTop(top) : countKnown(compared, of, 'project');
}

function whyActions(view: SpendView, largest?: SpendFigures) {
  const { projects, period } = view;
  const figures = spendCommand(view);
  const whyOne = ({ word, product }: SpendFigures['target']) =>
    spendCommand({ projects: { ...projects, word, product }, period, shape: {} }, { output: 'why' });
  return answerActions(view, {
    link: spendCommand(view, { output: 'why' }),
    figures,
    before: commandButton('spend', 'Spend', figures),
    after: largest
      ? commandButton('why', `What changed in ${largest.target.label}`, whyOne(largest.target))
      : [],
    more: [],
    report: reportOf(view),
  });
}
