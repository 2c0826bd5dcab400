import { LRUCache } from 'lru-cache';
import { Throttled } from '../domain/failure/index.ts';
import type { UserIdentity } from './users.ts';

interface Rate {
  /** So many at once; */
  readonly burst: number;
  /** then so many a second. */
  readonly perSecond: number;
}

interface RateLimit {
  /** Completes "You're …" */
  readonly doing: string;
  readonly person: Rate;
  /** All people of the workspace together. */
  readonly workspace: Rate;
}

/** What one process lets happen how often. Somebody who works with Tally never gets there. */
export const RATE_LIMITS = {
  /** Commands, mentions, clicks, forms, and opening Home: each reads the record, and may ask billing and Slack. */
  requests: {
    doing: 'asking faster than Tally can answer',
    person: { burst: 20, perSecond: 1 },
    workspace: { burst: 200, perSecond: 20 },
  },
  /** Testing a connection, an access or a schedule, and Send now: each asks a service or posts at once. */
  tests: {
    doing: 'testing and sending faster than Tally can keep up with',
    person: { burst: 10, perSecond: 0.1 },
    workspace: { burst: 30, perSecond: 0.5 },
  },
  /** While somebody types into a select, Slack asks at every key; beyond this nothing is found. */
  suggestions: {
    doing: 'typing faster than Tally can search',
    person: { burst: 60, perSecond: 10 },
    workspace: { burst: 600, perSecond: 100 },
  },
  /** Saying that it was too much costs a call to Slack itself, except in reply to a command; beyond this nothing is said. */
  refusals: {
    doing: 'asking faster than Tally can answer',
    person: { burst: 3, perSecond: 0.2 },
    workspace: { burst: 20, perSecond: 1 },
  },
} as const satisfies Record<string, RateLimit>;

export type Limited = keyof typeof RATE_LIMITS;
type Who = Pick<UserIdentity, 'teamId' | 'userId'>;

export interface RateLimiter {
  /** Counts one; or, where that is too many, says so and counts none. */
  take(what: Limited, who: Who): Throttled | undefined;
  /** The same. @throws Throttled */
  demand(what: Limited, who: Who): void;
}

export interface RateLimiterParts {
  /** ms; never goes back */
  readonly clock?: () => number;
  readonly onRefused?: (refusal: { readonly what: Limited; readonly whose: Throttled['whose'] }) => void;
}

/** People, and workspaces, that are remembered: beyond it those who asked longest ago are forgotten. */
const MOST = { person: 20_000, workspace: 5_000 } as const;

/**
 * Token buckets, kept by this process alone. What they protect (the event loop, memory, connections) is this process's,
 * and a count in Redis would add a write to every answer and carry a flood on to Redis. Many processes together let
 * through as many times more.
 */
export function createRateLimiter({
  clock = () => performance.now(),
  onRefused,
}: RateLimiterParts = {}): RateLimiter {
  /** The instant at which a bucket is full again: all that has to be known of it. */
  const fullAt = {
    person: new LRUCache<string, number>({ max: MOST.person }),
    workspace: new LRUCache<string, number>({ max: MOST.workspace }),
  };

  const look = (what: Limited, whose: Throttled['whose'], who: Who, now: number) => {
    const { burst, perSecond } = RATE_LIMITS[what][whose];
    const each = 1_000 / perSecond;
    const key = [what, who.teamId, ...(whose === 'person' ? [who.userId] : [])].join(' ');
    const after = Math.max(now, fullAt[whose].get(key) ?? now) + each;
    return { whose, key, after, wait: after - now - burst * each };
  };

  const take = (what: Limited, who: Who): Throttled | undefined => {
    const now = clock();
    const buckets = [look(what, 'person', who, now), look(what, 'workspace', who, now)];
    const empty = buckets.find(({ wait }) => wait > 0);
    if (empty !== undefined) {
      onRefused?.({ what, whose: empty.whose });
      return new Throttled(empty.whose, RATE_LIMITS[what].doing, empty.wait);
    }
    for (const { whose, key, after } of buckets) fullAt[whose].set(key, after);
    return undefined;
  };

  return {
    take,
    demand(what, who) {
      const refusal = take(what, who);
      if (refusal !== undefined) throw refusal;
    },
  };
}
