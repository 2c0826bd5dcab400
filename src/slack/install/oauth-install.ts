/** Installing Tally by OAuth: two pages in the browser, and the first message in Slack. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ClearStateStore,
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

export interface OAuthPages {
  readonly provider: InstallProvider;
  readonly options: InstallURLOptions;
  readonly installUrl: string;
  readonly slackOrigin: string;
  readonly welcome: (installation: Installation) => Promise<void>;
  readonly log: Logger;
}

export function createOAuthPages(pages: OAuthPages): BrowserRoutes {
  const { provider, options, installUrl, slackOrigin, welcome, log } = pages;
  const send = (res: ServerResponse, { status, html }: HtmlPage): void =>
    void res.writeHead(status, PAGE_HEADERS).end(html);

  const begin: RouteHandler = (req, res) => {
    res.setHeaders(new Headers(PAGE_HEADERS));
    return provider.handleInstallPath(req, res, {}, options);
  };
  const complete: RouteHandler = async (req, res) => {
    let installed: Installation | undefined;
    await provider.handleCallback(req, res, {
      async successAsync(installation) {
        installed = installation as Installation;
        send(res, installedPage(installed, slackOrigin));
      },
      async failureAsync(error) {
        const reason = slackReason(req, error);
        const isOldLink = reason === undefined && OLD_LINK.test(error.code);
        const refusal = reason === 'access_denied' ? 'denied' : isOldLink ? 'oldLink' : 'failed';
        log.warn({ refusal, ...(reason !== undefined && { reason }) }, 'An installation failed');
        send(res, refusalPage(refusal, installUrl, refusal === 'failed' ? reason : undefined));
      },
    });
    if (installed !== undefined) await welcome(installed);
  };
  return { [INSTALL_PATH]: begin, [REDIRECT_PATH]: complete };
}

function slackReason({ url = '' }: IncomingMessage, error: unknown): string | undefined {
  const inQuery = new URLSearchParams(url.split('?')[1] ?? '').get('error');
  const { data } = error as { data?: { error?: unknown } };
  const reason = inQuery ?? data?.error;
  return typeof reason === 'string' && /^[a-z_]{1,60}$/.test(reason) ? reason : undefined;
}

/** The installer's error codes for a link that was used before, has expired, or is from another browser. */
const OLD_LINK = /_(missing_state|invalid_state|missing_code)$/;

/** Untrusted values in `html` are escaped. */
interface HtmlPage {
  readonly status: number;
  readonly html: string;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d1c1d; --soft: #5b6770; --paper: #fff; --ground: #eef2f5; --line: #d9e0e5; --brand: #1f3a4d; --onbrand: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf0; --soft: #9fb0bb; --paper: #182530; --ground: #0f1920; --line: #2b3d4a; --brand: #9ccbe8; --onbrand: #0f1920; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 6vh 1rem; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: 2rem 2.25rem 1.75rem; background: var(--paper); border: 1px solid var(--line); border-radius: 12px; }
.brand { margin: 0; font-weight: 700; color: var(--brand); }
h1 { margin: .25rem 0 1rem; font-size: 1.6rem; line-height: 1.25; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--ground); padding: .1em .35em; border-radius: 4px; overflow-wrap: anywhere; }
.button { display: inline-block; margin: .5rem 0; padding: .65rem 1.25rem; background: var(--brand); color: var(--onbrand); border-radius: 8px; font-weight: 600; text-decoration: none; }
.button:hover { filter: brightness(1.12); }
.button:focus-visible { outline: 3px solid var(--soft); outline-offset: 2px; }
.small { margin: 1.5rem 0 0; font-size: .875rem; color: var(--soft); }
@media (max-width: 30rem) { main { padding: 1.5rem 1.25rem; } }
`;

/** A page allows no scripts and sends no referrer, because its URL contains the OAuth code. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

export const landingPage = (authorizeUrl: string): string =>
  htmlPage(
    'Add Tally to Slack',
    `<p>Tally answers in Slack what your cloud projects have left, what they spent, and how long that will last.</p>
<p><a class="button" href="${escapeHtml(authorizeUrl)}">Add to Slack</a></p>
<p>Then Tally sends you a message with the first steps: an admin connects it to the billing service with <code>${commandText('/billing connect')}</code>. Tally reads messages that mention it or are sent to it. It reads figures and never moves money.</p>
<p class="small">The button works for ten minutes, in this browser. When you remove Tally from a workspace, it deletes everything it stored for that workspace.</p>`,
  );

function installedPage(installation: Installation, slackOrigin: string): HtmlPage {
  const { isEnterpriseInstall = false, enterprise, team, appId } = installation;
  const { name } = (isEnterpriseInstall ? enterprise : team) ?? {};
  const where = name === undefined ? '' : ` in ${escapeHtml(name)}`;
  const open =
    appId === undefined || team === undefined
      ? ''
      : `<p><a class="button" href="${escapeHtml(`${slackOrigin}/app_redirect?${new URLSearchParams({ app: appId, team: team.id })}`)}">Open Slack</a></p>`;
  const first = isEnterpriseInstall
    ? '<p>Choose the workspaces for Tally in your organization’s settings in Slack, under Integrations.</p>\n'
    : '';
  const html = htmlPage(
    'Tally is installed',
    `<p>Tally is installed${where}. You’ll find the first steps there, in a direct message.</p>
${open}
${first}<p class="small">You can close this page.</p>`,
  );
  return { status: 200, html };
}

const REFUSALS = {
  denied: {
    status: 200,
    title: 'Tally wasn’t installed',
    says: 'You canceled, or your workspace doesn’t allow this app. Nothing was saved.',
  },
  oldLink: {
    status: 400,
    title: 'This link no longer works',
    says: 'It works once, for ten minutes, in the browser where you opened it. If you already used it, Tally is installed: look for its message in Slack.',
  },
  failed: {
    status: 502,
    title: 'Tally can’t be installed right now',
    says: 'Nothing was saved. Try again in a minute. If it keeps happening, ask your operator to check Tally’s log.',
  },
} as const;

function refusalPage(refusal: keyof typeof REFUSALS, installUrl: string, reason?: string): HtmlPage {
  const { status, title, says } = REFUSALS[refusal];
  const slackSays = reason === undefined ? '' : `<p>Slack’s reason: <code>${escapeHtml(reason)}</code></p>`;
  const button = `<p><a class="button" href="${escapeHtml(installUrl)}">Start again</a></p>`;
  return { status, html: htmlPage(title, `<p>${says}</p>${slackSays}${button}`) };
}

const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="brand">Tally</p>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');

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

/** The returned function never rejects, because Tally is already installed. */
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
