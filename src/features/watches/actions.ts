import { commandText } from '../../domain/commands.ts';
import { NotAllowed } from '../../domain/failure/index.ts';
import { section } from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request/request.ts';
import { lookUp } from '../../slack/server/listeners.ts';
import { MAX_WATCHES } from '../../workspace/owned/watches.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { findWatch } from '../../workspace/record/workspace.ts';
import type { WatchesParts } from './draft-view.ts';
import { damagedWatches, showWatches } from './list.ts';
import { requireOwnedWatch } from './permissions.ts';
import { adoptWatch, WATCH_OWNER_ACTIONS } from './row-actions.ts';
import { WATCHES_FULL } from './saving.ts';
import { watchAuditText } from './wording.ts';

const GONE = { notice: { text: 'This watch was deleted.' } };
const TOO_LATE = {
  notice: { text: `It’s too late to undo this. Set it up again with ${commandText('/billing watch')}.` },
};

/** What the list's menus and buttons do. A button only names a watch; the record says what it is and whose. */
export function createWatchActions(parts: WatchesParts) {
  return {
    list: (request: Request, page?: number) => showWatches(parts, request, page ? { page } : {}),
    /** Posted below the message with the button. */
    manage: (request: Request) => showWatches(parts, request, { isApart: true }),

    /** @throws NotAllowed, Failure */
    async run(action: string, id: string, request: Request): Promise<void> {
      const watch = requireOwnedWatch(id, request);
      if (watch === undefined) return showWatches(parts, request, GONE);
      await lookUp(WATCH_OWNER_ACTIONS, action)?.(watch, request, parts);
    },

    /** @throws NotAllowed */
    async adopt(id: string, request: Request): Promise<void> {
      const watch = findWatch(request.workspace, id);
      if (watch === undefined) return showWatches(parts, request, GONE);
      await adoptWatch(watch, request, parts);
    },

    /** @throws NotAllowed */
    undo: (id: string, request: Request) => undoDelete(parts, id, request),
    dropDamaged: (request: Request) => dropDamaged(parts, request),
  };
}

async function undoDelete(parts: WatchesParts, id: string, request: Request): Promise<void> {
  const { workspaces, watching } = parts;
  const { user, workspace, at } = request;
  const watch = await workspaces.watches.findRemoved(user.teamId, id, at);
  if (watch === undefined) return showWatches(parts, request, TOO_LATE);
  if (!user.canManage && watch.owner !== user.id) throw new NotAllowed('not-owner');
  if (workspace.watchIds.length >= MAX_WATCHES)
    return request.reply.update({ text: WATCHES_FULL, blocks: [section(WATCHES_FULL)] });
  const change = auditedChange(request, ['watch restored', watchAuditText(watch, workspace)]);
  if (!(await workspaces.watches.restore(change, id))) return showWatches(parts, request, TOO_LATE);
  await watching.changed(user.teamId);
  await showWatches(parts, request, { notice: { text: 'Watch restored.' } });
}

/** Watches that cannot be read can only be removed. */
async function dropDamaged(parts: WatchesParts, request: Request): Promise<void> {
  const damaged = damagedWatches(request.workspace);
  if (damaged.length === 0) return showWatches(parts, request, GONE);
  const text = `${damaged.join(', ')} (the record was damaged)`;
  await parts.workspaces.watches.drop(auditedChange(request, ['watch removed', text]), damaged);
  await parts.watching.changed(request.user.teamId);
  await showWatches(parts, request, {
    notice: { text: `Removed what was damaged. Set it up again with ${commandText('/billing watch')}.` },
  });
}
