import type { Installation } from '@slack/oauth';
import type { KnownBlock } from '@slack/types';
import type { Logger } from 'pino';
import { commandText } from '../../domain/command-names.ts';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { KEY_IS_GONE } from '../../workspace/credentials/credential-health.ts';
import type { Audit } from '../../workspace/record/audit.ts';
import {
  actions,
  button,
  context,
  escapeMessageText,
  header,
  type Message,
  markup,
  modal,
  refuseForm,
  textMessage,
} from '../block-kit/blocks.ts';
import type { ResponseUrlClient } from '../reply/message-calls.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import { installationId } from './installation-tokens.ts';

const FIRST_STEPS: Message = {
  text: 'Tally is installed. Three steps to the first answer.',
  blocks: [
    header('Tally is installed'),
    markup(
      [
        `*1.* An admin connects it to the billing service with a read-only access token: press *Connect* or type \`${commandText('/billing connect')}\`.`,
        `*2.* Ask what a project has left, by the ID on its project card: \`${commandText('/balance')} 123\``,
        `*3.* Ask what it spent: \`${commandText('/spend')} 123 last-7-days\``,
      ].join('\n'),
    ),
    actions(button('connect', 'Connect…', { style: 'primary' })),
    context(
      `Only you see an answer until you share it. \`${commandText('/billing help')}\` lists everything else.`,
    ),
  ],
};

/** Audits an installation and sends the first steps. Never rejects: Tally is installed already, so failures are only logged. */
export function createWelcome(
  audit: Audit,
  clientFor: (token: string) => WebClient,
  log: Logger,
  clock: () => Millis,
) {
  return async (installation: Installation): Promise<void> => {
    const { user, bot, isEnterpriseInstall } = installation;
    const workspace = installationId(installation);
    log.info({ workspace }, 'Tally was installed');
    const about = `for the ${isEnterpriseInstall === true ? 'organization' : 'workspace'}`;
    const outcomes = await Promise.allSettled([
      audit.record(workspace, { at: clock(), who: user.id, action: 'installed Tally', about }),
      callSlack('chat.postMessage', () =>
        clientFor(bot?.token ?? '').chat.postMessage({
          channel: user.id,
          ...(escapeMessageText(FIRST_STEPS) as { text: string; blocks: never[] }),
        }),
      ),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        log.error({ workspace, err: outcome.reason }, 'Could not audit or welcome a new installation');
    }
  };
}

/** Answers payloads for which there is no usable installation, and so no token. */
export interface NotInstalledReply {
  /** Logs why. A click is answered by its `response_url`, because its acknowledgement shows nothing. */
  refuse(body: object | undefined, error: unknown, workspace: string | undefined): void;
  /** @returns how to acknowledge a refused command or form; undefined for any other payload */
  acknowledgement(body: object): object | undefined;
}

interface Payload {
  readonly command?: string;
  readonly type?: string;
  readonly response_url?: string;
  readonly view?: { readonly blocks: readonly KnownBlock[] };
}

/** @param page where Tally is installed */
export function createNotInstalledReply(
  page: string,
  responseUrls: ResponseUrlClient,
  log: Logger,
): NotInstalledReply {
  const acknowledgements = new WeakMap<object, object>();
  return {
    refuse(body, error, workspace) {
      const about = { err: error, workspace };
      if (isFailure(error, 'not-installed')) log.warn(about, 'No installation for a request from Slack');
      else log.error(about, 'Could not look up an installation');
      if (body === undefined) return;
      const message = textMessage(notInstalledText(error, `An admin can install Tally again: ${page}`));
      const { command, type, response_url, view } = body as Payload;
      if (command !== undefined)
        acknowledgements.set(body, { response_type: 'ephemeral', ...escapeMessageText(message) });
      else if (type === 'view_submission') {
        const instead = modal({ title: 'That didn’t work', blocks: message.blocks });
        acknowledgements.set(body, refuseForm(view?.blocks ?? [], message.text, instead));
      } else if (response_url !== undefined)
        responseUrls
          .post(response_url, message)
          .catch((err: unknown) => log.error({ err, workspace }, 'Could not deliver a reply'));
    },
    acknowledgement: (body) => acknowledgements.get(body),
  };
}

function notInstalledText(error: unknown, installAgain: string): string {
  if (isFailure(error, 'unseal-failed') && error.data.reason !== 'malformed') return KEY_IS_GONE;
  if (isFailure(error, 'not-installed') || isFailure(error, 'unseal-failed'))
    return `${error.message} ${installAgain}`;
  const what = isFailure(error, 'store-unavailable') ? error.message : 'Something went wrong in Tally.';
  return `${what} Nothing was changed. Try again in a minute.`;
}
