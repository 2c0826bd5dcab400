import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { projectList } from '../../domain/language/parsed-command.ts';
import { REPORT_NAMES, REPORTS, type ReportName } from '../../domain/report.ts';
import { type Cadence, type Timing, WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { isTimeZone } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import { type AutomationKind, requireAutomation } from '../../slack/automations/automation.ts';
import {
  createAutomationForm,
  deliveryOf,
  projectsField,
  targetFields,
  unchangedFields,
} from '../../slack/automations/automation-form.ts';
import { type Block, markup, option, section } from '../../slack/block-kit/blocks.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-picker.ts';
import { zone } from '../../slack/forms/common-fields.ts';
import {
  choice,
  choices,
  type FormMoment,
  live,
  more,
  note,
  TIME,
  time,
  when,
} from '../../slack/forms/fields.ts';
import { failureFacts } from '../../slack/reply/error-reply.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import type { FormFields } from '../../slack/request/payload.ts';
import type { Request } from '../../slack/request/request.ts';
import { type ChosenProject, chosenProject } from '../../workspace/projects/chosen-project.ts';
import { resolveProjects } from '../../workspace/projects/resolve-project.ts';
import {
  DEFAULT_WAIT_HOURS,
  MAX_DIGEST_PROJECTS,
  MAX_WAIT_HOURS,
  type Schedule,
} from '../../workspace/record/automation-records.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';

import type { ScheduleWords } from './parse-schedule-command.ts';
import { loadUpcomingSends, planEdit, previewBlocks } from './timing-preview.ts';

type FormServices = Pick<DeliveryService, 'scheduling'>;

const USUAL_REPORT: Readonly<Record<Cadence['kind'], ReportName>> = {
  daily: 'yesterday',
  weekdays: 'yesterday',
  weekly: 'last-week',
  monthly: 'month-to-date',
};
const DEFAULT_TIME = '09:00';

/** The form, with its buttons that send a test. */
export function createScheduleForm(kind: AutomationKind<Schedule>, services: FormServices) {
  const { listeners, openNew, openFor } = createAutomationForm<Schedule>({
    kind,
    title: 'Schedule a post',
    fields: scheduleFields(kind, services),
    button: { label: 'Send a test to me', press: (at, show) => sendTest(kind, services, at, show) },
    valuesOf,
    async build(at, before) {
      const { since } = await planPosts(services, at);
      return scheduleOf(at, before, since);
    },
  });
  return {
    listeners,
    openFor,
    openNew: (words: ScheduleWords, request: Request) =>
      openNew(request, () => ({ projects: projectsIn(words, request), values: newFields(words, request) })),
  };
}

const isEvery =
  (kind: Cadence['kind']) =>
  ({ cadence }: FormFields): boolean =>
    cadence === kind;
const coversDays = (values: FormFields): boolean => REPORTS[reportIn(values)].coversDays;

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, at) => at + 1);

const TIMING_FIELDS = {
  report: live(choice('Report', { options: REPORT_NAMES.map((name) => option(REPORTS[name].title, name)) })),
  cadence: live(
    choice('How often', {
      options: choices({
        daily: 'Every day',
        weekdays: 'Monday to Friday',
        weekly: 'Every week',
        monthly: 'Every month',
      }),
    }),
  ),
  weekday: when(
    isEvery('weekly'),
    live(choice('On', { options: WEEKDAY_NAMES.map((day, at) => option(day, String(at + 1))) })),
  ),
  day: when(
    isEvery('monthly'),
    live(
      choice('On', {
        hint: 'In shorter months, day 29, 30 or 31 means the last day.',
        options: [
          option('The last day', 'last'),
          ...upTo(31).map((day) => option(`Day ${day}`, String(day))),
        ],
      }),
    ),
  ),
  time: live(time('At', DEFAULT_TIME)),
};

const MORE_FIELDS = {
  zone: more(
    live(
      zone(
        'Time zone',
        `For the time above. The days of a report follow the reporting time zone in ${commandText('/billing settings')}.`,
      ),
    ),
  ),
  waits: when(
    coversDays,
    more(
      choice('When billing hasn’t reported the day yet', {
        hint: 'Tally looks every 30 minutes, then posts without that day and says so.',
        options: [0, ...upTo(MAX_WAIT_HOURS)].map((hours) =>
          option(hours === 0 ? 'Don’t wait' : `Wait up to ${pluralize(hours, 'hour')}`, String(hours)),
        ),
      }),
    ),
  ),
};

const scheduleFields = (kind: AutomationKind<Schedule>, services: FormServices) => ({
  projects: projectsField(kind.maxProjects),
  ...targetFields(kind),
  ...TIMING_FIELDS,
  preview: note<Block[]>(({ found = [] }) => found, {
    run: async (at) => (await planPosts(services, at)).preview,
  }),
  ...MORE_FIELDS,
});

