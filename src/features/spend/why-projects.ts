import { isRoundedSumExact, type Money, moneyFormatter, sumMoney } from '../../domain/money/amount.ts';
import { incompleteMark } from '../../domain/money/usage.ts';
import { byDifference, type Difference, splitLargest, sumFigures } from '../../domain/money/usage-change.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import { limitLines, listNames, pluralize } from '../../domain/wording.ts';
import { hasOneCurrency, productNames } from '../../slack/commands/project-table.ts';
import { compact, type Message } from '../../slack/kit/blocks.ts';
import { renderListAnswer } from '../../slack/reply/render-answer.ts';
import { uncomparedNote } from './comparison-wording.ts';
import type { SpendFigures, SpendView } from './figures.ts';
import { formatTop } from './figures.ts';
import { totalChange } from './several-blocks.ts';
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

/** A project whose days can be compared: `current` minus `before` is exactly `value`. */
interface ComparedProject extends SpendFigures, Difference {
  readonly explained: ExplainedChange;
  readonly spent: Spent;
}

interface Spent {
  readonly current: Money;
  readonly before: Money;
}

const MOST_PROJECTS = 5;
const MOST_NOTES = 5;

/** The projects that made the change, the largest difference first. */
export function whyProjectsMessage(view: SpendView): Message {
  const { answered, period, locale } = view;
  const { comparison: window } = period;
  const compared = answered.flatMap((figures) => compareProject(figures, view)).sort(byDifference);
  const uncompared = answered.filter((figures) => explainChange(figures, period) === undefined);
  // Amounts with different labels have no sum, so then each project has a row.
  const { largest, rest, label } = hasOneCurrency(compared)
    ? splitLargest(compared, MOST_PROJECTS, 'projects')
    : { largest: compared, rest: [], label: '' };
  const { nameOf } = productNames(answered);
  const dates = window === undefined ? period.dates : comparedDates(period, window);
  const isIncomplete = compared.some(({ explained, usage }) => hasPartialDays(usage, explained));
  const headline =
    compared.length === 0 ? 'no comparison' : `${totalsText(compared, locale)} ${window?.label}`;
  const title = `${countText(compared.length, view)} · ${headline}${incompleteMark(isIncomplete)}`;
  const labelOf = ({ target }: ComparedProject) => (hasOneCurrency(compared) ? '' : target.currency);
  const cells = (project: ComparedProject) =>
    differenceCells({ ...project, ...project.spent }, moneyFormatter(locale, labelOf(project)));
  const others = differenceCells(
    { value: sumFigures(rest), ...spentOn(rest.map(({ spent }) => spent)) },
    moneyFormatter(locale),
  );
  const [changed] = compared.filter(({ value }) => !value.eq(0));
  return renderListAnswer(view, {
    title,
    text: `${title}, ${dates}`,
    lines: [totalChange(view)?.change ?? ''],
    sorted: largest,
    beside: window && { title: dates, cell: (project) => cells(project).current },
    columns: [
      { title: 'Difference', cell: (project) => cells(project).difference },
      ...(window === undefined
        ? []
        : [{ title: window.label, cell: (project: ComparedProject) => cells(project).before }]),
    ],
    others: [
      ...(rest.length === 0 ? [] : [[`${label} · ${others.current}`, others.difference, others.before]]),
      ...uncompared.map(({ target }) => [
        nameOf(target),
        'not compared',
        ...(window === undefined ? [] : ['']),
      ]),
    ],
    facts: compact([
      `${dates}${window === undefined ? '' : ` vs ${window.label}`} ${period.zone}`,
      period.today !== undefined && 'today left out',
    ]),
    notes: compact([
      ...(window === undefined
        ? [NO_COMPLETE_DAY_NOTE]
        : uncompared.map((figures) => `${figures.target.label}: ${uncomparedNote(figures, period)}`)),
      ...limitLines(compared.flatMap(missingNote), MOST_NOTES),
      compared.some(({ explained }) => leavesDaysOut(explained.difference)) && LEFT_OUT_NOTE,
      !isRoundedSumExact([...largest.map(({ value }) => value), sumFigures(rest)]) && ROUNDED_NOTE,
    ]),
    buttons: whyButtons(view, changed),
  });
}

/** `3 projects`, `2 of 3 projects`, `Top 3 of 12 projects`, `2 of the top 3 of 12 projects` */
function countText(compared: number, { answered, failed, top }: SpendView): string {
  const of = top?.shown.length ?? answered.length + failed.length;
  const all = top === undefined ? pluralize(of, 'project') : formatTop(top);
  if (compared === of || compared === 0) return all;
  return `${compared} of ${top === undefined ? all : `the ${all.toLowerCase()}`}`;
}

function compareProject(figures: SpendFigures, { period }: SpendView): ComparedProject[] {
  const explained = explainChange(figures, period);
  if (explained === undefined) return [];
  const { value, pairs, unpaired } = explained.difference;
  const spent = {
    current: sumFigures([...pairs.map(({ current }) => current), ...unpaired.current]),
    before: sumFigures([...pairs.map(({ before }) => before), ...unpaired.before]),
  };
  return [{ ...figures, explained, value, spent }];
}

/** `prod: no data for Mon 16 Nov` */
function missingNote({ target, usage, explained: { before, window } }: ComparedProject): string[] {
  const missing = [usage, before].flatMap((side) => [...side.missing, ...side.unreadableDays]);
  const nameOf = dayNamerFor([...window.currentDays, ...window.days]);
  return missing.length === 0
    ? []
    : [`${target.label}: no data for ${listNames(missing.map((day) => nameOf(day)))}.`];
}

const spentOn = (parts: readonly Spent[]): Spent => ({
  current: sumMoney(parts.map(({ current }) => current)),
  before: sumMoney(parts.map(({ before }) => before)),
});

function totalsText(compared: readonly ComparedProject[], locale: string): string {
  const labels = [...new Set(compared.map(({ target }) => target.currency))];
  const differences = labels.map((label) => ({
    value: sumFigures(compared.filter(({ target }) => target.currency === label)),
    money: moneyFormatter(locale, label),
  }));
  return formatMoreOrLess(...differences);
}
