/** OAuth v2: Slack's consent page, codes and tokens. Source: docs.slack.dev/authentication. */
import { randomBytes } from 'node:crypto';
import type { Loose } from './blocks.ts';
import type { Manifest } from './manifest.ts';
import type { Workspace } from './workspace.ts';

export interface OAuthOptions {
  clientId: string;
  clientSecret: string;
}

interface Grant {
  workspace: Workspace;
  person: string;
  scope: string;
  redirectUri: string;
  until: number;
  isUsed: boolean;
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
  expires_in?: number;
}

type Redeemed = { workspace: Workspace; tokens: Tokens } & Partial<Pick<Grant, 'person' | 'scope'>>;

type Reply = { status: number; html: string } | { redirect: string };

const CODE_LIFE = 10 * 60_000;

/** Real Slack redirects only to registered URLs; the sandbox redirects only to this machine. */
const LOOPBACK_URL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\//;

export class OAuth {
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Map<string, Workspace>();
  readonly #refreshTokens = new Map<string, Workspace>();
  /** Everything secret that was ever issued. */
  readonly secrets: string[] = [];

  constructor(
    readonly options: OAuthOptions,
    readonly now: () => number,
    readonly workspaces: readonly Workspace[],
    readonly manifest: Manifest,
  ) {}

  /** @returns a code that is valid once, for ten minutes, and only with its redirect URI */
  allow(workspace: Workspace, person: string, scope: string, redirectUri = ''): string {
    const code = this.#secret('code-');
    const until = this.now() + CODE_LIFE;
    this.#grants.set(code, { workspace, person, scope, redirectUri, until, isUsed: false });
    return code;
  }

  /** Answers `oauth.v2.access`. @returns Slack's error code if the code or the refresh token is refused */
  redeem({ client_id, client_secret, code, redirect_uri: uri, ...rest }: Loose): Redeemed | string {
    if (client_id !== this.options.clientId) return 'invalid_client_id';
    if (client_secret !== this.options.clientSecret) return 'bad_client_secret';
    if (rest.grant_type === 'refresh_token') return this.#refresh(String(rest.refresh_token));
    const grant = this.#grants.get(String(code));
    if (!grant) return 'invalid_code';
    if (grant.isUsed) return 'code_already_used';
    if (this.now() > grant.until) return 'code_expired';
    if (uri && grant.redirectUri && uri !== grant.redirectUri) return 'bad_redirect_uri';
    grant.isUsed = true;
    grant.workspace.isInstalled = true;
    grant.workspace.changed();
    return { ...grant, tokens: this.#issue(grant.workspace) };
  }

  #refresh(token: string): Redeemed | string {
    const workspace = this.#refreshTokens.get(token);
    this.#refreshTokens.delete(token);
    return workspace ? { workspace, tokens: this.#issue(workspace) } : 'invalid_refresh_token';
  }

  /** An app that is installed again keeps its token. */
  #issue(workspace: Workspace): Tokens {
    const { expires } = workspace.team;
    const known = [...this.#tokens].find(([, owner]) => owner === workspace)?.[0];
    const access_token =
      (expires === undefined && known) || this.#secret(expires === undefined ? 'xoxb-' : 'xoxe.xoxb-1-');
    this.#tokens.set(access_token, workspace);
    if (expires === undefined) return { access_token };
    const refresh_token = this.#secret('xoxe-1-');
    this.#refreshTokens.set(refresh_token, workspace);
    return { access_token, refresh_token, expires_in: expires };
  }

  /** @param team for an organization's token, the workspace that the call is about */
  workspaceOf(token: string, team?: unknown): Workspace | undefined {
    const owner = this.#tokens.get(token);
    const isOfOwner = ({ enterprise }: Workspace['team']) => enterprise === owner?.team.enterprise;
    const named = this.workspaces.find((each) => each.team.id === team && isOfOwner(each.team));
    return (owner?.team.whole && named) || owner;
  }

  accept(token: string, workspace: Workspace): void {
    this.#tokens.set(token, workspace);
  }

  /** Revokes the tokens of a workspace or of an organization. */
  revoke(id: string): void {
    for (const [token, { team }] of this.#tokens)
      if (team.id === id || team.enterprise === id) this.#tokens.delete(token);
  }

  #secret(prefix: string): string {
    const made = `${prefix}${randomBytes(12).toString('hex')}`;
    this.secrets.push(made);
    return made;
  }

  authorize(query: URLSearchParams, fields?: Loose): Reply {
    const [clientId, redirectUri, scope, state] = ['client_id', 'redirect_uri', 'scope', 'state'].map(
      (name) => query.get(name) ?? '',
    ) as [string, string, string, string];
    const isKnown = scope.split(',').every((name) => this.manifest.scopes.has(name));
    if (clientId !== this.options.clientId) return problem('invalid_client_id: no app has this client ID.');
    if (!LOOPBACK_URL.test(redirectUri)) return problem('bad_redirect_uri: it must lead to this machine.');
    if (!isKnown) return problem('invalid_scope: some scopes aren’t in the manifest.');
    if (!fields) return this.#page(scope);
    const back = (answer: Record<string, string>) => ({
      redirect: `${redirectUri}?${new URLSearchParams({ ...answer, state })}`,
    });
    if (fields.answer !== 'allow') return back({ error: 'access_denied' });
    const [team, person = ''] = String(fields.who).split('/');
    const workspace = this.workspaces.find((each) => each.team.id === team);
    if (!workspace?.person(person)) return problem('Go back and choose who installs the app.');
    return back({ code: this.allow(workspace, person, scope, redirectUri) });
  }

  #page(scope: string): Reply {
    const { botName } = this.manifest;
    const groups = this.workspaces.map(({ team, people }) => {
      const choices = people
        .filter(({ role }) => ['owner', 'admin', 'member'].includes(role))
        .map(
          ({ id, realName, role }) =>
            `<label><input type="radio" name="who" value="${team.id}/${id}" required> ${realName} <small>${role}</small></label>`,
        );
      return `<fieldset><legend>${team.name}</legend>${choices.join('')}</fieldset>`;
    });
    const scopes = scope.split(',').map((name) => `<li><code>${name}</code></li>`);
    return page(
      200,
      `Install ${botName}?`,
      `<form method="post"><p>Install as:</p>${groups.join('')}
<p>${botName} will get these permissions:</p><ul>${scopes.join('')}</ul>
<button name="answer" value="allow">Allow</button> <button name="answer" value="cancel" formnovalidate>Cancel</button></form>`,
    );
  }
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:3rem auto;padding:0 1rem}
fieldset{border:1px solid #ddd;border-radius:8px;margin:0 0 1rem}label{display:block}`;

const page = (status: number, title: string, body: string): Reply => ({
  status,
  html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`,
});

/** @param text must not contain outside text, which could be HTML */
const problem = (text: string): Reply => page(400, 'Something is wrong with this link', `<p>${text}</p>`);
