import { randomUUID } from 'node:crypto';
import { type Failure, isFailure, isUnsure, NotAllowed } from '../../domain/failure.ts';
import { isProductId } from '../../domain/product.ts';
import { failureMessage } from '../../slack/failure-reply.ts';
import { type Block, context, markup, section, withoutActions } from '../../slack/kit/atoms.ts';
import { channelLink } from '../../slack/kit/escape.ts';
import { placeOf, type Visit } from '../../slack/visit.ts';
import { changeBy } from '../../workspace/change.ts';
import { readable } from '../../workspace/record.ts';
import { MOST_SCHEDULES, type ReportName, type Schedule } from '../../workspace/schedules.ts';
import { targetOf } from '../../workspace/target.ts';
import type { WorkspaceRecord, Workspaces } from '../../workspace/workspaces.ts';
import type { Report } from '../feature.ts';
import { about, announcement, savedSentence } from './blocks.ts';
import { schedulesOf } from './delivery-plan.ts';
import { type ChosenProject, type Draft, draftOf, isSame, newDraft } from './draft.ts';
import { type FormState, savedModal, scheduleForm } from './form.ts';
import { isMine } from './owning.ts';
import { type Preview, previewOf } from './preview.ts';
import type { Scheduling } from './scheduling.ts';
import { type CarriedOver, carryOver, readSends, type SendsOf } from './sends.ts';
import { idName, join, keptFrom, nameOf, type Site, siteOf } from './site.ts';
import type { ScheduleWords } from './words.ts';

export const FULL = `There are ${MOST_SCHEDULES} schedules already, and no more fit. Delete one first: /billing schedules.`;
const GONE = 'That schedule was deleted meanwhile. Saving this makes a new one.';

