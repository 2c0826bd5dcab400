/** Slack's OAuth consent page, `GET /oauth/v2/authorize`, and its submission. */
import type { Person } from '../protocol.ts';
import type { OAuth } from './oauth.ts';
import type { Team } from './teams.ts';

export interface InstallableTeam {
  team: Team;
  /** The people who can install apps. */
  people: readonly Person[];
}

export interface AuthorizeParts {
  oauth: OAuth;
  botName: string;
  teams: () => readonly InstallableTeam[];
  /** The scopes in the app's manifest; no others can be granted. */
  scopes: ReadonlySet<string>;
}

export type AuthorizeReply = { status: number; html: string } | { redirect: string };

/** Slack redirects only to registered URLs; the sandbox only to this machine. */
const LOOPBACK_URL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\//;

interface AuthorizeRequest {
  clientId: string;
  redirectUri: string;
  scope: string;
  state: string;
}

function requestOf(query: URLSearchParams): AuthorizeRequest {
  const get = (name: string) => query.get(name) ?? '';
  return {
    clientId: get('client_id'),
    redirectUri: get('redirect_uri'),
    scope: get('scope'),
    state: get('state'),
  };
}

export function authorizePage(query: URLSearchParams, parts: AuthorizeParts): AuthorizeReply {
  const request = requestOf(query);
  const problem = problemOf(request, parts);
  if (problem !== undefined)
    return { status: 400, html: page('Something is wrong with this link', paragraph(problem)) };
  const groups = parts
    .teams()
    .map(
      ({ team, people }) =>
        `<fieldset><legend>${escapeHtml(team.name)}</legend>${people.map((person) => choice(team, person)).join('')}</fieldset>`,
    );
  const scopes = request.scope.split(',').map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`);
  const body = `<form method="post">
<p>Install as:</p>${groups.join('')}
<p>${escapeHtml(parts.botName)} will get these permissions:</p><ul>${scopes.join('')}</ul>
<button name="answer" value="allow">Allow</button> <button name="answer" value="cancel" formnovalidate>Cancel</button>
</form>`;
  return { status: 200, html: page(`${escapeHtml(parts.botName)} wants to be installed`, body) };
}

/** @param fields the submitted form */
export function authorizeAnswer(
  query: URLSearchParams,
  fields: Readonly<Record<string, unknown>>,
  parts: AuthorizeParts,
): AuthorizeReply {
  const request = requestOf(query);
  const problem = problemOf(request, parts);
  if (problem !== undefined)
    return { status: 400, html: page('Something is wrong with this link', paragraph(problem)) };
  const { redirectUri, state, scope } = request;
  if (fields.answer !== 'allow')
    return { redirect: callbackUrl(redirectUri, { error: 'access_denied', state }) };
  const [teamId, person] = String(fields.who ?? '').split('/');
  const resident = parts.teams().find(({ team }) => team.id === teamId);
  if (!resident?.people.some(({ id }) => id === person) || person === undefined)
    return {
      status: 400,
      html: page('Choose a person', paragraph('Go back and choose who installs the app.')),
    };
  const code = parts.oauth.allow({ team: resident.team, person, scope, redirectUri });
  return { redirect: callbackUrl(redirectUri, { code, state }) };
}

function problemOf(
  { clientId, redirectUri, scope }: AuthorizeRequest,
  { oauth, scopes }: AuthorizeParts,
): string | undefined {
  if (!oauth.knows(clientId)) return 'invalid_client_id: no app has this client ID.';
  if (!LOOPBACK_URL.test(redirectUri)) return 'bad_redirect_uri: the sandbox only redirects to this machine.';
  const asked = scope.split(',').filter(Boolean);
  if (asked.length === 0) return 'no_scopes: the link asks for no scopes.';
  const unknown = asked.filter((scope) => scopes.size > 0 && !scopes.has(scope));
  return unknown.length > 0 ? `invalid_scope: not in the manifest: ${unknown.join(', ')}.` : undefined;
}

function callbackUrl(redirectUri: string, parameters: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

const choice = (team: Team, { id, realName, role }: Person) =>
  `<label><input type="radio" name="who" value="${team.id}/${id}" required> ${escapeHtml(realName)} <small>${role}</small></label>`;

const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:3rem auto;padding:0 1rem;color:#1d1c1d}
fieldset{border:1px solid #ddd;border-radius:8px;margin:0 0 1rem}label{display:block;padding:.2rem 0}small{color:#616061}
button{font:inherit;padding:.5rem 1.2rem;border-radius:6px;border:1px solid #bbb;background:#fff;cursor:pointer}
button[value=allow]{background:#007a5a;border-color:#007a5a;color:#fff}`;

const page = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
