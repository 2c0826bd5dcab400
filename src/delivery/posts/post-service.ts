/** What people can do with a schedule's posts: send one now, send a test to themselves, or try a paused post again. */
import type { Button } from '@slack/types';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { buttonRow, context as contextBlock, type Message, mention } from '../../slack/block-kit/blocks.ts';
import { postMessage } from '../../slack/reply/message-calls.ts';
import { hasSameConnections } from '../../workspace/projects/chosen-project.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import { createOutcomeCollector } from '../../workspace/save-service-outcomes.ts';
import { type DeliveryLog, putMessage } from '../delivery-log.ts';
import { checkRecipient } from '../outbox/recipients.ts';
import { rememberQuestion } from '../outbox/send.ts';
import { makeReportNow, type ReportResult } from '../reports/make-report.ts';
import type { RunServices } from '../run-context.ts';
import type { WakeUps } from '../wake-ups.ts';
import { detailsButton, questionOfPost, shownProjects } from './post-message.ts';
import { postsOf } from './post-record.ts';

/** @throws store-unavailable from every method */
export interface PostService {
  readonly loadLog: DeliveryLog['load'];
  retry(teamId: SlackId, scheduleId: string): Promise<void>;
  /**
   * Sends a report that doesn't replace any of the schedule's own posts. Nothing is retried. @param schedule may be
   * unsaved @param why only the sender gets a `test` @returns `repeated` for a double click @throws cannot-post, and
   * any failure of the report
   */
  send(
    teamId: SlackId,
    schedule: Schedule,
    why: ManualReason,
    sender: SlackId,
  ): Promise<'posted' | 'repeated'>;
}

type ManualReason = 'test' | 'now';

const DOUBLE_CLICK: Millis = MINUTE;

export function createPostService(services: RunServices & Pick<WakeUps, 'changed'>): PostService {
  const { deliveryLog, changed, clock } = services;
  const service: PostService = {
    loadLog: deliveryLog.load,
    async retry(teamId, scheduleId) {
      const paused = postsOf(scheduleId, await deliveryLog.load(teamId)).flatMap((post) => {
        const { basis, ...about } = post.about;
        return basis === undefined ? [] : putMessage({ ...post, about });
      });
      if (paused.length > 0) await deliveryLog.write(teamId, paused);
      await changed(teamId);
    },
    async send(teamId, schedule, why, sender) {
      if (why === 'test') {
        await sendByHand(services, teamId, schedule, why, sender);
        return 'posted';
      }
      const name = `by-hand/${schedule.id}`;
      const before = (await deliveryLog.load(teamId)).fields[name];
      const pressed = String(clock());
      if (Math.abs(Number(pressed) - Number(before)) < DOUBLE_CLICK) return 'repeated';
      if (!(await deliveryLog.write(teamId, [{ name, before, after: pressed }]))) return 'repeated';
      try {
        await sendByHand(services, teamId, schedule, why, sender);
      } catch (error) {
        await deliveryLog.write(teamId, [{ name, before: pressed, after: undefined }]);
        throw error;
      }
      // The post went out, so what paused the schedule may be over.
      await service.retry(teamId, schedule.id);
      return 'posted';
    },
  };
  return service;
}

async function sendByHand(
  services: RunServices,
  teamId: SlackId,
  schedule: Schedule,
  why: ManualReason,
  sender: SlackId,
): Promise<void> {
  const { workspaces, clientFor, users, outcomeStore, clock } = services;
  const workspace = await workspaces.load(teamId);
  const outcomeCollector = createOutcomeCollector(clock);
  const result = await makeReportNow(schedule, clock(), { ...services, workspace, outcomeCollector });
  const projects = shownProjects(schedule, result);
  const loadWorkspace = () => workspaces.load(teamId);
  // A test shows only what the channel may see, as the post will.
  const rights = { loadWorkspace, users, client: () => clientFor(teamId), teamId };
  const { recipient, refusal } = await checkRecipient(schedule.channel, projects, rights);
  if (refusal !== undefined) throw new Failure('not-allowed', { reason: 'channel' });
  if (!hasSameConnections({ projects }, workspace, recipient.workspace)) throw new Failure('rights-changed');
  const target = { channel: why === 'test' ? sender : schedule.channel, thread: undefined };
  const made = { ...schedule, ...result };
  const message = manualPostMessage(result, why, sender, detailsButton(made, workspace));
  const posted = await postMessage(await clientFor(teamId), target, message);
  await Promise.all(outcomeCollector.all().map((answer) => outcomeStore.save(workspace, answer)));
  await rememberQuestion(questionOfPost(made, workspace), posted, teamId, services);
}

export function manualPostMessage(
  { message }: ReportResult,
  why: ManualReason,
  sender: SlackId,
  buttons: readonly Button[],
): Message {
  const who = mention(sender);
  const heading = why === 'now' ? `Sent by ${who} with Send now` : `Test of a scheduled post, sent by ${who}`;
  const { text, blocks, print } = message;
  const footer = print === '' ? [] : [contextBlock(print)];
  return { text, blocks: [contextBlock(heading), ...blocks, ...footer, ...buttonRow(buttons)] };
}
