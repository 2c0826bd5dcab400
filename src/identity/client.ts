/** The client of the OpenStack identity API: issues and revokes tokens. */
import { isLosslessNumber } from 'lossless-json';
import { Temporal } from 'temporal-polyfill';
import { Failure, type FailureOf, InvalidWord, isFailure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { tryParse } from '../domain/try-parse.ts';
import { firstCharacters } from '../domain/wording.ts';
import { checkBaseUrl, type TrustedHost } from '../http/address-rules.ts';
import type { GuardedHttp, ServiceRequest, ServiceResponse, Tenant } from '../http/client.ts';
import { isJsonObject, JsonError, type JsonObject, parseJson } from '../http/parse-json.ts';
import { createSecretMask } from '../http/secret-mask.ts';

export type { Tenant } from '../http/client.ts';

export interface ApplicationCredential {
  readonly authUrl: string;
  readonly id: string;
  readonly secret: string;
}

export type Revocation = 'revoked' | 'already-dead' | 'not-offered' | 'refused';

/** What the answer's body says about a token. A missing or malformed field is undefined. */
export interface TokenBody {
  readonly expiresAt: Millis | undefined;
  /** The project's name, or its ID if there is no name. Untrusted text. */
  readonly project: string | undefined;
  readonly user: string | undefined;
  readonly roles: readonly string[];
  /** Whether the token can't create application credentials, which might stay valid longer than the token. */
  readonly isRestricted: boolean | undefined;
  readonly computeUrl: string | undefined;
}

export interface IssuedToken extends TokenBody {
  readonly token: string;
}

/** Both methods also throw what {@link GuardedHttp.request} throws, wrong-identity-url and service-failed. */
export interface IdentityClient {
  /**
   * Never retries, because a second request could issue a second token. @throws access-refused (401, 403),
   * access-not-found, project-disabled (404), invalid-response (success without a token), outcome-unclear
   */
  issue(credential: ApplicationCredential, tenant: Tenant): Promise<IssuedToken>;
  /** @returns `refused` (401) if the service may still accept the token */
  revoke(authUrl: string, token: string, tenant: Tenant): Promise<Revocation>;
}

export function createIdentityClient({
  http,
  onNotIssued = async () => undefined,
}: {
  readonly http: GuardedHttp;
  readonly onNotIssued?: (credential: ApplicationCredential, tenant: Tenant, error: unknown) => Promise<void>;
}): IdentityClient {
  const issue = (credential: ApplicationCredential, tenant: Tenant): Promise<IssuedToken> =>
    tryIssue(credential, tenant).catch(async (error) => {
      await onNotIssued(credential, tenant, error);
      throw error;
    });

  async function tryIssue(
    { authUrl, id, secret }: ApplicationCredential,
    tenant: Tenant,
  ): Promise<IssuedToken> {
    const identity = { methods: ['application_credential'], application_credential: { id, secret } };
    const request: ServiceRequest = {
      service: 'identity',
      method: 'POST',
      url: tokensUrl(authUrl),
      tenant,
      secrets: [secret],
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ auth: { identity } }),
      once: true,
      headersSuffice: true,
    };
    const read = (response: ServiceResponse): IssuedToken => {
      if (response.status >= 400) throw rejectionOf(response, authUrl);
      const token = tokenIn(response);
      return { token, ...parseTokenBody({ ...response, mask: createSecretMask([secret, token]) }) };
    };
    return http.requestAndRead(request, read).catch((error) => {
      throw isFailure(error) ? interpretFailure(error, authUrl) : error;
    });
  }

  function sendAboutToken(
    method: 'GET' | 'DELETE',
    authUrl: string,
    token: string,
    tenant: Tenant,
  ): Promise<ServiceResponse> {
    return http.request({
      service: 'identity',
      method,
      url: tokensUrl(authUrl),
      tenant,
      secrets: [token],
      headers: { accept: 'application/json', 'x-auth-token': token, 'x-subject-token': token },
      headersSuffice: true,
    });
  }

  /** A 404 counts only with an error of the identity API. Otherwise, the URL is wrong. */
  async function isDead(authUrl: string, token: string, tenant: Tenant): Promise<boolean> {
    const response = await sendAboutToken('GET', authUrl, token, tenant);
    const { status } = response;
    return status === 401 || (status === 404 && parseIdentityError(response) !== undefined);
  }

  async function revoke(authUrl: string, token: string, tenant: Tenant): Promise<Revocation> {
    const { status } = await sendAboutToken('DELETE', authUrl, token, tenant);
    if (status < 400) return 'revoked';
    if (status === 403 || status === 405) return 'not-offered';
    if (status !== 401 && status !== 404)
      throw new Failure('service-failed', { service: 'identity', status });
    // A 401 or 404 may come from a proxy or mean an unknown endpoint, so check the token itself.
    if (await isDead(authUrl, token, tenant)) return 'already-dead';
    return status === 401 ? 'refused' : 'not-offered';
  }

  return { issue, revoke };
}

const tokensUrl = (authUrl: string): string => `${authUrl}/auth/tokens`;

