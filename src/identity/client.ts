import {
  AccessNotFound,
  AccessRefused,
  type Failure,
  InvalidResponse,
  InvalidWord,
  isFailure,
  OutcomeUnclear,
  ProjectDisabled,
  ServiceFailed,
  WrongIdentityUrl,
} from '../domain/failure/index.ts';
import type { GuardedHttp, ServiceResponse, Tenant } from '../http/request.ts';
import { suggestAuthUrl } from './auth-url.ts';
import { parseIdentityError, parseTokenBody, type TokenBody } from './token-body.ts';

export type { Tenant } from '../http/request.ts';

/** `authUrl` as `parseAuthUrl` gives it; `id` and `secret` are the application access's. */
export interface ApplicationAccess {
  readonly authUrl: string;
  readonly id: string;
  readonly secret: string;
}

export type Revocation = 'revoked' | 'already-dead' | 'not-offered' | 'refused';

export interface IssuedToken extends TokenBody {
  /** A bearer secret: for the one who asked, and never stored. */
  readonly token: string;
}

/**
 * The identity service. All reject with what {@link GuardedHttp.request} rejects with, and with WrongIdentityUrl,
 * ServiceFailed (another 4xx), InvalidWord (a token that no header can carry).
 */
export interface IdentityClient {
  /**
   * Asks once and never again by itself: a second request may issue a second token.
   * @throws {AccessRefused} (401, 403) {@link AccessNotFound} {@link ProjectDisabled} (404)
   * {@link InvalidResponse} (success without a token) {@link OutcomeUnclear}
   */
  issue(access: ApplicationAccess, tenant: Tenant): Promise<IssuedToken>;
  check(authUrl: string, token: string, tenant: Tenant): Promise<'valid' | 'dead' | 'not-offered'>;
  /** `refused` (401) where the service still accepts the token, or cannot be asked whether it does. */
  revoke(authUrl: string, token: string, tenant: Tenant): Promise<Revocation>;
}

export function createIdentity({ http }: { http: GuardedHttp }): IdentityClient {
  async function issue({ authUrl, id, secret }: ApplicationAccess, tenant: Tenant): Promise<IssuedToken> {
    let sent = false;
    const reply = await http
      .request({
        service: 'identity',
        method: 'POST',
        url: tokensOf(authUrl),
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({
          auth: {
            identity: { methods: ['application_credential'], application_credential: { id, secret } },
          },
        }),
        tenant,
        tries: 1,
        headersSuffice: true,
        onSending: () => {
          sent = true;
        },
      })
      .catch((error) => {
        throw isFailure(error) ? missed(error, authUrl, sent) : error;
      });
    if (reply.status >= 400) throw refusal(reply, authUrl);
    return { token: tokenIn(reply), ...parseTokenBody(reply.text) };
  }

  /** The token speaks for itself: no other right is needed. */
  function about(
    method: 'GET' | 'DELETE',
    authUrl: string,
    token: string,
    tenant: Tenant,
  ): Promise<ServiceResponse> {
    if (!isSendable(token)) {
      throw new InvalidWord(
        'the token',
        'has a character that no HTTP header can carry',
        'Issue another one.',
      );
    }
    return http.request({
      service: 'identity',
      method,
      url: tokensOf(authUrl),
      headers: { accept: 'application/json', 'x-auth-token': token, 'x-subject-token': token },
      tenant,
      headersSuffice: true,
    });
  }

  async function check(
    authUrl: string,
    token: string,
    tenant: Tenant,
  ): Promise<'valid' | 'dead' | 'not-offered'> {
    const { status, text } = await about('GET', authUrl, token, tenant);
    if (status < 400) return 'valid';
    // A 404 in the API's own form speaks of the token, any other of the path.
    if (status === 401 || (status === 404 && parseIdentityError(text) !== undefined)) return 'dead';
    return notOffered(status);
  }

  async function revoke(authUrl: string, token: string, tenant: Tenant): Promise<Revocation> {
    const { status } = await about('DELETE', authUrl, token, tenant);
    if (status < 400) return 'revoked';
    if (status !== 401 && status !== 404) return notOffered(status);
    // Both may mean that the token is gone, or something else: a proxy's refusal, a path that is not offered.
    if ((await check(authUrl, token, tenant)) === 'dead') return 'already-dead';
    return status === 401 ? 'refused' : 'not-offered';
  }

  return { issue, check, revoke };
}

const tokensOf = (authUrl: string): string => `${authUrl}/auth/tokens`;

const isSendable = (token: string): boolean => /^[\x21-\x7e]+$/.test(token);

function notOffered(status: number): 'not-offered' {
  if (status === 403 || status === 404 || status === 405) return 'not-offered';
  throw new ServiceFailed('identity', status);
}

const PROXY_STATUS: ReadonlySet<number> = new Set([502, 503, 504]);

/** What a request for a token without an answer, or with one that is none, means. */
function missed(failure: Failure, authUrl: string, sent: boolean): Failure {
  const { host } = new URL(authUrl);
  // A version list instead of a token (300): the address stops short of its version.
  if ('status' in failure && failure.status === 300) return wrongAddress(authUrl, 300);
  const unheard = failure.kind === 'service-unreachable' || failure.kind === 'timed-out';
  // A proxy answers for a service that may have been asked.
  const byProxy = failure.kind === 'service-failed' && PROXY_STATUS.has(failure.status);
  return (unheard && sent) || byProxy ? new OutcomeUnclear(host, { cause: failure }) : failure;
}

function refusal({ status, text }: ServiceResponse, authUrl: string): Failure {
  if (status === 401 || status === 403) return new AccessRefused(status);
  if (status === 405) return wrongAddress(authUrl, status);
  if (status !== 404) return new ServiceFailed('identity', status);
  const message = parseIdentityError(text);
  if (message === undefined) return wrongAddress(authUrl, status);
  return /application.?credential/i.test(message) ? new AccessNotFound() : new ProjectDisabled();
}

function wrongAddress(authUrl: string, status: number): WrongIdentityUrl {
  return new WrongIdentityUrl(new URL(authUrl).host, status, suggestAuthUrl(authUrl));
}

function tokenIn({ headers }: ServiceResponse): string {
  const token = headers['x-subject-token'] ?? '';
  if (token === '') throw new InvalidResponse('identity', 'it brought no X-Subject-Token');
  if (!isSendable(token)) throw new InvalidResponse('identity', 'its X-Subject-Token is not one token');
  return token;
}
