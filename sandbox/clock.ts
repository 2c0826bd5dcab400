/** The sandbox's time: the machine's, and what somebody skipped. It only ever goes forward. */
import { zoneOffset } from './slack/zone-offset.ts';

export interface Clock {
  /** ms since the epoch */
  now(): number;
  /** How far it is ahead of the machine's, in ms. */
  skipped(): number;
  /** @param instant ms since the epoch; what is past already changes nothing */
  skipTo(instant: number): void;
  onSkip(listener: (skipped: number) => void): () => void;
}

export function createClock(): Clock {
  const listeners = new Set<(skipped: number) => void>();
  let skipped = 0;
  const now = () => Date.now() + skipped;
  return {
    now,
    skipped: () => skipped,
    skipTo(instant) {
      const ahead = instant - now();
      if (!(ahead > 0)) return;
      skipped += ahead;
      for (const listener of [...listeners]) listener(skipped);
    },
    onSkip(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const MINUTE = 60_000;
const DAYS_AHEAD = 2 * 24 * 60;

/** The next instant at which a zone's clocks show this time, `HH:MM`; undefined for what no clock shows. */
export function nextTime(time: string, zone: string, now: number): number | undefined {
  const begun = now - (now % MINUTE);
  for (let minute = 1; minute <= DAYS_AHEAD; minute += 1) {
    const instant = begun + minute * MINUTE;
    if (instant - now > SKIP_MARGIN && shownAt(instant, zone) === time) return instant;
  }
  return undefined;
}

/** So long before the time one is there already, in ms: then it strikes, as it would have without the skip. */
export const SKIP_MARGIN = 5_000;

function shownAt(instant: number, zone: string): string {
  return new Date(instant + zoneOffset(zone, instant).offset * 1000).toISOString().slice(11, 16);
}
