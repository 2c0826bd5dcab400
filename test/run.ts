/**
 * `npm test`: format, lint, types, dead code and the tests, with the machine in a time zone that breaks assumptions.
 * `npm test -- --all` takes the machine's own zone, tries all examples of each property, and adds what takes longest: see
 * `ONLY_IN_ALL`, `ZONES`, `NODES` and `ON_EACH_SERVER`. Everything runs to its end, whatever failed before. The last line is the sum; a
 * static check counts as one.
 */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FailedTest, RunSummary } from './support/summary-reporter.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PATH = [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
/** One with half-hour offsets and clock changes, one that once left out a day and lies ahead of UTC. */
const ZONES = ['America/St_Johns', 'Pacific/Apia'];

const isWhole = process.argv.includes('--all');
/** See `vitest`. */
const runsAgain = isWhole || Boolean(process.env.CI);

/** For a quick run: what the last one found, and no rule that reads all of node_modules. */
const QUICK = isWhole
  ? { lint: [], types: [], pageTypes: [], deadCode: [] }
  : {
      lint: ['--config-path=biome.quick.json'],
      types: ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'],
      pageTypes: ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/page-types.tsbuildinfo'],
      deadCode: ['--cache'],
    };

const CHECKS: [name: string, command: string[]][] = [
  ['format and lint', ['biome', 'check', '.', ...QUICK.lint]],
  // Several checkers would each work out the same types: twice the work, which two cores do not make up for.
  ['types', ['tsc', '-p', 'tsconfig.json', '--singleThreaded', ...QUICK.types]],
  ...(existsSync(join(ROOT, 'sandbox/page/tsconfig.json'))
    ? [['types of the page', ['tsc', '-p', 'sandbox/page', ...QUICK.pageTypes]] as [string, string[]]]
    : []),
  ['dead code', ['knip', '--no-progress', ...QUICK.deadCode]],
];

/** Left out of a quick run, because each takes as long as a hundred others, or starts processes that do. */
const SLOW = [
  'test/browser/**',
  'test/image.test.ts',
  'test/release.test.ts',
  'test/sandbox/slack-launcher.test.ts',
  'test/npm-scripts.test.ts',
  'test/init.test.ts',
  'test/tally.test.ts',
  'test/tally-doctor.test.ts',
  'test/slack-cli.test.ts',
  'test/sandbox/redis.test.ts',
  'test/runtime/prepare-node.test.ts',
  'test/features/killed-step.test.ts',
  'test/features/readers.test.ts',
  'test/features/stops-in-fact.test.ts',
  'test/tally-manifest.test.ts',
  'test/build.test.ts',
  'test/config/load-env-file.test.ts',
  'test/kubernetes-page.test.ts',
  'test/ops/alerts.test.ts',
  'test/features/rate-limits.test.ts',
  'test/house/deleted-features.test.ts',
  'test/delivery/crash.test.ts',
  'test/delivery/watches-year.test.ts',
  'test/vault/reseal.test.ts',
  'test/check-billing.test.ts',
  'test/ops/newer-records.test.ts',
  'test/redis/tls.test.ts',
  'test/domain/long-texts.test.ts',
  'test/domain/forecast-accuracy.test.ts',
  'test/chaos/**',
  'test/redis/sentinel.test.ts',
  'test/redis/cluster.test.ts',
  'test/vault/rotation.test.ts',
];

/** Left out too, so that a quick run takes two minutes: failing services, strange requests, uninstalling, and years of billing. */
const RARE = [
  'test/delivery/explain-corrections.test.ts',
  'test/delivery/check-recipient.test.ts',
  'test/domain/money/watch-simulation.test.ts',
  'test/features/metrics.test.ts',
  'test/features/schedules-promises.test.ts',
  'test/features/stops.test.ts',
  'test/features/thread-races.test.ts',
  'test/ops/health.test.ts',
  'test/redis/connect.test.ts',
  'test/slack/hostile-requests.test.ts',
  'test/slack/install.test.ts',
  'test/slack/loading.test.ts',
  'test/slack/organization.test.ts',
  'test/slack/socket-mode.test.ts',
  'test/slack/strange-payloads.test.ts',
  'test/slack/uninstall.test.ts',
];
const ONLY_IN_ALL = [...SLOW, ...RARE];

/** They end with this process. */
const children = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
    process.exit(1);
  });

interface Run {
  readonly ok: boolean;
  readonly output: string;
}

