import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Message } from '../../slack/kit/blocks.ts';
import { postMessage } from '../../slack/reply/message-calls.ts';
import type { ThreadStore } from '../../workspace/thread-store.ts';
import { checkRecipient, type RecipientContext } from './check-recipient.ts';
import { type MessageTopic, type TopicContext, threadQuestions } from './remember-topic.ts';

/**
 * Sends what a person asked for and waits for. It is not retried, so it needs no claim.
 *
 * @param shownTo who gets it: for a test, the person who asked sees what `to` would see
 * @throws NotAllowed if `to` may not see it; Failure
 */
export async function sendNow(
  { to, shownTo, content, topic }: { to: SlackId; shownTo: SlackId; content: Message; topic: MessageTopic },
  context: RecipientContext & TopicContext & { readonly threads: ThreadStore },
): Promise<void> {
  if ((await checkRecipient(to, topic.projects, context)).refusal !== undefined)
    throw new Failure('not-allowed', { reason: 'channel' });
  const client = await context.client();
  const posted = await postMessage(client, { channel: shownTo, thread: undefined }, content);
  const questions = threadQuestions(topic, posted, undefined, context);
  void Promise.all(questions.map((asked) => context.threads.remember(...asked, 'everybody'))).catch(
    (err: unknown) =>
      context.log.warn({ err, workspace: context.teamId }, 'Could not remember a message for follow-ups'),
  );
}
