/** The answer of `/spend … budget`: whether projects stay within their budgets this month. */
import {
  byLargest,
  divide,
  formatEstimate,
  formatMoney,
  formatShare,
  type Money,
  moneyFormatter,
} from '../../domain/money/amount.ts';
import { formatForecast } from '../../domain/money/forecast.ts';
import { readableTotal } from '../../domain/money/usage.ts';
import { formatMonth } from '../../domain/time/calendar.ts';
import { listNames } from '../../domain/wording.ts';
import { actions, compact, escapeMarkup } from '../../slack/block-kit/blocks.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import { labelsOf } from '../../slack/reply/project-answers.ts';
import { type Answer, type AnswerText, listParts, productFact } from '../../slack/reply/render-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { requireRight } from '../../workspace/roles-and-rights.ts';
import type { SpendFigures, SpendView } from './figures.ts';
import { spendCommand } from './project-answer.ts';

/** `budget` asks “within budget?”, `over-budget` asks “over budget?”, so their yes and no are opposites. */
export type BudgetQuestion = 'budget' | 'over-budget';

interface BudgetState extends SpendFigures {
  /** The lowest budget, if several watches have one. */
  readonly budget: Money | undefined;
  readonly spent: Money | undefined;
  readonly isOver: boolean;
  /** By how much the forecast exceeds the budget; undefined if it doesn't, or if spend already has. */
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
  const [no, soFar, yes] =
    asked === 'budget' ? ['No', 'Within budget so far', 'Yes'] : ['Yes', 'Not yet', 'No'];
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
  const over = state.isOver ? ', over budget' : '';
  const verdict = budget && spent ? `${judge([state], asked).verdict}${over}: ` : '';
  const expected = excess
    ? `Expected to pass it by about ${formatEstimate(excess, money)}.`
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
  const { locale } = view;
  const known = states.filter(({ spent }) => spent);
  const { verdict, projects, what } = judge(known, asked);
  const names =
    projects.length > MOST_NAMED ? `${projects.length} of ${known.length}` : listNames(labelsOf(projects));
  const be = projects.length === 1 ? 'is' : 'are';
  const answer = names === '' ? `all ${known.length} within budget` : `${names} ${be} ${what}`;
  const none = states.length === 0 ? 'No budget is set for these projects' : 'no figures yet';
  const text = known.length === 0 ? none : `${verdict}: ${answer}`;
  const parts = listParts(view, states, [
    { title: 'Spent of budget', cell: (state) => shareText(state, locale) },
    {
      title: 'Expected',
      cell: ({ forecast, target }) =>
        forecast ? formatEstimate(forecast.total, moneyFormatter(locale, target.currency)) : '–',
    },
  ]);
  return { ...parts, title: `${budgetMonth(view)} · ${text}`, lines: [] };
}

const MOST_NAMED = 3;

/** Offers a budget for the project that spends most, if no project has one. */
function budgetActions(view: SpendView, states: readonly BudgetState[]): Answer['actions'] {
  const [largest] = states.toSorted((a, b) => byLargest(a.spent, b.spent));
  const { label, word } = (!states.some(({ budget }) => budget) && largest?.target) || {};
  const text = states.length === 1 ? 'Set a budget…' : `Set a budget for ${label}…`;
  return actions(
    ...commandButton('spend', 'See the days', spendCommand(view)),
    ...(word ? commandButton('budget', text, toCommand('/billing watch', `${word} budget`)) : []),
  );
}
