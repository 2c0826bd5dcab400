/** The answer of `/spend` about several projects. */
import {
  byLargest,
  formatDifference,
  formatEstimate,
  formatPercent,
  type Money,
  moneyFormatter,
  sumMoney,
} from '../../domain/money/amount.ts';
import { sumChanges } from '../../domain/money/comparison.ts';
import { forecastDay, formatForecast } from '../../domain/money/forecast.ts';
import { formatBonusTotal, incompleteMark, readableTotal, type Usage } from '../../domain/money/usage.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import { type Column, compact, escapeMarkup, joinTexts } from '../../slack/block-kit/blocks.ts';
import { hasOneCurrency } from '../../slack/reply/project-answers.ts';
import { type AnswerText, listParts, severalTitle, zoneFact } from '../../slack/reply/render-answer.ts';
import type { SpendFigures, SpendView } from './figures.ts';
import {
  type ComparedChange,
  changeText,
  comparedChange,
  moneyIn,
  NONE_COMPLETE,
  SO_FAR,
  uncomparedNote,
} from './project-answer.ts';

const bySpendIn =
  ({ isLowest }: SpendView['shape']) =>
  (a: SpendFigures, b: SpendFigures) =>
    (isLowest ? -1 : 1) * byLargest(readableTotal(a.usage), readableTotal(b.usage));

/** Keeps projects without figures, too, as they may be among the top ones. Different currencies can't be ranked. */
export function keepTopProjects(view: SpendView): SpendView {
  const { projects, answered, failed, shape } = view;
  const known = answered.filter(({ usage }) => readableTotal(usage) !== undefined).sort(bySpendIn(shape));
  const { top: count = known.length } = projects;
  if (count >= known.length || !hasOneCurrency(known)) return view;
  const shown = known.slice(0, count);
  const others = answered.filter((figures) => !known.includes(figures));
  const top = { shown, among: known.length, of: answered.length + failed.length };
  return { ...view, answered: [...shown, ...others], top };
}

export function formatTop({ shown, among, of }: NonNullable<SpendView['top']>, isLowest = false): string {
  const known = among === of ? '' : `, ${among} with figures`;
  return `${isLowest ? 'Lowest' : 'Top'} ${shown.length} of ${pluralize(of, 'project')}${known}`;
}

export function listAnswer(view: SpendView): AnswerText {
  const { period, answered, top, shape } = view;
  const isIncomplete = answered.some(({ usage }) => usage.total.incomplete);
  const expected = forecastText(view);
  const title = severalTitle(view, ({ usage }) => readableTotal(usage), {
    when: period.dates,
    ...(period.today && { verbs: SO_FAR }),
    ...(top && { count: formatTop(top, shape.isLowest) }),
  });
  const columns = columnsOf(view);
  const parts = listParts(view, answered.toSorted(bySpendIn(shape)), columns);
  const change = totalChange(view);
  return {
    ...parts,
    title: joinTexts(', ', [`${title}${incompleteMark(isIncomplete)}`, expected, leastText(view)]),
    lines: [joinTexts(' · ', [change && changeText(change, view), biggestChange(view)])],
    facts: compact([
      period.today !== undefined && 'today included',
      ...parts.facts,
      change === undefined &&
        columns.some(({ title }) => title === CHANGE) &&
        `change vs ${period.comparison?.label}`,
      zoneFact(view, period.zone),
      bonusFact(view),
      coverageFact(view),
    ]),
    // The small print has at most two lines: one of facts, and one of sentences.
    notes: [listNotes(view, parts.notes).join(' ')],
  };
}

function listNotes({ answered, period, projects }: SpendView, failed: readonly string[]): readonly string[] {
  const { versus, comparison } = period;
  const isSomeCompared = answered.some(comparedChange);
  return compact([
    projects.top !== undefined &&
      !hasOneCurrency(answered) &&
      'Amounts in different currencies can’t be ranked, so all projects are shown.',
    versus && comparison === undefined && NONE_COMPLETE,
    ...answered.flatMap((figures) => {
      const note = comparison && (versus || isSomeCompared) ? uncomparedNote(figures, period) : '';
      return note === '' ? [] : `${figures.target.label}: ${note}`;
    }),
    ...failed,
  ]);
}

