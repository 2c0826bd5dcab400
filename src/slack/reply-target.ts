import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { LOADING_VIEW, type LoadingMessage, type LoadingPlace } from './loading.ts';
import { deleteMessage } from './post-message.ts';
import type { RequestSource } from './request-source.ts';
import type { ResponseUrlClient } from './response-url.ts';
import { callSlack, retryRateLimited, type WebClient } from './web-client.ts';

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
export function startLoadingView(target: ReplyTarget, delay: number): void {
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
