import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Failure } from '../../src/domain/failure/index.ts';
import {
  createGuardedHttp,
  type ExchangeInfo,
  type GuardedHttp,
  type ServiceRequest,
} from '../../src/http/client.ts';
import { failureMessage } from '../../src/slack/reply/error-reply.ts';
import { textOf } from '../support/bot.ts';
import { waitUntil } from '../support/wait-until.ts';
import { closedPort, failureOf, json, serve, serveRaw, serving } from './service.ts';

function http(options: Partial<Parameters<typeof createGuardedHttp>[0]> = {}): GuardedHttp {
  const limits = { pause: 1, ...options.limits };
  const it = createGuardedHttp({ trustedHosts: [{ host: '127.0.0.1' }], ...options, limits });
  onTestFinished(it.close);
  return it;
}

const ask = (on: GuardedHttp, url: string, more: Partial<ServiceRequest> = {}) =>
  on.request({
    service: 'billing',
    method: 'POST',
    url,
    headers: { 'x-user-token': 's3cret' },
    body: '{}',
    secrets: ['s3cret'],
    ...more,
  });

const of = (workspace: string, connection = 'main'): Partial<ServiceRequest> => ({
  tenant: { workspace, connection },
});

describe('an answer from a service', () => {
  it('is returned with its status, headers and text', async () => {
    const service = await serving(
      serve((_, response) => {
        response.writeHead(201, { 'X-Subject-Token': 'abc', 'X-Twice': ['a', 'b'] });
        response.end('grüß');
      }),
    );
    const reply = await ask(http(), `${service.url}/auth/tokens?nocatalog`);
    expect(reply).toMatchObject({
      status: 201,
      headers: { 'x-subject-token': 'abc', 'x-twice': 'a, b' },
      text: 'grüß',
    });
    expect(service.requests[0]).toMatchObject({ method: 'POST', url: '/auth/tokens?nocatalog', body: '{}' });
  });

  it('may be empty, in reply to a HEAD, DELETE or GET request', async () => {
    const service = await serving(serve((_, response) => response.writeHead(204).end()));
    const it = http();
    for (const method of ['HEAD', 'DELETE', 'GET'] as const) {
      const reply = await it.request({
        service: 'identity',
        method,
        url: service.url,
        headers: {},
        secrets: [],
      });
      expect(reply).toMatchObject({ status: 204, text: '' });
    }
  });

  it.each([400, 401, 403, 404, 418])('with status %i is returned without a retry', async (status) => {
    const service = await serving(serve((_, response) => json(response, 'no', status)));
    expect(await ask(http(), service.url)).toMatchObject({ status, text: 'no' });
    expect(service.requests).toHaveLength(1);
  });

  it('with status 401 is returned even if its body breaks off', async () => {
    const service = await serving(
      serveRaw((socket) => {
        socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 100\r\n\r\nabc');
      }),
    );
    expect(await ask(http(), service.url)).toMatchObject({ status: 401, text: '' });
  });
});

describe('the HTTP client’s connections', () => {
  it('are limited, and one workspace can use at most a quarter of them', async () => {
    let underWay = 0;
    let most = 0;
    const service = await serving(
      serve((_, response) => {
        underWay += 1;
        most = Math.max(most, underWay);
        setTimeout(() => {
          underWay -= 1;
          json(response, '{}');
        }, 5);
      }),
    );
    const it = http({ limits: { connections: 8 } });
    const many = (tenant: string) => Array.from({ length: 30 }, () => ask(it, service.url, of(tenant)));
    expect(await Promise.all(many('T1'))).toHaveLength(30);
    expect(most).toBe(2);
    expect(await Promise.all(['T1', 'T2', 'T3', 'T4', 'T5'].flatMap(many))).toHaveLength(150);
    expect(most).toBe(6);
  });

  it('are closed together with the client', async () => {
    const service = await serving(serve((_, response) => json(response, '""')));
    const it = http();
    const asking = ask(it, service.url);
    expect(it.inProgress()).toBe(1);
    await asking;
    expect(it.inProgress()).toBe(0);
    await it.close();
    await waitUntil(() => service.open() === 0);
    expect(await failureOf(ask(it, service.url))).toMatchObject({ kind: 'service-unreachable' });
  });

  it('use no proxy from the environment', async () => {
    const before = process.env.http_proxy;
    process.env.http_proxy = `http://127.0.0.1:${await closedPort()}`;
    try {
      const service = await serving(serve((_, response) => json(response, '{}')));
      expect(await ask(http(), service.url)).toMatchObject({ status: 200 });
    } finally {
      if (before === undefined) delete process.env.http_proxy;
      else process.env.http_proxy = before;
    }
  });
});

