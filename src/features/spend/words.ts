import { InvalidWord } from '../../domain/failure/index.ts';
import { type Output, parseWithOutput } from '../../domain/language/argument.ts';
import { parseCommandText } from '../../domain/language/command-text.ts';
import { LAST_7_DAYS, type PeriodPhrase } from '../../domain/language/period-phrase.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import { type Period, resolvePeriod } from '../../domain/time/period.ts';
import {
  listWord,
  type ProjectReference,
  type ResolvedProject,
  type SeveralProjects,
} from '../../workspace/projects/resolve-project.ts';

export interface SpendRequest extends ProjectReference {
  /** Several projects instead of one. */
  readonly several?: SeveralProjects;
  /** Output instead of a message. */
  readonly output?: Output;
  readonly phrase: PeriodPhrase;
}

/**
 * `123 last-7-days cloud` or `prod mtd`, in any order; without a project the channel's is meant.
 * @throws InvalidWord, SecretPasted
 */
export function parseSpendText(text: string, aliases: ReadonlySet<string>): SpendRequest | 'help' {
  const { words, output } = parseWithOutput(text, aliases, (rest) => parseCommandText(rest, aliases));
  return words.help ? 'help' : { ...words, phrase: words.phrase ?? LAST_7_DAYS, ...(output && { output }) };
}

/** The project that was found, with the product and the output that were typed. */
interface TypedProject extends Pick<ResolvedProject, 'word'> {
  readonly product: ProductId | undefined;
  readonly output: Output | undefined;
}

/**
 * The period at this moment; a refusal suggests the whole command's text.
 * @param when `asked` is when an answer that is shared now was asked for, both in ms
 * @throws InvalidWord, PeriodJustBegan
 */
export function resolveSpendPeriod(
  phrase: PeriodPhrase,
  named: TypedProject | SpendRequest,
  when: { readonly at: Millis; readonly asked: number | undefined },
  zone: Zone,
): Period {
  try {
    return resolvePeriod(phrase, when.at, zone, when.asked);
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    const word = 'word' in named ? named.word : listWord(named.several ?? []);
    const product = named.product === undefined ? '' : PRODUCTS[named.product].word;
    throw error.within((period) => [word, period, product, named.output].filter(Boolean).join(' '));
  }
}
