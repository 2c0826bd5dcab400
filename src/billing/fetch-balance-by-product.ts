import { type Failure, failureOf, isFailure } from '../domain/failure/index.ts';
import { PRODUCT_IDS, type ProductId } from '../domain/product.ts';
import type { BalanceRecord, BillingAccess, BillingClient } from './client.ts';

/** What billing says of a project under each product. */
export type BalanceByProduct = Readonly<Awaited<ReturnType<typeof fetchBalanceByProduct>>>;

/**
 * Asks for the project's balance under each product once, in parallel: the interface doesn't say which product a project
 * belongs to, and a wrong one may be answered with nothing or with other figures.
 * @throws Failure if no product was answered
 */
export async function fetchBalanceByProduct(
  billing: BillingClient,
  // The failure of a guess says nothing of the project.
  { failures: _, ...access }: BillingAccess,
  project: string,
) {
  /** The products that have data for it, with its balance under each. */
  const found: { readonly product: ProductId; readonly balance: BalanceRecord }[] = [];
  /** The products that gave no answer, and why. */
  const failed: { readonly product: ProductId; readonly failure: Failure }[] = [];
  const answers = await Promise.all(
    PRODUCT_IDS.map((product) => billing.balance(access, { project, product }).catch(failureOf)),
  );
  for (const [at, product] of PRODUCT_IDS.entries()) {
    const answer = answers[at];
    if (answer === undefined || isFailure(answer, 'no-data')) continue;
    if (isFailure(answer)) failed.push({ product, failure: answer });
    else found.push({ product, balance: answer });
  }
  const [first] = failed;
  if (first !== undefined && failed.length === PRODUCT_IDS.length) throw first.failure;
  return { found, failed };
}
