import { randomUUID } from 'node:crypto';
import { schedulesOf } from '../../delivery/plan.ts';
import { type Failure, isFailure, mayHaveBeenSaved, NotAllowed } from '../../domain/failure/index.ts';
import { isProductId } from '../../domain/product.ts';
import { failureMessage } from '../../slack/error-blocks.ts';
import { type Block, context, markup, section, withoutActions } from '../../slack/kit/atoms.ts';
import { channelLink } from '../../slack/kit/escape.ts';
import { askLocation, type Visit } from '../../slack/visit.ts';
import { auditedChange } from '../../workspace/change.ts';
import { readable } from '../../workspace/parse-record.ts';
import { resolveProject } from '../../workspace/resolve-project.ts';
import { MAX_SCHEDULES, type ReportName, type Schedule } from '../../workspace/schedules.ts';
import type { WorkspaceRecord, Workspaces } from '../../workspace/workspaces.ts';
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
  const look = async (draft: ScheduleDraft, visit: Visit): Promise<ChannelCheck> => {
    const before = known(draft, visit);
    const isTheirs = visit.asker.manage && before?.channel === draft.channel;
    return checkChannel(draft.channel, visit, isTheirs);
  };

  const preview = (
    draft: ScheduleDraft,
    carried: CarryOverResult,
    { record, at: now }: Visit,
  ): SchedulePreview =>
    previewSchedule({
      ...{ timing: draft.timing, carried, now },
      isPaused: scheduleBefore(draft, record)?.paused?.why === 'person',
      report: reports()[draft.report],
      reportingZone: readable(() => record.settings)?.zone,
    });

  const view = (draft: ScheduleDraft, visit: Visit, { sends, site, ...news }: Seen) => {
    const { record, asker, at } = visit;
    // What a form brings back may name a channel that the person is not in, and a project that is not for them.
    const seen = site !== undefined && site.problem === undefined ? draft.channel : (visit.channel ?? '');
    const unnamed = asker.manage ? [] : limitedProjects(seen, draft.projects, record);
    const nameIn = (one: ChosenProject) =>
      unnamed.includes(one) ? idNameOf(one) : channelNameOf(one, record);
    const kept = draft.channel === '' ? [] : limitedProjects(draft.channel, draft.projects, record);
    const doubled = schedulesOf(record).some((one) => isSameSchedule(draft, one));
    const promised = sends && preview(draft, carriedOver(draft, visit, sends), visit);
    return scheduleForm({ draft, site, kept, preview: promised, nameOf: nameIn, doubled, at, ...news });
  };

  const open = async (draft: ScheduleDraft, visit: Visit): Promise<void> => {
    // Slack takes a form for 3 s after the click: what is known of the channel follows.
    const sends = await loadUpcomingSends(scheduling, visit);
    await visit.open(view(draft, visit, { sends }));
    if (draft.channel !== '')
      await visit.refresh(view(draft, visit, { sends, site: await look(draft, visit) }));
  };

  /** @param said what happened; told by a direct message where the form was closed meanwhile */
  const redraw = async (draft: ScheduleDraft, visit: Visit, said?: string): Promise<void> => {
    const site = draft.channel === '' ? undefined : await look(draft, visit);
    const blocks = said === undefined ? [] : [section(said)];
    const instead = said === undefined ? undefined : { text: said, blocks };
    const sends = await loadUpcomingSends(scheduling, visit);
    await visit.show(view(draft, visit, { sends, site, said: blocks }), instead);
  };

  /** Everything that has to be so before anything is posted. @returns why not, in a sentence */
  const trouble = async (draft: ScheduleDraft, visit: Visit): Promise<string | undefined> => {
    if (draft.projects.length === 0) return 'Choose a project first.';
    const { problem, canJoin } = await look(draft, visit);
    if (problem !== undefined) return problem;
    const kept = limitedProjects(draft.channel, draft.projects, visit.record);
    if (kept.length > 0)
      return 'Not all of these projects may be asked about in that channel. Choose others, or another channel.';
    if (!canJoin) return undefined;
    if (!draft.joins)
      return 'Tally is not in that channel. Let it join, or type /invite @Tally there, then try again.';
    return joinChannel(draft.channel, visit);
  };

  return {
    async openNew(words: ScheduleWords, visit: Visit): Promise<void> {
      const { record, asker, channel } = visit;
      if (record.scheduleIds.length >= MAX_SCHEDULES)
        return visit.answer({ text: SCHEDULES_FULL, blocks: [section(SCHEDULES_FULL)] });
      const zone = asker.zone ?? record.settings.zone;
      await open(newFormState(words, projectsIn(words, visit), { channel, zone }), visit);
    },

    /** @throws NotAllowed */
    async openFor(schedule: Schedule, visit: Visit): Promise<void> {
      if (!canEditSchedule(schedule, visit)) throw new NotAllowed('not-owner');
      await open(draftOfSchedule(schedule), visit);
    },

    redraw,

    /** Time or zone of the form are not what the person chose there: Slack is to show them all the same. */
    refill: (draft: ScheduleDraft, visit: Visit) =>
      redraw({ ...draft, isRefilled: !draft.isRefilled }, visit),

    async test(draft: ScheduleDraft, visit: Visit): Promise<void> {
      const { workspace, person } = visit.asker;
      const site = draft.channel === '' ? undefined : await look(draft, visit);
      const sends = await loadUpcomingSends(scheduling, visit);
      const tested = (...blocks: readonly Block[]) => view(draft, visit, { sends, site, tested: blocks });
      try {
        const problem = await trouble(draft, visit);
        if (problem !== undefined) return visit.show(tested(section(problem)));
        const schedule = scheduleOf(draft, visit, visit.at);
        await visit.show(tested(markup(`Sending a test to ${channelLink(draft.channel)}…`)));
        await scheduling.send(workspace, schedule, 'test', person);
        await visit.refresh(
          tested(markup(`A test is in ${channelLink(draft.channel)} now. Nothing is saved yet.`)),
        );
      } catch (error) {
        const isExpected = isFailure(error) && error.kind !== 'not-allowed';
        await visit.show(tested(...(isExpected ? told(error) : [section('The test could not be sent.')])));
        // What nobody expected is logged, and told by a direct message with the id to look for.
        if (!isExpected) throw error;
      }
    },

    async save(draft: ScheduleDraft, visit: Visit): Promise<void> {
      const { record, asker } = visit;
      const saved = await stored(draft, visit);
      if (saved === undefined) return;
      const { schedule, carried } = saved;
      await scheduling.changed(asker.workspace);
      const said = scheduleSavedText(schedule, record);
      await visit.show(scheduleSavedModal(said, preview(draft, carried, visit)), {
        text: 'The schedule is saved.',
        blocks: [markup(said)],
      });
    },
  };

  /** Undefined where it was not, and the form says why, so that nothing has to be chosen again. */
  async function stored(draft: ScheduleDraft, visit: Visit): Promise<Saved | undefined> {
    const { record, asker } = visit;
    const refuse = async (problem: string, shown = draft): Promise<undefined> => {
      await redraw(shown, visit, problem);
    };
    try {
      const before = known(draft, visit);
      if (draft.before !== '' && before === undefined) return refuse(GONE, { ...draft, before: '' });
      if (before === undefined && record.scheduleIds.length >= MAX_SCHEDULES) return refuse(SCHEDULES_FULL);
      const problem = await trouble(draft, visit);
      if (problem !== undefined) return refuse(`${problem} Nothing was saved.`);
      const carried = carriedOver(draft, visit, await loadUpcomingSends(scheduling, visit));
      const schedule = scheduleOf(draft, visit, carried.since);
      // Said first: a channel that does not take it will not take the posts either, and then nothing is saved.
      await visit.post(
        draft.channel,
        announcementMessage(schedule, record, asker.person, before !== undefined),
      );
      const deed = before === undefined ? 'schedule created' : 'schedule changed';
      await workspaces.saveSchedule(
        auditedChange(visit, [deed, scheduleAuditText(schedule, record)]),
        schedule,
      );
      return { schedule, carried };
    } catch (error) {
      if (!isFailure(error) || error.kind === 'not-allowed') throw error;
      const blocks = [...told(error), ...(mayHaveBeenSaved(error) ? [] : [context('Nothing was saved.')])];
      await visit.show(view(draft, visit, { said: blocks }), { text: error.message, blocks });
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

const scheduleBefore = ({ before }: ScheduleDraft, record: WorkspaceRecord): Schedule | undefined =>
  before === '' ? undefined : readable(() => record.schedule(before));

const carriedOver = (draft: ScheduleDraft, { record, at }: Visit, sends: UpcomingSendsOf): CarryOverResult =>
  carryOver(draft.before, draft.timing, scheduleBefore(draft, record), sends, at);

const told = (failure: Failure): Block[] => withoutActions(failureMessage(failure).blocks);

/** The schedule that is changed, if it is still there. @throws NotAllowed where it is not this person's */
function known({ before }: ScheduleDraft, visit: Visit): Schedule | undefined {
  const schedule = before === '' ? undefined : visit.record.schedule(before);
  if (schedule !== undefined && !canEditSchedule(schedule, visit)) throw new NotAllowed('not-owner');
  return schedule;
}

/** @param since what falls due after this instant (ms) is posted */
function scheduleOf(draft: ScheduleDraft, visit: Visit, since: number): Schedule {
  const { asker, at } = visit;
  const before = known(draft, visit);
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
    owner: before?.owner ?? asker.person,
    createdBy: before?.createdBy ?? asker.person,
    createdAt: before?.createdAt ?? at,
    since,
    ...paused,
  };
}

/** What was typed, else what the channel asks about when nothing is named. @throws NotAllowed */
function projectsIn({ project, alias, product }: ScheduleWords, visit: Visit) {
  const named = {
    ...(project !== undefined && { project }),
    ...(alias !== undefined && { alias }),
    ...(isProductId(product) && { product }),
  };
  const isNamed = project !== undefined || alias !== undefined;
  const channelDefault = visit.channel === undefined ? undefined : visit.record.channelDefault(visit.channel);
  if (!isNamed && channelDefault === undefined) return [];
  try {
    const target = resolveProject(named, visit.record, askLocation(visit));
    return [{ id: target.project, product: target.product }];
  } catch (error) {
    if (isNamed || !isFailure(error)) throw error;
    return [];
  }
}
