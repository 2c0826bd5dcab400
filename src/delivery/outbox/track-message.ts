/** The records of messages on their way, for the log, metrics and traces. */
import { isFailure } from '../../domain/failure/index.ts';
import { type Annotate, type MessageWork, trackWork } from '../../runtime/work.ts';
import { type DeliveryContext, LeaseLostError } from '../context.ts';
import { classifyFailure, type FailureEffect } from './failure-effect.ts';

/** What Tally sends by itself, or at another time than a person asked for it. */
export const MESSAGE_KINDS = [
  'post',
  'post by hand',
  'correction',
  'alert',
  'alert update',
  'reminder',
  'notice',
  'answer',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** What a record says of its message. */
interface TrackedMessage {
  readonly kind: MessageKind;
  /** The ID of the schedule or the watch that it is about. */
  readonly schedule?: string | undefined;
  readonly watch?: string | undefined;
  /** How often it has failed. */
  readonly tries?: number;
}

/** Makes the record of a message on its way. */
export const trackMessage = <T>(
  { kind, schedule, watch, tries }: TrackedMessage,
  { teamId: workspace, workspace: { waits }, onFinished }: DeliveryContext,
  run: (annotate: Annotate<MessageWork>) => Promise<T>,
): Promise<T> =>
  trackWork(
    {
      ...{ kind: 'message', message: kind, outcome: 'sent', began: performance.now() },
      ...{ workspace, schedule, watch, tries, waits, waited: { ms: waits.ms, calls: waits.calls } },
    },
    onFinished,
    run,
  );

/**
 * Has it stored that a message could not be made, sent or updated, and when it is tried again. Slack's rate limit delays
 * the whole workspace.
 *
 * @returns what `record` returns
 * @throws LeaseLostError and StoreUnavailable as they are; once the process is stopping, also every error that did not
 * come from Slack
 */
export async function handleSendError<T>(
  error: unknown,
  annotate: Annotate<MessageWork>,
  context: DeliveryContext,
  record: (effect: FailureEffect) => Promise<T>,
): Promise<T> {
  const { stopping, clock } = context;
  // What Slack said is stored in any case: otherwise Slack would have to be searched.
  const isLost = error instanceof LeaseLostError;
  const isOver = isLost || (stopping.aborted && !isSlackError(error));
  annotate({ outcome: isLost ? 'lease-lost' : isOver ? 'stopped' : 'retrying', error });
  if (isOver) throw error;
  const effect = classifyFailure(error);
  const recorded = await record(effect);
  if (effect.kind === 'wait') await context.backOff(clock() + effect.for);
  return recorded;
}

const isSlackError = (error: unknown): boolean =>
  isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');
