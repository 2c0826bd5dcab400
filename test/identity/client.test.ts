import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type IdentityService, startIdentity } from '../../sandbox/identity.ts';
import { createGuardedHttp, type ExchangeInfo } from '../../src/http/client.ts';
import { type ApplicationCredential, createIdentityClient } from '../../src/identity/client.ts';
import { closedPort, failureOf, json, type Service, serve, serveRaw, serving } from '../http/service.ts';

const ACCESS = { id: 'c'.repeat(32), secret: 's3cr3t-0f-an-access' };
const TOKEN = 'gAAAAA-t0k3n';
const NOW = Date.parse('2026-11-21T02:03:56.000Z');
const HOUR = 3_600_000;

function client(
  limits: Parameters<typeof createGuardedHttp>[0]['limits'] = {},
  onExchange?: (exchange: ExchangeInfo) => void,
) {
  const http = createGuardedHttp({
    trustedHosts: [{ host: '127.0.0.1' }],
    ...(onExchange && { onExchange }),
    limits: { pause: 1, ...limits },
  });
  onTestFinished(http.close);
  const identity = createIdentityClient({ http });
  const tenant = { workspace: 'T1', connection: '123' };
  return {
    issue: (access: ApplicationCredential) => identity.issue(access, tenant),
    revoke: (authUrl: string, token: string) => identity.revoke(authUrl, token, tenant),
  };
}

const at = (service: Pick<Service, 'url'>) => ({ ...ACCESS, authUrl: `${service.url}/v3` });

/** Answers every request with a token in the header and this reply. */
const issuing = (body: string | Buffer = '', status = 201, headers: Record<string, string | string[]> = {}) =>
  serving(
    serve((_, response) => response.writeHead(status, { 'X-Subject-Token': TOKEN, ...headers }).end(body)),
  );

const answering = (status: number, body: string, type: string) =>
  serving(serve((_, response) => response.writeHead(status, { 'Content-Type': type }).end(body)));

describe('the request for a token', () => {
  it('matches the API documentation, and has the secret only in its body', async () => {
    const service = await issuing();
    await client().issue(at(service));
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v3/auth/tokens' });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(request?.headers['content-length']).toBe(String(request?.body.length));
    expect(JSON.parse(request?.body ?? '')).toEqual({
      auth: { identity: { methods: ['application_credential'], application_credential: ACCESS } },
    });
    expect(inspect([request?.url, request?.headers])).not.toContain(ACCESS.secret);
    expect(request?.headers['x-auth-token']).toBeUndefined();
  });

  it('carries any secret unchanged', async () => {
    const service = await issuing();
    const secret = '"}\n\0é💥';
    await client().issue({ ...at(service), secret });
    const { auth } = JSON.parse(service.requests[0]?.body ?? '');
    expect(auth.identity.application_credential.secret).toBe(secret);
  });

  it('is not sent to an address that is neither trusted nor public', async () => {
    const asking = client().issue({ ...ACCESS, authUrl: 'http://127.0.0.2:1/v3' });
    expect(await failureOf(asking)).toMatchObject({ kind: 'address-refused' });
  });
});

describe('a secret that the identity service repeats', () => {
  const SECRETS = ['Zq81-hV_kW3pX9rT-2mN6bL7cD', 'aGf45jKe82LsWq03MzXy71RtUv96'];

  it('never appears in the details of a token, even with two requests at once', async () => {
    const service = await serving(
      serve((_, response) => {
        const { secret } = JSON.parse(service.requests.at(-1)?.body ?? '').auth.identity
          .application_credential;
        const said = `of ${secret}, ${Buffer.from(secret).toString('base64')}`;
        const endpoints = [{ interface: 'public', url: `https://x.example/${secret}` }];
        const token = { user: said, roles: [said], catalog: [{ type: 'compute', endpoints }] };
        const project = { id: said, name: TOKEN, domain: said };
        json(response.setHeader('X-Subject-Token', TOKEN), { token: { ...token, project } }, 201);
      }),
    );
    const it = client();
    for (const issued of await Promise.all(SECRETS.map((secret) => it.issue({ ...at(service), secret })))) {
      const { token, ...shown } = issued;
      expect(token).toBe(TOKEN);
      expect(shown).toMatchObject({ user: expect.stringMatching(/^of …, …/), project: '…' });
      const text = inspect(shown, { depth: 20 });
      for (const secret of [TOKEN, ...SECRETS]) expect(text).not.toContain(secret.slice(0, 10));
    }
  });

  it('makes the answer invalid if it is sent in place of the token', async () => {
    for (const echoed of SECRETS) {
      const service = await issuing('{}', 201, { 'X-Subject-Token': echoed });
      const failure = await failureOf(client().issue({ ...at(service), secret: echoed }));
      expect(failure).toMatchObject({
        kind: 'invalid-response',
        data: { what: 'its X-Subject-Token repeats the secret' },
      });
      expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(echoed);
    }
  });
});

