import type { BillingClient } from '../../billing/client.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import { askEach } from '../../slack/several-projects.ts';
import type { AnswerNote } from '../../workspace/last-balance.ts';
import { type LastUsed, storedBalance } from '../../workspace/last-used.ts';
import { resolveProject } from '../../workspace/resolve-project.ts';
import type { Feature } from '../feature.ts';
import { balanceMessage } from './blocks.ts';
import { askBalance, type BalanceFigures } from './figures.ts';
import { severalBalancesMessage } from './several.ts';
import { parseBalanceRequest } from './words.ts';

const HELP: HelpLine = {
  usage: '/balance [projects] [product]',
  what: 'What projects have left, their bonuses, and about how long that lasts.',
  examples: ['/balance 123', '/balance 123 storage', '/balance prod,staging', '/balance all'],
};

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.products} /spend takes periods.`;

export interface BalanceParts {
  readonly billing: BillingClient;
  readonly used: LastUsed;
  /** ms since the epoch */
  readonly clock: () => number;
}

interface Answer {
  readonly message: Message;
  readonly figures: readonly BalanceFigures[];
}

/** `/balance`: what is left and how long it lasts. */
export function createBalance({ billing, used, clock }: BalanceParts): Feature {
  async function answer(text: string, request: Request): Promise<Answer | 'help'> {
    const { user, at, workspace, locale, sharedBy: byline } = request;
    const input = parseBalanceRequest(text, workspace.aliases);
    if (input === 'help') return input;
    const { several, product } = input;
    const details = () => ({ asked: at, fetched: clock(), locale, byline });
    if (several !== undefined) {
      const answers = await askEach(several, product, request, (target) =>
        askBalance(billing, workspace, target, at),
      );
      const message = severalBalancesMessage({ ...details(), ...answers, several, product });
      return { message, figures: answers.answered };
    }
    const target = resolveProject(input, workspace, askLocation(request));
    const figures = await askBalance(billing, workspace, target, at);
    const mayName = user.canManage && target.alias === undefined;
    return { message: balanceMessage({ ...details(), ...figures, mayName }), figures: [figures] };
  }

  return {
    help: [HELP],
    commands: {
      '/balance': {
        right: 'ask',
        open: true,
        async run(text, request) {
          const found = await answer(text, request);
          if (found === 'help') return request.reply.private(helpMessage('What have we got?', [HELP], SMALL));
          await request.reply.update(found.message);
          const asked = { teamId: request.user.teamId, workspace: request.workspace };
          for (const figures of found.figures) await used.note(asked, noteOf(figures, clock()));
        },
      },
    },
  };
}

function noteOf({ connection, target, ...amounts }: BalanceFigures, at: number): AnswerNote {
  const balance = storedBalance(target, amounts);
  return { connection, at, ...(balance && { balance }) };
}
