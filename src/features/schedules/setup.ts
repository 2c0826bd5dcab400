import { randomUUID } from 'node:crypto';
import { type Failure, isFailure, mayHaveBeenSaved, NotAllowed } from '../../domain/failure/index.ts';
import { isProductId } from '../../domain/product.ts';
import { failureMessage } from '../../slack/error-blocks.ts';
import { type Block, context, markup, section, withoutActions } from '../../slack/kit/atoms.ts';
import { channelLink } from '../../slack/kit/escape.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import { auditedChange } from '../../workspace/change.ts';
import { resolveProject } from '../../workspace/resolve-project.ts';
import { MAX_SCHEDULES, type ReportName, type Schedule } from '../../workspace/schedules.ts';
import { findSchedule, isDamaged, requireSettings } from '../../workspace/workspace.ts';
import type { Workspace, Workspaces } from '../../workspace/workspaces.ts';
import type { PostableReport } from '../feature.ts';
import { announcementMessage, scheduleAuditText, scheduleSavedText } from './blocks.ts';
import {
  type ChannelCheck,
  channelNameOf,
  checkChannel,
  idNameOf,
  joinChannel,
  limitedProjects,
} from './channel-check.ts';
import { type ScheduleFormState, scheduleForm, scheduleSavedModal } from './form.ts';
import {
  type ChosenProject,
  draftOfSchedule,
  isSameSchedule,
  newFormState,
  type ScheduleDraft,
} from './form-state.ts';
import { canEditSchedule } from './permissions.ts';
import { previewSchedule, type SchedulePreview } from './preview.ts';
import type { Scheduling } from './scheduling.ts';
import {
  type CarryOverResult,
  carryOver,
  loadUpcomingSends,
  type UpcomingSendsOf,
} from './upcoming-sends.ts';
import type { ScheduleWords } from './words.ts';

export const SCHEDULES_FULL = `There are ${MAX_SCHEDULES} schedules already, and no more fit. Delete one first: /billing schedules.`;
const GONE = 'That schedule was deleted meanwhile. Saving this makes a new one.';

