/**
 * Sends a message in four steps: check the recipient's rights, record that sending begins, send, record the result.
 * After a crash, finds the message in Slack by its metadata. Also updates posted messages.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, failureSentence, isFailure, type StoredFailure } from '../../domain/failure/index.ts';
import { isPerson, type SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { type Annotate, type MessageWork, trackWork } from '../../ops/work-record.ts';
import {
  channelLink,
  compact,
  context as contextBlock,
  escapeMarkup,
  mention,
  type Message as SlackMessage,
} from '../../slack/block-kit/blocks.ts';
import {
  type MessageMetadata,
  openDirectMessage,
  type PostedTo,
  postMessage,
  replaceMessage,
} from '../../slack/reply/message-calls.ts';
import { callSlack, type WebClient } from '../../slack/web-client.ts';
import { hasSameConnections } from '../../workspace/projects/chosen-project.ts';
import type { AskedQuestion } from '../../workspace/thread-store.ts';
import { dropMessage, type OutboxMessage, OvertakenError, putMessage } from '../delivery-log.ts';
import type { DeliveryContext, RunServices } from '../run-context.ts';
import type { Draft, MessageKind, Recipient, Refusal, Transition } from './message-kind.ts';
import { checkRecipient, findReplacement } from './recipients.ts';
import { afterFailure, effectOf, type FailureEffect, isSlackError, isUnchangeable } from './retry-policy.ts';

/** The longest time between recording that sending begins and the call to Slack. */
const MAX_CLAIM_AGE: Millis = 3_000;
const CONFIRM_TIMEOUT: Millis = 30_000;

const DUPLICATE = 'This may be a duplicate: Tally was interrupted while sending.';

/**
 * @throws OvertakenError if another process has taken the message; store-unavailable; while stopping, any error that
 * isn't Slack's
 */
export function deliverMessage<About>(
  kind: MessageKind<About>,
  message: OutboxMessage<About>,
  context: DeliveryContext,
): Promise<void> {
  const { teamId, onFinished } = context;
  const [, id] = message.key.split('/');
  const begun: MessageWork = {
    kind: 'message',
    outcome: 'sent',
    began: performance.now(),
    workspace: teamId,
    message: message.state === 'posted' ? `${kind.name} update` : kind.name,
    ...(kind.name === 'post' && { schedule: id }),
    ...(kind.name === 'alert' && { watch: id }),
    tries: message.tries,
  };
  return trackWork<MessageWork, void>(begun, onFinished, async (annotate) => {
    annotate({ outcome: await new Sending(kind, message, context).run(annotate) });
  });
}

type Outcome = Transition<unknown>['outcome'] | 'sent' | 'found';

class Sending<About> {
  private stored: OutboxMessage<About>;
  /** An earlier attempt may have reached Slack, although a search didn't find the message there. */
  private mayBeInSlack: boolean;

  constructor(
    private readonly kind: MessageKind<About>,
    private readonly message: OutboxMessage<About>,
    private readonly context: DeliveryContext,
  ) {
    this.stored = message;
    this.mayBeInSlack = message.state === 'sending';
  }

  async run(annotate: Annotate<MessageWork>): Promise<Outcome> {
    const { kind, message, context } = this;
    const isPosted = message.state === 'posted';
    try {
      if (this.mayBeInSlack && (await this.find())) return 'found';
      const state = isPosted ? 'posted' : this.mayBeInSlack ? 'sending' : 'due';
      const prepared = await kind.prepare({ ...message, state }, context);
      if (!isPosted) annotate({ late: Math.max(0, context.clock() - message.at) });
      if (!('render' in prepared)) return await this.save(prepared.outcome, prepared.message);
      return isPosted ? await this.update(prepared) : await this.post(prepared);
    } catch (error) {
      // Slack's own errors are recorded even while stopping, so that the next run needn't search for the message.
      const isOvertaken = error instanceof OvertakenError;
      const isStopped = context.stopping.aborted && !isSlackError(error);
      annotate({ outcome: isOvertaken ? 'overtaken' : isStopped ? 'stopped' : 'retrying', error });
      if (isOvertaken || isStopped) throw error;
      return this.fail(effectOf(error));
    }
  }

  /** @throws not-sent if the message may have been sent twice already */
  private async find(): Promise<boolean> {
    const { key, to, channel = to, at, isAgain } = this.message;
    const found = await findSentMessage(await this.context.client(), channel, key, at);
    if (typeof found !== 'string') {
      await this.confirm({ channel, ...found });
      return true;
    }
    this.mayBeInSlack = found === 'unknown';
    if (this.mayBeInSlack && isAgain)
      throw new Failure('not-sent', {
        reason: this.kind.name === 'post' ? 'post-unconfirmed' : 'message-unconfirmed',
      });
    return false;
  }

