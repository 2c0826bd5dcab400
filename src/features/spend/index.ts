import type { BillingClient } from '../../billing/client.ts';
import { commandText } from '../../domain/commands.ts';
import { InvalidWord } from '../../domain/failure/index.ts';
import { namesOutput, type Output, parseWithOutput } from '../../domain/language/argument.ts';
import { parseCommandText } from '../../domain/language/command-text.ts';
import { LAST_7_DAYS, type PeriodPhrase } from '../../domain/language/period-phrase.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import { type Period, resolvePeriod } from '../../domain/time/period.ts';
import { type AskedProjects, askedText, findAskedProjects } from '../../slack/commands/project-answers.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import { askForView } from '../../slack/reply/answer-message.ts';
import { sendAnswer } from '../../slack/reply/csv-details.ts';
import type { Request } from '../../slack/request/request.ts';
import type { LastUsed } from '../../workspace/record/last-used.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import type { Feature } from '../feature.ts';
import { spendMessage } from './blocks.ts';
import { askSpend } from './figures.ts';
import { spendFiles } from './output.ts';

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

/** `/spend`: what projects cost in a period, and how that compares. */
export function createSpendFeature({ billing, lastUsed, clock }: SpendParts): Feature {
  async function answer(text: string, request: Request): Promise<void> {
    const { workspace, at, sharedFrom: asked, user } = request;
    const { words, output } = parseWithOutput(text, workspace.aliases, parseCommandText);
    if (words.help) return request.reply.private(helpMessage('What did we spend?', [HELP], SMALL));
    const { zone } = requireSettings(workspace);
    const projects = findAskedProjects(words, request);
    const typed = { word: projects.word, product: words.product, output };
    const period = resolveSpendPeriod(words.phrase, typed, { at, asked }, zone);
    const answers = await askForView(projects, request, clock, (target) =>
      askSpend(billing, workspace, target, period),
    );
    const view = { ...answers, period };
    await sendAnswer(spendMessage(view), view, output, spendFiles(view), request);
    for (const connection of new Set(view.answered.map((figures) => figures.connection)))
      await lastUsed.note({ teamId: user.teamId, workspace }, { connection, at: clock() });
  }

  return {
    help: [HELP],
    commands: {
      '/spend': (text) => ({
        right: 'ask',
        isQuestion: true,
        read: (words, { aliases }) => parseWithOutput(words, aliases, parseCommandText),
        // A file may have to be shown in a window instead.
        ...(namesOutput(text) ? { openForm: answer } : { run: answer }),
      }),
    },
  };
}

/**
 * The period at this moment; a refusal suggests the whole command's text.
 * @param when `asked` is when an answer that is shared now was asked for
 * @throws InvalidWord, PeriodJustBegan
 */
function resolveSpendPeriod(
  phrase: PeriodPhrase = LAST_7_DAYS,
  { output, ...named }: Pick<AskedProjects, 'word' | 'product'> & { readonly output: Output | undefined },
  when: { readonly at: Millis; readonly asked: Millis | undefined },
  zone: Zone,
): Period {
  try {
    return resolvePeriod(phrase, when.at, zone, when.asked);
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    const last = output === undefined ? [] : [output];
    throw error.within((period) => [askedText(named, period), ...last].join(' '));
  }
}
