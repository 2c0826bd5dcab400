import type { Reports } from '../../delivery/posts/postable-report.ts';
import { projectIdLabel, projectLabel } from '../../delivery/posts/schedule-wording.ts';
import { type Failure, InvalidWord, isFailure, mayHaveBeenSaved } from '../../domain/failure/index.ts';
import { typedOrDefaultProject } from '../../slack/commands/project-search.ts';
import { type Block, channelLink, context, markup, section, withoutActions } from '../../slack/kit/atoms.ts';
import { fullText } from '../../slack/owned/actions.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import { announce } from '../../slack/owned/ownership.ts';
import { failureMessage } from '../../slack/reply/error-blocks.ts';
import { askLocation, type Request } from '../../slack/request/request.ts';
import { MAX_DIGEST_PROJECTS, type Schedule } from '../../workspace/owned/schedules.ts';
import {
  type ChosenProject,
  chosenProject,
  limitedProjects,
} from '../../workspace/projects/chosen-project.ts';
import { listWord, resolveProjects } from '../../workspace/projects/resolve-project.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { findSchedule, isDamaged } from '../../workspace/record/workspace.ts';
import { announcementMessage, scheduleAuditText, scheduleSavedText } from './blocks.ts';
import {
  carryOverDraft,
  checkScheduleDraftChannel,
  findDraftProblem,
  findVisibilityProblem,
  scheduleBefore,
  scheduleFromDraft,
} from './draft.ts';
import { type ScheduleFormState, scheduleForm, scheduleSavedModal } from './form.ts';
import { draftOfSchedule, isSameSchedule, newFormState, type ScheduleDraft } from './form-state.ts';
import type { OwnedSchedules, SchedulesParts } from './kind.ts';
import { previewSchedule, type SchedulePreview } from './preview.ts';
import { type CarryOverResult, loadUpcomingSends, type UpcomingSendsOf } from './upcoming-sends.ts';
import type { ScheduleWords } from './words.ts';

const GONE = 'This schedule was deleted. Save to create a new one.';

export interface ScheduleFormParts extends SchedulesParts {
  /** What the features can post. */
  readonly reports: () => Reports;
}

/** The form: opened, redrawn at each change, tested and saved. What it sends back is checked each time. */
export function createScheduleForm(kind: OwnedSchedules, parts: ScheduleFormParts) {
  return {
    async openNew(words: ScheduleWords, request: Request): Promise<void> {
      const { workspace, user, channel } = request;
      const full = fullText(kind, request);
      if (full !== undefined) return request.reply.update({ text: full, blocks: [section(full)] });
      const zone = user.zone ?? workspace.settings.zone;
      const projects = projectsIn(words, request);
      await openForm(parts, newFormState(words, projects, { channel, zone }), request);
    },

    async openFor(schedule: Schedule, request: Request): Promise<void> {
      await openForm(parts, draftOfSchedule(schedule), request);
    },

    redraw: (draft: ScheduleDraft, request: Request) => redrawForm(parts, draft, request),

    /** For a time or zone that Tally filled in: Slack only shows it under another block id. */
    refill: (draft: ScheduleDraft, request: Request) =>
      redrawForm(parts, { ...draft, isRefilled: !draft.isRefilled }, request),

    /** @param audience the channel, or only the user */
    test: (draft: ScheduleDraft, request: Request, audience: 'channel' | 'me') =>
      sendTest(parts, draft, request, audience),

    async save(draft: ScheduleDraft, request: Request): Promise<void> {
      const saved = await storeDraft(kind, parts, draft, request);
      if (saved === undefined) return;
      const { schedule, carried } = saved;
      await parts.scheduling.changed(request.user.teamId);
      const { workspace, user } = request;
      const announcement = announcementMessage(schedule, workspace, user.id, draft.before !== '');
      const problems = await announce([{ to: schedule.channel, message: announcement }], request);
      const text = [scheduleSavedText(schedule, workspace), ...problems].join('\n');
      const preview = previewDraft(parts, draft, carried, request);
      const fallback = { text: 'Schedule saved.', blocks: [markup(text)] };
      await request.reply.modal.update(scheduleSavedModal(text, preview), fallback);
    },
  };
}

