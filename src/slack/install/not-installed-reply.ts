import type { Logger } from 'pino';
import { isFailure } from '../../domain/failure/index.ts';
import { escapeMessageText, type Message, section } from '../kit/atoms.ts';
import { modal } from '../kit/modal.ts';
import type { ResponseUrlClient } from '../response-url.ts';

/** How a person learns of it when Tally has no token to say it with. */
export interface NotInstalledReply {
  /** Writes down that this payload was refused; where nothing but its reply address is left, answers there. */
  remember(body: object | undefined, error: unknown, workspace: string | undefined): void;
  /** What Slack's acknowledgement of this payload carries: a command's reply, a form's next view. */
  acknowledgement(body: object): object | undefined;
}

interface Payload {
  readonly command?: string;
  readonly type?: string;
  readonly response_url?: string;
}

/** @param page where Tally is installed */
export function createNotInstalledReply(
  page: string,
  parts: { responder: ResponseUrlClient; log: Logger },
): NotInstalledReply {
  const { responder, log } = parts;
  const refused = new WeakMap<object, Message>();

  return {
    remember(body, error, workspace) {
      log.warn({ err: error, workspace, ...reasonOf(error) }, 'a request of Slack’s has no installation');
      if (body === undefined) return;
      const message = sorryMessage(error, page);
      refused.set(body, message);
      const { type, response_url } = body as Payload;
      if (type !== 'block_actions' || response_url === undefined) return;
      responder
        .post(response_url, message)
        .catch((err: unknown) => log.error({ err }, 'a reply could not be delivered'));
    },
    acknowledgement(body) {
      const message = refused.get(body);
      const { command, type } = body as Payload;
      if (message === undefined) return undefined;
      if (command !== undefined) return { response_type: 'ephemeral', ...escapeMessageText(message) };
      if (type !== 'view_submission') return undefined;
      const view = modal({ title: 'That did not work', blocks: message.blocks });
      return { response_action: 'update', view };
    },
  };
}

const reasonOf = (error: unknown) =>
  isFailure(error) && error.kind === 'unseal-failed' ? { reason: error.reason } : {};

function sorryMessage(error: unknown, page: string): Message {
  const again = `Whoever may install apps in this workspace can install Tally again: ${page}`;
  const kind = isFailure(error) ? error.kind : undefined;
  const text =
    kind === 'not-installed' && error instanceof Error
      ? `${error.message} ${again}`
      : kind === 'unseal-failed'
        ? `Tally cannot open what it keeps of its installation here, so it did not use it. ${again}`
        : kind === 'store-unavailable' && error instanceof Error
          ? `${error.message} Nothing was changed. Try again in a minute.`
          : 'Something went wrong that Tally did not expect. Whoever runs the bot finds it in the log.';
  return { text, blocks: [section(text)] };
}
