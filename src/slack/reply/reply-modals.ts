import type { ModalView } from '@slack/types';
import { LRUCache } from 'lru-cache';
import type { Millis } from '../../domain/time/calendar.ts';
import { section } from '../kit/blocks.ts';
import { modal } from '../kit/modal.ts';
import type { Source } from '../request/source.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import { retryRateLimited } from './reply-messages.ts';

/** The view that a form opens with if something slow has to be asked first. */
const LOADING_VIEW: ModalView = modal({ title: 'Tally', blocks: [section('Loading…')] });

/** How long to wait for a rate limit, in s: short, because the user is looking at the modal. */
const MODAL_WAIT = 3;

/** By `view_id`: the last request of this process that drew the modal, by its number, and Slack's `hash` of that. */
const drawn = new LRUCache<string, { readonly request: number; readonly hash: string }>({ max: 1_000 });
let requests = 0;

/** The modal of a payload: the modal it came from, or a modal that its trigger opens. */
export function createModals(source: Source, client: WebClient) {
  requests += 1;
  const request = requests;
  const { triggerId, viewId, hasFields } = source;
  /** `view_id` of the modal that was opened or replaced for this request. */
  let opened: string | undefined;
  /** Slack's `hash` of the modal as it was clicked or last updated. */
  let hash = source.viewHash;
  /** Keeps the loading view from opening, or waits until it is there. */
  let loading: (() => Promise<void>) | undefined;
  /** Whether the loading view is still what the modal shows. */
  let isLoading = false;

  const remember = (view_id: string | undefined, shown: string | undefined): void => {
    hash = shown ?? hash;
    if (view_id !== undefined && shown !== undefined) drawn.set(view_id, { request, hash: shown });
  };
  const openNew = async (view: ModalView): Promise<void> => {
    const [method, call] = hasFields
      ? (['views.push', client.views.push] as const)
      : (['views.open', client.views.open] as const);
    const { view: shown } = await callSlack(method, () => call({ trigger_id: triggerId ?? '', view }));
    opened = shown?.id ?? opened;
    remember(shown?.id, shown?.hash);
  };
  /** @param seen undefined to replace whatever is there @throws slack-failed */
  const update = async (view_id: string, view: ModalView, seen?: string): Promise<void> => {
    const { view: shown } = await retryRateLimited(
      () =>
        callSlack('views.update', () =>
          client.views.update({ view_id, view, ...(seen !== undefined && { hash: seen }) }),
        ),
      MODAL_WAIT,
    );
    isLoading = false;
    remember(view_id, shown?.hash);
  };
  const succeeds = (updating: Promise<void>): Promise<boolean> =>
    updating.then(
      () => true,
      () => false,
    );
  /** Afterwards the loading view is open, or it will not be opened. */
  const settle = async (): Promise<void> => {
    const take = loading;
    loading = undefined;
    await take?.();
  };

  return {
    settle,
    isLoading: () => isLoading,
    isOpened: () => opened !== undefined,

    startLoading(delay: Millis): void {
      if (triggerId === undefined || opened !== undefined || (viewId !== undefined && !hasFields)) return;
      let opening: Promise<void> = Promise.resolve();
      const timer = setTimeout(() => {
        opening = openNew(LOADING_VIEW).then(
          () => {
            isLoading = true;
          },
          () => undefined,
        );
      }, delay);
      loading = () => {
        clearTimeout(timer);
        return opening;
      };
    },

    /** @throws slack-failed */
    async open(view: ModalView): Promise<void> {
      await settle();
      const current = opened ?? (hasFields ? undefined : viewId);
      if (current === undefined) return openNew(view);
      await update(current, view);
      opened = current;
    },

    /** @returns whether the modal was replaced */
    async tryUpdate(view: ModalView): Promise<boolean> {
      await settle();
      return succeeds(update(opened ?? viewId ?? '', view));
    },

    async redraw(view: ModalView): Promise<void> {
      await settle();
      const view_id = opened ?? viewId ?? '';
      if (hash !== undefined && (await succeeds(update(view_id, view, hash)))) return;
      const last = drawn.get(view_id);
      if (last !== undefined && last.request < request && last.hash !== hash)
        await succeeds(update(view_id, view, last.hash));
    },
  };
}
