import { projectLabel } from '../../delivery/schedule-wording.ts';
import { InvalidWord } from '../../domain/failure/index.ts';
import { parseSingleProjectText } from '../../domain/language/command-text.ts';
import { PRODUCT_IDS } from '../../domain/product.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import type { ActionListener, OptionsListener } from '../../slack/listeners.ts';
import type { Request } from '../../slack/request.ts';
import { searchZones, zoneOption } from '../../slack/time-zones.ts';
import { isChannel } from '../../workspace/record-schema.ts';
import { visibleProjects } from '../../workspace/resolve-project.ts';
import type { Feature } from '../feature.ts';
import { createScheduleActions } from './actions.ts';
import { checkChannel, limitedProjects } from './channel-check.ts';
import { savingScheduleModal } from './form.ts';
import {
  type ChosenProject,
  decodeScheduleMetadata,
  parseFormState,
  type ScheduleDraft,
  validateFormState,
} from './form-state.ts';
import { FIELD, projectOption, REFILLED } from './inputs.ts';
import { SCHEDULE_ROW_ACTION, scheduleHomeBlocks, scheduleStatusBlocks } from './list.ts';
import { requireOwnedSchedule } from './permissions.ts';
import { createScheduleForm, type ScheduleFormParts } from './setup.ts';
import { loadUpcomingSends } from './upcoming-sends.ts';
import { CADENCE_EXAMPLES, parsePage, parseScheduleText } from './words.ts';

const HELP: readonly HelpLine[] = [
  {
    usage: '/billing schedule [project] [report] [daily | weekdays | weekly mon | monthly 1] [time]',
    what: 'Post a report in a channel on a schedule: yesterday, last-week, month-to-date or balance.',
    examples: ['/billing schedule', '/billing schedule prod daily 09:00'],
  },
  {
    usage: '/billing schedules',
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
        run: (rest, request) => form.openNew(parseScheduleText(rest, request.workspace.aliases), request),
      },
      schedules: {
        right: 'member',
        help,
        run: (rest, request) => actions.list(request, parsePage(rest)),
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
    status: async (request) => scheduleStatusBlocks(await withSends(request)),
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
      (await findProjects(query, request, decodeScheduleMetadata(metadata).channel)).map((one) =>
        projectOption(one, projectLabel(one, request.workspace)),
      ),
  },
};

const formActions = (
  form: ReturnType<typeof createScheduleForm>,
): Readonly<Record<string, ActionListener>> => ({
  [FIELD]: {
    right: 'member',
    run: ({ fields, metadata }, request) => form.redraw(draftIn(fields, metadata, request), request),
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
  'schedule-test': {
    right: 'member',
    run: ({ fields, metadata }, request) => form.test(draftIn(fields, metadata, request), request),
  },
});

const onButton = (run: (value: string, request: Request) => Promise<void>): ActionListener => ({
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
    [SCHEDULE_ROW_ACTION]: onButton(async (value, request) => {
      const [action = '', id = ''] = value.split(' ');
      if (action === 'edit') return edit(id, request);
      if (action === 'adopt') return actions.adopt(id, request);
      await actions.run(action, id, request);
    }),
    'schedule-resume': onButton((id, request) => actions.run('resume', id, request)),
    'schedule-resume-all': onButton((_, request) => actions.resumeAll(request)),
    'schedule-now': onButton((id, request) => actions.run('now', id, request)),
    'schedule-undo': onButton((id, request) => actions.undo(id, request)),
    'schedule-drop': { right: 'manage', run: (_, request) => actions.dropDamaged(request) },
    'schedule-list': onButton((_, request) => actions.list(request)),
  };
}

/** Slack takes up to this many options. */
const MAX_OPTIONS = 100;

/** Projects that match what was typed: named ones that the channel may see, and IDs. */
async function findProjects(
  query: string,
  request: Request,
  channel: string,
): Promise<readonly ChosenProject[]> {
  const { workspace } = request;
  const wanted = query.trim().toLowerCase();
  const isTheirs = isChannel(channel) && (await checkChannel(channel, request)).problem === undefined;
  const place = { channel: isTheirs ? channel : undefined, manager: false };
  const named = visibleProjects(workspace, place).filter(
    ({ alias, id }) => alias.includes(wanted) || id.includes(wanted),
  );
  const ids = typed(query).filter(
    (one) => !named.some(({ id, product }) => id === one.id && product === one.product),
  );
  const open = limitedProjects(place.channel ?? '', ids, workspace);
  return [...named, ...ids.filter((one) => !open.includes(one))].slice(0, MAX_OPTIONS);
}

/** `123` as each of the products, `123 storage` as that one. */
function typed(query: string): readonly ChosenProject[] {
  try {
    const { project, product } = parseSingleProjectText(query);
    if (project === undefined) return [];
    return (product === undefined ? PRODUCT_IDS : [product]).map((one) => ({ id: project, product: one }));
  } catch (error) {
    if (error instanceof InvalidWord) return [];
    throw error;
  }
}
