import { LRUCache } from 'lru-cache';
import { Failure, type FailureOf } from '../../domain/failure/index.ts';
import { DEFAULT_LIMITS, type PersonAndWorkspace, type RateLimits, rate } from '../../domain/rate-limits.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Source } from '../request/payload.ts';

/** The limits on what people ask, for one process; `doing` completes "You're …". */
const rateLimits = ({ requests, tests }: RateLimits) =>
  ({
    requests: { doing: 'asking faster than Tally can answer', ...requests },
    tests: { doing: 'doing this faster than Tally can keep up with', ...tests },
    /** Slack asks for suggestions at every keystroke. Over the limit the list is empty. */
    suggestions: {
      doing: 'typing faster than Tally can search',
      person: rate(60, 6),
      workspace: rate(600, 6),
    },
    /** Replies to clicks and mentions about rate limits, which need a call to Slack. Over the limit there is no reply. */
    refusals: {
      doing: 'asking faster than Tally can answer',
      person: rate(3, 15),
      workspace: rate(20, 20),
    },
  }) as const satisfies Record<string, PersonAndWorkspace & { readonly doing: string }>;

export const RATE_LIMITS = rateLimits(DEFAULT_LIMITS);

export type Limited = keyof typeof RATE_LIMITS;
type Who = Pick<Source, 'teamId' | 'userId'>;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** A wait that is shorter, in ms, comes from adding fractions: without this the last request of a burst is sometimes refused. */
const ROUNDING = 0.001;

/** How many users and workspaces are tracked; the least recently seen are evicted first. */
const MOST = { person: 20_000, workspace: 5_000 } as const;

/**
 * Token buckets in this process's memory. They protect this process (event loop, memory, connections), and a count in
 * Redis would add a write to every answer and pass a flood on to Redis. Several processes together let through
 * accordingly more.
 */
export function createRateLimiter({
  limits = DEFAULT_LIMITS,
  clock = () => performance.now(),
  onRefused,
}: {
  readonly limits?: RateLimits;
  /** ms; never goes back */
  readonly clock?: () => Millis;
  readonly onRefused?: (refusal: {
    readonly what: Limited;
    readonly whose: FailureOf<'throttled'>['data']['whose'];
  }) => void;
} = {}) {
  const rates = rateLimits(limits);

  /** For each bucket, when it is full again; it has no other state. */
  const fullAt = {
    person: new LRUCache<string, number>({ max: MOST.person }),
    workspace: new LRUCache<string, number>({ max: MOST.workspace }),
  };

  const look = (what: Limited, whose: FailureOf<'throttled'>['data']['whose'], who: Who, now: Millis) => {
    const { most, per } = rates[what][whose];
    const each = per / most;
    const key = [what, who.teamId, whose === 'person' && who.userId].filter(Boolean).join(' ');
    const after = Math.max(now, fullAt[whose].get(key) ?? now) + each;
    return { whose, key, after, wait: after - now - per };
  };

  /** Counts one request. @returns undefined, or why it was refused and not counted */
  const take = (what: Limited, who: Who): FailureOf<'throttled'> | undefined => {
    const now = clock();
    const buckets = [look(what, 'person', who, now), look(what, 'workspace', who, now)];
    const empty = buckets.find(({ wait }) => wait > ROUNDING);
    if (empty !== undefined) {
      onRefused?.({ what, whose: empty.whose });
      return new Failure('throttled', { whose: empty.whose, doing: rates[what].doing, wait: empty.wait });
    }
    for (const { whose, key, after } of buckets) fullAt[whose].set(key, after);
    return undefined;
  };

  return {
    take,
    /** Counts one request. @throws throttled if it was refused and not counted */
    demand(what: Limited, who: Who): void {
      const refusal = take(what, who);
      if (refusal !== undefined) throw refusal;
    },
  };
}
