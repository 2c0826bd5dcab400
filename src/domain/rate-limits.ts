import type { Millis } from './time/calendar.ts';

/** A token bucket: `most` at once, refilled with `most` in each `per`. */
export interface Rate {
  readonly most: number;
  readonly per: Millis;
}

export interface RateLimits {
  /** Commands, mentions, clicks, forms, Home. */
  readonly requests: PersonAndWorkspace;
  /** Tests, **Send now**, OS_TOKENs: each calls a service or posts. */
  readonly tests: PersonAndWorkspace;
}

export interface PersonAndWorkspace {
  readonly person: Rate;
  /** All people of the workspace together. */
  readonly workspace: Rate;
}

export const rate = (most: number, seconds: number): Rate => ({ most, per: seconds * 1_000 });

export const DEFAULT_LIMITS: RateLimits = {
  requests: { person: rate(20, 20), workspace: rate(200, 10) },
  tests: { person: rate(10, 100), workspace: rate(30, 60) },
};
