import * as z from 'zod';
import { couldBeSecret } from '../secret-detection.ts';
import type { Day, RequestedDays } from '../time/calendar.ts';
import { KINDS, type Kind } from './kinds.ts';

export * from './kinds.ts';

export type FailureKind = keyof typeof KINDS;
export type DataOf<K extends FailureKind> = Parameters<(typeof KINDS)[K]['says']>[0];
/** A failure's constructor arguments: its data, optional if none of it is required, and the cause. */
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

/** Every error Tally anticipates. Narrow it by `kind`. */
export type Failure = { readonly [K in FailureKind]: FailureOf<K> }[FailureKind];
export const Failure = FailureError as new <K extends Exclude<FailureKind, 'invalid-word'>>(
  kind: K,
  ...details: Details<K>
) => FailureOf<K>;

/** @param kind if absent, a failure of any kind will do */
export const isFailure = <K extends FailureKind>(error: unknown, kind?: K): error is FailureOf<K> =>
  error instanceof FailureError && (kind === undefined || error.kind === kind);

/** Turns a Failure into a result: `work.catch(failureOf)`. @throws any other error */
export function failureOf(error: unknown): Failure {
  if (!isFailure(error)) throw error;
  return error;
}

/** Ignores a Failure of work that nothing depends on: `work.catch(ignoreFailure)`. @throws any other error */
export const ignoreFailure = (error: unknown): undefined => void failureOf(error);

/** For figures an answer can do without: `asked.catch(missedAnswer)`. `no-data` is no charges. @throws other errors */
export function missedAnswer(error: unknown): (
  | { readonly why: string }
  | { readonly charges: readonly never[] }
) & {
  readonly remarks: readonly string[];
} {
  const failure = failureOf(error);
  if (failure.kind === 'no-data') return { charges: [], remarks: [] };
  return {
    why: failure.message,
    remarks: failure.kind === 'query-rejected' ? (failure.data.messages ?? []) : [],
  };
}

/** Names the days that the reader asked about; the request also covered days for the comparison and the chart. */
export function withRequestedDays(failure: Failure, days: RequestedDays): Failure {
  if (failure.kind !== 'no-data' && failure.kind !== 'query-rejected') return failure;
  const { question } = failure.data;
  if (question.days === undefined) return failure;
  return new Failure(failure.kind, { ...failure.data, question: { ...question, days } });
}

/** @returns undefined for a kind of failure that only another version of Tally knows */
export const kindOf = (kind: string): Kind | undefined =>
  Object.hasOwn(KINDS, kind) ? KINDS[kind as FailureKind] : undefined;

/** Whether a write that failed may still have been saved. */
export const mayHaveBeenSaved = (failure: Failure): boolean =>
  failure.kind === 'store-unavailable' && failure.data.write === 'unsure';

/** A failure as stored. Its sentence is made when it is read; a kind of another version gets a general sentence. */
export const storedFailure = z.object({
  kind: z.string(),
  data: z.record(z.string(), z.unknown()).exactOptional(),
  /** Whether the post may be in the channel although sending it failed. */
  mayBePosted: z.boolean().exactOptional(),
});
export type StoredFailure = Readonly<z.infer<typeof storedFailure>>;

/** Stores equal failures as equal values, so that these can be compared. */
export const storeFailure = ({ kind, data }: Failure): StoredFailure => ({
  kind,
  data: KINDS[kind].schema.parse(data),
});

/** Says what happened in a sentence. @param today the reader's date; days in its year are written without the year */
export function wordFailure(stored: StoredFailure, today?: Day): string {
  const kind = kindOf(stored.kind);
  const data = kind?.schema.safeParse(stored.data).data;
  const sentence = (data && kind?.says(data, today)) ?? UNKNOWN;
  return stored.mayBePosted === true ? `${sentence} ${MAY_BE_POSTED}` : sentence;
}

const UNKNOWN = 'It failed, for a reason that this version of Tally doesn’t know.';
const MAY_BE_POSTED = 'It may have been posted. Check the channel before you send it again.';

const WITHHELD = '…';
const HIDDEN_WORD = 'one word (not repeated, as it may be a secret)';

/** Marks where the refused word goes in a `why`. */
const WORD = '{word}';
export const UNRECOGNIZED = `I don’t recognize ${WORD}`;
export const UNKNOWN_COMMAND = `Unknown command ${WORD}`;

export class InvalidWord extends FailureError<'invalid-word'> {
  readonly word: string;
  /** The problem, without advice. */
  readonly fact: string;
  /** Corrected or alternative command texts, ready to run. Never contain secrets. */
  readonly offered: readonly string[];
  /**
   * @param why completes a sentence after the quoted word, or is one that may contain `{word}`; without a full stop
   * @param works what to type, in whole sentences
   * @param suggestion one corrected text, or each reading of an ambiguous word
   * @param quoting `always` quotes the word; `judged` doesn't if it looks like a secret
   * @param projectFor for an unknown project: the command's text before it, so that a project picker can complete it
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
    // A hidden word after a comma is left out.
    const fact = (isQuoted ? whole : whole.replace(`, ${WORD}`, ''))
      .replace(WORD, () => (isQuoted ? `“${word}”` : HIDDEN_WORD))
      .replace(/^one word/, 'One word')
      .replace(/[^?]$/, '$&.');
    super('invalid-word', { sentence: `${fact} ${works}`.trim() });
    this.fact = fact;
    this.word = isQuoted ? word : WITHHELD;
    this.offered = [suggestion].flat().filter(mayQuote);
  }

  /** A copy whose suggestions are wrapped by `whole`. */
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

/** Error messages that billing sent along with figures. */
export interface BillingRemark {
  /** `the balance`, `the figures for 14–20 Nov` */
  readonly about: string;
  /** Untrusted, without duplicates. */
  readonly messages: readonly string[];
}

/** @returns Tally's own sentence, which introduces billing's messages */
export const remarkLead = ({ about }: BillingRemark): string =>
  `The billing service reported a problem with ${about}:`;

/** Collects billing's remarks on several answers. @returns each message once, under the first answer that had it */
export function collectRemarks(
  ...answers: readonly (readonly [about: string, answer: { readonly remarks: readonly string[] }])[]
): readonly BillingRemark[] {
  const known = new Set<string>();
  return answers.flatMap(([about, { remarks }]) => {
    const messages = [...new Set(remarks)].filter((message) => !known.has(message));
    for (const message of messages) known.add(message);
    return messages.length === 0 ? [] : [{ about, messages }];
  });
}