describe('an issued token', () => {
  it('comes with its details unless the service’s catalog is too large', async () => {
    const entry = (n: number) => ({
      type: `service-${n}`,
      endpoints: [{ interface: 'public', url: `https://${n}.example/v3`, id: 'x'.repeat(1_500) }],
    });
    const body = (count: number) =>
      JSON.stringify({ token: { user: 'ada', catalog: Array.from({ length: count }, (_, n) => entry(n)) } });
    expect((await client().issue(at(await issuing(body(250))))).user).toBe('ada');
    expect(await client().issue(at(await issuing(body(2_000))))).toMatchObject({
      token: TOKEN,
      user: undefined,
    });
  });

  it('is accepted with any 2xx status and any body', async () => {
    const huge = Buffer.alloc(5 * 1024 * 1024, '{"token":');
    const bodies = ['', 'null', '<h1>Welcome</h1>', '{"token":{"exp', Buffer.from([0xff, 0xfe]), huge];
    for (const status of [200, 201, 202, 203, 299])
      for (const body of bodies)
        expect(await client().issue(at(await issuing(body, status)))).toMatchObject({
          token: TOKEN,
          expiresAt: undefined,
          roles: [],
        });
    expect(await client().issue(at(await issuing('', 204)))).toMatchObject({ token: TOKEN });
  });

  it('is accepted even if the response’s body is compressed or never ends', async () => {
    const compressed = await issuing('x', 201, { 'Content-Encoding': 'gzip' });
    expect(await client().issue(at(compressed))).toMatchObject({ token: TOKEN });
    const endless = await serving(
      serve((_, response) => {
        response.writeHead(201, { 'X-Subject-Token': TOKEN });
        response.write('{"token":');
      }),
    );
    expect(await client({ deadline: 200 }).issue(at(endless))).toMatchObject({ token: TOKEN });
    const broken = await serving(
      serve((request, response) => {
        response.writeHead(201, { 'X-Subject-Token': TOKEN, 'Content-Length': '100' });
        response.write('{"token":', () => request.socket.destroy());
      }),
    );
    expect(await client().issue(at(broken))).toMatchObject({ token: TOKEN });
    expect(broken.requests).toHaveLength(1);
  });

  it('is refused if its header is missing, empty or sent twice', async () => {
    for (const headers of [{}, { 'X-Subject-Token': '' }, { 'X-Subject-Token': ['one', 'two'] }]) {
      const service = await serving(
        serve((_, response) => response.writeHead(201, headers as Record<string, string[]>).end('{}')),
      );
      expect(await failureOf(client().issue(at(service)))).toMatchObject({
        kind: 'invalid-response',
        data: { service: 'identity' },
      });
    }
  });

  it.each(['a b', 'tök', '\x7f', 'line\r\n folded', '\x01'])(
    'is refused, and not shown, if it is %j',
    async (token) => {
      const service = await serving(
        serveRaw((socket) => {
          socket.once('data', () => {
            const head = `HTTP/1.1 201 Created\r\nX-Subject-Token: ${token}\r\nContent-Length: 0\r\n\r\n`;
            socket.write(Buffer.from(head, 'latin1'));
          });
        }),
      );
      const failure = await failureOf(client().issue(at(service)));
      expect(failure).toMatchObject({ kind: 'invalid-response' });
      expect(inspect(failure, { depth: 20 })).not.toContain(token);
    },
  );
});

describe('the outcome of a request for a token', () => {
  it.each<[string, Parameters<typeof serve>[0]]>([
    ['resets the connection', (request) => request.socket.resetAndDestroy()],
    ['closes the connection', (request) => request.socket.end()],
    ['hangs', () => undefined],
    ['answers as a gateway with a time-out', (_, response) => response.writeHead(504).end()],
  ])('is unclear if the service %s', async (_, reply) => {
    const service = await serving(serve(reply));
    expect(await failureOf(client({ deadline: 200 }).issue(at(service)))).toMatchObject({
      kind: 'outcome-unclear',
      data: { host: new URL(service.url).host },
    });
    expect(service.requests).toHaveLength(1);
  });

  it('is clear if nothing was sent', async () => {
    const refused = client().issue({ ...ACCESS, authUrl: `http://127.0.0.1:${await closedPort()}/v3` });
    expect(await failureOf(refused)).toMatchObject({
      kind: 'service-unreachable',
      data: { code: 'ECONNREFUSED' },
    });
    // The server accepts the connection but never starts TLS.
    const mute = await serving(serveRaw(() => {}));
    const authUrl = `https://127.0.0.1:${mute.port}/v3`;
    expect(await failureOf(client({ deadline: 200 }).issue({ ...ACCESS, authUrl }))).toMatchObject({
      kind: 'service-unreachable',
    });
  });
});

