import { describe, expect, it } from 'vitest';
import { createClock, nextTime } from '../../sandbox/clock.ts';

const at = (text: string) => Date.parse(text);

describe('the next occurrence of a time in a zone', () => {
  it.each([
    ['09:00', 'UTC', '2026-11-21T08:00:00Z', '2026-11-21T09:00:00Z'],
    ['09:00', 'UTC', '2026-11-21T09:00:00Z', '2026-11-22T09:00:00Z'],
    ['09:00', 'UTC', '2026-11-21T08:59:57Z', '2026-11-22T09:00:00Z'],
    ['09:00', 'America/New_York', '2026-11-21T08:00:00Z', '2026-11-21T14:00:00Z'],
    ['02:30', 'America/New_York', '2026-03-08T06:00:00Z', '2026-03-09T06:30:00Z'],
  ])('%s in %s after %s is %s', (time, zone, now, next) => {
    expect(nextTime(time, zone, at(now))).toBe(at(next));
  });

  it('is undefined for a time that never occurs', () => {
    expect(nextTime('24:00', 'UTC', 0)).toBeUndefined();
  });
});

describe('the sandbox’s clock', () => {
  it('only goes forward, and says how far', () => {
    const clock = createClock();
    const told: number[] = [];
    const forget = clock.onSkip((ahead) => told.push(ahead));
    clock.skipTo(clock.now() - 60_000);
    expect(clock.skipped()).toBe(0);
    clock.skipTo(clock.now() + 60_000);
    forget();
    clock.skipTo(clock.now() + 60_000);
    expect(told).toHaveLength(1);
    expect(clock.now() - Date.now()).toBeGreaterThanOrEqual(119_000);
  });
});
