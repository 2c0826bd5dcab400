/** The answers of `/spend` about several projects, and about budgets. */
import {
  byLargest,
  divide,
  formatDifference,
  formatMoney,
  formatPercent,
  formatShare,
  type Money,
  moneyFormatter,
  sumMoney,
} from '../../domain/money/amount.ts';
import { sumChanges } from '../../domain/money/comparison.ts';
import { forecastDay, formatForecast } from '../../domain/money/forecast.ts';
import { formatBonusTotal, incompleteMark, readableTotal, type Usage } from '../../domain/money/usage.ts';
import { formatMonth } from '../../domain/time/calendar.ts';
import { listNames, pluralize } from '../../domain/wording.ts';
import { actions, type Column, compact, escapeMarkup, joinTexts } from '../../slack/block-kit/blocks.ts';
import { hasOneCurrency } from '../../slack/commands/asked-projects.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import {
  type Answer,
  type AnswerText,
  listParts,
  productFact,
  severalTitle,
  zoneFact,
} from '../../slack/reply/render-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { requireRight } from '../../workspace/roles-and-rights.ts';
import type { SpendFigures, SpendView } from './figures.ts';
import {
  type ComparedChange,
  changeText,
  comparedChange,
  moneyIn,
  NONE_COMPLETE,
  SO_FAR,
  spendCommand,
  uncomparedNote,
} from './project-answer.ts';

const labelsOf = (figures: readonly SpendFigures[]) => figures.map(({ target }) => target.label);

const bySpendIn =
  ({ isLowest }: SpendView['shape']) =>
  (a: SpendFigures, b: SpendFigures) =>
    (isLowest ? -1 : 1) * byLargest(readableTotal(a.usage), readableTotal(b.usage));

