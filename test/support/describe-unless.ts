import { describe } from 'vitest';

/** @param reason why the tests are skipped, such as “without redis-server”; undefined runs them */
export function describeUnless(reason: string | undefined, title: string, tests: () => void): void {
  const isSkipped = reason !== undefined;
  describe.skipIf(isSkipped)(isSkipped ? `${title} (skipped ${reason})` : title, tests);
}
