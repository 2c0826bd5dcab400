/** What every failure has: a kind, which the replies switch on, and a sentence. */
export abstract class FailureBase<K extends string> extends Error {
  readonly kind: K;
  constructor(kind: K, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.kind = kind;
    this.name = new.target.name;
  }
}
