import { LRUCache } from 'lru-cache';
import { Throttled } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RequestSource } from '../request/payload.ts';
import type { UserIdentity } from '../request/users.ts';

interface Rate {
  /** How many at once. */
  readonly burst: number;
  /** How many more each second. */
  readonly perSecond: number;
}

interface RateLimit {
  /** Completes "You're …" */
  readonly doing: string;
  readonly person: Rate;
  /** All people of the workspace together. */
  readonly workspace: Rate;
}

const rate = (burst: number, perSecond: number): Rate => ({ burst, perSecond });

/** Limits of one process, above normal use. */
export const RATE_LIMITS = {
  /** Commands, mentions, clicks, forms and opening Home: each reads the record, and may ask billing and Slack. */
  requests: {
    doing: 'asking faster than Tally can answer',
    person: rate(20, 1),
    workspace: rate(200, 20),
  },
  /** Testing a connection, an access or a schedule, and **Send now**: each asks a service or posts immediately. */
  tests: {
    doing: 'testing and sending faster than Tally can keep up with',
    person: rate(10, 0.1),
    workspace: rate(30, 0.5),
  },
  /** Slack asks for suggestions at every keystroke. Over the limit the list is empty. */
  suggestions: {
    doing: 'typing faster than Tally can search',
    person: rate(60, 10),
    workspace: rate(600, 100),
  },
  /** Replies to clicks about rate limits, which need a call to Slack. Over the limit there is no reply. */
  refusals: {
    doing: 'asking faster than Tally can answer',
    person: rate(3, 0.2),
    workspace: rate(20, 1),
  },
} as const satisfies Record<string, RateLimit>;

export type Limited = keyof typeof RATE_LIMITS;
type Who = Pick<UserIdentity, 'teamId' | 'userId'>;

export interface RateLimiter {
  /** Counts one request. @returns undefined, or why it was refused and not counted */
  take(what: Limited, who: Who): Throttled | undefined;
  /** Counts one request. @throws Throttled if it was refused and not counted */
  demand(what: Limited, who: Who): void;
  /**
   * For refusals that are told by a message of their own: one for each burst of a person in a thread or a channel.
   * @returns the refusal with the time until when it covers further ones there; undefined for those
   */
  firstOfBurst(refusal: Throttled, place: Place): Throttled | undefined;
}

type Place = Pick<RequestSource, 'teamId' | 'userId' | 'channel' | 'thread'>;

/** For how long at least one message covers a burst, in ms. */
const BURST = 5_000;

export interface RateLimiterParts {
  /** ms; never goes back */
  readonly clock?: () => Millis;
  readonly onRefused?: (refusal: { readonly what: Limited; readonly whose: Throttled['whose'] }) => void;
}

/** How many users and workspaces are tracked; the least recently seen are evicted first. */
const MOST = { person: 20_000, workspace: 5_000 } as const;

/**
 * Token buckets in this process's memory. They protect this process (event loop, memory, connections), and a count in
 * Redis would add a write to every answer and pass a flood on to Redis. Several processes together let through
 * accordingly more.
 */
export function createRateLimiter({
  clock = () => performance.now(),
  onRefused,
}: RateLimiterParts = {}): RateLimiter {
  /** When each bucket is full again: its whole state. */
  const fullAt = {
    person: new LRUCache<string, number>({ max: MOST.person }),
    workspace: new LRUCache<string, number>({ max: MOST.workspace }),
  };

  /** Until when the last message about a burst covers it, by place. */
  const toldUntil = new LRUCache<string, Millis>({ max: MOST.person });

  const look = (what: Limited, whose: Throttled['whose'], who: Who, now: Millis) => {
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
    firstOfBurst({ whose, wait }, { teamId, userId, channel, thread }) {
      const now = clock();
      const key = JSON.stringify([teamId, userId, channel, thread]);
      if (now < (toldUntil.get(key) ?? now)) return undefined;
      const longer = Math.max(wait, BURST);
      toldUntil.set(key, now + longer);
      return new Throttled(whose, RATE_LIMITS.requests.doing, longer);
    },
  };
}
