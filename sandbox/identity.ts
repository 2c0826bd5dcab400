/** A fake identity service. It issues, validates and revokes tokens like OpenStack Keystone 22. */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  commonModes,
  htmlReply,
  jsonReply,
  parseObject,
  type ServiceOptions,
  type ServiceReply,
  type ServiceRequest,
  startService,
} from './fake-service.ts';

interface IdentityRequest extends Pick<ServiceRequest, 'at' | 'method' | 'pause'> {
  path: string;
  access: string;
}

export type IdentityService = Awaited<ReturnType<typeof startIdentity>>;

interface Access {
  label: string;
  id: string;
  secret: string;
  restricted: boolean;
  state: 'good' | 'expired' | 'project-disabled';
  /** How long after a token is issued the access itself expires, in ms. */
  expiresIn?: number;
}

function access(label: string, number: number, rest: Partial<Access> = {}): Access {
  const id = `5a9db0c${String(number).padStart(25, '0')}`;
  const secret = `sandbox-access-secret-${number}-not-a-secret`;
  return { label, id, secret, restricted: true, state: 'good', ...rest };
}

const ACCESSES = {
  good: access('Application access', 1),
  expiring: access('Access about to expire', 2, { expiresIn: 20 * 60_000 }),
  unrestricted: access('Unrestricted access', 3, { restricted: false }),
  expired: access('Expired access', 4, { state: 'expired' }),
  disabled: access('Access for a disabled project', 5, { state: 'project-disabled' }),
};

interface Issued {
  token: string;
  access: Access;
  issuedAt: number;
  expiresAt: number;
}

const LIFETIME = 3_600_000;
const LARGEST_REQUEST = 112 * 1024;
const TOKEN_LENGTH = 204;

const problem = (code: number, title: string, message: string): ServiceReply =>
  jsonReply(code, { error: { code, message, title } });

export const unauthorized = (): ServiceReply =>
  problem(401, 'Unauthorized', 'The request you have made requires authentication.');

