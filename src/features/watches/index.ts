import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/commands/help.ts';
import { formatInstant, markupMessage } from '../../slack/kit/blocks.ts';
import { createOwnedActions, deletedText } from '../../slack/owned/actions.ts';
import { showOwned } from '../../slack/owned/list.ts';
import {
  canReadOwned,
  type OwnerAction,
  ownedAuditText,
  requireOwned,
} from '../../slack/owned/owned-kind.ts';
import type { Request } from '../../slack/request/request.ts';
import { type ActionHandler, onClick } from '../../slack/server/listeners.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import type { Audit } from '../../workspace/record/audit.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { createWatchForm } from './form.ts';
import {
  createOwnedWatches,
  listWatches,
  type OwnedWatches,
  snoozeWatch,
  watchActions,
  watchAttention,
  watchStatus,
} from './owned-watches.ts';
import { KIND_EXAMPLES, parseWatchList, parseWatchText } from './parse.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing watch': true;
    '/billing watches': true;
  }
  interface Actions {
    'watch-form': true;
    'watch-row': true;
    'watch-undo': true;
    'watch-drop': true;
    'watch-list': true;
    /** The button of an alert; its value is the watch’s ID and the alert’s name. */
    'watch-acknowledge': true;
    /** The value is `day`, `week` or `month`, the watch’s ID, and in an alert its name. */
    'watch-snooze': true;
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

interface WatchServices extends Pick<Services, 'workspaces'>, Pick<DeliveryService, 'watching'> {
  readonly audit: Pick<Audit, 'record'>;
}

/** `/billing watch` and `/billing watches`, for full members, and the buttons of alerts. */
export function createWatchesFeature(services: WatchServices): Feature {
  const kind = createOwnedWatches(services);
  const form = createWatchForm(kind, services);
  const { verb, listeners } = createOwnedActions(kind, form.openFor, watchActions(kind));
  return {
    help: HELP,
    verbs: {
      watch: {
        right: 'member',
        help,
        parse: (rest, _, reader) => parseWatchText(rest, reader),
        opensForm: true,
        run: (rest, request) =>
          form.openNew(parseWatchText(rest, readerIn(request.workspace, request.at)), request),
      },
      watches: verb({
        right: 'member',
        help,
        parse: (rest, _, reader) => parseWatchList(rest, reader),
        run: (rest, request) =>
          listWatches(kind, parseWatchList(rest, readerIn(request.workspace, request.at)), request),
      }),
    },
    ...form.listeners,
    actions: {
      ...form.listeners.actions,
      ...listeners,
      ...alertListeners(kind, form.openFor, services),
    },
    attention: (request) => watchAttention(kind, request),
    status: (request) => watchStatus(kind, request),
  };
}

/** The buttons of an alert. A button only names a watch and an alert; the record says what it is and whose. */
const alertListeners = (
  kind: OwnedWatches,
  edit: OwnerAction<Watch>,
  services: WatchServices,
): Readonly<Record<string, ActionHandler>> => ({
  'watch-acknowledge': onClick('ask', { changes: true }, (value, request) =>
    acknowledge(kind, value, request, services),
  ),
  'watch-snooze': onClick('member', { changes: true }, (value, request) =>
    snooze(kind, value, request, services),
  ),
  'watch-more': {
    right: 'member',
    needs(value) {
      const [what = ''] = value.split(' ');
      return what === 'manage' ? {} : what === 'threshold' ? { opensForm: true } : { changes: true };
    },
    async run({ value }, request) {
      const [what = '', id = ''] = value.split(' ');
      if (what === 'manage') return showApart(kind, request);
      if (what !== 'threshold') return snooze(kind, value, request, services);
      const watch = requireOwned(kind.find, id, request);
      if (watch === undefined) return showApart(kind, request);
      if (!canReadOwned(watch, request)) throw new Failure('not-allowed', { reason: 'channel' });
      await edit(watch, request);
    },
  },
});

const showApart = (kind: OwnedWatches, request: Request): Promise<void> =>
  showOwned(kind, request, { isApart: true });

/** The alert itself says who acknowledged it. @throws not-allowed for people who may not ask about the project there */
async function acknowledge(
  kind: OwnedWatches,
  value: string,
  request: Request,
  { watching, audit }: WatchServices,
): Promise<void> {
  const [id = '', alert = ''] = value.split(' ');
  const watch = kind.find(request.workspace, id);
  if (watch === undefined) return say(deletedText(kind), request);
  if (!canReadOwned(watch, request)) throw new Failure('not-allowed', { reason: 'channel' });
  const { user, at } = request;
  const outcome = await watching.respond(user.teamId, id, alert, { acknowledged: { by: user.id, at } });
  if (outcome === 'gone') return say('This alert is too old to change.', request);
  if (outcome === 'repeated') return;
  const about = ownedAuditText(kind, watch, request);
  await audit.record(user.teamId, { at, who: user.id, action: 'acknowledged an alert:', about });
}

/** Snoozes from an alert or, without one, from the list. @throws not-allowed except for its owner and managers */
async function snooze(
  kind: OwnedWatches,
  value: string,
  request: Request,
  { watching }: WatchServices,
): Promise<void> {
  const [choice = '', id = '', alert] = value.split(' ');
  const watch = requireOwned(kind.find, id, request, 'snooze');
  if (watch === undefined) return say(deletedText(kind), request);
  const until = await snoozeWatch(kind, watch, choice, request);
  if (until === undefined) return;
  // The alert says it itself; one that is still open says so as well when the list is asked.
  const open = alert ?? (await watching.loadStates(request.workspace)).get(id)?.openAlert;
  const snoozed = { by: request.user.id, at: request.at, until };
  if (open !== undefined) await watching.respond(request.user.teamId, id, open, { snoozed });
  const notice = `Snoozed. Nobody is alerted until: ${formatInstant(until)}.`;
  if (alert === undefined) await showOwned(kind, request, { notice });
}

/** A new message: `update` would replace the alert in a direct message. */
const say = (text: string, request: Request): Promise<void> => request.reply.private(markupMessage(text));
