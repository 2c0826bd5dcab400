import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export interface RunSummary {
  passed: number;
  failed: number;
  /** Full names, with reasons. */
  skipped: string[];
}

/** Writes a summary of the run as JSON to SUM_FILE. Vitest's own JSON reporter leaves out why tests were skipped. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    // Errors outside of tests count as failures: files that do not load, hooks, unhandled rejections.
    const sum: RunSummary = { passed: 0, failed: unhandled.length, skipped: [] };
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
