import { projectLabel } from '../../delivery/posts/schedule-wording.ts';
import { commandText } from '../../domain/commands.ts';
import { NotAllowed } from '../../domain/failure/index.ts';
import { projectOption, searchProjects } from '../../slack/commands/project-search.ts';
import { parsePage } from '../../slack/commands/subcommands.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import type { Request } from '../../slack/request/request.ts';
import type { ActionHandler, ActionListener, OptionsListener } from '../../slack/server/listeners.ts';
import type { Feature } from '../feature.ts';
import { createWatchActions } from './actions.ts';
import { type AlertActionsParts, createAlertActions } from './alert-actions.ts';
import { stoppedWatches } from './blocks.ts';
import { savingWatchModal } from './form.ts';
import { decodeThresholds, decodeWatchMetadata, parseWatchForm, validateWatchForm } from './form-state.ts';
import { WATCH_FIELD } from './inputs.ts';
import { WATCH_ROW_ACTION } from './list.ts';
import { crossedBlocks, watchHomeBlocks, watchStatus } from './overview.ts';
import { canReadWatch, requireOwnedWatch } from './permissions.ts';
import { createWatchForm } from './setup.ts';
import { KIND_EXAMPLES, parseWatchText } from './words.ts';

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
    'watch-threshold': true;
  }
}

const HELP: readonly HelpLine[] = [
  {
    usage: `${commandText('/billing watch')} [project] [balance 50000 | runway 14 | budget 500000 | spike 2x over 1000]`,
    what: 'Get alerted before the money runs out, when a budget is reached, or when a day costs too much.',
    examples: [
      `${commandText('/billing watch')} prod balance 50000`,
      `${commandText('/billing watch')} prod runway 14`,
    ],
    right: 'member',
  },
  {
    usage: commandText('/billing watches'),
    what: 'List watches with their last value and next check; pause, edit, snooze or delete.',
    right: 'member',
  },
];

const SMALL = `${PERIOD_EXAMPLES.order} What to watch: ${KIND_EXAMPLES}. ${PERIOD_EXAMPLES.products}`;
const help = () => helpMessage('Watches', HELP, SMALL);

/** `/billing watch` and `/billing watches`, for full members, and the buttons of alerts. */
export function createWatchesFeature(parts: AlertActionsParts): Feature {
  const form = createWatchForm(parts);
  const actions = createWatchActions(parts);
  return {
    help: HELP,
    verbs: {
      watch: {
        right: 'member',
        help,
        read: (rest, { aliases }) => parseWatchText(rest, aliases),
        openForm: (rest, request) => form.openNew(parseWatchText(rest, request.workspace.aliases), request),
      },
      watches: {
        right: 'member',
        help,
        read: (rest) => parsePage(rest, 'watches'),
        run: (rest, request) => actions.list(request, parsePage(rest, 'watches')),
      },
    },
    options: { [`${WATCH_FIELD}:project`]: PROJECTS },
    actions: { ...formActions(form), ...listActions(form, actions), ...alertActions(form, parts) },
    views: {
      watch: {
        right: 'member',
        waiting: savingWatchModal,
        read(fields, metadata) {
          const errors = validateWatchForm(fields, metadata);
          return Object.keys(errors).length > 0 ? { errors } : { input: parseWatchForm(fields, metadata) };
        },
        work: (draft, request) => form.save(draft, request),
      },
    },
    attention: (request) => crossedBlocks(parts, request),
    home: (request) => watchHomeBlocks(parts, request),
    status: (request) => watchStatus(parts, request),
    stops: stoppedWatches,
  };
}

const PROJECTS: OptionsListener = {
  right: 'member',
  find: async (query, request, metadata) =>
    (await searchProjects(query, request, decodeWatchMetadata(metadata).place)).map((one) =>
      projectOption(one, projectLabel(one, request.workspace)),
    ),
};

type Form = ReturnType<typeof createWatchForm>;

const formActions = (form: Form): Readonly<Record<string, ActionListener>> => {
  const redraw: ActionListener = {
    right: 'member',
    run: ({ fields, metadata }, request) => form.redraw(parseWatchForm(fields, metadata), request),
  };
  return {
    [WATCH_FIELD]: redraw,
    'watch-preview': redraw,
    'watch-suggest': {
      right: 'member',
      run: ({ value, fields, metadata }, request) =>
        form.refill(parseWatchForm(fields, metadata), decodeThresholds(value), request),
    },
  };
};

const onButton = (run: (value: string, request: Request) => Promise<void>): ActionHandler => ({
  right: 'member',
  run: ({ value }, request) => run(value, request),
});

function listActions(
  form: Form,
  actions: ReturnType<typeof createWatchActions>,
): Readonly<Record<string, ActionListener>> {
  const edit = async (id: string, request: Request): Promise<void> => {
    const watch = requireOwnedWatch(id, request);
    // A deleted one is answered like any other action on it.
    if (watch === undefined) return actions.run('edit', id, request);
    if (!canReadWatch(watch, request)) throw new NotAllowed('channel');
    await form.openFor(watch, request);
  };
  return {
    [WATCH_ROW_ACTION](value) {
      const [action = '', id = ''] = value.split(' ');
      if (action === 'edit') return { right: 'member', openForm: (_, request) => edit(id, request) };
      if (action === 'adopt') return onButton((_, request) => actions.adopt(id, request));
      return onButton((_, request) => actions.run(action, id, request));
    },
    'watch-undo': onButton((id, request) => actions.undo(id, request)),
    'watch-drop': { right: 'manage', run: (_, request) => actions.dropDamaged(request) },
    'watch-list': onButton((_, request) => actions.list(request)),
    'watch-manage': onButton((_, request) => actions.manage(request)),
  };
}

function alertActions(form: Form, parts: AlertActionsParts): Readonly<Record<string, ActionListener>> {
  const alerts = createAlertActions(parts);
  const actions = createWatchActions(parts);
  return {
    'watch-acknowledge': {
      right: 'ask',
      run: ({ value }, request) => {
        const [id = '', episode = ''] = value.split(' ');
        return alerts.acknowledge(id, episode, request);
      },
    },
    'watch-snooze': onButton((value, request) => {
      const [choice = '', id = '', episode] = value.split(' ');
      return alerts.snooze(choice, id, episode, request);
    }),
    'watch-threshold': {
      right: 'member',
      async openForm({ value }, request) {
        const [id = ''] = value.split(' ');
        const watch = requireOwnedWatch(id, request);
        await (watch === undefined ? actions.manage(request) : form.openSuggestion(watch, request));
      },
    },
  };
}
