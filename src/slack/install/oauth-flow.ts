import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CallbackOptions,
  type Installation,
  type InstallProvider,
  type InstallURLOptions,
  InvalidStateError,
  type StateStore,
} from '@slack/oauth';
import type { Logger } from 'pino';
import type { OAuthNonces } from '../../workspace/replay-protection.ts';
import type { CommandNames } from '../command-prefix.ts';
import {
  type BrowserRoutes,
  type HtmlPage,
  installedPage,
  landingPage,
  type PageRefusal,
  type RouteHandler,
  refusalPage,
  sendPage,
} from './pages.ts';

/** How long an installation may take between Tally's page and Slack's redirect, in s. */
const STATE_LIFETIME = 600;

/** States are `<expiry, in s since the epoch>-<random>.<signature>`; the store remembers only those that were used. */
export function createStateStore(
  states: OAuthNonces,
  secret: string,
  options: InstallURLOptions,
): StateStore {
  const sign = (word: string): string => createHmac('sha256', secret).update(word).digest('base64url');
  return {
    async generateStateParam(_, now) {
      const word = `${secondsOf(now) + STATE_LIFETIME}-${randomBytes(24).toString('base64url')}`;
      return `${word}.${sign(word)}`;
    },
    async verifyStateParam(now, state) {
      const [word = '', signature = ''] = state.split('.');
      const left = isSame(signature, sign(word)) ? Number.parseInt(word, 10) - secondsOf(now) : 0;
      if (!(left > 0 && (await states.spend(word, left))))
        throw new InvalidStateError('The state was not issued, has expired or was used before.');
      return options;
    },
  };
}

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

function isSame(signature: string, expected: string): boolean {
  const [a, b] = [Buffer.from(signature), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export const STATE_COOKIE = 'tally-install';
export const INSTALL_PATH = '/slack/install';
export const REDIRECT_PATH = '/slack/oauth_redirect';

/** The two pages of an installation: where it begins, and where Slack sends the browser back to. */
export function createOAuthFlow({
  provider,
  options,
  publicUrl,
  slack,
  welcome,
  names,
  log,
}: {
  /** Slack's installer, which reads the state from the cookie `STATE_COOKIE`. */
  readonly provider: InstallProvider;
  readonly options: InstallURLOptions;
  readonly publicUrl: string;
  /** Scheme and host of Slack. */
  readonly slack: string;
  /** Runs after the page is sent. Never rejects. */
  readonly welcome: (installation: Installation) => Promise<void>;
  readonly names: CommandNames;
  readonly log: Logger;
}): BrowserRoutes {
  const send = (res: ServerResponse, shown: HtmlPage) => sendPage(res, shown, names);
  const again = `${publicUrl}${INSTALL_PATH}`;
  const secure = publicUrl.startsWith('https:') ? ' Secure;' : '';

  const begin: RouteHandler = async (_, res) => {
    try {
      const state = await provider.stateStore?.generateStateParam(options, new Date());
      const address = await provider.generateInstallUrl(options, true, state);
      // Slack's page sends the browser back from another site: Lax is the strictest value that includes the cookie then.
      const cookie = `${STATE_COOKIE}=${state};${secure} HttpOnly; SameSite=Lax; Path=/; Max-Age=${STATE_LIFETIME}`;
      res.setHeader('set-cookie', cookie);
      send(res, landingPage(address));
    } catch (err) {
      log.error({ err }, 'Could not start an installation');
      send(res, refusalPage('ours', again));
    }
  };

  const complete: RouteHandler = async (req, res) => {
    let installed: Installation | undefined;
    const answers: CallbackOptions = {
      async successAsync(installation) {
        installed = installation as Installation;
        send(res, pageOf(installed, slack));
      },
      async failureAsync(error) {
        const reason = slackReason(req, error);
        const refusal = refusalOf(error, reason);
        log.warn({ refusal, ...(reason !== undefined && { reason }) }, 'An installation failed');
        send(res, refusalPage(refusal, again, refusal === 'slack' ? reason : undefined));
      },
    };
    await provider.handleCallback(req, res, answers);
    if (installed !== undefined) await welcome(installed);
  };

  return { [INSTALL_PATH]: begin, [REDIRECT_PATH]: complete };
}

function pageOf(installation: Installation, slack: string): HtmlPage {
  const { isEnterpriseInstall = false, enterprise, team, appId } = installation;
  const { name } = (isEnterpriseInstall ? enterprise : team) ?? {};
  const open =
    appId === undefined || team === undefined
      ? undefined
      : `${slack}/app_redirect?${new URLSearchParams({ app: appId, team: team.id })}`;
  return installedPage(name, isEnterpriseInstall, open);
}

/** @returns Slack's error code, from the redirect's query or from its answer to Tally */
function slackReason({ url = '' }: IncomingMessage, error: unknown): string | undefined {
  const inQuery = new URLSearchParams(url.split('?')[1] ?? '').get('error');
  const { data } = error as { data?: { error?: unknown } };
  const reason = inQuery ?? data?.error;
  return typeof reason === 'string' && /^[a-z_]{1,60}$/.test(reason) ? reason : undefined;
}

function refusalOf(error: { readonly code: string }, reason: string | undefined): PageRefusal {
  if (reason === 'access_denied') return 'denied';
  if (reason !== undefined || error.code.startsWith('slack_webapi_')) return 'slack';
  return /_(missing_state|invalid_state|missing_code)$/.test(error.code) ? 'state' : 'ours';
}
