import type { BillingClient } from '../../billing/client.ts';
import { commandText } from '../../domain/commands.ts';
import { namesOutput, type Output, parseWithOutput } from '../../domain/language/argument.ts';
import { parseBalanceText } from '../../domain/language/command-text.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { askEach, type ProjectAnswers } from '../../slack/commands/several-projects.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import { sendCsv, showDetails } from '../../slack/reply/output-reply.ts';
import { askLocation, type Request } from '../../slack/request/request.ts';
import type { AnswerNote } from '../../workspace/projects/last-balance.ts';
import {
  type ProjectReference,
  resolveProject,
  type SeveralProjects,
} from '../../workspace/projects/resolve-project.ts';
import { type LastUsed, storedBalance } from '../../workspace/record/last-used.ts';
import type { Feature } from '../feature.ts';
import { balanceMessage } from './blocks.ts';
import { askBalance, type BalanceFigures } from './figures.ts';
import { balanceDetails, describeBalanceCsv, formatBalanceCsv } from './output.ts';
import { severalBalancesMessage } from './several.ts';

declare module '../../domain/commands.ts' {
  interface Commands {
    '/balance': true;
  }
}

const HELP: HelpLine = {
  usage: `${commandText('/balance')} [projects] [product]`,
  what: 'See what projects have left, their bonuses, and about how long that lasts.',
  examples: [
    `${commandText('/balance')} 123`,
    `${commandText('/balance')} 123 storage`,
    `${commandText('/balance')} prod,staging`,
    `${commandText('/balance')} all`,
  ],
};

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.products} ${commandText('/spend')} takes periods.`;

export interface BalanceParts {
  readonly billing: BillingClient;
  readonly lastUsed: LastUsed;
  readonly clock: () => Millis;
}

interface Answer extends ProjectAnswers<BalanceFigures> {
  readonly message: Message;
  readonly output: Output | undefined;
}

/** `/balance`: what is left and how long it lasts. */
export function createBalanceFeature({ billing, lastUsed, clock }: BalanceParts): Feature {
  async function answer(text: string, request: Request): Promise<Answer | 'help'> {
    const { user, at, workspace, locale, sharedBy: byline } = request;
    const input = parseBalanceRequest(text, workspace.aliases);
    if (input === 'help') return input;
    const { several, product, output } = input;
    const details = () => ({ asked: at, fetched: clock(), locale, byline });
    if (several !== undefined) {
      const answers = await askEach(several, product, request, (target) =>
        askBalance(billing, workspace, target, at),
      );
      const message = severalBalancesMessage({ ...details(), ...answers, several, product });
      return { message, ...answers, output };
    }
    const target = resolveProject(input, workspace, askLocation(request));
    const figures = await askBalance(billing, workspace, target, at);
    const mayName = user.canManage && target.alias === undefined;
    const message = balanceMessage({ ...details(), ...figures, mayName });
    return { message, answered: [figures], failed: [], output };
  }

  async function send({ message, output, ...answers }: Answer, request: Request): Promise<void> {
    const { answered, failed } = answers;
    if (output === undefined || answered.length === 0) return request.reply.update(message);
    if (output === 'csv') {
      const about = describeBalanceCsv(message.text, answers);
      return sendCsv({ name: 'balance.csv', content: formatBalanceCsv(answers), about }, request);
    }
    const fetched = clock();
    await showDetails(
      answered.map((one) => balanceDetails(one, fetched)),
      failed,
      request,
    );
  }

  async function work(text: string, request: Request): Promise<void> {
    const found = await answer(text, request);
    if (found === 'help') return request.reply.private(helpMessage('What have we got?', [HELP], SMALL));
    await send(found, request);
    const asked = { teamId: request.user.teamId, workspace: request.workspace };
    for (const figures of found.answered) await lastUsed.note(asked, noteOf(figures, clock()));
  }

  return {
    help: [HELP],
    commands: {
      '/balance': (text) => ({
        right: 'ask',
        isQuestion: true,
        read: (words, { aliases }) => parseBalanceRequest(words, aliases),
        // A file may have to be shown in a window instead.
        ...(namesOutput(text) ? { openForm: work } : { run: work }),
      }),
    },
  };
}

function noteOf({ connection, target, ...amounts }: BalanceFigures, at: Millis): AnswerNote {
  const balance = storedBalance(target, amounts);
  return { connection, at, ...(balance && { balance }) };
}

/** One project, or several in its place. */
export interface BalanceRequest extends ProjectReference {
  readonly several?: SeveralProjects;
  /** In place of the message. */
  readonly output?: Output;
}

/** `123 cloud` or `prod`, in any order; without a project the channel's is meant. @throws InvalidWord, SecretPasted */
function parseBalanceRequest(text: string, aliases: ReadonlySet<string>): BalanceRequest | 'help' {
  const { words, output } = parseWithOutput(text, aliases, (rest) => parseBalanceText(rest, aliases));
  return words.help ? 'help' : { ...words, ...(output && { output }) };
}
