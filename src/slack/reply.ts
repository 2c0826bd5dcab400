import { setTimeout as sleep } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { isFailure, type SlackFailed } from '../domain/failure/index.ts';
import { type CommandInvocation, commandButton, withoutShare } from './command-buttons.ts';
import { actions, type Message, section } from './kit/atoms.ts';
import { isDirectMessage, postEphemeral, postMessage } from './post-message.ts';
import type { RequestSource } from './request-source.ts';
import type { ResponseUrlClient } from './response-url.ts';
import { callSlack, type WebClient } from './web-client.ts';

/** The five ways to reply. Each throws SlackFailed when Slack refuses it. */
export interface Reply {
  /**
   * The answer: replaces the message whose button was used, or goes where it was asked, to the user or the channel as
   * the workspace's settings say.
   */
  update(message: Message): Promise<void>;
  /** A message that only the user sees. Replaces nothing. */
  private(message: Message): Promise<void>;
  /** A message for everybody in that channel. @throws CannotPost */
  public(channel: string, message: Message): Promise<void>;
  readonly modal: ModalReply;
  /** A file in the user's conversation with Tally; needs the optional scope files:write. */
  file(file: OutgoingFile): Promise<void>;
}

export interface ModalReply {
  /** Whether a modal can be opened: after a click or a slash command, not after a message. */
  readonly canOpen: boolean;
  /** Opens a modal within 3 s of the click or command, or replaces the one the request came from. */
  open(view: ModalView): Promise<void>;
  /** Replaces the modal of this request. Where that fails (it was closed, say), sends `fallback` as a direct message. */
  update(view: ModalView, fallback?: Message): Promise<void>;
  /** @returns whether the modal was replaced; sends nothing otherwise */
  tryUpdate(view: ModalView): Promise<boolean>;
  /** Replaces the modal only if nothing else changed it since this request last saw it. */
  updateIfUnchanged(view: ModalView): Promise<void>;
}

interface OutgoingFile {
  readonly name: string;
  readonly title: string;
  readonly content: string;
}

/** Where replies to one payload can go. Tracks the payload's modal, so that later replies update it. */
export interface ReplyTarget {
  readonly source: RequestSource;
  readonly client: WebClient;
  readonly responder: ResponseUrlClient;
  readonly log: Logger;
  /** `view_id` of the modal that was opened or replaced for this request. */
  openedModal?: string;
  /** Slack's `hash` of the modal as it was clicked or last updated. */
  modalHash?: string;
}

interface ReplyOptions {
  readonly audience: 'asker' | 'channel';
  /** Whether `update` replaces the message that carried the button. */
  readonly replace: boolean;
  /** Offered as a button where no modal can be opened. */
  readonly invocation: CommandInvocation | undefined;
}

export function createReply(target: ReplyTarget, { audience, replace, invocation }: ReplyOptions): Reply {
  const { source, client } = target;
  return {
    async update(message) {
      const hasNoChannel = source.responseUrl === undefined && source.channel === undefined;
      if (audience === 'channel' && !hasNoChannel) return sendPublic(target, message);
      const canShare = source.channel !== undefined && !isDirectMessage(source.channel);
      await sendPrivate(target, canShare ? message : withoutShare(message), replace);
    },
    private: (message) => sendPrivate(target, message),
    public: (channel, message) => postMessage(client, { channel, thread: undefined }, message),
    modal: createModalReply(target, invocation),
    async file({ name, title, content }) {
      const { channel } = await callSlack('conversations.open', () =>
        client.conversations.open({ users: source.userId }),
      );
      await callSlack('files.uploadV2', () =>
        client.filesUploadV2({ channel_id: channel?.id ?? '', filename: name, title, content }),
      );
    },
  };
}

function createModalReply(target: ReplyTarget, invocation: CommandInvocation | undefined): ModalReply {
  const { source, client } = target;
  return {
    canOpen: (source.triggerId ?? source.viewId) !== undefined,
    async open(view) {
      const { triggerId = '' } = source;
      const currentModal = target.openedModal ?? source.viewId;
      if (currentModal !== undefined) {
        await updateView(target, currentModal, view);
        target.openedModal = currentModal;
        return;
      }
      if (triggerId === '' && invocation !== undefined)
        return sendPrivate(target, openFormMessage(invocation));
      const opened = await callSlack('views.open', () => client.views.open({ trigger_id: triggerId, view }));
      if (opened.view?.id !== undefined) target.openedModal = opened.view.id;
      if (opened.view?.hash !== undefined) target.modalHash = opened.view.hash;
    },
    update: (view, fallback) => updateModal(target, view, fallback),
    tryUpdate: (view) => tryUpdateModal(target, view),
    async updateIfUnchanged(view) {
      const { openedModal: id = source.viewId, modalHash: hash } = target;
      if (id === undefined || hash === undefined) return;
      await callSlack('views.update', () => client.views.update({ view_id: id, hash, view })).catch(
        () => undefined,
      );
    },
  };
}

