import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import {
  type Installation,
  type InstallProvider,
  type InstallURLOptions,
  InvalidStateError,
  type StateStore,
} from '@slack/oauth';
import type { Logger } from 'pino';
import { StoreUnavailable } from '../../domain/failure/index.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { isPublicAddress } from '../../http/address.ts';
import type { OAuthNonces } from '../../workspace/short-lived/replay-protection.ts';
import type { CommandNames } from '../command-prefix.ts';
import { appLink } from '../web-client.ts';
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

export const INSTALL_PATH = '/slack/install';
export const REDIRECT_PATH = '/slack/oauth_redirect';

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
}: {
  /** Slack's installer, which reads the state from this cookie. */
  readonly providerWith: (cookie: string) => InstallProvider;
  readonly options: InstallURLOptions;
  readonly publicUrl: string;
  /** Scheme and host of Slack. */
  readonly slack: string;
  /** Runs after the page is sent. Never rejects. */
  readonly welcome: (installation: Installation) => Promise<void>;
  readonly names: CommandNames;
  readonly log: Logger;
  readonly clock: () => Millis;
}): BrowserRoutes {
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
        send(res, pageOf(installed, slack));
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

function pageOf(installation: Installation, slack: string): HtmlPage {
  const { isEnterpriseInstall = false, enterprise, team, appId } = installation;
  const { name } = (isEnterpriseInstall ? enterprise : team) ?? {};
  const open = appId === undefined || team === undefined ? undefined : appLink(slack, appId, team.id);
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
  if (error instanceof StoreUnavailable) return 'store';
  if (reason === 'access_denied') return 'denied';
  if (reason !== undefined || error.code.startsWith('slack_webapi_')) return 'slack';
  return /_(missing_state|invalid_state|missing_code)$/.test(error.code) ? 'state' : 'unknown';
}

/** How many redirects from Slack a process accepts in `window` (ms). */
export const CALLBACK_LIMITS = { window: MINUTE, perAddress: 10, total: 60 } as const;

/**
 * A fixed window for all addresses bounds the memory to what one window accepts.
 * @param clock ms since the epoch
 * @returns a function that accepts a redirect, or returns the seconds to wait
 */
export function createCallbackThrottle(
  clock: () => Millis,
  limits: typeof CALLBACK_LIMITS = CALLBACK_LIMITS,
) {
  const counts = new Map<string, number>();
  let total = 0;
  let ends = 0;
  return (address: string): number | undefined => {
    const now = clock();
    if (now >= ends || ends - now > limits.window) {
      counts.clear();
      total = 0;
      ends = now + limits.window;
    }
    const count = counts.get(address) ?? 0;
    if (count >= limits.perAddress || total >= limits.total) return Math.ceil((ends - now) / 1000);
    counts.set(address, count + 1);
    total += 1;
    return undefined;
  };
}

/**
 * The network that a request came from. `X-Forwarded-For` counts only from a private address, which is the operator's own
 * proxy; anybody else could write anything into it.
 * @returns an IPv4 address, or the /64 prefix of an IPv6 address
 */
export function networkOf({ socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress ?? '';
  const forwarded = [headers['x-forwarded-for']].flat().at(-1)?.split(',').at(-1)?.trim() ?? '';
  const address = isIP(forwarded) !== 0 && !isPublicAddress(peer) ? forwarded : peer;
  return isIP(address) === 6 && !address.includes('.')
    ? prefixOf(address)
    : (address.split(':').at(-1) ?? '');
}

function prefixOf(address: string): string {
  const [head = '', tail] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(zeros).fill('0'), ...(tail ?? [])].slice(0, 4).join(':');
}
