import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { describeReport } from '../../delivery/posts/run-report.ts';
import type { ScheduleService } from '../../delivery/posts/schedule-service.ts';
import { EditConflict } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Block, button, channelLink, compact } from '../../slack/kit/blocks.ts';
import { storeItem } from '../../slack/owned/actions.ts';
import { damagedStatus, homeRows, showOwned, statusPart } from '../../slack/owned/list.ts';
import { canEditOwned, type OwnedKind, visibleItems } from '../../slack/owned/owned-kind.ts';
import { findItemProblem } from '../../slack/owned/target-check.ts';
import { type ChannelCheck, checkChannel } from '../../slack/request/channels.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type LastDelivery,
  MAX_SCHEDULES,
  resumesByItself,
  type Schedule,
} from '../../workspace/owned/schedule-record.ts';
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
    noun: 'scheduled post',
    sends: 'posts',
    max: MAX_SCHEDULES,
    commands: { create: '/billing schedule', list: '/billing schedules' },
    actions: {
      row: 'schedule-row',
      undo: 'schedule-undo',
      drop: 'schedule-drop',
      list: 'schedule-list',
      manage: 'schedule-list',
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
    choices: () => [['Send now', 'now']],
    listButtons: (viewer) =>
      resumableSchedules(kind, viewer).length > 1 ? [button('schedule-resume-all', 'Resume all')] : [],
    paused: (schedule, { at, user }) => ({ ...schedule, paused: { why: 'person', at, by: user.id } }),
    resumed: resumedSchedule,
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
      resumed: ({ paused }) =>
        paused &&
        (resumesByItself(paused.why)
          ? 'Resumed. If a post was missed, Tally sends it now.'
          : 'Resumed. Posts missed while paused won’t be sent.'),
      adopted: 'You own this schedule now. You’ll hear from Tally if it fails.',
    },
  };
  return kind;
}

/** Posts missed in a pause of Tally's own are made up for; others are not. */
function resumedSchedule({ paused, ...running }: Schedule, { at }: Request): Schedule {
  return paused === undefined || resumesByItself(paused.why) ? running : { ...running, since: at };
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

const resumableSchedules = (kind: OwnedSchedules, viewer: Request): readonly Schedule[] =>
  visibleItems(kind, viewer).filter(
    (schedule) => schedule.paused !== undefined && canEditOwned(schedule, viewer),
  );

/** The list shows each of them anyway. */
const MAX_PROBLEMS = 5;

/** One after the other, checking each channel once. A schedule that cannot resume does not hold up the others. */
export async function resumeAll(kind: OwnedSchedules, request: Request): Promise<void> {
  const checks = new Map<SlackId, Promise<ChannelCheck>>();
  const checkOf = (channel: SlackId) => {
    const check = checks.get(channel) ?? checkChannel(channel, request, true);
    checks.set(channel, check);
    return check;
  };
  const problems = new Set<string>();
  let resumed = 0;
  for (const schedule of resumableSchedules(kind, request)) {
    const problem =
      (await findItemProblem(schedule, request, checkOf)) ?? (await resume(kind, schedule, request));
    if (problem === undefined) resumed += 1;
    else problems.add(`Still paused in ${channelLink(schedule.channel)}: ${problem}`);
  }
  if (resumed > 0) await kind.changed(request.user.teamId);
  const done = `Resumed ${pluralize(resumed, 'scheduled post')}. Posts missed while someone had paused them won’t be sent.`;
  const lines = compact([resumed > 0 && done, ...[...problems].slice(0, MAX_PROBLEMS)]);
  await showOwned(kind, request, { notice: lines.join('\n') });
}

/** @returns why it was not saved, in a sentence, where somebody else changed it */
async function resume(
  kind: OwnedSchedules,
  schedule: Schedule,
  request: Request,
): Promise<string | undefined> {
  try {
    await storeItem(kind, resumedSchedule(schedule, request), 'schedule resumed', request);
    return undefined;
  } catch (error) {
    if (error instanceof EditConflict) return error.message;
    throw error;
  }
}

/** For a person's Home: the schedules they own; for managers all of them. */
export async function scheduleHomeBlocks(kind: OwnedSchedules, request: Request): Promise<readonly Block[]> {
  const sends = await kind.load(request);
  const here = { ...request, channel: undefined };
  return homeRows(kind, byNeed(visibleItems(kind, here), request.workspace, sends), here, sends);
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

/** Order: paused by Tally, failed or retried, the others by their next post, paused by a person. */
function byNeed(
  schedules: readonly Schedule[],
  workspace: Workspace,
  sends: UpcomingSendsOf,
): readonly Schedule[] {
  const rankOf = (schedule: Schedule): number => {
    if (!isRunning(schedule, workspace)) return isPausedByTally(schedule, workspace) ? 0 : 3;
    const result = workspace.lastSent(schedule.id)?.result;
    return result === 'failed' || result === 'trying' ? 1 : 2;
  };
  return schedules
    .map((schedule) => ({
      schedule,
      rank: rankOf(schedule),
      due: sends(schedule).next[0]?.at ?? Infinity,
    }))
    .toSorted((a, b) => a.rank - b.rank || a.due - b.due)
    .map(({ schedule }) => schedule);
}
