import type { ActionsBlock } from '@slack/types';
import {
  formatDifference,
  formatMoney,
  formatPercent,
  moneyFormatter,
  sumMoney,
} from '../../domain/money/amount.ts';
import { forecastDay } from '../../domain/money/forecast.ts';
import { formatBonusTotal, incompleteMark, readableTotal } from '../../domain/money/usage.ts';
import { formatCoverage, sumChanges } from '../../domain/money/usage-change.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import { hasOneCurrency, type ProjectColumn, severalTitle } from '../../slack/commands/project-table.ts';
import { compact, escapeMarkup, joinTexts, type Message } from '../../slack/kit/blocks.ts';
import { renderListAnswer } from '../../slack/reply/render-answer.ts';
import { comparable, uncomparedNote, versusDates } from './comparison-wording.ts';
import { bySpendIn, formatTop, type SpendFigures, type SpendView, shareOf, topShareText } from './figures.ts';

/** The total and its biggest change, or of how much the largest ones are a part; then a row a project, the largest first. */
export function spendListMessage(view: SpendView, buttons: ActionsBlock): Message {
  const { period, answered, projects, top, locale } = view;
  const isIncomplete = answered.some(({ usage }) => usage.total.incomplete);
  const title = severalTitle(view, ({ usage }) => readableTotal(usage), locale, {
    verb: `spent${incompleteMark(isIncomplete)}`,
    ...(top && { count: formatTop(top, view.shape) }),
  });
  const isRanked = projects.top === undefined || hasOneCurrency(answered);
  return renderListAnswer(view, {
    title,
    text: `${title}, ${period.dates}${versusDates(period)}`,
    lines: [
      top === undefined
        ? [totalChangeText(view), biggestChange(view)].filter(Boolean).join(' · ')
        : topShareText(top, locale),
      forecastText(view),
    ],
    sorted: answered.toSorted(bySpendIn(view.shape)),
    columns: columnsOf(view),
    beside: shareColumn(view),
    facts: compact([
      `${period.dates} ${period.zone}${period.today === undefined ? '' : ', today so far'}`,
      (top !== undefined || totalChange(view) === undefined) &&
        answered.some((figures) => comparable(figures)) &&
        `change vs ${period.comparison?.label}`,
    ]),
    notes: compact([
      bonusNote(view),
      ...coverageNotes(view),
      !isRanked && 'Amounts in different currencies can’t be ranked, so all projects are shown.',
      ...(period.versus === undefined ? [] : answered).flatMap((figures) => {
        const note = uncomparedNote(figures, period);
        return note === '' ? [] : `${figures.target.label}: ${note}`;
      }),
    ]),
    buttons,
  });
}

/** `Forecast: about 1,234,000.00 by 30 Nov`, the sum of the rows' forecasts, and of how many projects it is. */
function forecastText({ answered, failed, period: { today }, locale }: SpendView): string {
  const known = answered.flatMap(({ forecast }) => forecast?.total ?? []);
  const [first] = answered;
  if (today === undefined || first === undefined || known.length === 0 || !hasOneCurrency(answered))
    return '';
  const of = answered.length + failed.length;
  const total = formatMoney(sumMoney(known), locale, first.target.currency);
  const whose = known.length === of ? '' : ` for ${known.length} of ${pluralize(of, 'project')}`;
  return escapeMarkup(`Forecast: about ${total} by ${forecastDay(today)}${whose}`);
}

/** `Bonuses: prod 1,000.00 and staging 200.00.` */
function bonusNote({ answered, locale }: SpendView): string {
  const used = answered.flatMap(({ target, usage: { bonuses } }) => {
    const text = formatBonusTotal(bonuses, moneyFormatter(locale, target.currency)).replace(/^bonuses /, '');
    return text === '' ? [] : [`${target.label} ${text}`];
  });
  return used.length === 0 ? '' : `Bonuses: ${listNames(used)}.`;
}

/**
 * `*▲ 4.1 %* a day`, and the coverage of the days before, if that is not complete. Only if every answered project can be
 * compared, because a partial sum would look like the total.
 */
export function totalChange(
  view: SpendView,
): { readonly change: string; readonly rests: string } | undefined {
  const { answered, period, locale } = view;
  const changes = answered.flatMap((figures) => comparable(figures) ?? []);
  if (period.comparison === undefined || changes.length < answered.length || !hasOneCurrency(answered))
    return undefined;
  const sum = sumChanges(changes);
  const percent = sum?.figures?.percent;
  if (sum === undefined || percent === undefined) return undefined;
  const { before } = sum.coverage;
  const isEven = changes.every(({ figures }) => figures?.basis === 'total');
  return {
    change: `*${formatPercent(percent, locale)}*${isEven ? '' : ' a day'}`,
    rests: before.reported === before.of ? '' : ` (${formatCoverage(before)})`,
  };
}

function totalChangeText(view: SpendView): string {
  const total = totalChange(view);
  return total === undefined
    ? ''
    : `${total.change} vs ${view.period.comparison?.label}${total.rests}${totalDifference(view)}`;
}