async function run(
  [command = '', ...args]: string[],
  stdio: StdioOptions,
  env: NodeJS.ProcessEnv = {},
): Promise<Run> {
  const child = spawn(command, args, { cwd: ROOT, stdio, env: { ...process.env, PATH, ...env } });
  children.add(child);
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ok = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
  children.delete(child);
  return { ok, output: Buffer.concat(chunks).toString() };
}

async function check(name: string, command: string[]): Promise<RunSummary> {
  const { ok, output } = await run(command, ['ignore', 'pipe', 'pipe']);
  console.log(ok ? `✓ ${name}` : `✗ ${name}: ${command.join(' ')}\n${output}`);
  return ok ? { ...NO_TESTS, passed: 1 } : { ...NO_TESTS, failed: 1, failures: [{ name }] };
}

const NO_TESTS: RunSummary = { passed: 0, failed: 0, failures: [], skipped: [] };

interface TestRun {
  /** Empty for a run that wrote it as it came. */
  readonly output: string;
  readonly sum: RunSummary;
}

/** The most failures that are looked at again. */
const MOST_RUN_AGAIN = 5;
/** Tests that failed among all others and passed alone: they are too slow for a busy machine, or depend on one another. */
const unsteady: string[] = [];

/**
 * Runs tests. In CI the files of a few failures run once more, alone, so that a busy machine can be told from a fault.
 *
 * @param output 'inherit': as it comes; 'pipe': when it is over
 */
async function vitest(what: string[], output: 'inherit' | 'pipe', env?: NodeJS.ProcessEnv): Promise<TestRun> {
  const first = await vitestOnce(what, output, env);
  const { failed, failures } = first.sum;
  const files = [...new Set(failures.flatMap(({ file }) => file ?? []))];
  const isOfTests = failures.every(({ file }) => file !== undefined);
  if (!runsAgain || failed === 0 || failed > MOST_RUN_AGAIN || !isOfTests) return first;
  const again = await vitestOnce([...files, '--maxWorkers=1'], 'pipe', env);
  const passedAlone = again.sum.failed === 0 && again.sum.passed > 0;
  if (passedAlone) unsteady.push(...failures.map(nameOf));
  const sum = passedAlone
    ? { ...first.sum, passed: first.sum.passed + failed, failed: 0, failures: [] }
    : first.sum;
  return { sum, output: `${first.output}\nThe files of what failed, alone\n${again.output}` };
}

const nameOf = ({ file, name }: FailedTest): string => (file === undefined ? name : `${file} > ${name}`);

/** In MB. Bots and what they are asked live shortly: with V8's own 16 a fifth of the time is spent on collecting them. */
const LARGE_YOUNG_SPACE = '--max-semi-space-size=64';
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

async function vitestOnce(
  what: string[],
  output: 'inherit' | 'pipe',
  env: NodeJS.ProcessEnv = {},
): Promise<TestRun> {
  const file = join(scratch, `${++runs}.json`);
  const reporters = ['--reporter=default', '--reporter=./test/support/summary-reporter.ts'];
  const command = ['node', LARGE_YOUNG_SPACE, VITEST, 'run', ...what, ...reporters];
  const { ok, ...ran } = await run(command, ['ignore', output, output], {
    ...{ SUM_FILE: file, ...(isWhole && { THOROUGH: '1' }) },
    ...env,
  });
  const sum = await readFile(file, 'utf8').then(
    (text): RunSummary => JSON.parse(text),
    (): RunSummary => NO_TESTS,
  );
  const broken = { name: `the run itself broke: vitest ${what.join(' ')}` };
  // A run that broke before or after its tests has failed, even when no test did.
  return { output: ran.output, sum: ok || sum.failed > 0 ? sum : { ...sum, failed: 1, failures: [broken] } };
}

/** The versions of Node that people run besides the one at hand, and what may differ between them. */
const NODES = ['22', '24'].filter((version) => !process.version.startsWith(`v${version}.`));
const ON_EACH_NODE = [
  'test/domain/money',
  'test/domain/time',
  'test/http',
  'test/redis/connect.test.ts',
  'test/tally.test.ts',
];

/** npm's package `node` is the binary itself. @returns the folder that it is in; undefined where it can't be had */
async function folderOfNode(version: string): Promise<string | undefined> {
  const command = ['npx', '--yes', '--package', `node@${version}`, 'node', '--print', 'process.execPath'];
  const { ok, output } = await run(command, ['ignore', 'pipe', 'ignore']);
  return ok ? dirname(output.trim()) : undefined;
}

