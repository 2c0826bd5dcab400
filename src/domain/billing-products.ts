/** Billing's products by ID. `word` and `spelling` are what people type. */
export const PRODUCTS = {
  1: { id: 1, word: 'cloud', name: 'Cloud platform' },
  2: { id: 2, word: 'storage', name: 'Object storage' },
  3: { id: 3, word: 'virtualization', name: 'Virtualization', spelling: 'virtualisation' },
} as const satisfies Record<number, Product & { readonly spelling?: string }>;

export interface Product {
  readonly id: number;
  readonly word: string;
  readonly name: string;
}

export type ProductId = keyof typeof PRODUCTS;

export const PRODUCT_IDS: readonly ProductId[] = Object.values(PRODUCTS).map(({ id }) => id);

export const PRODUCT_WORDS = Object.values(PRODUCTS)
  .map(({ word }) => word)
  .join(', ');

/** Billing's documentation says: “for cloud projects productId is 1”. */
export const DEFAULT_PRODUCT: ProductId = 1;

export const isProductId = (value: unknown): value is ProductId => PRODUCT_IDS.some((id) => id === value);

/** A project ID is written into GraphQL as a number, which has no leading zero. */
export const isProjectId = (text: string): boolean => /^[1-9]\d{0,31}$/.test(text);
