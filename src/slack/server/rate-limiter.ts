/** Limits how often a person and a workspace can ask. Each process counts separately. */
import { LRUCache } from 'lru-cache';
import { Failure, type FailureOf } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Source } from '../request/payload.ts';

interface Rate {
  readonly most: number;
  readonly per: Millis;
}
const rate = (most: number, seconds: number): Rate => ({ most, per: seconds * 1_000 });

type PersonAndWorkspace = Readonly<Record<'person' | 'workspace', Rate>>;

export const RATE_LIMITS = {
  requests: { person: rate(20, 20), workspace: rate(200, 10) },
  /** For test posts, tests of tokens, **Send now**, **Ask a manager** and OS_TOKENs: each calls a service or posts. */
  tests: { person: rate(10, 100), workspace: rate(30, 60) },
  /** Slack asks for suggestions at every keystroke. Over this limit, the list is empty. */
  suggestions: { person: rate(60, 6), workspace: rate(600, 6) },
  /** Each reply “Too many requests” costs a call to Slack. Over this limit, Tally stays silent. */
  refusals: { person: rate(3, 15), workspace: rate(20, 20) },
} as const satisfies Record<string, PersonAndWorkspace>;

export type Limited = keyof typeof RATE_LIMITS;
type Who = Pick<Source, 'teamId' | 'userId'>;
type Refusal = FailureOf<'throttled'>;
type Whose = Refusal['data']['whose'];

export interface RateLimiter {
  /** Counts the request, or returns why it is refused. */
  take(what: Limited, who: Who): Refusal | undefined;
  /** @throws throttled, if `take` refuses the request */
  demand(what: Limited, who: Who): void;
}

/** In ms. Without this tolerance, a rounding error could cause the last request of a burst to be refused. */
const ROUNDING = 0.001;

/** Counts in memory, because the limits protect a process and shouldn't cost Redis writes. */
export function createRateLimiter({
  limits = RATE_LIMITS,
  clock = () => performance.now(),
  onRefused,
}: {
  readonly limits?: Readonly<Record<Limited, PersonAndWorkspace>>;
  readonly clock?: () => Millis;
  readonly onRefused?: (refusal: { readonly what: Limited; readonly whose: Whose }) => void;
} = {}): RateLimiter {
  /** The time at which each token bucket is full again. */
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
      return new Failure('throttled', { whose: empty.whose, wait: empty.wait });
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
