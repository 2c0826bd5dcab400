import { NotAllowed } from '../../domain/failure/index.ts';
import { formatInstant, markupMessage } from '../../slack/kit/atoms.ts';
import { goneText } from '../../slack/owned/actions.ts';
import { showOwned } from '../../slack/owned/list.ts';
import { type OwnerAction, requireOwned } from '../../slack/owned/owned-kind.ts';
import { canReadOwned } from '../../slack/owned/ownership.ts';
import type { Request } from '../../slack/request/request.ts';
import type { ActionListener } from '../../slack/server/listeners.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { watchAuditText } from './blocks.ts';
import { type OwnedWatches, snoozeWatch, type WatchesParts } from './kind.ts';

/**
 * The buttons of an alert. A button only names a watch and an alert; the record says what it is and whose.
 * @param openSuggestion a form with a threshold that alerts less often
 */
export const alertListeners = (
  kind: OwnedWatches,
  openSuggestion: OwnerAction<Watch>,
  parts: WatchesParts,
): Readonly<Record<string, ActionListener>> => ({
  'watch-acknowledge': {
    right: 'ask',
    does: 'change',
    run: ({ value }, request) => acknowledge(kind, value, request, parts),
  },
  'watch-snooze': {
    right: 'member',
    does: 'change',
    run: ({ value }, request) => snooze(kind, value, request, parts),
  },
  'watch-manage': { right: 'member', does: 'answer', run: (_, request) => showApart(kind, request) },
  /** An alert's menu. */
  'watch-more'(value) {
    const [what = '', id = ''] = value.split(' ');
    if (what === 'manage')
      return { right: 'member', does: 'answer', run: (_, request) => showApart(kind, request) };
    if (what !== 'threshold')
      return { right: 'member', does: 'change', run: (_, request) => snooze(kind, value, request, parts) };
    return {
      right: 'member',
      does: 'openForm',
      async run(_, request) {
        const watch = requireOwned(kind.find, id, request);
        await (watch === undefined ? showApart(kind, request) : openSuggestion(watch, request));
      },
    };
  },
});

/** The list below the message with the button. */
const showApart = (kind: OwnedWatches, request: Request): Promise<void> =>
  showOwned(kind, request, { isApart: true });

/** @throws NotAllowed for who may not ask about the project there */
async function acknowledge(
  kind: OwnedWatches,
  value: string,
  request: Request,
  { watching, audit }: WatchesParts,
): Promise<void> {
  const [id = '', episode = ''] = value.split(' ');
  const watch = kind.find(request.workspace, id);
  if (watch === undefined) return say(goneText(kind), request);
  if (!canReadOwned(watch, request)) throw new NotAllowed('channel');
  const { user, at, workspace } = request;
  const response = { kind: 'acknowledged', at, by: user.id } as const;
  const outcome = await watching.respond(user.teamId, id, episode, response);
  if (outcome !== 'recorded') return say(OUTCOMES[outcome], request);
  const about = watchAuditText(watch, workspace);
  await audit.record(user.teamId, { at, who: user.id, action: 'watch acknowledged', about });
  await say('You acknowledged this alert. It says so for everyone.', request);
}

/** From an alert, or from the list without an episode. @throws NotAllowed except for its owner and managers */
async function snooze(
  kind: OwnedWatches,
  value: string,
  request: Request,
  { watching }: WatchesParts,
): Promise<void> {
  const [choice = '', id = '', episode] = value.split(' ');
  const watch = requireOwned(kind.find, id, request, 'snooze');
  if (watch === undefined) return say(goneText(kind), request);
  const response = await snoozeWatch(kind, watch, choice, request);
  if (response === undefined) return;
  // The alert that is still open says so as well.
  const open = episode ?? (await openEpisode(watching, watch, request.workspace));
  if (open !== undefined) await watching.respond(request.user.teamId, id, open, response);
  const notice = `Snoozed. Nobody is alerted until: ${formatInstant(response.until)}.`;
  await (episode === undefined ? showOwned(kind, request, { notice }) : say(notice, request));
}

const OUTCOMES = {
  repeated: 'This alert was acknowledged already.',
  gone: 'This alert is too old to change.',
} as const;

/** Replaces nothing: in a direct message, the alert itself would go. */
const say = (text: string, request: Request): Promise<void> => request.reply.private(markupMessage(text));

async function openEpisode(
  watching: WatchesParts['watching'],
  { id }: Watch,
  workspace: Request['workspace'],
): Promise<string | undefined> {
  const state = (await watching.readStates(workspace)).get(id);
  return state?.isCrossed ? state.alerts.at(-1)?.episode : undefined;
}
