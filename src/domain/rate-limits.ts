import { HOUR, MINUTE, type Millis } from './time/calendar.ts';

/** How often something may happen: `most` times at once, and as many within `per` over time. */
export interface Rate {
  readonly most: number;
  readonly per: Millis;
}

/** The limits that an operator can set. */
export interface RateLimits {
  /** Commands, mentions, clicks, forms and opening Home: each reads the record, and may ask billing and Slack. */
  readonly requests: PersonAndWorkspace;
  /** Testing a connection, an access or a schedule, **Send now**, and OS_TOKENs: each asks a service or posts immediately. */
  readonly tests: PersonAndWorkspace;
  /** Parallel requests to one origin, each on its own socket. A single workspace gets a quarter of them at most. */
  readonly serviceConnections: number;
}

export interface PersonAndWorkspace {
  readonly person: Rate;
  /** All people of the workspace together. */
  readonly workspace: Rate;
}

export const rate = (most: number, seconds: number): Rate => ({ most, per: seconds * 1_000 });

/** The defaults, which normal use does not reach. */
export const DEFAULT_LIMITS: RateLimits = {
  requests: { person: rate(20, 20), workspace: rate(200, 10) },
  tests: { person: rate(10, 100), workspace: rate(30, 60) },
  serviceConnections: 32,
};

/** @returns the duration in the largest unit that divides it */
const largestUnit = (per: Millis): readonly [number, string] => {
  if (per % HOUR === 0) return [per / HOUR, 'hour'];
  return per % MINUTE === 0 ? [per / MINUTE, 'minute'] : [per / 1_000, 'second'];
};

/** As the operator writes it: `20/10s` */
export const formatRate = ({ most, per }: Rate): string => {
  const [count, [unit]] = largestUnit(per);
  return `${most}/${count}${unit}`;
};