  private async post(draft: Draft<About>): Promise<Outcome> {
    const { context, mayBeInSlack, message } = this;
    const { to, key } = message;
    const client = await context.client();
    const channel = isPerson(to) ? (message.channel ?? (await openDirectMessage(client, to))) : to;
    await context.waitForChannel(channel);
    const { recipient, refusal } = await checkRecipient(to, draft.projects, context);
    if (refusal !== undefined) return this.refuse(refusal);
    const { restsOn = '' } = draft;
    const { workspace: now } = recipient;
    const isUnchanged = now.fields[restsOn] === context.workspace.fields[restsOn];
    if (!(isUnchanged && hasSameConnections(draft, context.workspace, now))) return 'changed';
    const at = context.clock();
    const shown = this.draw(draft, at, recipient);
    const began = performance.now();
    const { next: _, cause: __, ...rest } = message;
    const claim = { channel, at, ...(mayBeInSlack && { isAgain: true }), state: 'sending' } as const;
    const { about = message.about } = draft;
    await this.write({ ...rest, ...claim, about });
    // After a longer delay, another process may already be searching Slack for the message.
    if (performance.now() - began > MAX_CLAIM_AGE) throw new OvertakenError();
    const metadata = deliveryMetadata(key);
    const { ts } = await postMessage(client, { channel, thread: undefined }, shown, { metadata });
    await this.confirm({ channel, ts });
    return 'sent';
  }

  private draw({ render }: Draft<About>, at: Millis, recipient: Recipient): SlackMessage {
    const { insteadOf, isAgain = this.mayBeInSlack } = this.message;
    const message = render(at, recipient);
    const [first = ''] = insteadOf?.tried ?? [];
    const notes = compact([
      isAgain && DUPLICATE,
      insteadOf &&
        `This was meant for ${isPerson(first) ? mention(first) : channelLink(first)}. ${escapeMarkup(failureSentence(insteadOf.cause))}`,
    ]);
    return notes.length === 0 ? message : { ...message, blocks: [contextBlock(...notes), ...message.blocks] };
  }

  /** If Redis stays down, the next run finds the message in Slack. */
  private async confirm(posted: PostedTo): Promise<void> {
    const { kind, context } = this;
    const { next: _, cause: __, ...rest } = this.stored;
    const sent: OutboxMessage<About> = { ...rest, ...posted, state: 'posted', tries: 0 };
    const began = performance.now();
    for (;;)
      try {
        await this.write(this.withNextUpdate(sent));
        return rememberQuestion(kind.questionOf?.(sent, context), posted, context.teamId, context);
      } catch (error) {
        const isAway = isFailure(error, 'store-unavailable');
        if (!isAway || performance.now() - began > CONFIRM_TIMEOUT) throw error;
        await delay(500);
      }
  }

  /** An update can be repeated, so nothing is recorded before it. */
  private async update(draft: Draft<About>): Promise<Outcome> {
    const { context, message } = this;
    const { key, to, channel = to, ts = '' } = message;
    const client = await context.client();
    await context.waitForChannel(channel);
    const { recipient, refusal } = await checkRecipient(to, draft.projects, context);
    const { next: _, ...rest } = message;
    const settled = draft.isLast ? undefined : { ...rest, about: draft.about ?? message.about };
    // The recipient may not see the new content, so the message stays as it is.
    if (refusal !== undefined) return this.save('refused', settled);
    try {
      const shown = this.draw(draft, context.clock(), recipient);
      await replaceMessage(client, { channel, ts }, shown, deliveryMetadata(key));
    } catch (error) {
      if (!isUnchangeable(error)) throw error;
      return this.save('skipped', settled);
    }
    return this.save('sent', settled && this.withNextUpdate({ ...settled, tries: 0 }));
  }

  private withNextUpdate(message: OutboxMessage<About>): OutboxMessage<About> {
    const next = this.kind.nextUpdate?.(message, this.context);
    return next === undefined ? message : { ...message, next };
  }

  private async refuse(refusal: Refusal): Promise<Outcome> {
    const { kind, context, message } = this;
    const transition = kind.onRefused?.(message, refusal, context) ?? (await this.passOn(refusal.cause));
    return this.save(transition.outcome, transition.message);
  }

