import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withTimeout } from '../../src/runtime/timers.ts';

const never = new Promise<string>(() => undefined);
const late = (): never => {
  throw new Error('too late');
};

describe('a timeout', () => {
  it('returns what the work returns in time', async () => {
    await expect(withTimeout(5_000, Promise.resolve('done'), late)).resolves.toBe('done');
  });

  it('throws what the work throws in time', async () => {
    await expect(withTimeout(5_000, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
  });

  it('returns the substitute when work takes too long', async () => {
    await expect(withTimeout(1, never, () => 'instead')).resolves.toBe('instead');
  });

  it('throws the given error when the work takes too long', async () => {
    await expect(withTimeout(1, never, late)).rejects.toThrow('too late');
  });

  it('ignores work that fails after the time is up', async () => {
    const failing = delay(20).then(() => {
      throw new Error('broken later');
    });
    await expect(withTimeout(1, failing, () => undefined)).resolves.toBeUndefined();
    // An unhandled rejection fails the test run.
    await delay(40);
  });
});
