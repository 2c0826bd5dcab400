import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Day, dayAt, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { postMessage } from '../../slack/reply/message-calls.ts';
import type { LastDelivery, Schedule } from '../../workspace/owned/schedule-record.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { createAnswerCollector } from '../../workspace/service-outcomes.ts';
import type { ThreadStore } from '../../workspace/thread-store.ts';
import type { DeliveryLog } from '../delivery-log.ts';
import { putMessage } from '../outbox/message.ts';
import { checkRecipient } from '../outbox/recipient.ts';
import { threadQuestions } from '../outbox/thread-topic.ts';
import { type MakeReport, runReport, shownProjects, topicOf } from '../reports/reports.ts';
import type { RunnerParts } from '../run.ts';
import { type ManualReason, manualPostMessage } from './post-blocks.ts';
import { postsOf } from './post-record.ts';

interface SchedulingParts extends Omit<RunnerParts, 'jobs' | 'deliveryLog'> {
  readonly deliveryLog: Pick<DeliveryLog, 'load' | 'write'>;
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
  /** What became of the due dates so far. @throws store-unavailable */
  loadLog: parts.deliveryLog.load,
  /** Has a post tried again at once that waits for somebody to mend something. @throws store-unavailable */
  async retry(teamId: SlackId, schedule: string): Promise<void> {
    const { deliveryLog, changed } = parts;
    const held = postsOf(schedule, await deliveryLog.load(teamId)).flatMap((post) => {
      const { basis, ...about } = post.about;
      return basis === undefined ? [] : putMessage({ ...post, about });
    });
    if (held.length > 0) await deliveryLog.write(teamId, held);
    await changed(teamId);
  },
  /**
   * Posts what the schedule would, as of now, without using up a due date. The post says that it is a test, or who
   * asked for it. A `test-to-me` goes only to that person. `schedule` need not be saved. It is not retried.
   *
   * @returns `repeated` if somebody has pressed Send now a moment ago: that is one post
   * @throws Failure: cannot-post if the channel does not take it, and whatever the report throws
   */
  async send(
    teamId: SlackId,
    schedule: Schedule,
    why: ManualReason,
    by: SlackId,
  ): Promise<'posted' | 'repeated'> {
    const release = why === 'now' ? await claimPress(parts, teamId, schedule.id) : async () => undefined;
    if (release === undefined) return 'repeated';
    try {
      await sendByHand(parts, teamId, schedule, why, by);
    } catch (error) {
      await release();
      throw error;
    }
    // It shows that nothing is in the way of a post that waits for that.
    if (why === 'now') await parts.changed(teamId);
    return 'posted';
  },
});

/** Within this time, in ms, everybody who presses Send now wants the same post. */
const SAME_PRESS: Millis = MINUTE;

/** @returns undefined if another press counts already; else what lets the next one count at once @throws store-unavailable */
async function claimPress(
  { deliveryLog, clock }: SchedulingParts,
  teamId: SlackId,
  schedule: string,
): Promise<(() => Promise<unknown>) | undefined> {
  const name = `by-hand/${schedule}`;
  const before = (await deliveryLog.load(teamId)).fields[name];
  const now = clock();
  if (Math.abs(now - Number(before)) < SAME_PRESS) return undefined;
  const after = String(now);
  if ((await deliveryLog.write(teamId, [{ name, before, after }])) !== 'written') return undefined;
  return () => deliveryLog.write(teamId, [{ name, before: after, after: undefined }]);
}

async function sendByHand(
  parts: SchedulingParts,
  teamId: SlackId,
  schedule: Schedule,
  why: ManualReason,
  by: SlackId,
): Promise<void> {
  const { workspaces, clientFor, users, answerStore, threads, clock, log } = parts;
  const workspace = await workspaces.load(teamId);
  const answerCollector = createAnswerCollector(clock);
  const context = { ...parts, workspace, answerCollector };
  const at = clock();
  const result = await runReport(schedule, at, context);
  const projects = shownProjects(schedule, result);
  const loadWorkspace = () => workspaces.load(teamId);
  // The rights of the channel count, also if the test goes to one person.
  const asked = { loadWorkspace, users, client: () => clientFor(teamId), teamId };
  const { refusal } = await checkRecipient(schedule.channel, projects, asked);
  if (refusal !== undefined) throw new Failure('not-allowed', { reason: 'channel' });
  const target = { channel: why === 'test-to-me' ? by : schedule.channel, thread: undefined };
  const posted = await postMessage(await clientFor(teamId), target, manualPostMessage(result, why, by));
  const topic = topicOf({ ...schedule, projects }, at, requireSettings(workspace).zone, context);
  const remembered = threadQuestions(topic, posted, context);
  // The post was sent, so a failure to store something is ignored.
  const failing = (err: unknown) =>
    log.warn({ err, workspace: teamId }, 'Could not note a post sent by hand');
  void Promise.all(remembered.map((question) => threads.remember(...question, 'everybody'))).catch(failing);
  await Promise.all(answerCollector.all().map((answer) => answerStore.save(workspace, answer)));
  if (why !== 'now') return;
  const sentAt = clock();
  const date = dayAt(sentAt, schedule.timing.zone);
  await workspaces
    .saveSent(workspace, schedule.id, afterManualPost(workspace.lastSent(schedule.id), date, sentAt))
    .catch(failing);
}

const PENDING: readonly string[] = ['trying', 'waiting', 'paused'] satisfies LastDelivery['result'][];

/** The last delivery after a post by hand: in place of a failed date, but beside one that still comes. */
function afterManualPost(before: LastDelivery | undefined, date: Day, at: Millis): LastDelivery {
  if (before !== undefined && PENDING.includes(before.result)) return { ...before, byHand: at };
  const { cause: _, next, ...rest } = before ?? { date, due: at, failures: 0 };
  return { ...rest, result: 'posted', at, byHand: at };
}
