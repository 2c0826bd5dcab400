/** Tokens that are issued. */
import { pluralize } from '../language/text.ts';
import { formatPeriod, type Rate } from '../limits.ts';
import type { Millis } from '../time/calendar.ts';
import { FailureBase } from './base.ts';

/** No application access is registered for the project, so nothing can be issued for it. */
export class AccessMissing extends FailureBase<'access-missing'> {
  /** @param project its ID @param label its name */
  constructor(
    readonly project: string,
    readonly label: string,
  ) {
    super('access-missing', `${label} has no application access, so Tally can’t issue an OS_TOKEN.`);
  }
}

/** More tokens in a short time than one person gets. `wait` in ms until the next one. */
export class TooManyTokens extends FailureBase<'too-many-tokens'> {
  constructor(
    { most, per }: Rate,
    readonly wait: Millis,
  ) {
    super(
      'too-many-tokens',
      `You’ve reached the limit of ${pluralize(most, 'token')} in ${formatPeriod(per)}.`,
    );
  }
}

/** Whether something is in the audit; `maybe` when the answer to writing it was lost. */
export type AuditState = 'yes' | 'maybe' | 'no';

/** What became of a token that was issued and not shown. */
export interface UnshownToken {
  readonly state: 'revoked' | 'not-revoked' | 'unclear';
  /** A text that says when it expires. */
  readonly until: string;
  readonly audit: AuditState;
}

/** A token was issued, and nobody got it. */
export class TokenNotShown extends FailureBase<'token-not-shown'> {
  /** @param why a sentence about the cause, if there is one */
  constructor(
    label: string,
    readonly why: string | undefined,
    readonly token: UnshownToken,
    options?: ErrorOptions,
  ) {
    super('token-not-shown', `Tally got a token for ${label}, but couldn’t show it.`, options);
  }
}

export type TokenFailure = AccessMissing | TooManyTokens | TokenNotShown;
