import { formatMoney, formatPercent, type Money, sum, ZERO } from '../../domain/money.ts';
import type { Period } from '../../domain/period.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import type { Change, Figure, Total, Usage, UsageRow } from '../../domain/usage.ts';
import {
  actions,
  type Block,
  context,
  header,
  instant,
  type Message,
  markup,
  overflow,
  quote,
  section,
  select,
} from '../../slack/kit/atoms.ts';
import { barChart, type Chart } from '../../slack/kit/chart.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { LIMITS } from '../../slack/kit/limits.ts';
import { fitsTable, type Table, table } from '../../slack/kit/table.ts';
import {
  nameOption,
  type Rerun,
  rerunButton,
  rerunOption,
  scheduleOption,
  shareButton,
} from '../../slack/rerun.ts';
import type { Byline } from '../../slack/visit.ts';
import type { Target } from '../../workspace/target.ts';
import { groupDays, type Namer, namerFor } from './grain.ts';

/** Everything an answer to `/spend` says. */
export interface SpendReport {
  readonly target: Target;
  /** Whether this person can give the project a name. */
  readonly mayName: boolean;
  readonly period: Period;
  readonly usage: Usage;
  /** The window before; a sentence where it could not be had; undefined where there is none to compare with. */
  readonly change: Change | string | undefined;
  /** What the service said beside its figures: outside text. */
  readonly remarks: readonly string[];
  /** ms; the instant of the question and of the answer */
  readonly asked: number;
  readonly fetched: number;
  /** BCP 47 */
  readonly locale: string;
  /** Who asked for it or shared it, when it is for everybody there. */
  readonly byline: Byline | undefined;
}

export function spendMessage(report: SpendReport): Message {
  const { target, period, usage, remarks, fetched, byline } = report;
  const { project, product } = target;
  const title = `${target.label} · ${headline()}`;
  return {
    text: `${title}, ${period.label}, ${PRODUCTS[product].name}`,
    blocks: [
      header(title),
      ...(title.length > LIMITS.header ? [section(title)] : []),
      section(period.label),
      ...facts(report).map(markup),
      ...[chart(report)].filter((block) => block !== undefined),
      ...[days(report)].filter((block) => block !== undefined),
      ...notes(report).map(section),
      ...remarks.map(quote),
      ...(byline === undefined ? [buttons(report)] : []),
      context(
        [
          `project ${project}`,
          `${PRODUCTS[product].name} (${product})`,
          `fetched ${instant(fetched, new Date(fetched).toISOString().slice(11, 16))}`,
          ...(byline === undefined ? [] : [`${byline.how} by <@${escapeMarkup(byline.person)}>`]),
        ].join(' · '),
      ),
    ],
  } satisfies { text: string; blocks: Block[] };

  function headline(): string {
    const { total: all } = usage;
    if (all.readable === 0) return 'no readable amounts';
    return `${moneyOf(report)(all.value)} spent${all.incomplete ? ' (incomplete)' : ''}`;
  }
}

/** With the currency label; the table's cells go without it. */
const moneyOf =
  ({ locale, target }: SpendReport) =>
  (value: Money) =>
    formatMoney(value, locale, target.currency);

/** The line under the period: the average and what it compares with, the highest day, the bonuses. */
function facts(report: SpendReport): string[] {
  const { usage, period } = report;
  const nameOf = namerFor(period.days);
  const money = moneyOf(report);
  const { average, highest, today } = usage;
  const line = [
    ...(average === undefined ? [] : [`*${money(average)}* a day${comparison(report)}`]),
    ...(highest === undefined || usage.reported.length < 2
      ? []
      : [`highest ${nameOf(highest.day)}, ${money(highest.value)}`]),
    ...(today === undefined ? [] : [`today so far ${money(today.value)}`]),
    bonuses(usage.bonuses, money),
  ];
  return [line.filter(Boolean).join(' · ')].filter(Boolean);
}

