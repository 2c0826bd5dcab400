/** `/billing schedule` and `/billing schedules`, for full members. */
import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { type LastDelivery, lastDelivery } from '../../delivery/posts/post-record.ts';
import { commandText } from '../../domain/command-names.ts';
import { failureSentence } from '../../domain/failure/index.ts';
import { REPORT_CHOICES, REPORTS } from '../../domain/report.ts';
import { type DueTime, dueTimes, formatTiming } from '../../domain/time/cadence.ts';
import { type Day, dayAt, formatDays, formatWallTime, type Millis } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  type AutomationAction,
  type AutomationKind,
  type AutomationNeed,
  canReadAutomation,
  PAUSED_TEXTS,
  pausedByMarkup,
  RESUMES_BY_ITSELF,
  stopReasonOf,
} from '../../slack/automations/automation.ts';
import { createAutomationFeature } from '../../slack/automations/automation-feature.ts';
import { findItemProblem } from '../../slack/automations/automation-form.ts';
import { PAUSED_BY_TALLY, showAutomations } from '../../slack/automations/automation-list.ts';
import { channelLink, escapeMarkup, instantMarkup, mention } from '../../slack/block-kit/blocks.ts';
import { type HelpLine, PERIOD_EXAMPLES } from '../../slack/commands/help.ts';
import type { Request } from '../../slack/request/request.ts';
import { describeProjects, projectKey } from '../../workspace/projects/chosen-project.ts';
import { limitedProjects, type ProjectScope } from '../../workspace/projects/project-scope.ts';
import {
  MAX_DIGEST_PROJECTS,
  MAX_SCHEDULES,
  type Schedule,
} from '../../workspace/record/automation-records.ts';
import { findSchedule, type Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { CADENCE_EXAMPLES, parseScheduleText } from './parse-schedule-command.ts';
import { createScheduleForm } from './schedule-form.ts';

const HELP: readonly HelpLine[] = [
  {
    usage: `${commandText('/billing schedule')} [project] [report] [daily | weekdays | weekly mon | monthly 1] [time]`,
    what: `Post a report in a channel on a schedule: ${REPORT_CHOICES}.`,
    short: 'Post spend in a channel every morning.',
    examples: [commandText('/billing schedule'), `${commandText('/billing schedule')} prod daily 09:00`],
    right: 'member',
  },
  {
    usage: commandText('/billing schedules'),
    what: 'List schedules with their next run and last result. Pause, edit, send or delete them there.',
    right: 'member',
  },
];

const SMALL = `${PERIOD_EXAMPLES.order} How often: ${CADENCE_EXAMPLES}. Times: 09:00, 9 am, daily 9. ${PERIOD_EXAMPLES.products}`;

type ScheduleServices = Pick<Services, 'workspaces' | 'limits'> &
  Pick<DeliveryService, 'scheduling' | 'changed'>;

export function createSchedulesFeature(services: ScheduleServices): Feature {
  const kind = createScheduleKind(services);
  const form = createScheduleForm(kind, services);
  return createAutomationFeature({ kind, form, help: HELP, small: SMALL, parse: parseScheduleText });
}

function createScheduleKind({
  workspaces,
  limits,
  scheduling,
  changed,
}: ScheduleServices): AutomationKind<Schedule> {
  const kind: AutomationKind<Schedule> = {
    noun: 'schedule',
    sends: 'posts',
    max: MAX_SCHEDULES,
    maxProjects: MAX_DIGEST_PROJECTS,
    maxPeople: 0,
    workspaces,
    store: workspaces.schedules,
    changed,
    find: findSchedule,
    isShownHere: ({ channel, projects }, { channel: here, workspace }) =>
      channel === here && limitedProjects(channel, projects, workspace).length === 0,
    async viewFor(reader) {
      const { workspace, user } = reader;
      const log = workspace.schedules.length > 0 && (await scheduling.loadLog(user.teamId));
      const lastOf = ({ id }: Schedule) => (log ? lastDelivery(id, log) : undefined);
      return {
        describe: (schedule) => describeSchedule(schedule, lastOf(schedule), reader),
        needOf: (schedule) => needOf(schedule, lastOf(schedule), workspace),
        choices: (schedule) => [
          ...(lastOf(schedule)?.result === 'paused' ? [TRY_AGAIN] : []),
          ['Send now', 'now'],
        ],
      };
    },
    resumed: ({ paused: _, ...running }, { at }) => ({ ...running, since: at }),
    actions: {
      now: (schedule, request) =>
        unlessStopped(schedule, request, async () => {
          const { teamId, id: userId } = request.user;
          limits.demand('tests', { teamId, userId });
          const outcome = await scheduling.send(teamId, schedule, 'now', userId);
          const channel = channelLink(schedule.channel);
          return outcome === 'posted'
            ? `Posted in ${channel}. The next post goes out as scheduled.`
            : `Someone just pressed Send now, so only one post goes to ${channel}.`;
        }),
      retry: (schedule, request) =>
        unlessStopped(schedule, request, async () => {
          await scheduling.retry(request.user.teamId, schedule.id);
          return 'Tally is trying again.';
        }),
    } satisfies Record<string, AutomationAction<Schedule>>,
    words: {
      title: 'Schedules',
      count: (schedules) => pluralize(schedules, 'schedule'),
      create: 'Schedule a post…',
      none: 'No schedules here yet. Tally can post a report every morning, for example yesterday’s spend.',
      summary: scheduleMarkup,
      auditText: scheduleAuditText,
      paused: 'Paused. Nothing is posted or corrected until you resume.',
      resumed: 'Resumed. Posts missed while paused won’t be sent.',
    },
  };
  /** Shows the result of `work` above the list; if the schedule can't post, shows why instead. */
  const unlessStopped = async (schedule: Schedule, request: Request, work: () => Promise<string>) =>
    showAutomations(kind, request, {
      notice: (await findItemProblem(schedule, request)) ?? (await work()),
    });
  return kind;
}

const TRY_AGAIN = ['Try again', 'retry'] as const;
const EDIT = ['Edit…', 'edit'] as const;

/** @returns undefined if the schedule works, or if a person paused it */
function needOf(
  schedule: Schedule,
  last: LastDelivery | undefined,
  workspace: Workspace,
): AutomationNeed | undefined {
  if (schedule.paused !== undefined) return undefined;
  const { result, cause } = last ?? {};
  const stopped = stopReasonOf(schedule, workspace);
  const isTold =
    stopped === 'not-connected' ||
    schedule.projects.some(
      (project) => cause && workspace.failures.get(projectKey(project))?.kind === cause.kind,
    );
  if (result === 'paused' || stopped !== undefined)
    return { level: 'broken', what: PAUSED_BY_TALLY, fix: result === 'paused' ? TRY_AGAIN : EDIT, isTold };
  if (result === 'failed') return { level: 'broken', what: 'failed last time', fix: ['Send now', 'now'] };
  return result === 'trying' ? { level: 'warning', what: 'not posted yet', fix: EDIT, isTold } : undefined;
}

const reportMarkup = (schedule: Schedule, workspace: Workspace, scope?: ProjectScope): string =>
  `*${REPORTS[schedule.report].title}* for ${escapeMarkup(describeProjects(schedule, workspace, scope))}`;

/** For the middle of a sentence: `every day at 09:00` */
const timingText = ({ timing }: Schedule): string => {
  const text = formatTiming(timing);
  return text[0]?.toLowerCase() + text.slice(1);
};

const scheduleAuditText = (schedule: Schedule, workspace: Workspace): string =>
  `${REPORTS[schedule.report].title} for ${describeProjects(schedule, workspace)} in ${schedule.channel}, ${timingText(schedule)}`;

/** `*Yesterday’s spend* for prod, every day at 09:00` */
const scheduleMarkup = (schedule: Schedule, { workspace }: Pick<Request, 'workspace'>): string =>
  `${reportMarkup(schedule, workspace)}, ${escapeMarkup(timingText(schedule))}`;

/** Why a schedule posts nothing. @param last lacks its cause if the reader may not know it */
function pauseText(
  schedule: Schedule,
  last: LastDelivery | undefined,
  workspace: Workspace,
): string | undefined {
  const { paused } = schedule;
  if (paused !== undefined) return pausedByMarkup(paused);
  const why = stopReasonOf(schedule, workspace);
  if (why !== undefined) return `*${PAUSED_TEXTS[why]}*${RESUMES_BY_ITSELF}`;
  if (last?.result !== 'paused') return undefined;
  const cause = last.cause === undefined ? '' : `: ${escapeMarkup(failureSentence(last.cause))}`;
  return `*paused*${cause}${RESUMES_BY_ITSELF}`;
}

function lastDeliveryText(sent: LastDelivery | undefined, today: Day): string {
  if (sent === undefined) return 'nothing posted yet';
  const { result, awaits, next } = sent;
  const when = instantMarkup(sent.at);
  const cause = sent.cause === undefined ? '' : ` · ${escapeMarkup(failureSentence(sent.cause, today))}`;
  switch (result) {
    case 'posted':
      return `last posted: ${when}`;
    case 'posted-late':
      return `last posted late: ${when}`;
    case 'failed':
      return `*failed*, tried: ${when}${cause}`;
    case 'waiting':
      return `waiting for billing to report ${awaits === undefined ? 'the day' : formatDays(awaits, awaits, today.slice(0, 4))}${next === undefined ? '' : `, next check: ${instantMarkup(next)}`}`;
    case 'paused':
      return `last tried: ${when}`;
    case 'trying':
      return `*not posted yet*, tried: ${when}${cause}${next === undefined ? '' : ` Next try: ${instantMarkup(next)}.`}`;
  }
}

/** @param handled the newest date for which a post was sent or tried: the next date is after it */
function findNext({ timing, since }: Schedule, handled: Day = '', now: Millis): DueTime | undefined {
  for (const due of dueTimes(timing, Math.max(since, now))) if (due.date > handled) return due;
  return undefined;
}

/** Lines of mrkdwn. They reveal nothing about projects that the reader may not ask about. */
function describeSchedule(schedule: Schedule, known: LastDelivery | undefined, reader: Request): string[] {
  const { workspace, user, at } = reader;
  const { timing } = schedule;
  const { cause: _, ...uncaused } = known ?? {};
  const last = canReadAutomation(schedule, reader) ? known : known && (uncaused as LastDelivery);
  const next = findNext(schedule, known?.date, at);
  const state =
    pauseText(schedule, last, workspace) ??
    (next === undefined ? 'never' : `next ${escapeMarkup(formatWallTime(next.at, timing.zone))}`);
  return [
    `${reportMarkup(schedule, workspace, reader)} → ${channelLink(schedule.channel)}`,
    `${state} · ${lastDeliveryText(last, dayAt(at, user.zone ?? timing.zone))}`,
    `${escapeMarkup(formatTiming(timing))} · owner ${mention(schedule.owner)}`,
  ];
}
