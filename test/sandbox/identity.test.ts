import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ServiceExchange } from '../../sandbox/fake-service.ts';
import { type IdentityService, startIdentity } from '../../sandbox/identity.ts';

const NOW = Date.parse('2026-11-21T02:03:56.000Z');
const MINUTE = 60_000;

let clock = NOW;
let identity: IdentityService;
const exchanges: ServiceExchange[] = [];

beforeAll(async () => {
  identity = await startIdentity({
    now: () => clock,
    slowFor: 20,
    onExchange: (exchange) => exchanges.push(exchange),
  });
});
afterAll(() => identity.close());
afterEach(() => {
  clock = NOW;
  identity.setMode('healthy');
});

interface TokenBody {
  expires_at?: string;
  issued_at: string;
  catalog?: unknown[];
  roles: { name: string }[];
  project: { id: string; name: string; domain: object };
  user: object;
  audit_ids: string[];
  application_credential: { id: string; name: string; restricted: boolean };
}

const asking = (access: { id?: string; secret?: string }, beside: object = {}) => ({
  auth: { identity: { methods: ['application_credential'], application_credential: access }, ...beside },
});

function ask(body: unknown, path = '/v3/auth/tokens') {
  return fetch(`${identity.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function issue(access: { id: string; secret: string } = identity.accesses.good, path?: string) {
  const response = await ask(asking(access), path);
  expect(response.status).toBe(201);
  const { token: body } = (await response.json()) as { token: TokenBody };
  return { token: response.headers.get('X-Subject-Token') ?? '', body };
}

const with_ = (method: string, auth: string, subject = auth) =>
  fetch(`${identity.authUrl}/auth/tokens`, {
    method,
    headers: { 'X-Auth-Token': auth, 'X-Subject-Token': subject },
  });

const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { code: number; title: string; message: string; identity?: object } })
    .error;

describe('issuing', () => {
  test('returns a token of 204 characters for an hour', async () => {
    const { token, body } = await issue();
    expect(token).toMatch(/^gAAAAA[\w-]{198}$/);
    expect(body).toMatchObject({
      expires_at: '2026-11-21T03:03:56.000000Z',
      issued_at: '2026-11-21T02:03:56.000000Z',
      application_credential: { id: identity.accesses.good.id, restricted: true },
      project: { id: expect.any(String), name: expect.any(String), domain: expect.any(Object) },
      roles: [{ name: 'member' }],
      audit_ids: [expect.any(String)],
    });
    expect(body.catalog).toHaveLength(1);
  });

  test('returns a new token each time, and the earlier one stays valid', async () => {
    const [one, other] = [await issue(), await issue()];
    expect(one.token).not.toBe(other.token);
    expect(identity.isLive(one.token) && identity.isLive(other.token)).toBe(true);
  });

  test('leaves the catalog out when asked to', async () => {
    expect((await issue(identity.accesses.good, '/v3/auth/tokens?nocatalog')).body.catalog).toBeUndefined();
    expect(identity.requests.at(-1)?.path).toBe('/v3/auth/tokens?nocatalog');
  });

  test('returns a request ID', async () => {
    expect((await ask('{}')).headers.get('x-openstack-request-id')).toMatch(/^req-[\da-f-]{36}$/);
  });

  test('expires with an access that expires sooner, and has no zone then', async () => {
    const { token, body } = await issue(identity.accesses.expiring);
    expect(body.expires_at).toBe('2026-11-21T02:23:56');
    clock += 20 * MINUTE;
    expect(identity.isLive(token)).toBe(false);
  });

  test('reports an unrestricted access', async () => {
    const { body } = await issue(identity.accesses.unrestricted);
    expect(body.application_credential.restricted).toBe(false);
  });

  test('offers the ID and the secret of every access', () => {
    const values = identity.credentials.map(({ value }) => value);
    for (const { id, secret } of Object.values(identity.accesses)) {
      expect(id).toMatch(/^[\da-f]{32}$/);
      expect(values).toContain(id);
      expect(values).toContain(secret);
    }
  });

  test('keeps secrets and tokens out of the recorded requests', async () => {
    const { token } = await issue();
    await with_('GET', token);
    const kept = JSON.stringify([identity.requests, exchanges]);
    expect(kept).toContain(identity.accesses.good.id);
    expect(kept).not.toContain(identity.accesses.good.secret);
    expect(kept).not.toContain(token);
    expect(identity.requests.at(-2)?.access).toBe('Application access');
  });
});

describe('errors', () => {
  test('are 401 for a wrong, missing or expired secret', async () => {
    const { good, expired } = identity.accesses;
    for (const access of [{ ...good, secret: 'wrong' }, { id: good.id }, expired]) {
      const response = await ask(asking(access));
      expect(response.status).toBe(401);
      expect(await errorOf(response)).toMatchObject({ code: 401, title: 'Unauthorized' });
    }
  });

  test('are 404 for an unknown access and a disabled project', async () => {
    const unknown = await ask(asking({ id: 'feed', secret: 'x' }));
    expect(unknown.status).toBe(404);
    expect((await errorOf(unknown)).message).toBe('Could not find Application Credential: feed.');
    expect((await ask(asking(identity.accesses.disabled))).status).toBe(404);
  });

  test('are 401 with an identity when there is a scope', async () => {
    const response = await ask(asking(identity.accesses.good, { scope: { project: { id: 'p' } } }));
    expect(response.status).toBe(401);
    expect((await errorOf(response)).identity).toBeDefined();
  });

  test.each([
    '{',
    '{}',
    '[]',
    'null',
    '{"auth":{"identity":{"methods":[]}}}',
    JSON.stringify(asking({ secret: 'x' })),
  ])('are 400, at length, for the malformed %s', async (body) => {
    const response = await ask(body);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message.length).toBeGreaterThan(600);
  });

  test('are HTML for wrong paths and too large bodies', async () => {
    const html = async (response: Response, status: number) => {
      expect(response.status).toBe(status);
      expect(response.headers.get('Content-Type')).toMatch('text/html');
      return response;
    };
    await html(await ask('{}', '/v3/auth/token'), 404);
    await html(await ask('{}', '/auth/tokens'), 404);
    const doubled = await html(await ask('{}', '/v3//auth/tokens'), 308);
    expect(doubled.headers.get('Location')).toBe('/v3/auth/tokens');
    await html(await ask('x'.repeat(112 * 1024 + 1)), 413);
    expect((await ask('x'.repeat(112 * 1024))).status).toBe(400);
    await html(await ask('x'.repeat(3 * 1024 * 1024)), 413);
  });

  test('do not affect the version lists', async () => {
    const v3 = await fetch(identity.authUrl);
    expect([v3.status, await v3.json()]).toMatchObject([200, { version: { id: 'v3.14' } }]);
    const root = await fetch(identity.url, { redirect: 'manual' });
    expect([root.status, await root.json()]).toMatchObject([
      300,
      { versions: { values: [{ id: 'v3.14' }] } },
    ]);
  });
});

describe('a token', () => {
  test('is validated by GET and HEAD', async () => {
    const { token, body } = await issue();
    const checked = await with_('GET', token);
    expect(checked.status).toBe(200);
    expect(await checked.json()).toMatchObject({ token: { expires_at: body.expires_at } });
    const head = await with_('HEAD', token);
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await with_('GET', 'nonsense', token)).status).toBe(401);
    expect((await with_('GET', token, 'nonsense')).status).toBe(404);
  });

  test('is revoked once, and others stay valid', async () => {
    const [one, other] = [await issue(), await issue()];
    const revoked = await with_('DELETE', one.token);
    expect([revoked.status, await revoked.text()]).toEqual([204, '']);
    expect((await with_('DELETE', one.token)).status).toBe(401);
    expect((await with_('GET', one.token)).status).toBe(401);
    expect((await with_('DELETE', other.token, one.token)).status).toBe(404);
    expect(identity.isLive(other.token)).toBe(true);
  });

  test('expires after an hour', async () => {
    const { token } = await issue();
    clock += 60 * MINUTE - 1;
    expect((await with_('GET', token)).status).toBe(200);
    clock += 1;
    expect((await with_('GET', token)).status).toBe(401);
  });

  test('cannot be revoked when revocation is not supported', async () => {
    const { token } = await issue();
    identity.setMode('no-revocation');
    expect((await with_('DELETE', token)).status).toBe(405);
    expect(identity.isLive(token)).toBe(true);
    expect((await issue()).token).not.toBe('');
  });
});

describe('modes', () => {
  test('have a label and a hint each, and only they can be chosen', () => {
    for (const { mode, label, hint } of identity.modes) {
      identity.setMode(mode);
      expect(identity.mode()).toBe(mode);
      expect(label).not.toBe('');
      expect(hint).toMatch(/\.$/);
    }
    expect(() => identity.setMode('sulking')).toThrow('sulking');
  });

  test.each([
    ['400', 400, 'application/json'],
    ['401', 401, 'application/json'],
    ['403', 403, 'application/json'],
    ['404', 404, 'application/json'],
    ['404-project', 404, 'application/json'],
    ['404-page', 404, 'text/html; charset=utf-8'],
    ['300', 300, 'application/json'],
    ['308', 308, 'text/html; charset=utf-8'],
    ['413', 413, 'text/html; charset=utf-8'],
    ['429', 429, 'application/json'],
    ['500', 500, 'text/html; charset=utf-8'],
    ['503', 503, 'text/html; charset=utf-8'],
    ['html', 200, 'text/html; charset=utf-8'],
    ['redirect', 302, 'text/html; charset=utf-8'],
  ])('%s is a status and a kind of body', async (mode, status, type) => {
    identity.setMode(mode);
    const response = await ask(asking(identity.accesses.good));
    expect([response.status, response.headers.get('Content-Type')]).toEqual([status, type]);
    expect(response.headers.get('X-Subject-Token')).toBeNull();
  });

  test('429 says when to retry', async () => {
    identity.setMode('429');
    expect((await ask('{}')).headers.get('Retry-After')).toBe('20');
  });

  test('no-zone and no-expiry change the expiry', async () => {
    identity.setMode('no-zone');
    expect((await issue()).body.expires_at).toBe('2026-11-21T03:03:56');
    identity.setMode('no-expiry');
    expect((await issue()).body).not.toHaveProperty('expires_at');
  });

  test('bare sends a token without a body, no-token a body without a token', async () => {
    identity.setMode('bare');
    const bare = await ask(asking(identity.accesses.good));
    expect([bare.status, await bare.text()]).toEqual([201, '']);
    expect(identity.isLive(bare.headers.get('X-Subject-Token') ?? '')).toBe(true);
    identity.setMode('no-token');
    expect((await issue()).token).toBe('');
  });

  test('slow answers correctly', async () => {
    identity.setMode('slow');
    expect((await issue()).token).toHaveLength(204);
  });

  test('truncated is invalid JSON, and too-large is 20 MB', async () => {
    identity.setMode('truncated');
    await expect((await ask(asking(identity.accesses.good))).json()).rejects.toThrow(SyntaxError);
    identity.setMode('too-large');
    const large = await ask(asking(identity.accesses.good));
    expect((await large.arrayBuffer()).byteLength).toBeGreaterThan(20 * 1024 * 1024);
  });

  test('issue-only cannot validate or revoke', async () => {
    const { token } = await issue();
    identity.setMode('issue-only');
    expect([(await with_('GET', token)).status, (await with_('DELETE', token)).status]).toEqual([405, 405]);
    expect((await issue()).token).not.toBe('');
  });

  test('lost does what it is asked and does not answer', async () => {
    const { token } = await issue();
    identity.setMode('lost');
    await expect(with_('DELETE', token)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(identity.isLive(token)).toBe(false);
  });

  test('reset resets the connection', async () => {
    identity.setMode('reset');
    await expect(ask('{}')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  });

  test('hang sends nothing, and records a client that gives up', async () => {
    identity.setMode('hang');
    const asked = identity.requests.length;
    const held = request(`${identity.authUrl}/auth/tokens`, { method: 'POST' });
    held.on('error', () => {});
    held.end('{}');
    await vi.waitFor(() => expect(identity.requests.length).toBe(asked + 1));
    held.destroy();
    await vi.waitFor(() => expect(exchanges.at(-1)?.status).toBe('no answer'));
  });
});
