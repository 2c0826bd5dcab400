import type { SectionBlock } from '@slack/types';
import { pluralize } from '../../domain/language/text.ts';
import { commandButton, pageButtons } from '../../slack/command-buttons.ts';
import {
  actions,
  type Block,
  button,
  context,
  header,
  type Message,
  markup,
  option,
  overflow,
  section,
} from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request.ts';
import { UNDO_MS } from '../../workspace/projects.ts';
import { type LastDelivery, REPORT_NAMES, type Schedule } from '../../workspace/schedules.ts';
import { damagedIds } from '../../workspace/workspace.ts';
import type { Workspace } from '../../workspace/workspaces.ts';
import { describeProjects, describeSchedule, isStuck } from './blocks.ts';
import { canEditSchedule, findOrphans, schedulesVisibleTo } from './permissions.ts';
import type { UpcomingSendsOf } from './upcoming-sends.ts';

/** A section with a menu each; Slack takes 50 blocks a message. */
const PAGE = 20;
/** On a Home that shows other things as well. */
const MOST_AT_HOME = 10;

interface Viewer extends Pick<Request, 'user' | 'workspace' | 'channel'> {
  readonly sends: UpcomingSendsOf;
}

export interface ScheduleList {
  /** From 1; beyond the last one it is the last. */
  readonly page: number;
  /** Those on the page that this person may take over. */
  readonly orphans: (schedule: Schedule) => boolean;
  /** What was just done. */
  readonly said?: string;
}

/** The schedules on a page, which beyond the last one is the last. */
export function schedulePageOf(visit: Omit<Viewer, 'sends'>, page: number) {
  const all = schedulesVisibleTo(visit);
  const pages = Math.max(1, Math.ceil(all.length / PAGE));
  const number = Math.min(Math.max(page, 1), pages);
  return { all, pages, number, shown: all.slice((number - 1) * PAGE, number * PAGE) };
}

export function scheduleListMessage({ page, orphans, said }: ScheduleList, visit: Viewer): Message {
  const { all, pages, number, shown } = schedulePageOf(visit, page);
  const title = pluralize(all.length, 'scheduled post');
  const news = [
    ...(said === undefined ? [] : [markup(said)]),
    ...(visit.user.canManage && damagedSchedules(visit.workspace).length > 0 ? damagedBlocks() : []),
  ];
  if (all.length === 0) return { text: said ?? NONE, blocks: [...news, section(NONE), addActions()] };
  return {
    text: said ?? title,
    blocks: [
      ...news,
      header(title),
      ...shown.map((one) => row(one, visit, orphans(one))),
      actions(...turns(number, pages), ...resumeButton(visit), ...addButton()),
      context(
        [
          ...(pages > 1 ? [`page ${number} of ${pages}`] : []),
          visit.user.canManage ? 'all of this workspace' : 'those of this channel, and your own',
        ].join(' · '),
      ),
    ],
  };
}

const DAMAGED =
  'The record of a schedule is damaged, so it cannot be shown or posted. It can be removed, and set up again.';
const damagedBlocks = (): Block[] => [
  section(DAMAGED),
  actions(button('schedule-drop', 'Remove what is damaged', { style: 'danger' })),
];

/** Ids of the schedules that cannot be read. */
export const damagedSchedules = (record: Workspace): readonly string[] => damagedIds(record, 'schedule');

const NONE =
  'Nothing is posted here on a schedule yet. A report can come every morning, say, with what was spent.';

const addButton = () =>
  commandButton(
    'schedule',
    'Schedule a post…',
    { command: '/billing', text: 'schedule' },
    { style: 'primary' },
  );
/** Those that are paused and that this person may resume. */
export const resumableSchedules = (visit: Omit<Viewer, 'sends'>): readonly Schedule[] =>
  schedulesVisibleTo(visit).filter((one) => one.paused !== undefined && canEditSchedule(one, visit));

const resumeButton = (visit: Viewer) =>
  resumableSchedules(visit).length > 1 ? [button('schedule-resume-all', 'Resume all')] : [];
const addActions = (): Block => actions(...addButton());

const turns = (page: number, pages: number) =>
  pageButtons(page, pages, (to) => ({ command: '/billing', text: `schedules page ${to}` }));

