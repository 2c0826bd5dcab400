/** Sends that need no claim: editing a message twice does no harm, and what a person waits for is never retried. */
import { isFailure, NotAllowed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { type PostedTo, postMessage, replaceMessage } from '../../slack/reply/post-message.ts';
import type { ThreadStore } from '../../workspace/thread-store.ts';
import type { DeliveryContext } from '../context.ts';
import { deliveryMetadata } from './find-post.ts';
import { checkRecipient, type RecipientContext } from './recipients.ts';
import { type MessageTopic, type TopicContext, threadQuestions } from './remember-topic.ts';
import type { Draft, OutboxMessage } from './send-message.ts';

/** Slack's codes for a message that no longer exists or can no longer be edited. */
const UNCHANGEABLE: readonly string[] = ['message_not_found', 'cant_update_message', 'edit_window_closed'];

/**
 * Replaces the content of a message that Tally sent, if its recipient may see the new one today.
 *
 * @returns `refused` if not; `gone` if Slack no longer has the message
 * @throws Failure, StoreUnavailable
 */
export async function editMessage(
  {
    key,
    to,
    projects,
    posted,
    content,
  }: Pick<OutboxMessage, 'key' | 'to'> &
    Pick<Draft, 'projects'> & { readonly posted: PostedTo; content(): Message },
  context: DeliveryContext,
): Promise<'edited' | 'refused' | 'gone'> {
  const { channel } = posted;
  const client = await context.client();
  await context.waitForChannel(channel, context.logSnapshot.lastPost(channel));
  if ((await checkRecipient(to, projects, context)).refusal !== undefined) return 'refused';
  try {
    await replaceMessage(client, posted, content(), deliveryMetadata(key));
  } catch (error) {
    if (isUnchangeable(error)) return 'gone';
    throw error;
  }
  context.notePosted(channel);
  return 'edited';
}

const isUnchangeable = (error: unknown): boolean =>
  isFailure(error) &&
  (error.kind === 'cannot-post' || (error.kind === 'slack-failed' && UNCHANGEABLE.includes(error.code)));

/**
 * Sends what a person asked for and waits for.
 *
 * @param shownTo who gets it: for a test, the person who asked sees what `to` would see
 * @throws NotAllowed if `to` may not see it; Failure
 */
export async function sendNow(
  { to, shownTo, content, topic }: { to: SlackId; shownTo: SlackId; content: Message; topic: MessageTopic },
  context: RecipientContext & TopicContext & { readonly threads: ThreadStore },
): Promise<void> {
  if ((await checkRecipient(to, topic.projects, context)).refusal !== undefined)
    throw new NotAllowed('channel');
  const client = await context.client();
  const posted = await postMessage(client, { channel: shownTo, thread: undefined }, content);
  const questions = threadQuestions(topic, posted, undefined, context);
  void Promise.all(questions.map((asked) => context.threads.remember(...asked, 'everybody'))).catch(
    (err: unknown) =>
      context.log.warn({ err, workspace: context.teamId }, 'Could not remember a message for follow-ups'),
  );
}
