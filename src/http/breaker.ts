import type { Failure } from '../domain/failure.ts';
import type { Limits } from './limits.ts';

interface Streak {
  outages: number;
  last: Failure;
  paused: boolean;
}

interface Breakers {
  /** The failure that made Tally pause this origin, while it is paused. */
  pausedBy(origin: string): Failure | undefined;
  answered(origin: string): void;
  failed(origin: string, failure: Failure): void;
}

/**
 * Leaves an origin alone for a while after many outages in a row. After the pause a single further outage pauses it
 * again; any answer, also one that refuses, ends the streak.
 *
 * cockatiel's breaker is not used: it measures its pause by the wall clock, and an answer that refuses does not end its
 * streak.
 */
export function createBreakers({ outages, pause, failingOrigins }: Limits): Breakers {
  const streaks = new Map<string, Streak>();

  function remember(origin: string, streak: Streak): void {
    streaks.delete(origin);
    streaks.set(origin, streak);
    const [oldest] = streaks.keys();
    if (streaks.size > failingOrigins && oldest !== undefined) streaks.delete(oldest);
  }

  function hold(streak: Streak): void {
    streak.paused = true;
    setTimeout(() => {
      streak.paused = false;
    }, pause).unref();
  }

  return {
    pausedBy(origin) {
      const streak = streaks.get(origin);
      return streak?.paused ? streak.last : undefined;
    },
    answered(origin) {
      streaks.delete(origin);
    },
    failed(origin, failure) {
      if (!isOutage(failure)) {
        streaks.delete(origin);
        return;
      }
      const streak = streaks.get(origin) ?? { outages: 0, last: failure, paused: false };
      streak.outages += 1;
      streak.last = failure;
      remember(origin, streak);
      if (streak.outages >= outages && !streak.paused) hold(streak);
    },
  };
}

function isOutage(failure: Failure): boolean {
  if (failure.kind === 'service-failed') return failure.status >= 500;
  return failure.kind === 'timed-out' || failure.kind === 'unreachable';
}
