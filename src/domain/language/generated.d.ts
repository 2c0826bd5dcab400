/** The parser that build.js writes from the grammar files of this folder. */

/** @returns the text's items. Every text parses, so an exception is a bug in the grammar */
export function parse(text: string, options: object): unknown;

/** All words of the grammar. */
export const WORDS: readonly string[];
/** The words that typos are corrected to: those in grammar rules that have a quoted name. */
export const CORRECTIONS: readonly string[];
