import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import type { Feature } from '../feature.ts';

const SMALL = `${PERIOD_EXAMPLES.order} ${PERIOD_EXAMPLES.periods} ${PERIOD_EXAMPLES.products} Answers are visible to you alone until you share them, unless this workspace shows them to everyone.`;

/** `/billing help`: everything, as the features themselves explain it. */
export function createHelp(lines: () => readonly HelpLine[]): Feature {
  const own: HelpLine = { usage: '/billing help', what: 'This page.' };
  return {
    help: [own],
    verbs: {
      help: {
        right: 'ask',
        run: (_, request) => request.reply.update(helpMessage('What Tally answers', lines(), SMALL)),
      },
    },
  };
}
