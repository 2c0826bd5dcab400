import type { AlertResponse } from '../../delivery/watches/watch-service.ts';
import { NotAllowed } from '../../domain/failure/index.ts';
import {
  addDays,
  DAY_MS,
  dayAt,
  endOfUnit,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { button } from '../../slack/kit/atoms.ts';
import { canAdopt } from '../../slack/owned/ownership.ts';
import type { Request } from '../../slack/request/request.ts';
import { lookUp } from '../../slack/server/listeners.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import type { AuditAction } from '../../workspace/record/audit.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import type { WatchesParts } from './draft-view.ts';
import { showWatches, watchDeletedMessage } from './list.ts';
import { channelOfWatch } from './permissions.ts';
import { findTargetProblem } from './target-check.ts';
import { watchAuditText } from './wording.ts';

type RowAction = (watch: Watch, request: Request, parts: WatchesParts) => Promise<void>;

async function storeWatch(
  after: Watch,
  action: AuditAction,
  request: Request,
  { workspaces, watching }: WatchesParts,
): Promise<void> {
  const change = auditedChange(request, [action, watchAuditText(after, request.workspace)]);
  await workspaces.watches.save(change, after);
  await watching.changed(request.user.teamId);
}

const pause: RowAction = async (watch, request, parts) => {
  const paused = { at: request.at, by: request.user.id };
  if (watch.paused === undefined) await storeWatch({ ...watch, paused }, 'watch paused', request, parts);
  await showWatches(parts, request, { notice: { text: 'Paused. Nobody is alerted until you resume it.' } });
};

const resume: RowAction = async (watch, request, parts) => {
  const { paused, ...running } = watch;
  const problem = await findTargetProblem({ ...watch, joins: true, before: watch }, request);
  if (problem !== undefined)
    return showWatches(parts, request, { notice: { text: `${problem} The watch is still paused.` } });
  if (paused !== undefined) await storeWatch(running, 'watch resumed', request, parts);
  await showWatches(parts, request, {
    notice: { text: 'Resumed. Tally alerts if a threshold was crossed in between and still is.' },
  });
};

const offerSnooze: RowAction = (watch, request, parts) =>
  showWatches(parts, request, {
    notice: {
      text: 'Snooze for how long? Nobody is alerted until then.',
      buttons: Object.entries(SNOOZES).map(([snooze, label]) =>
        button(`watch-snooze:${snooze}`, label, { value: `${snooze} ${watch.id}` }),
      ),
    },
  });

const wake: RowAction = async (watch, request, parts) => {
  const { snoozedUntil, ...awake } = watch;
  if (snoozedUntil !== undefined) await storeWatch(awake, 'watch changed', request, parts);
  await showWatches(parts, request, {
    notice: { text: 'No longer snoozed. Tally alerts if a threshold was crossed in between and still is.' },
  });
};

const remove: RowAction = async (watch, request, { workspaces, watching }) => {
  const text = watchAuditText(watch, request.workspace);
  await workspaces.watches.remove(auditedChange(request, ['watch removed', text]), watch.id, request.at);
  await watching.changed(request.user.teamId);
  await request.reply.update(watchDeletedMessage(watch, request));
};

/** For the watch's owner or a manager. */
export const WATCH_OWNER_ACTIONS: Readonly<Record<string, RowAction>> = {
  pause,
  resume,
  snooze: offerSnooze,
  wake,
  delete: remove,
};

type Snoozed = Extract<AlertResponse, { readonly kind: 'snoozed' }>;

/**
 * Saves until when nobody is alerted.
 * @param choice a key of `SNOOZES`: outside text
 * @returns undefined for another choice
 */
export async function snoozeWatch(
  watch: Watch,
  choice: string,
  request: Request,
  parts: WatchesParts,
): Promise<Snoozed | undefined> {
  if (lookUp(SNOOZES, choice) === undefined) return undefined;
  const { at, user, workspace } = request;
  const until = snoozeUntil(choice as Snooze, at, requireSettings(workspace).zone);
  await storeWatch({ ...watch, snoozedUntil: until }, 'watch snoozed', request, parts);
  return { kind: 'snoozed', at, by: user.id, until };
}

/** After the owner has left. @throws NotAllowed */
export const adoptWatch: RowAction = async (watch, request, parts) => {
  if (!(await canAdopt(watch, channelOfWatch(watch), request))) throw new NotAllowed('not-owner');
  await storeWatch({ ...watch, owner: request.user.id }, 'watch adopted', request, parts);
  await showWatches(parts, request, {
    notice: { text: 'You own this watch now. You’ll hear from Tally if it stops working.' },
  });
};

/** What an alert and the list offer, by what a button's value says. */
export const SNOOZES = {
  day: '1 day',
  week: '7 days',
  month: 'Until next month',
} as const;
export type Snooze = keyof typeof SNOOZES;

/** @param at ms since the epoch @param zone the reporting zone, in which a month begins @returns ms since the epoch */
function snoozeUntil(snooze: Snooze, at: Millis, zone: Zone): number {
  switch (snooze) {
    case 'day':
      return at + DAY_MS;
    case 'week':
      return at + 7 * DAY_MS;
    case 'month':
      return startOfDay(addDays(endOfUnit('month', dayAt(at, zone)), 1), zone);
  }
}