/** The form: opened, drawn anew at each change, tried out, and saved. Whatever comes back is checked each time. */
export function createSetup(workspaces: Workspaces, scheduling: Scheduling, reports: Reports) {
  const look = async (draft: Draft, visit: Visit): Promise<Site> => {
    const before = known(draft, visit);
    const isTheirs = visit.asker.manage && before?.channel === draft.channel;
    return siteOf(draft.channel, visit, isTheirs);
  };

  const preview = (draft: Draft, carried: CarriedOver, { record, at: now }: Visit): Preview =>
    previewOf({
      ...{ timing: draft.timing, carried, now },
      isPaused: scheduleBefore(draft, record)?.paused?.why === 'person',
      report: reports()[draft.report],
      reportingZone: readable(() => record.settings)?.zone,
    });

  const view = (draft: Draft, visit: Visit, { sends, site, ...news }: Seen) => {
    const { record, asker, at } = visit;
    // What a form brings back may name a channel that the person is not in, and a project that is not for them.
    const seen = site !== undefined && site.problem === undefined ? draft.channel : (visit.channel ?? '');
    const unnamed = asker.manage ? [] : keptFrom(seen, draft.projects, record);
    const nameIn = (one: ChosenProject) => (unnamed.includes(one) ? idName(one) : nameOf(one, record));
    const kept = draft.channel === '' ? [] : keptFrom(draft.channel, draft.projects, record);
    const doubled = schedulesOf(record).some((one) => isSame(draft, one));
    const promised = sends && preview(draft, carriedOver(draft, visit, sends), visit);
    return scheduleForm({ draft, site, kept, preview: promised, nameOf: nameIn, doubled, at, ...news });
  };

  const open = async (draft: Draft, visit: Visit): Promise<void> => {
    // Slack takes a form for 3 s after the click: what is known of the channel follows.
    const sends = await readSends(scheduling, visit);
    await visit.open(view(draft, visit, { sends }));
    if (draft.channel !== '')
      await visit.refresh(view(draft, visit, { sends, site: await look(draft, visit) }));
  };

  /** @param said what happened; told by a direct message where the form was closed meanwhile */
  const redraw = async (draft: Draft, visit: Visit, said?: string): Promise<void> => {
    const site = draft.channel === '' ? undefined : await look(draft, visit);
    const blocks = said === undefined ? [] : [section(said)];
    const instead = said === undefined ? undefined : { text: said, blocks };
    const sends = await readSends(scheduling, visit);
    await visit.show(view(draft, visit, { sends, site, said: blocks }), instead);
  };

  /** Everything that has to be so before anything is posted. @returns why not, in a sentence */
  const trouble = async (draft: Draft, visit: Visit): Promise<string | undefined> => {
    if (draft.projects.length === 0) return 'Choose a project first.';
    const { problem, canJoin } = await look(draft, visit);
    if (problem !== undefined) return problem;
    const kept = keptFrom(draft.channel, draft.projects, visit.record);
    if (kept.length > 0)
      return 'Not all of these projects may be asked about in that channel. Choose others, or another channel.';
    if (!canJoin) return undefined;
    if (!draft.joins)
      return 'Tally is not in that channel. Let it join, or type /invite @Tally there, then try again.';
    return join(draft.channel, visit);
  };

  return {
    async openNew(words: ScheduleWords, visit: Visit): Promise<void> {
      const { record, asker, channel } = visit;
      if (record.scheduleIds.length >= MOST_SCHEDULES)
        return visit.answer({ text: FULL, blocks: [section(FULL)] });
      const zone = asker.zone ?? record.settings.zone;
      await open(newDraft(words, projectsIn(words, visit), { channel, zone }), visit);
    },

    /** @throws NotAllowed */
    async openFor(schedule: Schedule, visit: Visit): Promise<void> {
      if (!isMine(schedule, visit)) throw new NotAllowed('not-owner');
      await open(draftOf(schedule), visit);
    },

    redraw,

    /** Time or zone of the form are not what the person chose there: Slack is to show them all the same. */
    refill: (draft: Draft, visit: Visit) => redraw({ ...draft, isRefilled: !draft.isRefilled }, visit),

    async test(draft: Draft, visit: Visit): Promise<void> {
      const { workspace, person } = visit.asker;
      const site = draft.channel === '' ? undefined : await look(draft, visit);
      const sends = await readSends(scheduling, visit);
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

    async save(draft: Draft, visit: Visit): Promise<void> {
      const { record, asker } = visit;
      const saved = await stored(draft, visit);
      if (saved === undefined) return;
      const { schedule, carried } = saved;
      await scheduling.changed(asker.workspace);
      const said = savedSentence(schedule, record);
      await visit.show(savedModal(said, preview(draft, carried, visit)), {
        text: 'The schedule is saved.',
        blocks: [markup(said)],
      });
    },
  };

  /** Undefined where it was not, and the form says why, so that nothing has to be chosen again. */
  async function stored(draft: Draft, visit: Visit): Promise<Saved | undefined> {
    const { record, asker } = visit;
    const refuse = async (problem: string, shown = draft): Promise<undefined> => {
      await redraw(shown, visit, problem);
    };
    try {
      const before = known(draft, visit);
      if (draft.before !== '' && before === undefined) return refuse(GONE, { ...draft, before: '' });
      if (before === undefined && record.scheduleIds.length >= MOST_SCHEDULES) return refuse(FULL);
      const problem = await trouble(draft, visit);
      if (problem !== undefined) return refuse(`${problem} Nothing was saved.`);
      const carried = carriedOver(draft, visit, await readSends(scheduling, visit));
      const schedule = scheduleOf(draft, visit, carried.since);
      // Said first: a channel that does not take it will not take the posts either, and then nothing is saved.
      await visit.post(draft.channel, announcement(schedule, record, asker.person, before !== undefined));
      const deed = before === undefined ? 'schedule created' : 'schedule changed';
      await workspaces.saveSchedule(changeBy(visit, [deed, about(schedule, record)]), schedule);
      return { schedule, carried };
    } catch (error) {
      if (!isFailure(error) || error.kind === 'not-allowed') throw error;
      const blocks = [...told(error), ...(isUnsure(error) ? [] : [context('Nothing was saved.')])];
      await visit.show(view(draft, visit, { said: blocks }), { text: error.message, blocks });
      return undefined;
    }
  }
}

type Reports = () => Readonly<Partial<Record<ReportName, Report>>>;
type Seen = Partial<Pick<FormState, 'site' | 'said' | 'tested'>> & { readonly sends?: SendsOf };

interface Saved {
  readonly schedule: Schedule;
  readonly carried: CarriedOver;
}

const scheduleBefore = ({ before }: Draft, record: WorkspaceRecord): Schedule | undefined =>
  before === '' ? undefined : readable(() => record.schedule(before));

const carriedOver = (draft: Draft, { record, at }: Visit, sends: SendsOf): CarriedOver =>
  carryOver(draft.before, draft.timing, scheduleBefore(draft, record), sends, at);

const told = (failure: Failure): Block[] => withoutActions(failureMessage(failure).blocks);

/** The schedule that is changed, if it is still there. @throws NotAllowed where it is not this person's */
function known({ before }: Draft, visit: Visit): Schedule | undefined {
  const schedule = before === '' ? undefined : visit.record.schedule(before);
  if (schedule !== undefined && !isMine(schedule, visit)) throw new NotAllowed('not-owner');
  return schedule;
}

/** @param since what falls due after this instant (ms) is posted */
function scheduleOf(draft: Draft, visit: Visit, since: number): Schedule {
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
    const target = targetOf(named, visit.record, placeOf(visit));
    return [{ id: target.project, product: target.product }];
  } catch (error) {
    if (isNamed || !isFailure(error)) throw error;
    return [];
  }
}
