import { inspect } from 'node:util';
import { parse as parseGraphql } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BillingClient, createBillingClient } from '../../src/billing/client.ts';
import type { ProductId } from '../../src/domain/billing-products.ts';
import type { FailureOf } from '../../src/domain/failure/index.ts';
import { createGuardedHttp, type ExchangeInfo } from '../../src/http/client.ts';
import { failureOf, json, type Service, serve, serveRaw, serving } from '../http/service.ts';

const TOKEN = 'tok-3n-0f-secrecy';
const LONG_ID = '123456789012345678901234567890';
const project = { project: LONG_ID, product: 1 as ProductId };
const span = {
  from: Date.UTC(2026, 10, 14),
  to: Date.UTC(2026, 10, 20, 23, 59, 59, 999),
  zone: 'UTC',
  running: false,
  days: { first: '2026-11-14', last: '2026-11-20', today: '2026-11-21' },
};

function client(
  limits: Parameters<typeof createGuardedHttp>[0]['limits'] = {},
  onExchange?: (exchange: ExchangeInfo) => void,
): BillingClient {
  const http = createGuardedHttp({
    trustedHosts: [{ host: '127.0.0.1' }],
    ...(onExchange && { onExchange }),
    limits: { pause: 1, ...limits },
  });
  onTestFinished(http.close);
  return createBillingClient({ http });
}

const answering = (body: unknown, status = 200) =>
  serving(serve((_, response) => json(response, body, status)));
const access = (service: Service, token = TOKEN, workspace = 'T1') => ({
  workspace,
  connection: 'main',
  baseUrl: service.url,
  token,
});

const balanceOf = async (body: unknown, status = 200) =>
  client().balance(access(await answering(body, status)), project);
const consumptionOf = async (body: unknown, status = 200) =>
  client().consumption(access(await answering(body, status)), project, span);

