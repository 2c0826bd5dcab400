import { EditConflict, NotAllowed } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import { section } from '../../slack/kit/atoms.ts';
import { channelLink } from '../../slack/kit/escape.ts';
import { ownValue } from '../../slack/own-property.ts';
import type { Visit } from '../../slack/visit.ts';
import type { AuditAction } from '../../workspace/audit.ts';
import { auditedChange } from '../../workspace/change.ts';
import { MAX_SCHEDULES, resumesByItself, type Schedule } from '../../workspace/schedules.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { scheduleAuditText } from './blocks.ts';
import { type ChannelCheck, checkChannel, joinChannel, limitedProjects } from './channel-check.ts';
import {
  damagedSchedules,
  resumableSchedules,
  scheduleDeletedMessage,
  scheduleListMessage,
  schedulePageOf,
} from './list.ts';
import { canAdopt, findOrphans, requireOwnedSchedule } from './permissions.ts';
import type { Scheduling } from './scheduling.ts';
import { SCHEDULES_FULL } from './setup.ts';
import { loadUpcomingSends } from './upcoming-sends.ts';

/** @returns its sentence @throws whatever else it is */
function ifChanged(error: unknown): string {
  if (error instanceof EditConflict) return error.message;
  throw error;
}

/** The list shows each of them. */
const MOST_PROBLEMS = 5;
const GONE = 'There is no such schedule any more: it was deleted meanwhile.';
const LATE = 'It is not there to be brought back any more: set it up again with /billing schedule.';

