import type { AlertResponse } from '../../delivery/watches/watch-service.ts';
import { NotAllowed } from '../../domain/failure/index.ts';
import { formatInstant, markup } from '../../slack/kit/atoms.ts';
import { showOwned } from '../../slack/owned/list.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import { canReadOwned } from '../../slack/owned/ownership.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import type { Audit } from '../../workspace/record/audit.ts';
import { findWatch } from '../../workspace/record/workspace.ts';
import type { OwnedWatches, WatchesParts } from './kind.ts';
import { snoozeWatch } from './snooze.ts';
import { watchAuditText } from './wording.ts';

export interface AlertActionsParts extends WatchesParts {
  readonly audit: Pick<Audit, 'record'>;
}

const GONE = 'This watch was deleted.';
const OVER = 'This alert is too old to change.';

/** The buttons of an alert. A button only names a watch and an alert; the record says what it is and whose. */
export function createAlertActions(kind: OwnedWatches, parts: AlertActionsParts) {
  return {
    /** @throws NotAllowed for who may not ask about the project there */
    async acknowledge(id: string, episode: string, request: Request): Promise<void> {
      const watch = findWatch(request.workspace, id);
      if (watch === undefined) return say(GONE, request);
      if (!canReadOwned(watch, request)) throw new NotAllowed('channel');
      const { user, at, workspace } = request;
      const response = { kind: 'acknowledged', at, by: user.id } as const;
      const outcome = await parts.watching.respond(user.teamId, id, episode, response);
      if (outcome !== 'recorded') return say(OUTCOMES[outcome], request);
      const about = watchAuditText(watch, workspace);
      await parts.audit.record(user.teamId, { at, who: user.id, action: 'watch acknowledged', about });
      await say('You acknowledged this alert. It says so for everyone.', request);
    },

    /** From an alert, or from the list without an episode. @throws NotAllowed except for its owner and managers */
    async snooze(choice: string, id: string, episode: string | undefined, request: Request): Promise<void> {
      const watch = requireOwned(findWatch, id, request);
      if (watch === undefined) return say(GONE, request);
      const response = await snoozeWatch(kind, watch, choice, request);
      if (response === undefined) return;
      await tellAlert(parts, watch, episode, response, request);
      const notice = `Snoozed. Nobody is alerted until ${formatInstant(response.until)}.`;
      await (episode === undefined ? showOwned(kind, request, { notice }) : say(notice, request));
    },
  };
}

const OUTCOMES = { repeated: 'This alert was acknowledged already.', gone: OVER } as const;

/** Replaces nothing: in a direct message, the alert itself would go. */
const say = (text: string, request: Request): Promise<void> =>
  request.reply.private({ text, blocks: [markup(text)] });

/** The alert that is still open says so as well. */
async function tellAlert(
  { watching }: WatchesParts,
  watch: Watch,
  episode: string | undefined,
  response: AlertResponse,
  { workspace, user }: Request,
): Promise<void> {
  const open = episode ?? (await openEpisode(watching, watch, workspace));
  if (open !== undefined) await watching.respond(user.teamId, watch.id, open, response);
}

async function openEpisode(
  watching: WatchesParts['watching'],
  { id }: Watch,
  workspace: Request['workspace'],
): Promise<string | undefined> {
  const state = (await watching.readStates(workspace)).get(id);
  return state?.isCrossed ? state.alerts.at(-1)?.episode : undefined;
}