const valuesOf = ({ report, timing: { cadence, time, zone }, waitHours }: ContentFields): FormFields => ({
  ...{ report, cadence: cadence.kind, time, zone, waits: String(waitHours) },
  weekday: cadence.kind === 'weekly' ? String(cadence.weekday) : '1',
  day: cadence.kind === 'monthly' ? String(cadence.day) : 'last',
});
type ContentFields = Pick<Schedule, 'report' | 'timing' | 'waitHours'>;

function newFields(words: ScheduleWords, { user, workspace }: Request): FormFields {
  const { cadence = { kind: 'daily' }, time: at = DEFAULT_TIME } = words;
  const timing = { cadence, time: at, zone: user.zone ?? workspace.settings.zone };
  const report = words.report ?? USUAL_REPORT[cadence.kind];
  return valuesOf({ report, timing, waitHours: DEFAULT_WAIT_HOURS });
}

const reportIn = ({ report }: FormFields): ReportName =>
  REPORT_NAMES.find((name) => name === report) ?? 'yesterday';
function cadenceIn({ cadence, weekday, day }: FormFields): Cadence {
  if (cadence === 'weekdays') return { kind: 'weekdays' };
  if (cadence === 'weekly') return { kind: 'weekly', weekday: within(weekday, 1, WEEKDAY_NAMES.length) ?? 1 };
  if (cadence === 'monthly') return { kind: 'monthly', day: within(day, 1, 31) ?? 'last' };
  return { kind: 'daily' };
}

const timingIn = (values: FormFields): Timing => ({
  cadence: cadenceIn(values),
  time: TIME.test(values.time ?? '') ? (values.time ?? '') : DEFAULT_TIME,
  zone: isTimeZone(values.zone ?? '') ? (values.zone ?? '') : 'UTC',
});

/** The whole number that a field holds, if it is one of these. */
function within(field: string | undefined, least: number, most: number): number | undefined {
  const number = Number(field || Number.NaN);
  return Number.isInteger(number) && number >= least && number <= most ? number : undefined;
}

/** @param since posts that are due after this instant are sent */
function scheduleOf(at: FormMoment, before: Schedule | undefined, since: number): Schedule {
  const { values } = at;
  const { projects, channel = '' } = deliveryOf(values);
  const waitHours = Number(values.waits || DEFAULT_WAIT_HOURS);
  const content = { report: reportIn(values), projects: [...projects], timing: timingIn(values), channel };
  return { ...unchangedFields(before, at), ...content, waitHours, since };
}

/** @throws not-allowed, Failure for a project that was typed; InvalidWord for too many */
function projectsIn(words: ScheduleWords, request: Request): readonly ChosenProject[] {
  const { several, product } = words;
  if (several === undefined) {
    const project = typedOrDefaultProject(words, request);
    return project === undefined ? [] : [project];
  }
  const found = resolveProjects(several, product, request.workspace, request);
  if (found.length > MAX_DIGEST_PROJECTS)
    throw new InvalidWord(
      projectList(several),
      `That’s ${found.length} projects`,
      `Post about ${MAX_DIGEST_PROJECTS} at a time.`,
    );
  return found.map((project) => {
    if ('failure' in project) throw project.failure;
    return chosenProject(project);
  });
}

/** What saving the form does to the posts of the schedule that it edits, and the preview of that. */
async function planPosts({ scheduling }: FormServices, { id, values, request }: FormMoment) {
  const { workspace, at: now } = request;
  const timing = timingIn(values);
  // Of any owner; undefined for a new, deleted or damaged one.
  const before = workspace.schedules.find((schedule) => schedule.id === id);
  const outcome = planEdit(id, timing, before, await loadUpcomingSends(scheduling, request), now);
  const preview = previewBlocks({
    ...{ timing, outcome, report: reportIn(values) },
    isPaused: before?.paused !== undefined,
    reportingZone: isDamaged(workspace, 'settings') ? undefined : workspace.settings.zone,
  });
  return { since: outcome.since, preview };
}

/** Tally need not be in the channel to show the user what would be posted there. */
async function sendTest(
  kind: AutomationKind<Schedule>,
  { scheduling }: FormServices,
  at: FormMoment,
  show: (result: readonly Block[]) => Promise<void>,
): Promise<void> {
  const { request, values, data } = at;
  const check = data.target as ChannelCheck | null | undefined;
  const hasProject = deliveryOf(values).projects.length > 0;
  if (!hasProject || !check) return show([markup('Choose a project and a channel first.')]);
  if (check.problem !== undefined) return show([markup(check.problem)]);
  try {
    const schedule = scheduleOf(at, requireAutomation(kind, at.id, request), request.at);
    await show([markup('Sending a test to you…')]);
    await scheduling.send(request.user.teamId, schedule, 'test', request.user.id);
    await show([markup('Sent a test to you. Nothing is saved yet.')]);
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') {
      // Answered with its reference.
      await show([section('Couldn’t send the test.')]);
      throw error;
    }
    request.recordError(error);
    await show(failureFacts(error, request));
  }
}