describe('the deadline of a request', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n';
  const drip = (socket: Socket, first: string) => {
    socket.write(first);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it.each([
    ['accepts the request and never answers', () => {}],
    ['hangs after its headers', (socket: Socket) => void socket.write(head)],
    ['sends its body very slowly', (socket: Socket) => drip(socket, head)],
    ['sends its headers very slowly', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-long: ')],
  ])('ends the wait for a service that %s', async (_, talk) => {
    let asked = 0;
    let closed = 0;
    const service = await serving(
      serveRaw((socket) => {
        socket.once('data', () => {
          asked += 1;
          talk(socket);
        });
        socket.on('close', () => {
          closed += 1;
        });
      }),
    );
    const failure = await failureOf(ask(http({ limits: { deadline: 400 } }), service.url));
    expect(failure).toMatchObject({
      kind: 'timed-out',
      host: `127.0.0.1:${service.port}`,
      data: { service: 'billing', after: 400 },
    });
    await waitUntil(() => closed > 0);
    expect(asked).toBe(1);
  });

  it('also ends a DNS lookup that never finishes', async () => {
    const it = http({ limits: { deadline: 100 }, resolve: () => new Promise(() => {}) });
    expect(await failureOf(ask(it, 'https://api.example.com'))).toMatchObject({
      kind: 'service-unreachable',
      data: { code: 'UND_ERR_CONNECT_TIMEOUT' },
    });
  });

  it('applies to the first try and the retry together', async () => {
    const service = await serving(
      serveRaw((socket, nth) => {
        if (nth < 2) socket.destroy();
      }),
    );
    expect(await failureOf(ask(http({ limits: { deadline: 600 } }), service.url))).toMatchObject({
      kind: 'timed-out',
    });
    expect(service.connections()).toBeGreaterThanOrEqual(2);
  });

  it('makes the request fail at once if a retry would come too late', async () => {
    const service = await serving(serve((_, response) => json(response, '', 503)));
    const limits = { deadline: 5000, pause: 60_000 };
    expect(await failureOf(ask(http({ limits }), service.url))).toMatchObject({ kind: 'service-failed' });
    expect(service.requests).toHaveLength(1);
  });
});

describe('a retry', () => {
  it.each([500, 502, 503, 504])('succeeds after an answer with status %i', async (status) => {
    const service = await serving(serve((_, response, nth) => json(response, '"x"', nth < 2 ? status : 200)));
    expect(await ask(http(), service.url)).toMatchObject({ text: '"x"' });
    expect(service.requests).toHaveLength(2);
  });

  it('happens only once, and the status of the second answer is reported', async () => {
    const service = await serving(serve((_, response) => json(response, '', 502)));
    expect(await failureOf(ask(http(), service.url))).toMatchObject({
      kind: 'service-failed',
      data: { status: 502 },
    });
    expect(service.requests).toHaveLength(2);
  });

  it('is not sent if the status is 501, or if the caller forbids a retry', async () => {
    const service = await serving(serve((_, response, nth) => json(response, '', nth === 1 ? 501 : 503)));
    expect(await failureOf(ask(http(), service.url))).toMatchObject({ data: { status: 501 } });
    expect(service.requests).toHaveLength(1);
    expect(await failureOf(ask(http(), service.url, { once: true }))).toMatchObject({
      data: { status: 503 },
    });
    expect(service.requests).toHaveLength(2);
  });

  it.each([
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
    ['closed', (socket: Socket) => socket.end()],
  ])('is sent after the connection was %s', async (_, hangUp) => {
    const service = await serving(
      serveRaw((socket, nth) => {
        socket.once('data', () => {
          if (nth < 2) hangUp(socket);
          else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        });
      }),
    );
    expect(await ask(http(), service.url)).toMatchObject({ text: '{}' });
    expect(service.connections()).toBe(2);
  });

  it('is sent if the service closes an idle connection just as Tally uses the connection again', async () => {
    const service = await serving(
      serveRaw((socket) => {
        let nth = 0;
        socket.on('data', () => {
          nth += 1;
          if (nth > 1) socket.resetAndDestroy();
          else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        });
      }),
    );
    const it = http();
    await ask(it, service.url);
    expect(await ask(it, service.url)).toMatchObject({ text: '{}' });
    expect(service.connections()).toBe(2);
  });

  it('is sent after an answer breaks off, and a second failure is reported', async () => {
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a"';
    const healing = await serving(
      serveRaw((socket, nth) => {
        socket.once('data', () =>
          socket.end(nth === 1 ? half : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
        );
      }),
    );
    expect(await ask(http(), healing.url)).toMatchObject({ text: '{}' });
    const broken = await serving(serveRaw((socket) => socket.once('data', () => socket.end(half))));
    const failure = await failureOf(ask(http(), broken.url));
    expect(failure).toMatchObject({ kind: 'invalid-response', data: { what: 'it was cut off' } });
    expect(broken.connections()).toBe(2);
  });
});

describe('a request to a name without an address', () => {
  it.each([
    [
      'after one lookup if the name is unknown',
      'https://nowhere.example.com',
      'ENOTFOUND',
      'no public address',
      1,
    ],
    [
      'after two lookups if the DNS server gives no answer',
      'https://api.example.com',
      'EAI_AGAIN',
      'no public address',
      2,
    ],
    ['with the DNS error if the name is trusted', 'http://billing', 'ENOTFOUND', 'ENOTFOUND', 1],
  ] as const)('fails %s', async (_, url, dns, code, tries) => {
    let lookups = 0;
    const it = http({
      trustedHosts: [{ host: 'billing' }],
      resolve() {
        lookups += 1;
        return Promise.reject(Object.assign(new Error(dns), { code: dns }));
      },
    });
    expect(await failureOf(ask(it, url))).toMatchObject({ kind: 'service-unreachable', data: { code } });
    expect(lookups).toBe(tries);
  });
});

describe('a service that asks Tally to slow down', () => {
  const limiting = (headers: Record<string, string>) =>
    serving(
      serve((_, response, nth) => {
        if (nth > 1) json(response, '"now"');
        else response.writeHead(429, headers).end();
      }),
    );

  it.each([
    ['a 429 with a number of seconds', { 'retry-after': '0' }],
    ['a 429 without a time', {}],
    ['a 429 with an unreadable time', { 'retry-after': 'soon' }],
  ])('gets a second request after %s if there is time', async (_, headers) => {
    const service = await limiting(headers);
    expect(await ask(http(), service.url)).toMatchObject({ text: '"now"' });
  });

  it('gets the next request only after the time that it asked for', async () => {
    let rested = false;
    const service = await serving(
      serve((_, response, nth) => {
        if (nth === 1) setTimeout(() => (rested = true), 800);
        response.writeHead(rested ? 200 : 429, { 'retry-after': '1' }).end();
      }),
    );
    expect(await ask(http(), service.url)).toMatchObject({ status: 200 });
    expect(service.requests).toHaveLength(2);
  });

  it('gets no second request if the time to wait is longer than the deadline', async () => {
    const service = await limiting({ 'retry-after': '3600' });
    const failure = await failureOf(ask(http(), service.url));
    expect(failure).toMatchObject({ kind: 'rate-limited', data: { service: 'billing', retryAfter: 3600 } });
    expect(service.requests).toHaveLength(1);
  });
});

describe('the requests of several workspaces to one service', () => {
  /** Keeps the requests that `holds` selects waiting, and records the order of requests. */
  async function holding(holds: (url: string) => boolean) {
    const held: (() => void)[] = [];
    const service = await serving(
      serve(({ url = '' }, response) => {
        if (holds(url)) held.push(() => json(response, '{}'));
        else json(response, '{}');
      }),
    );
    const paths = () => service.requests.map(({ url }) => url.slice(1));
    return { service, held, paths };
  }

  it('are answered within a second while 500 requests of another workspace hang', async () => {
    const { service, paths } = await holding((url) => url === '/A');
    const it = http();
    const flood = Array.from({ length: 500 }, () => ask(it, `${service.url}/A`, of('A')));
    for (const one of flood) one.catch(() => {});
    await waitUntil(() => paths().length >= 8);
    const began = performance.now();
    const replies = await Promise.all(Array.from({ length: 13 }, () => ask(it, `${service.url}/B`, of('B'))));
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(replies.map(({ status }) => status)).toEqual(Array(13).fill(200));
    await service.close();
    await Promise.allSettled(flood);
  });

  it('never wait for background requests, which use at most a quarter of the connections', async () => {
    const { service, held, paths } = await holding((url) => url.startsWith('/background'));
    const it = http({ limits: { connections: 4 } });
    const late = ['A', 'B'].map((tenant) =>
      ask(it, `${service.url}/background-${tenant}`, { ...of(tenant), priority: 'background' }),
    );
    await waitUntil(() => held.length === 1);
    for (const tenant of ['A', 'B', 'C', 'D']) await ask(it, `${service.url}/${tenant}`, of(tenant));
    expect(held).toHaveLength(1);
    held.pop()?.();
    await waitUntil(() => held.length === 1);
    held.pop()?.();
    await Promise.all(late);
    expect(paths()).toEqual(['background-A', 'A', 'B', 'C', 'D', 'background-B']);
  });

  it('fail if they wait too long for their turn', async () => {
    const { service, held } = await holding(() => true);
    const it = http({ limits: { connections: 2, queueTimeout: 50 } });
    const first = ask(it, service.url, of('A'));
    await waitUntil(() => held.length === 1);
    expect(await failureOf(ask(it, service.url, of('A')))).toMatchObject({
      kind: 'queue-full',
      data: { service: 'billing' },
    });
    expect(held).toHaveLength(1);
    held[0]?.();
    expect(await first).toMatchObject({ status: 200 });
    const third = ask(it, service.url, of('A'));
    await waitUntil(() => held.length === 2);
    held[1]?.();
    expect(await third).toMatchObject({ status: 200 });
  });
});

describe('a large answer', () => {
  it.each([
    ['announces too large a size', 'content-length: 2000000'],
    ['never ends', 'transfer-encoding: chunked'],
  ])('is not read to the end if it %s', async (_, header) => {
    const chunk = header.startsWith('t') ? `400\r\n${'x'.repeat(1024)}\r\n` : 'x'.repeat(1024);
    let asked = 0;
    const service = await serving(
      serveRaw((socket) => {
        socket.once('data', () => {
          asked += 1;
          socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`);
          const pour = () => {
            while (!socket.destroyed && socket.write(chunk));
          };
          socket.on('drain', pour);
          pour();
        });
      }),
    );
    const failure = await failureOf(ask(http({ limits: { bodyBytes: 100_000 } }), service.url));
    expect(failure).toMatchObject({ kind: 'response-too-large', data: { most: '98 KB' } });
    await waitUntil(() => service.open() === 0);
    expect(asked).toBe(1);
  });

  it('with exactly the maximum number of bytes is accepted', async () => {
    const service = await serving(serve((_, response) => response.end('x'.repeat(1000))));
    expect((await ask(http({ limits: { bodyBytes: 1000 } }), service.url)).text).toHaveLength(1000);
  });

  it('is refused if its headers are too large', async () => {
    const service = await serving(
      serveRaw((socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`)),
    );
    expect(await failureOf(ask(http(), service.url))).toMatchObject({ kind: 'invalid-response' });
  });
});

it('a response that is not HTTP is reported as such', async () => {
  const other = (socket: Socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  const service = await serving(serveRaw((socket) => void other(socket)));
  expect(await failureOf(ask(http(), service.url))).toMatchObject({
    kind: 'invalid-response',
    data: { what: 'something that is not HTTP' },
  });
});

describe('a redirect', () => {
  it.each([
    ['https://elsewhere.example.com/login?next=1#a', 'https://elsewhere.example.com/login'],
    ['https://user:word@elsewhere.example.com/', 'https://elsewhere.example.com/'],
    ['//other.example.com/x', 'http://other.example.com/x'],
    ['http://[', 'an unreadable address'],
    ['javascript:alert(1)', 'an unreadable address'],
    ['', 'an unreadable address'],
  ])('to “%s” is reported as “%s”', async (location, target) => {
    const service = await serving(serve((_, response) => response.writeHead(302, { location }).end()));
    const failure = await failureOf(ask(http(), service.url));
    expect(failure).toMatchObject({ kind: 'redirect-refused', data: { status: 302, target } });
  });

  it('is reported with the first 300 characters of its target URL', async () => {
    const location = `https://elsewhere.example.com/${'a'.repeat(1_000)}`;
    const service = await serving(serve((_, response) => response.writeHead(302, { location }).end()));
    const failure = await failureOf(ask(http(), service.url));
    expect(failure).toMatchObject({ data: { target: location.slice(0, 300) } });
  });

  it.each([300, 304, 399])(
    'is not reported for status %i if the answer has no target address',
    async (status) => {
      const service = await serving(serve((_, response) => response.writeHead(status).end()));
      const what = `HTTP ${status} instead of an answer`;
      expect(await failureOf(ask(http(), service.url))).toMatchObject({
        kind: 'invalid-response',
        data: { what },
      });
    },
  );

  it.each([301, 303, 307, 308])('with status %i is not followed', async (status) => {
    const other = await serving(serve((_, response) => json(response, '{}')));
    const service = await serving(
      serve((_, response) => response.writeHead(status, { location: `${other.url}/there` }).end()),
    );
    expect(await failureOf(ask(http(), service.url))).toMatchObject({
      data: { status, target: `${other.url}/there` },
    });
    expect(other.connections()).toBe(0);
    expect(service.requests).toHaveLength(1);
  });
});

describe('a private address', () => {
  it('gets no connection, in any spelling', async () => {
    const service = await serving(serve((_, response) => json(response, '{}')));
    const it = http({ trustedHosts: [] });
    const hosts = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]'];
    for (const host of hosts) {
      for (const scheme of ['http', 'https']) {
        const failure = await failureOf(ask(it, `${scheme}://${host}:${service.port}/`));
        expect(failure, host).toMatchObject({ kind: 'address-refused' });
      }
    }
    const failure = await failureOf(ask(it, `https://localhost:${service.port}/`));
    expect(failure).toMatchObject({ kind: 'service-unreachable', data: { code: 'no public address' } });
    expect(service.connections()).toBe(0);
  });

  it('gets no connection, even if its name also has a public address', async () => {
    const service = await serving(serve((_, response) => json(response, '{}')));
    let lookups = 0;
    const it = http({
      trustedHosts: [],
      resolve: async () => {
        lookups += 1;
        return [
          { address: '127.0.0.1', family: 4 },
          { address: '93.184.216.34', family: 4 },
        ];
      },
    });
    const failure = await failureOf(ask(it, `https://rebound.example.com:${service.port}/`));
    expect(failure).toMatchObject({ kind: 'service-unreachable', data: { code: 'no public address' } });
    expect(lookups).toBe(1);
    expect(service.connections()).toBe(0);
  });

  it('is reported like an unknown name, so that nobody can discover private names', async () => {
    const said = async (resolve: () => Promise<{ address: string; family: number }[]>) => {
      const exchanges: ExchangeInfo[] = [];
      const it = http({ trustedHosts: [], resolve, onExchange: (exchange) => exchanges.push(exchange) });
      const failure = (await failureOf(ask(it, 'https://db.corp.example.com'))) as Failure;
      return { reads: textOf(failureMessage(failure, {}).blocks), outcome: exchanges[0]?.outcome };
    };
    const unknown = await said(async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    });
    expect(unknown.reads).toContain('couldn’t be reached');
    for (const address of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '168.63.129.16', 'fd00:ec2::254'])
      expect(await said(async () => [{ address, family: address.includes(':') ? 6 : 4 }])).toEqual(unknown);
    expect(await said(async () => [])).toEqual(unknown);
  });

  it('is refused on a port other than the trusted one', async () => {
    const service = await serving(serve((_, response) => json(response, '{}')));
    const exchanges: ExchangeInfo[] = [];
    const it = http({
      trustedHosts: [{ host: '127.0.0.1', port: service.port + 1 }],
      onExchange: (exchange) => exchanges.push(exchange),
    });
    expect(await failureOf(ask(it, service.url))).toMatchObject({ kind: 'address-refused' });
    expect(exchanges).toMatchObject([{ outcome: 'address-refused' }]);
    expect(service.connections()).toBe(0);
  });

  it('is allowed if its name is trusted, even if another address of the name fails', async () => {
    const service = await serving(serve((_, response) => json(response, '{}')));
    const it = http({
      trustedHosts: [{ host: 'billing' }],
      resolve: async () => [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ],
    });
    expect(await ask(it, `http://billing:${service.port}/`)).toMatchObject({ status: 200 });
  });
});
