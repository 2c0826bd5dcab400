/** The sandbox's clock: the machine's time plus what was skipped. It never goes back. */

export type Clock = ReturnType<typeof createClock>;

export function createClock() {
  const listeners = new Set<(skipped: number) => void>();
  let skipped = 0;
  const now = () => Date.now() + skipped;
  return {
    now,
    skipped: () => skipped,
    /** @param instant ms since the epoch; a past instant changes nothing */
    skipTo(instant: number) {
      skipped += Math.max(0, instant - now());
      for (const listener of listeners) listener(skipped);
    },
    onSkip: (listener: (skipped: number) => void) => void listeners.add(listener),
  };
}

const MINUTE = 60_000;
const MINUTES_AHEAD = 2 * 24 * 60;

/** A skip ends this many ms before the wanted time, so that the bot's timers fire at that time. */
export const SKIP_MARGIN = 5_000;

/** @returns the next instant when clocks in this zone show `time`, `HH:MM`; undefined if they never do */
export function nextTime(time: string, timeZone: string, now: number): number | undefined {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' });
  const first = now - (now % MINUTE) + MINUTE;
  return Array.from({ length: MINUTES_AHEAD }, (_, n) => first + n * MINUTE).find(
    (instant) => instant - now > SKIP_MARGIN && shown.format(instant) === time,
  );
}
