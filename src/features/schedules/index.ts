import { InvalidWord } from '../../domain/failure/index.ts';
import { parseSingleProjectText } from '../../domain/language/command-text.ts';
import { PRODUCT_IDS } from '../../domain/product.ts';
import { type HelpLine, helpMessage, PERIOD_EXAMPLES } from '../../slack/kit/help.ts';
import type { ActionListener, OptionsListener } from '../../slack/listeners.ts';
import type { Request } from '../../slack/request.ts';
import { searchZones, zoneOption } from '../../slack/time-zones.ts';
import { isChannel } from '../../workspace/ids.ts';
import { visibleProjects } from '../../workspace/resolve-project.ts';
import type { ReportName } from '../../workspace/schedules.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature, PostableReport } from '../feature.ts';
import { createScheduleActions } from './actions.ts';
import { channelNameOf, checkChannel, limitedProjects } from './channel-check.ts';
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
import type { Scheduling } from './scheduling.ts';
import { createScheduleForm } from './setup.ts';
import { loadUpcomingSends } from './upcoming-sends.ts';
import { CADENCE_EXAMPLES, parsePage, parseScheduleText } from './words.ts';

const HELP: readonly HelpLine[] = [
  {
    usage: '/billing schedule [project] [report] [daily | weekdays | weekly mon | monthly 1] [time]',
    what: 'Posts a report in a channel again and again: yesterday, last-week, month-to-date or the balance.',
    examples: ['/billing schedule', '/billing schedule prod daily 09:00'],
  },
  {
    usage: '/billing schedules',
    what: 'What is posted, when it comes next and how it went last; pause, edit, send now, delete.',
  },
];

const SMALL = `${PERIOD_EXAMPLES.order} How often: ${CADENCE_EXAMPLES}. Times: 09:00, 9 am, daily 9. ${PERIOD_EXAMPLES.products}`;
const help = () => helpMessage('Scheduled posts', HELP, SMALL);

export interface SchedulesParts {
  readonly workspaces: Workspaces;
  readonly scheduling: Scheduling;
  /** What the features have to post. */
  readonly reports: () => Readonly<Partial<Record<ReportName, PostableReport>>>;
}

/** `/billing schedule` and `/billing schedules`: reports that come by themselves, for full members. */
export function createSchedules({ workspaces, scheduling, reports }: SchedulesParts): Feature {
  const setup = createScheduleForm(workspaces, scheduling, reports);
  const deeds = createScheduleActions(workspaces, scheduling);

  const edit = async (id: string, request: Request): Promise<void> => {
    const schedule = requireOwnedSchedule(id, request);
    if (schedule === undefined) return deeds.run('edit', id, request);
    await setup.openFor(schedule, request);
  };
  const onButton = (run: (value: string, request: Request) => Promise<void>): ActionListener => ({
    right: 'member',
    run: ({ value }, request) => run(value, request),
  });
  const draftIn = (
    fields: Readonly<Record<string, string>>,
    metadata: string,
    { user, workspace }: Request,
  ): ScheduleDraft => parseFormState(fields, metadata, user.zone ?? workspace.settings.zone);

  const viewer = async (request: Request) => ({
    ...request,
    sends: await loadUpcomingSends(scheduling, request),
  });
  const zones: OptionsListener = {
    right: 'member',
    find: (query, { at }) => searchZones(query).map((zone) => zoneOption(zone, at)),
  };

  return {
    help: HELP,
    verbs: {
      schedule: {
        right: 'member',
        help,
        run: (rest, request) => setup.openNew(parseScheduleText(rest, request.workspace.aliases), request),
      },
      schedules: {
        right: 'member',
        help,
        run: (rest, request) => deeds.list(request, undefined, parsePage(rest)),
      },
    },
    options: {
      [`${FIELD}:zone`]: zones,
      [`${FIELD}:zone${REFILLED}`]: zones,
      [`${FIELD}:projects`]: {
        right: 'member',
        find: async (query, request, metadata) =>
          (await findProjects(query, request, decodeScheduleMetadata(metadata).channel)).map((one) =>
            projectOption(one, channelNameOf(one, request.workspace)),
          ),
      },
    },
    actions: {
      [FIELD]: {
        right: 'member',
        run: ({ fields, metadata }, request) => setup.redraw(draftIn(fields, metadata, request), request),
      },
      'schedule-time': {
        right: 'member',
        run: ({ value, fields, metadata }, request) =>
          setup.refill(draftIn({ ...fields, time: value }, metadata, request), request),
      },
      'schedule-zone': {
        right: 'member',
        run: ({ value, fields, metadata }, request) =>
          setup.refill(draftIn({ ...fields, zone: value }, metadata, request), request),
      },
      'schedule-test': {
        right: 'member',
        run: ({ fields, metadata }, request) => setup.test(draftIn(fields, metadata, request), request),
      },
      [SCHEDULE_ROW_ACTION]: onButton(async (value, request) => {
        const [deed = '', id = ''] = value.split(' ');
        if (deed === 'edit') return edit(id, request);
        if (deed === 'adopt') return deeds.adopt(id, request);
        await deeds.run(deed, id, request);
      }),
      'schedule-resume': onButton((id, request) => deeds.run('resume', id, request)),
      'schedule-resume-all': onButton((_, request) => deeds.resumeAll(request)),
      'schedule-now': onButton((id, request) => deeds.run('now', id, request)),
      'schedule-undo': onButton((id, request) => deeds.undo(id, request)),
      'schedule-drop': { right: 'manage', run: (_, request) => deeds.drop(request) },
      'schedule-list': onButton((_, request) => deeds.list(request)),
    },
    views: {
      schedule: {
        right: 'member',
        waiting: savingScheduleModal,
        read(fields, metadata) {
          const errors = validateFormState(fields);
          return Object.keys(errors).length > 0 ? { errors } : { input: { fields, metadata } };
        },
        work: ({ fields, metadata }, request) => setup.save(draftIn(fields, metadata, request), request),
      },
    },
    home: async (request) => scheduleHomeBlocks(await viewer(request)),
    status: async (request) => scheduleStatusBlocks(await viewer(request)),
  };
}

/** Slack takes a hundred. */
const MOST_FOUND = 100;

/** The projects that what was typed may mean: those with a name that may be asked about in the channel, and IDs. */
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
  return [...named, ...ids.filter((one) => !open.includes(one))].slice(0, MOST_FOUND);
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
