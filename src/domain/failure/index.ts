/**
 * Everything that can go wrong on the way from a command to its answer, one class a kind: its data and, written by its
 * constructor, the sentence that says what happened. The compiler then asks for the rest of a new kind: what to do about it,
 * with its button (`slack/error-messages/`), and how it is stored (`workspace/record/stored-failure.ts`).
 *
 * Nothing secret and no body of a response ever goes into a failure: it is logged, shown and stored.
 */

import type { RequestedDays } from '../time/calendar.ts';
import { FailureBase } from './base.ts';
import type * as command from './command.ts';
import type * as identity from './os-token.ts';
import type * as service from './service.ts';
import { NoData, QueryRejected } from './service.ts';
import type * as slack from './slack.ts';
import type * as store from './store.ts';
import { StoreUnavailable, WriteRefused } from './store.ts';

export * from './command.ts';
export * from './os-token.ts';
export * from './service.ts';
export * from './slack.ts';
export * from './store.ts';

/** The failures whose classes a module exports. */
type FailuresOf<Module> = {
  [Name in keyof Module]: Module[Name] extends abstract new (
    ...args: never
  ) => infer Made
    ? Extract<Made, FailureBase<string>>
    : never;
}[keyof Module];

export type CommandFailure = FailuresOf<typeof command>;
export type IdentityFailure = FailuresOf<typeof identity>;
export type ServiceFailure = FailuresOf<typeof service>;
export type Failure =
  | CommandFailure
  | IdentityFailure
  | ServiceFailure
  | FailuresOf<typeof slack>
  | FailuresOf<typeof store>;

export type FailureKind = Failure['kind'];
export type FailureOf<K extends FailureKind> = Extract<Failure, { readonly kind: K }>;

export function isFailure(error: unknown): error is Failure {
  return error instanceof FailureBase;
}

/** For work whose failure is one of its outcomes: `work.catch(failureOf)`. @throws any other error */
export function failureOf(error: unknown): Failure {
  if (!isFailure(error)) throw error;
  return error;
}

/** For work whose failure changes nothing: `work.catch(ignoreFailure)`. @throws any other error */
export const ignoreFailure = (error: unknown): undefined => void failureOf(error);

/** The failure with the days that the reader asked about; the request also covered those of the comparison and the chart. */
export function withRequestedDays(failure: Failure, days: RequestedDays): Failure {
  if (!('question' in failure) || failure.question.days === undefined) return failure;
  const question = { ...failure.question, days };
  return failure.kind === 'no-data'
    ? new NoData(question)
    : new QueryRejected(failure.messages, failure.status, question);
}

/** Whether the write may have been stored although it failed. */
export const mayHaveBeenSaved = (failure: Failure): boolean =>
  failure.kind === 'store-unavailable' && failure.unsure;

/**
 * The failure of work that may have changed something before its last step: if the store is away, only a refused
 * write says that nothing was changed.
 * @param hasChanged whether an earlier step was saved
 */
export const markUnsure = (failure: Failure, hasChanged: boolean): Failure =>
  failure.kind === 'store-unavailable' &&
  !failure.unsure &&
  (hasChanged || !(failure instanceof WriteRefused))
    ? new StoreUnavailable({ cause: failure }, true)
    : failure;

/** Whether the previous value is unchanged: nothing was stored, and nobody else changed it. */
export const changedNothing = (failure: Failure): boolean =>
  !mayHaveBeenSaved(failure) && failure.kind !== 'edit-conflict';
