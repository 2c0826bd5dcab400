/** Words in sentences: counted, listed and clipped. */

/** `1 day`, `2 days` */
export const pluralize = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`;

const MOST_NAMED = 5;

/** `prod, dev and test`; with more than `most` names `a, b and 3 more`. */
export function listNames(names: readonly string[], most = MOST_NAMED): string {
  const more = names.length - most;
  if (more > 0) return `${names.slice(0, most).join(', ')} and ${more} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The first `most` lines, and a last line that says how many more there are. */
export const limitLines = (lines: readonly string[], most: number): readonly string[] =>
  lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : lines;

/** Clips a word to 40 characters before it is quoted, because a longer word may be a secret. */
export function clipWord(word: string): string {
  const letters = [...word];
  return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : word;
}

export const withoutMatch = (text: string, { index = 0, 0: matched }: RegExpMatchArray): string =>
  `${text.slice(0, index)} ${text.slice(index + matched.length)}`.replace(/ +/g, ' ').trim();
