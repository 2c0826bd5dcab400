import { readFile } from 'node:fs/promises';
import { buildSchema, parse, validate } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { startBilling } from '../../sandbox/billing.ts';
import { startIdentity } from '../../sandbox/identity.ts';
import { createBillingClient } from '../../src/billing/client.ts';
import { balanceDocument, consumptionDocument } from '../../src/billing/graphql-contract.ts';
import { toPlainDigits } from '../../src/domain/money/amount.ts';
import { createGuardedHttp } from '../../src/http/request.ts';
import { createIdentityClient } from '../../src/identity/client.ts';
import { json, type Service, serve } from '../http/service.ts';
import { BILLING_ANSWERS, BILLING_TABLES, IDENTITY_ANSWERS, IDENTITY_TABLES } from './contracts.ts';
import { fillTables } from './tables.ts';

const BILLING_PAGE = 'docs/billing-contract.md';
const IDENTITY_PAGE = 'docs/identity-contract.md';

const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

function held<T extends { close(): Promise<void> }>(thing: T): T {
  releases.push(() => thing.close());
  return thing;
}

const guardedHttp = () =>
  held(
    createGuardedHttp({
      trustedHosts: [{ host: '127.0.0.1' }],
      limits: { pause: 1 },
    }),
  );

/** @returns the page's code blocks of a language, in order */
async function blocksOf(page: string, language: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, block = '']) =>
    name === language ? [block] : [],
  );
}

const subscription = { project: '123', product: 1 } as const;
const PERIOD = {
  from: Date.UTC(2026, 10, 14),
  to: Date.UTC(2026, 10, 16, 23, 59, 59, 999),
  ...{ zone: 'UTC', running: false, days: { first: '2026-11-14', last: '2026-11-16' } },
};

/** Asks a service at that address with Tally's client. */
function askBilling(baseUrl: string, token = 'any') {
  const billing = createBillingClient({ http: guardedHttp() });
  const access = { workspace: 'T1', connection: 'main', baseUrl, token };
  return {
    balance: () => billing.balance(access, subscription),
    consumption: () => billing.consumption(access, subscription, PERIOD),
  };
}

const answering = async (status: number, body: string): Promise<Service> =>
  held(await serve((_, response) => json(response, body, status)));

describe(BILLING_PAGE, () => {
  it('has a schema that Tally’s queries are valid in', async () => {
    const [sdl = ''] = await blocksOf(BILLING_PAGE, 'graphql');
    const schema = buildSchema(sdl);
    for (const document of [
      balanceDocument(subscription),
      consumptionDocument({ project: '9'.repeat(32), product: 3 }, PERIOD.from, PERIOD.to),
    ])
      expect(validate(schema, parse(document))).toEqual([]);
  });

  it('shows the requests that Tally sends, and answers that the sandbox’s service gives to them', async () => {
    const [balanceRequest, balanceAnswer, spendRequest, spendAnswer] = await blocksOf(BILLING_PAGE, 'json');
    expect(JSON.parse(balanceRequest!)).toEqual({ query: balanceDocument(subscription) });
    expect(JSON.parse(spendRequest!)).toEqual({
      query: consumptionDocument(subscription, PERIOD.from, PERIOD.to),
    });

    const service = held(await startBilling());
    const { bill } = JSON.parse(balanceAnswer!).data;
    service.setBalance('123', JSON.stringify(bill.getSubscriptionBalance));
    const { items } = JSON.parse(spendAnswer!).data.bill.reportSubscriptionConsuming;
    service.setItems('123', JSON.stringify(items));
    const token = service.tokens.find(({ label }) => label === 'Read-only')?.value ?? '';
    const post = async (body: string) => {
      const headers = { 'content-type': 'application/json', 'x-user-token': token };
      const response = await fetch(`${service.url}/bill/graphql`, { method: 'POST', headers, body });
      return response.json();
    };
    expect(await post(balanceRequest!)).toEqual(JSON.parse(balanceAnswer!));
    expect(await post(spendRequest!)).toEqual(JSON.parse(spendAnswer!));
  });

  it('shows answers that Tally reads', async () => {
    const [, balanceAnswer, , spendAnswer] = await blocksOf(BILLING_PAGE, 'json');
    const balance = await askBilling((await answering(200, balanceAnswer!)).url).balance();
    expect(balance).toEqual({ balance: { text: '84210.55' }, bonuses: { text: '1500.00' }, remarks: [] });
    const { charges } = await askBilling((await answering(200, spendAnswer!)).url).consumption();
    expect(
      charges.map(({ day, amount }) => [day, 'value' in amount ? toPlainDigits(amount.value) : '']),
    ).toEqual([
      ['2026-11-14', '2980.4'],
      ['2026-11-15', '2760.12'],
      ['2026-11-16', '3104.98'],
    ]);
  });

  it('names the headers that Tally sends, and no others but HTTP’s own', async () => {
    const service = await answering(200, '{}');
    await askBilling(service.url)
      .balance()
      .catch(() => undefined);
    expect(Object.keys(service.requests[0]!.headers).sort()).toEqual(
      ['accept', 'connection', 'content-length', 'content-type', 'host', 'x-user-token'].sort(),
    );
  });

  it.each(BILLING_ANSWERS)('says what people read when there is $answer', async ({ status, body, says }) => {
    await expect(askBilling((await answering(status, body)).url).balance()).rejects.toMatchObject({
      message: says,
    });
  });

  it.each([
    ['days', '2026-11-14T00:00:00Z', '2026-11-14'],
    ['days', '2026-11-14 00:00:00+01:00', '2026-11-13'],
    ['days', 1_794_650_400, '2026-11-14'],
    ['days', 1_794_650_400_000, '2026-11-14'],
  ])('is right about other %s: %s', async (_, sent, day) => {
    const items = [{ day: sent, totalAmount: '-1.5e2', totalBonuses: 0 }];
    const body = JSON.stringify({ bill: { reportSubscriptionConsuming: { items } }, more: true });
    const { charges } = await askBilling((await answering(202, body)).url).consumption();
    expect(charges).toMatchObject([{ day, amount: { raw: '-1.5e2' } }]);
  });

  it('has the tables that `npm run docs` writes', async () => {
    const page = fillTables(await readFile(BILLING_PAGE, 'utf8'), BILLING_TABLES);
    await expect(page).toMatchFileSnapshot(`../../${BILLING_PAGE}`);
  });
});

