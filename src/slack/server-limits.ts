/** What Tally grants those who connect to it. Sizes in bytes, durations in ms. */
export const SERVER_LIMITS = {
  /** One body. A view of 250 KB, Slack's largest payload, stays below this with every sign percent-encoded. */
  bodyBytes: 1024 * 1024,
  /** All bodies that are being read, together. Beyond it the answer is 503, and Slack sends events again. */
  totalBodyBytes: 32 * 1024 * 1024,
  /** A body that is read although nobody signed it. */
  unsignedBytes: 1024,
  /** Of a body that is refused: so much is read and thrown away, so that the sender sees the refusal. */
  discardedBytes: 4 * 1024 * 1024,
  formFields: 64,
  /** Slack gives up after 3 s, so whoever takes longer to ask is not Slack. */
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  /** How often connections are checked for these two: a connection outlives them by at most this. */
  checkInterval: 1_000,
  connections: 512,
  /** In s, with a 503. */
  retryAfter: 2,
} as const;
