import { describe } from 'vitest';

/** Vitest takes a reason for a skipped test, but none for a skipped group: it goes into the title, which the summary shows. */
export const skippedTitle = (title: string, reason: string | undefined): string =>
  reason === undefined ? title : `${title} (skipped ${reason})`;

/** @param reason why the tests are skipped: “without redis-server”; undefined where they run */
export function describeUnless(reason: string | undefined, title: string, tests: () => void): void {
  describe.skipIf(reason !== undefined)(skippedTitle(title, reason), tests);
}
