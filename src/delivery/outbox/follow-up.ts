/** The question that a message answers. People can ask follow-up questions in the message's thread. */
import type { Logger } from 'pino';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { AskedQuestion, ThreadStore } from '../../workspace/thread-store.ts';

export interface FollowUpServices {
  readonly threads: Pick<ThreadStore, 'remember'>;
  readonly clock: () => Millis;
  readonly log: Logger;
}

/** Never rejects, because the message is already sent. */
export async function rememberQuestion(
  question: AskedQuestion | undefined,
  { channel, ts }: { readonly channel: SlackId; readonly ts: string },
  workspace: SlackId,
  { threads, clock, log }: FollowUpServices,
): Promise<void> {
  if (question === undefined) return;
  await threads
    .remember({ workspace, channel, thread: ts }, { ...question, at: Math.floor(clock()) }, 'everybody')
    .catch((err: unknown) =>
      log.warn({ err, workspace }, 'Could not store what follow-ups below a message refer to'),
    );
}
