/** The three products of the billing API, by the ID that it uses. */
export const PRODUCTS = {
  1: { id: 1, word: 'cloud', name: 'Cloud platform' },
  2: { id: 2, word: 'storage', name: 'Object storage' },
  3: { id: 3, word: 'virtualization', name: 'Virtualization' },
} as const;

export type ProductId = keyof typeof PRODUCTS;

export const PRODUCT_IDS: readonly ProductId[] = [1, 2, 3];

/** From the API's description: "for cloud projects productId is 1". */
export const DEFAULT_PRODUCT: ProductId = 1;

/** 1 to 32 digits, not beginning with 0, which GraphQL does not allow. IDs stay strings: they may exceed 2^53. */
export const isProjectId = (text: string): boolean => /^[1-9]\d{0,31}$/.test(text);

export function isProductId(value: unknown): value is ProductId {
  return value === 1 || value === 2 || value === 3;
}