/** `, + 1,203.00`, an amount a day where averages are compared; only for a comparison that was named. */
function totalDifference({ answered, period, locale }: SpendView): string {
  if (period.versus === undefined) return '';
  const all = answered.flatMap((figures) => comparable(figures)?.figures ?? []);
  const isEven = all.every(({ basis }) => basis === 'total');
  const value = sumMoney(
    all.map(({ current, before, daily }) =>
      isEven ? current.minus(before) : daily.current.minus(daily.before),
    ),
  );
  if (value.eq(0)) return '';
  return `, ${formatDifference(value, moneyFormatter(locale))}${isEven ? '' : ' a day'}`;
}

/** `biggest change: prod + 3,120.00` */
function biggestChange(view: SpendView): string {
  const { answered, locale } = view;
  if (!hasOneCurrency(answered) || answered.length < 2) return '';
  const differences = answered.flatMap(({ target, ...spend }) => {
    const figures = comparable(spend)?.figures;
    if (figures === undefined) return [];
    const { current, before } = figures.daily;
    const isTotal = figures.basis === 'total';
    const value = isTotal ? figures.current.minus(figures.before) : current.minus(before);
    return [{ label: target.label, value, daily: current.minus(before).abs(), isTotal }];
  });
  const [first, ...rest] = differences;
  if (first === undefined) return '';
  const { label, value, isTotal } = rest.reduce(
    (top, next) => (next.daily.gt(top.daily) ? next : top),
    first,
  );
  if (value.eq(0)) return '';
  const difference = formatDifference(value, moneyFormatter(locale));
  return `biggest change: ${escapeMarkup(label)} ${difference}${isTotal ? '' : ' a day'}`;
}

/** What part of the sum each spent; undefined where that says nothing. */
function shareColumn({ answered, top, locale }: SpendView): ProjectColumn<SpendFigures> | undefined {
  const share =
    answered.length < 2 && top === undefined ? undefined : shareOf(top?.among ?? answered, locale);
  return (
    share && {
      title: 'share',
      cell: ({ usage: { total } }) => (total.readable === 0 ? '' : share(total.value)),
    }
  );
}

/** Three columns are what a phone shows. */
function columnsOf({ answered, locale, period, shape }: SpendView): ProjectColumn<SpendFigures>[] {
  const { comparison, versus, today } = period;
  const spent = { title: 'Spent', cell: (figures: SpendFigures) => spentCell(figures, locale) };
  const daily = {
    title: 'A day',
    cell: ({ usage, target }: SpendFigures) =>
      usage.average ? formatMoney(usage.average, locale, target.currency) : '–',
  };
  if (shape?.unit === 'day') return [spent, daily];
  if (versus === undefined && today !== undefined && answered.some(({ forecast }) => forecast))
    return [
      spent,
      {
        title: `By ${forecastDay(today)}`,
        cell: ({ forecast, target }) =>
          forecast ? formatMoney(forecast.total, locale, target.currency) : '–',
      },
    ];
  if (comparison === undefined) return [spent];
  if (versus === undefined) {
    const change = { title: 'Change', cell: (figures: SpendFigures) => percentOf(figures, locale) || '–' };
    return answered.some((figures) => percentOf(figures, locale)) ? [spent, change] : [spent];
  }
  return [
    spent,
    {
      title: comparison.label,
      cell: ({ before, ...figures }) =>
        before === undefined
          ? '–'
          : joinTexts(' · ', [
              spentCell({ ...figures, usage: before }, locale),
              percentOf({ ...figures, before }, locale),
            ]),
    },
  ];
}

const PARTLY_REPORTED = '*';

const isPartlyReported = ({ reported, fullDays }: SpendFigures['usage']): boolean =>
  reported.length < fullDays;

function spentCell({ usage, target }: Pick<SpendFigures, 'usage' | 'target'>, locale: string): string {
  const { total } = usage;
  if (total.readable === 0) return 'no data';
  const mark = isPartlyReported(usage) ? PARTLY_REPORTED : '';
  return `${formatMoney(total.value, locale, target.currency)}${mark}${incompleteMark(total.incomplete)}`;
}

function percentOf(spend: SpendFigures, locale: string): string {
  const percent = comparable(spend)?.figures.percent;
  return percent === undefined ? '' : formatPercent(percent, locale);
}

/** `* Reported so far: prod 6 of 7 days.`, and what is compared where the days are not the same. */
function coverageNotes({ answered, period }: SpendView): string[] {
  const partly = answered.flatMap(({ target, usage }) =>
    usage.total.readable > 0 && isPartlyReported(usage)
      ? [`${target.label} ${usage.reported.length} of ${pluralize(usage.fullDays, 'day')}`]
      : [],
  );
  const before = answered.flatMap((figures) => {
    const { before: then } = figures;
    return period.versus !== undefined && then && then.total.readable > 0 && isPartlyReported(then)
      ? [`${figures.target.label} ${then.reported.length} of ${pluralize(then.fullDays, 'day')}`]
      : [];
  });
  const compared = answered.filter((figures) => comparable(figures) !== undefined);
  const averages = compared.filter((figures) => comparable(figures)?.figures.basis === 'average');
  const names =
    compared.length === averages.length ? '' : `: ${listNames(averages.map(({ target }) => target.label))}`;
  return compact([
    partly.length > 0 && `${PARTLY_REPORTED} Days with data: ${listNames(partly)}.`,
    before.length > 0 &&
      `${PARTLY_REPORTED} Days with data, ${period.comparison?.label}: ${listNames(before)}.`,
    averages.length > 0 && `Compared by the average a day${names}.`,
  ]);
}
