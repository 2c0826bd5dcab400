import { projectLabel } from '../../delivery/posts/schedule-wording.ts';
import { commandText } from '../../domain/commands.ts';
import { projectOption, searchProjects } from '../../slack/commands/project-search.ts';
import { parsePage } from '../../slack/commands/subcommands.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import type { Request } from '../../slack/request/request.ts';
import { searchZones, zoneOption } from '../../slack/request/time-zones.ts';
import type { ActionHandler, ActionListener, OptionsListener } from '../../slack/server/listeners.ts';
import type { Feature } from '../feature.ts';
import { createScheduleActions } from './actions.ts';
import { stoppedSchedules } from './blocks.ts';
import { SCHEDULE_TEST, savingScheduleModal } from './form.ts';
import {
  decodeScheduleMetadata,
  isCadenceKind,
  parseFormState,
  type ScheduleDraft,
  validateFormState,
  withDefaultReport,
} from './form-state.ts';
import { FIELD, REFILLED } from './inputs.ts';
import { SCHEDULE_ROW_ACTION, scheduleHomeBlocks, scheduleStatus } from './list.ts';
import { requireOwnedSchedule } from './permissions.ts';
import { createScheduleForm, type ScheduleFormParts } from './setup.ts';
import { loadUpcomingSends } from './upcoming-sends.ts';
import { CADENCE_EXAMPLES, parseScheduleText } from './words.ts';

declare module '../../domain/commands.ts' {
  interface Commands {
    '/billing schedule': true;
    '/billing schedules': true;
  }
  interface Actions {
    'schedule-form': true;
    'schedule-time': true;
    'schedule-zone': true;
    'schedule-test': true;
    'schedule-test-me': true;
    'schedule-more': true;
    'schedule-row': true;
    'schedule-resume': true;
    'schedule-resume-all': true;
    'schedule-now': true;
    'schedule-undo': true;
    'schedule-drop': true;
    'schedule-list': true;
  }
}

const HELP: readonly HelpLine[] = [
  {
    usage: `${commandText('/billing schedule')} [project] [report] [daily | weekdays | weekly mon | monthly 1] [time]`,
    what: 'Post a report in a channel on a schedule: yesterday, last-week, month-to-date or balance.',
    examples: [commandText('/billing schedule'), `${commandText('/billing schedule')} prod daily 09:00`],
  },
  {
    usage: commandText('/billing schedules'),
    what: 'List scheduled posts with their next run and last result; pause, edit, send now or delete.',
  },
];

const SMALL = `${PERIOD_EXAMPLES.order} How often: ${CADENCE_EXAMPLES}. Times: 09:00, 9 am, daily 9. ${PERIOD_EXAMPLES.products}`;
const help = () => helpMessage('Scheduled posts', HELP, SMALL);

/** `/billing schedule` and `/billing schedules`, for full members. */
export function createSchedules(parts: ScheduleFormParts): Feature {
  const form = createScheduleForm(parts);
  const actions = createScheduleActions(parts);
  const withSends = async (request: Request) => ({
    ...request,
    sends: await loadUpcomingSends(parts.scheduling, request),
  });
  return {
    help: HELP,
    verbs: {
      schedule: {
        right: 'member',
        help,
        read: (rest, { aliases }) => parseScheduleText(rest, aliases),
        openForm: (rest, request) =>
          form.openNew(parseScheduleText(rest, request.workspace.aliases), request),
      },
      schedules: {
        right: 'member',
        help,
        read: (rest) => parsePage(rest, 'schedules'),
        run: (rest, request) => actions.list(request, parsePage(rest, 'schedules')),
      },
    },
    options: SEARCHES,
    actions: { ...formActions(form), ...listActions(form, actions) },
    views: {
      schedule: {
        right: 'member',
        waiting: savingScheduleModal,
        read(fields, metadata) {
          const errors = validateFormState(fields);
          return Object.keys(errors).length > 0 ? { errors } : { input: { fields, metadata } };
        },
        work: ({ fields, metadata }, request) => form.save(draftIn(fields, metadata, request), request),
      },
    },
    home: async (request) => scheduleHomeBlocks(await withSends(request)),
    status: async (request) => scheduleStatus(await withSends(request)),
    stops: stoppedSchedules,
  };
}

