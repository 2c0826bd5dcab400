import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createUsageHistory } from '../../sandbox/billing/usage-history.ts';
import { type BillingOptions, type BillingService, startBilling } from '../../sandbox/billing.ts';
import type { ServiceExchange } from '../../sandbox/fake-service.ts';
import { runs } from '../support/thorough.ts';

const NOW = Date.parse('2026-11-21T10:15:30.123Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LONG = '31415926535897932384626433832795';

let clock = NOW;
let billing: BillingService;
const exchanges: ServiceExchange[] = [];

beforeAll(async () => {
  billing = await start({ now: () => clock, onExchange: (exchange) => exchanges.push(exchange) });
});
afterAll(() => billing.close());
afterEach(() => {
  clock = NOW;
  billing.setMode('healthy');
  billing.respond(undefined);
});

const start = (options: BillingOptions = {}) => startBilling({ now: () => NOW, slowFor: 20, ...options });

const balanceOf = (id: string, product = 1) =>
  `query { bill { getSubscriptionBalance(externalSubscriptionId: ${id}, productId: ${product}) { balance bonuses } } }`;

function reportOf(id: string, from: string | number, to: string | number, product = 1): string {
  const iso = (at: string | number) => (typeof at === 'number' ? new Date(at).toISOString() : at);
  const filter = `periodFrom: "${iso(from)}", periodTo: "${iso(to)}", externalSubscriptionId: ${id}, productId: ${product}`;
  return `query { bill { reportSubscriptionConsuming(filter: { ${filter} }) { items { day totalAmount totalBonuses } } } }`;
}

const token = (label: string) => billing.tokens.find((each) => each.label === label)?.value ?? '';

function post(
  query: string,
  { to = billing, headers = {}, ...rest }: { to?: BillingService; headers?: object; body?: string } = {},
) {
  return fetch(`${to.url}/bill/graphql`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/json', 'X-User-Token': token('Read-only'), ...headers },
    body: JSON.stringify({ query }),
    ...rest,
  });
}

const text = async (query: string, options?: Parameters<typeof post>[1]) =>
  (await post(query, options)).text();

interface Row {
  day: string;
  amount: string;
  bonuses: string;
}

const ROW = /\{"day":"?([^",]+)"?,"totalAmount":([^,]+),"totalBonuses":([^}]+)\}/g;

async function rows(
  id: string,
  from: string | number,
  to: string | number,
  product = 1,
  from_ = billing,
): Promise<Row[]> {
  const answer = await text(reportOf(id, from, to, product), { to: from_ });
  expect(answer).toContain('"items":[');
  return [...answer.matchAll(ROW)].map(([, day, amount, bonuses]) => ({
    day: day!,
    amount: amount!,
    bonuses: bonuses!,
  }));
}

/** Exact: 29870.12 → 2987012n */
const units = (amount: string) => BigInt(amount.replace('.', ''));
const total = (of: readonly Row[]) => of.reduce((sum, row) => sum + units(row.amount), 0n);
const midnight = (day: string) => Date.parse(`${day}T00:00:00.000Z`);
const week = [midnight('2026-11-14'), midnight('2026-11-21') - 1] as const;

const noReport = '{"data":{"bill":{"reportSubscriptionConsuming":null}}}';
const noBalance = '{"data":{"bill":{"getSubscriptionBalance":null}}}';

