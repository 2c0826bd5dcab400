/** What Tally grants a service that it does not run. Durations in milliseconds. */
export interface HttpLimits {
  /** One question from its turn to the answer's last byte, all tries and pauses between them included. */
  readonly deadline: number;
  readonly tries: number;
  /** The pause before the next try lies between these two, longer the more tries were made. */
  readonly shortestBackoff: number;
  readonly longestBackoff: number;
  /** So many outages in a row of one connection at one origin, and it is left alone there for `pause`. */
  readonly outages: number;
  readonly pause: number;
  /** Failing connections that are remembered; beyond it the one that failed longest ago is forgotten. */
  readonly failingConnections: number;
  readonly bodyBytes: number;
  /** Questions to one origin at a time, each on a socket of its own. One workspace alone gets half of them at most. */
  readonly connections: number;
  /** A workspace's questions that wait for their turn at one origin; one more is refused. */
  readonly waiting: number;
  /** How long a person's question waits for its turn. What is asked in the background waits for as long as it takes. */
  readonly patience: number;
  /** An unused connection is kept this long, unless the service names a time of its own. */
  readonly idle: number;
}

export const HTTP_LIMITS: HttpLimits = {
  deadline: 10_000,
  tries: 3,
  shortestBackoff: 100,
  longestBackoff: 800,
  outages: 10,
  pause: 5_000,
  failingConnections: 1_024,
  bodyBytes: 4 * 1024 * 1024,
  connections: 32,
  waiting: 500,
  patience: 10_000,
  idle: 20_000,
};
