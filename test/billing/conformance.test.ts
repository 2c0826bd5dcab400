import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BillingService, startBilling } from '../../sandbox/billing.ts';
import type { ServiceReply } from '../../sandbox/fake-service.ts';
import {
  type ConformanceParts,
  checkConformance,
  MAX_REQUESTS,
} from '../../src/billing/conformance/check.ts';
import { looksBinary } from '../../src/billing/conformance/judge.ts';
import { POINT_IDS, type PointId } from '../../src/billing/conformance/points.ts';
import { closedPort, json, type Service, serve, serveRaw } from '../http/service.ts';
import { answerWith } from '../support/service-replies.ts';

const NOW = Date.parse('2026-11-23T10:15:30.123Z');

let billing: BillingService;
let token: string;
beforeEach(async () => {
  billing = await startBilling({ now: () => NOW, slowFor: 20 });
  token = billing.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
});
afterEach(() => billing.close());

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0)) await release();
});

const check = (parts: Partial<ConformanceParts> = {}) =>
  checkConformance({
    baseUrl: billing.url,
    token,
    trustedHosts: [{ host: '127.0.0.1' }],
    subscription: { project: '123', product: 1 },
    zone: 'UTC',
    clock: () => NOW,
    ...parts,
    limits: { deadline: 5_000, shortestBackoff: 1, longestBackoff: 2, ...parts.limits },
  });

/** @returns the points that failed, with what came, and those that passed by ID */
async function verdicts(parts?: Partial<ConformanceParts>) {
  const { points } = await check(parts);
  const of = (verdict: string) => points.filter((point) => point.verdict === verdict);
  return {
    failed: Object.fromEntries(of('fail').map(({ id, came }) => [id, came])),
    passed: of('pass').map(({ id }) => id),
  };
}

const failedIds = async (parts?: Partial<ConformanceParts>): Promise<string[]> =>
  Object.keys((await verdicts(parts)).failed);

/** A service of its own in place of the sandbox's. */
async function at(service: Promise<{ readonly url: string; close(): Promise<void> }>): Promise<string> {
  const { url, close } = await service;
  releases.push(close);
  return url;
}

const chargesAs = (items: object[]) => billing.setItems('123', JSON.stringify(items));
const item = (day: unknown, totalAmount: unknown = '10.50') => ({ day, totalAmount, totalBonuses: '0.00' });