describe('a request to billing', () => {
  it('asks for a balance as the API documentation shows, even with a 30-digit ID', async () => {
    const service = await answering('{"data":{"bill":{"getSubscriptionBalance":{"balance":1,"bonuses":2}}}}');
    await client().balance(access(service), project);
    expect(service.requests).toHaveLength(1);
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/bill/graphql' });
    const query = `query { bill { getSubscriptionBalance(externalSubscriptionId: ${LONG_ID}, productId: 1) { balance bonuses } } }`;
    expect(request?.body).toBe(JSON.stringify({ query }));
    expect(() => parseGraphql(query)).not.toThrow();
  });

  it('asks for charges as the API documentation shows, with times in UTC', async () => {
    const service = await answering(
      '{"data":{"bill":{"reportSubscriptionConsuming":{"items":[{"day":"x"}]}}}}',
    );
    await client().consumption(access(service), { project: '123', product: 3 }, span);
    const query =
      'query { bill { reportSubscriptionConsuming(filter: { periodFrom: "2026-11-14T00:00:00.000Z", ' +
      'periodTo: "2026-11-20T23:59:59.999Z", externalSubscriptionId: 123, productId: 3 }) ' +
      '{ items { day totalAmount totalBonuses } } } }';
    expect(service.requests[0]?.body).toBe(JSON.stringify({ query }));
    expect(() => parseGraphql(query)).not.toThrow();
  });

  it('carries the token only in the X-User-Token header', async () => {
    const service = await answering('{"data":{"bill":{"getSubscriptionBalance":{"balance":1}}}}');
    await client().balance(access(service), project);
    const { headers, body, url } = service.requests[0] ?? { headers: {}, body: '', url: '' };
    expect(headers).toMatchObject({
      'x-user-token': TOKEN,
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(headers.authorization).toBeUndefined();
    expect(headers.cookie).toBeUndefined();
    expect(body + url).not.toContain(TOKEN);
  });

  it.each(['', '0', '01', '1e3', '12 ', '-1', '1)', '1'.repeat(33), '１２'])(
    'is not sent for “%s”, which is not a project ID',
    async (id) => {
      const service = await answering('{}');
      const failure = await failureOf(client().balance(access(service), { project: id, product: 1 }));
      expect(failure).toBeInstanceOf(TypeError);
      expect(service.connections()).toBe(0);
    },
  );

  it.each([0, 4, 1.5, '1'])('is not sent for %j, which is not a product number', async (product) => {
    const service = await answering('{}');
    const asking = client().balance(access(service), { project: '1', product: product as ProductId });
    expect(await failureOf(asking)).toBeInstanceOf(TypeError);
    expect(service.connections()).toBe(0);
  });
});

describe('a balance', () => {
  const given = (record: string) => balanceOf(`{"data":{"bill":{"getSubscriptionBalance":${record}}}}`);

  it('keeps every digit of a number or a string', async () => {
    expect(await given('{"balance":123456789012345678901234567890.123456789,"bonuses":"1e-7"}')).toEqual({
      balance: { text: '123456789012345678901234567890.123456789' },
      bonuses: { text: '1e-7' },
      remarks: [],
    });
    expect(await given('{"balance":-0.10,"bonuses":1E+2}')).toMatchObject({
      balance: { text: '-0.10' },
      bonuses: { text: '1E+2' },
    });
  });

  it('has its missing and unreadable fields marked', async () => {
    expect(await given('{"balance":5,"bonuses":null}')).toMatchObject({ bonuses: { missing: true } });
    expect(await given('{"bonuses":5}')).toMatchObject({ balance: { missing: true } });
    expect(await given('{"balance":{"amount":1.50},"bonuses":[true]}')).toMatchObject({
      balance: { odd: '{"amount":1.50}' },
      bonuses: { odd: '[true]' },
    });
    expect(await given('{"balance":true,"bonuses":""}')).toMatchObject({
      balance: { odd: 'true' },
      bonuses: { text: '' },
    });
  });

  it('may come without a “data” level, and with fields that Tally did not ask for', async () => {
    const bare =
      '{"bill":{"getSubscriptionBalance":{"balance":1,"bonuses":2,"currency":"X"},"more":[]},"extensions":{}}';
    expect(await balanceOf(bare)).toEqual({ balance: { text: '1' }, bonuses: { text: '2' }, remarks: [] });
  });

  it('may come after a byte order mark, and with any 2xx status', async () => {
    const body = '\ufeff {"data":{"bill":{"getSubscriptionBalance":{"balance":1,"bonuses":2}}}}\r\n';
    expect(await balanceOf(body, 207)).toMatchObject({ balance: { text: '1' } });
  });

  it('keeps the GraphQL errors that came with it', async () => {
    const body = {
      errors: [{ message: 'bonuses are late' }, 'and so on', { code: 7 }],
      data: { bill: { getSubscriptionBalance: { balance: 1, bonuses: null } } },
    };
    expect(await balanceOf(body)).toMatchObject({
      balance: { text: '1' },
      remarks: ['bonuses are late', 'and so on', 'an error without a message'],
    });
  });

  it.each([
    '{"data":null}',
    '{"data":{"bill":null}}',
    '{"bill":null}',
    '{"data":{"bill":{"getSubscriptionBalance":null}}}',
    '{"data":{"bill":{"getSubscriptionBalance":{}}}}',
    '{"data":{"bill":{"getSubscriptionBalance":{"balance":null,"bonuses":null}}}}',
    '{"data":{"bill":null},"errors":[]}',
    '{"data":{"bill":null},"errors":null}',
  ])('counts as missing if billing answers %s', async (body) => {
    const failure = await failureOf(balanceOf(body));
    expect(failure).toMatchObject({
      kind: 'no-data',
      message: `No Cloud platform data for project ${LONG_ID}.`,
      data: { question: { project: LONG_ID, product: 1, days: undefined } },
    });
  });

  it.each([
    ['', 'an empty body'],
    [' \n', 'an empty body'],
    ['<!doctype html><p>Sign in</p>', 'HTML instead of JSON'],
    ['\n <html>', 'HTML instead of JSON'],
    ['hello', 'text that is not valid JSON'],
    ['null', 'JSON that is not an object'],
    ['[]', 'JSON that is not an object'],
    ['"x"', 'JSON that is not an object'],
    ['12', 'JSON that is not an object'],
    ['{}', 'JSON without “bill”'],
    ['{"data":{}}', 'JSON without “bill”'],
    ['{"data":5}', 'JSON without “bill”'],
    ['{"data":{"bill":[]}}', 'JSON without “bill”'],
    ['{"data":{"bill":{}}}', 'no balance record'],
    ['{"data":{"bill":{"getSubscriptionBalance":5}}}', 'no balance record'],
    ['{"data":{"bill":{"getSubscriptionBalance":{"bal', 'it was cut off'],
    ['{"data":{}', 'it was cut off'],
    ['{data:1}', 'text that is not valid JSON'],
    ['{"data":NaN}', 'text that is not valid JSON'],
    ['{"data":1} trailing', 'text that is not valid JSON'],
    ['{"data":{"bill":1,"bill":2}}', 'text that is not valid JSON'],
    ['{"__proto__":{"bill":{"getSubscriptionBalance":{"balance":1}}}}', 'JSON without “bill”'],
    ['{"data":{"__proto__":{"bill":{"getSubscriptionBalance":{"balance":1}}}}}', 'JSON without “bill”'],
  ])('is refused if billing answers %j: %s', async (body, what) => {
    const failure = await failureOf(balanceOf(body));
    expect(failure).toMatchObject({ kind: 'invalid-response', data: { service: 'billing', what } });
    expect((failure as Error).cause).toBeUndefined();
  });
});

describe('a consumption report', () => {
  const given = (items: string) =>
    consumptionOf(`{"data":{"bill":{"reportSubscriptionConsuming":${items}}}}`);

  it('keeps the order of its days and every digit of its amounts', async () => {
    const { charges, remarks } = await given(
      '{"items":[{"day":"2026-11-15","totalAmount":0.10,"totalBonuses":"0"},' +
        '{"day":1763164800000,"totalAmount":"-1234567890123456789.01","totalBonuses":null,"extra":{}}]}',
    );
    expect(charges).toMatchObject([
      { day: '2026-11-15', merged: 1, amount: { raw: '0.10' }, bonuses: { raw: '0' } },
      {
        day: '2025-11-15',
        amount: { raw: '-1234567890123456789.01' },
        bonuses: { unreadable: 'no value' },
      },
    ]);
    expect(remarks).toEqual([]);
  });

  it('converts each timestamp to a day in the workspace’s time zone', async () => {
    const items = '{"items":[{"day":"2026-11-15T02:00:00Z","totalAmount":1}]}';
    const service = await answering(`{"data":{"bill":{"reportSubscriptionConsuming":${items}}}}`);
    const dayIn = async (zone: string) =>
      (await client().consumption(access(service), project, { ...span, zone })).charges[0]?.day;
    expect([await dayIn('UTC'), await dayIn('America/New_York')]).toEqual(['2026-11-15', '2026-11-14']);
  });

  it('keeps its other items if some items are malformed', async () => {
    const { charges } = await given('{"items":[null,5.0,"x",[1],{"day":"2026-11-15"}]}');
    expect(charges.map(({ shown, amount }) => [shown, amount])).toEqual([
      ...['null', '5.0', '"x"', '[1]'].map((json) => [json, { unreadable: json }]),
      ['2026-11-15', { unreadable: 'no value' }],
    ]);
  });

  it('has its unreadable values shortened', async () => {
    const { charges } = await given(`{"items":[{"day":["${'x'.repeat(100_000)}"]}]}`);
    expect(charges[0]?.shown).toContain('["xxx');
    expect(JSON.stringify(charges).length).toBeLessThan(500);
  });

  it.each(['null', '{"items":null}', '{"items":[]}'])('counts as missing if it is %s', async (report) => {
    expect(await failureOf(given(report))).toMatchObject({
      kind: 'no-data',
      message: `No Cloud platform data for project ${LONG_ID}, 14–20 Nov.`,
    });
  });

  it.each([
    ['{}', 'no items list'],
    ['{"items":{}}', 'no items list'],
    ['{"items":"none"}', 'no items list'],
    ['[]', 'no consumption report'],
  ])('is refused if it is %s: %s', async (report, what) => {
    expect(await failureOf(given(report))).toMatchObject({ kind: 'invalid-response', data: { what } });
  });
});

describe('a refusal by billing', () => {
  it.each([
    [401, 'token-rejected'],
    [403, 'forbidden'],
    [404, 'service-failed'],
    [400, 'service-failed'],
    [418, 'service-failed'],
  ] as const)('with status %i is reported as “%s” without a retry', async (status, kind) => {
    const service = await answering('<html>no</html>', status);
    expect(await failureOf(client().balance(access(service), project))).toMatchObject({ kind });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    [200, '{"errors":[{"message":"unknown field"}]}'],
    [200, '{"errors":[{"message":"unknown field"}],"data":null}'],
    [200, '{"errors":[{"message":"unknown field"}],"data":{"bill":{}}}'],
    [200, '{"errors":[{"message":"unknown field"}],"data":{"bill":{"getSubscriptionBalance":null}}}'],
    [200, '{"errors":{"message":"unknown field"}}'],
    [400, '{"errors":["unknown field"]}'],
    [404, '{"errors":[{"message":"unknown field"}],"data":null}'],
  ])('shows the GraphQL errors of an answer with status %i: %s', async (status, body) => {
    const failure = await failureOf(balanceOf(body, status));
    expect(failure).toMatchObject({
      kind: 'query-rejected',
      data: { messages: ['unknown field'], status },
      message: `The billing service rejected the query for Cloud platform, project ${LONG_ID}.`,
    });
  });

  it('shows only a few messages, shortened without cutting a character in half', async () => {
    const errors = Array.from({ length: 20 }, () => ({ message: `a${'😀'.repeat(5000)}` }));
    const failure = (await failureOf(balanceOf({ errors }))) as FailureOf<'query-rejected'>;
    expect(failure.data.messages).toHaveLength(5);
    for (const message of failure.data.messages) expect(message).toBe(`a${'😀'.repeat(299)}`);
  });
});

describe('the access token', () => {
  const echo = (headers: NodeJS.Dict<string | string[]>) => String(headers['x-user-token']);

  it.each([
    [
      'a connection reset',
      () => serveRaw((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    ],
    [
      'an answer that is not HTTP',
      () => serveRaw((socket) => void socket.once('data', (data) => socket.end(data))),
    ],
    ['a timeout', () => serveRaw((socket) => void socket.resume())],
    [
      'an answer that repeats the token and breaks off',
      () =>
        serveRaw((socket) =>
          socket.once('data', (data) =>
            socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n${String(data)}`),
          ),
        ),
    ],
    ['an answer with status 500', () => serve(({ headers }, response) => json(response, echo(headers), 500))],
  ])('never appears in the error after %s', async (_, start) => {
    const service = await serving(start());
    const it = client({ deadline: 200 });
    for (let i = 0; i < 2; i += 1) {
      const failure = await failureOf(it.balance(access(service), project));
      expect(failure).toHaveProperty('kind');
      expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(TOKEN);
    }
  });

  it('does not appear even in part if a message is cut off inside the token', async () => {
    const errors = [{ message: `${'x'.repeat(295)}${TOKEN}` }];
    expect(await failureOf(balanceOf({ errors }))).toMatchObject({
      data: { messages: [`${'x'.repeat(295)}…`] },
    });
  });
});

describe('a report with many or unexpected items', () => {
  const items = (count: number, item: (n: number) => string) =>
    `{"data":{"bill":{"reportSubscriptionConsuming":{"items":[${Array.from({ length: count }, (_, n) => item(n)).join(',')}]}}}}`;
  const charge = (day: string) => `{"day":"${day}","totalAmount":1.10,"totalBonuses":0}`;
  const dayAt = (n: number) => new Date(span.to - n * 86_400_000).toISOString().slice(0, 10);

  it.each([
    ['1,056 items', 'empty items', items(1_057, () => '{}')],
    ['1,056 items', 'one day again and again', items(1_057, () => charge('2026-11-15'))],
    ['512 KB', 'a million empty items', items(1_000_000, () => '{}')],
    ['512 KB', 'one long text', `{"data":"${'x'.repeat(600_000)}"}`],
  ])('is refused if it has more than %s: %s', async (most, _, body) => {
    const failure = await failureOf(consumptionOf(body));
    expect(failure).toMatchObject({ kind: 'response-too-large' });
    expect((failure as Error).message).toMatch(`The billing service sent more than ${most}, `);
  });

  it('is accepted with exactly the maximum number of items', async () => {
    expect((await consumptionOf(items(1_056, () => charge('2026-11-15')))).charges).toMatchObject([
      { day: '2026-11-15', merged: 1_056, amount: { raw: '1161.6' } },
    ]);
  });

  it.each([
    [365, 8],
    [1_095, 8],
    [3_660, 2],
  ])('is accepted for %i days with %i items each', async (days, each) => {
    const service = await answering(items(each * days, (n) => charge(dayAt(Math.floor(n / each)))));
    const long = { ...span, from: span.to - days * 86_400_000 + 1 };
    const { charges } = await client().consumption(access(service), project, long);
    expect(charges).toHaveLength(days);
    expect(charges.every(({ merged }) => merged === each)).toBe(true);
  });

  it('is accepted with days that were not requested, and with unknown fields', async () => {
    const odd = `"currency":"EUR","tags":[{"a":[1,[2]]},null],"note":"${'x'.repeat(3_000)}"`;
    const body = items(140, (n) => charge(dayAt(n % 70)).replace('}', `,${odd}}`));
    const { charges } = await consumptionOf(body);
    expect(charges).toHaveLength(70);
    expect(charges[0]).toMatchObject({ merged: 2, amount: { raw: '2.2' } });
  });
});

describe('a token that the service repeats', () => {
  const SECRET = 'Zq81-hV_kW3pX9rT-2mN6bL7cD';
  const OTHER = 'aGf45jKe82LsWq03MzXy71RtUv96';
  const echo = (write: (token: string) => { body: string; status?: number; location?: string }) =>
    serving(
      serve(({ headers }, response) => {
        const { body, status = 200, location } = write(String(headers['x-user-token']));
        response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
        response.end(body);
      }),
    );
  const bill = (record: string) => `{"data":{"bill":${record}}}`;
  const ECHOES: readonly (readonly [string, Parameters<typeof echo>[0]])[] = [
    [
      'a balance',
      (token) => ({ body: bill(`{"getSubscriptionBalance":{"balance":"${token}","bonuses":"${token}"}}`) }),
    ],
    [
      'a field of a balance',
      (token) => ({ body: bill(`{"getSubscriptionBalance":{"balance":{"${token}":["${token}"]}}}`) }),
    ],
    [
      'an escaped balance',
      (token) => ({
        body: bill(
          `{"getSubscriptionBalance":{"balance":"${[...token].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}}`,
        ),
      }),
    ],
    [
      'items',
      (token) => ({
        body: bill(
          `{"reportSubscriptionConsuming":{"items":[{"day":"${token}","totalAmount":"${token}"},"${token}",{"${token}":1,"day":{"${token}":1}}]}}`,
        ),
      }),
    ],
    [
      'errors',
      (token) => ({
        body: `{"errors":[{"message":"bad ${token}"},"${Buffer.from(`x:${token}`).toString('base64')}"]}`,
      }),
    ],
    [
      'errors of a refusal',
      (token) => ({ status: 400, body: `{"errors":[{"message":"bad ${encodeURIComponent(token)}"}]}` }),
    ],
    [
      'the path of a redirect',
      (token) => ({ status: 302, body: '', location: `https://x.example/login/${token}/in` }),
    ],
    [
      'a piece of the token',
      (token) => ({ body: bill(`{"getSubscriptionBalance":{"balance":"not for ${token.slice(0, 15)}"}}`) }),
    ],
    ['the host of a redirect', (token) => ({ status: 307, body: '', location: `https://${token}.example/` })],
  ];

  it.each(ECHOES)('never appears in what the billing client returns: %s', async (_, write) => {
    const service = await echo(write);
    const it = client();
    const tokens = [SECRET, OTHER].map((token) => access(service, token));
    const asked = tokens.flatMap((one) => [it.balance(one, project), it.consumption(one, project, span)]);
    const kept = await Promise.all(asked.map((one) => one.catch((failure: unknown) => failure)));
    expect(kept).toHaveLength(4);
    const text = inspect(kept, { depth: 20, showHidden: true }).toLowerCase();
    for (const token of [SECRET, OTHER]) expect(text).not.toContain(token.slice(0, 10).toLowerCase());
  });
});

it.each([
  ['a page in place of an answer', '<html>Please sign in</html>', 200, 'invalid-response'],
  ['JSON of another service', { data: { invoice: 1 } }, 200, 'invalid-response'],
  ['an address that is gone', '<html>Not found</html>', 404, 'service-failed'],
  ['a query that billing rejects', { errors: [{ message: 'No such project' }] }, 404, 'query-rejected'],
  ['GraphQL errors with HTTP 200', { errors: [{ message: 'No such field' }] }, 200, 'query-rejected'],
  ['a rejected token', {}, 401, 'token-rejected'],
] as const)(
  'the client reports the outcome of a request that ends with %s',
  async (_, body, status, outcome) => {
    const exchanges: ExchangeInfo[] = [];
    const service = await answering(body, status);
    await failureOf(client({}, (exchange) => exchanges.push(exchange)).balance(access(service), project));
    expect(exchanges).toMatchObject([{ outcome }]);
  },
);