/** The form: opened, drawn anew at each change, tried out, and saved. Whatever comes back is checked each time. */
export function createScheduleForm(workspaces: Workspaces, scheduling: Scheduling, reports: Reports) {
  const look = async (draft: ScheduleDraft, request: Request): Promise<ChannelCheck> => {
    const before = known(draft, request);
    const isTheirs = request.user.canManage && before?.channel === draft.channel;
    return checkChannel(draft.channel, request, isTheirs);
  };

  const preview = (
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

  const view = (draft: ScheduleDraft, request: Request, { sends, site, ...news }: Seen) => {
    const { workspace, user, at } = request;
    // What a form brings back may name a channel that the person is not in, and a project that is not for them.
    const seen = site !== undefined && site.problem === undefined ? draft.channel : (request.channel ?? '');
    const unnamed = user.canManage ? [] : limitedProjects(seen, draft.projects, workspace);
    const nameIn = (one: ChosenProject) =>
      unnamed.includes(one) ? idNameOf(one) : channelNameOf(one, workspace);
    const kept = draft.channel === '' ? [] : limitedProjects(draft.channel, draft.projects, workspace);
    const doubled = workspace.schedules.some((one) => isSameSchedule(draft, one));
    const promised = sends && preview(draft, carriedOver(draft, request, sends), request);
    return scheduleForm({ draft, site, kept, preview: promised, nameOf: nameIn, doubled, at, ...news });
  };

  const open = async (draft: ScheduleDraft, request: Request): Promise<void> => {
    // Slack takes a form for 3 s after the click: what is known of the channel follows.
    const sends = await loadUpcomingSends(scheduling, request);
    await request.reply.modal.open(view(draft, request, { sends }));
    if (draft.channel !== '')
      await request.reply.modal.updateIfUnchanged(
        view(draft, request, { sends, site: await look(draft, request) }),
      );
  };

  /** @param said what happened; told by a direct message where the form was closed meanwhile */
  const redraw = async (draft: ScheduleDraft, request: Request, said?: string): Promise<void> => {
    const site = draft.channel === '' ? undefined : await look(draft, request);
    const blocks = said === undefined ? [] : [section(said)];
    const instead = said === undefined ? undefined : { text: said, blocks };
    const sends = await loadUpcomingSends(scheduling, request);
    await request.reply.modal.update(view(draft, request, { sends, site, said: blocks }), instead);
  };

  /** Everything that has to be so before anything is posted. @returns why not, in a sentence */
  const trouble = async (draft: ScheduleDraft, request: Request): Promise<string | undefined> => {
    if (draft.projects.length === 0) return 'Choose a project first.';
    const { problem, canJoin } = await look(draft, request);
    if (problem !== undefined) return problem;
    const kept = limitedProjects(draft.channel, draft.projects, request.workspace);
    if (kept.length > 0)
      return 'Not all of these projects may be asked about in that channel. Choose others, or another channel.';
    if (!canJoin) return undefined;
    if (!draft.joins)
      return 'Tally is not in that channel. Let it join, or type /invite @Tally there, then try again.';
    return joinChannel(draft.channel, request);
  };

  return {
    async openNew(words: ScheduleWords, request: Request): Promise<void> {
      const { workspace, user, channel } = request;
      if (workspace.scheduleIds.length >= MAX_SCHEDULES)
        return request.reply.update({ text: SCHEDULES_FULL, blocks: [section(SCHEDULES_FULL)] });
      const zone = user.zone ?? requireSettings(workspace).zone;
      await open(newFormState(words, projectsIn(words, request), { channel, zone }), request);
    },

    /** @throws NotAllowed */
    async openFor(schedule: Schedule, request: Request): Promise<void> {
      if (!canEditSchedule(schedule, request)) throw new NotAllowed('not-owner');
      await open(draftOfSchedule(schedule), request);
    },

    redraw,

    /** Time or zone of the form are not what the person chose there: Slack is to show them all the same. */
    refill: (draft: ScheduleDraft, request: Request) =>
      redraw({ ...draft, isRefilled: !draft.isRefilled }, request),

    async test(draft: ScheduleDraft, request: Request): Promise<void> {
      const { teamId, id } = request.user;
      const site = draft.channel === '' ? undefined : await look(draft, request);
      const sends = await loadUpcomingSends(scheduling, request);
      const tested = (...blocks: readonly Block[]) => view(draft, request, { sends, site, tested: blocks });
      try {
        const problem = await trouble(draft, request);
        if (problem !== undefined) return request.reply.modal.update(tested(section(problem)));
        const schedule = scheduleOf(draft, request, request.at);
        await request.reply.modal.update(tested(markup(`Sending a test to ${channelLink(draft.channel)}…`)));
        await scheduling.send(teamId, schedule, 'test', id);
        await request.reply.modal.updateIfUnchanged(
          tested(markup(`A test is in ${channelLink(draft.channel)} now. Nothing is saved yet.`)),
        );
      } catch (error) {
        const isExpected = isFailure(error) && error.kind !== 'not-allowed';
        await request.reply.modal.update(
          tested(...(isExpected ? told(error) : [section('The test could not be sent.')])),
        );
        // What nobody expected is logged, and told by a direct message with the id to look for.
        if (!isExpected) throw error;
      }
    },

    async save(draft: ScheduleDraft, request: Request): Promise<void> {
      const { workspace, user } = request;
      const saved = await stored(draft, request);
      if (saved === undefined) return;
      const { schedule, carried } = saved;
      await scheduling.changed(user.teamId);
      const said = scheduleSavedText(schedule, workspace);
      await request.reply.modal.update(scheduleSavedModal(said, preview(draft, carried, request)), {
        text: 'The schedule is saved.',
        blocks: [markup(said)],
      });
    },
  };

  /** Undefined where it was not, and the form says why, so that nothing has to be chosen again. */
  async function stored(draft: ScheduleDraft, request: Request): Promise<Saved | undefined> {
    const { workspace, user } = request;
    const refuse = async (problem: string, shown = draft): Promise<undefined> => {
      await redraw(shown, request, problem);
    };
    try {
      const before = known(draft, request);
      if (draft.before !== '' && before === undefined) return refuse(GONE, { ...draft, before: '' });
      if (before === undefined && workspace.scheduleIds.length >= MAX_SCHEDULES)
        return refuse(SCHEDULES_FULL);
      const problem = await trouble(draft, request);
      if (problem !== undefined) return refuse(`${problem} Nothing was saved.`);
      const carried = carriedOver(draft, request, await loadUpcomingSends(scheduling, request));
      const schedule = scheduleOf(draft, request, carried.since);
      // Said first: a channel that does not take it will not take the posts either, and then nothing is saved.
      await request.reply.public(
        draft.channel,
        announcementMessage(schedule, workspace, user.id, before !== undefined),
      );
      const deed = before === undefined ? 'schedule created' : 'schedule changed';
      await workspaces.saveSchedule(
        auditedChange(request, [deed, scheduleAuditText(schedule, workspace)]),
        schedule,
      );
      return { schedule, carried };
    } catch (error) {
      if (!isFailure(error) || error.kind === 'not-allowed') throw error;
      const blocks = [...told(error), ...(mayHaveBeenSaved(error) ? [] : [context('Nothing was saved.')])];
      await request.reply.modal.update(view(draft, request, { said: blocks }), {
        text: error.message,
        blocks,
      });
      return undefined;
    }
  }
}

type Reports = () => Readonly<Partial<Record<ReportName, PostableReport>>>;
type Seen = Partial<Pick<ScheduleFormState, 'site' | 'said' | 'tested'>> & {
  readonly sends?: UpcomingSendsOf;
};

interface Saved {
  readonly schedule: Schedule;
  readonly carried: CarryOverResult;
}

const scheduleBefore = ({ before }: ScheduleDraft, record: Workspace): Schedule | undefined =>
  before === '' ? undefined : record.schedules.find(({ id }) => id === before);

const carriedOver = (
  draft: ScheduleDraft,
  { workspace, at }: Request,
  sends: UpcomingSendsOf,
): CarryOverResult => carryOver(draft.before, draft.timing, scheduleBefore(draft, workspace), sends, at);

const told = (failure: Failure): Block[] => withoutActions(failureMessage(failure).blocks);

/** The schedule that is changed, if it is still there. @throws NotAllowed where it is not this person's */
function known({ before }: ScheduleDraft, request: Request): Schedule | undefined {
  const schedule = before === '' ? undefined : findSchedule(request.workspace, before);
  if (schedule !== undefined && !canEditSchedule(schedule, request)) throw new NotAllowed('not-owner');
  return schedule;
}

/** @param since what falls due after this instant (ms) is posted */
function scheduleOf(draft: ScheduleDraft, request: Request, since: number): Schedule {
  const { user, at } = request;
  const before = known(draft, request);
  const { projects, report, timing, channel, skipsEmpty, correctsFrom } = draft;
  // What Tally could not do before it may be able to do now; what a person stopped stays stopped.
  const paused = before?.paused?.why === 'person' ? { paused: before.paused } : {};
  return {
    id: before?.id ?? randomUUID().replaceAll('-', '').slice(0, 8),
    report,
    projects: [...projects],
    timing,
    channel,
    skipsEmpty,
    correctsFrom,
    owner: before?.owner ?? user.id,
    createdBy: before?.createdBy ?? user.id,
    createdAt: before?.createdAt ?? at,
    since,
    ...paused,
  };
}

/** What was typed, else what the channel asks about when nothing is named. @throws NotAllowed */
function projectsIn({ project, alias, product }: ScheduleWords, request: Request) {
  const named = {
    ...(project !== undefined && { project }),
    ...(alias !== undefined && { alias }),
    ...(isProductId(product) && { product }),
  };
  const isNamed = project !== undefined || alias !== undefined;
  const channelDefault =
    request.channel === undefined ? undefined : request.workspace.channelDefault(request.channel);
  if (!isNamed && channelDefault === undefined) return [];
  try {
    const target = resolveProject(named, request.workspace, askLocation(request));
    return [{ id: target.project, product: target.product }];
  } catch (error) {
    if (isNamed || !isFailure(error)) throw error;
    return [];
  }
}
