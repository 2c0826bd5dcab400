import { formatPercent, isRoundedSumExact, type Money, moneyFormatter } from '../../domain/money/amount.ts';
import { type DayFigure, formatReportedDays, incompleteMark } from '../../domain/money/usage.ts';
import {
  type DayDifference,
  splitLargest,
  sumFigures,
  type UsageDifference,
} from '../../domain/money/usage-change.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Day } from '../../domain/time/calendar.ts';
import { type DayNamer, dayNamerFor, listDays } from '../../domain/time/day-groups.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import { compact, joinTexts, type Message } from '../../slack/kit/blocks.ts';
import { table } from '../../slack/kit/tables.ts';
import { renderAnswer, sourceOf } from '../../slack/reply/render-answer.ts';
import { formatChangeAmount, uncomparedNote } from './comparison-wording.ts';
import type { SpendFigures, SpendView } from './figures.ts';
import {
  comparedDates,
  differenceCells,
  type ExplainedChange,
  explainChange,
  formatMoreOrLess,
  hasPartialDays,
  LEFT_OUT_NOTE,
  leavesDaysOut,
  NO_COMPLETE_DAY_NOTE,
  ROUNDED_NOTE,
  whyButtons,
} from './why-parts.ts';

/** The days that made the change of one project, the largest difference first. */
export function whyDaysMessage(figures: SpendFigures, view: SpendView): Message {
  const { target, remarks } = figures;
  const { period } = view;
  const explained = explainChange(figures, period);
  const { headline, dates, ...content } =
    explained === undefined ? notCompared(figures, view) : explanation(figures, explained, view);
  const title = `${target.label} · ${headline}`;
  return renderAnswer(view, {
    ...content,
    title,
    text: `${title}, ${dates}, ${PRODUCTS[target.product].name}`,
    remarks,
    facts: [...content.facts, ...sourceOf(figures)],
    buttons: whyButtons(view),
  });
}

function notCompared(figures: SpendFigures, { period }: SpendView) {
  const note = uncomparedNote(figures, period) || NO_COMPLETE_DAY_NOTE;
  const { dates, zone } = period;
  return {
    headline: 'no comparison',
    dates,
    lines: [],
    body: [],
    facts: [`${dates} ${zone}`],
    notes: [note],
  };
}

function explanation({ target, usage }: SpendFigures, explained: ExplainedChange, view: SpendView) {
  const { difference, window, before } = explained;
  const { period, locale } = view;
  const nameOf = dayNamerFor([...window.currentDays, ...window.days]);
  const dates = comparedDates(period, window);
  const rows = rowsOf(difference, nameOf);
  const partial = [...usage.partialDays, ...before.partialDays];
  const cells = rows.map((row) => ({ ...row, ...differenceCells(row, moneyFormatter(locale)) }));
  const [only] = cells;
  return {
    headline: [
      formatMoreOrLess({ ...difference, money: moneyFormatter(locale, target.currency) }),
      ` ${window.label}${onDays(explained)}${incompleteMark(hasPartialDays(usage, explained))}`,
    ].join(''),
    dates,
    // The headline has the difference of a single row.
    lines: [
      joinTexts(' · ', [
        changeText(explained, locale),
        cells.length === 1 && only && `${only.current} vs ${only.before}`,
      ]),
    ],
    body:
      cells.length < 2
        ? []
        : [
            table([
              [`Day · ${dates}`, 'Difference', window.label],
              ...cells.map(({ label, against, difference, current, before }) => [
                joinTexts(' ', [joinTexts(' · ', [label, current]), against]),
                difference,
                before,
              ]),
            ]),
          ],
    facts: compact([
      `${dates} vs ${window.label} ${period.zone}`,
      pairingText(explained, nameOf),
      usage.missing.length > 0 && formatReportedDays(usage, nameOf),
      before.missing.length > 0 && `${window.label}: ${formatReportedDays(before, nameOf)}`,
      period.today !== undefined && 'today left out',
    ]),
    notes: compact([
      ...notesOf(difference),
      ...unreadableNotes([...usage.unreadableDays, ...before.unreadableDays], partial, nameOf),
      !isRoundedSumExact(rows.flatMap(({ value }) => value ?? [])) && ROUNDED_NOTE,
    ]),
  };
}

