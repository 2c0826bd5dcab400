/** The form of a schedule, with a preview of its next posts and a button that sends a test. */
import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { splitDueTimes } from '../../delivery/posts/post-dates.ts';
import { lastHandled } from '../../delivery/posts/post-record.ts';
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { projectList } from '../../domain/language/parsed-command.ts';
import { daysOfReport, REPORT_NAMES, REPORTS, type ReportName } from '../../domain/report.ts';
import {
  type Cadence,
  type DueTime,
  daysCovered,
  formatTiming,
  type Timing,
  WEEKDAY_NAMES,
} from '../../domain/time/cadence.ts';
import {
  type Day,
  formatDays,
  formatWallTime,
  isTimeZone,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import { type AutomationKind, requireAutomation } from '../../slack/automations/automation.ts';
import {
  createAutomationForm,
  deliveryOf,
  projectsField,
  targetFields,
  unchangedFields,
} from '../../slack/automations/automation-form.ts';
import { type Block, compact, escapeMarkup, markup, option, section } from '../../slack/block-kit/blocks.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-picker.ts';
import { zone } from '../../slack/forms/common-fields.ts';
import {
  choice,
  choices,
  type FormMoment,
  noteField,
  redrawing,
  refuseField,
  shownWhen,
  TIME,
  time,
  underMore,
} from '../../slack/forms/fields.ts';
import { failureFacts } from '../../slack/reply/error-reply.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import type { FormValues } from '../../slack/request/payload.ts';
import type { Request } from '../../slack/request/request.ts';
import { type ChosenProject, chosenProject, projectKey } from '../../workspace/projects/chosen-project.ts';
import { resolveProjects } from '../../workspace/projects/resolve-project.ts';
import {
  DEFAULT_WAIT_HOURS,
  MAX_DIGEST_PROJECTS,
  MAX_WAIT_HOURS,
  type Schedule,
} from '../../workspace/record/automation-records.ts';
import type { Services } from '../feature.ts';
import type { ScheduleWords } from './parse-schedule-command.ts';

type FormServices = Pick<DeliveryService, 'scheduling'> & Pick<Services, 'limits'>;

const USUAL_REPORT: Readonly<Record<Cadence['kind'], ReportName>> = {
  daily: 'yesterday',
  weekdays: 'yesterday',
  weekly: 'last-week',
  monthly: 'month-to-date',
};
const DEFAULT_TIME = '09:00';

export const createScheduleForm = (kind: AutomationKind<Schedule>, services: FormServices) =>
  createAutomationForm<Schedule, ScheduleWords>({
    kind,
    title: 'Schedule a post',
    fields: scheduleFields(kind, services),
    start: (words, request) => ({
      projects: projectsIn(words, request),
      values: newFields(words, request),
    }),
    button: { label: 'Send a test to me', press: (at, show) => sendTest(kind, services, at, show) },
    valuesOf,
    async build(at, before) {
      const { since } = await planPosts(services, at);
      const schedule = scheduleOf(at, before, since);
      const isTwin = (other: Schedule) => other.id !== schedule.id && keyOf(other) === keyOf(schedule);
      return at.request.workspace.schedules.some(isTwin)
        ? refuseField('This schedule already exists, for the same projects, times and channel.')
        : schedule;
    },
  });

const isEvery =
  (kind: Cadence['kind']) =>
  ({ cadence }: FormValues): boolean =>
    cadence === kind;
const coversDays = (values: FormValues): boolean => REPORTS[reportIn(values)].coversDays;

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, at) => at + 1);

const TIMING_FIELDS = {
  report: redrawing(
    choice('Report', { options: REPORT_NAMES.map((name) => option(REPORTS[name].title, name)) }),
  ),
  cadence: redrawing(
    choice('How often', {
      options: choices({
        daily: 'Every day',
        weekdays: 'Monday to Friday',
        weekly: 'Every week',
        monthly: 'Every month',
      }),
    }),
  ),
  weekday: shownWhen(
    isEvery('weekly'),
    redrawing(choice('On', { options: WEEKDAY_NAMES.map((day, at) => option(day, String(at + 1))) })),
  ),
  day: shownWhen(
    isEvery('monthly'),
    redrawing(
      choice('On', {
        hint: 'Shorter months use their last day.',
        options: [
          option('The last day', 'last'),
          ...upTo(31).map((day) => option(`Day ${day}`, String(day))),
        ],
      }),
    ),
  ),
  time: redrawing(time('At', DEFAULT_TIME)),
};

