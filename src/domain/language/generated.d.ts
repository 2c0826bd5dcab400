/** The parser that build.js writes from the grammar files of this folder. */

/** @returns items; every text parses, so an exception is a bug in the grammar */
export function parse(text: string, options: object): unknown;

/** All words of the grammar. */
export const WORDS: readonly string[];
/** Words that typos are corrected to: those in named rules. */
export const CORRECTIONS: readonly string[];
/** Words and phrases of questions. */
export const QUESTION_WORDS: readonly string[];
