import { WordRefused } from '../../domain/failure.ts';
import { type Period, resolvePeriod } from '../../domain/period.ts';
import { LAST_7_DAYS, type Phrase } from '../../domain/phrase.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { readWords } from '../../domain/words.ts';
import type { Named, Target } from '../../workspace/target.ts';

export interface SpendRequest extends Named {
  readonly phrase: Phrase;
}

/**
 * `123 last-7-days cloud` or `prod mtd`, in any order; without a project the channel's is meant.
 * @throws WordRefused, SecretPasted
 */
export function readSpendWords(text: string, aliases: ReadonlySet<string>): SpendRequest | 'help' {
  const words = readWords(text, aliases);
  return words.help ? 'help' : { ...words, phrase: words.phrase ?? LAST_7_DAYS };
}

/**
 * The period at this moment; a refusal suggests the whole command's text.
 * @param when `asked` is when an answer that is shared now was asked for, both in ms
 * @throws WordRefused, JustBegun
 */
export function periodOf(
  phrase: Phrase,
  target: Target,
  when: { readonly at: number; readonly asked: number | undefined },
  zone: string,
): Period {
  try {
    return resolvePeriod(phrase, when.at, zone, when.asked);
  } catch (error) {
    if (!(error instanceof WordRefused) || error.suggestion === undefined) throw error;
    const whole = `${target.word} ${error.suggestion} ${PRODUCTS[target.product].word}`;
    throw new WordRefused(error.word, error.why, error.works, whole);
  }
}
