import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { projectList } from '../../domain/language/parsed-command.ts';
import { REPORTS } from '../../domain/report.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-picker.ts';
import { suggestZones } from '../../slack/commands/zone-picker.ts';
import { type Block, channelLink, markup, section } from '../../slack/kit/blocks.ts';
import { newDraft, type OwnedForm } from '../../slack/owned/form-state.ts';
import { createOwnedForm, ownershipFields } from '../../slack/owned/owned-form.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import { failureFacts } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import type { ActionListener, Listeners, OptionsListener } from '../../slack/server/listeners.ts';
import { MAX_DIGEST_PROJECTS, type Schedule } from '../../workspace/owned/schedule-record.ts';
import { type ChosenProject, chosenProject } from '../../workspace/projects/chosen-project.ts';
import { resolveProjects } from '../../workspace/projects/resolve-project.ts';
import { findSchedule, isDamaged } from '../../workspace/record/workspace.ts';
import {
  fieldsUnderMore,
  newScheduleFields,
  parseScheduleFields,
  SCHEDULE_TEST,
  type ScheduleDraft,
  type ScheduleFormTypes,
  scheduleBlocks,
  scheduleErrors,
  withUsualReport,
} from './form-state.ts';
import type { OwnedSchedules } from './owned-schedules.ts';
import type { ScheduleWords } from './parse.ts';
import { previewSchedule } from './timing-preview.ts';
import { loadUpcomingSends, planEdit } from './upcoming-posts.ts';

const FIELD = 'schedule-form';
const LIMITS = { projects: MAX_DIGEST_PROJECTS, people: 0 } as const;

type FormServices = Pick<DeliveryService, 'scheduling'>;

/** The form, with its buttons that send a test. */
export function createScheduleForm(kind: OwnedSchedules, services: FormServices) {
  const form = createOwnedForm(scheduleForm(kind, services));
  const { actions, options, views } = form.listeners;
  const test = (audience: 'channel' | 'me'): ActionListener =>
    form.onDraft((draft, request) => sendTest(form, services, draft, request, audience));
  const zones: OptionsListener = { right: 'member', find: suggestZones };
  return {
    openNew: (words: ScheduleWords, request: Request) =>
      form.openNew(request, () => newScheduleDraft(words, projectsIn(words, request), request)),
    openFor: form.openFor,
    listeners: {
      views,
      options: { ...options, [`${FIELD}:zone`]: zones },
      actions: {
        ...actions,
        'schedule-more': form.onDraft((draft, request) =>
          form.redraw({ ...draft, isExpanded: !draft.isExpanded }, request),
        ),
        [SCHEDULE_TEST.channel]: test('channel'),
        [SCHEDULE_TEST.me]: test('me'),
      },
    } satisfies Listeners,
  };
}

const scheduleForm = (kind: OwnedSchedules, services: FormServices): OwnedForm<ScheduleFormTypes> => ({
  kind,
  field: FIELD,
  max: LIMITS,
  words: {
    create: 'Schedule a post',
    edit: 'Edit schedule',
    saving: 'Checking the channel…',
    projectsHint: 'Type a name or an ID. Several projects make one post with a total.',
  },
  inView: { blocks: ['projects', 'channel', 'report'], below: 'When' },
  parse: parseScheduleFields,
  errors: scheduleErrors,
  fieldsOf: (schedule) => schedule,
  hidden: fieldsUnderMore,
  changed: withUsualReport,
  blocks: scheduleBlocks,
  asks: () => false,
  figures: async (draft, request) => (await planDraft(services, draft, request)).preview,
  async build(draft, before, request) {
    const { since } = await planDraft(services, draft, request);
    return { item: scheduleFromDraft(draft, before, request, since) };
  },
});

function newScheduleDraft(
  words: ScheduleWords,
  projects: readonly ChosenProject[],
  request: Request,
): ScheduleDraft {
  const zone = request.user.zone ?? request.workspace.settings.zone;
  return {
    ...newDraft(projects, LIMITS, request),
    ...newScheduleFields(words, zone),
    isExpanded: words.waitHours !== undefined,
  };
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

/** What saving the draft does to the posts of the schedule that it edits, and the preview of that. */
async function planDraft({ scheduling }: FormServices, draft: ScheduleDraft, request: Request) {
  const { timing, before: id } = draft;
  const { workspace, at: now } = request;
  // Of any owner; undefined for a new, deleted or damaged one.
  const before = workspace.schedules.find((schedule) => schedule.id === id);
  const outcome = planEdit(id, timing, before, await loadUpcomingSends(scheduling, request), now);
  const preview = previewSchedule({
    timing,
    outcome,
    now,
    isPaused: before?.paused !== undefined,
    report: draft.report,
    reportingZone: isDamaged(workspace, 'settings') ? undefined : workspace.settings.zone,
  });
  return { since: outcome.since, preview };
}

async function sendTest(
  form: ReturnType<typeof createOwnedForm<ScheduleFormTypes>>,
  { scheduling }: FormServices,
  draft: ScheduleDraft,
  request: Request,
  audience: 'channel' | 'me',
): Promise<void> {
  const { user, reply } = request;
  const isForMe = audience === 'me';
  const where = isForMe ? 'you' : channelLink(draft.channel);
  const shown = await form.load(draft, request);
  const withResult = (...result: readonly Block[]) => form.view(draft, request, { ...shown, result });
  try {
    const problem =
      draft.projects.length === 0
        ? 'Choose a project first.'
        : // Tally need not be in the channel to show the user what would be posted there.
          isForMe && shown.check !== undefined
          ? shown.check.problem
          : await form.findProblem(draft, request);
    if (problem !== undefined) return await reply.modal.update(withResult(markup(problem)));
    const before = requireOwned(findSchedule, draft.before, request);
    const schedule = scheduleFromDraft(draft, before, request, request.at);
    await reply.modal.update(withResult(markup(`Sending a test to ${where}…`)));
    await scheduling.send(user.teamId, schedule, isForMe ? 'test-to-me' : 'test', user.id);
    await reply.modal.redraw(withResult(markup(`Sent a test to ${where}. Nothing is saved yet.`)));
  } catch (error) {
    request.recordError(error);
    const isExpected = isFailure(error) && error.kind !== 'not-allowed';
    const blocks = isExpected ? failureFacts(error, request) : [section('Couldn’t send the test.')];
    await reply.modal.update(withResult(...blocks));
    // An unexpected error is logged, and answered with its reference.
    if (!isExpected) throw error;
  }
}

/** @param since posts that are due after this instant are sent */
function scheduleFromDraft(
  draft: ScheduleDraft,
  before: Schedule | undefined,
  request: Request,
  since: Millis,
): Schedule {
  const { projects, report, timing, channel, waitHours } = draft;
  const { coversDays } = REPORTS[report];
  return {
    ...ownershipFields(before, request),
    report,
    projects: [...projects],
    timing,
    channel,
    waitHours,
    since,
    // A balance belongs to an instant: it covers no days without spend, and does not change later.
    skipsEmpty: coversDays && draft.skipsEmpty,
    correctsFrom: coversDays ? draft.correctsFrom : 0,
    ...(before?.paused && { paused: before.paused }),
  };
}
