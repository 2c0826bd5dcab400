/** Updates messages that Tally sent. That needs no claim, because updating a message twice does no harm. */
import { isFailure } from '../../domain/failure/index.ts';
import type { Message } from '../../slack/kit/blocks.ts';
import { type PostedTo, replaceMessage } from '../../slack/reply/message-calls.ts';
import type { DeliveryContext } from '../delivery-run.ts';
import { checkRecipient } from './check-recipient.ts';
import { type Effect, handleSendError, trackMessage } from './failures.ts';
import { deliveryMetadata } from './find-post.ts';
import { withDuplicateNote } from './send-message.ts';
import { type Draft, nextTry, type OutboxMessage, updateRetryDelay } from './send-state.ts';

/** New content for a message that Tally sent. */
export interface MessageUpdate extends Pick<OutboxMessage, 'kind' | 'key' | 'to' | 'schedule' | 'watch'> {
  readonly posted: PostedTo;
  /** Whether the conversation may show it twice. */
  readonly isAgain?: boolean | undefined;
  readonly tries: number;
  /** @returns the new content, or why the message stays as it is @throws Failure */
  prepare(): Promise<UpdateDraft | 'skipped' | 'gone' | 'retrying'>;
  save(outcome: UpdateOutcome): Promise<unknown>;
  /** Stores how often it has failed, and when it is tried again, in ms; no `next` once it is given up. */
  retry(tried: ReturnType<typeof nextTry>): Promise<unknown>;
}

type UpdateDraft = Pick<Draft, 'projects'> & { render(): Message };

/** `refused`: its recipient may not see it today. `gone`: Slack no longer has it, or no longer changes it. */
export type UpdateOutcome = 'sent' | 'skipped' | 'refused' | 'gone';

/** Updates it, or stores why not. @throws LeaseLostError, StoreUnavailable */
export const updateMessage = (update: MessageUpdate, context: DeliveryContext): Promise<void> =>
  trackMessage(update, context, async (annotate) => {
    const retry = (effect: Effect) =>
      update.retry(nextTry(update, effect, context.clock(), updateRetryDelay));
    try {
      const draft = await update.prepare();
      const outcome = typeof draft === 'string' ? draft : await editMessage({ ...update, ...draft }, context);
      annotate({ outcome: outcome === 'gone' ? 'skipped' : outcome });
      await (outcome === 'retrying' ? retry({ kind: 'later' }) : update.save(outcome));
    } catch (error) {
      await handleSendError(error, annotate, context, retry);
    }
  });

/** Slack's codes for a message that no longer exists or can no longer be edited. */
const UNCHANGEABLE: readonly string[] = ['message_not_found', 'cant_update_message', 'edit_window_closed'];

/**
 * Replaces the content of a message that Tally sent, if its recipient may see the new one today.
 *
 * @throws Failure, StoreUnavailable
 */
async function editMessage(
  message: Pick<MessageUpdate, 'key' | 'to' | 'posted' | 'isAgain'> & UpdateDraft,
  context: DeliveryContext,
): Promise<Exclude<UpdateOutcome, 'skipped'>> {
  const { key, to, projects, posted, isAgain, render } = message;
  const { channel } = posted;
  const client = await context.client();
  await context.waitForChannel(channel, context.logSnapshot.lastPost(channel));
  if ((await checkRecipient(to, projects, context)).refusal !== undefined) return 'refused';
  try {
    await replaceMessage(client, posted, withDuplicateNote(render(), isAgain), deliveryMetadata(key));
  } catch (error) {
    const isGone =
      isFailure(error) &&
      (error.kind === 'cannot-post' ||
        (error.kind === 'slack-failed' && UNCHANGEABLE.includes(error.data.code)));
    if (isGone) return 'gone';
    throw error;
  }
  context.rememberPost(channel);
  return 'sent';
}