  /** Sends the message to the next responsible person instead. Without one, the message fails. */
  private async passOn(cause: StoredFailure): Promise<Transition<About>> {
    const { context, message } = this;
    const { next: _, channel: __, isAgain: ___, ...rest } = message;
    const at = context.clock();
    const to = await findReplacement(message, context);
    if (to === undefined) return { outcome: 'failed', message: { ...rest, state: 'failed', at, cause } };
    const { tried = [], cause: first = cause } = rest.insteadOf ?? {};
    const insteadOf = { tried: [...tried, message.to], cause: first };
    return { outcome: 'refused', message: { ...rest, to, state: 'due', at, tries: 0, insteadOf } };
  }

  private async fail(effect: FailureEffect): Promise<Outcome> {
    const { kind, context, message } = this;
    const after = afterFailure(message, this.stored, this.mayBeInSlack, effect, context.clock());
    const ordinary = { outcome: after.state === 'failed' ? 'failed' : 'retrying', message: after } as const;
    const isForOther = effect.isUnreachable && message.state !== 'posted' && kind.onFailed === undefined;
    const transition = isForOther
      ? await this.passOn(effect.cause).catch(() => ordinary)
      : (kind.onFailed?.(after, effect, context) ?? ordinary);
    const outcome = await this.save(transition.outcome, transition.message);
    if (effect.wait !== undefined) context.backOff(context.clock() + effect.wait);
    return outcome;
  }

  private async save(outcome: Outcome, message: OutboxMessage<About> | undefined): Promise<Outcome> {
    await this.write(message);
    return outcome;
  }

  private async write(after: OutboxMessage<About> | undefined): Promise<void> {
    const { deliveryLog, teamId } = this.context;
    const { json } = this.stored;
    const write = after === undefined ? dropMessage(this.stored) : putMessage({ ...after, json });
    if (!(await deliveryLog.write(teamId, [write]))) throw new OvertakenError();
    if (after !== undefined) this.stored = { ...after, json: write.after };
  }
}

/** Never rejects, because the message is already sent. */
export async function rememberQuestion(
  question: AskedQuestion | undefined,
  { channel, ts }: { readonly channel: SlackId; readonly ts: string },
  workspace: SlackId,
  { threads, clock, log }: Pick<RunServices, 'threads' | 'clock' | 'log'>,
): Promise<void> {
  if (question === undefined) return;
  await threads
    .remember({ workspace, channel, thread: ts }, { ...question, at: Math.floor(clock()) })
    .catch((err: unknown) =>
      log.warn({ err, workspace }, 'Could not store which question a message answers'),
    );
}
const DELIVERY_EVENT_TYPE = 'tally_delivery';

const deliveryMetadata = (key: string): MessageMetadata => ({
  event_type: DELIVERY_EVENT_TYPE,
  event_payload: { key },
});

const MAX_CLOCK_SKEW = 300_000;
const MAX_PAGE_LENGTH = 999;

/** Slack's codes when Tally can't read a channel: an optional scope is missing, or Tally isn't a member. */
const NOT_READABLE: readonly string[] = [
  'missing_scope',
  'not_allowed_token_type',
  'no_permission',
  'access_denied',
  'not_in_channel',
  'channel_not_found',
  'method_not_supported_for_channel_type',
];

/**
 * @param at when the message was sent @returns `unknown` if Tally can't read the history, or reads only part of it
 * @throws slack-failed
 */
export async function findSentMessage(
  client: WebClient,
  channel: SlackId,
  key: string,
  at: Millis,
): Promise<{ readonly ts: string } | 'absent' | 'unknown'> {
  try {
    const { messages = [], has_more: isPart } = await callSlack('conversations.history', () =>
      client.conversations.history({
        channel,
        include_all_metadata: true,
        limit: MAX_PAGE_LENGTH,
        oldest: seconds(at - MAX_CLOCK_SKEW),
        latest: seconds(at + MAX_CLOCK_SKEW),
      }),
    );
    const found = messages.find(
      ({ metadata }) =>
        metadata?.event_type === DELIVERY_EVENT_TYPE &&
        (metadata.event_payload as { key?: unknown } | undefined)?.key === key,
    );
    if (found?.ts !== undefined) return { ts: found.ts };
    return isPart ? 'unknown' : 'absent';
  } catch (error) {
    if (isFailure(error) && error.kind === 'slack-failed' && NOT_READABLE.includes(error.data.code))
      return 'unknown';
    throw error;
  }
}

const seconds = (ms: Millis): string => (ms / 1000).toFixed(3);
