import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export interface FailedTest {
  /** Relative to the project; undefined for what went wrong outside of every test. */
  readonly file?: string;
  readonly name: string;
}

export interface RunSummary {
  passed: number;
  failed: number;
  /** Tests, files that did not load, and errors outside of both. */
  failures: FailedTest[];
  /** Full names, with reasons. */
  skipped: string[];
}

/** See `describeUnless`. */
const HAS_REASON = /\(skipped [^)]+\)/;

/** Writes a summary of the run as JSON to SUM_FILE. Vitest's own JSON reporter leaves out why tests were skipped. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    // Errors outside of tests count as failures: files that do not load, hooks, unhandled rejections.
    const failures = unhandled.map((error) => ({ name: `outside of a test: ${messageOf(error)}` }));
    const sum: RunSummary = { passed: 0, failed: failures.length, failures, skipped: [] };
    for (const module of modules) {
      const fail = (name: string): void => {
        sum.failed++;
        sum.failures.push({ file: module.relativeModuleId, name });
      };
      for (const part of [module, ...module.children.allSuites()])
        if (part.errors().length > 0) fail(part.type === 'module' ? 'the file itself' : part.fullName);
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') sum.passed++;
        else if (result.state === 'failed') fail(test.fullName);
        else if (HAS_REASON.test(test.fullName)) sum.skipped.push(test.fullName);
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

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
