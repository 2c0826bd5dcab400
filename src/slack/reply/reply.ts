import type { ModalView } from '@slack/types';
import { isFailure, type SlackFailed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type CommandInvocation, commandButton, withoutShare } from '../commands/command-buttons.ts';
import { actions, type Block, escapeMarkup, type Message, section } from '../kit/atoms.ts';
import { modal } from '../kit/modal.ts';
import { callSlack, retryRateLimited } from '../web-client.ts';
import {
  deleteMessage,
  isDirectMessage,
  openDirectMessage,
  postEphemeral,
  postMessage,
  replaceMessage,
} from './post-message.ts';
import {
  ANSWERED_VIEW,
  openView,
  type ReplyTarget,
  settleLoadingView,
  takeLoadingMessage,
  tryUpdateModal,
  updateView,
} from './reply-target.ts';

/** The five ways to reply. Each throws SlackFailed when Slack refuses it. */
export interface Reply {
  /**
   * The answer: replaces the message whose button was clicked, or goes where it was asked, to the user or the channel as
   * the workspace's settings say.
   */
  update(message: Message): Promise<void>;
  /** A message that only the user sees. Replaces nothing. */
  private(message: Message): Promise<void>;
  /** A message for everyone in the channel. @throws CannotPost */
  public(channel: SlackId, message: Message): Promise<void>;
  readonly modal: ModalReply;
  /**
   * A file, in the thread where a public answer goes or else in the user's conversation with Tally; needs the optional
   * scope files:write.
   * @returns whether it is in that thread
   */
  file(file: OutgoingFile): Promise<boolean>;
}

export interface ModalReply {
  /** Whether a modal can be opened: after a click or a slash command, not after a message. */
  readonly canOpen: boolean;
  /** Opens a modal within 3 s of the click or command, or replaces the one the request came from. */
  open(view: ModalView): Promise<void>;
  /** Replaces the modal of this request. If that fails, for example because it was closed, sends `fallback` as a direct message. */
  update(view: ModalView, fallback?: Message): Promise<void>;
  /**
   * Replaces the modal by a message, under this title. If that fails, sends the message as a direct message.
   * @param more blocks that make sense in the modal only
   */
  show(title: string, message: Message, ...more: readonly Block[]): Promise<void>;
  /** @returns whether the modal was replaced; sends nothing otherwise */
  tryUpdate(view: ModalView): Promise<boolean>;
  /** Replaces the modal only if nothing else changed it since this request last saw it. */
  updateIfUnchanged(view: ModalView): Promise<void>;
}

interface OutgoingFile {
  readonly name: string;
  readonly title: string;
  readonly content: string;
  /** Sent with it: what it holds, plain. */
  readonly about: string;
}

interface ReplyOptions {
  readonly audience: 'asker' | 'channel';
  /** Whether `update` replaces the message that carried the button. */
  readonly replace: boolean;
  /** Offered as a button if no modal can be opened. */
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
    async public(channel, message) {
      await postMessage(client, { channel, thread: undefined }, message);
    },
    modal: createModalReply(target, invocation),
    async file({ name, title, content, about }) {
      const thread = audience === 'channel' ? (source.thread ?? source.startsThread) : undefined;
      const { channel } = source;
      const isPublic = channel !== undefined && thread !== undefined;
      const place = isPublic
        ? { channel_id: channel, thread_ts: thread }
        : { channel_id: await openDirectMessage(client, source.userId) };
      await callSlack('files.uploadV2', () =>
        client.filesUploadV2({
          ...place,
          ...{ filename: name, title, content, initial_comment: escapeMarkup(about) },
        }),
      );
      return isPublic;
    },
  };
}

function createModalReply(target: ReplyTarget, invocation: CommandInvocation | undefined): ModalReply {
  const { source, client } = target;
  return {
    canOpen: (source.triggerId ?? source.viewId) !== undefined,
    async open(view) {
      await settleLoadingView(target);
      const { triggerId = '' } = source;
      const currentModal = target.openedModal ?? source.viewId;
      if (currentModal !== undefined) {
        await updateView(target, currentModal, view);
        target.openedModal = currentModal;
        return;
      }
      if (triggerId === '' && invocation !== undefined)
        return sendPrivate(target, openFormMessage(invocation));
      await openView(target, triggerId, view);
    },
    update: (view, fallback) => updateModal(target, view, fallback),
    show: (title, message, ...more) =>
      updateModal(target, modal({ title, blocks: [...message.blocks, ...more] }), message),
    tryUpdate: (view) => tryUpdateModal(target, view),
    async updateIfUnchanged(view) {
      await settleLoadingView(target);
      const { openedModal: id = source.viewId, modalHash: hash } = target;
      if (id === undefined || hash === undefined) return;
      await callSlack('views.update', () => client.views.update({ view_id: id, hash, view })).catch(
        () => undefined,
      );
    },
  };
}

