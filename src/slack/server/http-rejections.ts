import type { Logger } from 'pino';
import type { Millis } from '../../domain/time/calendar.ts';

/** Why a request to Slack's address is rejected → its status. */
export const REJECTIONS = {
  /** No signature, or none that Slack would make. */
  unsigned: 401,
  /** Signed too long ago, or in the future. */
  outdated: 401,
  'wrong-signature': 401,
  'too-large': 413,
  /** Too many bodies at once. */
  overloaded: 503,
  /** Cut off, or neither a form nor JSON. */
  malformed: 400,
} as const;

export type RejectionReason = keyof typeof REJECTIONS;

/** Reasons that a wrong setting may cause for all of Slack's requests. The others come from anyone on the Internet. */
const BY_SETTINGS: Partial<Record<RejectionReason, readonly [msg: string, todo: string]>> = {
  'wrong-signature': [
    'Rejected requests that were not signed with SLACK_SIGNING_SECRET',
    'If nobody gets an answer, set SLACK_SIGNING_SECRET to the Signing Secret on the app’s page, Basic Information. Otherwise someone else sends them.',
  ],
  outdated: [
    'Rejected requests that were signed more than five minutes before or after this machine’s time',
    'If nobody gets an answer, correct this machine’s clock. Otherwise someone else sends them.',
  ],
};

/** A flood must not fill the disk. In ms. */
const PAUSE = 60_000;

/** @returns a function that logs, once a minute at most, rejections that a wrong setting may cause */
export function createRejectionLog(log: Logger, clock: () => Millis = () => performance.now()) {
  const counts = new Map<RejectionReason, { readonly since: Millis; requests: number }>();
  return (reason: RejectionReason): void => {
    const [msg, todo] = BY_SETTINGS[reason] ?? [];
    if (msg === undefined) return;
    const [now, count] = [clock(), counts.get(reason)];
    if (count !== undefined && now < count.since + PAUSE) {
      count.requests += 1;
      return;
    }
    log.warn({ reason, requests: 1 + (count?.requests ?? 0), todo }, msg);
    counts.set(reason, { since: now, requests: 0 });
  };
}
