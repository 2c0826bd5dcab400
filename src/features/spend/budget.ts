import { NotAllowed } from '../../domain/failure/index.ts';
import { divide, formatMoney, formatShare, type Money } from '../../domain/money/amount.ts';
import { forecastDay } from '../../domain/money/forecast.ts';
import { readableTotal } from '../../domain/money/usage.ts';
import { toCommand } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { actions, compact, escapeMarkup, type Message } from '../../slack/kit/blocks.ts';
import { isFullMember } from '../../slack/owned/owned-kind.ts';
import { renderAnswer, renderListAnswer, sourceOf } from '../../slack/reply/render-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { isSameProject } from '../../workspace/projects/chosen-project.ts';
import { type SpendFigures, type SpendView, spendCommand } from './figures.ts';

/** Whether it was asked that the money is enough, “within budget?”, or that it is not: “over budget?”. */
export type BudgetQuestion = 'budget' | 'over-budget';

/** A project's budget of the running month, the lowest of its watches, and what is spent of it. */
interface BudgetState {
  readonly figures: SpendFigures;
  readonly budget: Money | undefined;
  readonly spent: Money | undefined;
}

/**
 * Whether budgets hold: yes or no, what is spent of each, and what is expected at the month's end.
 * @throws NotAllowed for guests, who see nothing that full members set up
 */
export function budgetMessage(view: SpendView, asked: BudgetQuestion, request: Request): Message {
  if (!isFullMember(request)) throw new NotAllowed('not-member');
  const states = view.answered.map((figures) => stateOf(figures, request));
  const [only] = states;
  if (only === undefined || view.projects.isList) return listMessage(view, states, asked);
  const { label } = only.figures.target;
  const line = budgetText(only, view, asked);
  const title = only.budget === undefined ? `${label} · no budget` : `${label} · ${shareText(only, view)}`;
  return renderAnswer(view, {
    title,
    text: `${title}: ${line}`,
    lines: [escapeMarkup(line)],
    body: [],
    remarks: only.figures.remarks,
    facts: sourceOf(only.figures),
    notes: [],
    buttons: actions(...budgetButtons(view, states)),
  });
}

function stateOf(figures: SpendFigures, { workspace }: Request): BudgetState {
  const { project: id, product } = figures.target;
  const amounts = workspace.watches.flatMap(({ rule, projects: [watched] }) =>
    rule.kind === 'budget' && isSameProject(watched, { id, product }) ? [rule.amount] : [],
  );
  const [budget] = amounts.sort((a, b) => a.cmp(b));
  return { figures, budget, spent: readableTotal(figures.usage) };
}

const isOver = ({ budget, spent }: BudgetState): boolean =>
  budget !== undefined && (spent?.gt(budget) ?? false);

/** `93 % of the November budget` */
function shareText({ budget, spent }: BudgetState, { locale, period }: SpendView): string {
  const share = budget && spent ? formatShare(divide(spent.times(100), budget), locale) : 'no figures';
  return `${share} of the budget, ${period.dates}`;
}

/** `Not yet: 740,697.00 of 800,000.00 (93 %). Expected to pass it by about 34,000.00 on 30 Nov.` */
function budgetText(state: BudgetState, view: SpendView, asked: BudgetQuestion): string {
  const { budget, spent, figures } = state;
  const money = (value: Money) => formatMoney(value, view.locale, figures.target.currency);
  if (budget === undefined)
    return `No budget is set${spent === undefined ? '' : `. Spent so far this month: ${money(spent)}`}.`;
  if (spent === undefined) return 'No figures yet, so Tally can’t tell.';
  const excess = figures.forecast?.total.minus(budget);
  const words =
    asked === 'budget'
      ? { over: 'No', soon: 'Yes, so far', within: 'Yes' }
      : { over: 'Yes', soon: 'Not yet', within: 'No' };
  const verdict = isOver(state) ? words.over : excess?.gt(0) ? words.soon : words.within;
  const share = formatShare(divide(spent.times(100), budget), view.locale);
  return compact([
    `${verdict}: ${money(spent)} of ${money(budget)} (${share}).`,
    excess && figures.forecast && expectedText(excess, figures.forecast.total, money, view, isOver(state)),
  ]).join(' ');
}

function expectedText(
  excess: Money,
  total: Money,
  money: (value: Money) => string,
  { period: { today = '' } }: SpendView,
  isPassed: boolean,
): string {
  return excess.gt(0) && !isPassed
    ? `Expected to pass it by about ${money(excess)}.`
    : `Expected by ${forecastDay(today)}: about ${money(total)}.`;
}

/** A row a project; the first line says which are over, or that none is. */
function listMessage(view: SpendView, states: readonly BudgetState[], asked: BudgetQuestion): Message {
  const known = states.filter(({ budget, spent }) => budget && spent);
  const over = known.filter(isOver).map(({ figures }) => figures.target.label);
  const isYes = (asked === 'budget') === (over.length === 0);
  const verdict = known.length === 0 ? 'No budgets yet' : isYes ? 'Yes' : 'No';
  const title = `${verdict} · ${known.length - over.length} of ${known.length} within budget, ${view.period.dates}`;
  const cells = new Map(states.map((state) => [state.figures, state]));
  const money = (value: Money | undefined, { target }: SpendFigures, none: string) =>
    value === undefined ? none : formatMoney(value, view.locale, target.currency);
  return renderListAnswer(view, {
    title: known.length === 0 ? 'No budget is set for these projects' : title,
    text: title,
    lines: [over.length === 0 ? '' : `Over budget: *${over.map(escapeMarkup).join(', ')}*`],
    sorted: view.answered,
    columns: [
      {
        title: 'Spent of budget',
        cell: (figures) =>
          `${money(cells.get(figures)?.spent, figures, 'no data')} of ${money(cells.get(figures)?.budget, figures, 'none')}`,
      },
      { title: 'Expected', cell: (figures) => money(figures.forecast?.total, figures, '–') },
    ],
    facts: [],
    buttons: actions(...budgetButtons(view, states)),
  });
}

const MOST_OFFERED = 3;

/** The days, and the form that sets a budget for each project without one. */
const budgetButtons = (view: SpendView, states: readonly BudgetState[]) => [
  ...commandButton('spend', 'See the days', spendCommand(view)),
  ...states
    .filter(({ budget }) => budget === undefined)
    .slice(0, MOST_OFFERED)
    .flatMap(({ figures: { target } }, at) =>
      commandButton(
        `budget-${at}`,
        states.length === 1 ? 'Set a budget…' : `Set a budget for ${target.label}…`,
        toCommand('/billing watch', `${target.word} budget`),
      ),
    ),
];
