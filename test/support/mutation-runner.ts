/**
 * Runs tests for Stryker within its own process. Only the files with the tests are evaluated again for each mutant, not
 * what they import, so that a mutant takes milliseconds: Stryker's own runner starts Vitest anew for each.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
import { commonTokens, declareFactoryPlugin, type Injector, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { type File, startTests, type Task, type Test, type VitestRunner } from '@vitest/runner';
import { generateFileHash } from '@vitest/runner/utils';
import fc from 'fast-check';
import { ROOMS, testFilesOf } from './mutation-rooms.ts';

// A moment for each property: they run thousands of times. And no look for a smaller example.
fc.configureGlobal({ numRuns: 25, interruptAfterTimeLimit: 60, endOnFailure: true });

const PATIENCE = 60_000;

/** The tests of some files, or those of them that are named by their ids. */
interface Selection {
  readonly files: readonly string[];
  readonly ids?: ReadonlySet<string>;
}

class MutationRunner implements TestRunner {
  readonly #context: InstrumenterContext;
  #evaluations = 0;
  #mutants = 0;

  constructor(globalNamespace: '__stryker__' | '__stryker2__') {
    const scope = globalThis as unknown as Record<string, InstrumenterContext>;
    scope[globalNamespace] ??= {};
    this.#context = scope[globalNamespace];
  }

  /** Said so that Stryker does not start a process for each mutant that a test file reaches while it is loaded, too. */
  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    const found = await this.#run({ files: await testFiles() }, false);
    const { mutantCoverage } = this.#context;
    return { status: DryRunStatus.Complete, tests: found, ...(mutantCoverage && { mutantCoverage }) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { testFilter = [], activeMutant, hitLimit, disableBail } = options;
    const named = new Set(testFilter.map(fileIdOf));
    const all = await testFiles();
    const selection: Selection =
      testFilter.length === 0
        ? { files: all }
        : { files: all.filter((file) => named.has(generateFileHash(file, ''))), ids: new Set(testFilter) };
    Object.assign(this.#context, { hitCount: 0, hitLimit, activeMutant: activeMutant.id });
    const tests = await this.#run(selection, !disableBail);
    delete this.#context.activeMutant;
    await this.#requireCleanProcess(tests.find(({ status }) => status === TestStatus.Failed));
    const reached = determineHitLimitReached(this.#context.hitCount, hitLimit);
    return toMutantRunResult(reached ?? { status: DryRunStatus.Complete, tests });
  }

  /**
   * What a mutant left in a cache of a module must not be held against the next one: a test that failed has to pass
   * without a mutant. @throws where it does not; Stryker then tries the mutant again in another process
   */
  async #requireCleanProcess(failed: TestResult | undefined): Promise<void> {
    this.#mutants += 1;
    if (failed === undefined || this.#mutants === 1) return;
    const file = failed.fileName ?? '';
    const isTest = fileIdOf(failed.id) !== failed.id;
    const again = await this.#run({ files: [file], ...(isTest && { ids: new Set([failed.id]) }) }, true);
    if (again.some(({ status }) => status === TestStatus.Failed))
      throw new Error(`An earlier mutant left something behind: ${failed.name}`);
  }

  async #run({ files, ids }: Selection, bails: boolean): Promise<TestResult[]> {
    const results: TestResult[] = [];
    let isOver = false;
    const skipWhenOver = (task: Task): void => {
      if (isOver) task.mode = 'skip';
    };
    const runner: VitestRunner = {
      config: {
        ...{ root: process.cwd(), name: undefined, setupFiles: [], passWithNoTests: true, retry: 0 },
        ...{
          testNamePattern: undefined,
          allowOnly: false,
          includeTaskLocation: false,
          chaiConfig: undefined,
        },
        ...{ testTimeout: PATIENCE, hookTimeout: PATIENCE, maxConcurrency: 1, tags: [] },
        ...{ tagsFilter: undefined, strictTags: false },
        sequence: { seed: 1, hooks: 'stack', setupFiles: 'list' },
      },
      pool: 'threads',
      importFile: (path) => import(`${pathToFileURL(path).href}?evaluation=${++this.#evaluations}`),
      onBeforeRunSuite: skipWhenOver,
      onBeforeRunTask: (test) => {
        skipWhenOver(test);
        this.#context.currentTestId = test.id;
      },
      onAfterRunTask: (test) => {
        delete this.#context.currentTestId;
        if (test.mode === 'skip' || test.result === undefined) return;
        results.push(resultOf(test));
        isOver ||= bails && test.result.state === 'fail';
      },
    };
    const specs = files.map((file) => ({
      filepath: join(process.cwd(), file),
      testLocations: undefined,
      ...(ids && { testIds: [...ids] }),
    }));
    for (const file of await startTests(specs as never, runner)) results.push(...brokenIn(file));
    return results;
  }
}

/** The id of a test begins with that of its file, so a process that takes over needs no run of all tests first. */
const fileIdOf = (id: string): string => id.split('_')[0] ?? '';

function testFiles(): Promise<readonly string[]> {
  const room = ROOMS[process.env.MUTATED_ROOM ?? ''];
  if (room === undefined) throw new Error('MUTATED_ROOM names no room.');
  return testFilesOf(room);
}

function resultOf(test: Test): TestResult {
  const fileName = test.file.name;
  const about = { id: test.id, name: test.fullName ?? test.name, fileName };
  const timeSpentMs = test.result?.duration ?? 0;
  if (test.result?.state !== 'fail') return { ...about, timeSpentMs, status: TestStatus.Success };
  const failureMessage = test.result.errors?.[0]?.message ?? 'failed';
  return { ...about, timeSpentMs, status: TestStatus.Failed, failureMessage };
}

/** A file that does not load, or whose hooks fail, is a failure like one of a test. */
function brokenIn(file: File): TestResult[] {
  const broken = [file, ...file.tasks].find(
    (task) => task.type === 'suite' && task.result?.state === 'fail' && (task.result.errors?.length ?? 0) > 0,
  );
  if (broken === undefined) return [];
  const failureMessage = broken.result?.errors?.[0]?.message ?? 'failed';
  const about = { id: file.id, name: file.name, fileName: file.name, timeSpentMs: 0 };
  return [{ ...about, status: TestStatus.Failed, failureMessage }];
}

function create(injector: Injector): MutationRunner {
  void injector;
  return new MutationRunner('__stryker__');
}
create.inject = [commonTokens.injector] as const;

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', create as never)];
