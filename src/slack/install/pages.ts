import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { commandText } from '../../domain/command-names.ts';
import type { CommandNames } from '../command-prefix.ts';

/** Answers one request of a browser. Never rejects. */
export type RouteHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Pages for people: path of a `GET` → its handler. */
export type BrowserRoutes = Readonly<Record<string, RouteHandler>>;

/** A page for a person's browser. Everything from outside goes through `escapeHtml`. */
export interface HtmlPage {
  readonly status: number;
  readonly html: string;
}

/** Why an installation did not happen. */
export type PageRefusal = 'denied' | 'state' | 'slack' | 'ours';

/** The style of all pages; the content security policy names its hash. */
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

/** Allows no scripts, foreign resources or frames, and sends no referrer, because the URL contains a code. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

export function sendPage(
  res: ServerResponse,
  { status, html }: HtmlPage,
  names: Pick<CommandNames, 'inText'>,
): void {
  res.writeHead(status, PAGE_HEADERS).end(names.inText(html));
}

/** The page where an installation begins. @param address Slack's page that asks for the permissions */
export function landingPage(address: string): HtmlPage {
  return htmlPage(
    200,
    'Add Tally to Slack',
    `<p>Tally answers in Slack what your cloud projects have left, what they spent, and how long that will last.</p>
<p><a class="button" href="${escapeHtml(address)}">Add to Slack</a></p>
<p>Then Tally sends you a message with the first steps: an admin connects it to the billing service with <code>${commandText('/billing connect')}</code>. Tally reads only messages that mention it or are sent to it. It reads figures and never moves money.</p>
<p class="small">The button works for ten minutes, in this browser. When you remove Tally from a workspace, it deletes everything it stored for that workspace.</p>`,
  );
}

/**
 * @param name the workspace's or organization's, as Slack has it
 * @param open Slack's address that opens the app; undefined when Slack didn't name it
 */
export function installedPage(
  name: string | undefined,
  isOrganization: boolean,
  open: string | undefined,
): HtmlPage {
  const where = name === undefined ? '' : ` in ${escapeHtml(name)}`;
  const first = isOrganization
    ? '<p>Choose the workspaces for Tally in your organization’s settings in Slack, under Integrations.</p>\n'
    : '';
  return htmlPage(
    200,
    'Tally is installed',
    `<p>Tally is installed${where}. You’ll find the first steps there, in a direct message.</p>
${open === undefined ? '' : `<p><a class="button" href="${escapeHtml(open)}">Open Slack</a></p>`}
${first}<p class="small">You can close this page.</p>`,
  );
}

const REFUSALS: Readonly<Record<PageRefusal, { status: number; title: string; says: string }>> = {
  denied: {
    status: 200,
    title: 'Tally wasn’t installed',
    says: 'You or a rule of your workspace declined on Slack’s page. Nothing was saved.',
  },
  state: {
    status: 400,
    title: 'This link no longer works',
    says: 'It works once, for ten minutes, in the browser where you opened it. If you already used it, Tally is installed: look for its message in Slack.',
  },
  slack: {
    status: 502,
    title: 'Slack didn’t complete the installation',
    says: 'Nothing was saved. Start again; that usually helps.',
  },
  ours: {
    status: 503,
    title: 'Tally can’t be installed right now',
    says: 'The error is ours, and nothing was saved. Try again in a minute; if it keeps happening, ask your admin to check Tally’s log.',
  },
};

/**
 * The page for an installation that did not happen.
 * @param again where to start again
 * @param reason Slack's error code
 */
export function refusalPage(refusal: PageRefusal, again: string, reason?: string): HtmlPage {
  const { status, title, says } = REFUSALS[refusal];
  const slackReason = reason === undefined ? '' : `<p>Slack’s reason: <code>${escapeHtml(reason)}</code></p>`;
  return htmlPage(
    status,
    title,
    `<p>${says}</p>${slackReason}<p><a class="button" href="${escapeHtml(again)}">Start again</a></p>`,
  );
}

/** @param title and body are HTML */
function htmlPage(status: number, title: string, body: string): HtmlPage {
  const html = `<!doctype html>
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
  return { status, html };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}
