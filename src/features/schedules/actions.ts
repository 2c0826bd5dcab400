import { EditConflict, NotAllowed } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import { section } from '../../slack/kit/atoms.ts';
import { channelLink } from '../../slack/kit/escape.ts';
import { ownValue } from '../../slack/listeners.ts';
import type { Request } from '../../slack/request.ts';
import type { AuditAction } from '../../workspace/audit.ts';
import { auditedChange } from '../../workspace/change.ts';
import { MAX_SCHEDULES, resumesByItself, type Schedule } from '../../workspace/schedules.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { scheduleAuditText } from './blocks.ts';
import { type ChannelCheck, checkChannel, joinChannel, limitedProjects } from './channel-check.ts';
import {
  damagedSchedules,
  resumableSchedules,
  scheduleDeletedMessage,
  scheduleListMessage,
  schedulePageOf,
} from './list.ts';
import { canAdopt, findOrphans, requireOwnedSchedule } from './permissions.ts';
import type { Scheduling } from './scheduling.ts';
import { SCHEDULES_FULL } from './setup.ts';
import { loadUpcomingSends } from './upcoming-sends.ts';

/** @returns its sentence @throws whatever else it is */
function ifChanged(error: unknown): string {
  if (error instanceof EditConflict) return error.message;
  throw error;
}

/** The list shows each of them. */
const MOST_PROBLEMS = 5;
const GONE = 'There is no such schedule any more: it was deleted meanwhile.';
const LATE = 'It is not there to be brought back any more: set it up again with /billing schedule.';

