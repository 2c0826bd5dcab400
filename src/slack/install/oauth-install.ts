/** Installing Tally by OAuth: the pages before and after Slack's, and the first message in Slack. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CallbackOptions,
  ClearStateStore,
  ErrorCode,
  type Installation,
  type InstallProvider,
  type InstallURLOptions,
  InvalidStateError,
  type StateStore,
} from '@slack/oauth';
import type { Logger } from 'pino';
import { commandText } from '../../domain/command-names.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Audit } from '../../workspace/record/audit.ts';
import type { OAuthNonces } from '../../workspace/replay-protection.ts';
import { actions, button, context, header, type Message, markup } from '../block-kit/blocks.ts';
import { postMessage } from '../reply/message-calls.ts';
import type { WebClient } from '../web-client.ts';
import { installationId } from './installation-tokens.ts';

const STATE_LIFETIME_SECONDS = 600;

/** Redis stores each OAuth `state` that was used, so that it works only once. */
export function createStateStore(nonces: OAuthNonces, secret: string): StateStore {
  const signed = new ClearStateStore(secret, STATE_LIFETIME_SECONDS);
  return {
    generateStateParam: (options, now) => signed.generateStateParam(options, now),
    async verifyStateParam(now, state) {
      const options = await signed.verifyStateParam(now, state);
      if (!(await nonces.spend(state.split('.').at(-1) ?? '', STATE_LIFETIME_SECONDS)))
        throw new InvalidStateError('The state was used before.');
      return options;
    },
  };
}

export const INSTALL_PATH = '/slack/install';
export const REDIRECT_PATH = '/slack/oauth_redirect';

type RouteHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export type BrowserRoutes = Readonly<Record<string, RouteHandler>>;

/** A page runs no script and sends no referrer, because its URL contains the OAuth code. */
const PAGE_HEADERS = new Headers({
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});

const OLD_LINK = 'This link was used before, is older than ten minutes, or was opened in another browser.';
/** Why Tally wasn't installed, where the person who opened the page can try again. */
const NOT_INSTALLED: Readonly<Record<string, string>> = {
  [ErrorCode.AuthorizationError]: 'It was cancelled in Slack.',
  [ErrorCode.MissingStateError]: OLD_LINK,
  [ErrorCode.InvalidStateError]: OLD_LINK,
};

const failure: CallbackOptions['failure'] = ({ code }, _, __, res) => {
  const why = NOT_INSTALLED[code];
  const text = `Tally wasn’t installed. ${why ?? 'Slack or Tally had a problem.'} To try again, open ${INSTALL_PATH} here.`;
  res.writeHead(why === undefined ? 500 : 400, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
};

export const createOAuthPages = (provider: InstallProvider, options: InstallURLOptions): BrowserRoutes => ({
  [INSTALL_PATH]: (req, res) =>
    provider.handleInstallPath(req, res.setHeaders(PAGE_HEADERS), undefined, options),
  [REDIRECT_PATH]: (req, res) => provider.handleCallback(req, res.setHeaders(PAGE_HEADERS), { failure }),
});

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

/** The returned function never rejects: if a step fails, Tally is installed all the same. */
export const createWelcome =
  (audit: Audit, clientOf: (token: string) => WebClient, log: Logger, clock: () => Millis) =>
  async (installation: Installation): Promise<void> => {
    const { user, bot, isEnterpriseInstall } = installation;
    const workspace = installationId(installation);
    log.info({ workspace }, 'Tally was installed');
    const about = `for the ${isEnterpriseInstall === true ? 'organization' : 'workspace'}`;
    const results = await Promise.allSettled([
      audit.record(workspace, { at: clock(), who: user.id, action: 'installed Tally', about }),
      postMessage(clientOf(bot?.token ?? ''), { channel: user.id }, FIRST_STEPS),
    ]);
    for (const result of results)
      if (result.status === 'rejected')
        log.error({ workspace, err: result.reason }, 'Could not audit or welcome a new installation');
  };
