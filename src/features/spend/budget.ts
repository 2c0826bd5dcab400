import { Failure } from '../../domain/failure/index.ts';
import { divide, formatMoney, formatShare, type Money } from '../../domain/money/amount.ts';
import { forecastDay } from '../../domain/money/forecast.ts';
import { readableTotal } from '../../domain/money/usage.ts';
import { formatMonth } from '../../domain/time/calendar.ts';
import { isFullMember } from '../../slack/automations/automation.ts';
import { toCommand } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import type { Column } from '../../slack/kit/blocks.ts';
import { actions, escapeMarkup, joinTexts } from '../../slack/kit/blocks.ts';
import { type Answer, listParts, productFact } from '../../slack/reply/render-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { isSameProject } from '../../workspace/projects/chosen-project.ts';
import { type SpendFigures, type SpendView, spendCommand } from './figures.ts';

/** Whether it was asked that the money is enough, “within budget?”, or that it is not: “over budget?”. */
export type BudgetQuestion = 'budget' | 'over-budget';

/** A project's budget of the running month, the lowest of its watches, and what is spent of it. */
interface BudgetState extends SpendFigures {
  readonly budget: Money | undefined;
  readonly spent: Money | undefined;
  readonly write: (value: Money | undefined, none: string) => string;
}

/**
 * Whether budgets hold: yes or no, what is spent of each, and what is expected at the month's end.
 * @throws not-allowed for guests, who see nothing that full members set up
 */
export function budgetAnswer(view: SpendView, asked: BudgetQuestion, request: Request): Answer {
  if (!isFullMember(request)) throw new Failure('not-allowed', { reason: 'not-member' });
  const states = view.answered.map((figures) => stateOf(figures, view, request));
  const [only] = states;
  const { requested } = view.period;
  const month = formatMonth(requested.first, requested.today);
  const answer =
    only === undefined || view.projects.isList
      ? listOf(states, view, month, asked)
      : {
          title: `${only.target.label} · ${month} · ${only.budget ? `${shareOf(only, view)} of the budget` : 'no budget'}`,
          lines: [escapeMarkup(budgetText(only, view, asked))],
          remarks: only.remarks,
          facts: [productFact(only)],
          notes: [],
        };
  return { ...answer, actions: actions(...budgetButtons(view, states)) };
}

function stateOf(figures: SpendFigures, { locale }: SpendView, { workspace }: Request): BudgetState {
  const { project: id, product, currency } = figures.target;
  const [budget] = workspace.watches
    .flatMap(({ rule, projects: [watched] }) =>
      rule.kind === 'budget' && isSameProject(watched, { id, product }) ? [rule.amount] : [],
    )
    .sort((a, b) => a.cmp(b));
  return {
    ...figures,
    budget,
    spent: readableTotal(figures.usage),
    write: (value, none) => (value === undefined ? none : formatMoney(value, locale, currency)),
  };
}

const isOver = ({ budget, spent }: BudgetState): boolean =>
  budget !== undefined && spent?.gt(budget) === true;

const shareOf = ({ budget, spent }: BudgetState, { locale }: SpendView): string =>
  budget && spent ? formatShare(divide(spent.times(100), budget), locale) : 'no figures';

/** `Not yet: 740,697.00 of 800,000.00 (93 %). Expected to pass it by about 34,000.00.` */
function budgetText(state: BudgetState, view: SpendView, asked: BudgetQuestion): string {
  const { budget, spent, forecast, write } = state;
  if (budget === undefined)
    return `No budget is set.${spent === undefined ? '' : ` Spent so far this month: ${write(spent, '')}.`}`;
  if (spent === undefined) return 'No figures yet, so Tally can’t tell.';
  const excess = forecast?.total.minus(budget);
  const isSoon = !isOver(state) && excess?.gt(0) === true;
  const words =
    asked === 'budget'
      ? { over: 'No', soon: 'Yes, so far', within: 'Yes' }
      : { over: 'Yes', soon: 'Not yet', within: 'No' };
  const verdict = words[isOver(state) ? 'over' : isSoon ? 'soon' : 'within'];
  return joinTexts(' ', [
    `${verdict}: ${write(spent, '')} of ${write(budget, '')} (${shareOf(state, view)}).`,
    isSoon
      ? `Expected to pass it by about ${write(excess, '')}.`
      : forecast &&
        `Expected by ${forecastDay(view.period.today ?? '')}: about ${write(forecast.total, '')}.`,
  ]);
}

/** Whether all hold, and which don't; then a row a project. */
function listOf(
  states: readonly BudgetState[],
  view: SpendView,
  month: string,
  asked: BudgetQuestion,
): Omit<Answer, 'actions'> {
  const known = states.filter(({ budget, spent }) => budget && spent);
  const over = known.filter(isOver).map(({ target }) => target.label);
  const isYes = (asked === 'budget') === (over.length === 0);
  const verdict = `${isYes ? 'Yes' : 'No'}: ${known.length - over.length} of ${known.length} within budget`;
  const columns: Column<BudgetState>[] = [
    {
      title: 'Spent of budget',
      cell: ({ spent, budget, write }) => `${write(spent, 'no data')} of ${write(budget, 'none')}`,
    },
    { title: 'Expected', cell: ({ forecast, write }) => write(forecast?.total, '–') },
  ];
  return {
    ...listParts(view, states, columns),
    title: `${month} · ${known.length === 0 ? 'No budget is set for these projects' : verdict}`,
    lines: [over.length === 0 ? '' : `Over budget: *${over.map(escapeMarkup).join(', ')}*`],
  };
}

const MOST_OFFERED = 3;

/** The days, and the form that sets a budget for each project without one. */
const budgetButtons = (view: SpendView, states: readonly BudgetState[]) => [
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
];
