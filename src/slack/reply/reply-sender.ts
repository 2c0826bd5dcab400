/** Sends a reply's messages to where the person reads them. A message replaces the loading message. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure } from '../../domain/failure/index.ts';
import { isDirectMessage } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { compact, context, escapeMarkup, type Message, type Optional } from '../block-kit/blocks.ts';
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

interface Loading {
  readonly place?: PostedTo;
  readonly isPublic?: boolean;
  readonly canReplace?: boolean;
}

export interface OutgoingFile {
  readonly name: string;
  readonly content: string;
  readonly about: string;
}

const TEXT = 'Asking the billing service…';
const LOADING: Message = { text: TEXT, blocks: [context(TEXT)] };

export class ReplySender {
  posted: PostedTo | undefined;
  readonly #loading = createDelayed<Loading>();
  readonly #publicThread: string | undefined;

  constructor(
    private readonly services: Pick<SlackServices, 'responseUrls' | 'log'>,
    private readonly source: Source,
    private readonly client: WebClient,
  ) {
    this.#publicThread = source.thread ?? source.startsThread;
  }

  startLoading(delay: Millis, audience: Audience, replaces: boolean): void {
    this.#loading.start(delay, () => this.#showLoading(audience, replaces));
  }

  async endLoading(): Promise<void> {
    const { place } = (await this.#loading.take()) ?? {};
    if (place !== undefined) await deleteMessage(this.client, place).catch(() => undefined);
  }

  async #showLoading(audience: Audience, replaces: boolean): Promise<Loading | undefined> {
    const { client, source } = this;
    const { channel, responseUrl, isClick, userId, thread } = source;
    if (audience === 'channel' && channel !== undefined) {
      try {
        const place = await postMessage(client, { channel, thread: this.#publicThread }, LOADING);
        return { isPublic: true, place };
      } catch (error) {
        // Slash commands also work in channels where Tally may not post.
        if (!isFailure(error, 'cannot-post')) throw error;
      }
    }
    const isInDirectMessage = channel !== undefined && isDirectMessage(channel);
    // Only ordinary messages can be edited later, so a click in a direct message gets an ordinary loading message.
    if (responseUrl !== undefined && (replaces || !isClick || !isInDirectMessage)) {
      await this.services.responseUrls
        .post(responseUrl, LOADING, { replace: replaces })
        .catch((error: unknown) => {
          if (!isFailure(error, 'slack-failed') || !error.data.unclear) throw error;
        });
      return { canReplace: audience === 'asker' && (replaces || !isClick) };
    }
    if (channel !== undefined && !isInDirectMessage) return undefined;
    return { place: await postMessage(client, { channel: channel ?? userId, thread }, LOADING) };
  }

  /** Tries the response URL, then an ephemeral message, then a direct message. @throws the first error if all fail */
  async sendPrivate(message: Message, replace: boolean): Promise<void> {
    const { client, source, services } = this;
    const { channel, responseUrl, userId, thread, startsThread } = source;
    const { place, isPublic = false, canReplace = false } = (await this.#loading.take()) ?? {};
    if (place !== undefined && isPublic)
      await deleteMessage(client, place).catch((err: unknown) =>
        services.log.warn({ err, workspace: source.teamId }, 'Could not delete a message'),
      );
    const options = { replace: replace || canReplace };
    await this.#sendFirstPossible([
      place !== undefined && !isPublic && (() => replaceMessage(client, place, message).then(() => place)),
      responseUrl !== undefined &&
        (() => services.responseUrls.post(responseUrl, message, options).then(() => undefined)),
      channel !== undefined && (() => postEphemeral(client, userId, { channel, thread }, message)),
      this.#directMessage(message),
    ]);
    if (startsThread === undefined || channel === undefined) return;
    // Other people see the mention but not the private answer. The reaction shows them that Tally has answered.
    const reaction = { channel, timestamp: startsThread, name: 'speech_balloon' };
    await callSlack('reactions.add', () => client.reactions.add(reaction)).catch(() => undefined);
  }

  sendDirectly(message: Message): Promise<void> {
    return this.#sendFirstPossible([this.#directMessage(message)]);
  }

  async sendPublic(message: Message): Promise<void> {
    const { client, source, services } = this;
    const { channel, responseUrl, thread } = source;
    const { place } = (await this.#loading.take()) ?? {};
    const isPosted = channel !== undefined && (responseUrl === undefined || thread !== undefined);
    await this.#sendFirstPossible([
      place !== undefined && (() => replaceMessage(client, place, message).then(() => undefined)),
      isPosted
        ? () => postMessage(client, { channel, thread: this.#publicThread }, message).then(() => undefined)
        : () =>
            services.responseUrls.post(responseUrl ?? '', message, { everyone: true }).then(() => undefined),
    ]);
  }

  /** @returns whether the file is in the public thread; otherwise it is in the user's direct messages */
  async sendFile({ name, content, about }: OutgoingFile, audience: Audience): Promise<boolean> {
    const { client, source } = this;
    const { channel, userId } = source;
    const thread = this.#publicThread;
    const isPublic = audience === 'channel' && channel !== undefined && thread !== undefined;
    const place = isPublic
      ? { channel_id: channel, thread_ts: thread }
      : { channel_id: await openDirectMessage(client, userId) };
    const file = { filename: name, title: name, content, initial_comment: escapeMarkup(about) };
    await callSlack('files.uploadV2', () => client.filesUploadV2({ ...place, ...file }));
    return isPublic;
  }

  #directMessage(message: Message): Optional<() => Promise<PostedTo>> {
    const { client, source } = this;
    return source.userId !== '' && (() => postMessage(client, { channel: source.userId }, message));
  }

  /** Stops as soon as a message may have arrived, so that nobody gets an answer twice. */
  async #sendFirstPossible(
    attempts: readonly Optional<() => Promise<PostedTo | undefined>>[],
  ): Promise<void> {
    const { services, source } = this;
    const errors: unknown[] = [];
    for (const attempt of compact(attempts)) {
      try {
        this.posted = await retryRateLimited(attempt);
        return;
      } catch (err) {
        if (isFailure(err, 'slack-failed') && err.data.unclear)
          return services.log.warn(
            { err, workspace: source.teamId },
            'Slack did not confirm an answer; not sent again',
          );
        errors.push(err);
      }
    }
    throw errors[0];
  }
}

/** Runs `show` after a delay, unless `take` is called before then. Only the first `take` gets what `show` returned. */
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

const MAX_WAIT_SECONDS = 30;

/** Slack allows about one message a second per channel. */
export async function retryRateLimited<T>(send: () => Promise<T>, maxSeconds = MAX_WAIT_SECONDS): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await send();
    } catch (error) {
      if (!isFailure(error, 'slack-failed') || error.data.retryAfter === undefined) throw error;
      const pause = Math.max(1, error.data.retryAfter);
      waited += pause;
      if (waited > maxSeconds) throw error;
      await sleep(pause * 1000);
    }
  }
}
