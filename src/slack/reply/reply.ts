import type { ModalView } from '@slack/types';
import { LRUCache } from 'lru-cache';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { actions, type Block, type Message, section } from '../block-kit/blocks.ts';
import { modal } from '../block-kit/modal.ts';
import { type Command, commandButton } from '../commands/command-buttons.ts';
import type { Audience, Source } from '../request/payload.ts';
import type { SlackServices } from '../slack-services.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import { type PostedTo, postMessage } from './message-calls.ts';
import { createDelayed, createMessages, type OutgoingFile, retryRateLimited } from './reply-messages.ts';

/**
 * The ways to reply to one payload. It alone knows what is shown so far, whose place the next reply takes. Each way throws
 * slack-failed when Slack refuses it.
 */
export interface Reply extends ReturnType<typeof waysToReply> {
  /**
   * The same reply for another source or audience.
   * @param source where the request came from, with what is known of it now
   */
  as(source: Source, terms?: ReplyTerms): Reply;
}

/** For whom a reply is, and on what terms. */
interface ReplyTerms {
  /** The sender alone if absent. */
  readonly audience?: Audience;
  /** Offered as a button if no modal can be opened. */
  readonly command?: Command | undefined;
  /** Asked before anything is sent. @throws instead of sending what its readers may no longer see */
  readonly confirm?: () => Promise<void>;
}

/** The reply to the sender alone. */
export function createReply(
  services: Pick<SlackServices, 'responseUrls' | 'log'>,
  source: Source,
  client: WebClient,
): Reply {
  const messages = createMessages(services, source, client);
  const modals = createModals(source, client);
  const as: Reply['as'] = (known, terms = {}) => ({
    as,
    ...waysToReply(known, client, messages, modals, terms),
  });
  return as(source);
}

function waysToReply(
  source: Source,
  client: WebClient,
  messages: ReturnType<typeof createMessages>,
  modals: ReturnType<typeof createModals>,
  { audience = 'asker', command, confirm = async () => undefined }: ReplyTerms,
) {
  const { channel, responseUrl, triggerId, viewId, replaces } = source;

  /** @throws cannot-post, slack-failed */
  const sendPrivate = async (message: Message, replace = false): Promise<void> => {
    await confirm();
    await modals.settle();
    await messages.sendPrivate(message, replace);
    if (modals.isLoading()) await modals.tryUpdate(ANSWERED_VIEW);
  };
  const updateModal = async (view: ModalView, fallback?: Message): Promise<void> => {
    await confirm();
    if (!(await modals.tryUpdate(view)) && fallback !== undefined) await messages.sendDirectly(fallback);
  };

  return {
    source,
    client,
    /** Every other way asks this first: whether its readers may still see what was asked for. */
    confirm,
    /** Where the last message is; undefined where Slack doesn't say it, or only one person of a channel sees it. */
    posted: messages.posted,
    /** Says after `delay` ms that the answer takes longer, unless it was given. */
    startLoadingMessage: (delay: Millis, mayReplace: boolean): void =>
      messages.startLoading(delay, audience, replaces && mayReplace),
    /** Opens a loading view after `delay` ms unless the form is open. */
    startLoadingView: modals.startLoading,
    /** Removes what says that Tally works, if no reply has replaced it. Never rejects. */
    async endLoading(): Promise<void> {
      await modals.settle();
      await messages.endLoading();
    },
    /**
     * The answer: replaces the message whose button was clicked, or goes where it was asked, to the user or the channel
     * as the workspace's settings say.
     */
    async update(message: Message): Promise<void> {
      const hasNoChannel = responseUrl === undefined && channel === undefined;
      if (audience === 'channel' && !hasNoChannel) {
        await confirm();
        return messages.sendPublic(message);
      }
      await sendPrivate(message, replaces);
    },
    /** A message that only the user sees. Replaces nothing. */
    private: (message: Message): Promise<void> => sendPrivate(message),
    /** A message for everyone in the channel, or for another person. @throws cannot-post */
    async public(to: SlackId, message: Message): Promise<PostedTo> {
      await confirm();
      return postMessage(client, { channel: to, thread: undefined }, message);
    },
    async home(blocks: readonly Block[]): Promise<void> {
      await confirm();
      const view = { type: 'home' as const, blocks: [...blocks] as never[] };
      await callSlack('views.publish', () => client.views.publish({ user_id: source.userId, view }));
    },
    modal: {
      /** Whether a modal can be opened: after a click or a slash command, not after a message. */
      canOpen: (triggerId ?? viewId) !== undefined,
      /** Whether the request came from a modal. */
      isOpen: viewId !== undefined,
      /** Whether one was opened or replaced for this request, so that errors go there too. */
      async isShown(): Promise<boolean> {
        await modals.settle();
        return modals.isOpened();
      },
      /**
       * Opens a modal within 3 s of the click or command: on top of a form, which keeps what was typed, or in the place
       * of any other modal that the request came from.
       */
      async open(view: ModalView): Promise<void> {
        await modals.settle();
        const isPossible = modals.isOpened() || (viewId ?? triggerId ?? '') !== '';
        if (!isPossible && command !== undefined) return sendPrivate(openFormMessage(command));
        await confirm();
        await modals.open(view);
      },
      /** Replaces the modal of this request. If that fails, for example because it was closed, sends `fallback` as a direct message. */
      update: updateModal,
      /**
       * Replaces the modal by a message, under this title. If that fails, sends the message as a direct message.
       * @param more blocks that make sense in the modal only
       */
      show: (title: string, message: Message, ...more: readonly Block[]): Promise<void> =>
        updateModal(modal({ title, blocks: [...message.blocks, ...more] }), message),
      /** @returns whether the modal was replaced; sends nothing otherwise */
      async tryUpdate(view: ModalView): Promise<boolean> {
        await confirm();
        return modals.tryUpdate(view);
      },
      /** Replaces what this request last saw, or what an older request drew: a form as it is after a click or a choice. */
      async redraw(view: ModalView): Promise<void> {
        await confirm();
        await modals.redraw(view);
      },
    },
    /**
     * A file, in the thread where a public answer goes or else in the user's conversation with Tally; needs the optional
     * scope files:write.
     * @returns whether it is in that thread
     */
    async file(file: OutgoingFile): Promise<boolean> {
      await confirm();
      return messages.sendFile(file, audience);
    },
  };
}

