import type { ModalView } from '@slack/types';
import { LRUCache } from 'lru-cache';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { actions, type Block, type Message, modal, section } from '../block-kit/blocks.ts';
import { type Command, commandButton } from '../commands/command-buttons.ts';
import type { Audience, Source } from '../request/payload.ts';
import type { SlackServices } from '../slack-services.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import { type PostedTo, postMessage } from './message-calls.ts';
import { createDelayed, type OutgoingFile, ReplyMessages, retryRateLimited } from './reply-messages.ts';

/**
 * How a handler replies to one payload. A reply tracks which message or modal is shown, so that the next one replaces
 * it. It calls `confirm` before it sends anything. Every method throws slack-failed if Slack refuses.
 */
export interface Reply {
  readonly source: Source;
  readonly client: WebClient;
  readonly modal: ModalReply;
  /** This reply for another source, or other readers. @param source the request's origin, updated */
  as(source: Source, terms?: ReplyTerms): Reply;
  /** Checks that the readers may still see the answer. @throws what to tell them instead of the answer */
  confirm(): Promise<void>;
  /** Sends the answer: in place of the clicked message, or where the settings say. @throws cannot-post */
  update(message: Message): Promise<void>;
  /** Sends another private message, which replaces nothing. @throws cannot-post */
  private(message: Message): Promise<void>;
  /** Posts to a channel or another person. @param to the channel's or the person's ID @throws cannot-post */
  public(to: SlackId, message: Message): Promise<PostedTo>;
  /** Uploads to the public answer's thread, or to the user's direct messages. @returns whether it went to the thread */
  file(file: OutgoingFile): Promise<boolean>;
  home(blocks: readonly Block[]): Promise<void>;
  /** Where the last message was posted; undefined if Slack doesn't say, or if only the user sees the message. */
  posted(): PostedTo | undefined;
  /** Shows a loading message after `delay` ms, unless the answer is sent before. */
  startLoadingMessage(delay: Millis, mayReplace: boolean): void;
  /** Opens a loading modal after `delay` ms, unless the form is opened before. */
  startLoadingView(delay: Millis): void;
  /** Removes the loading message if nothing has replaced it. Never rejects. */
  endLoading(): Promise<void>;
}

interface ModalReply {
  /** Whether Tally can open a modal: after a click or a slash command, but not after a message. */
  readonly canOpen: boolean;
  /** Whether this request has opened or replaced a modal, which then shows its errors. */
  isShown(): Promise<boolean>;
  /** Opens a modal within 3 s of the user's action: above a form, whose input stays, or in place of any other modal. */
  open(view: ModalView): Promise<void>;
  /** Replaces this request's modal. If the user has closed it, sends `fallback` as a direct message. */
  update(view: ModalView, fallback?: Message): Promise<boolean>;
  /** Like `update`, with a message below a title. @param more blocks that only the modal shows */
  show(title: string, message: Message, ...more: readonly Block[]): Promise<void>;
  /** Renders the form again after a click, unless the user has clicked again since. */
  redraw(view: ModalView): Promise<void>;
}

interface ReplyTerms {
  /** Who reads the answer; by default only the sender. */
  readonly audience?: Audience;
  /** The command that a button offers if no modal can be opened. */
  readonly command?: Command | undefined;
  /** Called before anything is sent. @throws if the readers may no longer see the answer */
  readonly confirm?: () => Promise<void>;
}

/** The last click in each modal, by `view_id`. Only that click may render the form again. */
export type LastClicks = LRUCache<string, Source>;
export const createLastClicks = (): LastClicks => new LRUCache({ max: 1_000 });

/** A reply that only the sender of the payload sees. */
export function createReply(
  services: Pick<SlackServices, 'responseUrls' | 'log'> & { readonly lastClicks: LastClicks },
  source: Source,
  client: WebClient,
): Reply {
  const messages = new ReplyMessages(services, source, client);
  const view = new ReplyModal(source, client, services.lastClicks);
  const as: Reply['as'] = (known, { audience = 'asker', command, confirm = async () => undefined } = {}) => {
    const { channel, responseUrl, replaces } = known;
    /** @throws cannot-post, slack-failed */
    const sendPrivate = async (message: Message, replace = false): Promise<void> => {
      await confirm();
      await view.settle();
      await messages.sendPrivate(message, replace);
      if (view.isLoading) await view.update(ANSWERED_VIEW);
    };
    return {
      source: known,
      client,
      as,
      confirm,
      posted: () => messages.posted,
      modal: modalReply(known, view, messages, { command, confirm }, sendPrivate),
      startLoadingMessage: (delay, mayReplace) =>
        messages.startLoading(delay, audience, replaces && mayReplace),
      startLoadingView: (delay) => view.startLoading(delay),
      async endLoading() {
        await view.settle();
        await messages.endLoading();
      },
      async update(message) {
        if (audience !== 'channel' || (responseUrl ?? channel) === undefined)
          return sendPrivate(message, replaces);
        await confirm();
        await messages.sendPublic(message);
      },
      private: (message) => sendPrivate(message),
      async public(to, message) {
        await confirm();
        return postMessage(client, { channel: to }, message);
      },
      async home(blocks) {
        await confirm();
        const home = { type: 'home' as const, blocks: [...blocks] as never[] };
        await callSlack('views.publish', () => client.views.publish({ user_id: source.userId, view: home }));
      },
      async file(file) {
        await confirm();
        return messages.sendFile(file, audience);
      },
    };
  };
  return as(source);
}

