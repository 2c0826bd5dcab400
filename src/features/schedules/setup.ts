import type { ModalView } from '@slack/types';
import type { Reports } from '../../delivery/posts/postable-report.ts';
import { InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { listWord } from '../../domain/language/command-text.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-picker.ts';
import { type Block, channelLink, markup, section } from '../../slack/kit/atoms.ts';
import { fullMessage } from '../../slack/owned/actions.ts';
import {
  checkItemChannel,
  joinIfWanted,
  NOTHING_SAVED,
  type OwnedForm,
  ownershipFields,
  saveDraft,
} from '../../slack/owned/form.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import { failureFacts } from '../../slack/reply/error-reply.ts';
import type { ChannelCheck } from '../../slack/request/channels.ts';
import type { Request } from '../../slack/request/request.ts';
import { MAX_DIGEST_PROJECTS, type Schedule } from '../../workspace/owned/schedules.ts';
import {
  type ChosenProject,
  chosenProject,
  projectIdLabel,
  projectLabel,
} from '../../workspace/projects/chosen-project.ts';
import { limitedProjects, resolveProjects } from '../../workspace/projects/resolve-project.ts';
import { findSchedule, isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import { announcementMessage, scheduleSavedText } from './blocks.ts';
import { type ScheduleFormState, savedPreviewBlocks, scheduleForm } from './form.ts';
import { draftOfSchedule, isSameSchedule, newFormState, type ScheduleDraft } from './form-state.ts';
import type { OwnedSchedules, SchedulesParts } from './kind.ts';
import { previewSchedule, type SchedulePreview } from './preview.ts';
import { carryOver, type EditOutcome, loadUpcomingSends, type UpcomingSendsOf } from './upcoming-sends.ts';
import type { ScheduleWords } from './words.ts';

export interface ScheduleFormParts extends SchedulesParts {
  /** What the features can post. */
  readonly reports: Reports;
}

/** The form: opened, redrawn at each change, tested and saved. What it sends back is checked each time. */
export function createScheduleForm(kind: OwnedSchedules, parts: ScheduleFormParts) {
  const redraw = async (draft: ScheduleDraft, request: Request): Promise<void> =>
    request.reply.modal.update(await loadView(parts, draft, request));
  return {
    async openNew(words: ScheduleWords, request: Request): Promise<void> {
      const { workspace, user, channel } = request;
      const full = fullMessage(kind, request);
      if (full !== undefined) return request.reply.update(full);
      const zone = user.zone ?? workspace.settings.zone;
      const projects = projectsIn(words, request);
      await openForm(parts, newFormState(words, projects, { channel, zone }), request);
    },

    openFor: (schedule: Schedule, request: Request) => openForm(parts, draftOfSchedule(schedule), request),

    redraw,

    /** For a time or zone that Tally filled in: Slack only shows it under another block id. */
    refill: (draft: ScheduleDraft, request: Request) =>
      redraw({ ...draft, isRefilled: !draft.isRefilled }, request),

    /** @param audience the channel, or only the user */
    test: (draft: ScheduleDraft, request: Request, audience: 'channel' | 'me') =>
      sendTest(parts, draft, request, audience),

    save: (draft: ScheduleDraft, request: Request) => saveDraft(kind, formOf(parts), draft, request),
  };
}

const formOf = (parts: ScheduleFormParts): OwnedForm<Schedule, ScheduleDraft> => ({
  view: (draft, request, shown) => viewOf(parts, draft, request, shown),
  load: (draft, request, shown) => loadView(parts, draft, request, shown),
  problemBlock: section,
  asNew: (draft) => ({ ...draft, before: '' }),
  async check(draft, before, request) {
    const problem = await findDraftProblem(draft, request);
    if (problem !== undefined) return { problem: `${problem} ${NOTHING_SAVED}` };
    const outcome = carryOverDraft(draft, request, await loadUpcomingSends(parts.scheduling, request));
    return {
      item: scheduleFromDraft(draft, before, request, outcome.since),
      savedBlocks: savedPreviewBlocks(previewDraft(parts, draft, outcome, request)),
    };
  },
  announcements: (schedule, { workspace, user }, isChange) => [
    { to: schedule.channel, message: announcementMessage(schedule, workspace, user.id, isChange) },
  ],
  savedText: (schedule, { workspace }) => scheduleSavedText(schedule, workspace),
  listVerbs: 'pause or delete',
});

/** @throws NotAllowed, Failure for a project that was typed; InvalidWord for too many */
function projectsIn(words: ScheduleWords, request: Request): readonly ChosenProject[] {
  const { several, product } = words;
  if (several === undefined) {
    const project = typedOrDefaultProject(words, request);
    return project === undefined ? [] : [project];
  }
  const found = resolveProjects(several, product, request.workspace, request);
  if (found.length > MAX_DIGEST_PROJECTS)
    throw new InvalidWord(
      listWord(several),
      `That’s ${found.length} projects`,
      `Post about ${MAX_DIGEST_PROJECTS} at a time.`,
    );
  return found.map((project) => {
    if ('failure' in project) throw project.failure;
    return chosenProject(project);
  });
}

const previewDraft = (
  { reports }: ScheduleFormParts,
  draft: ScheduleDraft,
  outcome: EditOutcome,
  { workspace, at: now }: Request,
): SchedulePreview =>
  previewSchedule({
    ...{ timing: draft.timing, outcome, now },
    isPaused: scheduleBefore(draft, workspace)?.paused?.why === 'person',
    report: reports[draft.report],
    reportingZone: isDamaged(workspace, 'settings') ? undefined : workspace.settings.zone,
  });

/** What a redrawn form shows besides the draft. */
type FormExtras = Partial<Pick<ScheduleFormState, 'channelCheck' | 'notice' | 'testResult'>> & {
  readonly sends?: UpcomingSendsOf;
};

function viewOf(
  parts: ScheduleFormParts,
  draft: ScheduleDraft,
  request: Request,
  { sends, channelCheck, ...messages }: FormExtras,
) {
  const { workspace, user, at } = request;
  // A form may send back a channel that the user is not in, or a project that they may not see.
  const isVisible = channelCheck !== undefined && channelCheck.problem === undefined;
  const channel = isVisible ? draft.channel : (request.channel ?? '');
  const unnamed = user.canManage ? [] : limitedProjects(channel, draft.projects, workspace);
  const nameOf = (project: ChosenProject) =>
    unnamed.includes(project) ? projectIdLabel(project) : projectLabel(project, workspace);
  return scheduleForm({
    ...{ draft, channelCheck, nameOf, at },
    restricted: draft.channel === '' ? [] : limitedProjects(draft.channel, draft.projects, workspace),
    isDuplicate: workspace.schedules.some((schedule) => isSameSchedule(draft, schedule)),
    preview: sends && previewDraft(parts, draft, carryOverDraft(draft, request, sends), request),
    ...messages,
  });
}

async function openForm(parts: ScheduleFormParts, draft: ScheduleDraft, request: Request): Promise<void> {
  // Slack opens a form only within 3 s of the click, so the check of the channel follows.
  const sends = await loadUpcomingSends(parts.scheduling, request);
  await request.reply.modal.open(viewOf(parts, draft, request, { sends }));
  if (draft.channel === '') return;
  const channelCheck = await checkScheduleDraftChannel(draft, request);
  await request.reply.modal.updateIfUnchanged(viewOf(parts, draft, request, { sends, channelCheck }));
}

/** After asking Slack about the channel, and what was posted so far. */
async function loadView(
  parts: ScheduleFormParts,
  draft: ScheduleDraft,
  request: Request,
  shown: FormExtras = {},
): Promise<ModalView> {
  const channelCheck = draft.channel === '' ? undefined : await checkScheduleDraftChannel(draft, request);
  const sends = await loadUpcomingSends(parts.scheduling, request);
  return viewOf(parts, draft, request, { sends, channelCheck, ...shown });
}

async function sendTest(
  parts: ScheduleFormParts,
  draft: ScheduleDraft,
  request: Request,
  audience: 'channel' | 'me',
): Promise<void> {
  const isForMe = audience === 'me';
  const where = isForMe ? 'you' : channelLink(draft.channel);
  const { teamId, id } = request.user;
  const { modal } = request.reply;
  const channelCheck = draft.channel === '' ? undefined : await checkScheduleDraftChannel(draft, request);
  const sends = await loadUpcomingSends(parts.scheduling, request);
  const withResult = (...testResult: readonly Block[]) =>
    viewOf(parts, draft, request, { sends, channelCheck, testResult });
  try {
    const found = await (isForMe ? findVisibilityProblem : findDraftProblem)(draft, request);
    if (typeof found === 'string') return modal.update(withResult(section(found)));
    const before = requireOwned(findSchedule, draft.before, request);
    const schedule = scheduleFromDraft(draft, before, request, request.at);
    await modal.update(withResult(markup(`Sending a test to ${where}…`)));
    await parts.scheduling.send(teamId, schedule, isForMe ? 'test-to-me' : 'test', id);
    await modal.updateIfUnchanged(withResult(markup(`Sent a test to ${where}. Nothing is saved yet.`)));
  } catch (error) {
    const isExpected = isFailure(error) && error.kind !== 'not-allowed';
    const blocks = isExpected ? failureFacts(error, request) : [section('Couldn’t send the test.')];
    await modal.update(withResult(...blocks));
    // An unexpected error is logged, and answered with its reference.
    if (!isExpected) throw error;
  }
}

/** The schedule that the form edits, of any owner; undefined for a new, deleted or damaged one. */
const scheduleBefore = ({ before }: ScheduleDraft, workspace: Workspace): Schedule | undefined =>
  before === '' ? undefined : workspace.schedules.find(({ id }) => id === before);

/** @throws NotAllowed when the user may not edit it */
const checkScheduleDraftChannel = (draft: ScheduleDraft, request: Request): Promise<ChannelCheck> =>
  checkItemChannel(draft.channel, requireOwned(findSchedule, draft.before, request), request);

/** Joins the channel if that is wanted and needed. @returns why the draft cannot be posted, in a sentence */
export async function findDraftProblem(draft: ScheduleDraft, request: Request): Promise<string | undefined> {
  const found = await findVisibilityProblem(draft, request);
  return typeof found === 'string' ? found : joinIfWanted(draft.channel, found, draft.joins, request);
}

/** Why the user may not see there what would be posted; Tally need not be in the channel for that. */
async function findVisibilityProblem(draft: ScheduleDraft, request: Request): Promise<string | ChannelCheck> {
  if (draft.projects.length === 0) return 'Choose a project first.';
  const channelCheck = await checkScheduleDraftChannel(draft, request);
  if (channelCheck.problem !== undefined) return channelCheck.problem;
  if (limitedProjects(draft.channel, draft.projects, request.workspace).length > 0)
    return 'That channel can’t see all these projects. Choose other projects or another channel.';
  return channelCheck;
}

const carryOverDraft = (
  draft: ScheduleDraft,
  { workspace, at }: Request,
  sends: UpcomingSendsOf,
): EditOutcome => carryOver(draft.before, draft.timing, scheduleBefore(draft, workspace), sends, at);

/** @param since posts that are due after this instant are sent */
export function scheduleFromDraft(
  draft: ScheduleDraft,
  before: Schedule | undefined,
  request: Request,
  since: Millis,
): Schedule {
  const { projects, report, timing, channel, skipsEmpty, correctsFrom, waitHours } = draft;
  // An edit may fix the cause of Tally's own pause; a person's pause stays.
  const paused = before?.paused?.why === 'person' ? { paused: before.paused } : {};
  return {
    ...ownershipFields(before, request),
    ...{ report, projects: [...projects], timing, channel, skipsEmpty, correctsFrom, waitHours, since },
    ...paused,
  };
}
