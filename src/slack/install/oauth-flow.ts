import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Installation,
  type InstallProvider,
  type InstallURLOptions,
  InvalidStateError,
  type StateStore,
} from '@slack/oauth';
import type { Logger } from 'pino';
import { StoreUnavailable } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { OAuthNonces } from '../../workspace/once/replay-protection.ts';
import { appLink } from '../app-link.ts';
import type { CommandNames } from '../command-names.ts';
import {
  type BrowserRoutes,
  donePage,
  type HtmlPage,
  landingPage,
  type PageRefusal,
  type RouteHandler,
  refusalPage,
  sendPage,
} from './pages.ts';
import { createCallbackThrottle, networkOf } from './throttle.ts';

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

export const INSTALL_PATH = '/slack/install';
export const REDIRECT_PATH = '/slack/oauth_redirect';

export interface OAuthFlowParts {
  /** Slack's installer, which reads the state from this cookie. */
  readonly providerWith: (cookie: string) => InstallProvider;
  readonly options: InstallURLOptions;
  /** The bot's own address, without a slash at the end. */
  readonly publicUrl: string;
  /** Scheme and host of Slack. */
  readonly slack: string;
  /** Runs after the page is sent. Never rejects. */
  readonly welcome: (installation: Installation) => Promise<void>;
  readonly names: CommandNames;
  readonly log: Logger;
  readonly clock: () => Millis;
}

/** The two pages of an installation: where it begins, and where Slack sends the browser back to. */
export function createOAuthFlow({
  providerWith,
  options,
  publicUrl,
  slack,
  welcome,
  names,
  log,
  clock,
}: OAuthFlowParts): BrowserRoutes {
  const send = (res: ServerResponse, shown: HtmlPage) => sendPage(res, shown, names);
  const throttle = createCallbackThrottle(clock);
  const again = `${publicUrl}${INSTALL_PATH}`;
  const secure = publicUrl.startsWith('https:') ? ' Secure;' : '';

  const begin: RouteHandler = async (_, res) => {
    try {
      const provider = providerWith('');
      const state = await provider.stateStore?.generateStateParam(options, new Date());
      const address = await provider.generateInstallUrl(options, true, state);
      // Slack's page sends the browser back from another site: Lax is the strictest value that includes the cookie then.
      const cookie = `${cookieOf(state)}=${state};${secure} HttpOnly; SameSite=Lax; Path=/; Max-Age=${STATE_LIFETIME}`;
      res.setHeader('set-cookie', cookie);
      send(res, landingPage(address));
    } catch (err) {
      log.error({ err }, 'Could not start an installation');
      send(res, refusalPage(err instanceof StoreUnavailable ? 'store' : 'unknown', again));
    }
  };

  const complete: RouteHandler = async (req, res) => {
    let installed: Installation | undefined;
    const { searchParams } = new URL(req.url ?? '', publicUrl);
    // Before the state is used up, so that reloading the page later completes the installation.
    const wait = searchParams.has('code') ? throttle(networkOf(req)) : undefined;
    if (wait !== undefined) {
      log.warn('Postponed an installation: too many at once');
      res.setHeader('retry-after', wait);
      return send(res, refusalPage('busy', again));
    }
    await providerWith(cookieOf(searchParams.get('state') ?? '')).handleCallback(req, res, {
      async successAsync(installation) {
        installed = installation as Installation;
        send(res, donePage({ ...nameOf(installed), open: addressOf(slack, installed) }));
      },
      async failureAsync(error) {
        const reason = slackReason(req, error);
        const refusal = refusalOf(error, reason);
        log.warn({ refusal, ...(reason !== undefined && { reason }) }, 'An installation failed');
        send(res, refusalPage(refusal, again, refusal === 'slack' ? reason : undefined));
      },
    });
    if (installed !== undefined) await welcome(installed);
  };

  return { [INSTALL_PATH]: begin, [REDIRECT_PATH]: complete };
}

/** One cookie per state, so that a second tab doesn't overwrite the first one's. */
const cookieOf = (state = ''): string => `tally-install-${/^\d+-([\w-]{12})/.exec(state)?.[1] ?? 'none'}`;

const nameOf = ({ isEnterpriseInstall = false, enterprise, team }: Installation) => ({
  name: isEnterpriseInstall ? enterprise?.name : team?.name,
  organisation: isEnterpriseInstall,
});

function addressOf(slack: string, { appId, team }: Installation): string | undefined {
  if (appId === undefined || team === undefined) return undefined;
  return appLink(slack, appId, team.id);
}

/** @returns Slack's error code, from the redirect's query or from its answer to Tally */
function slackReason({ url = '' }: IncomingMessage, error: unknown): string | undefined {
  const inQuery = new URLSearchParams(url.split('?')[1] ?? '').get('error');
  const { data } = error as { data?: { error?: unknown } };
  const reason = inQuery ?? data?.error;
  return typeof reason === 'string' && /^[a-z_]{1,60}$/.test(reason) ? reason : undefined;
}

function refusalOf(error: { readonly code: string }, reason: string | undefined): PageRefusal {
  if (error instanceof StoreUnavailable) return 'store';
  if (reason === 'access_denied') return 'denied';
  if (reason !== undefined || error.code.startsWith('slack_webapi_')) return 'slack';
  return /_(missing_state|invalid_state|missing_code)$/.test(error.code) ? 'state' : 'unknown';
}