describe('the simulated usage', () => {
  test('has seven days of prod with one missing, and not yesterday', async () => {
    const days = (await rows('123', ...week)).map(({ day }) => day);
    expect(days).toEqual([
      '2026-11-14',
      '2026-11-15',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
      '2026-11-20',
    ]);
  });

  test('gives prod about 41 days at the average of its reported week', async () => {
    const reported = await rows('123', ...week);
    const answer = await text(balanceOf('123'));
    const [, balance, bonuses] = /"balance":([\d.]+),"bonuses":([\d.]+)/.exec(answer) ?? [];
    const days =
      Number((units(balance!) + units(bonuses!)) * BigInt(reported.length)) / Number(total(reported));
    expect(Math.floor(days)).toBe(41);
    expect(Number(total(reported)) / reported.length / 100).toBeGreaterThan(27_000);
  });

  test('looks the same whenever it starts', () => {
    const opening = fc.date({
      min: new Date('2024-01-01'),
      max: new Date('2030-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(opening, (opened) => {
        const at = opened.getTime();
        const history = createUsageHistory(at);
        const today = at - (at % DAY);
        const reported = history.charges('123', today - 7 * DAY, today - 1);
        const spent = reported.reduce((sum, { amount }) => sum + units(amount), 0n);
        const { balance, bonuses } = history.balance('123', at);
        expect(reported).toHaveLength(6);
        expect(reported.at(-1)?.day).toBe(new Date(today - DAY).toISOString().slice(0, 10));
        expect(history.charges('123', today, at)).toHaveLength(1);
        expect(((units(balance) + units(bonuses)) * 6n) / spent).toBe(41n);
      }),
    );
  });

  test('goes back 400 days, with a spike, a credit and growth', async () => {
    const all = await rows('123', NOW - 3_000 * DAY, NOW);
    expect(all).toHaveLength(400);
    expect(all[0]?.day).toBe(new Date(NOW - 400 * DAY).toISOString().slice(0, 10));
    expect(all.filter(({ amount }) => amount.startsWith('-')).map(({ day }) => day)).toEqual(['2026-11-03']);
    expect(all.reduce((a, b) => (units(b.amount) > units(a.amount) ? b : a)).day).toBe('2026-11-18');
    const months = [0, 130, 260].map((from) => total(all.slice(from, from + 130)));
    expect(months[1]).toBeGreaterThan(months[0]!);
    expect(months[2]).toBeGreaterThan(months[1]!);
  });

  test('is lower at the weekend', async () => {
    const all = await rows('456', NOW - 100 * DAY, midnight('2026-11-21') - 1);
    const ofDays = (days: number[]) => all.filter(({ day }) => days.includes(new Date(day).getUTCDay()));
    const [weekend, working] = [ofDays([0, 6]), ofDays([2, 3])];
    expect(total(weekend) * BigInt(working.length)).toBeLessThan(total(working) * BigInt(weekend.length));
  });

  test('is the same for the same start, wherever and whenever', async () => {
    const twin = await start();
    for (const { id, product } of billing.projects) {
      expect(await rows(id, NOW - 60 * DAY, NOW, product, twin)).toEqual(
        await rows(id, NOW - 60 * DAY, NOW, product),
      );
      expect(await text(balanceOf(id, product), { to: twin })).toBe(await text(balanceOf(id, product)));
    }
    await twin.close();
  });

  test('adds up, however a period is split', async () => {
    const whole = await rows('123', NOW - 10 * DAY, NOW);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 10 * DAY - 1 }), async (cut) => {
        const before = await rows('123', NOW - 10 * DAY, NOW - cut - 1);
        const after = await rows('123', NOW - cut, NOW);
        expect(total(before) + total(after)).toBe(total(whole));
      }),
      { numRuns: runs(30) },
    );
  });

  test('grows today by the hour and reduces the balance by as much', async () => {
    const balance = async () => units(/"balance":(-?[\d.]+)/.exec(await text(balanceOf('123')))?.[1] ?? '');
    const today = async () => total(await rows('123', midnight('2026-11-21'), clock));
    const [spent, left] = [await today(), await balance()];
    clock += 2 * HOUR;
    const more = (await today()) - spent;
    expect(more).toBeGreaterThan(0n);
    expect(await balance()).toBe(left - more);
  });

  test('continues after the start without changing the past', async () => {
    const before = await rows('123', ...week);
    clock += 3 * DAY;
    expect(await rows('123', ...week)).toEqual(before);
    expect(await rows('123', NOW + DAY, clock)).not.toHaveLength(0);
  });

  test('formats every amount with its project’s digits', async () => {
    for (const { amount } of await rows('123', ...week)) expect(amount).toMatch(/^\d+\.\d\d$/);
    for (const { amount } of await rows(LONG, ...week, 3)) expect(amount).toMatch(/^\d+\.\d{6}$/);
  });

  test('has an overdrawn project, one that spends nothing and one in storage', async () => {
    expect(await text(balanceOf('1001'))).toContain('"balance":-1532.40,');
    expect(new Set((await rows('1002', ...week)).map(({ amount }) => amount))).toEqual(new Set(['0.00']));
    expect(await rows('789', ...week, 2)).toHaveLength(7);
  });
});

