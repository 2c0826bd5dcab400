/** The sandbox's clock: the machine's time plus what was skipped. It never goes back. */

export type Clock = ReturnType<typeof createClock>;

export function createClock() {
  const listeners = new Set<(skipped: number) => void>();
  let skipped = 0;
  const now = () => Date.now() + skipped;
  return {
    /** ms since the epoch */
    now,
    /** How far this clock is ahead of the machine's, in ms. */
    skipped: () => skipped,
    /** @param instant ms since the epoch; an instant in the past changes nothing */
    skipTo(instant: number) {
      skipped += Math.max(0, instant - now());
      for (const listener of listeners) listener(skipped);
    },
    onSkip: (listener: (skipped: number) => void) => void listeners.add(listener),
  };
}

const MINUTE = 60_000;
const MINUTES_AHEAD = 2 * 24 * 60;

/** A skip ends this long before the time, in ms, so that timers for the time still fire at it. */
export const SKIP_MARGIN = 5_000;

/** @returns the next instant at which the zone's clocks show this time, `HH:MM`; undefined when they never do */
export function nextTime(time: string, timeZone: string, now: number): number | undefined {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' });
  const first = now - (now % MINUTE) + MINUTE;
  return Array.from({ length: MINUTES_AHEAD }, (_, n) => first + n * MINUTE).find(
    (instant) => instant - now > SKIP_MARGIN && shown.format(instant) === time,
  );
}
