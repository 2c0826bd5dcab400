/** Failures that only the identity service has, and failures with the tokens that it issues. */
import { pluralize } from '../language/text.ts';
import { formatRatePeriod, type Rate } from '../rate-limits.ts';
import type { Millis } from '../time/calendar.ts';
import { FailureBase } from './base.ts';

/** The identity service refused an application access (401), or what it asked for (403). It does not tell why. */
export class AccessRefused extends FailureBase<'access-refused'> {
  constructor(readonly status: 401 | 403) {
    super('access-refused', `The identity service refused the application access (HTTP ${status}).`);
  }
}

/** HTTP 404 that names an application credential: the ID is wrong, or the access was deleted. */
export class AccessNotFound extends FailureBase<'access-not-found'> {
  constructor() {
    super('access-not-found', 'The identity service doesn’t know that application access (HTTP 404).');
  }
}

/** Another 404 of the identity API itself: the project of an application access is disabled or gone. */
export class ProjectDisabled extends FailureBase<'project-disabled'> {
  constructor() {
    super('project-disabled', 'The identity service won’t issue a token for that project (HTTP 404).');
  }
}

/** Something answers at the address, and it is not the identity API. `suggestion` is an address that may be. */
export class WrongIdentityUrl extends FailureBase<'wrong-identity-url'> {
  constructor(
    readonly host: string,
    readonly status: number,
    readonly suggestion?: string,
  ) {
    super('wrong-identity-url', `The address isn’t an identity service (HTTP ${status}).`);
  }

  get detail(): string {
    return this.host;
  }
}

/** The answer to a token request was lost. A token may exist, but nobody knows its value. */
export class OutcomeUnclear extends FailureBase<'outcome-unclear'> {
  constructor(
    readonly host: string,
    options?: ErrorOptions,
  ) {
    super(
      'outcome-unclear',
      'The identity service may have issued a token, but its answer got lost.',
      options,
    );
  }

  get detail(): string {
    return this.host;
  }
}

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
      `You’ve reached the limit of ${pluralize(most, 'token')} in ${formatRatePeriod(per)}.`,
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
