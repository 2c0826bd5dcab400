import type { SlackId } from '../../domain/slack-id.ts';
import { type Day, dayAt, type Millis } from '../../domain/time/calendar.ts';
import type { LastDelivery, Schedule } from '../../workspace/owned/schedule-record.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { createAnswerCollector } from '../../workspace/service-outcomes.ts';
import type { ThreadStore } from '../../workspace/thread-store.ts';
import type { DeliveryLog } from '../log/delivery-log.ts';
import { sendNow } from '../outbox/send-now.ts';
import type { RunnerParts } from '../workspace-runner.ts';
import { type ManualReason, manualPostMessage } from './post-blocks.ts';
import { type MakeReport, runReport, shownProjects, topicOf } from './run-report.ts';

interface SchedulingParts extends Omit<RunnerParts, 'jobs' | 'deliveryLog'> {
  readonly deliveryLog: Pick<DeliveryLog, 'load'>;
  readonly makeReport: MakeReport;
  readonly threads: ThreadStore;
  /** Derives the workspace's runs again. Never rejects. */
  readonly changed: (workspace: SlackId) => Promise<void>;
}

/** What forms and lists of schedules need from delivery. */
export type ScheduleService = ReturnType<typeof createScheduleService>;

export const createScheduleService = (parts: SchedulingParts) => ({
  /** The workspace's schedules changed: derives its scheduled runs again. */
  changed: parts.changed,
  /** What became of the due dates so far. @throws StoreUnavailable */
  loadLog: parts.deliveryLog.load,
  /**
   * Posts what the schedule would, as of now, without using up a due date. The post says that it is a test, or who
   * asked for it. A `test-to-me` goes only to that person. `schedule` need not be saved.
   *
   * @throws Failure: CannotPost if the channel does not take it, and whatever the report throws
   */
  async send(teamId: SlackId, schedule: Schedule, why: ManualReason, by: SlackId): Promise<void> {
    await postByHand(parts, teamId, schedule, why, by);
    // A successful post shows that the cause of Tally's own pause is gone.
    if (schedule.paused !== undefined) await parts.changed(teamId);
  },
});

async function postByHand(
  parts: SchedulingParts,
  teamId: SlackId,
  schedule: Schedule,
  why: ManualReason,
  by: SlackId,
): Promise<void> {
  const { workspaces, clientFor, answerStore, clock, log } = parts;
  const workspace = await workspaces.load(teamId);
  const answerCollector = createAnswerCollector(clock);
  const context = { ...parts, workspace, answerCollector };
  const at = clock();
  const result = await runReport(schedule, at, context);
  const projects = shownProjects(schedule, result);
  const { zone } = requireSettings(workspace);
  // The rights of the channel count, also if the test goes to one person.
  await sendNow(
    {
      to: schedule.channel,
      topic: topicOf({ ...schedule, projects }, at, zone, context),
      shownTo: why === 'test-to-me' ? by : schedule.channel,
      content: manualPostMessage(result, why, by),
    },
    { ...context, teamId, client: () => clientFor(teamId), loadWorkspace: () => workspaces.load(teamId) },
  );
  await Promise.all(answerCollector.all().map((answer) => answerStore.save(workspace, answer)));
  if (why !== 'now') return;
  const sentAt = clock();
  const date = dayAt(sentAt, schedule.timing.zone);
  // The post was sent, so a failure to store this is ignored.
  await workspaces
    .saveSent(workspace, schedule.id, afterManualPost(workspace.lastSent(schedule.id), date, sentAt))
    .catch((err: unknown) => log.warn({ err, workspace: teamId }, 'Could not note a post sent by hand'));
}

/** The last delivery after a post by hand: in place of a failed date, but beside a date that is still being retried. */
function afterManualPost(before: LastDelivery | undefined, date: Day, at: Millis): LastDelivery {
  if (before?.result === 'trying' || before?.result === 'waiting') return { ...before, byHand: at };
  const { cause: _, next, ts, ...rest } = before ?? { date, due: at, failures: 0 };
  return { ...rest, result: 'posted', at, byHand: at };
}