/** After a message, which carries no trigger: a button whose click does. */
function openFormMessage(invocation: CommandInvocation): Message {
  const text = 'Click to open the form:';
  const buttons = commandButton('form', 'Open the form…', invocation, { style: 'primary' });
  return { text, blocks: [section(text), actions(...buttons)] };
}

/**
 * Sends to the user alone, by the first of these that works: the response_url, an ephemeral message, a direct message.
 * @throws CannotPost, SlackFailed: why the first one failed, when all did
 */
export async function sendPrivate(target: ReplyTarget, message: Message, replace = false): Promise<void> {
  const { source, client, responder } = target;
  const { responseUrl, channel, userId, thread } = source;
  const directMessage = { channel: userId, thread: undefined };
  await sendFirstPossible(target, [
    ...(responseUrl === undefined ? [] : [() => responder.post(responseUrl, message, { replace })]),
    ...(channel === undefined ? [] : [() => postEphemeral(client, userId, { channel, thread }, message)]),
    ...(userId === '' ? [] : [() => postMessage(client, directMessage, message)]),
  ]);
}

/** Sends to everybody in the channel, in a thread where a message asked. @throws CannotPost, SlackFailed */
async function sendPublic(target: ReplyTarget, message: Message): Promise<void> {
  const { source, client, responder } = target;
  const { responseUrl, channel, thread, startsThread } = source;
  // A response_url can't post into a thread.
  const send =
    channel !== undefined && (responseUrl === undefined || thread !== undefined)
      ? () => postMessage(client, { channel, thread: thread ?? startsThread }, message)
      : () => responder.post(responseUrl ?? '', message, { everyone: true });
  await sendFirstPossible(target, [send]);
}

/** Stops where a message may have arrived: a missing answer is better than the same answer twice. */
async function sendFirstPossible(
  { log }: ReplyTarget,
  attempts: readonly (() => Promise<void>)[],
): Promise<void> {
  const errors: unknown[] = [];
  for (const attempt of attempts) {
    try {
      return await retryRateLimited(attempt);
    } catch (error) {
      if (isSlackFailed(error) && error.unclear)
        return log.warn({ err: error }, 'Slack did not confirm an answer; not sent again');
      errors.push(error);
    }
  }
  throw errors[0];
}

/** The most that one answer waits for Slack's rate limit, all retries together, in s. */
const MAX_WAIT = 30;

/** Slack takes about one message a second in a channel, and says how long to wait. */
async function retryRateLimited(send: () => Promise<void>): Promise<void> {
  for (let waited = 0; ; ) {
    try {
      return await send();
    } catch (error) {
      if (!isSlackFailed(error) || error.retryAfter === undefined) throw error;
      const pause = Math.max(1, error.retryAfter);
      waited += pause;
      if (waited > MAX_WAIT) throw error;
      await sleep(pause * 1000);
    }
  }
}

const isSlackFailed = (error: unknown): error is SlackFailed =>
  isFailure(error) && error.kind === 'slack-failed';

/** @throws SlackFailed */
async function updateView(target: ReplyTarget, viewId: string, view: ModalView): Promise<void> {
  const { client } = target;
  const updated = await callSlack('views.update', () => client.views.update({ view_id: viewId, view }));
  if (updated.view?.hash !== undefined) target.modalHash = updated.view.hash;
}

/** @returns whether the modal was replaced */
async function tryUpdateModal(target: ReplyTarget, view: ModalView): Promise<boolean> {
  return updateView(target, target.openedModal ?? target.source.viewId ?? '', view).then(
    () => true,
    () => false,
  );
}

/** Replaces the request's modal; where that fails, sends `fallback` as a direct message. @throws CannotPost, SlackFailed */
export async function updateModal(target: ReplyTarget, view: ModalView, fallback?: Message): Promise<void> {
  if ((await tryUpdateModal(target, view)) || fallback === undefined) return;
  const source = { ...target.source, responseUrl: undefined, channel: undefined };
  await sendPrivate({ ...target, source }, fallback);
}
