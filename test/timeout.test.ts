import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withTimeout } from '../src/timeout.ts';

const never = new Promise<string>(() => undefined);
const late = (): never => {
  throw new Error('too late');
};

it('a timeout returns the result of work that ends in time, or else the fallback', async () => {
  await expect(withTimeout(5_000, Promise.resolve('done'), late)).resolves.toBe('done');
  await expect(withTimeout(5_000, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
  await expect(withTimeout(1, never, () => 'instead')).resolves.toBe('instead');
  await expect(withTimeout(1, never, late)).rejects.toThrow('too late');
});

it('a timeout ignores work that fails after the time is up', async () => {
  const failing = delay(20).then(late);
  await expect(withTimeout(1, failing, () => undefined)).resolves.toBeUndefined();
  // An unhandled rejection would fail the test run.
  await delay(40);
});
