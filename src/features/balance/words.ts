import { ProjectMissing, WordRefused } from '../../domain/failure.ts';
import { DEFAULT_PRODUCT, type ProductId } from '../../domain/product.ts';
import { readWords } from '../../domain/words.ts';

export interface BalanceRequest {
  readonly project: string;
  readonly product: ProductId;
}

/** `123 cloud`, in any order. @throws WordRefused, SecretPasted, ProjectMissing */
export function readBalanceWords(text: string): BalanceRequest | 'help' {
  const words = readWords(text);
  if (words.help) return 'help';
  if (words.phrase !== undefined) {
    throw new WordRefused(
      text.trim().slice(0, 40),
      'names a period, and a balance is of now',
      'Try /balance 123, or /spend 123 last-7-days.',
    );
  }
  if (words.project === undefined) throw new ProjectMissing();
  return { project: words.project, product: words.product ?? DEFAULT_PRODUCT };
}
