/** Each kind of message decides when its messages are due and what they say. `send.ts` sends them. */
import type { StoredFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Message as SlackMessage } from '../../slack/block-kit/blocks.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import type { ProjectScope } from '../../workspace/projects/project-scope.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { AskedQuestion } from '../../workspace/thread-store.ts';
import type { FieldWrite, MessageFormat, OutboxMessage } from '../delivery-log.ts';
import type { DeliveryContext, RunView } from '../run-context.ts';
import type { FailureEffect } from './retry-policy.ts';

export interface MessageKind<About = unknown> extends MessageFormat<About> {
  plan(view: RunView): Plan;
  /** When to send or update a stored message; undefined to leave it for now. @param planned the time in its record */
  dueAt?(message: OutboxMessage<About>, view: RunView, planned: Millis | undefined): Millis | undefined;
  /** @returns a draft, or the new state if there is nothing to send @throws Failure */
  prepare(message: OutboxMessage<About>, context: DeliveryContext): Promise<Draft<About> | Transition<About>>;
  questionOf?(message: OutboxMessage<About>, context: DeliveryContext): AskedQuestion | undefined;
  nextUpdate?(message: OutboxMessage<About>, context: DeliveryContext): Millis | undefined;
  /**
   * Called if the recipient may not see the message. By default, a message to a person goes to the next responsible
   * person, and a message to a channel fails.
   * @returns undefined for the default
   */
  onRefused?(
    message: OutboxMessage<About>,
    refusal: Refusal,
    context: DeliveryContext,
  ): Transition<About> | undefined;
  /** @param after the record to store; its state is `failed` if Tally gives up */
  onFailed?(after: OutboxMessage<About>, effect: FailureEffect, context: DeliveryContext): Transition<About>;
}

export interface Plan {
  readonly writes?: readonly FieldWrite[];
  /** Runs before any message is sent. @throws OvertakenError, store-unavailable */
  readonly task?: ((context: DeliveryContext) => Promise<void>) | undefined;
  /** When to call `plan` again even if no stored message is due; undefined for never. */
  readonly next?: Millis | undefined;
}

export interface Draft<About> {
  /** The projects that the message names. The recipient must be allowed to see them. */
  readonly projects: readonly ChosenProject[];
  render(sendingAt: Millis, recipient: Recipient): SlackMessage;
  readonly about?: About;
  /** True for a message's last update. Its record is then deleted. */
  readonly isLast?: boolean;
  /** A field of the workspace's record. If it changes before sending, nothing is sent. */
  readonly restsOn?: string;
}

export interface Recipient {
  /** Loaded when the recipient was checked, so it is newer than the workspace in `RunView`. */
  readonly workspace: Workspace;
  /** `isUnlimited` if only a manager reads the message. */
  readonly scope: ProjectScope;
}

export interface Refusal {
  readonly cause: StoredFailure;
  /** True for a former full member, who no longer gets messages. */
  readonly isGone: boolean;
}

/** The new state of a message that isn't sent. `outcome` appears in logs and metrics. */
export interface Transition<About> {
  readonly outcome: 'skipped' | 'waiting' | 'retrying' | 'paused' | 'refused' | 'failed' | 'changed';
  readonly message: OutboxMessage<About> | undefined;
}
