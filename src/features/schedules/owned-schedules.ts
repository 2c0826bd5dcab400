import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { describeReport } from '../../delivery/posts/run-report.ts';
import type { ScheduleService } from '../../delivery/posts/schedule-service.ts';
import { pluralize } from '../../domain/wording.ts';
import { type Block, channelLink } from '../../slack/kit/blocks.ts';
import { attentionRows, damagedStatus, showOwned, statusPart } from '../../slack/owned/list.ts';
import { type OwnedKind, visibleItems } from '../../slack/owned/owned-kind.ts';
import { findItemProblem } from '../../slack/owned/target-check.ts';
import type { Request } from '../../slack/request/request.ts';
import { type LastDelivery, MAX_SCHEDULES, type Schedule } from '../../workspace/owned/schedule-record.ts';
import { limitedProjects } from '../../workspace/projects/project-visibility.ts';
import { findSchedule, type Workspace } from '../../workspace/record/workspace.ts';
import type { Services, StatusPart } from '../feature.ts';
import { describeSchedule, isPausedByTally, isRunning, scheduleAuditText, scheduleMarkup } from './blocks.ts';
import { loadUpcomingSends, type UpcomingSendsOf } from './upcoming-posts.ts';

export type OwnedSchedules = OwnedKind<Schedule, UpcomingSendsOf>;

export function createOwnedSchedules({
  workspaces,
  scheduling,
}: Pick<Services, 'workspaces'> & Pick<DeliveryService, 'scheduling'>): OwnedSchedules {
  const kind: OwnedSchedules = {
    kind: 'schedule',
    plural: 'schedules',
    sends: 'posts',
    max: MAX_SCHEDULES,
    commands: { create: '/billing schedule', list: '/billing schedules' },
    actions: {
      row: 'schedule-row',
      undo: 'schedule-undo',
      drop: 'schedule-drop',
      list: 'schedule-list',
    },
    workspaces,
    store: workspaces.schedules,
    changed: scheduling.changed,
    all: ({ schedules }) => schedules,
    ids: ({ scheduleIds }) => scheduleIds,
    find: findSchedule,
    isShownHere: ({ channel, projects }, { channel: here, workspace }) =>
      channel === here && limitedProjects(channel, projects, workspace).length === 0,
    load: (request) => loadUpcomingSends(scheduling, request),
    describe: describeSchedule,
    choices: ({ id }, { workspace }) => [
      ...(workspace.lastSent(id)?.result === 'paused' ? [['Try again', 'retry'] as const] : []),
      ['Send now', 'now'],
    ],
    paused: (schedule, { at, user }) => ({ ...schedule, paused: { at, by: user.id } }),
    resumed: ({ paused, ...running }, { at }) => (paused === undefined ? running : { ...running, since: at }),
    words: {
      title: 'Scheduled posts',
      count: (schedules) => pluralize(schedules, 'scheduled post'),
      create: 'Schedule a post…',
      none: 'No scheduled posts here yet. Tally can post a report every morning, for example yesterday’s spend.',
      verb: 'post',
      shownHere: 'schedules of this channel, and your own',
      summary: scheduleMarkup,
      auditText: scheduleAuditText,
      deleted: (schedule, request) =>
        `Deleted ${describeReport(schedule, request.workspace, request)}. It won’t be posted again.`,
      paused: 'Paused. Nothing is posted or corrected until you resume it.',
      resumed: ({ paused }) => paused && 'Resumed. Posts missed while paused won’t be sent.',
    },
  };
  return kind;
}

export async function sendScheduleNow(
  kind: OwnedSchedules,
  scheduling: ScheduleService,
  schedule: Schedule,
  request: Request,
): Promise<void> {
  const problem = await findItemProblem(schedule, request);
  if (problem !== undefined) return showOwned(kind, request, { notice: problem });
  await scheduling.send(request.user.teamId, schedule, 'now', request.user.id);
  await showOwned(kind, request, {
    notice: `Posted in ${channelLink(schedule.channel)}. The next post comes as planned.`,
  });
}

export async function retrySchedule(
  kind: OwnedSchedules,
  scheduling: ScheduleService,
  schedule: Schedule,
  request: Request,
): Promise<void> {
  const problem = await findItemProblem(schedule, request);
  if (problem === undefined) await scheduling.retry(request.user.teamId, schedule.id);
  await showOwned(kind, request, { notice: problem ?? 'Tally is trying again.' });
}

/** The top of a person's Home: the schedules that are stuck or failed. */
export async function scheduleAttention(kind: OwnedSchedules, request: Request): Promise<readonly Block[]> {
  const here = { ...request, channel: undefined };
  const { workspace } = request;
  const needy = visibleItems(kind, here).filter((schedule) => needOf(schedule, workspace) < 2);
  if (needy.length === 0) return [];
  const details = await kind.load(request);
  return attentionRows(kind, needy, { viewer: here, details });
}

/** For `/billing status`: how many there are, then those that are stuck or failed, then the next ones. */
export async function scheduleStatus(kind: OwnedSchedules, request: Request): Promise<readonly StatusPart[]> {
  const sends = await kind.load(request);
  const all = visibleItems(kind, request);
  if (all.length === 0) return damagedStatus(kind, request);
  const { workspace } = request;
  const running = all.filter((schedule) => isRunning(schedule, workspace));
  const stuck = all.filter((schedule) => isPausedByTally(schedule, workspace));
  const cameTo = (result: LastDelivery['result']) =>
    running.filter(({ id }) => workspace.lastSent(id)?.result === result);
  const attention = [
    { items: stuck, what: 'paused by Tally', health: 'broken' },
    { items: cameTo('trying'), what: 'not posted yet', health: 'warning' },
    { items: cameTo('failed'), what: 'failed last time', health: 'broken' },
  ] as const;
  const counts = [running.length, all.length - running.length - stuck.length] as const;
  return [
    ...damagedStatus(kind, request),
    statusPart(kind, counts, attention, byNeed(all, workspace, sends), request, sends),
  ];
}

/** 0 for paused by Tally, 1 for failed or retried, 2 for the others that run, 3 for paused by a person. */
function needOf(schedule: Schedule, workspace: Workspace): number {
  if (!isRunning(schedule, workspace)) return isPausedByTally(schedule, workspace) ? 0 : 3;
  const result = workspace.lastSent(schedule.id)?.result;
  return result === 'failed' || result === 'trying' ? 1 : 2;
}

/** Order: paused by Tally, failed or retried, the others by their next post, paused by a person. */
function byNeed(
  schedules: readonly Schedule[],
  workspace: Workspace,
  sends: UpcomingSendsOf,
): readonly Schedule[] {
  return schedules
    .map((schedule) => ({
      schedule,
      rank: needOf(schedule, workspace),
      due: sends(schedule).next[0]?.at ?? Infinity,
    }))
    .toSorted((a, b) => a.rank - b.rank || a.due - b.due)
    .map(({ schedule }) => schedule);
}