/** What a row of the list does. Values of buttons name a schedule; what it is and whose, the record says. */
export function createScheduleActions(workspaces: Workspaces, scheduling: Scheduling) {
  /** The list as it is now, with what was just done. */
  const list = async (visit: Visit, said?: string, page = 1): Promise<void> => {
    const record = said === undefined ? visit.record : await workspaces.read(visit.asker.workspace);
    const now = { ...visit, record };
    const { shown } = schedulePageOf(now, page);
    const [orphans, sends] = await Promise.all([
      findOrphans(shown, now),
      loadUpcomingSends(scheduling, visit),
    ]);
    await visit.answer(scheduleListMessage({ page, orphans, ...(said && { said }) }, { ...now, sends }));
  };

  const store = (after: Schedule, deed: AuditAction, visit: Visit): Promise<void> =>
    workspaces.saveSchedule(auditedChange(visit, [deed, scheduleAuditText(after, visit.record)]), after);
  const write = async (after: Schedule, deed: AuditAction, visit: Visit): Promise<void> => {
    await store(after, deed, visit);
    await scheduling.changed(visit.asker.workspace);
  };

  /** Whoever may change what is posted in a channel need not be in it: it is not chosen here. */
  const siteFor = (channel: string, visit: Visit): Promise<ChannelCheck> =>
    checkChannel(channel, visit, true);

  /** Why nothing can be posted there now, in a sentence; Tally joins a public channel that it fell out of. */
  const trouble = async (
    { channel, projects }: Schedule,
    visit: Visit,
    site = siteFor(channel, visit),
  ): Promise<string | undefined> => {
    const { problem, canJoin } = await site;
    if (problem !== undefined) return problem;
    if (limitedProjects(channel, projects, visit.record).length > 0)
      return 'Not all of its projects may be asked about in that channel any more. Edit it first.';
    return canJoin ? joinChannel(channel, visit) : undefined;
  };

  /** @returns why it could not be, in a sentence */
  const resumeOne = async (
    schedule: Schedule,
    visit: Visit,
    site?: Promise<ChannelCheck>,
  ): Promise<string | undefined> => {
    const problem = await trouble(schedule, visit, site);
    const { paused, ...running } = schedule;
    if (problem !== undefined || paused === undefined) return problem;
    // What Tally paused by itself catches up on what was missed.
    const resumed = resumesByItself(paused.why) ? running : { ...running, since: visit.at };
    await store(resumed, 'schedule resumed', visit);
    return undefined;
  };

  const deeds: Readonly<Record<string, (schedule: Schedule, visit: Visit) => Promise<void>>> = {
    async pause(schedule, visit) {
      const { person } = visit.asker;
      if (schedule.paused === undefined)
        await write(
          { ...schedule, paused: { why: 'person', at: visit.at, by: person } },
          'schedule paused',
          visit,
        );
      await list(visit, 'Paused. Nothing is posted or corrected until you resume it.');
    },
    async resume(schedule, visit) {
      const problem = await resumeOne(schedule, visit);
      if (problem !== undefined) return list(visit, `${problem} It is still paused.`);
      if (schedule.paused === undefined) return list(visit);
      await scheduling.changed(visit.asker.workspace);
      await list(
        visit,
        resumesByItself(schedule.paused.why)
          ? 'Resumed. A post that is due comes now, and names the dates that were missed.'
          : 'Resumed. Posts missed while paused won’t be sent.',
      );
    },
    async now(schedule, visit) {
      const problem = await trouble(schedule, visit);
      if (problem !== undefined) return list(visit, problem);
      await scheduling.send(visit.asker.workspace, schedule, 'now', visit.asker.person);
      await list(visit, 'Posted in its channel just now. The next post comes as planned.');
    },
    async delete(schedule, visit) {
      const change = auditedChange(visit, ['schedule removed', scheduleAuditText(schedule, visit.record)]);
      await workspaces.removeSchedule(change, schedule.id, visit.at);
      await scheduling.changed(visit.asker.workspace);
      await visit.answer(scheduleDeletedMessage(schedule, visit));
    },
  };

  return {
    list,

    /** Those that cannot be read, which cannot be shown either: all that is left to do with them. */
    async drop(visit: Visit): Promise<void> {
      const damaged = damagedSchedules(visit.record);
      if (damaged.length === 0) return list(visit, GONE);
      const change = auditedChange(visit, [
        'schedule removed',
        `${damaged.join(', ')} (the record was damaged)`,
      ]);
      await workspaces.dropSchedules(change, damaged);
      await scheduling.changed(visit.asker.workspace);
      await list(visit, 'What was damaged is gone. Set it up again with /billing schedule.');
    },

    /** @throws NotAllowed, Failure */
    async run(deed: string, id: string, visit: Visit): Promise<void> {
      const schedule = requireOwnedSchedule(id, visit);
      if (schedule === undefined) return list(visit, GONE);
      await ownValue(deeds, deed)?.(schedule, visit);
    },

    /** One after the other; each channel is looked at once. What cannot go on says why, and the others do. */
    async resumeAll(visit: Visit): Promise<void> {
      const sites = new Map<string, Promise<ChannelCheck>>();
      const problems = new Set<string>();
      let resumed = 0;
      for (const schedule of resumableSchedules(visit)) {
        const { channel } = schedule;
        const site = sites.get(channel) ?? siteFor(channel, visit);
        sites.set(channel, site);
        const problem = await resumeOne(schedule, visit, site).catch(ifChanged);
        if (problem === undefined) resumed += 1;
        else problems.add(`Still paused in ${channelLink(channel)}: ${problem}`);
      }
      if (resumed > 0) await scheduling.changed(visit.asker.workspace);
      const done = `Resumed ${pluralize(resumed, 'scheduled post')}. Posts missed while someone had paused them won’t be sent.`;
      await list(
        visit,
        [...(resumed > 0 ? [done] : []), ...[...problems].slice(0, MOST_PROBLEMS)].join('\n'),
      );
    },

    /** The owner left; whoever adopts it answers for it from now on. @throws NotAllowed */
    async adopt(id: string, visit: Visit): Promise<void> {
      const schedule = visit.record.schedule(id);
      if (schedule === undefined) return list(visit, GONE);
      if (!(await canAdopt(schedule, visit))) throw new NotAllowed('not-owner');
      await write({ ...schedule, owner: visit.asker.person }, 'schedule adopted', visit);
      await list(visit, 'It is yours now: you are told when something is wrong with it.');
    },

    /** @throws NotAllowed */
    async undo(id: string, visit: Visit): Promise<void> {
      const { asker, record, at } = visit;
      const schedule = await workspaces.unscheduled(asker.workspace, id, at);
      if (schedule === undefined) return list(visit, LATE);
      if (!asker.manage && schedule.owner !== asker.person) throw new NotAllowed('not-owner');
      if (record.scheduleIds.length >= MAX_SCHEDULES)
        return visit.answer({ text: SCHEDULES_FULL, blocks: [section(SCHEDULES_FULL)] });
      const change = auditedChange(visit, ['schedule restored', scheduleAuditText(schedule, record)]);
      if (!(await workspaces.restoreSchedule(change, id))) return list(visit, LATE);
      await scheduling.changed(asker.workspace);
      await list(visit, 'The schedule is back.');
    },
  };
}
