import type { SectionBlock } from '@slack/types';
import { describeReport } from '../../delivery/posts/schedule-wording.ts';
import { commandText } from '../../domain/commands.ts';
import { pluralize } from '../../domain/language/text.ts';
import { commandButton, pageButtons } from '../../slack/commands/command-buttons.ts';
import {
  actions,
  type Block,
  button,
  context,
  header,
  type Message,
  markup,
  section,
} from '../../slack/kit/atoms.ts';
import { deletedMessage, pageOf, type RowChoice, withRowMenu } from '../../slack/owned/list.ts';
import { canEditOwned, findOrphans, type ListViewer, type Owned } from '../../slack/owned/ownership.ts';
import { askLocation, type Request } from '../../slack/request/request.ts';
import type { LastDelivery, Schedule } from '../../workspace/owned/schedules.ts';
import { damagedIds, type Workspace } from '../../workspace/record/workspace.ts';
import type { StatusPart } from '../feature.ts';
import { describeSchedule, isRunning, isStuck } from './blocks.ts';
import { canReadSchedule, schedulesVisibleTo } from './permissions.ts';
import { loadUpcomingSends, type SchedulesParts, type UpcomingSendsOf } from './upcoming-sends.ts';

/** On a Home that shows other things as well. */
const MOST_AT_HOME = 10;

interface Reader extends ListViewer {
  readonly sends: UpcomingSendsOf;
}

interface ScheduleList {
  /** From 1; beyond the last one it is the last. */
  readonly page: number;
  /** Whether this person may adopt it. */
  readonly orphans: (schedule: Owned) => boolean;
  /** What was just done, as mrkdwn. */
  readonly notice?: string;
}

const channelOf = ({ channel }: Schedule): string => channel;

/** Replies with the list, read again after a change. */
export async function showSchedules(
  { workspaces, scheduling }: SchedulesParts,
  request: Request,
  { notice, page = 1 }: { readonly notice?: string; readonly page?: number } = {},
): Promise<void> {
  const workspace = notice === undefined ? request.workspace : await workspaces.read(request.user.teamId);
  const now = { ...request, workspace };
  const { shown } = pageOf(schedulesVisibleTo(now), page);
  const [orphans, sends] = await Promise.all([
    findOrphans(shown, channelOf, now),
    loadUpcomingSends(scheduling, request),
  ]);
  const list = { page, orphans, ...(notice && { notice }) };
  await request.reply.update(scheduleListMessage(list, { ...now, sends }));
}

function scheduleListMessage({ page, orphans, notice }: ScheduleList, request: Reader): Message {
  const { all, pages, number, shown } = pageOf(schedulesVisibleTo(request), page);
  const title = pluralize(all.length, 'scheduled post');
  const news = [
    ...(notice === undefined ? [] : [markup(notice)]),
    ...(request.user.canManage && damagedSchedules(request.workspace).length > 0 ? damagedBlocks() : []),
  ];
  if (all.length === 0) return { text: notice ?? NONE, blocks: [...news, section(NONE), addActions()] };
  return {
    text: notice ?? title,
    blocks: [
      ...news,
      header(title),
      ...shown.map((one) => row(one, request, orphans(one))),
      actions(...pageTurns(number, pages), ...resumeButton(request), ...addButton()),
      context(
        [
          ...(pages > 1 ? [`page ${number} of ${pages}`] : []),
          request.user.canManage
            ? 'all schedules of this workspace'
            : 'schedules of this channel, and your own',
        ].join(' · '),
      ),
    ],
  };
}

const DAMAGED =
  'The record of a schedule is damaged, so Tally can’t show or post it. Remove it and set it up again.';
const damagedBlocks = (): Block[] => [
  section(DAMAGED),
  actions(button('schedule-drop', 'Remove damaged schedules', { style: 'danger' })),
];

/** Ids of the schedules that cannot be read. */
export const damagedSchedules = (workspace: Workspace): readonly string[] =>
  damagedIds(workspace, 'schedule');

const NONE =
  'No scheduled posts here yet. Tally can post a report every morning, for example yesterday’s spend.';

const addButton = () =>
  commandButton('schedule', 'Schedule a post…', { command: '/billing schedule' }, { style: 'primary' });
/** Paused schedules that this person may resume. */
export const resumableSchedules = (request: ListViewer): readonly Schedule[] =>
  schedulesVisibleTo(request).filter((one) => one.paused !== undefined && canEditOwned(one, request));

