/** Answers of the fake services, in addition to those of the sandbox's modes. */
import { parseQuery } from '../../sandbox/billing/contract.ts';
import type { BillingRequest, BillingService } from '../../sandbox/billing.ts';
import { htmlReply, jsonReply, type Responder, type ServiceReply } from '../../sandbox/fake-service.ts';
import { type IdentityService, unauthorized } from '../../sandbox/identity.ts';

type Item = readonly [day: string, amount: string | number, bonuses?: string | number];

/** Amounts are JSON. */
export const itemsJson = (...items: readonly Item[]): string =>
  `[${items.map(([day, amount, bonuses = 0]) => `{"day":"${day}","totalAmount":${amount},"totalBonuses":${bonuses}}`)}]`;

export const november = (first: number, last: number, amount: string | number): readonly Item[] =>
  Array.from({ length: last - first + 1 }, (_, n) => [
    `2026-11-${String(first + n).padStart(2, '0')}`,
    amount,
  ]);

/**
 * Makes billing send an item for every day of a query.
 * @param costOf the amount as JSON, and bonuses if there are any; undefined means no item
 * @param isKnown other projects get their usual items
 */
export const spendByDay =
  (
    costOf: (
      day: string,
      project: string,
    ) => string | number | readonly [amount: number, bonuses: number] | undefined,
    isKnown: (project: string) => boolean = () => true,
  ): Responder<BillingRequest> =>
  ({ query }) => {
    const asked = parseQuery(String(query));
    if (asked === undefined || !('from' in asked) || !isKnown(asked.id)) return undefined;
    const items: Item[] = [];
    for (let at = Date.parse(asked.from); at <= Date.parse(asked.to); at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10);
      const [amount, bonuses = 0] = [costOf(day, asked.id)].flat();
      if (amount !== undefined) items.push([day, amount, bonuses]);
    }
    return { status: 200, body: `{"data":{"bill":{"${asked.field}":{"items":${itemsJson(...items)}}}}}` };
  };

export const answerQueries = (billing: BillingService, part: string, reply: ServiceReply) =>
  billing.respond(({ query }) => (String(query).includes(part) ? reply : undefined));

type Replies = Record<string, Responder<Pick<BillingRequest, 'pause'> & { method?: string; query?: string }>>;

const status = (code: number, headers?: Record<string, string>) => () =>
  jsonReply(code, { message: 'no', error: { code, title: 'No', message: 'no' } }, headers);
const cutShort = (reply: ServiceReply) =>
  String(reply.body ?? '').slice(0, String(reply.body ?? '').length / 2);
const withToken = (reply: ServiceReply, change: (token: Record<string, unknown>) => object) => {
  const { token } = JSON.parse(String(reply.body ?? '{}'));
  return token === undefined ? reply : { ...reply, body: JSON.stringify({ token: change(token) }) };
};
const REPLIES: Replies = {
  reset: () => 'reset',
  truncated: async (_, ordinary) => {
    const reply = await ordinary();
    return { ...reply, body: cutShort(reply) };
  },
  '429': status(429, { 'Retry-After': '20' }),
  '400': status(400),
  '404': () =>
    jsonReply(404, {
      error: { code: 404, message: 'Could not find Application Credential: sandbox.', title: 'Not Found' },
    }),
  empty: ({ query = '' }) => {
    const isBalance = query.includes('getSubscriptionBalance');
    const field = isBalance ? 'getSubscriptionBalance' : 'reportSubscriptionConsuming';
    const value = isBalance ? { balance: null, bonuses: null } : { items: [] };
    return jsonReply(200, { data: { bill: { [field]: value } } });
  },
  '500': () => htmlReply(500, 'Internal Server Error'),
  'no-zone': async (_, ordinary) =>
    withToken(await ordinary(), (token) => ({ ...token, expires_at: String(token.expires_at).slice(0, 19) })),
  'no-expiry': async (_, ordinary) => withToken(await ordinary(), ({ expires_at: _at, ...token }) => token),
  bare: async (_, ordinary) => {
    const { body: _body, ...reply } = await ordinary();
    return reply;
  },
  'no-token': async (_, ordinary) => ({ ...(await ordinary()), headers: {} }),
  'no-revocation': ({ method }) =>
    method === 'DELETE' ? jsonReply(405, { error: { code: 405, message: 'no' } }) : undefined,
  'no-revoking': ({ method }) => (method === 'DELETE' ? unauthorized() : undefined),
};

/** @param name a mode of the sandbox, or one of {@link REPLIES} */
export function answerWith(service: BillingService | IdentityService, name: string): void {
  const reply = REPLIES[name];
  if (reply === undefined) service.setMode(name);
  else service.respond(reply);
}

/** Makes the service wait with its next answers. @returns `asked`, once a request has arrived, and `release` */
export function holdAnswers(service: Pick<BillingService | IdentityService, 'respond'>) {
  let [arrive, release] = [() => {}, () => {}];
  const asked = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  service.respond(async () => {
    arrive();
    await released;
    return undefined;
  });
  return { asked, release };
}
