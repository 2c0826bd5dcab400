/** The parser that build.js writes from the grammar files of this folder. */

/** @returns the items of the text: every text has some, so that it throws only for a fault of the grammar */
export function parse(text: string, options: object): unknown;

/** All words of the grammar. */
export const WORDS: readonly string[];
/** Those that a mistyped word is corrected to: of the rules that have a name. */
export const CORRECTIONS: readonly string[];
/** Words and phrases of questions. */
export const QUESTION_WORDS: readonly string[];
