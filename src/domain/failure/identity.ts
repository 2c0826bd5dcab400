/** What only the identity service answers. */
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

export type IdentityFailure =
  | AccessRefused
  | AccessNotFound
  | ProjectDisabled
  | WrongIdentityUrl
  | OutcomeUnclear;
