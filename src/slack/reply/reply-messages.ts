import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { isDirectMessage } from '../../workspace/record/parse-record.ts';
import { context, escapeMarkup, type Message } from '../block-kit/blocks.ts';
import type { Audience, Source } from '../request/payload.ts';
import type { SlackServices } from '../slack-services.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import {
  deleteMessage,
  openDirectMessage,
  type PostedTo,
  postEphemeral,
  postMessage,
  replaceMessage,
} from './message-calls.ts';

/** What says that Tally works: a message that can be replaced by its place, or one that only a response URL knows. */
interface Loading {
  readonly place?: PostedTo;
  /** Everybody in the channel sees it. */
  readonly isPublic?: boolean;
  /** Whether `replace_original` would replace it, and no other. */
  readonly canReplace?: boolean;
}

export interface OutgoingFile {
  readonly name: string;
  readonly content: string;
  readonly about: string;
}

const TEXT = 'Asking the billing service…';
const LOADING: Message = { text: TEXT, blocks: [context(TEXT)] };

/** The messages of one reply. The first that is sent takes the place of the loading message. */
export function createMessages(
  { responseUrls, log }: Pick<SlackServices, 'responseUrls' | 'log'>,
  { teamId: workspace, channel, userId, responseUrl, thread, startsThread, isClick }: Source,
  client: WebClient,
) {
  /** Where everybody reads the answer: in the thread that asked, or one that begins with the message that did. */
  const publicThread = thread ?? startsThread;
  const directMessages = (message: Message) =>
    userId === '' ? [] : [() => postMessage(client, { channel: userId, thread: undefined }, message)];
  const warnUnconfirmed = (err: unknown): void =>
    log.warn({ err, workspace }, 'Slack did not confirm an answer; not sent again');
  const loading = createDelayed<Loading>();

  const showLoading = async (audience: Audience, replaces: boolean): Promise<Loading | undefined> => {
    if (audience === 'channel' && channel !== undefined) {
      try {
        return {
          isPublic: true,
          place: await postMessage(client, { channel, thread: publicThread }, LOADING),
        };
      } catch (error) {
        // Tally can answer a command in channels that it may not post to.
        if (!isFailure(error, 'cannot-post')) throw error;
      }
    }
    const isInDirectMessage = channel !== undefined && isDirectMessage(channel);
    // Below a message that stays, only an ordinary message can be replaced later.
    if (responseUrl !== undefined && (replaces || !isClick || !isInDirectMessage)) {
      await responseUrls.post(responseUrl, LOADING, { replace: replaces }).catch((error: unknown) => {
        if (!isFailure(error, 'slack-failed') || !error.data.unclear) throw error;
      });
      return { canReplace: audience === 'asker' && (replaces || !isClick) };
    }
    if (channel !== undefined && !isInDirectMessage) return undefined;
    return { place: await postMessage(client, { channel: channel ?? userId, thread }, LOADING) };
  };

  /** Others see a mention in a channel, and not the private answer: a reaction says that there is one. */
  const markAsked = async (): Promise<void> => {
    if (startsThread === undefined || channel === undefined) return;
    const reaction = { channel, timestamp: startsThread, name: 'speech_balloon' };
    await callSlack('reactions.add', () => client.reactions.add(reaction)).catch(() => undefined);
  };

  let posted: PostedTo | undefined;
  const trackPosted = async (sent: Promise<PostedTo | undefined>): Promise<void> => {
    posted = await sent;
  };

  return {
    posted: () => posted,

    startLoading: (delay: Millis, audience: Audience, replaces: boolean): void =>
      loading.start(delay, () => showLoading(audience, replaces)),

    async endLoading(): Promise<void> {
      const { place } = (await loading.take()) ?? {};
      if (place !== undefined) await deleteMessage(client, place).catch(() => undefined);
    },

    /**
     * Replies privately, by the first of these that works: the response_url, an ephemeral message, a direct message.
     * @throws cannot-post, slack-failed: why the first one failed, when all did
     */
    async sendPrivate(message: Message, replace: boolean): Promise<void> {
      const { place, isPublic = false, canReplace = false } = (await loading.take()) ?? {};
      if (place !== undefined && isPublic)
        await deleteMessage(client, place).catch((err: unknown) =>
          log.warn({ err, workspace }, 'Could not delete a message'),
        );
      const options = { replace: replace || canReplace };
      await sendFirstPossible(warnUnconfirmed, [
        ...(place === undefined || isPublic
          ? []
          : [() => trackPosted(replaceMessage(client, place, message).then(() => place))]),
        ...(responseUrl === undefined ? [] : [() => responseUrls.post(responseUrl, message, options)]),
        ...(channel === undefined
          ? []
          : [() => trackPosted(postEphemeral(client, userId, { channel, thread }, message))]),
        ...directMessages(message),
      ]);
      await markAsked();
    },

    /** Sends a direct message, wherever it was asked. @throws cannot-post, slack-failed */
    sendDirectly: (message: Message): Promise<void> =>
      sendFirstPossible(warnUnconfirmed, directMessages(message)),

    /** Sends to everyone in the channel, in a thread if a message asked. @throws cannot-post, slack-failed */
    async sendPublic(message: Message): Promise<void> {
      const { place } = (await loading.take()) ?? {};
      // A response_url can't post into a thread.
      const send =
        channel !== undefined && (responseUrl === undefined || thread !== undefined)
          ? () => postMessage(client, { channel, thread: publicThread }, message)
          : () => responseUrls.post(responseUrl ?? '', message, { everyone: true });
      await sendFirstPossible(warnUnconfirmed, [
        ...(place === undefined ? [] : [() => replaceMessage(client, place, message)]),
        send,
      ]);
    },

    /** @returns whether it is in the thread of a public answer, else it is a direct message @throws slack-failed */
    async sendFile({ name, content, about }: OutgoingFile, audience: Audience): Promise<boolean> {
      const isPublic = audience === 'channel' && channel !== undefined && publicThread !== undefined;
      const place = isPublic
        ? { channel_id: channel, thread_ts: publicThread }
        : { channel_id: await openDirectMessage(client, userId) };
      await callSlack('files.uploadV2', () =>
        client.filesUploadV2({
          ...place,
          filename: name,
          title: name,
          content,
          initial_comment: escapeMarkup(about),
        }),
      );
      return isPublic;
    },
  };
}

