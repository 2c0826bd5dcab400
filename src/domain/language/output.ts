import { InvalidWord } from '../failure/index.ts';

/** The figures as a file, or what to reconcile with. */
export type Output = 'csv' | 'details';

const OUTPUT = /^(?:csv|details)$/i;

/**
 * Parses a command's text that may say `csv` or `details` anywhere.
 * @param read parses the text without that word
 * @throws what `read` throws; a suggestion keeps the word
 */
export function parseWithOutput<T>(
  text: string,
  aliases: ReadonlySet<string>,
  read: (text: string) => T,
): { readonly words: T; readonly output: Output | undefined } {
  const typed = text.split(/\s+/);
  const isOutput = (word: string) => OUTPUT.test(word) && !aliases.has(word.toLowerCase());
  const output = typed.find(isOutput)?.toLowerCase() as Output | undefined;
  if (output === undefined) return { words: read(text), output };
  try {
    return { words: read(typed.filter((word) => !isOutput(word)).join(' ')), output };
  } catch (error) {
    if (!(error instanceof InvalidWord) || error.suggestion === undefined) throw error;
    throw new InvalidWord(error.word, error.why, error.works, `${error.suggestion} ${output}`);
  }
}

/** Whether a command's text asks for a file or a window; quick, and right for all but a project of that name. */
export const namesOutput = (text: string): boolean => text.split(/\s+/).some((word) => OUTPUT.test(word));