const MORE_FIELDS = {
  zone: underMore(
    redrawing(
      zone(
        'Time zone',
        `For the time above. Report days use the reporting time zone in ${commandText('/billing settings')}.`,
      ),
    ),
  ),
  waits: shownWhen(
    coversDays,
    underMore(
      choice('If billing hasn’t reported the day yet', {
        hint: 'Tally checks every 30 minutes. After this time, it posts without the day and says so.',
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
  preview: noteField<Block[]>(({ found = [] }) => found, {
    run: async (at) => (await planPosts(services, at)).preview,
  }),
  ...MORE_FIELDS,
});

const valuesOf = ({ report, timing: { cadence, time, zone }, waitHours }: ContentFields): FormValues => ({
  report,
  cadence: cadence.kind,
  time,
  zone,
  waits: String(waitHours),
  weekday: cadence.kind === 'weekly' ? String(cadence.weekday) : '1',
  day: cadence.kind === 'monthly' ? String(cadence.day) : 'last',
});
type ContentFields = Pick<Schedule, 'report' | 'timing' | 'waitHours'>;

function newFields(words: ScheduleWords, { user, workspace }: Request): FormValues {
  const { cadence = { kind: 'daily' }, time: at = DEFAULT_TIME } = words;
  const timing = { cadence, time: at, zone: user.zone ?? workspace.settings.zone };
  const report = words.report ?? USUAL_REPORT[cadence.kind];
  return valuesOf({ report, timing, waitHours: DEFAULT_WAIT_HOURS });
}

const reportIn = ({ report }: FormValues): ReportName =>
  REPORT_NAMES.find((name) => name === report) ?? 'yesterday';
function cadenceIn({ cadence, weekday, day }: FormValues): Cadence {
  if (cadence === 'weekdays') return { kind: 'weekdays' };
  if (cadence === 'weekly') return { kind: 'weekly', weekday: within(weekday, 1, WEEKDAY_NAMES.length) ?? 1 };
  if (cadence === 'monthly') return { kind: 'monthly', day: within(day, 1, 31) ?? 'last' };
  return { kind: 'daily' };
}

const timingIn = (values: FormValues): Timing => ({
  cadence: cadenceIn(values),
  time: TIME.test(values.time ?? '') ? (values.time ?? '') : DEFAULT_TIME,
  zone: isTimeZone(values.zone ?? '') ? (values.zone ?? '') : 'UTC',
});

function within(field: string | undefined, least: number, most: number): number | undefined {
  const number = Number(field || Number.NaN);
  return Number.isInteger(number) && number >= least && number <= most ? number : undefined;
}

/** @param since the schedule sends only posts that are due after this instant */
function scheduleOf(at: FormMoment, before: Schedule | undefined, since: number): Schedule {
  const { values } = at;
  const { projects, channel = '' } = deliveryOf(values);
  const waitHours = Number(values.waits || DEFAULT_WAIT_HOURS);
  const content = { report: reportIn(values), projects: [...projects], timing: timingIn(values), channel };
  return { ...unchangedFields(before, at), ...content, waitHours, since };
}

/** A text that two schedules share if they post the same at the same times. */
const keyOf = ({ report, projects, timing, channel }: Schedule): string =>
  JSON.stringify([report, projects.map(projectKey).sort(), formatTiming(timing), channel]);

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

async function planPosts({ scheduling }: FormServices, { id, values, request }: FormMoment) {
  const { workspace, user, at: now } = request;
  const timing = timingIn(values);
  const before = workspace.schedules.find((schedule) => schedule.id === id);
  const plan = planEdit(id, timing, before, await scheduling.loadLog(user.teamId), now);
  const isPaused = before?.paused !== undefined;
  const first = (isPaused ? undefined : plan.overdue.at(-1)) ?? plan.next[0];
  const coverage = { timing, report: reportIn(values), zone: workspace.settings.zone };
  const title = `*Next three posts${isPaused ? ' once resumed' : ''}* (${escapeMarkup(timing.zone)})`;
  const lines = compact([
    ...plan.next.map((due) => formatWallTime(due.at, timing.zone)),
    first && coverageText(first, coverage),
  ]);
  const warning = first && staleText(first, coverage);
  const preview = compact([
    markup([title, ...lines.map(escapeMarkup)].join('\n')),
    warning !== undefined && markup(`:warning: ${escapeMarkup(warning)}`),
  ]);
  return { since: plan.since, preview };
}

const NEXT_POSTS = 3;

/**
 * Plans the posts of an edited schedule. An overdue post stays due if the new timing has its date.
 * @param before undefined for a new schedule @returns the overdue and the next posts, which are due after `since`
 */
export function planEdit(
  id: string,
  timing: Timing,
  before: Schedule | undefined,
  log: Parameters<typeof lastHandled>[1],
  now: Millis,
) {
  const split = (schedule: Pick<Schedule, 'timing' | 'since'>) =>
    splitDueTimes(schedule, lastHandled(id, log), now, NEXT_POSTS);
  const sinceOf = ({ paused, since, timing: old }: Schedule): Millis => {
    if (paused !== undefined) return now;
    if (formatTiming(timing) === formatTiming(old)) return since;
    const owed = split({ timing: old, since }).overdue.at(-1);
    return owed === undefined ? now : startOfDay(owed.date, timing.zone) - 1;
  };
  const since = before === undefined ? now : sinceOf(before);
  return { since, ...split({ timing, since }) };
}

interface Coverage {
  readonly timing: Timing;
  readonly report: ReportName;
  /** The workspace's reporting time zone. */
  readonly zone: Zone;
}

const coveredDays = (due: DueTime, sentAt: Millis, { timing, report, zone }: Coverage): readonly Day[] =>
  daysOfReport(report, sentAt, zone, daysCovered(timing, due.at));

const formatRange = (days: readonly Day[], near?: Day): string => {
  const [from, to] = [days[0], days.at(-1)];
  return from === undefined || to === undefined ? '' : formatDays(from, to, near?.slice(0, 4));
};

function coverageText(first: DueTime, coverage: Coverage): string | undefined {
  const days = coveredDays(first, first.at, coverage);
  return days.length === 0 ? undefined : `The first post covers ${formatRange(days)} (${coverage.zone}).`;
}

/** A warning if the first post misses a day because that day isn't over yet in the reporting time zone. */
function staleText(first: DueTime, coverage: Coverage): string | undefined {
  const { timing, zone } = coverage;
  const covered = coveredDays(first, first.at, coverage);
  const wanted = coveredDays(first, Math.max(first.at, startOfDay(first.date, zone)), coverage);
  const missed = wanted.filter((day) => !covered.includes(day));
  if (missed.length === 0) return undefined;
  const last = formatRange(missed.slice(-1), first.date);
  return `The first post misses ${formatRange(missed)}: at ${timing.time} in ${timing.zone}, ${last} isn’t over yet in ${zone}, this workspace’s reporting time zone.`;
}

/** The test goes to the person who asks for it, so Tally needn't be in the channel. */
async function sendTest(
  kind: AutomationKind<Schedule>,
  { scheduling, limits }: FormServices,
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
    const { teamId, id: userId } = request.user;
    limits.demand('tests', { teamId, userId });
    await scheduling.send(teamId, schedule, 'test', userId);
    await show([markup('Sent a test to you. Nothing is saved yet.')]);
  } catch (error) {
    await show(isFailure(error) ? failureFacts(error, request) : [section('Couldn’t send the test.')]);
    if (!isFailure(error)) throw error;
    request.recordError(error);
  }
}