/** What a row of the list does. Values of buttons name a schedule; what it is and whose, the record says. */
export function createScheduleActions(workspaces: Workspaces, scheduling: Scheduling) {
  /** The list as it is now, with what was just done. */
  const list = async (request: Request, said?: string, page = 1): Promise<void> => {
    const workspace = said === undefined ? request.workspace : await workspaces.read(request.user.teamId);
    const now = { ...request, workspace };
    const { shown } = schedulePageOf(now, page);
    const [orphans, sends] = await Promise.all([
      findOrphans(shown, now),
      loadUpcomingSends(scheduling, request),
    ]);
    await request.reply.update(
      scheduleListMessage({ page, orphans, ...(said && { said }) }, { ...now, sends }),
    );
  };

  const store = (after: Schedule, deed: AuditAction, request: Request): Promise<void> =>
    workspaces.saveSchedule(
      auditedChange(request, [deed, scheduleAuditText(after, request.workspace)]),
      after,
    );
  const write = async (after: Schedule, deed: AuditAction, request: Request): Promise<void> => {
    await store(after, deed, request);
    await scheduling.changed(request.user.teamId);
  };

  /** Whoever may change what is posted in a channel need not be in it: it is not chosen here. */
  const siteFor = (channel: string, request: Request): Promise<ChannelCheck> =>
    checkChannel(channel, request, true);

  /** Why nothing can be posted there now, in a sentence; Tally joins a public channel that it fell out of. */
  const trouble = async (
    { channel, projects }: Schedule,
    request: Request,
    site = siteFor(channel, request),
  ): Promise<string | undefined> => {
    const { problem, canJoin } = await site;
    if (problem !== undefined) return problem;
    if (limitedProjects(channel, projects, request.workspace).length > 0)
      return 'Not all of its projects may be asked about in that channel any more. Edit it first.';
    return canJoin ? joinChannel(channel, request) : undefined;
  };

  /** @returns why it could not be, in a sentence */
  const resumeOne = async (
    schedule: Schedule,
    request: Request,
    site?: Promise<ChannelCheck>,
  ): Promise<string | undefined> => {
    const problem = await trouble(schedule, request, site);
    const { paused, ...running } = schedule;
    if (problem !== undefined || paused === undefined) return problem;
    // What Tally paused by itself catches up on what was missed.
    const resumed = resumesByItself(paused.why) ? running : { ...running, since: request.at };
    await store(resumed, 'schedule resumed', request);
    return undefined;
  };

  const deeds: Readonly<Record<string, (schedule: Schedule, request: Request) => Promise<void>>> = {
    async pause(schedule, request) {
      const { id } = request.user;
      if (schedule.paused === undefined)
        await write(
          { ...schedule, paused: { why: 'person', at: request.at, by: id } },
          'schedule paused',
          request,
        );
      await list(request, 'Paused. Nothing is posted or corrected until you resume it.');
    },
    async resume(schedule, request) {
      const problem = await resumeOne(schedule, request);
      if (problem !== undefined) return list(request, `${problem} It is still paused.`);
      if (schedule.paused === undefined) return list(request);
      await scheduling.changed(request.user.teamId);
      await list(
        request,
        resumesByItself(schedule.paused.why)
          ? 'Resumed. A post that is due comes now, and names the dates that were missed.'
          : 'Resumed. Posts missed while paused won’t be sent.',
      );
    },
    async now(schedule, request) {
      const problem = await trouble(schedule, request);
      if (problem !== undefined) return list(request, problem);
      await scheduling.send(request.user.teamId, schedule, 'now', request.user.id);
      await list(request, 'Posted in its channel just now. The next post comes as planned.');
    },
    async delete(schedule, request) {
      const change = auditedChange(request, [
        'schedule removed',
        scheduleAuditText(schedule, request.workspace),
      ]);
      await workspaces.removeSchedule(change, schedule.id, request.at);
      await scheduling.changed(request.user.teamId);
      await request.reply.update(scheduleDeletedMessage(schedule, request));
    },
  };

  return {
    list,

    /** Those that cannot be read, which cannot be shown either: all that is left to do with them. */
    async drop(request: Request): Promise<void> {
      const damaged = damagedSchedules(request.workspace);
      if (damaged.length === 0) return list(request, GONE);
      const change = auditedChange(request, [
        'schedule removed',
        `${damaged.join(', ')} (the record was damaged)`,
      ]);
      await workspaces.dropSchedules(change, damaged);
      await scheduling.changed(request.user.teamId);
      await list(request, 'What was damaged is gone. Set it up again with /billing schedule.');
    },

    /** @throws NotAllowed, Failure */
    async run(deed: string, id: string, request: Request): Promise<void> {
      const schedule = requireOwnedSchedule(id, request);
      if (schedule === undefined) return list(request, GONE);
      await ownValue(deeds, deed)?.(schedule, request);
    },

    /** One after the other; each channel is looked at once. What cannot go on says why, and the others do. */
    async resumeAll(request: Request): Promise<void> {
      const sites = new Map<string, Promise<ChannelCheck>>();
      const problems = new Set<string>();
      let resumed = 0;
      for (const schedule of resumableSchedules(request)) {
        const { channel } = schedule;
        const site = sites.get(channel) ?? siteFor(channel, request);
        sites.set(channel, site);
        const problem = await resumeOne(schedule, request, site).catch(ifChanged);
        if (problem === undefined) resumed += 1;
        else problems.add(`Still paused in ${channelLink(channel)}: ${problem}`);
      }
      if (resumed > 0) await scheduling.changed(request.user.teamId);
      const done = `Resumed ${pluralize(resumed, 'scheduled post')}. Posts missed while someone had paused them won’t be sent.`;
      await list(
        request,
        [...(resumed > 0 ? [done] : []), ...[...problems].slice(0, MOST_PROBLEMS)].join('\n'),
      );
    },

    /** The owner left; whoever adopts it answers for it from now on. @throws NotAllowed */
    async adopt(id: string, request: Request): Promise<void> {
      const schedule = request.workspace.schedule(id);
      if (schedule === undefined) return list(request, GONE);
      if (!(await canAdopt(schedule, request))) throw new NotAllowed('not-owner');
      await write({ ...schedule, owner: request.user.id }, 'schedule adopted', request);
      await list(request, 'It is yours now: you are told when something is wrong with it.');
    },

    /** @throws NotAllowed */
    async undo(id: string, request: Request): Promise<void> {
      const { user, workspace, at } = request;
      const schedule = await workspaces.unscheduled(user.teamId, id, at);
      if (schedule === undefined) return list(request, LATE);
      if (!user.canManage && schedule.owner !== user.id) throw new NotAllowed('not-owner');
      if (workspace.scheduleIds.length >= MAX_SCHEDULES)
        return request.reply.update({ text: SCHEDULES_FULL, blocks: [section(SCHEDULES_FULL)] });
      const change = auditedChange(request, ['schedule restored', scheduleAuditText(schedule, workspace)]);
      if (!(await workspaces.restoreSchedule(change, id))) return list(request, LATE);
      await scheduling.changed(user.teamId);
      await list(request, 'The schedule is back.');
    },
  };
}