const draftIn = (
  fields: Readonly<Record<string, string>>,
  metadata: string,
  { user, workspace }: Request,
): ScheduleDraft => parseFormState(fields, metadata, user.zone ?? workspace.settings.zone);

const ZONES: OptionsListener = {
  right: 'member',
  find: (query, { at }) => searchZones(query).map((zone) => zoneOption(zone, at)),
};
const SEARCHES: Readonly<Record<string, OptionsListener>> = {
  [`${FIELD}:zone`]: ZONES,
  [`${FIELD}:zone${REFILLED}`]: ZONES,
  [`${FIELD}:projects`]: {
    right: 'member',
    find: async (query, request, metadata) =>
      (await searchProjects(query, request, decodeScheduleMetadata(metadata).channel)).map((one) =>
        projectOption(one, projectLabel(one, request.workspace)),
      ),
  },
};

const formActions = (
  form: ReturnType<typeof createScheduleForm>,
): Readonly<Record<string, ActionListener>> => ({
  [FIELD]: {
    right: 'member',
    run({ value, fields, metadata }, request) {
      const draft = draftIn(fields, metadata, request);
      return form.redraw(isCadenceKind(value) ? withDefaultReport(draft) : draft, request);
    },
  },
  'schedule-more': {
    right: 'member',
    run({ fields, metadata }, request) {
      const draft = draftIn(fields, metadata, request);
      return form.redraw({ ...draft, isUnfolded: !draft.isUnfolded }, request);
    },
  },
  'schedule-time': {
    right: 'member',
    run: ({ value, fields, metadata }, request) =>
      form.refill(draftIn({ ...fields, time: value }, metadata, request), request),
  },
  'schedule-zone': {
    right: 'member',
    run: ({ value, fields, metadata }, request) =>
      form.refill(draftIn({ ...fields, zone: value }, metadata, request), request),
  },
  [SCHEDULE_TEST.channel]: {
    right: 'member',
    run: ({ fields, metadata }, request) => form.test(draftIn(fields, metadata, request), request, 'channel'),
  },
  [SCHEDULE_TEST.me]: {
    right: 'member',
    run: ({ fields, metadata }, request) => form.test(draftIn(fields, metadata, request), request, 'me'),
  },
});

const onButton = (run: (value: string, request: Request) => Promise<void>): ActionHandler => ({
  right: 'member',
  run: ({ value }, request) => run(value, request),
});

function listActions(
  form: ReturnType<typeof createScheduleForm>,
  actions: ReturnType<typeof createScheduleActions>,
): Readonly<Record<string, ActionListener>> {
  const edit = async (id: string, request: Request): Promise<void> => {
    const schedule = requireOwnedSchedule(id, request);
    // A deleted one is answered like any other action on it.
    if (schedule === undefined) return actions.run('edit', id, request);
    await form.openFor(schedule, request);
  };
  return {
    [SCHEDULE_ROW_ACTION](value) {
      const [action = '', id = ''] = value.split(' ');
      if (action === 'edit') return { right: 'member', openForm: (_, request) => edit(id, request) };
      if (action === 'adopt') return onButton((_, request) => actions.adopt(id, request));
      return onButton((_, request) => actions.run(action, id, request));
    },
    'schedule-resume': onButton((id, request) => actions.run('resume', id, request)),
    'schedule-resume-all': onButton((_, request) => actions.resumeAll(request)),
    'schedule-now': onButton((id, request) => actions.run('now', id, request)),
    'schedule-undo': onButton((id, request) => actions.undo(id, request)),
    'schedule-drop': { right: 'manage', run: (_, request) => actions.dropDamaged(request) },
    'schedule-list': onButton((_, request) => actions.list(request)),
  };
}