/** Answers what `change` makes of the sandbox's answer. */
function answering(change: (answer: string, query: string) => string): void {
  billing.respond(async ({ query, token: label }) => {
    if (label !== 'Read-only') return undefined;
    billing.respond(undefined);
    const headers = { 'content-type': 'application/json', 'x-user-token': token };
    const asked = await fetch(`${billing.url}/bill/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    const body = change(await asked.text(), query);
    answering(change);
    return { status: asked.status, headers: { 'Content-Type': 'application/json' }, body };
  });
}

describe('a service that answers as the contract says', () => {
  it('conforms in every point, after thirteen questions', async () => {
    const { conforms, points, requests, attempts } = await check();
    expect(points.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(points.map(({ id }) => id)).toEqual(POINT_IDS);
    expect({ conforms, requests, attempts }).toEqual({
      conforms: true,
      requests: MAX_REQUESTS,
      attempts: MAX_REQUESTS,
    });
    expect(billing.requests).toHaveLength(MAX_REQUESTS);
  });

  it.each(['slow', 'burning'])(
    'conforms in the mode %s, which Tally takes, too',
    async (mode) => {
      answerWith(billing, mode);
      expect(await failedIds()).toEqual([]);
    },
  );

  it('may ask to wait before each answer', async () => {
    const seen = new Set<string>();
    billing.respond(({ query, token: label }) => {
      if (label !== 'Read-only' || seen.has(query)) return undefined;
      seen.add(query);
      return { ...reply({}, 429), headers: { 'Retry-After': '0' } };
    });
    const { conforms, requests, attempts } = await check();
    expect({ conforms, requests, attempts }).toEqual({
      conforms: true,
      requests: MAX_REQUESTS,
      attempts: MAX_REQUESTS + seen.size,
    });
  });

  it.each([
    ['456', 1],
    ['789', 2],
    ['31415926535897932384626433832795', 3],
    ['1001', 1],
    ['1002', 1],
  ] as const)('conforms for the project %s', async (project, product) => {
    expect(await failedIds({ subscription: { project, product } })).toEqual([]);
  });

  it('is asked with Tally’s own documents, and with the right token except for what is to be refused', async () => {
    await check();
    expect(billing.requests.map((request) => request.token)).toEqual([
      ...Array.from({ length: 9 }, () => 'Read-only'),
      ...['unknown', 'unknown', 'none', 'none'],
    ]);
    const periods = billing.requests.flatMap(({ query }) => {
      const [, from, to] = /periodFrom: "([^"]+)", periodTo: "([^"]+)"/.exec(query) ?? [];
      return from === undefined ? [] : [[from, to]];
    });
    expect(periods).toEqual([
      ['2026-10-23T00:00:00.000Z', '2026-11-22T23:59:59.999Z'],
      ['2026-11-21T00:00:00.000Z', '2026-11-21T23:59:59.999Z'],
      ['2026-11-21T00:00:00.000Z', '2026-11-23T10:15:30.123Z'],
      ['2001-01-01T00:00:00.000Z', '2001-01-01T23:59:59.999Z'],
      ...Array.from({ length: 4 }, () => ['2026-11-21T00:00:00.000Z', '2026-11-21T23:59:59.999Z']),
    ]);
  });

  it('may leave days out, send them in any order, and list 2001 with zero', async () => {
    billing.respond(({ query, token: label }) => {
      const isAsked =
        query.includes('periodFrom') && query.includes('externalSubscriptionId: 123, productId: 1');
      if (label !== 'Read-only' || !isAsked) return undefined;
      const day = /periodFrom: "(\S{10})/.exec(query)?.[1];
      const all = [item('2026-11-22'), item('2026-11-10'), item('2026-11-12')];
      const items = day === '2001-01-01' ? [item(day, 0)] : all.filter((it) => String(it.day) >= String(day));
      return reply({ data: { bill: { reportSubscriptionConsuming: { items } } } });
    });
    expect(await failedIds()).toEqual([]);
  });
});

const reply = (body: unknown, status = 200): ServiceReply => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('the sandbox in a broken mode fails', () => {
  it.each<[string, PointId[]]>([
    ['reset', ['reach']],
    ['html', ['json']],
    ['redirect', ['redirect']],
    ['too-large', ['size']],
    ['truncated', ['json']],
    ['401', ['token']],
    ['403', ['token']],
    ['429', ['rate-limit']],
    ['500', ['http']],
    ['no-data', ['balance', 'spend']],
    ['empty', ['balance', 'spend']],
    ['query-rejected', ['balance', 'spend']],
    ['wrong-shape', ['balance', 'spend']],
  ])('%s: only the points %j', async (mode, ids) => {
    answerWith(billing, mode);
    const { conforms, points } = await check();
    expect(conforms).toBe(false);
    const failed = points.filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ id }) => id)).toEqual(ids);
    for (const { otherwise, query } of failed) {
      expect(otherwise).toBeTypeOf('string');
      expect(query).toMatch(/^query \{ bill/);
    }
  });

  it('time alone, after one request, when it hangs', async () => {
    answerWith(billing, 'hang');
    const { points, requests } = await check({ limits: { deadline: 200 } });
    expect(points.filter(({ verdict }) => verdict !== 'not checked').map(({ id }) => id)).toEqual(['time']);
    expect(requests).toBe(1);
  });

  it('the points that it answers with 429, and tells the wait that it asks for', async () => {
    answerWith(billing, '429');
    expect((await verdicts()).failed).toEqual({ 'rate-limit': expect.stringContaining('Retry-After: 20 s') });
  });
});

describe('a service that is not there', () => {
  it('is not reached', async () => {
    const { failed } = await verdicts({ baseUrl: `http://127.0.0.1:${await closedPort()}` });
    expect(failed).toEqual({ reach: expect.stringContaining('ECONNREFUSED') });
  });

  it('is not asked over plain http, unless its host is trusted', async () => {
    const { failed } = await verdicts({ trustedHosts: [] });
    expect(failed).toEqual({ reach: expect.stringContaining('does not begin with https://') });
    expect(billing.requests).toEqual([]);
  });

  it('is not asked over plain http where the address has https', async () => {
    const { failed } = await verdicts({ baseUrl: billing.url.replace('http:', 'https:') });
    expect(Object.keys(failed)).toEqual(['reach']);
    expect(billing.requests).toEqual([]);
  });
});

