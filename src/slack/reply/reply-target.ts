import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { context, type Message, section } from '../kit/atoms.ts';
import { modal } from '../kit/modal.ts';
import type { RequestSource } from '../request/request-source.ts';
import { callSlack, retryRateLimited, type WebClient } from '../web-client.ts';
import { deleteMessage, isDirectMessage, type PostedTo, postMessage } from './post-message.ts';
import type { ResponseUrlClient } from './response-url.ts';

/** How long Tally works before it shows that it does, in ms. */
export interface LoadingDelays {
  readonly message: number;
  /** Short, because Slack opens no modal later than 3 s after the click, and the call itself may be slow. */
  readonly modal: number;
}

export const LOADING_DELAYS: LoadingDelays = { message: 1_500, modal: 300 };

/** Says that an answer takes longer. It appears after a delay, and the answer takes its place. */
export interface LoadingMessage {
  /** Keeps it from appearing, or waits until it is there. @returns where it is; undefined if nothing is shown */
  take(): Promise<LoadingPlace | undefined>;
}

export type LoadingPlace =
  | (PostedTo & { readonly kind: 'message'; readonly isPublic: boolean })
  /** @property canReplace whether `replace_original` would replace exactly this message */
  | { readonly kind: 'response-url'; readonly canReplace: boolean };

interface LoadingTarget {
  readonly source: RequestSource;
  readonly client: WebClient;
  readonly responseUrls: ResponseUrlClient;
}

interface LoadingOptions {
  readonly audience: 'asker' | 'channel';
  /** Whether the answer replaces the message that was clicked. */
  readonly replace: boolean;
  readonly delay: Millis;
}

const TEXT = 'Asking the billing service…';
const MESSAGE: Message = { text: TEXT, blocks: [context(TEXT)] };

export function startLoadingMessage(target: LoadingTarget, options: LoadingOptions): LoadingMessage {
  let shown: Promise<LoadingPlace | undefined> = Promise.resolve(undefined);
  const timer = setTimeout(() => {
    shown = showMessage(target, options).catch(() => undefined);
  }, options.delay);
  return {
    take() {
      clearTimeout(timer);
      return shown;
    },
  };
}

async function showMessage(
  target: LoadingTarget,
  options: LoadingOptions,
): Promise<LoadingPlace | undefined> {
  const { source, client } = target;
  const { channel, userId, thread, startsThread, responseUrl } = source;
  if (options.audience === 'channel' && channel !== undefined) {
    try {
      const at = await postMessage(client, { channel, thread: thread ?? startsThread }, MESSAGE);
      return { kind: 'message', isPublic: true, ...at };
    } catch (error) {
      // Tally can answer a command in channels that it may not post to.
      if (!isFailure(error) || error.kind !== 'cannot-post') throw error;
    }
  }
  if (responseUrl !== undefined) return showByResponseUrl(target, responseUrl, options);
  if (channel !== undefined && !isDirectMessage(channel)) return undefined;
  const at = await postMessage(client, { channel: channel ?? userId, thread }, MESSAGE);
  return { kind: 'message', isPublic: false, ...at };
}

async function showByResponseUrl(
  { source, responseUrls }: LoadingTarget,
  url: string,
  { audience, replace }: LoadingOptions,
): Promise<LoadingPlace | undefined> {
  // After a click on a message that stays, `replace_original` would replace that one.
  const canReplace = audience === 'asker' && (replace || !source.isClick);
  try {
    await responseUrls.post(url, MESSAGE, { replace });
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'slack-failed' || !error.unclear) return undefined;
  }
  return { kind: 'response-url', canReplace };
}

/** The view that a form opens with if something slow has to be asked first. */
const LOADING_VIEW: ModalView = modal({ title: 'Tally', blocks: [section('Loading…')] });

/** Takes the place of the loading view if the answer is a message. */
export const ANSWERED_VIEW: ModalView = modal({
  title: 'Tally',
  blocks: [section('Tally answered in the conversation. You can close this window.')],
});

/** Where replies to one payload can go. Tracks the payload's modal, so that later replies update it. */
export interface ReplyTarget {
  readonly source: RequestSource;
  readonly client: WebClient;
  readonly responseUrls: ResponseUrlClient;
  readonly log: Logger;
  /** `view_id` of the modal that was opened or replaced for this request. */
  openedModal?: string;
  /** Slack's `hash` of the modal as it was clicked or last updated. */
  modalHash?: string;
  /** Shown until the answer is ready; the first reply replaces it. */
  loadingMessage?: LoadingMessage | undefined;
  /** Stops or awaits the loading view. */
  loadingView?: (() => Promise<void>) | undefined;
  /** Whether the loading view is still what the modal shows. */
  isLoadingViewShown?: boolean;
}

/** @throws SlackFailed */
export async function openView(target: ReplyTarget, trigger_id: string, view: ModalView): Promise<void> {
  const opened = await callSlack('views.open', () => target.client.views.open({ trigger_id, view }));
  if (opened.view?.id !== undefined) target.openedModal = opened.view.id;
  if (opened.view?.hash !== undefined) target.modalHash = opened.view.hash;
}

/** Opens a loading view after `delay` ms unless the form is open by then. A trigger is valid for 3 s. */
export function startLoadingView(target: ReplyTarget, delay: Millis): void {
  const { triggerId, viewId } = target.source;
  if (triggerId === undefined || viewId !== undefined || target.openedModal !== undefined) return;
  let opening: Promise<void> = Promise.resolve();
  const timer = setTimeout(() => {
    opening = openView(target, triggerId, LOADING_VIEW).then(
      () => {
        target.isLoadingViewShown = true;
      },
      () => undefined,
    );
  }, delay);
  target.loadingView = () => {
    clearTimeout(timer);
    return opening;
  };
}

/** Afterwards either `openedModal` is the loading view, or none will be opened. */
export async function settleLoadingView(target: ReplyTarget): Promise<void> {
  const settle = target.loadingView;
  target.loadingView = undefined;
  await settle?.();
}

/** @returns where the loading message is, for the first reply that asks */
export async function takeLoadingMessage(target: ReplyTarget): Promise<LoadingPlace | undefined> {
  const { loadingMessage } = target;
  target.loadingMessage = undefined;
  return loadingMessage?.take();
}

/** Removes the loading message or view if no reply has replaced it. Never rejects. */
export async function endLoading(target: ReplyTarget): Promise<void> {
  await settleLoadingView(target);
  const place = await takeLoadingMessage(target);
  if (place?.kind === 'message') await deleteMessage(target.client, place).catch(() => undefined);
}

/** In s; short, because the user is looking at the modal. */
const MODAL_WAIT = 3;

/** @throws SlackFailed */
export async function updateView(target: ReplyTarget, viewId: string, view: ModalView): Promise<void> {
  const { client } = target;
  const updated = await retryRateLimited(
    () => callSlack('views.update', () => client.views.update({ view_id: viewId, view })),
    MODAL_WAIT,
  );
  target.isLoadingViewShown = false;
  if (updated.view?.hash !== undefined) target.modalHash = updated.view.hash;
}

/** @returns whether the modal was replaced */
export async function tryUpdateModal(target: ReplyTarget, view: ModalView): Promise<boolean> {
  await settleLoadingView(target);
  return updateView(target, target.openedModal ?? target.source.viewId ?? '', view).then(
    () => true,
    () => false,
  );
}
