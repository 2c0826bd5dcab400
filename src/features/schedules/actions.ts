import { commandText } from '../../domain/commands.ts';
import { EditConflict, NotAllowed } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import { channelLink, section } from '../../slack/kit/atoms.ts';
import type { ChannelCheck } from '../../slack/request/channel-check.ts';
import type { Request } from '../../slack/request/request.ts';
import { lookUp } from '../../slack/server/listeners.ts';
import { MAX_SCHEDULES } from '../../workspace/owned/schedules.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { findSchedule } from '../../workspace/record/workspace.ts';
import { scheduleAuditText } from './blocks.ts';
import { damagedSchedules, resumableSchedules, showSchedules } from './list.ts';
import { requireOwnedSchedule } from './permissions.ts';
import { adopt, checkOwnChannel, resumeSchedule, SCHEDULE_OWNER_ACTIONS } from './row-actions.ts';
import { SCHEDULES_FULL } from './setup.ts';
import type { SchedulesParts } from './upcoming-sends.ts';

/** The list shows each of them anyway. */
const MAX_PROBLEMS = 5;
const GONE = { notice: 'This schedule was deleted.' };
const TOO_LATE = {
  notice: `It’s too late to undo this. Set it up again with ${commandText('/billing schedule')}.`,
};

/** What the list's menus and buttons do. A button only names a schedule; the record says what it is and whose. */
export function createScheduleActions(parts: SchedulesParts) {
  return {
    list: (request: Request, page?: number) => showSchedules(parts, request, page ? { page } : {}),

    /** @throws NotAllowed, Failure */
    async run(action: string, id: string, request: Request): Promise<void> {
      const schedule = requireOwnedSchedule(id, request);
      if (schedule === undefined) return showSchedules(parts, request, GONE);
      await lookUp(SCHEDULE_OWNER_ACTIONS, action)?.(schedule, request, parts);
    },

    /** @throws NotAllowed */
    async adopt(id: string, request: Request): Promise<void> {
      const schedule = findSchedule(request.workspace, id);
      if (schedule === undefined) return showSchedules(parts, request, GONE);
      await adopt(schedule, request, parts);
    },

    resumeAll: (request: Request) => resumeAll(parts, request),
    /** @throws NotAllowed */
    undo: (id: string, request: Request) => undoDelete(parts, id, request),
    dropDamaged: (request: Request) => dropDamaged(parts, request),
  };
}

/** One after the other, checking each channel once. A schedule that cannot resume does not hold up the others. */
async function resumeAll(parts: SchedulesParts, request: Request): Promise<void> {
  const channelChecks = new Map<string, Promise<ChannelCheck>>();
  const problems = new Set<string>();
  let resumed = 0;
  for (const schedule of resumableSchedules(request)) {
    const { channel } = schedule;
    const channelCheck = channelChecks.get(channel) ?? checkOwnChannel(channel, request);
    channelChecks.set(channel, channelCheck);
    const problem = await resumeSchedule(schedule, request, parts, channelCheck).catch(conflictMessage);
    if (problem === undefined) resumed += 1;
    else problems.add(`Still paused in ${channelLink(channel)}: ${problem}`);
  }
  if (resumed > 0) await parts.scheduling.changed(request.user.teamId);
  const done = `Resumed ${pluralize(resumed, 'scheduled post')}. Posts missed while someone had paused them won’t be sent.`;
  const lines = [...(resumed > 0 ? [done] : []), ...[...problems].slice(0, MAX_PROBLEMS)];
  await showSchedules(parts, request, { notice: lines.join('\n') });
}

/** @throws any other error */
function conflictMessage(error: unknown): string {
  if (error instanceof EditConflict) return error.message;
  throw error;
}

async function undoDelete(parts: SchedulesParts, id: string, request: Request): Promise<void> {
  const { workspaces, scheduling } = parts;
  const { user, workspace, at } = request;
  const schedule = await workspaces.schedules.findRemoved(user.teamId, id, at);
  if (schedule === undefined) return showSchedules(parts, request, TOO_LATE);
  if (!user.canManage && schedule.owner !== user.id) throw new NotAllowed('not-owner');
  if (workspace.scheduleIds.length >= MAX_SCHEDULES)
    return request.reply.update({ text: SCHEDULES_FULL, blocks: [section(SCHEDULES_FULL)] });
  const change = auditedChange(request, ['schedule restored', scheduleAuditText(schedule, workspace)]);
  if (!(await workspaces.schedules.restore(change, id))) return showSchedules(parts, request, TOO_LATE);
  await scheduling.changed(user.teamId);
  await showSchedules(parts, request, { notice: 'Schedule restored.' });
}

/** Schedules that cannot be read can only be removed. */
async function dropDamaged(parts: SchedulesParts, request: Request): Promise<void> {
  const damaged = damagedSchedules(request.workspace);
  if (damaged.length === 0) return showSchedules(parts, request, GONE);
  const text = `${damaged.join(', ')} (the record was damaged)`;
  await parts.workspaces.schedules.drop(auditedChange(request, ['schedule removed', text]), damaged);
  await parts.scheduling.changed(request.user.teamId);
  await showSchedules(parts, request, {
    notice: `Removed what was damaged. Set it up again with ${commandText('/billing schedule')}.`,
  });
}