const TENANT = { workspace: 'T1', connection: '123' };

/** @returns every path to a value, such as `token.roles.0.name` */
function pathsIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, field]) =>
    pathsIn(field, path === '' ? name : `${path}.${name}`),
  );
}

describe(IDENTITY_PAGE, () => {
  const access = (authUrl: string, id = 'any', secret = 'any') => ({ authUrl, id, secret });

  it('shows the request that Tally sends', async () => {
    const [request] = await blocksOf(IDENTITY_PAGE, 'json');
    const { id, secret } = JSON.parse(request!).auth.identity.application_credential;
    const service = held(
      await serve((_, response) => {
        response.setHeader('x-subject-token', 'a-token');
        json(response, '{}', 201);
      }),
    );
    await createIdentityClient({ http: guardedHttp() }).issue(access(service.url, id, secret), TENANT);
    const [sent] = service.requests;
    expect(JSON.parse(sent!.body)).toEqual(JSON.parse(request!));
    expect(sent).toMatchObject({ method: 'POST', url: '/auth/tokens' });
  });

  it('shows an answer of which Tally reads every part, as the sandbox’s service sends it', async () => {
    const [, answer] = await blocksOf(IDENTITY_PAGE, 'json');
    const service = held(
      await serve((_, response) => {
        response.setHeader('x-subject-token', 'a-token');
        json(response, answer!, 201);
      }),
    );
    const identity = createIdentityClient({ http: guardedHttp() });
    expect(await identity.issue(access(service.url), TENANT)).toEqual({
      token: 'a-token',
      expiresAt: Date.UTC(2026, 10, 21, 11, 15, 30),
      project: { id: 'b0c5a9d1', name: 'prod', domain: 'Default' },
      user: 'tally',
      roles: ['reader'],
      credential: { name: 'tally', restricted: true },
      auditId: 'Zk3hXbQyTMe1',
      endpoints: [{ service: 'compute', url: 'https://compute.example.com/v2.1' }],
    });

    const sandbox = held(await startIdentity());
    const { id, secret } = sandbox.accesses.good;
    const response = await fetch(`${sandbox.authUrl}/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        auth: { identity: { methods: ['application_credential'], application_credential: { id, secret } } },
      }),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-subject-token')).toBeTypeOf('string');
    expect(pathsIn(await response.json())).toEqual(expect.arrayContaining(pathsIn(JSON.parse(answer!))));
  });

  it.each(IDENTITY_ANSWERS)('says what people read after $answer', async ({ status, body, says }) => {
    const { url } = await answering(status, body);
    const issued = createIdentityClient({ http: guardedHttp() }).issue(access(`${url}/v3`), TENANT);
    await expect(issued).rejects.toMatchObject({ message: says });
  });

  it('has the tables that `npm run docs` writes', async () => {
    const page = fillTables(await readFile(IDENTITY_PAGE, 'utf8'), IDENTITY_TABLES);
    await expect(page).toMatchFileSnapshot(`../../${IDENTITY_PAGE}`);
  });
});
