/** Reads the two GraphQL documents of the billing contract, in any layout. No other document is accepted. */

export interface Subscription {
  id: string;
  product: number;
}

export type Query =
  | ({ field: 'getSubscriptionBalance' } & Subscription)
  | ({ field: 'reportSubscriptionConsuming'; from: string; to: string } & Subscription);

const SUBSCRIPTION = String.raw`externalSubscriptionId:(?<id>\d+) productId:(?<product>\d+)`;
const PERIOD = `periodFrom:"(?<from>[^"]*)" periodTo:"(?<to>[^"]*)"`;
const BALANCE = `getSubscriptionBalance\\(${SUBSCRIPTION}\\){balance bonuses}`;
const ITEMS = '{items{day totalAmount totalBonuses}}';
const REPORT = `reportSubscriptionConsuming\\(filter:{${PERIOD} ${SUBSCRIPTION}}\\)${ITEMS}`;

const DOCUMENTS = [BALANCE, REPORT].map((field) => {
  const escaped = `(?:query)?{bill{${field}}}`.replace(/[{}]/g, '\\$&');
  return new RegExp(`^${escaped}$`);
});

export function parseQuery(document: string): Query | undefined {
  const text = document
    .trim()
    .replace(/[\s,]+/g, ' ')
    .replace(/ ?([{}():]) ?/g, '$1');
  const { groups } = DOCUMENTS.map((form) => form.exec(text)).find(Boolean) ?? {};
  if (!groups) return undefined;
  const { id = '', product, from, to } = groups;
  const subscription = { id, product: Number(product) };
  if (from === undefined || to === undefined) return { field: 'getSubscriptionBalance', ...subscription };
  return { field: 'reportSubscriptionConsuming', from, to, ...subscription };
}
