/** Counts, lists and clips words for sentences. */

export const pluralize = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`;

/** `2 of 3 projects`; `3 projects` if all or none are known */
export const countKnown = (known: number, all: number, noun: string): string =>
  `${known > 0 && known < all ? `${known} of ` : ''}${pluralize(all, noun)}`;

const MOST_NAMED = 5;

/** `prod, dev and test`; `a, b and 3 more` */
export function listNames(names: readonly string[], most = MOST_NAMED): string {
  const more = names.length - most;
  if (more > 0) return `${names.slice(0, most).join(', ')} and ${more} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Replaces the lines after `most` by `and 3 more`. */
export const limitLines = (lines: readonly string[], most: number): readonly string[] =>
  lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : lines;

/** The first `most` characters of a text that may be very long. No emoji is cut in half. */
export const firstCharacters = (text: string, most: number): string =>
  [...text.slice(0, most * 2)].slice(0, most).join('');

/** Clips a typed word to 40 characters. A longer word may be a secret. */
export function clipWord(word: string): string {
  const letters = [...word];
  return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : word;
}

export const withoutMatch = (text: string, { index = 0, 0: matched }: RegExpMatchArray): string =>
  `${text.slice(0, index)} ${text.slice(index + matched.length)}`.replace(/ +/g, ' ').trim();
