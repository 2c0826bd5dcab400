import type { BillingClient } from '../../billing/client.ts';
import { commandText } from '../../domain/commands.ts';
import { namesOutput, type Output } from '../../domain/language/argument.ts';
import type { Period } from '../../domain/time/period.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import { sendCsv, showDetails } from '../../slack/output-reply.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import { askEach } from '../../slack/several-projects.ts';
import type { LastUsed } from '../../workspace/last-used.ts';
import { resolveProject } from '../../workspace/resolve-project.ts';
import { requireSettings } from '../../workspace/workspace.ts';
import type { Feature } from '../feature.ts';
import { spendMessage } from './blocks.ts';
import { askSpend, type SpendFigures } from './figures.ts';
import { formatSpendCsv, spendDetails } from './output.ts';
import { severalSpendMessage } from './several.ts';
import { parseSpendText, resolveSpendPeriod } from './words.ts';

declare module '../../domain/commands.ts' {
  interface Commands {
    '/spend': true;
  }
}

const HELP: HelpLine = {
  usage: `${commandText('/spend')} [projects] [period] [product]`,
  what: 'See what projects spent in a period: total, comparison with the period before, each day, missing days.',
  examples: [
    `${commandText('/spend')} 123 last-7-days`,
    `${commandText('/spend')} 123 mtd`,
    `${commandText('/spend')} prod,staging last-month`,
    `${commandText('/spend')} all mtd csv`,
  ],
};

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.periods} ${PERIOD_EXAMPLES.products}`;

export interface SpendParts {
  readonly billing: BillingClient;
  readonly lastUsed: LastUsed;
  /** ms since the epoch */
  readonly clock: () => number;
}

interface Answer {
  readonly message: Message;
  readonly figures: readonly SpendFigures[];
  readonly period: Period;
  readonly output: Output | undefined;
}

/** `/spend`: what projects cost in a period, and how that compares. */
export function createSpend({ billing, lastUsed, clock }: SpendParts): Feature {
  async function answer(text: string, request: Request): Promise<Answer | 'help'> {
    const { user, at, workspace, locale, sharedBy: byline } = request;
    const input = parseSpendText(text, workspace.aliases);
    if (input === 'help') return input;
    const { zone } = requireSettings(workspace);
    const when = { at, asked: request.sharedFrom };
    const details = () => ({ asked: at, fetched: clock(), locale, byline });
    if (input.several !== undefined) {
      const period = resolveSpendPeriod(input.phrase, input, when, zone);
      const { answered, failed } = await askEach(input.several, input.product, request, (target) =>
        askSpend(billing, workspace, target, period),
      );
      const report = {
        ...details(),
        several: input.several,
        product: input.product,
        period,
        answered,
        failed,
      };
      return { message: severalSpendMessage(report), figures: answered, period, output: input.output };
    }
    const target = resolveProject(input, workspace, askLocation(request));
    const typed = { word: target.word, product: input.product, output: input.output };
    const period = resolveSpendPeriod(input.phrase, typed, when, zone);
    const figures = await askSpend(billing, workspace, target, period);
    const mayName = user.canManage && target.alias === undefined;
    const message = spendMessage({ ...details(), ...figures, period, mayName });
    return { message, figures: [figures], period, output: input.output };
  }

  async function send({ message, figures, period, output }: Answer, request: Request): Promise<void> {
    if (output === undefined || figures.length === 0) return request.reply.update(message);
    if (output === 'details')
      return showDetails(
        figures.map((one) => spendDetails(one, period, clock())),
        request,
      );
    const [days] = period.phrase.split(' ');
    await sendCsv(formatSpendCsv(figures, period), `spend-${days}.csv`, request);
  }

  return {
    help: [HELP],
    commands: {
      '/spend': {
        right: 'ask',
        open: true,
        opensModal: namesOutput,
        async run(text, request) {
          const found = await answer(text, request);
          if (found === 'help')
            return request.reply.private(helpMessage('What did we spend?', [HELP], SMALL));
          await send(found, request);
          const asked = { teamId: request.user.teamId, workspace: request.workspace };
          const connections = new Set(found.figures.map(({ connection }) => connection));
          for (const connection of connections) await lastUsed.note(asked, { connection, at: clock() });
        },
      },
    },
  };
}
