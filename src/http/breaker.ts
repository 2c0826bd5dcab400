import type { Failure, Outage } from '../domain/failure/index.ts';
import type { ServiceRequest } from './attempt.ts';
import type { HttpLimits } from './limits.ts';

interface Streak {
  outages: number;
  /** What the questions that failed were about. */
  readonly subjects: Set<string>;
  last: Outage;
  paused: boolean;
  /** Held weakly: what a caller names an occasion by may be anything. */
  readonly occasions: WeakSet<object>;
}

type Asked = Pick<ServiceRequest, 'tenant' | 'subject'>;

interface Breakers {
  /** The outage that made Tally pause what is asked, while it is paused. */
  pausedBy(origin: string, asked: Asked): Outage | undefined;
  answered(origin: string, asked: Asked): void;
  /** Questions of one `occasion` that fail are one outage together. */
  failed(origin: string, asked: Asked & Pick<ServiceRequest, 'occasion'>, failure: Failure): void;
}

/**
 * Leaves an origin alone for a while after many outages in a row, each connection of each workspace for itself: nobody
 * pauses what others ask there. While only one project of a connection fails, only that one is paused. After the pause
 * a single further outage pauses it again; any answer, also one that refuses, ends the streak.
 *
 * cockatiel's breaker is not used: it measures its pause by the wall clock, and an answer that refuses does not end its
 * streak.
 */
export function createBreakers({ outages, pause, failingConnections }: HttpLimits): Breakers {
  const streaks = new Map<string, Streak>();

  function remember(key: string, streak: Streak): void {
    streaks.delete(key);
    streaks.set(key, streak);
    const [oldest] = streaks.keys();
    if (streaks.size > failingConnections && oldest !== undefined) streaks.delete(oldest);
  }

  function hold(streak: Streak): void {
    streak.paused = true;
    setTimeout(() => {
      streak.paused = false;
    }, pause).unref();
  }

  return {
    pausedBy(origin, asked) {
      const streak = streaks.get(keyOf(origin, asked));
      if (streak === undefined || !streak.paused) return undefined;
      const isOnlyElsewhere = streak.subjects.size === 1 && !streak.subjects.has(asked.subject ?? '');
      return isOnlyElsewhere ? undefined : streak.last;
    },
    answered(origin, asked) {
      streaks.delete(keyOf(origin, asked));
    },
    failed(origin, asked, failure) {
      const key = keyOf(origin, asked);
      if (!isOutage(failure)) {
        streaks.delete(key);
        return;
      }
      const { subject = '', occasion = {} } = asked;
      const streak = streaks.get(key) ?? newStreak(failure);
      if (!streak.occasions.has(occasion)) streak.outages += 1;
      streak.occasions.add(occasion);
      // Two are as good as many: it is not one project's fault then.
      if (streak.subjects.size < 2) streak.subjects.add(subject);
      streak.last = failure;
      remember(key, streak);
      if (streak.outages >= outages && !streak.paused) hold(streak);
    },
  };
}

const keyOf = (origin: string, { tenant }: Asked): string =>
  [origin, tenant?.workspace ?? '', tenant?.connection ?? ''].join(' ');

const newStreak = (last: Outage): Streak => ({
  outages: 0,
  subjects: new Set(),
  last,
  paused: false,
  occasions: new WeakSet(),
});

function isOutage(failure: Failure): failure is Outage {
  if (failure.kind === 'service-failed') return failure.status >= 500;
  return failure.kind === 'timed-out' || failure.kind === 'service-unreachable';
}
