import type { DeliveryService } from '../../delivery/delivery-service.ts';
import type { ScheduleService } from '../../delivery/posts/schedule-service.ts';
import { commandText } from '../../domain/command-names.ts';
import { REPORT_CHOICES } from '../../domain/report.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/commands/help.ts';
import { parsePage } from '../../slack/commands/subcommands.ts';
import { createOwnedActions } from '../../slack/owned/actions.ts';
import { showOwned } from '../../slack/owned/list.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { createScheduleForm } from './form.ts';
import {
  createOwnedSchedules,
  retrySchedule,
  scheduleAttention,
  scheduleStatus,
  sendScheduleNow,
} from './owned-schedules.ts';
import { CADENCE_EXAMPLES, parseScheduleText } from './parse.ts';

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
    'schedule-undo': true;
    'schedule-drop': true;
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
const help = () => helpMessage('Scheduled posts', HELP, SMALL);

/** What people see of scheduled posts, with the delivery that works by itself. */
export function createSchedulesFeature({ workspaces, delivery, limits }: Services): Feature {
  const { scheduling, start, stop, forget } = delivery;
  const send: ScheduleService['send'] = async (teamId, schedule, why, userId) => {
    limits.demand('tests', { teamId, userId });
    await scheduling.send(teamId, schedule, why, userId);
  };
  return {
    ...createSchedules({ workspaces, scheduling: { ...scheduling, send } }),
    start,
    stop,
    forget,
    connected: scheduling.changed,
  };
}

/** `/billing schedule` and `/billing schedules`, for full members. */
export function createSchedules(
  services: Pick<Services, 'workspaces'> & Pick<DeliveryService, 'scheduling'>,
): Feature {
  const kind = createOwnedSchedules(services);
  const form = createScheduleForm(kind, services);
  const { handler, verb, listeners } = createOwnedActions(kind, form.openFor, {
    now: (schedule, request) => sendScheduleNow(kind, services.scheduling, schedule, request),
    retry: (schedule, request) => retrySchedule(kind, services.scheduling, schedule, request),
  });
  return {
    help: HELP,
    verbs: {
      schedule: {
        right: 'member',
        help,
        parse: (rest, _, reader) => parseScheduleText(rest, reader),
        opensForm: true,
        run: (rest, request) =>
          form.openNew(parseScheduleText(rest, readerIn(request.workspace, request.at)), request),
      },
      schedules: verb({
        right: 'member',
        help,
        parse: (rest) => parsePage(rest, 'schedules'),
        run: (rest, request) => showOwned(kind, request, { page: parsePage(rest, 'schedules') }),
      }),
    },
    ...form.listeners,
    actions: {
      ...form.listeners.actions,
      ...listeners,
      'schedule-resume': handler('retry'),
      'schedule-now': handler('now'),
    },
    attention: (request) => scheduleAttention(kind, request),
    status: (request) => scheduleStatus(kind, request),
  };
}