/** The action id of a row's menu: its value is what to do, and the schedule's id. */
export const SCHEDULE_ROW_ACTION = 'schedule-row';

function row(schedule: Schedule, visit: Viewer, isOrphan: boolean): SectionBlock {
  const text = markup(describeSchedule(schedule, visit));
  const choices = [
    ...(canEditSchedule(schedule, visit) ? deedsFor(schedule) : []),
    ...(isOrphan ? [['Adopt', 'adopt']] : []),
  ];
  if (choices.length === 0) return text;
  const options = choices.map(([label = '', deed]) => option(label, `${deed} ${schedule.id}`));
  return { ...text, accessory: overflow(SCHEDULE_ROW_ACTION, options) };
}

const deedsFor = ({ paused }: Schedule): string[][] => [
  paused === undefined ? ['Pause', 'pause'] : ['Resume', 'resume'],
  ['Edit…', 'edit'],
  ['Send now', 'now'],
  ['Delete', 'delete'],
];

const MINUTES = UNDO_MS / 60_000;

export function scheduleDeletedMessage(schedule: Schedule, { workspace }: Request): Message {
  const what = `${REPORT_NAMES[schedule.report]} of ${describeProjects(schedule, workspace)}`;
  const text = `The schedule is deleted: ${what} is not posted any more.`;
  return {
    text,
    blocks: [
      section(text),
      actions(
        button('schedule-undo', 'Undo', { value: schedule.id }),
        button('schedule-list', 'All schedules'),
      ),
      context(`Undo works for ${MINUTES} minutes.`),
    ],
  };
}

/** A part of somebody's Home: what they answer for; to whoever manages all. */
export async function scheduleHomeBlocks(visit: Request & Viewer): Promise<readonly Block[]> {
  const here = { ...visit, channel: undefined };
  const all = schedulesVisibleTo(here);
  if (all.length === 0) return [];
  const shown = byNeed(all, here).slice(0, MOST_AT_HOME);
  const isOrphan = await findOrphans(shown, visit);
  const more = all.length - shown.length;
  return [
    header('Scheduled posts'),
    ...shown.map((one) => row(one, here, isOrphan(one))),
    ...(more > 0 ? [context(`and ${more} more: \`/billing schedules\` lists them all`)] : []),
  ];
}

/** For `/billing status`: how many there are, then what stands still or failed, then what comes next. */
export function scheduleStatusBlocks(visit: Viewer): readonly Block[] {
  const all = schedulesVisibleTo(visit);
  if (all.length === 0) return [];
  const running = all.filter(({ paused }) => paused === undefined);
  const stuck = all.filter((one) => isStuck(one));
  const cameTo = (result: LastDelivery['result']) =>
    running.filter(({ id }) => visit.workspace.lastSent(id)?.result === result);
  const [failing, trying] = [cameTo('failed'), cameTo('trying')];
  const paused = all.length - running.length - stuck.length;
  const counts = [
    `${running.length} running`,
    ...(paused > 0 ? [`${paused} paused`] : []),
    ...(stuck.length > 0 ? [`*${stuck.length} paused by Tally*`] : []),
    ...(trying.length > 0 ? [`*${trying.length} not posted yet*`] : []),
    ...(failing.length > 0 ? [`*${failing.length} failed the last time*`] : []),
  ];
  return [
    markup(`*Scheduled posts* · ${counts.join(' · ')}`),
    ...byNeed(all, visit)
      .slice(0, MOST_IN_STATUS)
      .map((one) => row(one, visit, false)),
    actions(button('schedule-list', 'All schedules')),
  ];
}

/** The list has them all. */
const MOST_IN_STATUS = 5;

/** First what Tally paused, then what failed or is tried again, then by when it comes next; last what somebody paused. */
function byNeed(all: readonly Schedule[], { workspace, sends }: Viewer): readonly Schedule[] {
  const rankOf = (one: Schedule): number => {
    if (one.paused !== undefined) return isStuck(one) ? 0 : 3;
    const result = workspace.lastSent(one.id)?.result;
    return result === 'failed' || result === 'trying' ? 1 : 2;
  };
  return all
    .map((one) => ({ one, rank: rankOf(one), due: sends(one).next[0]?.at ?? Infinity }))
    .toSorted((a, b) => a.rank - b.rank || a.due - b.due)
    .map(({ one }) => one);
}
