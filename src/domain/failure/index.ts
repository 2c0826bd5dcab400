/** The class of the errors that Tally expects, and how Tally words, stores and shows them. */
import * as z from 'zod';
import { couldBeSecret } from '../secret-detection.ts';
import type { Day } from '../time/calendar.ts';
import { type BillingQuestion, KINDS, type Kind } from './kinds.ts';

export * from './kinds.ts';

export type FailureKind = keyof typeof KINDS;
export type DataOf<K extends FailureKind> = Parameters<(typeof KINDS)[K]['says']>[0];
type Details<K extends FailureKind> =
  Record<never, never> extends DataOf<K>
    ? [data?: DataOf<K>, options?: ErrorOptions]
    : [data: DataOf<K>, options?: ErrorOptions];

class FailureError<K extends FailureKind> extends Error {
  override readonly name = 'Failure';
  readonly data: DataOf<K>;
  constructor(
    readonly kind: K,
    ...[data = {} as DataOf<K>, options]: Details<K>
  ) {
    super((KINDS[kind] as Kind<DataOf<K>>).says(data), options);
    this.data = data;
  }
}

export type FailureOf<K extends FailureKind> = K extends 'invalid-word' ? InvalidWord : FailureError<K>;

/** An expected error. TypeScript narrows the type of its data by `kind`. */
export type Failure = { readonly [K in FailureKind]: FailureOf<K> }[FailureKind];
export const Failure = FailureError as new <K extends Exclude<FailureKind, 'invalid-word'>>(
  kind: K,
  ...details: Details<K>
) => FailureOf<K>;

export const isFailure = <K extends FailureKind>(error: unknown, kind?: K): error is FailureOf<K> =>
  error instanceof FailureError && (kind === undefined || error.kind === kind);

/** For `work.catch(failureOf)`. @throws errors other than a Failure */
export function failureOf(error: unknown): Failure {
  if (!isFailure(error)) throw error;
  return error;
}

/** For `work.catch(ignoreFailure)`. @throws errors other than a Failure */
export const ignoreFailure = (error: unknown): undefined => void failureOf(error);

/** Names the project or the days that a person asked about; the query may have covered more days. */
export function withQuestion(failure: Failure, known: Pick<BillingQuestion, 'name' | 'days'>): Failure {
  if (failure.kind !== 'no-data' && failure.kind !== 'query-rejected') return failure;
  return new Failure(failure.kind, { ...failure.data, question: { ...failure.data.question, ...known } });
}

export const kindOf = (kind: string): Kind | undefined =>
  Object.hasOwn(KINDS, kind) ? KINDS[kind as FailureKind] : undefined;

/** Stored without its sentence, which is worded anew when the record is read. */
export const storedFailureSchema = z.object({
  kind: z.string(),
  data: z.record(z.string(), z.unknown()).exactOptional(),
  /** Whether the post may be in the channel although sending it failed. */
  mayBePosted: z.boolean().exactOptional(),
});
export type StoredFailure = Readonly<z.infer<typeof storedFailureSchema>>;

export const toStoredFailure = ({ kind, data }: Failure): StoredFailure => ({
  kind,
  data: KINDS[kind].schema.parse(data),
});

export function failureSentence(stored: StoredFailure, today?: Day): string {
  const kind = kindOf(stored.kind);
  const data = kind?.schema.safeParse(stored.data).data;
  const sentence = (data && kind?.says(data, today)) ?? UNKNOWN;
  return stored.mayBePosted === true ? `${sentence} ${MAY_BE_POSTED}` : sentence;
}

const UNKNOWN = 'It failed. This version of Tally doesn’t know the reason.';
const MAY_BE_POSTED = 'It may have been posted. Check the channel before you send it again.';

const WITHHELD = '…';
const HIDDEN_WORD = 'one word (hidden, because it may be a secret)';

/** A placeholder for the refused word in a `why`. */
const WORD = '{word}';
export const UNRECOGNIZED = `I don’t recognize ${WORD}`;
export const UNKNOWN_COMMAND = `Unknown command ${WORD}`;

export class InvalidWord extends FailureError<'invalid-word'> {
  readonly word: string;
  /** What is wrong, without advice. */
  readonly fact: string;
  /** Command texts to offer as buttons, without secrets. */
  readonly offered: readonly string[];
  /**
   * @param why what is wrong, without a full stop: words that follow the quoted word, or a sentence with `{word}`
   * @param works what to type instead, in whole sentences
   * @param suggestion a corrected text, or each meaning of an ambiguous word
   * @param quoting `judged`: the word isn't quoted if it looks like a secret
   * @param projectFor for an unknown project: the command's text before the project, for a project picker
   */
  constructor(
    word: string,
    readonly why: string,
    readonly works: string,
    suggestion: string | readonly string[] = [],
    private readonly quoting: 'judged' | 'always' = 'judged',
    readonly projectFor?: string,
  ) {
    const mayQuote = (text: string) => quoting === 'always' || !couldBeSecret(text);
    const isQuoted = word !== WITHHELD && mayQuote(word);
    const isSentence = why.includes(WORD) || /^[A-Z]/.test(why);
    const whole = isSentence ? why : `${WORD} ${why}`;
    const fact = (isQuoted ? whole : whole.replace(`, ${WORD}`, ''))
      .replace(WORD, () => (isQuoted ? `“${word}”` : HIDDEN_WORD))
      .replace(/^one word/, 'One word')
      .replace(/[^?]$/, '$&.');
    super('invalid-word', { sentence: `${fact} ${works}`.trim() });
    this.fact = fact;
    this.word = isQuoted ? word : WITHHELD;
    this.offered = [suggestion].flat().filter(mayQuote);
  }

  within(whole: (text: string) => string): InvalidWord {
    const { word, why, works, offered, quoting, projectFor } = this;
    return new InvalidWord(word, why, works, offered.map(whole), quoting, projectFor);
  }

  withheld(): InvalidWord {
    return new InvalidWord(WITHHELD, this.why, this.works, [], this.quoting, this.projectFor);
  }
}

export function catchInvalidWord<T>(parse: () => T): T | InvalidWord {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
}
