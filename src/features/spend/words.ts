import { ProjectMissing, WordRefused } from '../../domain/failure.ts';
import { type Period, resolvePeriod } from '../../domain/period.ts';
import type { Phrase } from '../../domain/phrase.ts';
import { LAST_7_DAYS } from '../../domain/phrase.ts';
import { DEFAULT_PRODUCT, PRODUCTS, type ProductId } from '../../domain/product.ts';
import { readWords } from '../../domain/words.ts';

export interface SpendRequest {
  readonly project: string;
  readonly product: ProductId;
  readonly phrase: Phrase;
}

/** `123 last-7-days cloud`, in any order. @throws WordRefused, SecretPasted, ProjectMissing */
export function readSpendWords(text: string): SpendRequest | 'help' {
  const words = readWords(text);
  if (words.help) return 'help';
  if (words.project === undefined) throw new ProjectMissing();
  return {
    project: words.project,
    product: words.product ?? DEFAULT_PRODUCT,
    phrase: words.phrase ?? LAST_7_DAYS,
  };
}

/** The period at this moment; a refusal suggests the whole command's text. @throws WordRefused, JustBegun */
export function periodOf({ project, product, phrase }: SpendRequest, now: number, zone: string): Period {
  try {
    return resolvePeriod(phrase, now, zone);
  } catch (error) {
    if (!(error instanceof WordRefused) || error.suggestion === undefined) throw error;
    const whole = `${project} ${error.suggestion} ${PRODUCTS[product].word}`;
    throw new WordRefused(error.word, error.why, error.works, whole);
  }
}
