import type { DeliveryService } from '../../delivery/delivery-service.ts';
import type { ScheduleService } from '../../delivery/posts/schedule-service.ts';
import { describeReport } from '../../delivery/reports/reports.ts';
import { commandText } from '../../domain/command-names.ts';
import { REPORT_CHOICES } from '../../domain/report.ts';
import { pluralize } from '../../domain/wording.ts';
import type { AutomationAction, AutomationKind, AutomationNeed } from '../../slack/automations/automation.ts';
import { findItemProblem } from '../../slack/automations/automation-form.ts';
import {
  automationHealth,
  createAutomationFeature,
  PAUSED_BY_TALLY,
  showAutomations,
} from '../../slack/automations/automation-list.ts';
import { channelLink } from '../../slack/block-kit/blocks.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/commands/help.ts';
import { parsePage } from '../../slack/commands/subcommands.ts';
import type { Request } from '../../slack/request/request.ts';
import { limitedProjects } from '../../workspace/projects/resolve-project.ts';
import { MAX_SCHEDULES, type Schedule } from '../../workspace/record/automation-records.ts';
import { findSchedule, type Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { CADENCE_EXAMPLES, parseScheduleText } from './parse-schedule-command.ts';
import { createScheduleForm } from './schedule-form.ts';
import { loadUpcomingSends, type UpcomingSendsOf } from './timing-preview.ts';
import { describeSchedule, isPausedByTally, scheduleAuditText, scheduleMarkup } from './wording.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing schedule': true;
    '/billing schedules': true;
  }
  interface Actions {
    'schedule-form': true;
    'schedule-row': true;
    'schedule-resume': true;
    'schedule-now': true;
    'schedule-list': true;
  }
}

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
    what: 'List scheduled posts with their next run and last result. Pause, edit, send or delete them there.',
    right: 'member',
  },
];

const SMALL = `${PERIOD_EXAMPLES.order} How often: ${CADENCE_EXAMPLES}. Times: 09:00, 9 am, daily 9. ${PERIOD_EXAMPLES.products}`;

/** What people see of scheduled posts, with the delivery that works by itself. */
export function createSchedulesFeature({ workspaces, delivery, limits }: Services): Feature {
  const { scheduling, start, stop, forget } = delivery;
  const send: ScheduleService['send'] = async (teamId, schedule, why, userId) => {
    limits.demand('tests', { teamId, userId });
    return scheduling.send(teamId, schedule, why, userId);
  };
  return {
    ...createSchedules({ workspaces, scheduling: { ...scheduling, send } }),
    start,
    stop,
    forget,
    connected: scheduling.changed,
  };
}

type ScheduleServices = Pick<Services, 'workspaces'> & Pick<DeliveryService, 'scheduling'>;

/** `/billing schedule` and `/billing schedules`, for full members. */
export function createSchedules(services: ScheduleServices): Feature {
  const kind = createScheduleKind(services);
  const { handler, listeners } = createAutomationFeature({
    kind,
    form: createScheduleForm(kind, services),
    help: (request) => helpMessage('Scheduled posts', HELP, SMALL, request),
    parse: parseScheduleText,
    parseList: (text) => parsePage(text, 'schedules'),
    show: (page, request) => showAutomations(kind, request, { page }),
  });
  return {
    help: HELP,
    ...listeners,
    actions: {
      ...listeners.actions,
      'schedule-resume': handler('retry'),
      'schedule-now': handler('now'),
    },
    health: (viewer) => automationHealth(kind, viewer),
  };
}

export type ScheduleKind = AutomationKind<Schedule, UpcomingSendsOf>;

function createScheduleKind({ workspaces, scheduling }: ScheduleServices): ScheduleKind {
  const kind: ScheduleKind = {
    noun: 'schedule',
    sends: 'posts',
    max: MAX_SCHEDULES,
    workspaces,
    store: workspaces.schedules,
    changed: scheduling.changed,
    find: findSchedule,
    isShownHere: ({ channel, projects }, { channel: here, workspace }) =>
      channel === here && limitedProjects(channel, projects, workspace).length === 0,
    load: (request) => loadUpcomingSends(scheduling, request),
    describe: describeSchedule,
    needOf: (schedule, { workspace }) => needOf(schedule, workspace),
    choices: ({ id }, { workspace }) => [
      ...(workspace.lastSent(id)?.result === 'paused' ? [TRY_AGAIN] : []),
      ['Send now', 'now'],
    ],
    resumed: ({ paused: _, ...running }, { at }) => ({ ...running, since: at }),
    actions: {
      now: (schedule, request) =>
        unlessStopped(schedule, request, async () => {
          const outcome = await scheduling.send(request.user.teamId, schedule, 'now', request.user.id);
          const channel = channelLink(schedule.channel);
          return outcome === 'posted'
            ? `Posted in ${channel}. The next post comes as planned.`
            : `Send now was pressed a moment ago: one post goes to ${channel}.`;
        }),
      retry: (schedule, request) =>
        unlessStopped(schedule, request, async () => {
          await scheduling.retry(request.user.teamId, schedule.id);
          return 'Tally is trying again.';
        }),
    } satisfies Record<string, AutomationAction<Schedule>>,
    words: {
      title: 'Scheduled posts',
      count: (schedules) => pluralize(schedules, 'scheduled post'),
      create: 'Schedule a post…',
      none: 'No scheduled posts here yet. Tally can post a report every morning, for example yesterday’s spend.',
      summary: scheduleMarkup,
      auditText: scheduleAuditText,
      name: (schedule, request) => describeReport(schedule, request.workspace, request),
      paused: 'Paused. Nothing is posted or corrected until you resume it.',
      resumed: 'Resumed. Posts missed while paused won’t be sent.',
    },
  };
  /** Does this and says so above the list, or why nothing can be posted there. */
  const unlessStopped = async (schedule: Schedule, request: Request, work: () => Promise<string>) =>
    showAutomations(kind, request, {
      notice: (await findItemProblem(schedule, request)) ?? (await work()),
    });
  return kind;
}

const TRY_AGAIN = ['Try again', 'retry'] as const;
const EDIT = ['Edit…', 'edit'] as const;

/** What is stuck, or has failed; a person who paused it knows that. */
function needOf(schedule: Schedule, workspace: Workspace): AutomationNeed | undefined {
  if (schedule.paused !== undefined) return undefined;
  const result = workspace.lastSent(schedule.id)?.result;
  if (isPausedByTally(schedule, workspace))
    return { level: 'broken', what: PAUSED_BY_TALLY, fix: result === 'paused' ? TRY_AGAIN : EDIT };
  if (result === 'failed') return { level: 'broken', what: 'failed last time', fix: ['Send now', 'now'] };
  return result === 'trying' ? { level: 'warning', what: 'not posted yet', fix: EDIT } : undefined;
}
