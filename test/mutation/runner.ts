/**
 * Runs tests for Stryker within its own process. Only the files with the tests are evaluated again for each mutant, not
 * what they import, so that a mutant takes milliseconds: Stryker's own runner starts Vitest anew for each.
 */
import { readFile, writeFile } from 'node:fs/promises';
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
import fc from 'fast-check';
import { emptyCaches } from '../support/empty-caches.ts';
import { type MutatedRoom, ROOMS, testFilesOf } from './rooms.ts';

// A moment for each property: they run thousands of times. And no look for a smaller example.
fc.configureGlobal({ numRuns: 25, interruptAfterTimeLimit: 60, endOnFailure: true });

const PATIENCE = 60_000;

/** What the first run found, for the processes that come later. It stands in Stryker's copy of the project. */
const FOUND = '.mutation-tests.json';

interface KnownTest {
  readonly fileName: string;
  /** In the first run, in ms. */
  readonly took: number;
}

/** The tests of some files, or those of them that are named by their ids. */
interface Selection {
  readonly files: readonly string[];
  readonly ids?: ReadonlySet<string>;
  /** How long a test may take, in ms. */
  readonly patience?: number;
}

class MutationRunner implements TestRunner {
  readonly #context: InstrumenterContext;
  /** By id, as of the first run. */
  #known = new Map<string, KnownTest>();
  #evaluations = 0;

  constructor(globalNamespace: '__stryker__' | '__stryker2__') {
    const scope = globalThis as unknown as Record<string, InstrumenterContext>;
    scope[globalNamespace] ??= {};
    this.#context = scope[globalNamespace];
  }

  /** Said so that Stryker does not start a process for each mutant that a test file reaches while it is loaded, too. */
  capabilities() {
    return { reloadEnvironment: true };
  }

  /** Loads everything, so that the time of the first mutant is its own. */
  async init(): Promise<void> {
    await this.#run({ files: await testFilesOf(this.#room()), ids: new Set(['none']) }, true);
  }

  async dryRun(): Promise<DryRunResult> {
    const room = this.#room();
    const all = await this.#run({ files: await testFilesOf(room) }, false);
    const { slowest = Number.POSITIVE_INFINITY } = room;
    const tests = all.filter(
      ({ status, timeSpentMs }) => status === TestStatus.Failed || timeSpentMs <= slowest,
    );
    const entries = tests.map(
      ({ id, fileName = '', timeSpentMs }) => [id, { fileName, took: timeSpentMs }] as const,
    );
    this.#known = new Map(entries);
    await writeFile(FOUND, JSON.stringify(entries));
    const { mutantCoverage } = this.#context;
    for (const id of Object.keys(mutantCoverage?.perTest ?? {})) {
      if (!this.#known.has(id)) delete mutantCoverage?.perTest[id];
    }
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) };
  }

  #room(): MutatedRoom {
    const room = ROOMS[process.env.MUTATED_ROOM ?? ''];
    if (room === undefined) throw new Error('MUTATED_ROOM names no room.');
    return room;
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { testFilter = [], activeMutant, hitLimit, disableBail } = options;
    if (this.#known.size === 0) this.#known = new Map(JSON.parse(await readFile(FOUND, 'utf8')));
    emptyCaches();
    Object.assign(this.#context, { hitCount: 0, hitLimit, activeMutant: activeMutant.id });
    const tests = await this.#run(this.#selected(testFilter), !disableBail);
    delete this.#context.activeMutant;
    emptyCaches();
    await this.#requireCleanProcess(tests.find(({ status }) => status === TestStatus.Failed));
    const reached = determineHitLimitReached(this.#context.hitCount, hitLimit);
    return toMutantRunResult(reached ?? { status: DryRunStatus.Complete, tests });
  }

  /**
   * The quickest tests, and the quickest file first: most mutants are noticed by the first test that fails, and for one that
   * survives all of them run.
   */
  #selected(testFilter: readonly string[]): Selection {
    const ids = new Set<string>();
    const costs = new Map<string, number>();
    let [longest, spent] = [0, 0];
    const named = testFilter.length > 0 ? testFilter : [...this.#known.keys()];
    const tests = named.map((id) => ({ id, fileName: '', took: 0, ...this.#known.get(id) }));
    for (const { id, fileName, took } of tests.sort((one, other) => one.took - other.took)) {
      spent += took;
      if (spent > (this.#room().budget ?? spent)) break;
      ids.add(id);
      costs.set(fileName, (costs.get(fileName) ?? 0) + took);
      longest = took;
    }
    const files = [...costs].sort(([, one], [, other]) => one - other).map(([file]) => file);
    return { files, ids, patience: 5_000 + 5 * longest };
  }

  /**
   * What a mutant left in a cache of a module must not be held against the next one: a test that failed has to pass
   * without a mutant. @throws where it does not; Stryker then tries the mutant again in another process, and counts it as
   * an error where it fails there, too: then the test does not run by itself
   */
  async #requireCleanProcess(failed: TestResult | undefined): Promise<void> {
    if (failed === undefined) return;
    const file = failed.fileName ?? '';
    const isTest = this.#known.has(failed.id);
    const again = await this.#run({ files: [file], ...(isTest && { ids: new Set([failed.id]) }) }, true);
    if (again.some(({ status }) => status === TestStatus.Failed))
      throw new Error(`It fails without a mutant, too: ${failed.name}`);
  }

  async #run({ files, ids, patience = PATIENCE }: Selection, bails: boolean): Promise<TestResult[]> {
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
        ...{ testTimeout: patience, hookTimeout: 2 * patience, maxConcurrency: 1, tags: [] },
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
    for (const spec of specs) {
      if (isOver) break;
      const [file] = await startTests([spec] as never, runner);
      const broken = file === undefined ? [] : brokenIn(file);
      results.push(...broken);
      isOver ||= bails && broken.length > 0;
    }
    return results;
  }
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
