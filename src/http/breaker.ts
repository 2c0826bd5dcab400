import { LRUCache } from 'lru-cache';
import type { Failure, Outage } from '../domain/failure/index.ts';
import type { ServiceRequest } from './exchange.ts';
import type { HttpLimits } from './limits.ts';

/** Outages in a row of one connection at one origin. */
interface Streak {
  outages: number;
  /** What the failed requests were about; two are enough to tell that it is not one project's fault. */
  readonly subjects: Set<string>;
  lastOutage: Outage;
  isPaused: boolean;
  /** Weak, because a group may be any object of the caller. */
  readonly groups: WeakSet<object>;
}

type RequestKey = Pick<ServiceRequest, 'tenant' | 'subject'>;

interface Breakers {
  /** @returns the outage that pauses these requests; undefined when they are not paused */
  pausedBy(origin: string, request: RequestKey): Outage | undefined;
  recordAnswer(origin: string, request: RequestKey): void;
  /** Requests of one `outageGroup` count as one outage. */
  recordFailure(
    origin: string,
    request: RequestKey & Pick<ServiceRequest, 'outageGroup'>,
    failure: Failure,
  ): void;
}

/**
 * Pauses the requests of a connection to an origin after many outages in a row. Each connection of each workspace has
 * its own breaker, so nobody pauses what others ask. While only one project of a connection fails, only its requests
 * are paused. After the pause, a single outage pauses them again; any answer, even a refusal, ends the streak.
 *
 * Not cockatiel's breaker: it measures the pause by the wall clock, and a refusal does not end its streak.
 */
export function createBreakers({ breakerThreshold, breakerPause, failingConnections }: HttpLimits): Breakers {
  const streaks = new LRUCache<string, Streak>({ max: failingConnections });

  function pause(streak: Streak): void {
    streak.isPaused = true;
    setTimeout(() => {
      streak.isPaused = false;
    }, breakerPause).unref();
  }

  return {
    pausedBy(origin, request) {
      // `peek`: only a failure renews a streak's place in the cache.
      const streak = streaks.peek(keyOf(origin, request));
      if (streak === undefined || !streak.isPaused) return undefined;
      const isOtherSubject = streak.subjects.size === 1 && !streak.subjects.has(request.subject ?? '');
      return isOtherSubject ? undefined : streak.lastOutage;
    },
    recordAnswer(origin, request) {
      streaks.delete(keyOf(origin, request));
    },
    recordFailure(origin, request, failure) {
      const key = keyOf(origin, request);
      if (!isOutage(failure)) {
        streaks.delete(key);
        return;
      }
      const { subject = '', outageGroup = {} } = request;
      const streak = streaks.get(key) ?? newStreak(failure);
      if (!streak.groups.has(outageGroup)) streak.outages += 1;
      streak.groups.add(outageGroup);
      if (streak.subjects.size < 2) streak.subjects.add(subject);
      streak.lastOutage = failure;
      streaks.set(key, streak);
      if (streak.outages >= breakerThreshold && !streak.isPaused) pause(streak);
    },
  };
}

const keyOf = (origin: string, { tenant }: RequestKey): string =>
  [origin, tenant?.workspace ?? '', tenant?.connection ?? ''].join(' ');

const newStreak = (lastOutage: Outage): Streak => ({
  outages: 0,
  subjects: new Set(),
  lastOutage,
  isPaused: false,
  groups: new WeakSet(),
});

function isOutage(failure: Failure): failure is Outage {
  if (failure.kind === 'service-failed') return failure.status >= 500;
  return failure.kind === 'timed-out' || failure.kind === 'service-unreachable';
}
