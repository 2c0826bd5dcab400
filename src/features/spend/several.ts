import {
  formatDifference,
  formatMoney,
  formatPercent,
  type Money,
  moneyFormatter,
  sumMoney,
} from '../../domain/money/amount.ts';
import { forecastDay } from '../../domain/money/forecast.ts';
import {
  formatBonusTotal,
  formatCoverage,
  incompleteMark,
  readableTotal,
  sumChanges,
  type Usage,
} from '../../domain/money/usage.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import { type Column, compact, escapeMarkup, joinTexts } from '../../slack/block-kit/blocks.ts';
import { hasOneCurrency } from '../../slack/commands/project-answers.ts';
import { type AnswerText, listParts, severalTitle, zoneFact } from '../../slack/reply/render-answer.ts';
import {
  bySpendIn,
  comparableChange,
  formatTop,
  moneyIn,
  periodName,
  type SpendFigures,
  type SpendView,
  uncomparedNote,
} from './figures.ts';

/** The total and its biggest change, then a row a project, the largest first. */
export function listAnswer(view: SpendView): AnswerText {
  const { period, answered, projects, top, shape } = view;
  const isIncomplete = answered.some(({ usage }) => usage.total.incomplete);
  const expected = forecastText(view);
  const title = severalTitle(view, ({ usage }) => readableTotal(usage), {
    when: periodName(period),
    // Who asks what a month will cost reads no sum that looks like the answer.
    ...(expected && { verbs: ['so far', 'credited so far'] }),
    ...(top && { count: formatTop(top, shape) }),
  });
  const parts = listParts(view, answered.toSorted(bySpendIn(shape)), columnsOf(view));
  const changes = totalChange(view);
  return {
    ...parts,
    title: joinTexts(', ', [`${title}${incompleteMark(isIncomplete)}`, expected]),
    lines: [joinTexts(' · ', [changes, biggestChange(view)])],
    facts: compact([
      period.today !== undefined && 'today so far',
      ...parts.facts,
      changes === '' &&
        answered.some((figures) => comparableChange(figures)) &&
        `change vs ${period.comparison?.label}`,
      zoneFact(view, period.zone),
    ]),
    notes: compact([
      bonusNote(view),
      ...coverageNotes(view),
      projects.top !== undefined &&
        !hasOneCurrency(answered) &&
        'Amounts in different currencies can’t be ranked, so all projects are shown.',
      ...answered.flatMap((figures) => {
        const note = period.versus === undefined ? '' : uncomparedNote(figures, period);
        return note === '' ? [] : `${figures.target.label}: ${note}`;
      }),
      ...parts.notes,
    ]),
  };
}

/** `about 1,234,000.00 by 30 Nov`: the sum of the rows' forecasts, and of how many projects it is. */
function forecastText({ answered, failed, period: { today }, locale }: SpendView): string {
  const known = answered.flatMap(({ forecast }) => forecast?.total ?? []);
  if (today === undefined || known.length === 0 || !hasOneCurrency(answered)) return '';
  const of = answered.length + failed.length;
  // Of the same projects as the sum so far, the title has said so.
  const whose = known.length === answered.length ? '' : ` for ${known.length} of ${pluralize(of, 'project')}`;
  return `about ${formatMoney(sumMoney(known), locale)} by ${forecastDay(today)}${whose}`;
}

/** `Bonuses: prod 1,000.00 and staging 200.00.` */
function bonusNote(view: SpendView): string {
  const used = view.answered.flatMap((figures) => {
    const text = formatBonusTotal(figures.usage.bonuses, moneyIn(view)(figures)).replace(/^bonuses /, '');
    return text === '' ? [] : [`${figures.target.label} ${text}`];
  });
  return used.length === 0 ? '' : `Bonuses: ${listNames(used)}.`;
}

/**
 * `*▲ 4.1 %* vs 8–14 Nov (daily average)`, with the difference where the comparison was named. Only if every answered project
 * can be compared, because a partial sum would look like the total.
 */
export function totalChange(view: SpendView, isBare = false): string {
  const { answered, period, locale } = view;
  const changes = answered.flatMap((figures) => comparableChange(figures) ?? []);
  if (period.comparison === undefined || changes.length < answered.length || !hasOneCurrency(answered))
    return '';
  const sum = sumChanges(changes);
  const percent = sum?.figures?.percent;
  if (sum === undefined || percent === undefined) return '';
  const { before } = sum.coverage;
  const isEven = changes.every(({ figures }) => figures.basis === 'total');
  const value = sumMoney(changes.map(({ figures }) => differenceOf(figures, isEven)));
  const unit = isEven ? '' : ' a day';
  const rests = compact([
    !isEven && 'daily average',
    period.versus !== undefined &&
      !value.eq(0) &&
      !isBare &&
      `${formatDifference(value, moneyFormatter(locale))}${unit}`,
    before.reported < before.of && formatCoverage(before),
  ]).join(', ');
  const against = isBare ? '' : ` vs ${period.comparison.label}`;
  return `*${formatPercent(percent, locale)}*${against}${rests && ` (${rests})`}`;
}

