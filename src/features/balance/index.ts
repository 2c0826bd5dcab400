/** `/balance`: what projects have left, and how long it lasts. */
import { type BillingClient, missedAnswer } from '../../billing/client.ts';
import { collectWarnings } from '../../domain/billing-warnings.ts';
import { commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
import { lastSevenDays, parseBalanceText } from '../../domain/language/parse-command-text.ts';
import { parseTyped } from '../../domain/language/questions/parse-question.ts';
import {
  type Amount,
  type Money,
  moneyFormatter,
  toPlacesOf,
  toPlainDigits,
} from '../../domain/money/amount.ts';
import {
  type Account,
  bySoonestEnd,
  computeRunway,
  daysLeft,
  formatBalance,
  formatBonuses,
  formatRunway,
  formatRunwayBasis,
  formatRunwayLine,
  formatRunwayShort,
  isRunningOut,
  type Outlook,
  parseAccount,
  type Runway,
} from '../../domain/money/balance-and-runway.ts';
import { computeUsage } from '../../domain/money/usage.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import { periodOf } from '../../domain/time/period.ts';
import { compact, escapeMarkup, joinTexts } from '../../slack/block-kit/blocks.ts';
import { askedText, findAskedProjects } from '../../slack/commands/asked-projects.ts';
import { commandButton, commandOption } from '../../slack/commands/command-buttons.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/commands/help.ts';
import { type AnswerFile, amountNotes, fileSubject, rawDigits } from '../../slack/reply/answer-file.ts';
import {
  type AnswerView,
  fetchAnswers,
  hasOneCurrency,
  labelsOf,
  runningOutLine,
} from '../../slack/reply/project-answers.ts';
import {
  type Answer,
  type AnswerText,
  answerActions,
  BALANCE_VERBS,
  listParts,
  productFact,
  severalTitle,
} from '../../slack/reply/render-answer.ts';
import { answerNeeds, type ConnectedAnswer, sendAnswer } from '../../slack/reply/send-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import { parseContextOf, requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/save-service-outcomes.ts';
import type { Feature, Services } from '../feature.ts';

const HELP: HelpLine = {
  usage: `${commandText('/balance')} [projects] [product]`,
  what: 'See what projects have left, with bonuses, and about how long that lasts.',
  short: 'See what’s left, and how long it lasts.',
  examples: ['123', '123 csv', 'all'].map((words) => `${commandText('/balance')} ${words}`),
};

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.products} ${commandText('/spend')} takes periods.`;

export function createBalanceFeature({ billing, outcomeStore, clock }: Services): Feature {
  async function answer(text: string, request: Request): Promise<void> {
    const { workspace, at } = request;
    const { output, ...words } = parseBalance(text, parseContextOf(workspace, at));
    if (words.help) return request.reply.private(helpMessage('What’s left?', [HELP], SMALL, request));
    const projects = findAskedProjects(words, request);
    const view = await fetchAnswers(projects, request, clock, (target) =>
      fetchBalance(billing, workspace, target, at),
    );
    await sendAnswer(balanceAnswer(view), view, output, request);
    for (const figures of view.answered) await note(figures, workspace);
  }

  async function note({ connection, target, ...amounts }: BalanceFigures, workspace: Workspace) {
    const balance = storedBalance(target, amounts);
    const used = { connection, at: clock(), ...(balance && { balance }) };
    await outcomeStore.save(workspace, used);
  }

  return {
    help: [HELP],
    stepFigures: {
      async get_balance({ workspace, target, at, locale }) {
        const figures = await fetchBalance(billing, workspace, target, at);
        await note(figures, workspace);
        return stepBalance(figures, locale);
      },
    },
    daysLeft: async (target, { workspace, at }) =>
      estimateOf(await fetchBalance(billing, workspace, target, at))?.days,
    commands: {
      '/balance': {
        right: 'ask',
        parse: (words, _, context) => parseBalance(words, context),
        figures: true,
        needs: answerNeeds,
        run: answer,
      },
    },
  };
}

function parseBalance(text: string, context: ParseContext) {
  const { output, ...words } = parseTyped('/balance', text, context, parseBalanceText);
  if (output !== 'why') return { ...words, output };
  throw new InvalidWord(output, 'explains a change in spend', `Type ${commandText('/spend')} prod why.`);
}

/** @throws Failure invalid-response, because a workflow would take an unreadable balance for zero */
function stepBalance({ target, balance, bonuses, runway }: BalanceFigures, locale: string) {
  if ('unreadable' in balance)
    throw new Failure('invalid-response', { service: 'billing', what: 'the balance is not a number' });
  const money = moneyFormatter(locale, target.currency);
  return {
    amount: money(balance.value),
    bonuses: 'unreadable' in bonuses ? 'unreadable' : money(bonuses.value),
    runway: typeof runway === 'string' ? `Runway unknown: ${runway}` : formatRunway(runway, money),
  };
}

interface BalanceFigures extends ConnectedAnswer, Account {
  /** A string says why the runway is unknown. */
  readonly runway: Runway | string;
}

type BalanceView = AnswerView<BalanceFigures>;

async function fetchBalance(
  billing: BillingClient,
  workspace: Workspace,
  target: ResolvedProject,
  at: Millis,
): Promise<BalanceFigures> {
  const { zone } = requireSettings(workspace);
  const access = openConnection(workspace, target);
  const today = dayAt(at, zone);
  const { from, to, requested, days } = periodOf(lastSevenDays({ today, zone }), at, zone);
  const [left, spent] = await Promise.all([
    billing.balance(access, target),
    billing.consumption(access, target, { from, to, zone, days: requested }).catch(missedAnswer),
  ]);
  const account = parseAccount(left);
  return {
    target,
    connection: access.connection,
    ...account,
    runway: 'why' in spent ? spent.why : computeRunway(account, computeUsage(spent.charges, { days }), today),
    remarks: collectWarnings(['the balance', left], ['the last 7 days', spent]),
  };
}

export function balanceAnswer(view: BalanceView): Answer<BalanceFigures> {
  const { projects, answered } = view;
  const [only] = answered;
  const spent = (phrase: string) => ({ command: '/spend', text: askedText(projects, phrase) }) as const;
  return {
    ...(projects.isList || only === undefined ? listAnswer(view) : projectAnswer(only, view)),
    file: () => balanceFile(view),
    actions: answerActions(view, {
      link: { command: '/balance', text: askedText(projects) },
      before: commandButton('spend', 'Spend', spent('last-7-days')),
      more: [commandOption('This month so far', spent('this-month'))],
      report: 'balance',
      watch: 'balance',
    }),
  };
}

function projectAnswer(figures: BalanceFigures, { locale }: BalanceView): AnswerText {
  const { target, balance, bonuses, runway, remarks } = figures;
  const money = moneyFormatter(locale);
  const isKnown = typeof runway !== 'string';
  return {
    title: `${target.label} · ${formatBalance(balance, moneyFormatter(locale, target.currency))}`,
    lines: [isKnown ? formatRunwayLine(runway, money) : `Runway unknown: ${escapeMarkup(runway)}`],
    remarks,
    facts: compact([
      isKnown && formatRunwayBasis(runway, money),
      formatBonuses(bonuses, money),
      productFact(figures),
    ]),
    notes: [],
  };
}

function listAnswer(view: BalanceView): AnswerText {
  const { answered, locale } = view;
  const sorted = answered.toSorted((a, b) => bySoonestEnd(outlookOf(a), outlookOf(b)));
  const leftCell = (figures: BalanceFigures) => {
    const money = moneyFormatter(locale, hasOneCurrency(answered) ? '' : figures.target.currency);
    const left = leftOf(figures);
    return left === undefined ? formatBalance(figures.balance, money) : money(left);
  };
  const parts = listParts(view, sorted, [
    { title: 'Left', cell: leftCell },
    {
      title: 'Lasts',
      cell: ({ runway }) => (typeof runway === 'string' ? 'unknown' : formatRunwayShort(runway)),
    },
  ]);
  const [first, second] = sorted;
  const isRanked = first && second && estimateOf(first) && outlookOf(second).days !== undefined;
  const soon = runningOutLine(
    labelsOf(sorted.filter(({ runway }) => typeof runway !== 'string' && isRunningOut(runway))),
  );
  return {
    ...parts,
    title: joinTexts(', ', [
      severalTitle(view, leftOf, { verbs: BALANCE_VERBS }),
      soon === '' && isRanked && `${first.target.label} runs out first`,
    ]),
    lines: [soon],
    facts: compact([answered.length > 0 && 'runway at the last 7 days’ average', ...parts.facts]),
  };
}

const leftOf = ({ balance }: BalanceFigures): Money | undefined =>
  'value' in balance ? balance.value : undefined;

function outlookOf(figures: BalanceFigures): Outlook {
  const left = leftOf(figures);
  const { runway } = figures;
  if (typeof runway === 'string') return { overdrawn: false, left, days: undefined };
  return { overdrawn: runway.kind === 'overdrawn', left, days: daysLeft(runway) };
}

const balanceFile = (view: BalanceView): AnswerFile<BalanceFigures> => ({
  name: `balance-${fileSubject(view.projects)}-${new Date(view.at).toISOString().slice(0, 10)}.csv`,
  columns: ['balance', 'bonuses', 'average a day', 'days left'],
  each: 'the balance',
  gaps: [],
  rows: (figures) => {
    const { balance, bonuses, runway } = figures;
    const notes = [
      ...amountNotes('balance', balance),
      ...amountNotes('bonuses', bonuses),
      ...(typeof runway === 'string' ? [runway] : estimateOf(figures) ? [] : [formatRunwayShort(runway)]),
    ];
    return [
      [
        rawDigits(balance),
        rawDigits(bonuses),
        { digits: averageDigits(figures) },
        { digits: String(estimateOf(figures)?.days ?? '') },
        { text: notes.join('; ') },
      ],
    ];
  },
  details: (figures) => {
    const estimate = estimateOf(figures);
    return compact([
      ['Balance', exactDigits(figures.balance)],
      ['Bonuses', exactDigits(figures.bonuses)],
      estimate && ['Average a day', averageDigits(figures)],
      estimate && ['Based on', `${estimate.reported} of the last ${estimate.of} days`],
    ] as const);
  },
});

const estimateOf = ({ runway }: BalanceFigures) =>
  typeof runway !== 'string' && runway.kind === 'estimate' ? runway : undefined;

function averageDigits(figures: BalanceFigures): string {
  const { balance, bonuses } = figures;
  const amounts = [balance, bonuses].flatMap((amount) => ('value' in amount ? [amount.value] : []));
  const average = estimateOf(figures)?.average;
  return average === undefined ? '' : toPlacesOf(amounts, average);
}

const exactDigits = (amount: Amount): string =>
  'value' in amount ? toPlainDigits(amount.value) : `unreadable (${amount.unreadable})`;
