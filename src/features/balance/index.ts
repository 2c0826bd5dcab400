import { commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/parsed-command.ts';
import { parseTyped } from '../../domain/language/questions/question.ts';
import { parseBalanceText } from '../../domain/language/read-command.ts';
import { moneyFormatter } from '../../domain/money/amount.ts';
import { formatRunway } from '../../domain/money/runway.ts';
import { context, type Message } from '../../slack/block-kit/blocks.ts';
import {
  exampleProject,
  type HelpLine,
  PERIOD_EXAMPLES,
  shortHelpMessage,
} from '../../slack/commands/help.ts';
import { findAskedProjects } from '../../slack/commands/project-answers.ts';
import { fetchProjects } from '../../slack/reply/render-answer.ts';
import { answerNeeds, sendAnswer } from '../../slack/reply/send-answer.ts';
import type { Request } from '../../slack/request/request.ts';
import { readerIn, type Workspace } from '../../workspace/record/workspace.ts';
import { storedBalance } from '../../workspace/service-outcomes.ts';
import type { Feature, Services } from '../feature.ts';
import { type BalanceFigures, balanceAnswer, estimateOf, fetchBalance } from './answer.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/balance': true;
  }
}

const HELP: HelpLine = {
  usage: `${commandText('/balance')} [projects] [product]`,
  what: 'See what projects have left, with bonuses, and about how long that lasts.',
  short: 'See what’s left, and how long it lasts.',
  examples: [
    `${commandText('/balance')} 123`,
    `${commandText('/balance')} 123 storage`,
    `${commandText('/balance')} prod,staging`,
    `${commandText('/balance')} all`,
  ],
};

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.products} ${commandText('/spend')} takes periods.`;

function balanceHelp(request: Request): Message {
  const project = exampleProject(request);
  return shortHelpMessage(
    'What have we got?',
    [project, `${project} csv`, 'all'].map((words) => `${commandText('/balance')} ${words}`),
    [HELP],
    context(SMALL),
  );
}

/** `/balance`: what is left and how long it lasts. */
export function createBalanceFeature({ billing, answerStore, clock }: Services): Feature {
  async function answer(text: string, request: Request): Promise<void> {
    const { workspace, at } = request;
    const { output, ...words } = parseBalance(text, readerIn(workspace, at));
    if (words.help) return request.reply.private(balanceHelp(request));
    const projects = findAskedProjects(words, request);
    const view = await fetchProjects(projects, request, clock, (target) =>
      fetchBalance(billing, workspace, target, at),
    );
    await sendAnswer(balanceAnswer(view), view, output, request);
    for (const figures of view.answered) await note(figures, workspace);
  }

  async function note({ connection, target, ...amounts }: BalanceFigures, workspace: Workspace) {
    const balance = storedBalance(target, amounts);
    const used = { connection, at: clock(), ...(balance && { balance }) };
    await answerStore.save(workspace, used);
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
        parse: (words, _, reader) => parseBalance(words, reader),
        figures: true,
        needs: answerNeeds,
        run: answer,
      },
    },
  };
}

/** @throws InvalidWord, secret-pasted */
function parseBalance(text: string, reader: Reader) {
  const { output, ...words } = parseTyped('/balance', text, reader, parseBalanceText);
  if (output !== 'why') return { ...words, output };
  throw new InvalidWord(output, 'explains a change in spend', `Type ${commandText('/spend')} prod why.`);
}

/** What a workflow's step gets. @throws invalid-response without a readable balance: a workflow would go on with a zero */
function stepBalance({ target, balance, bonuses, runway }: BalanceFigures, locale: string) {
  if ('unreadable' in balance)
    throw new Failure('invalid-response', { service: 'billing', what: 'the balance is not a number' });
  const money = moneyFormatter(locale, target.currency);
  return {
    amount: money(balance.value),
    bonuses: 'unreadable' in bonuses ? 'not readable' : money(bonuses.value),
    runway: typeof runway === 'string' ? `Runway unknown: ${runway}` : formatRunway(runway, money),
  };
}