export async function startIdentity(options: ServiceOptions = {}) {
  const { now = Date.now } = options;
  const live = new Map<string, Issued>();
  const find = (token: string | undefined): Issued | undefined => {
    const issued = live.get(token ?? '');
    return issued && issued.expiresAt > now() ? issued : undefined;
  };

  function issue({ body, search }: ServiceRequest): ServiceReply {
    const { id, secret, isScoped } = credentialIn(body);
    if (id === undefined)
      return problem(400, 'Bad Request', "Invalid input for field 'auth': it does not fit the schema");
    const access = findAccess(id);
    if (!access) return problem(404, 'Not Found', `Could not find Application Credential: ${id}.`);
    if (isScoped || access.secret !== secret || access.state === 'expired') return unauthorized();
    if (access.state === 'project-disabled')
      return problem(
        404,
        'Not Found',
        'Unable to validate token because project sandbox-project is disabled',
      );
    const issuedAt = now();
    const token = `gAAAAA${randomBytes(TOKEN_LENGTH).toString('base64url')}`.slice(0, TOKEN_LENGTH);
    const expiresAt = issuedAt + Math.min(LIFETIME, access.expiresIn ?? LIFETIME);
    live.set(token, { token, access, issuedAt, expiresAt });
    return jsonReply(201, describeToken({ token, access, issuedAt, expiresAt }, search), {
      'X-Subject-Token': token,
    });
  }

  async function ordinary(asked: ServiceRequest): Promise<ServiceReply> {
    const { path, method, headers, search } = asked;
    const id = { 'x-openstack-request-id': `req-${randomUUID()}` };
    const version = { id: 'v3.14', status: 'stable', updated: '2020-04-07T00:00:00Z', 'media-types': [] };
    if (path.includes('//'))
      return htmlReply(308, 'Permanent Redirect', { Location: path.replace(/\/{2,}/g, '/') });
    if (asked.body.length > LARGEST_REQUEST) return htmlReply(413, 'Request Entity Too Large');
    if (path === '/') return jsonReply(300, { versions: { values: [version] } });
    if (path === '/v3' || path === '/v3/') return jsonReply(200, { version });
    if (path !== '/v3/auth/tokens') return htmlReply(404, 'Not Found');
    const answer = () => {
      if (method === 'POST') return issue(asked);
      if (!['GET', 'HEAD', 'DELETE'].includes(method))
        return problem(405, 'Method Not Allowed', 'The method is not allowed for the requested URL.');
      if (!find(headers['x-auth-token'])) return unauthorized();
      const subject = find(headers['x-subject-token']);
      if (!subject) return problem(404, 'Not Found', 'Could not find token.');
      if (method !== 'DELETE')
        return jsonReply(200, describeToken(subject, search), { 'X-Subject-Token': subject.token });
      live.delete(subject.token);
      return { status: 204 };
    };
    const reply = answer();
    return { ...reply, headers: { ...reply.headers, ...id } };
  }

  const service = await startService<IdentityRequest>({
    ...options,
    ordinary,
    describe: ({ at, method, path, search, body, pause }) => {
      const { id } = credentialIn(body);
      const access = id === undefined ? 'none' : (findAccess(id)?.label ?? 'unknown');
      return { at, method, pause, path: `${path}${search}`, access };
    },
    modes: {
      ...commonModes(options.slowFor),
      refused: {
        label: 'Access rejected',
        hint: 'Rejects all application access, as for a wrong secret (401).',
        respond: unauthorized,
      },
    },
  });
  return {
    ...service,
    authUrl: `${service.url}/v3`,
    credentials: Object.values(ACCESSES).flatMap(({ label, id, secret }) => [
      { label: `${label}: ID`, value: id },
      { label: `${label}: secret`, value: secret },
    ]),
    accesses: ACCESSES,
    isLive: (token: string) => find(token) !== undefined,
  };
}

const findAccess = (id: string): Access | undefined =>
  Object.values(ACCESSES).find((access) => access.id === id);

/** @returns no ID if the body doesn't ask for a token by application credential */
function credentialIn(body: string): { id?: string; secret?: string; isScoped?: boolean } {
  const { identity, scope } = (parseObject(body).auth ?? {}) as {
    identity?: { methods?: string[]; application_credential?: { id?: string; secret?: string } };
    scope?: unknown;
  };
  if (!identity?.methods?.includes?.('application_credential')) return {};
  return { ...identity.application_credential, isScoped: scope !== undefined };
}

const microseconds = (at: number): string => new Date(at).toISOString().replace('Z', '000Z');

function describeToken({ access, issuedAt, expiresAt }: Issued, search: string): object {
  const domain = { id: 'default', name: 'Default' };
  const url = 'https://compute.sandbox.example/v2.1';
  const endpoint = { id: randomUUID(), interface: 'public', region: 'sandbox', region_id: 'sandbox', url };
  return {
    token: {
      methods: ['application_credential'],
      user: { domain, id: 'sandbox-user', name: 'sandbox', password_expires_at: null },
      audit_ids: [randomBytes(16).toString('base64url')],
      // Like Keystone: the time has no zone if the access expires before the token would.
      expires_at:
        access.expiresIn === undefined
          ? microseconds(expiresAt)
          : new Date(expiresAt).toISOString().slice(0, 19),
      issued_at: microseconds(issuedAt),
      project: { domain, id: 'sandbox-project', name: 'prod' },
      is_domain: false,
      roles: [{ id: 'sandbox-role', name: 'member' }],
      ...(!new URLSearchParams(search).has('nocatalog') && {
        catalog: [{ id: randomUUID(), name: 'nova', type: 'compute', endpoints: [endpoint] }],
      }),
      application_credential: { id: access.id, name: access.label, restricted: access.restricted },
    },
  };
}
