/** Replies to a payload with messages, modals, files, or Home. */
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
import { createDelayed, type OutgoingFile, ReplySender, retryRateLimited } from './reply-sender.ts';

/** A message or modal replaces the one before. Methods that send call `confirm` first, and can throw slack-failed. */
export interface Reply {
  readonly source: Source;
  readonly client: WebClient;
  readonly modal: ModalReply;
  as(source: Source, terms?: ReplyTerms): Reply;
  /** @throws if the readers may no longer see the answer */
  confirm(): Promise<void>;
  /** Replaces the clicked message, or answers privately or publicly, as the settings say. @throws cannot-post */
  update(message: Message): Promise<void>;
  private(message: Message): Promise<void>;
  public(to: SlackId, message: Message): Promise<PostedTo>;
  /** @returns whether the file is in the public answer's thread; otherwise it is in the user's direct messages */
  file(file: OutgoingFile): Promise<boolean>;
  home(blocks: readonly Block[]): Promise<void>;
  /** Where the last message is. Undefined if Slack doesn't say, or if only the user sees the message. */
  posted(): PostedTo | undefined;
  /** Shows a loading message, unless the answer is sent within `delay` ms. */
  startLoadingMessage(delay: Millis, mayReplace: boolean): void;
  /** Opens a loading modal, unless the form is opened within `delay` ms. */
  startLoadingView(delay: Millis): void;
  endLoading(): Promise<void>;
}

interface ModalReply {
  /** False after a message, because Slack opens a modal only after a click or a slash command. */
  readonly canOpen: boolean;
  isShown(): Promise<boolean>;
  /** Opens the modal above a form, keeping input, or in place of another modal. Unless `canOpen`, sends a button. */
  open(view: ModalView): Promise<void>;
  /** If the user has closed the modal, sends `fallback` as a direct message. */
  update(view: ModalView, fallback?: Message): Promise<boolean>;
  show(title: string, message: Message, ...more: readonly Block[]): Promise<void>;
  /** Draws the form again, unless the user has since clicked in the form. */
  redraw(view: ModalView): Promise<void>;
}

interface ReplyTerms {
  readonly audience?: Audience;
  readonly command?: Command | undefined;
  /** @throws if the readers may no longer see the answer */
  readonly confirm?: () => Promise<void>;
}

/** The last click in each modal, by `view_id`. Only the work of the last click may draw a form again. */
export type LastClicks = LRUCache<string, Source>;
export const createLastClicks = (): LastClicks => new LRUCache({ max: 1_000 });

export function createReply(
  services: Pick<SlackServices, 'responseUrls' | 'log'> & { readonly lastClicks: LastClicks },
  source: Source,
  client: WebClient,
): Reply {
  const messages = new ReplySender(services, source, client);
  const view = new ReplyModal(source, client, services.lastClicks);
  const as: Reply['as'] = (known, { audience = 'asker', command, confirm = async () => undefined } = {}) => {
    const { channel, responseUrl, replaces } = known;
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
  messages: ReplySender,
  { command, confirm }: Pick<ReplyTerms, 'command'> & Required<Pick<ReplyTerms, 'confirm'>>,
  sendPrivate: Reply['private'],
): ModalReply {
  const canOpen = (viewId ?? triggerId ?? '') !== '';
  const update: ModalReply['update'] = async (shown, fallback) => {
    await confirm();
    const isShown = await view.update(shown);
    if (!isShown && fallback !== undefined) await messages.sendDirectly(fallback);
    return isShown;
  };
  return {
    canOpen,
    async isShown() {
      await view.settle();
      return view.isOpened;
    },
    async open(shown) {
      await view.settle();
      if (!canOpen && command !== undefined) return sendPrivate(openFormMessage(command));
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

/** Slack can't open a modal after a mention or a message, but it can after a click on this button. */
function openFormMessage(command: Command): Message {
  const text = 'Click to open the form:';
  const buttons = commandButton('form', 'Open the form…', command, { style: 'primary' });
  return { text, blocks: [section(text), actions(...buttons)] };
}

const ANSWERED_VIEW: ModalView = modal({
  title: 'Tally',
  blocks: [section('Tally answered in the conversation. You can close this window.')],
});

const LOADING_VIEW: ModalView = modal({ title: 'Tally', blocks: [section('Loading…')] });

const MODAL_WAIT_SECONDS = 3;

class ReplyModal {
  isLoading = false;
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

  async open(view: ModalView): Promise<void> {
    await this.settle();
    const { hasFields, viewId } = this.source;
    const current = this.#opened ?? (hasFields ? undefined : viewId);
    if (current === undefined) return this.#openNew(view);
    await this.#replace(current, view);
    this.#opened = current;
  }

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

  async #replace(view_id: string, view: ModalView): Promise<void> {
    const call = () => callSlack('views.update', () => this.client.views.update({ view_id, view }));
    await retryRateLimited(call, MODAL_WAIT_SECONDS);
    this.isLoading = false;
  }
}
