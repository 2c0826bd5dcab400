import { formatPercent, type Money } from '../../domain/money/amount.ts';
import type { Usage, UsageTotal } from '../../domain/money/usage.ts';
import { isPoorlyReported, type UsageChange } from '../../domain/money/usage-change.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import type { Period } from '../../domain/time/period.ts';
import { type AnswerDetails, moneyFormatter, renderAnswer } from '../../slack/answer-message.ts';
import {
  type CommandInvocation,
  commandButton,
  commandOption,
  nameOption,
  scheduleOption,
  shareButton,
} from '../../slack/command-buttons.ts';
import { actions, type Message, markup, overflow, section, select } from '../../slack/kit/atoms.ts';
import { dayBlocks, spendChart } from './days.ts';
import { dayNamerFor } from './granularity.ts';
import { spendNotes } from './notes.ts';

/** Everything an answer to `/spend` says. */
export interface SpendReport extends AnswerDetails {
  readonly period: Period;
  readonly usage: Usage;
  /** The window before; a sentence where it could not be had; undefined where there is none to compare with. */
  readonly change: UsageChange | string | undefined;
}

export function spendMessage(report: SpendReport): Message {
  const { period } = report;
  return renderAnswer(report, {
    headline: headline(report),
    spoken: period.label,
    body: [
      section(period.label),
      ...facts(report).map(markup),
      ...[spendChart(report), dayBlocks(report)].filter((block) => block !== undefined),
      ...spendNotes(report).map(section),
    ],
    buttons: buttons(report),
  });
}

function headline(report: SpendReport): string {
  const { total } = report.usage;
  if (total.readable === 0) return 'no readable amounts';
  return `${moneyFormatter(report)(total.value)} spent${total.incomplete ? ' (incomplete)' : ''}`;
}

/** The line under the period: the average and what it compares with, the highest day, the bonuses. */
function facts(report: SpendReport): string[] {
  const { usage, period } = report;
  const nameOf = dayNamerFor(period.days);
  const money = moneyFormatter(report);
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

function bonuses({ value, readable, incomplete }: UsageTotal, money: (value: Money) => string): string {
  if (readable === 0 && !incomplete) return '';
  return `bonuses ${money(value)}${incomplete ? ' (incomplete)' : ''}`;
}

/** Nothing where too few days are reported: what there is to say then is a note, with how many they are. */
function comparison(report: SpendReport): string {
  const { change, period, locale } = report;
  if (change === undefined || typeof change === 'string' || period.comparison === undefined) return '';
  if (change.figures === undefined || isPoorlyReported(change)) return '';
  const { percent, daily } = change.figures;
  const { label, days } = period.comparison;
  if (percent !== undefined) return `, ${formatPercent(percent, locale)} vs ${label}`;
  const before = moneyFormatter(report)(daily.before);
  return days.length === 1 ? `, ${before} on ${label}` : `, ${before} a day in ${label}`;
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
  const words = (phrase: string, as: ProductId = product): CommandInvocation => ({
    command: '/spend',
    text: `${word} ${phrase} ${PRODUCTS[as].word}`,
  });
  const include = /^last-\d+-days$/.test(period.phrase) ? `${period.phrase} including today` : undefined;
  return actions(
    select(
      'rerun:period',
      'Period',
      PERIODS.map(([label, phrase]) => commandOption(label, words(phrase))),
    ),
    ...(include === undefined ? [] : commandButton('today', 'Include today', words(include))),
    ...shareButton(words(period.phrase), asked),
    overflow('rerun:more', [
      commandOption('Balance', { command: '/balance', text: `${word} ${PRODUCTS[product].word}` }),
      ...PRODUCT_IDS.filter((id) => id !== product).map((id) =>
        commandOption(`As ${PRODUCTS[id].name}`, words(period.phrase, id)),
      ),
      ...(mayName ? [nameOption(target)] : []),
      scheduleOption(
        target,
        SCHEDULED.find((phrase) => phrase === period.phrase),
      ),
    ]),
  );
}
