import { divide, formatShare, type Money, moneyFormatter } from '../../domain/money/amount.ts';
import { forecastDay } from '../../domain/money/forecast.ts';
import { readableTotal } from '../../domain/money/usage.ts';
import { formatMonth } from '../../domain/time/calendar.ts';
import { actions, escapeMarkup } from '../../slack/block-kit/blocks.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import { type Answer, type AnswerText, listParts, productFact } from '../../slack/reply/render-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { requireRight } from '../../workspace/permissions.ts';
import { type SpendFigures, type SpendView, spendCommand } from './figures.ts';

/** Whether it was asked that the money is enough, “within budget?”, or that it is not: “over budget?”. */
export type BudgetQuestion = 'budget' | 'over-budget';

/** A project's budget of the running month, the lowest of its watches, and what is spent of it. */
interface BudgetState extends SpendFigures {
  readonly budget: Money | undefined;
  readonly spent: Money | undefined;
  readonly isOver: boolean;
}

/**
 * Whether budgets hold: yes or no, what is spent of each, and what is expected at the month's end.
 * @throws not-allowed for guests, who see nothing that full members set up
 */
export function budgetAnswer(view: SpendView, asked: BudgetQuestion, request: Request): Answer<SpendFigures> {
  requireRight('member', request.user);
  const states = view.answered.map((figures) => stateOf(figures, request));
  const [only] = view.projects.isList ? [] : states;
  const { requested } = view.period;
  const month = formatMonth(requested.first, requested.today);
  const answer = only ? projectBudget(only, view, month, asked) : listBudgets(states, view, month, asked);
  return { ...answer, actions: budgetActions(view, states) };
}

function stateOf(figures: SpendFigures, { workspace }: Request): BudgetState {
  const { project, product } = figures.target;
  const [budget] = workspace.watches
    .flatMap(({ rule, projects: [watched] }) =>
      rule.kind === 'budget' && watched?.id === project && watched.product === product ? [rule.amount] : [],
    )
    .sort((a, b) => a.cmp(b));
  const spent = readableTotal(figures.usage);
  return { ...figures, budget, spent, isOver: budget !== undefined && spent?.gt(budget) === true };
}

/** `Not yet: 740,697.00 of 800,000.00 (93 %). Expected to pass it by about 34,000.00.` */
function projectBudget(
  { target, budget, spent, forecast, isOver, remarks, ...figures }: BudgetState,
  { locale, period }: SpendView,
  month: string,
  asked: BudgetQuestion,
): AnswerText {
  const money = moneyFormatter(locale, target.currency);
  const share = budget && spent && formatShare(divide(spent.times(100), budget), locale);
  const excess = budget && forecast?.total.minus(budget);
  const isSoon = !isOver && excess?.gt(0) === true;
  const [over, soon, within] = asked === 'budget' ? ['No', 'Yes, so far', 'Yes'] : ['Yes', 'Not yet', 'No'];
  const expected =
    isSoon && excess
      ? `Expected to pass it by about ${money(excess)}.`
      : forecast && `Expected by ${forecastDay(period.today ?? '')}: about ${money(forecast.total)}.`;
  const text =
    budget === undefined
      ? ['No budget is set.', spent && `Spent so far this month: ${money(spent)}.`]
      : spent === undefined
        ? ['No figures yet, so Tally can’t tell.']
        : [
            `${isOver ? over : isSoon ? soon : within}: ${money(spent)} of ${money(budget)} (${share}).`,
            expected,
          ];
  return {
    title: `${target.label} · ${month} · ${budget ? `${share ?? 'no figures'} of the budget` : 'no budget'}`,
    lines: [escapeMarkup(text.filter(Boolean).join(' '))],
    facts: [productFact({ target, ...figures, remarks })],
    remarks,
    notes: [],
  };
}

/** Whether all hold, and which don't; then a row a project. */
function listBudgets(
  states: readonly BudgetState[],
  view: SpendView,
  month: string,
  asked: BudgetQuestion,
): AnswerText {
  const known = states.filter(({ budget, spent }) => budget && spent);
  const over = known.filter(({ isOver }) => isOver).map(({ target }) => target.label);
  const isYes = (asked === 'budget') === (over.length === 0);
  const verdict = `${isYes ? 'Yes' : 'No'}: ${known.length - over.length} of ${known.length} within budget`;
  const write = ({ target }: BudgetState, value: Money | undefined, none: string) =>
    value === undefined ? none : moneyFormatter(view.locale, target.currency)(value);
  return {
    ...listParts(view, states, [
      {
        title: 'Spent of budget',
        cell: (state) => `${write(state, state.spent, 'no data')} of ${write(state, state.budget, 'none')}`,
      },
      { title: 'Expected', cell: (state) => write(state, state.forecast?.total, '–') },
    ]),
    title: `${month} · ${known.length === 0 ? 'No budget is set for these projects' : verdict}`,
    lines: [over.length === 0 ? '' : `Over budget: *${over.map(escapeMarkup).join(', ')}*`],
  };
}

const MOST_OFFERED = 3;

/** The days, and the form that sets a budget for each project without one. */
const budgetActions = (view: SpendView, states: readonly BudgetState[]) =>
  actions(
    ...commandButton('spend', 'See the days', spendCommand(view)),
    ...states
      .filter(({ budget }) => budget === undefined)
      .slice(0, MOST_OFFERED)
      .flatMap(({ target }, at) =>
        commandButton(
          `budget-${at}`,
          states.length === 1 ? 'Set a budget…' : `Set a budget for ${target.label}…`,
          toCommand('/billing watch', `${target.word} budget`),
        ),
      ),
  );