function leastText({ answered, shape }: SpendView): string {
  const [first, second] = answered.filter(({ usage }) => readableTotal(usage)).sort(bySpendIn(shape));
  return shape.isLowest && first && second && hasOneCurrency(answered)
    ? `least by ${first.target.label}`
    : '';
}

function forecastText({ answered, failed, period: { today }, locale }: SpendView): string {
  const known = answered.flatMap(({ forecast }) => forecast?.total ?? []);
  if (today === undefined || known.length === 0 || !hasOneCurrency(answered)) return '';
  const of = answered.length + failed.length;
  const whose = known.length === answered.length ? '' : ` for ${known.length} of ${pluralize(of, 'project')}`;
  return `${formatForecast(sumMoney(known), today, moneyFormatter(locale))}${whose}`;
}

function bonusFact(view: SpendView): string {
  const used = view.answered.flatMap((figures) => {
    const text = formatBonusTotal(figures.usage.bonuses, moneyIn(view)(figures)).replace(/^bonuses /, '');
    return text === '' ? [] : [`${figures.target.label} ${text}`];
  });
  return used.length === 0 ? '' : `bonuses: ${listNames(used)}`;
}

/** @returns undefined unless every project can be compared, in one currency: a part would look like the total */
export function totalChange({ answered, period }: SpendView): ComparedChange | undefined {
  const changes = answered.flatMap((figures) => comparedChange(figures) ?? []);
  if (period.comparison === undefined || changes.length < answered.length || !hasOneCurrency(answered))
    return undefined;
  const sum = sumChanges(changes);
  return sum?.figures.percent && sum;
}

function biggestChange({ answered, locale }: SpendView): string {
  if (!hasOneCurrency(answered) || answered.length < 2) return '';
  const changes = answered.flatMap((figures) => {
    const change = comparedChange(figures)?.figures;
    if (change === undefined) return [];
    const daily = change.daily.current.minus(change.daily.before).abs();
    return [{ label: figures.target.label, change, daily }];
  });
  const [first] = changes.sort((a, b) => b.daily.cmp(a.daily));
  if (first === undefined || changes.length < answered.length || first.daily.eq(0)) return '';
  const { current, before, basis } = first.change;
  const difference = formatDifference(current.minus(before), moneyFormatter(locale));
  return `biggest change: ${escapeMarkup(first.label)} ${difference}${basis === 'total' ? '' : ' a day'}`;
}

const CHANGE = 'Change';

/** At most three columns, including the project's, fit on a phone. */
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
    const percent = comparedChange(figures)?.figures.percent;
    return percent === undefined ? '' : formatPercent(percent, locale);
  };
  const spent = { title: 'Spent', cell: (figures: SpendFigures) => spentIn(figures, figures.usage) };
  if (shape.unit === 'day')
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
      {
        title: `By ${forecastDay(today)}`,
        cell: (figures) =>
          figures.forecast ? formatEstimate(figures.forecast.total, moneyIn(view)(figures)) : '–',
      },
    ];
  return answered.some(percentOf)
    ? [spent, { title: CHANGE, cell: (figures) => percentOf(figures) || '–' }]
    : [spent];
}

const PARTLY = '*';

const isPartlyReported = ({ reported, fullDays, total }: Usage): boolean =>
  total.readable > 0 && reported.length < fullDays;

function coverageFact({ answered, period: { versus, comparison } }: SpendView): string {
  const bases = new Set(answered.flatMap((figures) => comparedChange(figures)?.figures.basis ?? []));
  const reported = (usage: Usage | undefined) =>
    usage && isPartlyReported(usage)
      ? `${usage.reported.length} of ${pluralize(usage.fullDays, 'day')} reported`
      : '';
  const texts = answered.flatMap((figures) => {
    const isAverage = bases.size > 1 && comparedChange(figures)?.figures.basis === 'average';
    const then = versus ? reported(figures.before) : '';
    const text = joinTexts(', ', [
      reported(figures.usage),
      then && `${then} for ${comparison?.label}`,
      isAverage && 'compared by its daily average',
    ]);
    return text === '' ? [] : `${figures.target.label}: ${text}`;
  });
  return texts.length === 0 ? '' : `${PARTLY} ${listNames(texts)}`;
}
