/** How long and how often Tally asks a service, and how much it accepts. Durations in milliseconds. */
export interface HttpLimits {
  /** One request from its turn in the queue to the last byte, with all tries and the pauses between them. */
  readonly deadline: number;
  readonly tries: number;
  /** The pause before the next try is random between these two; its upper end grows with each try. */
  readonly shortestBackoff: number;
  readonly longestBackoff: number;
  /** After this many outages in a row, a connection does not ask an origin for `breakerPause`. */
  readonly breakerThreshold: number;
  readonly breakerPause: number;
  /** How many failing connections are remembered; beyond it, the one that failed longest ago is forgotten. */
  readonly failingConnections: number;
  readonly bodyBytes: number;
  /** Parallel requests to one origin, each on its own socket. A single workspace gets half of them at most. */
  readonly connections: number;
  /** How many interactive requests of a workspace may wait for one origin; the next one is refused. */
  readonly queueLength: number;
  /** How long an interactive request may wait for its turn. A background request waits without limit. */
  readonly queueTimeout: number;
  /** How long an unused connection is kept, unless the service names a time. */
  readonly keepAlive: number;
}

export const HTTP_LIMITS: HttpLimits = {
  deadline: 10_000,
  tries: 3,
  shortestBackoff: 100,
  longestBackoff: 800,
  breakerThreshold: 10,
  breakerPause: 5_000,
  failingConnections: 1_024,
  bodyBytes: 4 * 1024 * 1024,
  connections: 32,
  queueLength: 500,
  queueTimeout: 10_000,
  keepAlive: 20_000,
};
