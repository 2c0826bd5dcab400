/** What every failure has: a kind, which the replies are chosen by, and a sentence. */
export abstract class FailureBase<K extends string> extends Error {
  readonly kind: K;
  /** The sentence in two or three words, for a cell of a table. */
  readonly summary: string = 'no answer';
  constructor(kind: K, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.kind = kind;
    this.name = new.target.name;
  }
}
