/**
 * A fake identity service: it issues, validates and revokes tokens like OpenStack Keystone 22, and has a mode for
 * everything that can go wrong.
 */
import { randomUUID } from 'node:crypto';
import {
  htmlReply,
  jsonReply,
  maskHeaders,
  parseJson,
  type ServiceAnswer,
  type ServiceOptions,
  type ServiceReply,
  type ServiceRequest,
  startService,
} from './fake-service.ts';
import { ACCESSES, type Access, type AccessName } from './identity/accesses.ts';
import {
  DEFAULT_IDENTITY_STYLE,
  type IdentityStyle,
  identityModes,
  malformed,
  notFound,
  problem,
  projectDisabled,
  unauthorized,
  version,
  versionList,
} from './identity/modes.ts';
import { createTokens, describeToken, type Tokens } from './identity/tokens.ts';
import { createModeSwitch } from './modes.ts';
import type { Switch } from './protocol.ts';

interface IdentityRequest {
  at: number;
  method: string;
  /** Path and query. */
  path: string;
  /** Without the values of authorization headers. */
  headers: Record<string, string>;
  /** The label of the application access in the body, `unknown`, or `none`. */
  access: string;
}

export interface IdentityService {
  /** The base URL, without `/v3`. */
  url: string;
  /** The base URL with `/v3`, as the console shows it. */
  authUrl: string;
  mode(): string;
  setMode(mode: string): void;
  modes: Switch['modes'];
  credentials: { label: string; value: string }[];
  accesses: Readonly<Record<AccessName, { id: string; secret: string }>>;
  requests: readonly IdentityRequest[];
  /** Whether this service issued the token and it is neither expired nor revoked. */
  isLive(token: string): boolean;
  close(): Promise<void>;
}

const LARGEST_REQUEST = 112 * 1024;

export async function startIdentity(options: ServiceOptions = {}): Promise<IdentityService> {
  const now = options.now ?? Date.now;
  const tokens = createTokens(now);
  const requests: IdentityRequest[] = [];
  const { behaviour, ...modeSwitch } = createModeSwitch('identity', identityModes(options.slowFor ?? 4_000));

  async function answer(asked: ServiceRequest): Promise<ServiceAnswer> {
    requests.push(toIdentityRequest(asked));
    const said = await behaviour()(asked, (style) =>
      normalAnswer(asked, tokens, { ...DEFAULT_IDENTITY_STYLE, ...style }),
    );
    return typeof said === 'string' ? said : withRequestId(said);
  }

  const server = await startService({
    direction: 'bot→identity',
    port: options.port ?? 0,
    now,
    answer,
    onExchange: options.onExchange,
  });
  return {
    ...server,
    authUrl: `${server.url}/v3`,
    ...modeSwitch,
    credentials: Object.values(ACCESSES).flatMap(({ label, id, secret }) => [
      { label: `${label}: ID`, value: id },
      { label: `${label}: secret`, value: secret },
    ]),
    accesses: ACCESSES,
    requests,
    isLive: (token) => tokens.find(token) !== undefined,
  };
}

function toIdentityRequest({ at, method, path, search, headers, body }: ServiceRequest): IdentityRequest {
  const { id } = credentialIn(body) ?? {};
  return {
    at,
    method,
    path: `${path}${search}`,
    headers: maskHeaders(headers),
    access: id === undefined ? 'none' : (findAccess(id)?.label ?? 'unknown'),
  };
}

function withRequestId(reply: ServiceReply): ServiceReply {
  return { ...reply, headers: { ...reply.headers, 'x-openstack-request-id': `req-${randomUUID()}` } };
}

function normalAnswer(asked: ServiceRequest, tokens: Tokens, style: IdentityStyle): ServiceReply {
  const { path, method } = asked;
  if (path.includes('//'))
    return htmlReply(308, 'Permanent Redirect', { Location: path.replace(/\/{2,}/g, '/') });
  if (asked.body.length > LARGEST_REQUEST) return htmlReply(413, 'Request Entity Too Large');
  if (path === '/') return versionList();
  if (path === '/v3' || path === '/v3/') return jsonReply(200, JSON.stringify({ version: version() }));
  if (path !== '/v3/auth/tokens') return htmlReply(404, 'Not Found');
  if (method === 'POST') return issue(asked, tokens, style);
  if ((method === 'GET' || method === 'HEAD') && style.validation) return check(asked, tokens, style);
  if (method === 'DELETE' && style.revocation) return revoke(asked, tokens);
  return problem(405, 'Method Not Allowed', 'The method is not allowed for the requested URL.');
}

function issue(asked: ServiceRequest, tokens: Tokens, style: IdentityStyle): ServiceReply {
  const credential = credentialIn(asked.body);
  if (credential?.id === undefined) return malformed();
  if (credential.scoped) return unauthorized({ identity: { methods: ['application_credential'] } });
  const access = findAccess(credential.id);
  if (!access) return notFound(`Could not find Application Credential: ${credential.id}.`);
  if (access.secret !== credential.secret || access.state === 'expired') return unauthorized();
  if (access.state === 'project-disabled') return projectDisabled();
  const issued = tokens.issue(access);
  return tokenReply(201, issued.token, describeToken(issued, style.expiry, wantsCatalog(asked)), style);
}

function check(asked: ServiceRequest, tokens: Tokens, style: IdentityStyle): ServiceReply {
  const { headers } = asked;
  if (!tokens.find(headers['x-auth-token'])) return unauthorized();
  const subject = tokens.find(headers['x-subject-token']);
  if (!subject) return notFound('Could not find token.');
  return tokenReply(200, subject.token, describeToken(subject, style.expiry, wantsCatalog(asked)), style);
}

function revoke({ headers }: ServiceRequest, tokens: Tokens): ServiceReply {
  if (!tokens.find(headers['x-auth-token'])) return unauthorized();
  const subject = tokens.find(headers['x-subject-token']);
  if (!subject) return notFound('Could not find token.');
  tokens.revoke(subject.token);
  return { status: 204 };
}

function wantsCatalog({ search }: ServiceRequest): boolean {
  return !new URLSearchParams(search).has('nocatalog');
}

function tokenReply(status: number, token: string, body: string, style: IdentityStyle): ServiceReply {
  const header: Record<string, string> = style.header ? { 'X-Subject-Token': token } : {};
  return style.body === 'none' ? { status, headers: header } : jsonReply(status, body, header);
}

function findAccess(id: string): Access | undefined {
  return Object.values<Access>(ACCESSES).find((access) => access.id === id);
}

interface Credential {
  id?: string;
  secret?: string;
  scoped: boolean;
}

/** Returns undefined when the body does not ask for a token by application credential. */
function credentialIn(body: string): Credential | undefined {
  const auth = field(parseJson(body), 'auth');
  const identity = field(auth, 'identity');
  const methods = field(identity, 'methods');
  if (!Array.isArray(methods) || !methods.includes('application_credential')) return undefined;
  const credential = field(identity, 'application_credential');
  const id = field(credential, 'id');
  const secret = field(credential, 'secret');
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof secret === 'string' && { secret }),
    scoped: field(auth, 'scope') !== undefined,
  };
}

function field(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined;
}
