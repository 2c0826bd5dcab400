import type { Millis } from './time/calendar.ts';

/** How often something may happen: `most` times at once, and as many within `per` over time. */
export interface Rate {
  readonly most: number;
  readonly per: Millis;
}

/** The limits of one process. */
export interface RateLimits {
  /** Commands, mentions, clicks, forms and opening Home: each reads the record, and may ask billing and Slack. */
  readonly requests: PersonAndWorkspace;
  /** Testing a connection, an access or a schedule, **Send now**, and OS_TOKENs: each asks a service or posts immediately. */
  readonly tests: PersonAndWorkspace;
}

export interface PersonAndWorkspace {
  readonly person: Rate;
  /** All people of the workspace together. */
  readonly workspace: Rate;
}

export const rate = (most: number, seconds: number): Rate => ({ most, per: seconds * 1_000 });

/** Normal use does not reach them. */
export const DEFAULT_LIMITS: RateLimits = {
  requests: { person: rate(20, 20), workspace: rate(200, 10) },
  tests: { person: rate(10, 100), workspace: rate(30, 60) },
};