describe('a service that speaks another HTTP', () => {
  it.each<[PointId, Record<string, string>]>([
    ['compression', { 'content-encoding': 'gzip' }],
    ['json', { 'content-type': 'text/html' }],
  ])('fails in %s', async (id, headers) => {
    const baseUrl = await at(serve((_, response) => response.writeHead(200, headers).end('<p>Sign in</p>')));
    expect(await failedIds({ baseUrl })).toEqual([id]);
  });

  it('fails in json when it is not UTF-8', async () => {
    const baseUrl = await at(serve((_, response) => response.end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))));
    expect(await failedIds({ baseUrl })).toEqual(['json']);
  });

  it.each([
    ['a list', '[{"data":null}]'],
    ['a text', '"{}"'],
    ['a name given twice', '{"data":{"bill":null,"bill":{}}}'],
    ['deep nesting', `{"data":${'['.repeat(1_000)}${']'.repeat(1_000)}}`],
  ])('fails in json when it sends %s', async (_, body) => {
    const baseUrl = await at(serve((_, response) => json(response, body)));
    expect(await failedIds({ baseUrl })).toEqual(['json']);
  });

  it('fails in http when it finds nothing at the path', async () => {
    const { failed } = await verdicts({ baseUrl: `${billing.url}/other` });
    expect(failed).toEqual({ http: expect.stringContaining('HTTP 404: Not found') });
  });

  it('fails in keep-alive when it breaks connections that it has kept', async () => {
    const balance = JSON.stringify({
      data: { bill: { getSubscriptionBalance: { balance: 1, bonuses: 0 } } },
    });
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${balance.length}\r\n\r\n`;
    const baseUrl = await at(
      serveRaw((socket, nth) =>
        nth === 1
          ? socket.once('data', () => socket.write(head + balance)).on('data', () => {})
          : socket.destroy(),
      ),
    );
    const { failed } = await verdicts({ baseUrl, limits: { deadline: 1_000, keepAlive: 1 } });
    expect(Object.keys(failed)).toEqual(['keep-alive']);
  });

  it('passes when each answer ends its connection, which the table says', async () => {
    const service: Service = await serve(async ({ headers }, response, nth) => {
      const { 'x-user-token': sent } = headers;
      const asked = await fetch(`${billing.url}/bill/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(sent !== undefined && { 'x-user-token': `${sent}` }),
        },
        body: service.requests[nth - 1]?.body ?? '',
      });
      response.setHeader('connection', 'close');
      json(response, await asked.text(), asked.status);
    });
    const baseUrl = await at(Promise.resolve(service));
    const { points, conforms } = await check({ baseUrl });
    expect(conforms).toBe(true);
    expect(points.find(({ id }) => id === 'keep-alive')?.came).toContain('ends its connection');
  });
});
describe('a service that answers with other figures fails', () => {
  const failsIn = async (...ids: PointId[]) => expect(await failedIds()).toEqual(ids);

  it('balance, when the bonuses are missing', async () => {
    billing.setBalance('123', '{"balance":"1.00"}');
    await failsIn('balance');
  });

  it('amounts, when one is no decimal', async () => {
    billing.setBalance('123', '{"balance":"1.234,50 EUR","bonuses":0}');
    await failsIn('amounts');
  });

  it('amounts, when one of the charges has none, and names the day', async () => {
    answering((answer) => answer.replace(/(?<="day":"2026-11-12","totalAmount":)[\d.]+/, 'null'));
    expect((await verdicts()).failed).toEqual({ amounts: 'unreadable: no value on 2026-11-12' });
  });

  it('digits, when they are those of a binary number', async () => {
    billing.setBalance('123', '{"balance":0.30000000000000004,"bonuses":0}');
    await failsIn('digits');
  });

  it('no point because of more digits than a double holds', async () => {
    billing.setBalance('123', '{"balance":12345678901234567890.123456789,"bonuses":"0.10"}');
    await failsIn();
  });

  it('days, when one is in another format', async () => {
    answering((answer) => answer.replace('"day":"2026-11-12"', '"day":"12.11.2026"'));
    await failsIn('days');
  });

  it('each-day-once, when one comes twice', async () => {
    answering((answer) => answer.replace('"day":"2026-11-12"', '"day":"2026-11-11"'));
    await failsIn('each-day-once');
  });

  it('bounds, when the day after the last one is in it', async () => {
    answering((answer) =>
      answer.replace(/\{"day":"2026-11-21"[^}]*\}(?=\]\})/, (it) => `${it},${it.replace('-21', '-22')}`),
    );
    await failsIn('bounds');
  });

  it('bounds, when days begin in another zone, of which the table asks', async () => {
    const { failed } = await verdicts({ zone: 'Europe/Rome' });
    expect(failed).toEqual({ bounds: expect.stringContaining('time zone') });
  });

  it('bounds and each period, when the period is ignored', async () => {
    chargesAs([item('2026-11-20'), item('2026-11-21'), item('2026-11-22')]);
    await failsIn('bounds', 'empty-period');
  });

  it('bounds, when the amount of a day depends on the period', async () => {
    const oneDay = 'periodTo: "2026-11-21T23:59:59.999Z"';
    answering((answer, query) =>
      query.includes(oneDay) ? answer.replace(/"totalAmount":/, '"totalAmount":1') : answer,
    );
    const { failed } = await verdicts();
    expect(failed).toEqual({
      bounds: expect.stringMatching(/on 2026-11-21, which is .* in a longer period/),
    });
  });

  it('one-day and bounds, when the day before comes in its place', async () => {
    const oneDay = 'periodTo: "2026-11-21T23:59:59.999Z"';
    answering((answer, query) =>
      query.includes(oneDay) ? answer.replace('"day":"2026-11-21"', '"day":"2026-11-20"') : answer,
    );
    await failsIn('bounds', 'one-day');
  });

  it('one-day and until-now, when the last day is left out', async () => {
    answering((answer, query) =>
      query.includes('periodFrom: "2026-11-21')
        ? '{"data":{"bill":{"reportSubscriptionConsuming":null}}}'
        : answer,
    );
    await failsIn('one-day', 'until-now');
  });

  it('until-now alone, when its clock is behind', async () => {
    const { failed } = await verdicts({ clock: () => NOW + 60_000 });
    expect(Object.keys(failed)).toEqual(['until-now']);
  });

  it('empty-period, when other days come, even with zero', async () => {
    answering((answer, query) =>
      query.includes('2001-01-01')
        ? JSON.stringify({
            data: { bill: { reportSubscriptionConsuming: { items: [item('2026-11-22', 0)] } } },
          })
        : answer,
    );
    await failsIn('empty-period');
  });

  it('empty-period, when it is an error', async () => {
    answering((answer, query) =>
      query.includes('2001-01-01') ? '{"errors":[{"message":"Too long ago"}],"data":null}' : answer,
    );
    const { failed } = await verdicts();
    expect(failed).toEqual({ 'empty-period': expect.stringContaining('Too long ago') });
  });

  it('errors, when they come with the data', async () => {
    answering((answer) => answer.replace(/^\{/, '{"errors":[{"message":"One region is late"}],'));
    const { failed } = await verdicts();
    // Without data, they aren't beside it.
    expect(failed).toEqual({
      errors: 'One region is late',
      'empty-period': expect.stringContaining('region'),
    });
  });
});