/** A message brings no trigger to open a modal with, so it is answered with a button, whose click does. */
function openFormMessage(invocation: CommandInvocation): Message {
  const text = 'Click to open the form:';
  const buttons = commandButton('form', 'Open the form…', invocation, { style: 'primary' });
  return { text, blocks: [section(text), actions(...buttons)] };
}

/**
 * Replies privately, by the first of these that works: the response_url, an ephemeral message, a direct message.
 * @throws CannotPost, SlackFailed: why the first one failed, when all did
 */
export async function sendPrivate(target: ReplyTarget, message: Message, replace = false): Promise<void> {
  const { source, client, responseUrls } = target;
  const { responseUrl, channel, userId, thread } = source;
  const directMessage = { channel: userId, thread: undefined };
  await settleLoadingView(target);
  if (target.isLoadingViewShown && message.blocks.every(isText)) {
    if (await tryUpdateModal(target, modal({ title: 'Tally', blocks: message.blocks }))) return;
  }
  const place = await takeLoadingMessage(target);
  if (place?.kind === 'message' && place.isPublic)
    await deleteMessage(client, place).catch((err: unknown) => target.log.warn({ err }, 'not deleted'));
  const loading = place?.kind === 'message' && !place.isPublic ? place : undefined;
  const options = { replace: replace || (place?.kind === 'response-url' && place.canReplace) };
  await sendFirstPossible(target, [
    ...(loading === undefined ? [] : [() => replaceMessage(client, loading, message)]),
    ...(responseUrl === undefined ? [] : [() => responseUrls.post(responseUrl, message, options)]),
    ...(channel === undefined ? [] : [() => postEphemeral(client, userId, { channel, thread }, message)]),
    ...(userId === '' ? [] : [() => postMessage(client, directMessage, message)]),
  ]);
  if (target.isLoadingViewShown) await tryUpdateModal(target, ANSWERED_VIEW);
}

/** What a modal can show as well as a message. */
const isText = ({ type }: Block): boolean => type === 'section' || type === 'context' || type === 'header';

/** Sends to everyone in the channel, in a thread if a message asked. @throws CannotPost, SlackFailed */
async function sendPublic(target: ReplyTarget, message: Message): Promise<void> {
  const { source, client, responseUrls } = target;
  const { responseUrl, channel, thread, startsThread } = source;
  const place = await takeLoadingMessage(target);
  const loading = place?.kind === 'message' ? place : undefined;
  // A response_url can't post into a thread.
  const send =
    channel !== undefined && (responseUrl === undefined || thread !== undefined)
      ? () => postMessage(client, { channel, thread: thread ?? startsThread }, message)
      : () => responseUrls.post(responseUrl ?? '', message, { everyone: true });
  await sendFirstPossible(target, [
    ...(loading === undefined ? [] : [() => replaceMessage(client, loading, message)]),
    send,
  ]);
}

/** Stops if a message may have arrived: a missing answer is better than the same answer twice. */
async function sendFirstPossible(
  { log }: ReplyTarget,
  attempts: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const errors: unknown[] = [];
  for (const attempt of attempts) {
    try {
      await retryRateLimited(attempt);
      return;
    } catch (error) {
      if (isSlackFailed(error) && error.unclear)
        return log.warn({ err: error }, 'Slack did not confirm an answer; not sent again');
      errors.push(error);
    }
  }
  throw errors[0];
}

const isSlackFailed = (error: unknown): error is SlackFailed =>
  isFailure(error) && error.kind === 'slack-failed';

/** Replaces the request's modal; if that fails, sends `fallback` as a direct message. @throws CannotPost, SlackFailed */
export async function updateModal(target: ReplyTarget, view: ModalView, fallback?: Message): Promise<void> {
  if ((await tryUpdateModal(target, view)) || fallback === undefined) return;
  const source = { ...target.source, responseUrl: undefined, channel: undefined };
  await sendPrivate({ ...target, source }, fallback);
}
