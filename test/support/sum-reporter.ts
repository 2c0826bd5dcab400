import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export interface Sum {
  passed: number;
  failed: number;
  /** Full names with their reasons. */
  skipped: string[];
}

/** Writes the sum of a run as JSON to the file that SUM_FILE names: vitest's own JSON leaves the reasons of skips out. */
export default class SumReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    // What breaks outside of tests counts as one: a file that cannot be loaded, a hook, a rejection nobody handled.
    const sum: Sum = { passed: 0, failed: unhandled.length, skipped: [] };
    for (const module of modules) {
      for (const part of [module, ...module.children.allSuites()]) if (part.errors().length > 0) sum.failed++;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') sum.passed++;
        else if (result.state === 'failed') sum.failed++;
        else
          sum.skipped.push(
            `${test.fullName}: ${(result.state === 'skipped' && result.note) || 'no reason given'}`,
          );
      }
    }
    const file = process.env.SUM_FILE;
    if (file !== undefined) writeFileSync(file, JSON.stringify(sum));
  }
}