/** What is shown after a while, unless it is taken before. Taking waits until it is there, and returns it to the first caller only. */
export function createDelayed<T>() {
  let take: (() => Promise<T | undefined>) | undefined;
  return {
    start(delay: Millis, show: () => Promise<T | undefined>): void {
      if (take !== undefined) return;
      let shown: Promise<T | undefined> = Promise.resolve(undefined);
      const timer = setTimeout(() => {
        shown = show().catch(() => undefined);
      }, delay);
      take = () => {
        clearTimeout(timer);
        return shown;
      };
    },
    async take(): Promise<T | undefined> {
      const taken = take;
      take = undefined;
      return taken?.();
    },
  };
}

/** Stops if a message may have arrived: a missing answer is better than the same answer twice. */
async function sendFirstPossible(
  onUnconfirmed: (error: unknown) => void,
  attempts: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const errors: unknown[] = [];
  for (const attempt of attempts) {
    try {
      await retryRateLimited(attempt);
      return;
    } catch (error) {
      if (isFailure(error, 'slack-failed') && error.data.unclear) return onUnconfirmed(error);
      errors.push(error);
    }
  }
  throw errors[0];
}

/** How long one reply waits for Slack's rate limit, over all retries, in s. */
const MAX_WAIT = 30;

/** Retries when Slack says how long to wait: it accepts about one message a second in a channel. @param longest in s */
export async function retryRateLimited<T>(send: () => Promise<T>, longest = MAX_WAIT): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await send();
    } catch (error) {
      if (!isFailure(error, 'slack-failed') || error.data.retryAfter === undefined) throw error;
      const pause = Math.max(1, error.data.retryAfter);
      waited += pause;
      if (waited > longest) throw error;
      await sleep(pause * 1000);
    }
  }
}