const resumeButton = (request: Reader) =>
  resumableSchedules(request).length > 1 ? [button('schedule-resume-all', 'Resume all')] : [];
const addActions = (): Block => actions(...addButton());

const pageTurns = (page: number, pages: number) =>
  pageButtons(page, pages, (to) => ({ command: '/billing schedules', text: `page ${to}` }));

/** The action id of a row's menu; its value is an action and the schedule's id. */
export const SCHEDULE_ROW_ACTION = 'schedule-row';

const row = (schedule: Schedule, viewer: Reader, isOrphan: boolean): SectionBlock =>
  withRowMenu(markup(describeSchedule(schedule, viewer)), schedule, viewer, {
    actionId: SCHEDULE_ROW_ACTION,
    choices: choicesFor(schedule, viewer),
    isOrphan,
  });

const choicesFor = (schedule: Schedule, viewer: ListViewer): RowChoice[] => [
  schedule.paused === undefined ? ['Pause', 'pause'] : ['Resume', 'resume'],
  ...(canReadSchedule(schedule, viewer) ? [['Edit…', 'edit'] as const] : []),
  ['Send now', 'now'],
  ['Delete', 'delete'],
];

export const scheduleDeletedMessage = (schedule: Schedule, request: Request): Message =>
  deletedMessage({
    text: `Deleted ${describeReport(schedule, request.workspace, askLocation(request))}. It won’t be posted again.`,
    ...{
      id: schedule.id,
      undoAction: 'schedule-undo',
      listAction: 'schedule-list',
      listLabel: 'All schedules',
    },
  });

/** For a person's Home: the schedules they own; for managers all of them. */
export async function scheduleHomeBlocks(request: Request & Reader): Promise<readonly Block[]> {
  const here = { ...request, channel: undefined };
  const all = schedulesVisibleTo(here);
  if (all.length === 0) return [];
  const shown = byNeed(all, here).slice(0, MOST_AT_HOME);
  const isOrphan = await findOrphans(shown, channelOf, request);
  const more = all.length - shown.length;
  return [
    header('Scheduled posts'),
    ...shown.map((one) => row(one, here, isOrphan(one))),
    ...(more > 0 ? [context(`and ${more} more: \`${commandText('/billing schedules')}\``)] : []),
  ];
}

/** For `/billing status`: how many there are, then those that are stuck or failed, then the next ones. */
export function scheduleStatus(request: Reader): readonly StatusPart[] {
  const all = schedulesVisibleTo(request);
  if (all.length === 0) return [];
  const { workspace } = request;
  const running = all.filter((one) => isRunning(one, workspace));
  const stuck = all.filter((one) => isStuck(one, workspace));
  const cameTo = (result: LastDelivery['result']) =>
    running.filter(({ id }) => workspace.lastSent(id)?.result === result);
  const [failing, trying] = [cameTo('failed'), cameTo('trying')];
  const paused = all.length - running.length - stuck.length;
  const counts = [
    `${running.length} running`,
    ...(paused > 0 ? [`${paused} paused`] : []),
    ...(stuck.length > 0 ? [`*${stuck.length} paused by Tally*`] : []),
    ...(trying.length > 0 ? [`*${trying.length} not posted yet*`] : []),
    ...(failing.length > 0 ? [`*${failing.length} failed last time*`] : []),
  ];
  const broken = stuck.length + failing.length;
  const blocks = [
    markup(`*Scheduled posts* · ${counts.join(' · ')}`),
    ...byNeed(all, request)
      .slice(0, MOST_IN_STATUS)
      .map((one) => row(one, request, false)),
    actions(button('schedule-list', 'All schedules')),
  ];
  const health = broken > 0 ? 'broken' : trying.length > 0 ? 'warning' : 'fine';
  return [{ health, problems: broken + trying.length, blocks }];
}

/** The list has them all. */
const MOST_IN_STATUS = 5;

/** Order: paused by Tally, failed or retried, the others by their next post, paused by a person. */
function byNeed(all: readonly Schedule[], { workspace, sends }: Reader): readonly Schedule[] {
  const rankOf = (one: Schedule): number => {
    if (!isRunning(one, workspace)) return isStuck(one, workspace) ? 0 : 3;
    const result = workspace.lastSent(one.id)?.result;
    return result === 'failed' || result === 'trying' ? 1 : 2;
  };
  return all
    .map((one) => ({ one, rank: rankOf(one), due: sends(one).next[0]?.at ?? Infinity }))
    .toSorted((a, b) => a.rank - b.rank || a.due - b.due)
    .map(({ one }) => one);
}
