/** The three products of the billing contract, by the number that goes on the wire. */
export const PRODUCTS = {
  1: { id: 1, word: 'cloud', name: 'Cloud platform' },
  2: { id: 2, word: 'storage', name: 'Object storage' },
  3: { id: 3, word: 'virtualization', name: 'Virtualization' },
} as const;

export type ProductId = keyof typeof PRODUCTS;

export const PRODUCT_IDS: readonly ProductId[] = [1, 2, 3];

/** The contract: "for cloud projects productId is 1". */
export const DEFAULT_PRODUCT: ProductId = 1;

export function isProductId(value: unknown): value is ProductId {
  return value === 1 || value === 2 || value === 3;
}