/** A message brings no trigger to open a modal with, so it is answered with a button, whose click does. */
function openFormMessage(command: Command): Message {
  const text = 'Click to open the form:';
  const buttons = commandButton('form', 'Open the form…', command, { style: 'primary' });
  return { text, blocks: [section(text), actions(...buttons)] };
}

/** Takes the place of the loading view if the answer is a message. */
const ANSWERED_VIEW: ModalView = modal({
  title: 'Tally',
  blocks: [section('Tally answered in the conversation. You can close this window.')],
});

/** The view that a form opens with if something slow has to be asked first. */
const LOADING_VIEW: ModalView = modal({ title: 'Tally', blocks: [section('Loading…')] });

/** How long to wait for a rate limit, in s: short, because the user is looking at the modal. */
const MODAL_WAIT = 3;

/** By `view_id`: the last request of this process that drew the modal, by its number, and Slack's `hash` of that. */
const drawn = new LRUCache<string, { readonly request: number; readonly hash: string }>({ max: 1_000 });
let requests = 0;

/** The modal of a payload: the modal it came from, or a modal that its trigger opens. */
function createModals(source: Source, client: WebClient) {
  requests += 1;
  const request = requests;
  const { triggerId, viewId, hasFields } = source;
  /** `view_id` of the modal that was opened or replaced for this request. */
  let opened: string | undefined;
  /** Slack's `hash` of the modal as it was clicked or last updated. */
  let hash = source.viewHash;
  const loading = createDelayed<void>();
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
  return {
    /** Afterwards the loading view is open, or it will not be opened. */
    settle: loading.take,
    isLoading: () => isLoading,
    isOpened: () => opened !== undefined,

    startLoading(delay: Millis): void {
      if (triggerId === undefined || opened !== undefined || (viewId !== undefined && !hasFields)) return;
      loading.start(delay, async () => {
        await openNew(LOADING_VIEW);
        isLoading = true;
      });
    },

    /** @throws slack-failed */
    async open(view: ModalView): Promise<void> {
      await loading.take();
      const current = opened ?? (hasFields ? undefined : viewId);
      if (current === undefined) return openNew(view);
      await update(current, view);
      opened = current;
    },

    /** @returns whether the modal was replaced */
    async tryUpdate(view: ModalView): Promise<boolean> {
      await loading.take();
      return succeeds(update(opened ?? viewId ?? '', view));
    },

    async redraw(view: ModalView): Promise<void> {
      await loading.take();
      const view_id = opened ?? viewId ?? '';
      if (hash !== undefined && (await succeeds(update(view_id, view, hash)))) return;
      const last = drawn.get(view_id);
      if (last !== undefined && last.request < request && last.hash !== hash)
        await succeeds(update(view_id, view, last.hash));
    },
  };
}