describe('no data', () => {
  test('is the answer for a wrong product and an unknown project', async () => {
    expect(await text(balanceOf('123', 2))).toBe(noBalance);
    expect(await text(reportOf('123', ...week, 3))).toBe(noReport);
    expect(await text(balanceOf('404'))).toBe(noBalance);
    expect(await text(balanceOf('123', 7))).toBe(noBalance);
    expect(await text(balanceOf(LONG.replace(/5$/, '6'), 3))).toBe(noBalance);
  });

  test.each([
    ['ends before it begins', week[1], week[0]],
    ['ends in the future', week[0], NOW + 1],
    ['has no milliseconds', '2026-11-14T00:00:00Z', week[1]],
    ['is no date', '2026-02-30T00:00:00.000Z', week[1]],
    ['is in another zone', '2026-11-14T00:00:00.000+01:00', week[1]],
    ['is a bare date', '2026-11-14', week[1]],
  ])('is what a period gets that %s', async (_what, from, to) => {
    expect(await text(reportOf('123', from, to))).toBe(noReport);
  });

  test('is not the answer for a valid period before the history', async () => {
    expect(await rows('123', '2020-01-01T00:00:00.000Z', '2020-01-31T23:59:59.999Z')).toEqual([]);
  });
});

describe('authorization', () => {
  test('accepts the token of every role and masks it in the recorded requests', async () => {
    for (const { label, value } of billing.tokens.filter((each) => each.label !== 'Expired')) {
      expect((await post(balanceOf('123'), { headers: { 'X-User-Token': value } })).status).toBe(200);
      expect(billing.requests.at(-1)?.token).toBe(label);
    }
    const kept = JSON.stringify([billing.requests, exchanges]);
    for (const { value } of billing.tokens) expect(kept).not.toContain(value);
  });

  test.each([
    ['no token', { 'X-User-Token': '' }],
    ['a wrong token', { 'X-User-Token': 'nonsense' }],
    ['a bearer', { Authorization: 'Bearer sandbox-user-token-read-only-not-a-secret' }],
  ])('refuses %s with 401', async (_what, headers) => {
    expect((await post(balanceOf('123'), { headers })).status).toBe(401);
  });

  test('rejects an expired token with 401', async () => {
    expect((await post(balanceOf('123'), { headers: { 'X-User-Token': token('Expired') } })).status).toBe(
      401,
    );
  });
});

