import type { Failure, Outage } from '../domain/failure.ts';
import type { Limits } from './limits.ts';

interface Streak {
  outages: number;
  last: Outage;
  paused: boolean;
  /** Held weakly: what a caller names an occasion by may be anything. */
  readonly occasions: WeakSet<object>;
}

interface Breakers {
  /** The outage that made Tally pause this origin, while it is paused. */
  pausedBy(origin: string): Outage | undefined;
  answered(origin: string): void;
  /** Questions of one `occasion` that fail are one outage together. */
  failed(origin: string, failure: Failure, occasion?: object): void;
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
    failed(origin, failure, occasion = {}) {
      if (!isOutage(failure)) {
        streaks.delete(origin);
        return;
      }
      const streak = streaks.get(origin) ?? newStreak(failure);
      if (!streak.occasions.has(occasion)) streak.outages += 1;
      streak.occasions.add(occasion);
      streak.last = failure;
      remember(origin, streak);
      if (streak.outages >= outages && !streak.paused) hold(streak);
    },
  };
}

const newStreak = (last: Outage): Streak => ({
  outages: 0,
  last,
  paused: false,
  occasions: new WeakSet(),
});

function isOutage(failure: Failure): failure is Outage {
  if (failure.kind === 'service-failed') return failure.status >= 500;
  return failure.kind === 'timed-out' || failure.kind === 'unreachable';
}
