import { describe, expect, it } from 'vitest';

import { failureText } from '../../src/slack/reply/error-reply.ts';
import { createRateLimiter, type Limited, RATE_LIMITS } from '../../src/slack/server/rate-limiter.ts';

let now = 5_000;
const who = (userId = 'U1', teamId = 'T1') => ({ userId, teamId });

function limiter() {
  const refused: unknown[] = [];
  const it = createRateLimiter({ clock: () => now, onRefused: (one) => refused.push(one) });
  const letThrough = (count: number, what: Limited, ...of: Parameters<typeof who>) =>
    Array.from({ length: count }, () => it.take(what, who(...of))).filter((one) => one === undefined).length;
  return { ...it, letThrough, refused };
}

describe('a person', () => {
  it('may ask twenty questions at once, then one a second', () => {
    const { letThrough } = limiter();
    expect(letThrough(50, 'requests')).toBe(20);
    now += 999;
    expect(letThrough(5, 'requests')).toBe(0);
    now += 1;
    expect(letThrough(5, 'requests')).toBe(1);
    now += 7_000;
    expect(letThrough(50, 'requests')).toBe(7);
    now += 3_600_000;
    expect(letThrough(50, 'requests')).toBe(20);
  });

  it('is told how long to wait, and asking too early doesn’t make the wait longer', () => {
    const { take, letThrough, refused } = limiter();
    letThrough(10, 'tests');
    now += 6_000;
    const refusal = take('tests', who());
    expect(refusal).toMatchObject({ kind: 'throttled' });
    expect(refusal?.data.wait).toBe(4_000);
    expect(failureText(refusal!)).toBe('Too many requests from you. Try again in 4 seconds.');
    letThrough(100, 'tests');
    now += 4_000;
    expect(take('tests', who())).toBeUndefined();
    expect(refused[0]).toEqual({ what: 'tests', whose: 'person' });
  });

  it('doesn’t use up the limits of other people, workspaces or actions', () => {
    const { letThrough } = limiter();
    expect(letThrough(50, 'requests')).toBe(20);
    expect(letThrough(50, 'requests', 'U2')).toBe(20);
    expect(letThrough(50, 'requests', 'U1', 'T2')).toBe(20);
    expect(letThrough(50, 'tests')).toBe(10);
  });
});

describe('a workspace', () => {
  it('has its own limit, which refused requests don’t use up', () => {
    const { take, letThrough } = limiter();
    expect(letThrough(5_000, 'requests')).toBe(20);
    const people = Array.from({ length: 30 }, (_, n) => letThrough(20, 'requests', `U${n + 2}`));
    expect(people.reduce((sum, one) => sum + one, 20)).toBe(RATE_LIMITS.requests.workspace.most);
    expect(failureText(take('requests', who('U99'))!)).toBe(
      'Too many requests from your workspace. Try again in a second.',
    );
    expect(letThrough(20, 'requests', 'U1', 'T2')).toBe(20);
  });
});
