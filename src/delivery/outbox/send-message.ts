/**
 * Sends every message that no person asked for: a message is claimed, sent and confirmed; after a crash it is found
 * again; or it is given up. What its recipient may see is checked each time, in the moment before it goes out.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Annotate, MessageWork } from '../../runtime/work-record.ts';
import { context as contextBlock, type Message } from '../../slack/kit/blocks.ts';
import { openDirectMessage, type PostedTo, postMessage } from '../../slack/reply/message-calls.ts';
import { isPerson } from '../../workspace/record/parse-record.ts';
import {
  type DeliveryContext,
  LeaseLostError,
  ScheduleChangedError,
  type StateDocument,
} from '../delivery-run.ts';
import type { SendState, StoredMessage } from '../log/delivery-log-entry.ts';
import { checkRecipient } from './check-recipient.ts';
import { classifyFailure, handleSendError, isUnreachable, trackMessage } from './failures.ts';
import { deliveryMetadata, findPost } from './find-post.ts';
import { threadQuestions } from './remember-topic.ts';
import {
  afterFailure,
  type Draft,
  type FailedState,
  markPosted,
  markSending,
  type OutboxMessage,
  type SendAttempt,
  type SendFailure,
  sendsAt,
  withSendState,
} from './send-state.ts';

/** The longest time between the claim and the call to Slack, in ms. */
const FRESH = 3_000;
/** A rate limit of up to this is waited out within the run; in ms. */
const SHORT_WAIT = 5_000;
const MAX_SHORT_WAITS = 3;
/** How long a confirmation waits for a store that is away; in ms. */
const CONFIRM_TIMEOUT = 30_000;

/**
 * @returns `done` if it was sent or needs no sending; `failed` once its kind has stored why, and when it is tried again
 * @throws LeaseLostError, StoreUnavailable
 */
export const sendMessage = (message: OutboxMessage, context: DeliveryContext): Promise<'done' | 'failed'> =>
  trackMessage({ tries: message.stored.tries, ...message }, context, async (annotate) => {
    const outcome = await new Attempt(message, context).send(annotate);
    annotate({ outcome });
    return DONE.has(outcome) ? 'done' : 'failed';
  });

const DONE: ReadonlySet<string> = new Set(['sent', 'found', 'skipped', 'waiting']);

/**
 * Sends what is due of the messages that a record holds, or stores why not.
 *
 * @param isSame whether two are the same message, perhaps in different states
 * @throws LeaseLostError, StoreUnavailable
 */
export async function sendDueMessages<R extends { readonly messages: readonly StoredMessage[] }>(
  document: StateDocument<R | undefined>,
  isSame: (a: R['messages'][number], b: R['messages'][number]) => boolean,
  describe: (message: R['messages'][number]) => Omit<OutboxMessage, 'to' | 'stored' | 'save'>,
  context: DeliveryContext,
): Promise<void> {
  for (const message of document.value()?.messages ?? []) {
    const at = sendsAt(message);
    if (context.isOver() || at === undefined || at > context.clock()) continue;
    const save: OutboxMessage['save'] = (change, step) => {
      const saveIn = (now: typeof message) => (isSame(now, message) ? withSendState(now, change(now)) : now);
      return document.update((now) => now && { ...now, messages: now.messages.map(saveIn) }, step);
    };
    await sendMessage({ ...describe(message), to: message.to, stored: message, save }, context);
  }
}

const DUPLICATE =
  'This may be a duplicate: Tally was interrupted while sending, and can’t see whether the first one arrived.';

/** @param isAgain the conversation may show it twice */
export const withDuplicateNote = (message: Message, isAgain = false): Message =>
  isAgain ? { ...message, blocks: [contextBlock(DUPLICATE), ...message.blocks] } : message;

const isSame = (now: SendState, before: SendState): boolean =>
  now.state === before.state && now.at === before.at;

class Attempt {
  /** The message's state as it was last stored. */
  private current: SendState;
  /** Slack may have taken it before this try, and nobody has found it. */
  private mayBeInSlack: boolean;
  /** The message's key in `unrecordedPosts`. */
  private readonly name: string;

  constructor(
    private readonly message: OutboxMessage,
    private readonly context: DeliveryContext,
  ) {
    this.current = message.stored;
    this.mayBeInSlack = message.stored.state === 'sending';
    this.name = `${context.teamId}/${message.key}/${message.to}`;
  }

  async send(annotate: Annotate<MessageWork>): Promise<string> {
    const { message, context } = this;
    const { stored } = message;
    const due = message.due ?? (stored.state === 'due' ? stored.at : undefined);
    const annotateLate = (at: Millis): void => {
      if (due !== undefined) annotate({ late: Math.max(0, at - due) });
    };
    try {
      const found = this.mayBeInSlack && (await this.findAndConfirm());
      if (found === 'confirmed') {
        annotateLate(stored.at);
        return 'found';
      }
      this.mayBeInSlack = found === 'unknown';
      // A doubtful message is sent a second time, but not a third.
      if (this.mayBeInSlack && stored.isAgain)
        throw new Failure('not-sent', {
          reason: message.kind === 'post' ? 'post-unconfirmed' : 'message-unconfirmed',
        });
      const draft = await message.prepare(this.mayBeInSlack);
      annotateLate(context.clock());
      return typeof draft === 'string' ? draft : await this.postInTime(draft);
    } catch (error) {
      // The next pass reads the change.
      if (error instanceof ScheduleChangedError) return 'changed';
      annotateLate(context.clock());
      return handleSendError(error, annotate, context, (effect) =>
        this.saveFailure({ error, effect, mayBeInSlack: this.mayBeInSlack }),
      );
    }
  }

