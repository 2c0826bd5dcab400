/** The sandbox's clock: the machine's time plus what was skipped. It never goes back. */
import { zoneOffset } from './slack/zone-offset.ts';

export interface Clock {
  /** ms since the epoch */
  now(): number;
  /** How far this clock is ahead of the machine's, in ms. */
  skipped(): number;
  /** @param instant ms since the epoch; an instant in the past changes nothing */
  skipTo(instant: number): void;
  /** @returns a function that removes the listener */
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

/** @returns the next instant at which the zone's clocks show this time, `HH:MM`; undefined when they never do */
export function nextTime(time: string, zone: string, now: number): number | undefined {
  const startOfMinute = now - (now % MINUTE);
  for (let minute = 1; minute <= DAYS_AHEAD; minute += 1) {
    const instant = startOfMinute + minute * MINUTE;
    if (instant - now > SKIP_MARGIN && shownAt(instant, zone) === time) return instant;
  }
  return undefined;
}

/** A skip ends this long before the time, in ms, so that timers for the time still fire at it. */
export const SKIP_MARGIN = 5_000;

function shownAt(instant: number, zone: string): string {
  return new Date(instant + zoneOffset(zone, instant).offset * 1000).toISOString().slice(11, 16);
}