/** Keeps projects without figures, too, as they may belong to the top. Different currencies can't be ranked. */
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
    ...(expected && { verbs: SO_FAR }),
    ...(top && { count: formatTop(top, shape.isLowest) }),
  });
  const parts = listParts(view, answered.toSorted(bySpendIn(shape)), columnsOf(view));
  const change = totalChange(view);
  return {
    ...parts,
    title: joinTexts(', ', [`${title}${incompleteMark(isIncomplete)}`, expected, leastText(view)]),
    lines: [joinTexts(' · ', [change && changeText(change, view), biggestChange(view)])],
    facts: compact([
      period.today !== undefined && 'today so far',
      ...parts.facts,
      change === undefined &&
        answered.some((figures) => comparedChange(figures)) &&
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
  return compact([
    projects.top !== undefined &&
      !hasOneCurrency(answered) &&
      'Amounts in different currencies can’t be ranked, so all projects are shown.',
    versus && comparison === undefined && NONE_COMPLETE,
    ...answered.flatMap((figures) => {
      const note = versus && comparison ? uncomparedNote(figures, period) : '';
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

/** @returns undefined if a project can't be compared, because people would take the rest for the total */
function totalChange({ answered, period }: SpendView): ComparedChange | undefined {
  const changes = answered.flatMap((figures) => comparedChange(figures) ?? []);
  if (period.comparison === undefined || changes.length < answered.length || !hasOneCurrency(answered))
    return undefined;
  const sum = sumChanges(changes);
  return sum?.figures.percent && sum;
}

function biggestChange({ answered, locale }: SpendView): string {
  if (!hasOneCurrency(answered) || answered.length < 2) return '';
  const [first] = answered
    .flatMap((figures) => {
      const change = comparedChange(figures)?.figures;
      if (change === undefined) return [];
      const daily = change.daily.current.minus(change.daily.before).abs();
      return [{ label: figures.target.label, change, daily }];
    })
    .sort((a, b) => b.daily.cmp(a.daily));
  if (first === undefined || first.daily.eq(0)) return '';
  const { current, before, basis } = first.change;
  const difference = formatDifference(current.minus(before), moneyFormatter(locale));
  return `biggest change: ${escapeMarkup(first.label)} ${difference}${basis === 'total' ? '' : ' a day'}`;
}

/** At most three columns, with the project's, fit on a phone. */
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
      { title: `By ${forecastDay(today)}`, cell: (figures) => write(figures, figures.forecast?.total) },
    ];
  return answered.some(percentOf)
    ? [spent, { title: 'Change', cell: (figures) => percentOf(figures) || '–' }]
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

/** `budget` asks “within budget?”, `over-budget` asks “over budget?”: their yes and no are opposite. */
export type BudgetQuestion = 'budget' | 'over-budget';

interface BudgetState extends SpendFigures {
  /** The lowest budget, if several watches have one. */
  readonly budget: Money | undefined;
  readonly spent: Money | undefined;
  readonly isOver: boolean;
  /** How much more than the budget is expected; undefined if the budget is exceeded already. */
  readonly excess: Money | undefined;
}

/** @throws Failure not-allowed for guests, who don't see what full members set up */
export function budgetAnswer(view: SpendView, asked: BudgetQuestion, request: Request): Answer<SpendFigures> {
  requireRight('member', request.user);
  const states = view.answered.map((figures) => budgetOf(figures, request));
  const budgeted = view.projects.isList ? states.filter(({ budget }) => budget) : states;
  const [only, ...others] = budgeted;
  const isOne = only && others.length === 0 && view.failed.length === 0;
  const text = isOne ? projectBudget(only, view, asked) : listBudgets(budgeted, view, asked);
  const without = budgeted.length === 0 ? [] : labelsOf(states.filter((state) => !budgeted.includes(state)));
  const note = without.length > 0 && `No budget: ${without.join(', ')}.`;
  return { ...text, notes: compact([note, ...text.notes]), actions: budgetActions(view, states) };
}

function budgetOf(figures: SpendFigures, { workspace }: Request): BudgetState {
  const { project, product } = figures.target;
  const [budget] = workspace.watches
    .flatMap(({ rule, projects: [watched] }) =>
      rule.kind === 'budget' && watched?.id === project && watched.product === product ? [rule.amount] : [],
    )
    .sort((a, b) => a.cmp(b));
  const spent = readableTotal(figures.usage);
  const excess = budget && figures.forecast?.total.minus(budget);
  const isOver = budget !== undefined && spent?.gt(budget) === true;
  return { ...figures, budget, spent, isOver, excess: !isOver && excess?.gt(0) ? excess : undefined };
}

const budgetMonth = ({ period: { requested } }: SpendView) => formatMonth(requested.first, requested.today);

function judge(states: readonly BudgetState[], asked: BudgetQuestion) {
  const [no, soFar, yes] = asked === 'budget' ? ['No', 'Yes, so far', 'Yes'] : ['Yes', 'Not yet', 'No'];
  const over = states.filter(({ isOver }) => isOver);
  const soon = states.filter(({ excess }) => excess);
  if (over.length > 0) return { verdict: no, projects: over, what: 'over budget' };
  return { verdict: soon.length > 0 ? soFar : yes, projects: soon, what: 'expected to pass the budget' };
}

function shareText({ target, budget, spent }: BudgetState, locale: string): string {
  if (budget === undefined) return 'No budget is set';
  if (spent === undefined) return 'no figures yet';
  const share = formatShare(divide(spent.times(100), budget), locale);
  return `${formatMoney(spent, locale)} of ${formatMoney(budget, locale, target.currency)} (${share})`;
}

function projectBudget(state: BudgetState, view: SpendView, asked: BudgetQuestion): AnswerText {
  const { target, budget, spent, forecast, excess, remarks } = state;
  const { locale, period } = view;
  const money = moneyFormatter(locale, target.currency);
  const verdict = budget && spent ? `${judge([state], asked).verdict}: ` : '';
  const expected = excess
    ? `Expected to pass it by about ${money(excess)}.`
    : forecast && `Expected: ${formatForecast(forecast.total, period.today ?? '', money)}.`;
  const soFar = spent && `Spent so far this month: ${money(spent)}.`;
  return {
    title: `${target.label} · ${budgetMonth(view)} · ${verdict}${shareText(state, locale)}`,
    lines: [escapeMarkup((budget ? expected : soFar) || '')],
    facts: [productFact(state)],
    remarks,
    notes: [],
  };
}

function listBudgets(states: readonly BudgetState[], view: SpendView, asked: BudgetQuestion): AnswerText {
  const { locale, failed } = view;
  const known = states.filter(({ spent }) => spent);
  const { verdict, projects, what } = judge(known, asked);
  const names =
    projects.length > MOST_NAMED ? `${projects.length} of ${known.length}` : listNames(labelsOf(projects));
  const be = projects.length === 1 ? 'is' : 'are';
  const answer = names === '' ? `all ${known.length} within budget` : `${names} ${be} ${what}`;
  const text =
    states.length === 0
      ? 'No budget is set for these projects'
      : known.length === 0
        ? 'no figures yet'
        : `${verdict}: ${answer}`;
  const parts = listParts(view, states, [
    { title: 'Spent of budget', cell: (state) => shareText(state, locale) },
    {
      title: 'Expected',
      cell: ({ forecast, target }) => (forecast ? formatMoney(forecast.total, locale, target.currency) : '–'),
    },
  ]);
  return {
    ...parts,
    rows: states.length + failed.length > 0 ? parts.rows : undefined,
    title: `${budgetMonth(view)} · ${text}`,
    lines: [],
  };
}

const MOST_NAMED = 3;

function budgetActions(view: SpendView, states: readonly BudgetState[]): Answer['actions'] {
  const without = states.filter(({ budget }) => budget === undefined).slice(0, MOST_NAMED);
  const offers = without.flatMap(({ target: { label, word } }, at) => {
    const text = states.length === 1 ? 'Set a budget…' : `Set a budget for ${label}…`;
    return commandButton(`budget-${at}`, text, toCommand('/billing watch', `${word} budget`));
  });
  return actions(...commandButton('spend', 'See the days', spendCommand(view)), ...offers);
}