interface DaysRow {
  readonly label: string;
  /** `vs Wed 11 Nov`, after the amount. */
  readonly against?: string;
  /** Undefined for days that are not compared. */
  readonly value: Money | undefined;
  readonly current: Money | undefined;
  readonly before: Money | undefined;
}

const MOST_DAYS = 3;

/** The values of the rows sum to exactly the difference. */
function rowsOf({ pairs, unpaired, uncompared }: UsageDifference, nameOf: DayNamer): DaysRow[] {
  const { largest, rest, label } = splitLargest(pairs, MOST_DAYS, 'days');
  const pairRow = ({ current, before }: DayDifference): DaysRow => ({
    ...rowOf([current], [before], nameOf(current.day)),
    against: `vs ${nameOf(before.day)}`,
  });
  const namesOf = (figures: readonly DayFigure[]) => listNames(figures.map(({ day }) => nameOf(day)));
  const names = [unpaired.current, unpaired.before].map(namesOf).filter(Boolean);
  return compact([
    ...largest.map(pairRow),
    rest.length > 0 &&
      rowOf(
        rest.map(({ current }) => current),
        rest.map(({ before }) => before),
        label,
      ),
    names.length > 0 &&
      rowOf(
        unpaired.current,
        unpaired.before,
        names.length === 2 ? names.join(' vs ') : `${names.join('')} (no day to compare)`,
      ),
    ...[
      rowOf(uncompared.current, [], namesOf(uncompared.current)),
      rowOf([], uncompared.before, namesOf(uncompared.before)),
    ]
      .filter(({ label }) => label !== '')
      .map((row) => ({ ...row, value: undefined })),
  ]);
}

const rowOf = (current: readonly DayFigure[], before: readonly DayFigure[], label: string) => ({
  label,
  value: sumFigures(current).minus(sumFigures(before)),
  current: current.length === 0 ? undefined : sumFigures(current),
  before: before.length === 0 ? undefined : sumFigures(before),
});

/** ` on 6 of 7 days` if some reported days are not in the difference. */
function onDays({ difference, window }: ExplainedChange): string {
  const { pairs, unpaired } = difference;
  if (!leavesDaysOut(difference)) return '';
  const counted = pairs.length + unpaired.current.length + unpaired.before.length;
  return ` on ${counted} of ${Math.max(window.currentDays.length, window.days.length)} days`;
}

/** The change as `/spend` says it. Where averages are compared, their difference is another than that of the headline. */
function changeText(
  { change: { figures }, difference, window: { currentDays, days } }: ExplainedChange,
  locale: string,
): string {
  // A month with a day more can cost more, and less a day.
  const lengths =
    currentDays.length === days.length ? '' : `, ${pluralize(currentDays.length, 'day')} vs ${days.length}`;
  if (figures.basis === 'average')
    return `${formatChangeAmount(figures, locale)} a day${lengths}${leavesDaysOut(difference) ? ' over all reported days' : ''}`;
  return figures.percent === undefined ? '' : `*${formatPercent(figures.percent, locale)}*`;
}

/** Which day is compared with which; the rows say it of the largest ones. */
function pairingText({ window: { currentDays, days } }: ExplainedChange, nameOf: DayNamer): string {
  const [current, before] = [currentDays[0], days[0]];
  if (current === undefined || before === undefined || days.length < 2) return '';
  return `compared in order, ${nameOf(current)} with ${nameOf(before)}`;
}

function notesOf(difference: UsageDifference): string[] {
  const { unpaired } = difference;
  const isSwapped = unpaired.current.length > 0 && unpaired.before.length > 0;
  return compact([
    isSwapped && 'Days whose counterpart has no data are compared with each other.',
    leavesDaysOut(difference) && LEFT_OUT_NOTE,
  ]);
}

const unreadableNotes = (unreadable: readonly Day[], partial: readonly Day[], nameOf: DayNamer): string[] =>
  compact([
    unreadable.length > 0 && `No readable amount for ${listDays(unreadable, nameOf)}.`,
    partial.length > 0 && `Part of the amount for ${listDays(partial, nameOf)} couldn’t be read.`,
  ]);
