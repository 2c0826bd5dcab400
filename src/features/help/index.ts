/** `/billing help` lists the commands that this person can use here; `/billing VERB help` explains one. */
import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { actions } from '../../slack/block-kit/blocks.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import {
  exampleButtons,
  type HelpLine,
  helpMessage,
  PERIOD_EXAMPLES,
  shortHelpMessage,
} from '../../slack/commands/help.ts';
import { failureMessage } from '../../slack/reply/error-reply.ts';
import { meetsRight } from '../../workspace/roles-and-rights.ts';
import type { Feature } from '../feature.ts';

const TITLE = 'Ask Tally';
const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.periods} ${PERIOD_EXAMPLES.products} Only you see answers until you share them, unless the settings say otherwise.`;

const briefLines = (lines: readonly HelpLine[]): readonly HelpLine[] =>
  lines.flatMap(({ usage, short }) =>
    short === undefined ? [] : { usage: usage.replace(/ \[.*/, ''), what: short },
  );

export function createHelpFeature(lines: () => readonly HelpLine[]): Feature {
  return {
    help: [{ usage: commandText('/billing help'), what: 'Show this page.' }],
    verbs: {
      help: {
        right: 'ask',
        run(text, request) {
          const { user, reply } = request;
          const allowed = lines().filter(({ right }) => meetsRight(right ?? 'ask', user));
          const ofVerb = allowed.filter(({ usage }) => text !== '' && usage.split(' ')[1] === text);
          if (ofVerb.length > 0)
            return reply.update(helpMessage(`/billing ${text}`, ofVerb, undefined, request));
          if (text === 'more') return reply.update(helpMessage(TITLE, allowed, SMALL, request));
          const more = actions(...commandButton('help-more', 'More…', toCommand('/billing help', 'more')));
          if (request.workspace.connectionNames.length === 0) {
            const { text: title, blocks } = failureMessage(new Failure('not-connected'), request);
            return reply.update({ text: title, blocks: [...blocks, more] });
          }
          return reply.update(shortHelpMessage(TITLE, exampleButtons(request), briefLines(allowed), more));
        },
      },
    },
  };
}
