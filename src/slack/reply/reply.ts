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
 * The ways to reply to one payload. It alone knows what is shown so far, whose place the next reply takes. Each way that
 * sends something first asks `confirm`, and throws slack-failed when Slack refuses it.
 */
export interface Reply {
  readonly source: Source;
  readonly client: WebClient;
  readonly modal: ModalReply;
  /**
   * The same reply for another source or audience.
   * @param source where the request came from, with what is known of it now
   */
  as(source: Source, terms?: ReplyTerms): Reply;
  /** Whether its readers may still see what was asked for. @throws what is said instead */
  confirm(): Promise<void>;
  /**
   * The answer: replaces the message whose button was clicked, or goes where it was asked, to the user or the channel
   * as the workspace's settings say. @throws cannot-post too
   */
  update(message: Message): Promise<void>;
  /** A message that only the user sees. Replaces nothing. @throws cannot-post too */
  private(message: Message): Promise<void>;
  /** A message for everyone in the channel, or for another person. @throws cannot-post too */
  public(to: SlackId, message: Message): Promise<PostedTo>;
  /**
   * A file, in the thread where a public answer goes or else in the user's conversation with Tally; needs the optional
   * scope files:write.
   * @returns whether it is in that thread
   */
  file(file: OutgoingFile): Promise<boolean>;
  home(blocks: readonly Block[]): Promise<void>;
  /** Where the last message is; undefined where Slack doesn't say it, or only one person of a channel sees it. */
  posted(): PostedTo | undefined;
  /** Says after `delay` ms that the answer takes longer, unless it was given. */
  startLoadingMessage(delay: Millis, mayReplace: boolean): void;
  /** Opens a loading view after `delay` ms unless the form is open. */
  startLoadingView(delay: Millis): void;
  /** Removes what says that Tally works, if no reply has replaced it. Never rejects. */
  endLoading(): Promise<void>;
}

interface ModalReply {
  /** Whether a modal can be opened: after a click or a slash command, not after a message. */
  readonly canOpen: boolean;
  /** Whether one was opened or replaced for this request, so that errors go there too. */
  isShown(): Promise<boolean>;
  /**
   * Opens a modal within 3 s of the click or command: on top of a form, which keeps what was typed, or in the place
   * of any other modal that the request came from. Where none can be opened, sends a button that opens it.
   */
  open(view: ModalView): Promise<void>;
  /**
   * Replaces the modal of this request.
   * @param fallback sent as a direct message if that fails, for example because the modal was closed
   * @returns whether it was replaced
   */
  update(view: ModalView, fallback?: Message): Promise<boolean>;
  /** The same with the message in a modal under this title. @param more blocks that make sense in the modal only */
  show(title: string, message: Message, ...more: readonly Block[]): Promise<void>;
  /** Draws the form as it is after a click or a choice, unless there was another click since. */
  redraw(view: ModalView): Promise<void>;
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

/** The last click in each modal, by `view_id`: only that one draws the form. */
export type LastClicks = LRUCache<string, Source>;
export const createLastClicks = (): LastClicks => new LRUCache({ max: 1_000 });

/** The reply to the sender alone. */
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
      ...{ source: known, client, as, confirm, posted: () => messages.posted },
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
        return postMessage(client, { channel: to, thread: undefined }, message);
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

/** The modal of a payload: the modal it came from, or a modal that its trigger opens. */
class ReplyModal {
  /** Whether the loading view is still what the modal shows. */
  isLoading = false;
  /** `view_id` of the modal that was opened or replaced for this request. */
  #opened: string | undefined;
  readonly #loading = createDelayed<void>();

  constructor(
    private readonly source: Source,
    private readonly client: WebClient,
    private readonly lastClicks: LastClicks,
  ) {
    // A search within a select changes nothing in the form.
    const isClick = source.via !== 'suggestions';
    if (isClick && source.viewId !== undefined) lastClicks.set(source.viewId, source);
  }

  get isOpened(): boolean {
    return this.#opened !== undefined;
  }

  /** Afterwards the loading view is open, or it will not be opened. */
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
