/** What Tally grants a service that it does not run. Durations in milliseconds. */
export interface Limits {
  /** One question from its first byte to the answer's last, all tries and pauses between them included. */
  readonly deadline: number;
  readonly tries: number;
  /** The pause before the next try lies between these two, longer the more tries were made. */
  readonly shortestBackoff: number;
  readonly longestBackoff: number;
  /** So many outages in a row, and the origin is left alone for `pause`. */
  readonly outages: number;
  readonly pause: number;
  /** Failing origins that are remembered; beyond it the one that failed longest ago is forgotten. */
  readonly failingOrigins: number;
  readonly bodyBytes: number;
  /** Connections to one origin. */
  readonly connections: number;
  /** An unused connection is kept this long, unless the service names a time of its own. */
  readonly idle: number;
}

export const LIMITS: Limits = {
  deadline: 10_000,
  tries: 3,
  shortestBackoff: 100,
  longestBackoff: 800,
  outages: 10,
  pause: 5_000,
  failingOrigins: 256,
  bodyBytes: 4 * 1024 * 1024,
  connections: 16,
  idle: 20_000,
};
