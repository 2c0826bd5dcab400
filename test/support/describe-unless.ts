import { describe } from 'vitest';

/** @param reason why the tests are skipped, shown in their title: “without redis-server”; undefined where they run */
export function describeUnless(reason: string | undefined, title: string, tests: () => void): void {
  const isSkipped = reason !== undefined;
  describe.skipIf(isSkipped)(isSkipped ? `${title} (skipped ${reason})` : title, tests);
}
