/**
 * A place in a text that cannot be read: raised while reading, turned into a `InvalidWord` (or, should a
 * secret be about, a `SecretPasted`) by the reader, which alone knows the whole text.
 */
export class ParseError extends Error {
  constructor(
    readonly start: number,
    readonly end: number,
    /** Completes «“word” …». */
    readonly why: string,
    /** A whole sentence with examples. */
    readonly works: string,
    /** What might stand there instead; the first that makes the text readable is suggested. */
    readonly instead: readonly string[] = [],
  ) {
    super(why);
  }
}
