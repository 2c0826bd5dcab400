/** What people can do with a schedule's posts: send one now, send a test to themselves, or try a paused post again. */
import type { Button } from '@slack/types';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { buttonRow, context as contextBlock, type Message, mention } from '../../slack/block-kit/blocks.ts';
import { postMessage } from '../../slack/reply/message-calls.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import { createAnswerCollector } from '../../workspace/save-service-status.ts';
import { putMessage } from '../delivery-log.ts';
import { rememberQuestion } from '../outbox/follow-up.ts';
import type { RunServices } from '../outbox/message-kind.ts';
import { checkRecipient } from '../outbox/recipients.ts';
import {
  detailsButton,
  followUpQuestionOf,
  type ReportResult,
  runReport,
  shownProjects,
} from '../reports/make-report.ts';
import { postsOf } from './post-record.ts';

interface SchedulingServices extends RunServices {
  readonly changed: (workspace: SlackId) => Promise<void>;
}

export type ScheduleService = ReturnType<typeof createScheduleService>;

const DOUBLE_CLICK: Millis = MINUTE;

export const createScheduleService = (services: SchedulingServices) => {
  const { deliveryLog, changed, clock } = services;
  const retry = async (teamId: SlackId, schedule: string): Promise<void> => {
    const paused = postsOf(schedule, await deliveryLog.load(teamId)).flatMap((post) => {
      const { basis, ...about } = post.about;
      return basis === undefined ? [] : putMessage({ ...post, about });
    });
    if (paused.length > 0) await deliveryLog.write(teamId, paused);
    await changed(teamId);
  };
  return {
    changed,
    loadLog: deliveryLog.load,
    retry,
    /**
     * `test` goes only to `by`. Posts on the schedule's dates go out all the same. Nothing is retried. @param schedule
     * may be unsaved @returns `repeated` for a double click @throws cannot-post, and any failure of the report
     */
    async send(
      teamId: SlackId,
      schedule: Schedule,
      why: ManualReason,
      by: SlackId,
    ): Promise<'posted' | 'repeated'> {
      const name = `by-hand/${schedule.id}`;
      const before = (await deliveryLog.load(teamId)).fields[name];
      const pressed = clock();
      if (why === 'now') {
        if (Math.abs(pressed - Number(before)) < DOUBLE_CLICK) return 'repeated';
        const press = { name, before, after: String(pressed) };
        if (!(await deliveryLog.write(teamId, [press]))) return 'repeated';
      }
      try {
        await sendByHand(services, teamId, schedule, why, by);
      } catch (error) {
        if (why === 'now')
          await deliveryLog.write(teamId, [{ name, before: String(pressed), after: undefined }]);
        throw error;
      }
      // The cause of a pause may be gone, too.
      if (why === 'now') await retry(teamId, schedule.id);
      return 'posted';
    },
  };
};

async function sendByHand(
  services: SchedulingServices,
  teamId: SlackId,
  schedule: Schedule,
  why: ManualReason,
  by: SlackId,
): Promise<void> {
  const { workspaces, clientFor, users, answerStore, clock } = services;
  const workspace = await workspaces.load(teamId);
  const answerCollector = createAnswerCollector(clock);
  const context = { ...services, workspace, answerCollector };
  const began = clock();
  const result = await runReport(schedule, began, context);
  const projects = shownProjects(schedule, result);
  const loadWorkspace = () => workspaces.load(teamId);
  // A test shows only what the channel may see, as the post will.
  const rights = { loadWorkspace, users, client: () => clientFor(teamId), teamId };
  const { refusal } = await checkRecipient(schedule.channel, projects, rights);
  if (refusal !== undefined) throw new Failure('not-allowed', { reason: 'channel' });
  const target = { channel: why === 'test' ? by : schedule.channel, thread: undefined };
  const made = { ...schedule, ...result };
  const message = manualPostMessage(result, why, by, detailsButton(made, workspace));
  const posted = await postMessage(await clientFor(teamId), target, message);
  await Promise.all(answerCollector.all().map((answer) => answerStore.save(workspace, answer)));
  await rememberQuestion(followUpQuestionOf(made, workspace), posted, teamId, services);
}

export type ManualReason = 'test' | 'now';

export function manualPostMessage(
  { message }: ReportResult,
  why: ManualReason,
  by: SlackId,
  buttons: readonly Button[],
): Message {
  const who = mention(by);
  const heading = why === 'now' ? `Sent by ${who} with Send now` : `Test of a scheduled post, sent by ${who}`;
  return { text: message.text, blocks: [contextBlock(heading), ...message.blocks, ...buttonRow(buttons)] };
}
