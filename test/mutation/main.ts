/**
 * `npm run mutate -- <room> [file…]`: mutation tests of one room of `src`, with the tests that are about it. What was
 * found is kept in `.stryker-tmp/`, so that the next run tries only what changed. Stryker is a hundred packages that nobody
 * else needs, so this folder is a package of its own, installed here when it is missing or older than its lock.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOMS } from './rooms.ts';

const [name = '', ...files] = process.argv.slice(2);
const room = ROOMS[name];
if (room === undefined) {
  console.error(`Usage: npm run mutate -- <room> [file…]\nRooms: ${Object.keys(ROOMS).join(', ')}`);
  process.exit(64);
}
installStryker(import.meta.dirname);
// A run takes long, and `npm test` does not see these files.
execFileSync('tsc', ['-p', import.meta.dirname], { stdio: 'inherit' });

const { Stryker } = await import('@stryker-mutator/core');
// The processes that run the tests read it.
process.env.MUTATED_ROOM = name;
await new Stryker({
  testRunner: 'in-process',
  plugins: ['./test/mutation/runner.ts'],
  testRunnerNodeArgs: ['--import', 'tsx'],
  maxTestRunnerReuse: 300,
  tsconfigFile: 'none',
  mutate: files.length > 0 ? files : [...room.mutate],
  ignorePatterns: ['dist', 'docs/pictures', '.sandbox'],
  ignoreStatic: true,
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 30_000,
  tempDirName: '.stryker-tmp/work',
  incremental: true,
  incrementalFile: `.stryker-tmp/${name}.json`,
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  jsonReporter: { fileName: `.stryker-tmp/report-${name}.json` },
  htmlReporter: { fileName: `.stryker-tmp/report-${name}.html` },
  thresholds: { high: 90, low: 80, break: null },
}).runMutationTest();

function installStryker(folder: string): void {
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules', '.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return;
  execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
  copyFileSync(lock, installed);
}
