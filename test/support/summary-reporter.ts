import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

export interface FailedTest {
  /** Relative to the project; undefined for what went wrong outside of every file. */
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

/** Of a stack. */
const MOST_PLACES = 6;
/** Characters of an error's message. */
const MOST_SAID = 500;
/** See `describeUnless`. */
const HAS_REASON = /\(skipped [^)]+\)/;

/** Writes a summary of the run as JSON to SUM_FILE. Vitest's own JSON reporter leaves out why tests were skipped. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    // Errors outside of tests count as failures: files that do not load, hooks, unhandled rejections.
    const failures = unhandled.map(failureOf);
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

/** With the places of the stack that lead there, because the message alone rarely names the cause. */
function failureOf(error: unknown): FailedTest {
  const { message, stack, VITEST_TEST_PATH: path } = Object(error) as Partial<Record<string, unknown>>;
  // The message, which may be very long, is no place.
  const calls = String(stack)
    .split('\n')
    .filter((line) => /^ {4}at /.test(line));
  const places = calls.slice(0, MOST_PLACES).map((call) => call.trim().split(' ').at(-1));
  const said = String(message ?? error).slice(0, MOST_SAID);
  return {
    // The one that ran meanwhile, which is the cause in most cases.
    ...(typeof path === 'string' && { file: relative(process.cwd(), path) }),
    name: `outside of a test: ${said}, at ${places.join(', ') || 'an unknown place'}`,
  };
}
