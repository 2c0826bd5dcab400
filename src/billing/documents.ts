import { isProductId, isProjectId, type ProductId } from '../domain/product.ts';
import { toWireTimestamp } from '../domain/time/period.ts';

/** A project and a product; `project` is 1 to 32 digits without a leading zero. */
export interface Subscription {
  readonly project: string;
  readonly product: ProductId;
}

/** @returns the contract's getSubscriptionBalance document @throws TypeError for an invalid project or product */
export function balanceDocument(subscription: Subscription): string {
  const fields = 'balance bonuses';
  return `query { bill { getSubscriptionBalance(${subscriptionArguments(subscription)}) { ${fields} } } }`;
}

/**
 * @param from ms since the epoch, included; so is `to`
 * @returns the contract's reportSubscriptionConsuming document
 * @throws TypeError for an invalid project or product
 */
export function consumptionDocument(subscription: Subscription, from: number, to: number): string {
  const period = `periodFrom: "${toWireTimestamp(from)}", periodTo: "${toWireTimestamp(to)}"`;
  const filter = `{ ${period}, ${subscriptionArguments(subscription)} }`;
  const fields = 'items { day totalAmount totalBonuses }';
  return `query { bill { reportSubscriptionConsuming(filter: ${filter}) { ${fields} } } }`;
}

/**
 * The ID becomes part of the query's text, so it is checked here too, whoever parsed it. It stays a string, because it
 * may exceed 2^53.
 */
function subscriptionArguments({ project, product }: Subscription): string {
  if (!isProjectId(project)) throw new TypeError('A project ID is 1 to 32 digits, the first not a zero.');
  if (!isProductId(product)) throw new TypeError('A product is 1, 2 or 3.');
  return `externalSubscriptionId: ${project}, productId: ${product}`;
}