function bonuses({ value, readable, incomplete }: Total, money: (value: Money) => string): string {
  if (readable === 0) return '';
  return `bonuses ${money(value)}${incomplete ? ' (incomplete)' : ''}`;
}

function comparison(report: SpendReport): string {
  const { change, period, locale } = report;
  if (change === undefined || typeof change === 'string' || period.comparison === undefined) return '';
  const { percent, before } = change;
  const against = period.comparison.label;
  if (percent !== undefined)
    return `, ${formatPercent(percent, locale)} ${percent.eq(ZERO) ? 'from' : 'on'} ${against}`;
  return `, ${moneyOf(report)(before)} ${change.basis === 'average' ? 'a day ' : ''}in ${against}`;
}

/** A bar for each complete reported day, put together where the period is long. Drawn from rounded figures: the table is exact. */
function chart({ usage, period }: SpendReport): Chart | undefined {
  const bars = usage.rows.flatMap(({ day, outside, amount }) =>
    day !== undefined && day !== period.today && !outside && 'value' in amount
      ? [{ day, value: amount.value }]
      : [],
  );
  if (bars.length < 2) return undefined;
  const { unit, groups } = groupDays(bars, LIMITS.chartPoints);
  const points = groups.map(({ label, items }) => ({
    label,
    value: Number(sum(items.map((bar) => bar.value)).toFixed(2)),
  }));
  return barChart(`Spent per ${unit}`, 'Spent', points);
}

function days(report: SpendReport): Table | undefined {
  const { usage } = report;
  if (usage.rows.length === 0) return undefined;
  const daily = [['Day', 'Amount', 'Bonuses'], ...dailyRows(usage.rows, report)];
  if (fitsTable(daily)) return table(daily);
  const fitting = [40, 20, 5].map((most) => grouped(report, most)).find(fitsTable);
  return fitting && table(fitting);
}

function dailyRows(rows: readonly UsageRow[], report: SpendReport): string[][] {
  const name = namerFor(rows.flatMap(({ day }) => day ?? []));
  return rows.map((row) => dailyRow(row, report, name));
}

function dailyRow(
  { day, shown, outside, merged, amount, bonuses: credit }: UsageRow,
  { period, locale }: SpendReport,
  nameOf: Namer,
): string[] {
  const marks = [
    ...(day !== undefined && day === period.today ? ['so far'] : []),
    ...(merged > 1 ? [`${merged} items added`] : []),
    ...(outside ? ['not asked about'] : []),
  ];
  const name = day === undefined ? shown : nameOf(day);
  return [
    marks.length === 0 ? name : `${name} (${marks.join(', ')})`,
    figure(amount, locale),
    figure(credit, locale),
  ];
}

function figure(amount: Figure, locale: string): string {
  if ('unreadable' in amount) return `unreadable: ${amount.unreadable}`;
  return `${formatMoney(amount.value, locale)}${amount.incomplete ? ' (incomplete)' : ''}`;
}

/** Weeks, months or more where the days do not fit; what has no day keeps rows of its own at the end. */
function grouped(report: SpendReport, most: number): string[][] {
  const { usage, locale } = report;
  const placed = usage.rows.flatMap(({ day, amount, bonuses: credit }) =>
    day === undefined ? [] : [{ day, amount, credit }],
  );
  const { unit, groups } = groupDays(placed, most);
  const column = (figures: readonly Figure[]): string => {
    const readable = figures.flatMap((each) => ('value' in each ? [each] : []));
    if (readable.length === 0) return 'unreadable';
    const incomplete = readable.length < figures.length || readable.some((each) => each.incomplete);
    return `${formatMoney(sum(readable.map((each) => each.value)), locale)}${incomplete ? ' (incomplete)' : ''}`;
  };
  return [
    [`By ${unit}`, 'Amount', 'Bonuses', 'Days reported'],
    ...groups.map(({ label, items }) => [
      label,
      column(items.map(({ amount }) => amount)),
      column(items.map(({ credit }) => credit)),
      String(items.length),
    ]),
    ...dailyRows(usage.rows.filter(({ day }) => day === undefined).slice(0, most), report).map((row) => [
      ...row,
      '–',
    ]),
  ];
}

