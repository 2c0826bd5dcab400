import { NotAllowed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { channelLink } from '../../slack/kit/atoms.ts';
import { canAdopt } from '../../slack/owned/ownership.ts';
import { type ChannelCheck, checkChannel, joinChannel } from '../../slack/request/channel-check.ts';
import type { Request } from '../../slack/request/request.ts';
import { resumesByItself, type Schedule } from '../../workspace/owned/schedules.ts';
import { limitedProjects } from '../../workspace/projects/chosen-project.ts';
import type { AuditAction } from '../../workspace/record/audit.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { scheduleAuditText } from './blocks.ts';
import { scheduleDeletedMessage, showSchedules } from './list.ts';
import type { SchedulesParts } from './upcoming-sends.ts';

type RowAction = (schedule: Schedule, request: Request, parts: SchedulesParts) => Promise<void>;

async function storeSchedule(
  after: Schedule,
  action: AuditAction,
  request: Request,
  { workspaces }: SchedulesParts,
): Promise<void> {
  const change = auditedChange(request, [action, scheduleAuditText(after, request.workspace)]);
  await workspaces.schedules.save(change, after);
}

/** The channel is not chosen here, so people who may change its posts need not be in it. */
export const checkOwnChannel = (channel: SlackId, request: Request): Promise<ChannelCheck> =>
  checkChannel(channel, request, true);

/** @returns why nothing can be posted there, in a sentence; joins a public channel that Tally is not in */
async function findProblem(
  { channel, projects }: Schedule,
  request: Request,
  channelCheck = checkOwnChannel(channel, request),
): Promise<string | undefined> {
  const { problem, canJoin } = await channelCheck;
  if (problem !== undefined) return problem;
  if (limitedProjects(channel, projects, request.workspace).length > 0)
    return 'That channel can no longer see all its projects. Edit the schedule first.';
  return canJoin ? joinChannel(channel, request) : undefined;
}

/** @returns why it is still paused, in a sentence */
export async function resumeSchedule(
  schedule: Schedule,
  request: Request,
  parts: SchedulesParts,
  channelCheck?: Promise<ChannelCheck>,
): Promise<string | undefined> {
  const problem = await findProblem(schedule, request, channelCheck);
  const { paused, ...running } = schedule;
  if (problem !== undefined || paused === undefined) return problem;
  // After a pause of Tally's own the missed posts are made up for.
  const resumed = resumesByItself(paused.why) ? running : { ...running, since: request.at };
  await storeSchedule(resumed, 'schedule resumed', request, parts);
  return undefined;
}

const pause: RowAction = async (schedule, request, parts) => {
  if (schedule.paused === undefined) {
    const paused = { why: 'person', at: request.at, by: request.user.id } as const;
    await storeSchedule({ ...schedule, paused }, 'schedule paused', request, parts);
    await parts.scheduling.changed(request.user.teamId);
  }
  await showSchedules(parts, request, {
    notice: 'Paused. Nothing is posted or corrected until you resume it.',
  });
};

const resume: RowAction = async (schedule, request, parts) => {
  const problem = await resumeSchedule(schedule, request, parts);
  if (problem !== undefined)
    return showSchedules(parts, request, { notice: `${problem} The schedule is still paused.` });
  if (schedule.paused === undefined) return showSchedules(parts, request);
  await parts.scheduling.changed(request.user.teamId);
  await showSchedules(parts, request, {
    notice: resumesByItself(schedule.paused.why)
      ? 'Resumed. If a post was missed, Tally sends it now.'
      : 'Resumed. Posts missed while paused won’t be sent.',
  });
};

const sendNow: RowAction = async (schedule, request, parts) => {
  const problem = await findProblem(schedule, request);
  if (problem !== undefined) return showSchedules(parts, request, { notice: problem });
  await parts.scheduling.send(request.user.teamId, schedule, 'now', request.user.id);
  await showSchedules(parts, request, {
    notice: `Posted in ${channelLink(schedule.channel)}. The next post comes as planned.`,
  });
};

const remove: RowAction = async (schedule, request, { workspaces, scheduling }) => {
  const text = scheduleAuditText(schedule, request.workspace);
  await workspaces.schedules.remove(
    auditedChange(request, ['schedule removed', text]),
    schedule.id,
    request.at,
  );
  await scheduling.changed(request.user.teamId);
  await request.reply.update(scheduleDeletedMessage(schedule, request));
};

/** For the schedule's owner or a manager. */
export const SCHEDULE_OWNER_ACTIONS: Readonly<Record<string, RowAction>> = {
  pause,
  resume,
  now: sendNow,
  delete: remove,
};

/** After the owner has left. @throws NotAllowed */
export const adopt: RowAction = async (schedule, request, parts) => {
  if (!(await canAdopt(schedule, schedule.channel, request))) throw new NotAllowed('not-owner');
  await storeSchedule({ ...schedule, owner: request.user.id }, 'schedule adopted', request, parts);
  await parts.scheduling.changed(request.user.teamId);
  await showSchedules(parts, request, {
    notice: 'You own this schedule now. You’ll hear from Tally if it fails.',
  });
};