/** @throws NotAllowed, Failure for a project that was typed; InvalidWord for too many */
function projectsIn(words: ScheduleWords, request: Request): readonly ChosenProject[] {
  const { several, product } = words;
  if (several === undefined) {
    const project = typedOrDefaultProject(words, request);
    return project === undefined ? [] : [project];
  }
  const found = resolveProjects(several, product, request.workspace, askLocation(request));
  if (found.length > MAX_DIGEST_PROJECTS)
    throw new InvalidWord(
      listWord(several),
      `That’s ${found.length} projects`,
      `Post about ${MAX_DIGEST_PROJECTS} at a time.`,
    );
  return found.map((one) => {
    if ('failure' in one) throw one.failure;
    return chosenProject(one);
  });
}

const previewDraft = (
  { reports }: ScheduleFormParts,
  draft: ScheduleDraft,
  carried: CarryOverResult,
  { workspace, at: now }: Request,
): SchedulePreview =>
  previewSchedule({
    ...{ timing: draft.timing, carried, now },
    isPaused: scheduleBefore(draft, workspace)?.paused?.why === 'person',
    report: reports()[draft.report],
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
  const nameOf = (one: ChosenProject) =>
    unnamed.includes(one) ? projectIdLabel(one) : projectLabel(one, workspace);
  return scheduleForm({
    ...{ draft, channelCheck, nameOf, at },
    restricted: draft.channel === '' ? [] : limitedProjects(draft.channel, draft.projects, workspace),
    isDuplicate: workspace.schedules.some((one) => isSameSchedule(draft, one)),
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

/** @param notice what happened; sent as a direct message if the form was closed */
async function redrawForm(
  parts: ScheduleFormParts,
  draft: ScheduleDraft,
  request: Request,
  notice?: string,
): Promise<void> {
  const channelCheck = draft.channel === '' ? undefined : await checkScheduleDraftChannel(draft, request);
  const blocks = notice === undefined ? [] : [section(notice)];
  const fallback = notice === undefined ? undefined : { text: notice, blocks };
  const sends = await loadUpcomingSends(parts.scheduling, request);
  const view = viewOf(parts, draft, request, { sends, channelCheck, notice: blocks });
  await request.reply.modal.update(view, fallback);
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
    const schedule = scheduleFromDraft(draft, request, request.at);
    await modal.update(withResult(markup(`Sending a test to ${where}…`)));
    await parts.scheduling.send(teamId, schedule, isForMe ? 'test-to-me' : 'test', id);
    await modal.updateIfUnchanged(withResult(markup(`Sent a test to ${where}. Nothing is saved yet.`)));
  } catch (error) {
    const isExpected = isFailure(error) && error.kind !== 'not-allowed';
    const blocks = isExpected ? failureBlocks(error) : [section('Couldn’t send the test.')];
    await modal.update(withResult(...blocks));
    // An unexpected error is logged, and answered with its reference.
    if (!isExpected) throw error;
  }
}

interface SavedDraft {
  readonly schedule: Schedule;
  readonly carried: CarryOverResult;
}

/** @returns undefined when it was not saved; the form then says why and keeps what was chosen */
async function storeDraft(
  kind: OwnedSchedules,
  parts: ScheduleFormParts,
  draft: ScheduleDraft,
  request: Request,
): Promise<SavedDraft | undefined> {
  const { workspace } = request;
  const refuse = async (problem: string, shown = draft): Promise<undefined> => {
    await redrawForm(parts, shown, request, problem);
  };
  try {
    const before = requireOwned(findSchedule, draft.before, request);
    if (draft.before !== '' && before === undefined) return refuse(GONE, { ...draft, before: '' });
    const full = before === undefined ? fullText(kind, request) : undefined;
    if (full !== undefined) return refuse(full);
    const problem = await findDraftProblem(draft, request);
    if (problem !== undefined) return refuse(`${problem} Nothing was saved.`);
    const carried = carryOverDraft(draft, request, await loadUpcomingSends(parts.scheduling, request));
    const schedule = scheduleFromDraft(draft, request, carried.since);
    const action = before === undefined ? 'schedule created' : 'schedule changed';
    const change = auditedChange(request, [action, scheduleAuditText(schedule, workspace)]);
    await parts.workspaces.schedules.save(change, schedule);
    return { schedule, carried };
  } catch (error) {
    if (!isFailure(error) || error.kind === 'not-allowed') throw error;
    const notice = [
      ...failureBlocks(error),
      ...(mayHaveBeenSaved(error) ? [] : [context('Nothing was saved.')]),
    ];
    const fallback = { text: error.message, blocks: notice };
    await request.reply.modal.update(viewOf(parts, draft, request, { notice }), fallback);
    return undefined;
  }
}

const failureBlocks = (failure: Failure): Block[] => withoutActions(failureMessage(failure).blocks);
