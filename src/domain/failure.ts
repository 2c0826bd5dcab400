/**
 * Everything that can go wrong on the way from a command to its answer, one class a concern.
 * A class carries data; its constructor writes the sentence that says what happened. What to do about
 * it, and the button, is said in one place: `slack/failure-advice.ts`, an exhaustive switch over `kind`.
 *
 * Nothing secret and no body of a response ever goes into a failure: it is logged and shown.
 */

import { Base } from './failure/base.ts';
import type { IdentityFailure } from './failure/identity.ts';
import type { LimitFailure } from './failure/limits.ts';
import type { RightFailure } from './failure/rights.ts';
import type { ServiceFailure } from './failure/service.ts';
import type { SlackFailure } from './failure/slack.ts';
import type { StoreFailure } from './failure/store.ts';
import type { TokenFailure } from './failure/tokens.ts';
import type { WordFailure } from './failure/words.ts';

export * from './failure/identity.ts';
export * from './failure/limits.ts';
export * from './failure/rights.ts';
export * from './failure/service.ts';
export * from './failure/slack.ts';
export * from './failure/store.ts';
export * from './failure/tokens.ts';
export * from './failure/words.ts';

export type Failure =
  | ServiceFailure
  | IdentityFailure
  | WordFailure
  | RightFailure
  | TokenFailure
  | StoreFailure
  | SlackFailure
  | LimitFailure;

export function isFailure(error: unknown): error is Failure {
  return error instanceof Base;
}

/** Whether what was to be stored may have been all the same. */
export const isUnsure = (failure: Failure): boolean => failure.kind === 'store-unreachable' && failure.unsure;

/** Whether what stood there before stands: nothing was stored, and nobody else was quicker. */
export const leftAllAsItWas = (failure: Failure): boolean =>
  !isUnsure(failure) && failure.kind !== 'changed-meanwhile';
