/** Tokens that are issued. */
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
    readonly most: number,
    readonly minutes: number,
    readonly wait: number,
  ) {
    super('too-many-tokens', `You’ve reached the limit of ${most} tokens in ${minutes} minutes.`);
  }
}

/** A token that Slack would not show in one piece, `length` characters. */
export class TokenTooLong extends FailureBase<'token-too-long'> {
  constructor(readonly length: number) {
    super(
      'token-too-long',
      `The identity service issued a token of ${length} characters, more than Slack can show.`,
    );
  }
}

/** A token that could be neither shown nor revoked. `until`: a text that says when it expires. */
export class TokenNotRevoked extends FailureBase<'token-not-revoked'> {
  /** @param why a sentence about the cause, if there is one */
  constructor(
    readonly why: string | undefined,
    readonly until: string,
    options?: ErrorOptions,
  ) {
    super('token-not-revoked', 'A token was issued, but it couldn’t be shown or revoked.', options);
  }
}

export type TokenFailure = AccessMissing | TooManyTokens | TokenTooLong | TokenNotRevoked;