describe('strictness', () => {
  const inside = '(externalSubscriptionId: 123, productId: 1) { balance }';
  test.each([
    ['a quoted ID', balanceOf('"123"'), 'not quoted'],
    ['a negative ID', balanceOf('-123'), 'numeric literal'],
    ['an ID with a leading zero', balanceOf('0123'), 'Syntax Error'],
    ['a fraction', balanceOf('12.3'), 'numeric literal'],
    [
      'a variable',
      'query ($id: ProjectId!) { bill { getSubscriptionBalance(externalSubscriptionId: $id, productId: 1) { balance } } }',
      'Variables',
    ],
    ['an operation name', balanceOf('123').replace('query', 'query Balance'), 'anonymous'],
    ['an alias', `{ bill { b: getSubscriptionBalance${inside} } }`, 'Aliases'],
    [
      'two fields of bill',
      `{ bill { getSubscriptionBalance${inside} getSubscriptionBalance${inside} } }`,
      'Only one field',
    ],
    ['two operations', `${balanceOf('123')} ${balanceOf('456')}`, 'Only one operation'],
    ['a fragment', `{ bill { ... { getSubscriptionBalance${inside} } } }`, 'Fragments'],
    [
      'a directive',
      `{ bill { getSubscriptionBalance${inside.replace('{', '@include(if: true) {')} } }`,
      'Directives',
    ],
    ['an unknown field', balanceOf('123').replace('bonuses', 'currency'), 'currency'],
    [
      'a missing argument',
      '{ bill { getSubscriptionBalance(externalSubscriptionId: 123) { balance } } }',
      'productId',
    ],
  ])('rejects %s as a GraphQL error', async (_what, query, word) => {
    const response = await post(query);
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    expect(errors.map(({ message }) => message).join('\n')).toContain(word);
  });

  test('rejects HTTP requests that are not in the contract', async () => {
    const body = JSON.stringify({ query: balanceOf('123'), variables: {} });
    expect((await post('', { body })).status).toBe(400);
    expect((await post('', { body: '{' })).status).toBe(400);
    expect((await post('', { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
    expect((await fetch(`${billing.url}/bill/graphql`)).status).toBe(405);
    expect((await fetch(`${billing.url}/graphql`, { method: 'POST', body: '{}' })).status).toBe(404);
  });
});

describe('figures that a test overrides', () => {
  test('are served digit by digit, whatever they are', async () => {
    const items =
      '[{"day":1763683200,"totalAmount":123456789012345678901234567890.10,"totalBonuses":null},' +
      '{"day":"20.11.2026","totalAmount":"12.30","totalBonuses":1E+2},' +
      '{"day":"20.11.2026","totalAmount":-0.00,"totalBonuses":{"a":[true]}}]';
    billing.setItems('777', items);
    expect(await text(reportOf('777', ...week))).toBe(
      `{"data":{"bill":{"reportSubscriptionConsuming":{"items":${items}}}}}`,
    );
    expect(await text(balanceOf('777'))).toBe(noBalance);
    billing.setBalance('777', '{"balance":0.10,"bonuses":null}');
    expect(await text(balanceOf('777'))).toContain('{"balance":0.10,"bonuses":null}');
  });

  test('belong to their product', async () => {
    billing.setBalance('778', '{"balance":1,"bonuses":2}', 3);
    expect(await text(balanceOf('778', 1))).toBe(noBalance);
    expect(await text(balanceOf('778', 3))).toContain('{"balance":1,"bonuses":2}');
  });

  test('can be a whole answer, and can let others through', async () => {
    billing.respond(({ query }) => (query.includes('456') ? { status: 418, body: 'tea' } : undefined));
    expect((await post(balanceOf('456'))).status).toBe(418);
    expect((await post(balanceOf('123'))).status).toBe(200);
  });
});

describe('modes', () => {
  test('have a label and a hint each, and only they can be chosen', () => {
    for (const { mode, label, hint } of billing.modes) {
      billing.setMode(mode);
      expect(billing.mode()).toBe(mode);
      expect(label).not.toBe('');
      expect(hint).toMatch(/\.$/);
    }
    expect(() => billing.setMode('sulking')).toThrow('sulking');
  });

  test.each([
    ['401', 401, null],
    ['403', 403, null],
    ['429', 429, '20'],
    ['500', 500, null],
  ])('%s is a status', async (mode, status, retryAfter) => {
    billing.setMode(mode);
    const response = await post(balanceOf('123'));
    expect(response.status).toBe(status);
    expect(response.headers.get('Retry-After')).toBe(retryAfter);
  });

  test('429-once rejects each query only the first time', async () => {
    for (let round = 0; round < 2; round++) {
      billing.setMode('429-once');
      const refused = await post(balanceOf('123'));
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1']);
      expect((await post(balanceOf('123'))).status).toBe(200);
    }
  });

  test('burning costs fifty times as much from then on, without changing the past', () => {
    const [usual, burning] = [createUsageHistory(NOW), createUsageHistory(NOW)];
    burning.setBurn(50, NOW);
    burning.setBurn(1, NOW + 3 * HOUR);
    const spent = (history: typeof usual, until: number) =>
      units(history.balance('123', NOW).balance) - units(history.balance('123', until).balance);
    expect(spent(burning, NOW + 3 * HOUR)).toBe(50n * spent(usual, NOW + 3 * HOUR));
    expect(spent(usual, NOW + 3 * HOUR)).toBeGreaterThan(0n);
    const later = (history: typeof usual) => spent(history, NOW + DAY) - spent(history, NOW + 3 * HOUR);
    expect(later(burning)).toBe(later(usual));
    const day = (history: typeof usual) =>
      units(history.charges('123', NOW - DAY, NOW + 3 * HOUR).at(-1)!.amount);
    expect(day(burning) - day(usual)).toBe(49n * spent(usual, NOW + 3 * HOUR));
    expect(burning.charges('123', NOW - 7 * DAY, NOW)).toEqual(usual.charges('123', NOW - 7 * DAY, NOW));
  });

  test('burning and adding money can be switched on', async () => {
    let at = NOW;
    const own = await start({ now: () => at });
    const left = async () =>
      Number(/"balance":([\d.-]+)/.exec(await text(balanceOf('123'), { to: own }))![1]);
    const before = await left();
    own.setMode('burning');
    at += 2 * HOUR;
    const burnt = await left();
    expect(before - burnt).toBeGreaterThan(20_000);
    own.setMode('topped-up');
    expect((await left()) - burnt).toBeCloseTo(30 * 29_800, 2);
    own.setMode('healthy');
    expect((await left()) - burnt).toBeCloseTo(30 * 29_800, 2);
    await own.close();
  });

  test('slow answers correctly', async () => {
    const healthy = await text(balanceOf('123'));
    billing.setMode('slow');
    expect(await text(balanceOf('123'))).toBe(healthy);
  });

  test('reset resets the connection', async () => {
    billing.setMode('reset');
    await expect(post(balanceOf('123'))).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    await vi.waitFor(() => expect(exchanges.at(-1)?.status).toBe('reset'));
  });

  test('hang holds the request until the service closes', async () => {
    const own = await start({ onExchange: (exchange) => exchanges.push(exchange) });
    own.setMode('hang');
    const held = expect(post(balanceOf('123'), { to: own })).rejects.toThrow();
    await vi.waitFor(() => expect(own.requests).toHaveLength(1));
    await own.close();
    await held;
    await vi.waitFor(() => expect(exchanges.at(-1)?.status).toBe('no answer'));
  });

  test('slow ends when the service closes', async () => {
    const own = await start({ slowFor: 3_600_000 });
    own.setMode('slow');
    const held = expect(post(balanceOf('123'), { to: own })).rejects.toThrow();
    await vi.waitFor(() => expect(own.requests).toHaveLength(1));
    await own.close();
    await held;
  });

  test.each([
    ['no-data', noBalance, noReport],
    ['empty', '{"balance":null,"bonuses":null}', '{"items":[]}'],
    ['query-rejected', '"errors":[{"message":', '"data":null'],
    ['wrong-shape', '{"data":{"invoice"', '{"data":{"invoice"'],
  ])('%s is a 200 without figures', async (mode, balance, report) => {
    billing.setMode(mode);
    const response = await post(balanceOf('123'));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(balance);
    expect(await text(reportOf('123', ...week))).toContain(report);
  });

  test('html and redirect are web pages', async () => {
    billing.setMode('html');
    const page = await post(balanceOf('123'));
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    billing.setMode('redirect');
    const elsewhere = await post(balanceOf('123'));
    expect([elsewhere.status, elsewhere.headers.get('Location')]).toEqual([
      302,
      'https://elsewhere.example/login',
    ]);
  });

  test('truncated is the start of the right answer', async () => {
    const healthy = await text(balanceOf('123'));
    billing.setMode('truncated');
    const cut = await text(balanceOf('123'));
    expect(healthy.startsWith(cut) && cut.length < healthy.length).toBe(true);
  });

  test('too-large streams 20 MB', async () => {
    billing.setMode('too-large');
    expect((await (await post(balanceOf('123'))).arrayBuffer()).byteLength).toBeGreaterThan(20 * 1024 * 1024);
  });

  test('careless answers a wrong product with other figures', async () => {
    billing.setMode('careless');
    const wrong = await rows('123', ...week, 2);
    expect(wrong).not.toEqual([]);
    expect(wrong).not.toEqual(await rows('123', ...week));
    expect(await text(balanceOf('123', 2))).not.toBe(await text(balanceOf('123')));
  });

  test('timestamps, epoch and strings change the format of the same figures', async () => {
    const healthy = await text(reportOf('456', ...week));
    const written = async (mode: string) => {
      billing.setMode(mode);
      return text(reportOf('456', ...week));
    };
    expect((await written('timestamps')).replaceAll('T00:00:00.000Z', '')).toBe(healthy);
    expect(
      (await written('epoch')).replace(
        /"day":(\d+)/g,
        (_, at) => `"day":"${new Date(Number(at)).toISOString().slice(0, 10)}"`,
      ),
    ).toBe(healthy);
    expect((await written('strings')).replace(/:"(\d+\.\d\d)"/g, ':$1')).toBe(healthy);
  });
});
