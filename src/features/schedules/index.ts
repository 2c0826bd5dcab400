import { WordRefused } from '../../domain/failure.ts';
import { PRODUCT_IDS } from '../../domain/product.ts';
import { readWords } from '../../domain/words.ts';
import { type HelpLine, helpMessage, WORDS } from '../../slack/kit/help.ts';
import type { ActionListener, OptionsListener } from '../../slack/listeners.ts';
import type { Visit } from '../../slack/visit.ts';
import { findZones, zoneOption } from '../../slack/zones.ts';
import { isChannel } from '../../workspace/ids.ts';
import type { ReportName } from '../../workspace/schedules.ts';
import { projectsFor } from '../../workspace/target.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature, Report } from '../feature.ts';
import { createDeeds } from './deeds.ts';
import { type ChosenProject, type Draft, readDraft, readMetadata, refusalsOf } from './draft.ts';
import { waitingModal } from './form.ts';
import { FIELD, projectOption, REFILLED } from './inputs.ts';
import { homeBlocks, ROW, statusBlocks } from './list.ts';
import { mine } from './owning.ts';
import type { Scheduling } from './scheduling.ts';
import { readSends } from './sends.ts';
import { createSetup } from './setup.ts';
import { keptFrom, nameOf, siteOf } from './site.ts';
import { CADENCES, readPage, readScheduleWords } from './words.ts';

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

const SMALL = `${WORDS.order} How often: ${CADENCES}. Times: 09:00, 9 am, daily 9. ${WORDS.products}`;
const help = () => helpMessage('Scheduled posts', HELP, SMALL);

export interface SchedulesParts {
  readonly workspaces: Workspaces;
  readonly scheduling: Scheduling;
  /** What the features have to post. */
  readonly reports: () => Readonly<Partial<Record<ReportName, Report>>>;
}

/** `/billing schedule` and `/billing schedules`: reports that come by themselves, for full members. */
export function createSchedules({ workspaces, scheduling, reports }: SchedulesParts): Feature {
  const setup = createSetup(workspaces, scheduling, reports);
  const deeds = createDeeds(workspaces, scheduling);

  const edit = async (id: string, visit: Visit): Promise<void> => {
    const schedule = mine(id, visit);
    if (schedule === undefined) return deeds.run('edit', id, visit);
    await setup.openFor(schedule, visit);
  };
  const onButton = (run: (value: string, visit: Visit) => Promise<void>): ActionListener => ({
    right: 'member',
    run: ({ value }, visit) => run(value, visit),
  });
  const draftIn = (
    fields: Readonly<Record<string, string>>,
    metadata: string,
    { asker, record }: Visit,
  ): Draft => readDraft(fields, metadata, asker.zone ?? record.settings.zone);

  const viewer = async (visit: Visit) => ({ ...visit, sends: await readSends(scheduling, visit) });
  const zones: OptionsListener = {
    right: 'member',
    find: (query, { at }) => findZones(query).map((zone) => zoneOption(zone, at)),
  };

  return {
    help: HELP,
    verbs: {
      schedule: {
        right: 'member',
        help,
        run: (rest, visit) => setup.openNew(readScheduleWords(rest, visit.record.aliases), visit),
      },
      schedules: {
        right: 'member',
        help,
        run: (rest, visit) => deeds.list(visit, undefined, readPage(rest)),
      },
    },
    options: {
      [`${FIELD}:zone`]: zones,
      [`${FIELD}:zone${REFILLED}`]: zones,
      [`${FIELD}:projects`]: {
        right: 'member',
        find: async (query, visit, metadata) =>
          (await findProjects(query, visit, readMetadata(metadata).channel)).map((one) =>
            projectOption(one, nameOf(one, visit.record)),
          ),
      },
    },
    actions: {
      [FIELD]: {
        right: 'member',
        run: ({ fields, metadata }, visit) => setup.redraw(draftIn(fields, metadata, visit), visit),
      },
      'schedule-time': {
        right: 'member',
        run: ({ value, fields, metadata }, visit) =>
          setup.refill(draftIn({ ...fields, time: value }, metadata, visit), visit),
      },
      'schedule-zone': {
        right: 'member',
        run: ({ value, fields, metadata }, visit) =>
          setup.refill(draftIn({ ...fields, zone: value }, metadata, visit), visit),
      },
      'schedule-test': {
        right: 'member',
        run: ({ fields, metadata }, visit) => setup.test(draftIn(fields, metadata, visit), visit),
      },
      [ROW]: onButton(async (value, visit) => {
        const [deed = '', id = ''] = value.split(' ');
        if (deed === 'edit') return edit(id, visit);
        if (deed === 'adopt') return deeds.adopt(id, visit);
        await deeds.run(deed, id, visit);
      }),
      'schedule-resume': onButton((id, visit) => deeds.run('resume', id, visit)),
      'schedule-resume-all': onButton((_, visit) => deeds.resumeAll(visit)),
      'schedule-now': onButton((id, visit) => deeds.run('now', id, visit)),
      'schedule-undo': onButton((id, visit) => deeds.undo(id, visit)),
      'schedule-drop': { right: 'manage', run: (_, visit) => deeds.drop(visit) },
      'schedule-list': onButton((_, visit) => deeds.list(visit)),
    },
    views: {
      schedule: {
        right: 'member',
        waiting: waitingModal,
        read(fields, metadata) {
          const errors = refusalsOf(fields);
          return Object.keys(errors).length > 0 ? { errors } : { input: { fields, metadata } };
        },
        work: ({ fields, metadata }, visit) => setup.save(draftIn(fields, metadata, visit), visit),
      },
    },
    home: async (visit) => homeBlocks(await viewer(visit)),
    status: async (visit) => statusBlocks(await viewer(visit)),
  };
}

/** Slack takes a hundred. */
const MOST_FOUND = 100;

/** The projects that what was typed may mean: those with a name that may be asked about in the channel, and IDs. */
async function findProjects(query: string, visit: Visit, channel: string): Promise<readonly ChosenProject[]> {
  const { record } = visit;
  const wanted = query.trim().toLowerCase();
  const isTheirs = isChannel(channel) && (await siteOf(channel, visit)).problem === undefined;
  const place = { channel: isTheirs ? channel : undefined, manager: false };
  const named = projectsFor(record, place).filter(
    ({ alias, id }) => alias.includes(wanted) || id.includes(wanted),
  );
  const ids = typed(query).filter(
    (one) => !named.some(({ id, product }) => id === one.id && product === one.product),
  );
  const open = keptFrom(place.channel ?? '', ids, record);
  return [...named, ...ids.filter((one) => !open.includes(one))].slice(0, MOST_FOUND);
}

/** `123` as each of the products, `123 storage` as that one. */
function typed(query: string): readonly ChosenProject[] {
  try {
    const { project, product } = readWords(query);
    if (project === undefined) return [];
    return (product === undefined ? PRODUCT_IDS : [product]).map((one) => ({ id: project, product: one }));
  } catch (error) {
    if (error instanceof WordRefused) return [];
    throw error;
  }
}