  private async saveFailure(failure: SendFailure): Promise<FailedState> {
    const { stored, onRefused, fail } = this.message;
    if (fail !== undefined) return fail(failure);
    const { cause } = failure.effect;
    const isGone = isUnreachable(failure.error);
    if (isGone && (await onRefused?.({ cause, isGone }, failure.mayBeInSlack))) return 'refused';
    const after = afterFailure(stored, this.current, failure, this.context.clock());
    await this.saveUnlessChanged(after);
    return after.state === 'failed' ? 'failed' : 'retrying';
  }

  /** @returns `unknown` where Slack does not say whether it is there */
  private async findAndConfirm(): Promise<'confirmed' | 'absent' | 'unknown'> {
    const { key, to, thread } = this.message;
    const { channel = to, at } = this.current;
    const ts = this.context.unrecordedPosts.get(this.name);
    const found = ts ? { ts } : await findPost(await this.context.client(), channel, key, at, thread?.ts);
    if (typeof found === 'string') return found;
    await this.confirm({ channel, ...found });
    return 'confirmed';
  }

  /** Waits out a short rate limit, because a further run would come later. */
  private async postInTime(draft: Draft): Promise<'sent' | 'refused'> {
    const { to, stored } = this.message;
    const { client, stopping } = this.context;
    // A person's direct message, where it is known, is in its record.
    const channel = isPerson(to) ? (stored.channel ?? (await openDirectMessage(await client(), to))) : to;
    for (let waits = 0; ; waits += 1) {
      try {
        return await this.post(draft, channel);
      } catch (error) {
        const effect = isFailure(error) ? classifyFailure(error) : undefined;
        if (effect?.kind !== 'wait' || effect.for > SHORT_WAIT || waits >= MAX_SHORT_WAITS) throw error;
        await delay(effect.for, undefined, { signal: stopping }).catch(() => {
          throw error;
        });
      }
    }
  }

  private async post({ projects, render }: Draft, channel: SlackId): Promise<'sent' | 'refused'> {
    const { context, mayBeInSlack } = this;
    const { to, key, thread } = this.message;
    const client = await context.client();
    await context.waitForChannel(channel, context.logSnapshot.lastPost(channel));
    const { recipient, refusal } = await checkRecipient(to, projects, context);
    if (refusal !== undefined) {
      const { cause } = refusal;
      const { tries } = this.current;
      if (!(await this.message.onRefused?.(refusal, mayBeInSlack)))
        await this.saveUnlessChanged({ state: 'failed', at: context.clock(), tries, cause });
      return 'refused';
    }
    const sending = { channel, at: context.clock(), isAgain: mayBeInSlack };
    const { message, claim = this.message.save } = render(sending, recipient);
    const shown = withDuplicateNote(message, mayBeInSlack);
    const began = performance.now();
    await this.claim(sending, claim);
    // After a longer hang another run may hold the lease. The next run asks Slack whether it is there.
    if (performance.now() - began > FRESH) throw new LeaseLostError();
    const { ts } = await postMessage(client, { channel, thread: thread?.ts }, shown, {
      metadata: deliveryMetadata(key),
      isBroadcast: thread?.isBroadcast,
    });
    context.rememberPost(channel);
    await this.confirm({ channel, ts });
    return 'sent';
  }

  /** Another run that took over after a lost lease may have stored more of it. */
  private saveUnlessChanged(after: SendState): Promise<void> {
    const before = this.current;
    return this.message.save((now) => (isSame(now, before) ? after : now), {});
  }

  /** Stores that it goes out, as long as the lease is held, and nobody has stored a step of it since. */
  private async claim(sending: SendAttempt, save: OutboxMessage['save']): Promise<void> {
    const before = this.current;
    const after = markSending(this.message.stored, sending);
    const step = (now: SendState): SendState => {
      if (!isSame(now, before)) throw new LeaseLostError();
      return after;
    };
    await save(step, { needsLease: true });
    this.current = after;
  }

  /** Slack has the message, so this is stored even after the lease is lost. While the store is away, this process remembers it. */
  private async confirm(posted: PostedTo): Promise<void> {
    const { message, context, name } = this;
    context.unrecordedPosts.set(name, posted.ts);
    const topic = message.topic?.();
    const questions = topic === undefined ? [] : threadQuestions(topic, posted, message.thread?.ts, context);
    const after = markPosted(this.current, posted);
    const began = performance.now();
    for (;;) {
      try {
        await message.save((now) => (now.state === 'posted' ? now : after), { questions });
        break;
      } catch (error) {
        if (!isFailure(error, 'store-unavailable') || performance.now() - began > CONFIRM_TIMEOUT)
          throw error;
        await delay(500);
      }
    }
    context.unrecordedPosts.delete(name);
  }
}
