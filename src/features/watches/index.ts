import { commandText } from '../../domain/commands.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import { createOwnedActions } from '../../slack/owned/actions.ts';
import type { Feature } from '../feature.ts';
import { alertListeners } from './alert-actions.ts';
import { stoppedWatches } from './blocks.ts';
import {
  createWatchKind,
  crossedBlocks,
  listWatches,
  type WatchesParts,
  watchHomeBlocks,
  watchStatus,
} from './kind.ts';
import { createWatchForm } from './setup.ts';
import { KIND_EXAMPLES, parseWatchList, parseWatchText } from './words.ts';

declare module '../../domain/commands.ts' {
  interface Commands {
    '/billing watch': true;
    '/billing watches': true;
  }
  interface Actions {
    'watch-form': true;
    'watch-preview': true;
    'watch-suggest': true;
    'watch-row': true;
    'watch-undo': true;
    'watch-drop': true;
    'watch-list': true;
    /** The list, in a new message. */
    'watch-manage': true;
    /** Of an alert; the value is the watch’s ID and the alert’s episode. */
    'watch-acknowledge': true;
    /** The value is `day`, `week` or `month`, the watch’s ID, and in an alert its episode. */
    'watch-snooze': true;
    /** The value is the watch’s ID. */
    'watch-more': true;
  }
}

const HELP: readonly HelpLine[] = [
  {
    usage: `${commandText('/billing watch')} [project] [balance 50000 | runway 14 | budget 500000 | spike 2x over 1000]`,
    what: 'Get an alert before the money runs out, when a budget is reached, or when a day costs too much.',
    short: 'Get an alert before the money runs out.',
    examples: [
      `${commandText('/billing watch')} prod balance 50000`,
      `${commandText('/billing watch')} prod runway 14`,
    ],
    right: 'member',
  },
  {
    usage: commandText('/billing watches'),
    what: 'List watches with their last value and next check. Pause, edit, snooze or delete them there.',
    right: 'member',
  },
];

const SMALL = `${PERIOD_EXAMPLES.order} What to watch: ${KIND_EXAMPLES}. ${PERIOD_EXAMPLES.products}`;
const help = () => helpMessage('Watches', HELP, SMALL);

/** `/billing watch` and `/billing watches`, for full members, and the buttons of alerts. */
export function createWatchesFeature(parts: WatchesParts): Feature {
  const kind = createWatchKind(parts);
  const form = createWatchForm(kind, parts);
  const { verb, listeners } = createOwnedActions(kind, form.openFor);
  return {
    help: HELP,
    verbs: {
      watch: {
        right: 'member',
        help,
        read: (rest, { aliases }) => parseWatchText(rest, aliases),
        does: 'openForm',
        run: (rest, request) => form.openNew(parseWatchText(rest, request.workspace.aliases), request),
      },
      watches: verb({
        right: 'member',
        help,
        read: (rest, { aliases }) => parseWatchList(rest, aliases),
        does: 'answer',
        run: (rest, request) => listWatches(kind, parseWatchList(rest, request.workspace.aliases), request),
      }),
    },
    options: form.listeners.options,
    views: form.listeners.views,
    actions: {
      ...form.listeners.actions,
      ...listeners,
      ...alertListeners(kind, form.openSuggestion, parts),
    },
    attention: (request) => crossedBlocks(kind, request),
    home: (request) => watchHomeBlocks(kind, request),
    status: (request) => watchStatus(kind, request),
    stops: stoppedWatches,
  };
}
