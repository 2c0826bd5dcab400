/** Messages that are stored with what they are about: alerts, reminders, and replies that explain corrections. */

import * as z from 'zod';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { storedFailure } from '../../workspace/record/stored-failure.ts';
import type { DeliveryContext } from '../context.ts';
import type { StateWrite } from '../log/delivery-log.ts';
import type { Recipient, Refusal } from './recipients.ts';
import { messageRetryDelay, nextTry, notSent, SLACK_SETTLE_MS } from './retry.ts';
import {
  type Draft,
  type MessageAbout,
  type OutboxMessage,
  type SendFailure,
  sendMessage,
} from './send-message.ts';

export const storedMessageSchema = z.object({
  /** Slack ID of a channel or a person. */
  to: z.string(),
  /** `sending`: Slack may have taken it. `failed` is final, too. */
  state: z.enum(['due', 'sending', 'posted', 'failed']),
  /** When that was written, in ms. */
  at: z.int(),
  /** How often it has failed, and when it is retried, in ms. */
  tries: z.int().default(0),
  next: z.int().exactOptional(),
  /** Sent again without knowing whether the first one arrived, so the conversation may show it twice. */
  isAgain: z.boolean().exactOptional(),
  /** Where Slack put it: for a person, the direct message. */
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
  /** Why it failed. */
  cause: storedFailure.exactOptional(),
});
export type StoredMessage = Readonly<z.infer<typeof storedMessageSchema>>;

/** When it is due, in ms; undefined after it was sent or given up. */
export function sendsAt({ state, at, next = 0 }: StoredMessage): number | undefined {
  if (state === 'posted' || state === 'failed') return undefined;
  return Math.max(next, state === 'sending' ? at + SLACK_SETTLE_MS : 0);
}

export interface StoredMessageJob
  extends Pick<OutboxMessage, 'kind' | 'key' | 'right' | 'thread' | 'topic'>,
    Pick<MessageAbout, 'schedule' | 'watch'>,
    Pick<Draft, 'projects'> {
  /** Its entry in the delivery log. */
  readonly message: StoredMessage;
  content(isAgain: boolean, recipient: Recipient): Message;
  /** Stores it. A message that goes out needs the lease; one that Slack has taken is stored without it. */
  save(message: StoredMessage, needsLease: boolean, questions?: StateWrite['questions']): Promise<void>;
  /** Decides what happens instead. @returns false if nothing does, so that the message has failed, as without it */
  onRefused?(refusal: Refusal, isDoubtful: boolean): Promise<boolean>;
}

/** Sends it, or stores why not. @throws LeaseLostError, StoreUnavailable */
export async function sendStoredMessage(job: StoredMessageJob, context: DeliveryContext): Promise<void> {
  const { projects, message, content, save, onRefused, schedule, watch } = job;
  const { cause: _, next, ...stored } = message;
  const { to, channel, state, at, tries, isAgain = false } = message;
  let current: StoredMessage = stored;
  await sendMessage(
    {
      ...{ ...job, to, channel },
      about: { schedule, watch, due: state === 'due' ? at : undefined, tries },
      doubt: state === 'sending' ? { channel: channel ?? to, at, isAgain } : undefined,
      prepare: async () => ({
        projects,
        async claim({ channel, at, isAgain }, recipient) {
          current = { ...stored, channel, state: 'sending', at, ...(isAgain && { isAgain }) };
          await save(current, true);
          return content(isAgain, recipient);
        },
      }),
      confirm: ({ channel, ts }, questions) =>
        save({ ...current, channel, ts, state: 'posted' }, false, questions),
      async refuse(refusal, { channel, isAgain }) {
        if (await onRefused?.(refusal, isAgain)) return;
        await save({ ...stored, channel, state: 'failed', at: context.clock(), cause: refusal.cause }, false);
      },
      async fail(failure) {
        const { cause } = failure.effect;
        const isGone = isUnreachable(failure.error);
        if (isGone && (await onRefused?.({ cause, isGone }, failure.isDoubtful))) return 'refused';
        const failed = afterFailure(message, current, failure, context.clock());
        await save(failed, false);
        return failed.state === 'failed' ? 'failed' : 'retrying';
      },
    },
    context,
  );
}

/** @param before as it was stored when this try began */
function afterFailure(
  before: StoredMessage,
  message: StoredMessage,
  { error, effect, isDoubtful }: SendFailure,
  now: Millis,
): StoredMessage {
  if (isFailure(error) && error.kind === 'not-sent')
    return { ...message, state: 'failed', cause: notSent('message-unconfirmed') };
  const { cause } = effect;
  const { tries, next } = nextTry({ tries: message.tries }, effect, now, messageRetryDelay);
  if (isUnreachable(error) || next === undefined)
    return { ...message, state: 'failed', at: now, tries, cause };
  const failed = { ...message, tries, cause, next };
  if (effect.kind === 'unclear') return { ...failed, state: 'sending' };
  if (!isDoubtful) return { ...failed, state: 'due' };
  // Slack did not take it this time: `at` and `isAgain` stay those of the send that is searched for.
  const { isAgain: _, ...sent } = { ...failed, state: 'sending' as const, at: before.at };
  return { ...sent, ...(before.isAgain && { isAgain: true }) };
}

const isUnreachable = (error: unknown): boolean =>
  isFailure(error) &&
  (error.kind === 'cannot-post' || (error.kind === 'slack-failed' && UNREACHABLE.has(error.code)));

/** Slack's codes for a person who can no longer get messages. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'user_not_found',
  'user_disabled',
  'users_not_found',
  'user_not_visible',
  'cannot_dm_bot',
  'messages_tab_disabled',
]);