describe('a service that does not look at who asks for what fails', () => {
  const figures = { data: { bill: { getSubscriptionBalance: { balance: '5.00', bonuses: '0' } } } };
  const forLabel = (label: string, said: ServiceReply) =>
    billing.respond((request) => (request.token === label ? said : undefined));

  it('wrong-token, when it answers any token with figures', async () => {
    forLabel('unknown', reply(figures));
    expect((await verdicts()).failed).toEqual({ 'wrong-token': 'figures: balance 5.00, bonuses 0' });
  });

  it.each([
    ['403', reply({}, 403)],
    ['errors with HTTP 200', reply({ errors: [{ message: 'Who are you?' }] })],
    ['a redirect to a login page', { status: 302, headers: { Location: '/login' } }],
  ])('wrong-token, when it answers with %s', async (_, said) => {
    forLabel('unknown', said);
    expect(await failedIds()).toEqual(['wrong-token']);
  });

  it.each(['unknown', 'none'])('in one of the documents only, for a token that is %s', async (label) => {
    const item = { day: '2026-11-21', totalAmount: 1, totalBonuses: 0 };
    const charges = reply({ data: { bill: { reportSubscriptionConsuming: { items: [item] } } } });
    billing.respond((request) =>
      request.token === label && request.query.includes('periodFrom') ? charges : undefined,
    );
    const id = label === 'unknown' ? 'wrong-token' : 'no-token';
    expect((await verdicts()).failed).toEqual({ [id]: 'figures: 1 day' });
  });

  it('no-token, when it answers without one', async () => {
    forLabel('none', reply(figures));
    expect(await failedIds()).toEqual(['no-token']);
  });

  it.each(['401', '500', 'figures'])('unknown-project, when it answers with %s', async (said) => {
    billing.respond(({ query, token: label }) => {
      if (label !== 'Read-only' || !query.includes('2147483647')) return undefined;
      return said === 'figures' ? reply(figures) : reply({}, Number(said));
    });
    expect(await failedIds()).toEqual(['unknown-project']);
  });

  it.each([400, 403, 404])('nothing, when it answers an unknown project with HTTP %i', async (status) => {
    billing.respond(({ query, token: label }) =>
      label === 'Read-only' && query.includes('2147483647') ? reply({}, status) : undefined,
    );
    expect(await failedIds()).toEqual([]);
  });
});

describe('the digits of a binary number', () => {
  it.each([
    '0.30000000000000004',
    '29800.300000000003',
    '0.1000000000000000055511151231257827021181583404541015625',
  ])('are seen in %s', (digits) => {
    expect(looksBinary(digits)).toBe(true);
  });

  it.each([
    '0.3',
    '1234567890123456.78',
    '12345678901234567890.123456789',
    '12.50000000000000000000',
    '123456789012345678',
    '0.333333333333333333',
    '-15.00000001',
  ])('are not seen in %s', (digits) => {
    expect(looksBinary(digits)).toBe(false);
  });
});

it('never says what the token is, though the service repeats it', async () => {
  answering((answer) => answer.replace(/^\{/, `{"errors":[{"message":"Hello ${token}"}],`));
  expect(JSON.stringify(await check())).not.toContain(token);
});
