/** Corrects the spelling of a question. Swapped letters are corrected silently; for other mistakes, the correction is offered. */

import { nearestWord, nearestWords, sortedLetters } from '../nearest-word.ts';
import { holdsUnknownWord } from './legacy/parser.ts';
import type { Aliases } from './legacy/tokenizer.ts';
import { SUGGESTIONS, VOCABULARY } from './legacy/vocabulary.ts';
import { correctableWords, isPhraseWord, lazy, phraseAt, plainWords } from './phrases.ts';

/** A word as it was typed, and as it is compared. */
export interface Word {
  readonly typed: string;
  readonly text: string;
}

/** Words that add nothing, by their sorted letters. */
const byLetters = lazy(() =>
  plainWords().reduce(
    (found, word) => found.set(sortedLetters(word), [...(found.get(sortedLetters(word)) ?? []), word]),
    new Map<string, readonly string[]>(),
  ),
);

/** A text with more unknown words than this isn't a question. */
const MOST_UNKNOWN = 3;

/** The plain word that this word is with two letters swapped. */
function unswapLetters(word = ''): string | undefined {
  const [only, ...others] = nearestWords(word, byLetters().get(sortedLetters(word)) ?? []);
  return others.length === 0 ? only : undefined;
}

/** Shorter words are often names: `aws` is not `was`. */
const LONG_ENOUGH = 5;

/** What a word of plain words was meant to be: a long one by itself, a short one only in a phrase: `hwo mcuh`. */
function plainWord(words: readonly Word[], at: number): string | undefined {
  const [before, word, after] = [at - 1, at, at + 1].map((index) => words[index]?.text ?? '');
  const plain = unswapLetters(word);
  if (plain === undefined || plain.length >= LONG_ENOUGH) return plain;
  const pairs = [`${unswapLetters(before) ?? before} ${plain}`, `${plain} ${unswapLetters(after) ?? after}`];
  return pairs.some((pair) => {
    const both = pair.split(' ').map((text) => ({ text }));
    return phraseAt(both, 0)?.length === 2;
  })
    ? plain
    : undefined;
}

/**
 * Puts swapped letters right in words that add nothing. Another slip in a word that says what the question is about (`spnt`)
 * is put right as well, but leaves a doubt.
 */
export function correctSpelling(
  words: readonly Word[],
  aliases: Aliases,
): { readonly words: readonly Word[]; readonly doubt?: string } {
  let unknown = 0;
  let doubt: string | undefined;
  const right = words.map((word, at) => {
    const { text } = word;
    const isKnown =
      isPhraseWord(text) || VOCABULARY.has(text) || aliases.has(text) || !/^[a-z]{3,20}$/.test(text);
    if (isKnown || unknown >= MOST_UNKNOWN || !holdsUnknownWord(text, aliases)) return word;
    unknown += 1;
    const plain = plainWord(words, at);
    if (plain !== undefined) return { typed: word.typed, text: plain };
    const near = nearestWord(text, [...aliases]) === undefined ? meantWord(text, at) : undefined;
    if (near === undefined) return word;
    doubt ??= word.typed;
    return { typed: word.typed, text: near };
  });
  return { words: right, ...(doubt !== undefined && { doubt }) };
}

const PERIOD_WORDS: readonly string[] = [...SUGGESTIONS.keys()];

/** Shorter question words come first: `wat did prod cost`. Several spellings may be near where they are forms of one word. */
function meantWord(word: string, at: number): string | undefined {
  // A mistyped period: the refusal suggests its correction.
  if (nearestWords(word, PERIOD_WORDS).length > 0) return undefined;
  const near = nearestWords(word, at === 0 ? [...correctableWords(), 'what', 'whats'] : correctableWords());
  const [first = ''] = near;
  return near.every((other) => other.startsWith(first.slice(0, -1))) ? near[0] : undefined;
}
