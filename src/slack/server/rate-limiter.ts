import { LRUCache } from 'lru-cache';
import { Failure, type FailureOf } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Source } from '../request/payload.ts';

const ASKING = 'asking faster than Tally can answer';

/** Allows `most` requests at once, and `most` more in each time `per`. */
interface Rate {
  readonly most: number;
  readonly per: Millis;
}
const rate = (most: number, seconds: number): Rate => ({ most, per: seconds * 1_000 });

type PersonAndWorkspace = Readonly<Record<'person' | 'workspace', Rate>>;

/** Each process counts for itself. `doing` completes “You're …”. */
export const RATE_LIMITS = {
  /** Commands, mentions, clicks, forms, and opening Home. */
  requests: { doing: ASKING, person: rate(20, 20), workspace: rate(200, 10) },
  /** Tests, **Send now** and OS_TOKENs: each calls a service or posts. */
  tests: {
    doing: 'doing this faster than Tally can keep up with',
    person: rate(10, 100),
    workspace: rate(30, 60),
  },
  /** Slack asks at every keystroke. Over the limit, the list is empty. */
  suggestions: { doing: 'typing faster than Tally can search', person: rate(60, 6), workspace: rate(600, 6) },
  /** Replies that say “too fast”. Each costs a call to Slack, so over this limit Tally stays silent. */
  refusals: { doing: ASKING, person: rate(3, 15), workspace: rate(20, 20) },
} as const satisfies Record<string, PersonAndWorkspace & { readonly doing: string }>;

export type Limited = keyof typeof RATE_LIMITS;
type Who = Pick<Source, 'teamId' | 'userId'>;
type Refusal = FailureOf<'throttled'>;
type Whose = Refusal['data']['whose'];

export interface RateLimiter {
  /** Counts the request, unless it is refused. @returns undefined, or why the request is refused */
  take(what: Limited, who: Who): Refusal | undefined;
  /** Counts the request, unless it is refused. @throws throttled */
  demand(what: Limited, who: Who): void;
}

/** Without this tolerance, rounding sometimes refuses the last request of a burst. */
const ROUNDING = 0.001;

/** Counts in memory, because the limits protect this process and shouldn't cost Redis writes. @param clock monotonic */
export function createRateLimiter({
  limits = RATE_LIMITS,
  clock = () => performance.now(),
  onRefused,
}: {
  readonly limits?: Readonly<Record<Limited, PersonAndWorkspace>>;
  readonly clock?: () => Millis;
  readonly onRefused?: (refusal: { readonly what: Limited; readonly whose: Whose }) => void;
} = {}): RateLimiter {
  /** When each token bucket is full again, which is all that the algorithm needs to know. */
  const fullAt = {
    person: new LRUCache<string, number>({ max: 20_000 }),
    workspace: new LRUCache<string, number>({ max: 5_000 }),
  };
  const bucketOf = (what: Limited, whose: Whose, { teamId, userId }: Who, now: Millis) => {
    const { most, per } = limits[what][whose];
    const key = whose === 'person' ? `${what} ${teamId} ${userId}` : `${what} ${teamId}`;
    const after = Math.max(now, fullAt[whose].get(key) ?? now) + per / most;
    return { whose, key, after, wait: after - now - per };
  };
  const take: RateLimiter['take'] = (what, who) => {
    const now = clock();
    const buckets = [bucketOf(what, 'person', who, now), bucketOf(what, 'workspace', who, now)];
    const empty = buckets.find(({ wait }) => wait > ROUNDING);
    if (empty !== undefined) {
      onRefused?.({ what, whose: empty.whose });
      const { doing } = RATE_LIMITS[what];
      return new Failure('throttled', { whose: empty.whose, doing, wait: empty.wait });
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