type ComparedFigures = NonNullable<ReturnType<typeof comparableChange>>['figures'];

const differenceOf = ({ current, before, daily }: ComparedFigures, isTotal: boolean): Money =>
  isTotal ? current.minus(before) : daily.current.minus(daily.before);

/** `biggest change: prod + 3,120.00` */
function biggestChange({ answered, locale }: SpendView): string {
  if (!hasOneCurrency(answered) || answered.length < 2) return '';
  const [first] = answered
    .flatMap(({ target, ...spend }) => {
      const figures = comparableChange(spend)?.figures;
      return figures ? [{ target, figures, daily: differenceOf(figures, false).abs() }] : [];
    })
    .sort((a, b) => b.daily.cmp(a.daily));
  if (first === undefined || first.daily.eq(0)) return '';
  const isTotal = first.figures.basis === 'total';
  const difference = formatDifference(differenceOf(first.figures, isTotal), moneyFormatter(locale));
  return `biggest change: ${escapeMarkup(first.target.label)} ${difference}${isTotal ? '' : ' a day'}`;
}

/** Three columns are what a phone shows. */
function columnsOf(view: SpendView): Column<SpendFigures>[] {
  const { answered, locale, period, shape } = view;
  const { comparison, versus, today } = period;
  const write = (figures: SpendFigures, value: Money | undefined) =>
    value === undefined ? '–' : moneyIn(view)(figures)(value);
  const spentIn = (figures: SpendFigures, usage: Usage) =>
    usage.total.readable === 0
      ? 'no data'
      : `${write(figures, usage.total.value)}${isPartlyReported(usage) ? PARTLY : ''}${incompleteMark(usage.total.incomplete)}`;
  const percentOf = (figures: SpendFigures) => {
    const percent = comparableChange(figures)?.figures.percent;
    return percent === undefined ? '' : formatPercent(percent, locale);
  };
  const spent = { title: 'Spent', cell: (figures: SpendFigures) => spentIn(figures, figures.usage) };
  if (shape?.unit === 'day')
    return [spent, { title: 'A day', cell: (figures) => write(figures, figures.usage.average) }];
  if (versus !== undefined && comparison !== undefined) {
    const beforeOf = (figures: SpendFigures) =>
      figures.before === undefined
        ? '–'
        : joinTexts(' · ', [spentIn(figures, figures.before), percentOf(figures)]);
    return [spent, { title: comparison.label, cell: beforeOf }];
  }
  if (today !== undefined && answered.some(({ forecast }) => forecast))
    return [
      spent,
      { title: `By ${forecastDay(today)}`, cell: (figures) => write(figures, figures.forecast?.total) },
    ];
  return answered.some(percentOf)
    ? [spent, { title: 'Change', cell: (figures) => percentOf(figures) || '–' }]
    : [spent];
}

const PARTLY = '*';

const isPartlyReported = ({ reported, fullDays, total }: Usage): boolean =>
  total.readable > 0 && reported.length < fullDays;

/** `* Days with data: prod 6 of 7 days.`, of each side, and whether averages are compared. */
function coverageNotes({ answered, period }: SpendView): string[] {
  const partly = (usageOf: (figures: SpendFigures) => Usage | undefined, when: string): string => {
    const names = answered.flatMap((figures) => {
      const usage = usageOf(figures);
      if (usage === undefined || !isPartlyReported(usage)) return [];
      return `${figures.target.label} ${usage.reported.length} of ${pluralize(usage.fullDays, 'day')}`;
    });
    return names.length === 0 ? '' : `${PARTLY} Days with data${when}: ${listNames(names)}.`;
  };
  const compared = answered.filter((figures) => comparableChange(figures) !== undefined);
  const averages = compared.filter((figures) => comparableChange(figures)?.figures.basis === 'average');
  return compact([
    partly(({ usage }) => usage, ''),
    period.versus && partly(({ before }) => before, `, ${period.comparison?.label}`),
    averages.length > 0 &&
      averages.length < compared.length &&
      `Compared by the average a day: ${listNames(averages.map(({ target }) => target.label))}.`,
  ]);
}