const isSendable = (token: string): boolean => /^[\x21-\x7e]+$/.test(token);

const PROXY_STATUS: ReadonlySet<number> = new Set([502, 503, 504]);

function interpretFailure(failure: Failure, authUrl: string): Failure {
  const { host } = new URL(authUrl);
  // With status 300, the service lists its API versions, because the URL doesn't end with a version.
  if ('status' in failure.data && failure.data.status === 300) return wrongAddress(authUrl, 300);
  // The request may have arrived, because the connection was open.
  const hasNoResponse =
    (failure.kind === 'service-unreachable' && failure.data.isClosed) || failure.kind === 'timed-out';
  // The service behind the proxy may have issued a token.
  const isFromProxy = failure.kind === 'service-failed' && PROXY_STATUS.has(failure.data.status);
  return hasNoResponse || isFromProxy
    ? new Failure('outcome-unclear', { host }, { cause: failure })
    : failure;
}

function rejectionOf(response: ServiceResponse, authUrl: string): Failure {
  const { status } = response;
  if (status === 401 || status === 403) return new Failure('access-refused', { status });
  if (status === 405) return wrongAddress(authUrl, status);
  if (status !== 404) return new Failure('service-failed', { service: 'identity', status });
  const message = parseIdentityError(response);
  if (message === undefined) return wrongAddress(authUrl, status);
  return /application.?credential/i.test(message)
    ? new Failure('access-not-found')
    : new Failure('project-disabled');
}

const wrongAddress = (authUrl: string, status: number): FailureOf<'wrong-identity-url'> =>
  new Failure('wrong-identity-url', { host: new URL(authUrl).host, status });

function tokenIn({ headers, mask }: ServiceResponse): string {
  const token = headers['x-subject-token'] ?? '';
  const problem =
    mask(token) !== token
      ? 'its X-Subject-Token repeats the secret'
      : token === ''
        ? 'it has no X-Subject-Token'
        : isSendable(token)
          ? undefined
          : 'its X-Subject-Token is not a valid token';
  if (problem === undefined) return token;
  throw new Failure('invalid-response', { service: 'identity', what: problem });
}

/** Accepts what `checkBaseUrl` accepts if it ends with `/v3`. @throws InvalidWord, address-refused */
export function parseAuthUrl(text: string, trusted: readonly TrustedHost[]): string {
  const base = checkBaseUrl(text, trusted);
  if (base.endsWith('/v3')) return base;
  const works = 'Copy it from the console: API endpoints → identity.';
  throw new InvalidWord(base, 'doesn’t end with /v3', works, [], 'always');
}

const LIMITS = { characters: 255, roles: 50 } as const;

type ReadableBody = Pick<ServiceResponse, 'text' | 'mask'>;

/** Never throws. The token itself comes in a header, so Tally can use it whatever the body says. */
export function parseTokenBody(response: ReadableBody): TokenBody {
  const token = objectOf(objectOf(parseBody(response)).token);
  const { restricted } = objectOf(token.application_credential);
  return {
    expiresAt: parseExpiry(token.expires_at),
    project: nameOf(token.project),
    user: nameOf(token.user),
    roles: [token.roles ?? []]
      .flat()
      .slice(0, LIMITS.roles)
      .flatMap((role) => nameOf(role) ?? []),
    isRestricted: typeof restricted === 'boolean' ? restricted : undefined,
    computeUrl: computeUrlIn(token.catalog),
  };
}

export function parseIdentityError(response: ReadableBody): string | undefined {
  const { error } = objectOf(parseBody(response));
  if (!isJsonObject(error)) return undefined;
  return typeof error.message === 'string' ? error.message : '';
}

function computeUrlIn(catalog: unknown): string | undefined {
  const compute = listOf(catalog)
    .map(objectOf)
    .find(({ type }) => type === 'compute');
  const endpoints = listOf(compute?.endpoints).map(objectOf);
  return parseWebAddress(endpoints.find(({ interface: kind }) => kind === 'public')?.url);
}

const parseWebAddress = (value: unknown): string | undefined =>
  typeof value === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(value) && value.length <= 500
    ? value
    : undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function nameOf(value: unknown): string | undefined {
  const { name, id } = objectOf(value);
  return textOf(value) ?? textOf(name) ?? textOf(id);
}

function textOf(value: unknown): string | undefined {
  const text = isLosslessNumber(value) ? value.value : value;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return firstCharacters(text, LIMITS.characters);
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const parseBody = ({ text, mask }: ReadableBody): unknown => tryParse(() => parseJson(text, mask), JsonError);

const ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i;

/** Reads a time without an offset as UTC, because `Date.parse` would read it as local time. */
export function parseExpiry(value: unknown): Millis | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  if (!/^\d{4}-?\d\d-?\d\d[T ]/i.test(text)) return undefined;
  const zoned = ZONE.test(text) ? text : `${text}Z`;
  const at = tryParse(() => Temporal.Instant.from(zoned).epochMilliseconds, RangeError);
  return at !== undefined && at > 0 ? at : undefined;
}