async function onOtherNodes(): Promise<(TestRun & { version: string })[]> {
  const done = [];
  for (const version of NODES) {
    const folder = await folderOfNode(version);
    if (folder === undefined) {
      const reason = `Node ${version}: npm's package of it could not be had`;
      done.push({ version, output: '', sum: { ...NO_TESTS, skipped: [reason] } });
      continue;
    }
    const path = [folder, PATH].join(delimiter);
    done.push({ version, ...(await vitest([...ON_EACH_NODE, '--maxWorkers=1'], 'pipe', { PATH: path })) });
  }
  return done;
}

/** What Redis and Valkey may do differently: scripts, the queue, Clusters, Sentinels, TLS, users. */
const ON_EACH_SERVER = [
  'test/redis',
  'test/redis/connect.test.ts',
  'test/workspace',
  'test/delivery/delivery-log.test.ts',
  'test/delivery/workspace-runner.test.ts',
  'test/delivery/run-planner.test.ts',
  'test/delivery/scheduler.test.ts',
];

/** The other tests use redis-server, or valkey-server where it is the only one. */
async function onValkey(): Promise<TestRun> {
  const isThere = (binary: string) =>
    spawnSync(binary, ['--version'], { env: { ...process.env, PATH } }).status === 0;
  if (isThere('valkey-server') && !isThere('redis-server'))
    return { output: 'All tests used it.', sum: NO_TESTS };
  const reason = 'Valkey: valkey-server is not installed';
  if (!isThere('valkey-server')) return { output: reason, sum: { ...NO_TESTS, skipped: [reason] } };
  return vitest([...ON_EACH_SERVER, '--maxWorkers=2'], 'pipe', { REDIS_SERVER_BINARY: 'valkey-server' });
}

/** One after the other, while the other tests wait for processes and browsers. */
async function inOtherZones(): Promise<(TestRun & { zone: string })[]> {
  const done = [];
  for (const zone of ZONES) {
    const what = ['test/domain/time', 'test/domain/money', '--maxWorkers=1'];
    done.push({ zone, ...(await vitest(what, 'pipe', { TZ: zone })) });
  }
  return done;
}

/** Six test files at a time need some 450; one alone can need more than 256. */
const LEAST_OPEN_FILES = 1_024;
// Node raises its limit as far as it may, and the shell inherits that. “unlimited” is no number.
const openFiles = Number(spawnSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout);
if (openFiles < LEAST_OPEN_FILES) {
  const advice = 'Run `ulimit -n 1024` first. If that is refused, raise the hard limit: `ulimit -Hn`.';
  console.log(`The tests need ${LEAST_OPEN_FILES} open files; ${openFiles} are allowed here. ${advice}`);
  console.log('failed: too few open files are allowed\n0 passed, 1 failed');
  process.exit(1);
}

let runs = 0;
const scratch = await mkdtemp(join(tmpdir(), 'tally-test-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const left = ONLY_IN_ALL.map((pattern) => `--exclude=${pattern}`);
const checking = Promise.all(CHECKS.map(([name, command]) => check(name, command)));
// A quick run does both at once, because tests often wait; in a whole one browsers and processes need the time themselves.
if (isWhole) await checking;
const [checks, main, zones] = await Promise.all([
  checking,
  isWhole ? vitest(['--maxWorkers=4'], 'inherit') : vitest(left, 'inherit', { TZ: ZONES[0] }),
  isWhole ? inOtherZones() : [],
]);
if (isWhole) console.log(main.output);
const sums = [...checks, main.sum];
for (const { zone, output, sum } of zones) {
  console.log(`\nTests of time and money, TZ=${zone}\n${output}`);
  sums.push(sum);
}
for (const { version, output, sum } of isWhole ? await onOtherNodes() : []) {
  console.log(`\nTests on Node ${version}\n${output}`);
  sums.push(sum);
}
if (isWhole) {
  const { output, sum } = await onValkey();
  console.log(`\nTests on Valkey\n${output}`);
  sums.push(sum);
}

const passed = sums.reduce((total, sum) => total + sum.passed, 0);
const failed = sums.reduce((total, sum) => total + sum.failed, 0);
const skipped = sums.flatMap((sum) => sum.skipped);
const failures = sums.flatMap((sum) => sum.failures.map(nameOf));
// Last, because the end of a long output is what is read and kept.
for (const [what, lines] of Object.entries({
  skipped,
  'passed only when run alone': unsteady,
  failed: failures,
}))
  for (const line of lines) console.log(`${what}: ${line}`);
console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
