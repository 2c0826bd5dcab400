import type { BillingClient } from '../../billing/client.ts';
import { commandText } from '../../domain/commands.ts';
import { namesOutput, type Output } from '../../domain/language/argument.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Period } from '../../domain/time/period.ts';
import { askEach, type ProjectAnswers } from '../../slack/commands/several-projects.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import { sendCsv, showDetails } from '../../slack/reply/output-reply.ts';
import { askLocation, type Request } from '../../slack/request/request.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import type { LastUsed } from '../../workspace/record/last-used.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import type { Feature } from '../feature.ts';
import { spendMessage } from './blocks.ts';
import { askSpend, type SpendFigures } from './figures.ts';
import { describeSpendCsv, formatSpendCsv, spendDetails } from './output.ts';
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
  readonly clock: () => Millis;
}

interface Answer extends ProjectAnswers<SpendFigures> {
  readonly message: Message;
  readonly period: Period;
  readonly output: Output | undefined;
}

/** `/spend`: what projects cost in a period, and how that compares. */
export function createSpendFeature({ billing, lastUsed, clock }: SpendParts): Feature {
  async function answer(text: string, request: Request): Promise<Answer | 'help'> {
    const { user, at, workspace, locale, sharedBy: byline } = request;
    const input = parseSpendText(text, workspace.aliases);
    if (input === 'help') return input;
    const { zone } = requireSettings(workspace);
    const when = { at, asked: request.sharedFrom };
    const details = () => ({ asked: at, fetched: clock(), locale, byline });
    if (input.several !== undefined) {
      const period = resolveSpendPeriod(input.phrase, input, when, zone);
      const answers = await askEach(input.several, input.product, request, (target) =>
        askSpend(billing, workspace, target, period),
      );
      const report = {
        ...details(),
        several: input.several,
        product: input.product,
        period,
        ...answers,
      };
      return { message: severalSpendMessage(report), ...answers, period, output: input.output };
    }
    const target = resolveProject(input, workspace, askLocation(request));
    const typed = { word: target.word, product: input.product, output: input.output };
    const period = resolveSpendPeriod(input.phrase, typed, when, zone);
    const figures = await askSpend(billing, workspace, target, period);
    const mayName = user.canManage && target.alias === undefined;
    const message = spendMessage({ ...details(), ...figures, period, mayName });
    return { message, answered: [figures], failed: [], period, output: input.output };
  }

  async function send({ message, period, output, ...answers }: Answer, request: Request): Promise<void> {
    const { answered, failed } = answers;
    if (output === undefined || answered.length === 0) return request.reply.update(message);
    if (output === 'details')
      return showDetails(
        answered.map((one) => spendDetails(one, period, clock())),
        failed,
        request,
      );
    const [days] = period.phrase.split(' ');
    const about = describeSpendCsv(message.text, answers, period);
    await sendCsv({ name: `spend-${days}.csv`, content: formatSpendCsv(answers, period), about }, request);
  }

  async function work(text: string, request: Request): Promise<void> {
    const found = await answer(text, request);
    if (found === 'help') return request.reply.private(helpMessage('What did we spend?', [HELP], SMALL));
    await send(found, request);
    const asked = { teamId: request.user.teamId, workspace: request.workspace };
    const connections = new Set(found.answered.map(({ connection }) => connection));
    for (const connection of connections) await lastUsed.note(asked, { connection, at: clock() });
  }

  return {
    help: [HELP],
    commands: {
      '/spend': (text) => ({
        right: 'ask',
        isQuestion: true,
        read: (words, { aliases }) => parseSpendText(words, aliases),
        // A file may have to be shown in a window instead.
        ...(namesOutput(text) ? { openForm: work } : { run: work }),
      }),
    },
  };
}
