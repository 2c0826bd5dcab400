import { createHash } from 'node:crypto';
import type { DeliveryService } from '../../delivery/delivery-service.ts';
import { EditConflict } from '../../domain/failure/index.ts';
import { formatDays } from '../../domain/time/calendar.ts';
import { channelLink, escapeMarkup, mention } from '../../slack/kit/blocks.ts';
import { limitReachedMessage, removeItem, storeItem } from '../../slack/owned/actions.ts';
import { formatSaved } from '../../slack/owned/owned-form.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import { findTargetProblem } from '../../slack/owned/target-check.ts';
import type { Request } from '../../slack/request/request.ts';
import { isDirectMessage } from '../../slack/request/source.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import { type ChosenProject, projectKey } from '../../workspace/projects/chosen-project.ts';
import { isChannel } from '../../workspace/record/parse-record.ts';
import { findSchedule } from '../../workspace/record/workspace.ts';
import { newScheduleDraft, scheduleFromDraft } from './form.ts';
import type { ScheduleDraft } from './form-state.ts';
import type { OwnedSchedules } from './owned-schedules.ts';
import { loadUpcomingSends } from './upcoming-posts.ts';

const NOT_HERE = 'Tally can post this in a channel every morning.';

/** The usual report about a project in a channel, every day at nine in the time zone of the person who asks for it. */
export function createMorningPosts(
  kind: OwnedSchedules,
  { scheduling }: Pick<DeliveryService, 'scheduling'>,
) {
  const draftOf = (project: ChosenProject, channel: string, request: Request): ScheduleDraft =>
    newScheduleDraft({}, [project], { ...request, channel });

  const findExisting = (draft: ScheduleDraft, { schedules }: Request['workspace']): Schedule | undefined =>
    schedules.find(({ id }) => id === idOf(draft));

  return {
    async find(project: ChosenProject, channel: string, request: Request) {
      const { workspace } = request;
      if (!isChannel(channel) || isDirectMessage(channel))
        return { id: undefined, text: NOT_HERE, isPossible: false };
      const draft = draftOf(project, channel, request);
      const schedule = findExisting(draft, workspace);
      const sends = await loadUpcomingSends(scheduling, request);
      const firstDay = (item: Pick<Schedule, 'id' | 'timing' | 'since'>): string => {
        const [due] = sends(item).next;
        return due === undefined ? 'later' : formatDays(due.date, due.date);
      };
      if (schedule !== undefined) {
        const { id, createdBy } = schedule;
        const isOthers = createdBy !== request.user.id;
        const lead = isOthers ? `Set up by ${mention(createdBy)}` : 'Saved';
        return {
          // With it comes **Undo**, which is for what the reader has just set up.
          id: isOthers ? undefined : id,
          text: `${formatSaved(kind, schedule, request, lead)} Next post: ${firstDay(schedule)}.`,
          isPossible: !isOthers,
        };
      }
      const { time, zone } = draft.timing;
      const first = firstDay({ id: idOf(draft), timing: draft.timing, since: request.at });
      return {
        id: undefined,
        text: `See in ${channelLink(channel)} what it cost the day before, this month so far, and what is left. Every day at ${time} (${escapeMarkup(zone)}), from ${first}.`,
        isPossible: true,
      };
    },

    async create(project: ChosenProject, channel: string, request: Request): Promise<string | undefined> {
      const draft = draftOf(project, channel, request);
      const { teamId } = request.user;
      if (findExisting(draft, request.workspace) !== undefined) {
        // A press that ended here after saving has not planned it.
        await kind.changed(teamId);
        return undefined;
      }
      const problem =
        limitReachedMessage(kind, request)?.text ??
        (await findTargetProblem({ channel, projects: [project] }, request));
      if (problem !== undefined) return problem;
      const schedule = { ...scheduleFromDraft(draft, undefined, request, request.at), id: idOf(draft) };
      try {
        await storeItem(kind, schedule, 'schedule created', request);
      } catch (error) {
        const now = error instanceof EditConflict ? await kind.workspaces.load(teamId) : undefined;
        if (now === undefined || findExisting(draft, now) === undefined) throw error;
        return undefined;
      }
      await kind.changed(teamId);
      return undefined;
    },

    async remove(id: string, request: Request): Promise<void> {
      const schedule = requireOwned(findSchedule, id, request);
      if (schedule === undefined) return;
      await removeItem(kind, schedule, request);
    },
  };
}

/** The same ID at every press, so that a second press finds the schedule that the first has saved. */
const idOf = ({ channel, projects }: ScheduleDraft): string =>
  createHash('sha256')
    .update([channel, ...projects.map(projectKey)].join(' '))
    .digest('hex')
    .slice(0, 8);