describe('an error of the identity service', () => {
  const problem = (code: number, message: string) => JSON.stringify({ error: { code, message, title: '' } });
  const JSON_TYPE = 'application/json';

  it.each([
    [401, problem(401, 'The request you have made requires authentication.'), 'access-refused'],
    [401, '', 'access-refused'],
    [401, '<h1>Unauthorized</h1>', 'access-refused'],
    [403, problem(403, 'You are not authorized.'), 'access-refused'],
    [404, problem(404, `Could not find Application Credential: ${ACCESS.id}.`), 'access-not-found'],
    [404, problem(404, 'Could not find application_credential'), 'access-not-found'],
    [404, problem(404, 'Unable to validate token because project p1 is disabled'), 'project-disabled'],
    [404, problem(404, 'Could not find Project: p1.'), 'project-disabled'],
    [404, '{"message":"no Route matched with those values"}', 'wrong-identity-url'],
    [404, '<!doctype html><title>404 Not Found</title>', 'wrong-identity-url'],
    [404, '', 'wrong-identity-url'],
    [405, '<h1>Method Not Allowed</h1>', 'wrong-identity-url'],
    [300, '{"versions":{"values":[]}}', 'wrong-identity-url'],
    [400, problem(400, 'Invalid input'.repeat(100)), 'service-failed'],
    [413, '<h1>Request Entity Too Large</h1>', 'service-failed'],
  ])('with status %s and body “%s” means “%s”', async (status, body, kind) => {
    const service = await answering(status, body, body.startsWith('{') ? JSON_TYPE : 'text/html');
    const failure = await failureOf(client().issue(at(service)));
    expect(failure).toMatchObject({ kind });
    expect(service.requests).toHaveLength(1);
    const text = inspect(failure, { depth: 20 });
    for (const secret of [ACCESS.id, ACCESS.secret, 'Invalid input']) expect(text).not.toContain(secret);
  });
});

describe('the sandbox’s identity service', () => {
  let identity: IdentityService;

  beforeEach(async () => {
    identity = await startIdentity({ now: () => NOW, slowFor: 10 });
    onTestFinished(identity.close);
  });

  const issue = () => client().issue({ authUrl: identity.authUrl, ...identity.accesses.good });

  it('issues a token with all its details', async () => {
    expect(await issue()).toEqual({
      token: expect.stringMatching(/^gAAAAA[\w-]{198}$/),
      expiresAt: NOW + HOUR,
      project: 'prod',
      user: 'sandbox',
      roles: ['member'],
      isRestricted: true,
      computeUrl: 'https://compute.sandbox.example/v2.1',
    });
  });

  it('accepts a token until it is revoked, and still accepts other tokens afterwards', async () => {
    const [one, other] = [await issue(), await issue()];
    const it = client();
    expect(await it.revoke(identity.authUrl, one.token)).toBe('revoked');
    expect(await it.revoke(identity.authUrl, one.token)).toBe('already-dead');
    expect([one, other].map(({ token }) => identity.isLive(token))).toEqual([false, true]);
  });
});

describe('revoking a token', () => {
  const behaving = (by: Record<string, [number, string?]>) =>
    serving(
      serve((request, response) => {
        const [status, body] = by[request.method ?? ''] ?? [500];
        json(response, body ?? '', status);
      }),
    );
  const gone = JSON.stringify({ error: { code: 404, message: 'Could not find token.' } });

  it.each([
    [{ DELETE: [204] }, 'revoked'],
    [{ DELETE: [200, 'ok'] }, 'revoked'],
    [{ DELETE: [401], GET: [401] }, 'already-dead'],
    [{ DELETE: [401], GET: [404, gone] }, 'already-dead'],
    [{ DELETE: [401], GET: [200] }, 'refused'],
    [{ DELETE: [401], GET: [405] }, 'refused'],
    [{ DELETE: [405] }, 'not-offered'],
    [{ DELETE: [403] }, 'not-offered'],
    [{ DELETE: [404], GET: [200] }, 'not-offered'],
    [{ DELETE: [404], GET: [404] }, 'not-offered'],
    [{ DELETE: [404], GET: [405] }, 'not-offered'],
    [{ DELETE: [404, gone], GET: [404, gone] }, 'already-dead'],
    [{ DELETE: [404, gone], GET: [401] }, 'already-dead'],
    [{ DELETE: [404, gone], GET: [200] }, 'not-offered'],
  ] as [Record<string, [number, string?]>, string][])(
    'with the answers %j ends as “%s”',
    async (by, outcome) => {
      const service = await behaving(by);
      expect(await client().revoke(`${service.url}/v3`, TOKEN)).toBe(outcome);
      const [request] = service.requests;
      expect(request).toMatchObject({ method: 'DELETE', url: '/v3/auth/tokens', body: '' });
      expect(request?.headers).toMatchObject({ 'x-auth-token': TOKEN, 'x-subject-token': TOKEN });
    },
  );

  it('is retried after a broken connection', async () => {
    const service = await serving(
      serve((request, response, nth) =>
        nth === 1 ? request.socket.resetAndDestroy() : response.writeHead(204).end(),
      ),
    );
    expect(await client().revoke(`${service.url}/v3`, TOKEN)).toBe('revoked');
  });

  it('never shows the token in a failure', async () => {
    for (const status of [400, 500, 418]) {
      const service = await behaving({ DELETE: [status, TOKEN], GET: [status, TOKEN] });
      const failure = await failureOf(client().revoke(`${service.url}/v3`, TOKEN));
      expect(failure).toMatchObject({ kind: 'service-failed', data: { status } });
      expect(inspect(failure, { depth: 20 })).not.toContain(TOKEN);
    }
  });
});
