import { type HelpLine, helpMessage } from '../../slack/kit/help.ts';
import type { Feature } from '../feature.ts';

const SMALL =
  'Words come in any order. Periods: yesterday, last-week, last-4-weeks, mtd, q3, 2026-10, 2026-10-01..2026-10-15, since october. Products: cloud, storage, virtualization. Answers are visible to you alone until you share them, unless this workspace shows them to everyone.';

/** `/billing help`: everything, as the features themselves explain it. */
export function createHelp(lines: () => readonly HelpLine[]): Feature {
  const own: HelpLine = { usage: '/billing help', what: 'This page.' };
  return {
    help: [own],
    verbs: {
      help: {
        right: 'ask',
        run: (_, visit) => visit.answer(helpMessage('What Tally answers', lines(), SMALL)),
      },
    },
  };
}