/** What a reader must know to trust the figures, a sentence each. */
function notes(report: SpendReport): string[] {
  const { usage, period, change } = report;
  const list = (days: readonly string[]) => listDays(days, namerFor(period.days));
  const {
    missing,
    unreadableDays,
    partialDays,
    outside,
    unplaced,
    mergedDays,
    reported,
    fullDays,
    total: all,
    bonuses: credit,
  } = usage;
  return [
    ...(missing.length > 0
      ? [
          `${reported.length} of ${count(fullDays, 'day')} reported: nothing for ${list(missing)} yet (not counted as zero).`,
        ]
      : []),
    ...(period.today !== undefined && usage.today === undefined ? ['Nothing for today yet.'] : []),
    ...(unreadableDays.length > 0
      ? [`No readable amount for ${list(unreadableDays)}: left out of total and average.`]
      : []),
    ...(partialDays.length > 0 ? [`Only a part of the amount for ${list(partialDays)} could be read.`] : []),
    ...(all.incomplete
      ? [`The total is incomplete: ${count(all.unreadable, 'amount')} could not be read.`]
      : []),
    ...(credit.incomplete && credit.readable > 0
      ? [`The bonuses are incomplete: ${count(credit.unreadable, 'amount')} could not be read.`]
      : []),
    ...(mergedDays > 0
      ? [`The service sent several items for ${count(mergedDays, 'day')}; they are added up.`]
      : []),
    ...(outside > 0
      ? [
          `The service cuts its days its own way: ${count(outside, 'row')} beyond the period asked about, counted in the total, not in the average.`,
        ]
      : []),
    ...(unplaced > 0
      ? [
          `${count(unplaced, 'row')} without a day that Tally can read, counted in the total, not in the average.`,
        ]
      : []),
    ...compared(change, period, moneyOf(report)),
  ];
}

function compared(
  change: SpendReport['change'],
  { comparison: window }: Period,
  money: (value: Money) => string,
): string[] {
  if (change === undefined || window === undefined) return [];
  if (typeof change === 'string') return [`No comparison with ${window.label}: ${change}`];
  if (change.basis === 'total')
    return [`Compared with ${window.basis} (${window.label}): ${money(change.before)} then.`];
  return [
    `Compared with ${window.basis} (${window.label}) by the average a day, because ${count(change.reported.current, 'day')} and ${change.reported.before} are reported: ${money(change.current)} now, ${money(change.before)} then.`,
  ];
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const SHOWN_DAYS = 5;

function listDays(days: readonly string[], nameOf: Namer): string {
  const names = days.slice(0, SHOWN_DAYS).map(nameOf);
  const more = days.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
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

function buttons({ target, mayName, period, asked }: SpendReport) {
  const { word, product } = target;
  const words = (phrase: string, as: ProductId = product): Rerun => ({
    command: '/spend',
    text: `${word} ${phrase} ${PRODUCTS[as].word}`,
  });
  const include = /^last-\d+-days$/.test(period.phrase) ? `${period.phrase} including today` : undefined;
  return actions(
    select(
      'rerun:period',
      'Period',
      PERIODS.map(([label, phrase]) => rerunOption(label, words(phrase))),
    ),
    ...(include === undefined ? [] : rerunButton('today', 'Include today', words(include))),
    ...shareButton(words(period.phrase), asked),
    overflow('rerun:more', [
      rerunOption('Balance', { command: '/balance', text: `${word} ${PRODUCTS[product].word}` }),
      ...PRODUCT_IDS.filter((id) => id !== product).map((id) =>
        rerunOption(`As ${PRODUCTS[id].name}`, words(period.phrase, id)),
      ),
      ...(mayName ? [nameOption(target)] : []),
      scheduleOption(
        target,
        SCHEDULED.find((phrase) => phrase === period.phrase),
      ),
    ]),
  );
}
