/** OAuth v2: codes, tokens, rotation and revocation. Source: docs.slack.dev/authentication. */
import { randomBytes } from 'node:crypto';
import type { Team } from './teams.ts';

export interface OAuthOptions {
  clientId: string;
  clientSecret: string;
  /** Tokens expire after twelve hours and are renewed. */
  rotation?: boolean;
}

interface Grant {
  team: Team;
  /** Who allowed the app. */
  person: string;
  scope: string;
  redirectUri: string;
  until: number;
  isUsed: boolean;
}

interface Token {
  team: string;
  scope: string;
  /** ms since the epoch */
  until: number;
}

export type Granted =
  | { ok: true; team: Team; person: string; scope: string; tokens: OAuthTokens }
  | { ok: false; error: string };

export interface OAuthTokens {
  access: string;
  refresh?: string;
  /** Seconds. */
  expiresIn?: number;
}

const CODE_LIFE = 10 * 60_000;
const TOKEN_LIFE = 12 * 60 * 60_000;

const secret = (bytes: number) => randomBytes(bytes).toString('hex');

export class OAuth {
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Map<string, Token>();
  readonly #refreshes = new Map<string, { team: Team; scope: string }>();

  constructor(
    readonly options: OAuthOptions,
    readonly now: () => number,
  ) {}

  /** Every secret in use, to be masked in the traffic panel. */
  get secrets(): readonly string[] {
    return [
      this.options.clientSecret,
      ...this.#tokens.keys(),
      ...this.#refreshes.keys(),
      ...this.#codes.keys(),
    ];
  }

  knows(clientId: string): boolean {
    return clientId === this.options.clientId;
  }

  /** Returns Slack's error code, or undefined when the client ID and secret are right. */
  clientError(clientId: string, clientSecret: string): string | undefined {
    if (!this.knows(clientId)) return 'invalid_client_id';
    return clientSecret === this.options.clientSecret ? undefined : 'bad_client_secret';
  }

  allow(grant: Omit<Grant, 'until' | 'isUsed'>): string {
    const code = `${secret(6)}.${secret(16)}`;
    this.#codes.set(code, { ...grant, until: this.now() + CODE_LIFE, isUsed: false });
    return code;
  }

  /** A code is valid once, for ten minutes, with the redirect URI it was sent to. */
  redeem(code: string, redirectUri: string): Granted {
    const grant = this.#codes.get(code);
    if (!grant) return { ok: false, error: 'invalid_code' };
    if (grant.isUsed) return { ok: false, error: 'code_already_used' };
    if (this.now() > grant.until) return { ok: false, error: 'code_expired' };
    if (redirectUri !== '' && redirectUri !== grant.redirectUri)
      return { ok: false, error: 'bad_redirect_uri' };
    grant.isUsed = true;
    const { team, person, scope } = grant;
    return { ok: true, team, person, scope, tokens: this.#issue(team, scope) };
  }

  /** Who installed the app in this workspace last. */
  installerOf(team: string): string | undefined {
    return [...this.#codes.values()].findLast((grant) => grant.isUsed && grant.team.id === team)?.person;
  }

  /** A refresh token is valid once. The previous access token stays valid until it expires. */
  refresh(token: string): Omit<Extract<Granted, { ok: true }>, 'person'> | { ok: false; error: string } {
    const known = this.#refreshes.get(token);
    if (!known || !this.#refreshes.delete(token)) return { ok: false, error: 'invalid_refresh_token' };
    return { ok: true, ...known, tokens: this.#issue(known.team, known.scope) };
  }

  /** Returns the token's workspace, or Slack's error code. */
  teamOf(token: string): { team: string } | { error: string } {
    const known = this.#tokens.get(token);
    if (!known) return { error: 'invalid_auth' };
    return this.now() > known.until ? { error: 'token_expired' } : { team: known.team };
  }

  /** Revokes all tokens of this workspace. */
  revoke(team: string): void {
    for (const [token, grant] of this.#tokens) if (grant.team === team) this.#tokens.delete(token);
    for (const [token, refresh] of this.#refreshes)
      if (refresh.team.id === team) this.#refreshes.delete(token);
  }

  #issue(team: Team, scope: string): OAuthTokens {
    if (!this.options.rotation) {
      const access = this.currentToken(team.id) ?? `xoxb-sandbox-${secret(12)}`;
      this.#tokens.set(access, { team: team.id, scope, until: Number.POSITIVE_INFINITY });
      return { access };
    }
    const access = `xoxe.xoxb-1-${secret(16)}`;
    const refresh = `xoxe-1-${secret(16)}`;
    this.#tokens.set(access, { team: team.id, scope, until: this.now() + TOKEN_LIFE });
    this.#refreshes.set(refresh, { team, scope });
    return { access, refresh, expiresIn: TOKEN_LIFE / 1000 };
  }

  /** An app that is installed again keeps its token. */
  currentToken(team: string): string | undefined {
    return [...this.#tokens].find(([, grant]) => grant.team === team)?.[0];
  }
}
