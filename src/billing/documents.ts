import { isProductId, isProjectId, type ProductId } from '../domain/product.ts';
import { toWireTimestamp } from '../domain/time/period.ts';

/** Which project of which product is asked about; `project` is 1–32 digits without a leading zero. */
export interface Subscription {
  readonly project: string;
  readonly product: ProductId;
}

/** The contract's getSubscriptionBalance document, as it stands there. */
export function balanceDocument(subscription: Subscription): string {
  const fields = 'balance bonuses';
  return `query { bill { getSubscriptionBalance(${named(subscription)}) { ${fields} } } }`;
}

/** The contract's reportSubscriptionConsuming document; `from` and `to` in ms since the epoch, both included. */
export function consumptionDocument(subscription: Subscription, from: number, to: number): string {
  const period = `periodFrom: "${toWireTimestamp(from)}", periodTo: "${toWireTimestamp(to)}"`;
  const filter = `{ ${period}, ${named(subscription)} }`;
  const fields = 'items { day totalAmount totalBonuses }';
  return `query { bill { reportSubscriptionConsuming(filter: ${filter}) { ${fields} } } }`;
}

/**
 * The ID goes into the text of the query: it is checked here again, however well it was read before, and stays a string,
 * because it may exceed 2^53.
 */
function named({ project, product }: Subscription): string {
  if (!isProjectId(project)) throw new TypeError('A project ID is 1 to 32 digits, the first not a zero.');
  if (!isProductId(product)) throw new TypeError('A product is 1, 2 or 3.');
  return `externalSubscriptionId: ${project}, productId: ${product}`;
}