function modalReply(
  { triggerId, viewId }: Source,
  view: ReplyModal,
  messages: ReplyMessages,
  { command, confirm }: Pick<ReplyTerms, 'command'> & Required<Pick<ReplyTerms, 'confirm'>>,
  sendPrivate: Reply['private'],
): ModalReply {
  const update: ModalReply['update'] = async (shown, fallback) => {
    await confirm();
    const isShown = await view.update(shown);
    if (!isShown && fallback !== undefined) await messages.sendDirectly(fallback);
    return isShown;
  };
  return {
    canOpen: (triggerId ?? viewId) !== undefined,
    async isShown() {
      await view.settle();
      return view.isOpened;
    },
    async open(shown) {
      await view.settle();
      const isPossible = view.isOpened || (viewId ?? triggerId ?? '') !== '';
      if (!isPossible && command !== undefined) return sendPrivate(openFormMessage(command));
      await confirm();
      await view.open(shown);
    },
    update,
    async show(title, message, ...more) {
      await update(modal({ title, blocks: [...message.blocks, ...more] }), message);
    },
    async redraw(shown) {
      await confirm();
      await view.redraw(shown);
    },
  };
}

/** The reply to a message that asks for a form. A message can't open a modal, but a button in the reply can. */
function openFormMessage(command: Command): Message {
  const text = 'Click to open the form:';
  const buttons = commandButton('form', 'Open the form…', command, { style: 'primary' });
  return { text, blocks: [section(text), actions(...buttons)] };
}

/** What a loading modal shows in the end if the answer is a message. */
const ANSWERED_VIEW: ModalView = modal({
  title: 'Tally',
  blocks: [section('Tally answered in the conversation. You can close this window.')],
});

/** The modal to open at once for a form that needs slow data. */
const LOADING_VIEW: ModalView = modal({ title: 'Tally', blocks: [section('Loading…')] });

/** How long to wait for Slack's rate limit, in s: short, because the user is watching. */
const MODAL_WAIT = 3;

/** The modal that the payload came from, or the one that its trigger can open. */
class ReplyModal {
  isLoading = false;
  /** `view_id` of the modal that was opened or replaced for this request. */
  #opened: string | undefined;
  readonly #loading = createDelayed<void>();

  constructor(
    private readonly source: Source,
    private readonly client: WebClient,
    private readonly lastClicks: LastClicks,
  ) {
    // Typing in a select's search doesn't change the form, so it isn't a click.
    const isClick = source.via !== 'suggestions';
    if (isClick && source.viewId !== undefined) lastClicks.set(source.viewId, source);
  }

  get isOpened(): boolean {
    return this.#opened !== undefined;
  }

  /** Waits until the loading modal is open, or won't be opened. */
  async settle(): Promise<void> {
    await this.#loading.take();
  }

  startLoading(delay: Millis): void {
    const { triggerId, viewId, hasFields } = this.source;
    if (triggerId === undefined || this.isOpened || (viewId !== undefined && !hasFields)) return;
    this.#loading.start(delay, async () => {
      await this.#openNew(LOADING_VIEW);
      this.isLoading = true;
    });
  }

  /** @throws slack-failed */
  async open(view: ModalView): Promise<void> {
    await this.settle();
    const { hasFields, viewId } = this.source;
    const current = this.#opened ?? (hasFields ? undefined : viewId);
    if (current === undefined) return this.#openNew(view);
    await this.#replace(current, view);
    this.#opened = current;
  }

  /** @returns whether the modal was replaced */
  async update(view: ModalView): Promise<boolean> {
    await this.settle();
    const id = this.#opened ?? this.source.viewId;
    if (id === undefined) return false;
    return this.#replace(id, view).then(
      () => true,
      () => false,
    );
  }

  async redraw(view: ModalView): Promise<void> {
    const last = this.lastClicks.get(this.#opened ?? this.source.viewId ?? '');
    if (last === undefined || last === this.source) await this.update(view);
  }

  async #openNew(view: ModalView): Promise<void> {
    const { triggerId: trigger_id = '', hasFields } = this.source;
    const { views } = this.client;
    const { view: shown } = await (hasFields
      ? callSlack('views.push', () => views.push({ trigger_id, view }))
      : callSlack('views.open', () => views.open({ trigger_id, view })));
    this.#opened = shown?.id ?? this.#opened;
  }

  /** @throws slack-failed */
  async #replace(view_id: string, view: ModalView): Promise<void> {
    const call = () => callSlack('views.update', () => this.client.views.update({ view_id, view }));
    await retryRateLimited(call, MODAL_WAIT);
    this.isLoading = false;
  }
}
