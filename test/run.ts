/**
 * `npm test`: format, lint, types, dead code and the quick tests, in a zone that breaks assumptions. `npm test --
 * --all`: all tests, all examples of each property, and the tests of time, money and records once more elsewhere.
 * Everything runs to its end. A static check counts as one test. The last line is the sum.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const run = promisify(execFile);
const PATH = [join('node_modules', '.bin'), process.env.PATH].join(delimiter);
let passed = 0;
const failed: string[] = [];
const skipped: string[] = [];
const findings: string[] = [];

const start = (program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, PATH, ...env } });

async function check(name: string, program: string, ...words: readonly string[]): Promise<void> {
  try {
    await run(program, words, { env: { ...process.env, PATH }, maxBuffer: 2 ** 26 });
    passed++;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    findings.push(stdout, stderr);
    failed.push(name);
  }
}

async function checkAll(): Promise<void> {
  await check('types', 'tsc', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo');
  await check('types of the page', 'tsc', '-p', 'sandbox/page');
  await check('format and lint', 'biome', 'check', '.');
  await check('dead code', 'knip', '--no-progress', '--cache');
}

async function vitest(what: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const file = join(tmpdir(), `tally-test-${process.pid}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  // Test objects live briefly. With V8's own 16 MB, a fifth of the time goes to garbage collection.
  const words = ['--max-semi-space-size=64', 'node_modules/vitest/vitest.mjs', 'run', ...what, ...reporters];
  const [code] = await once(start('node', words, env), 'exit');
  const before = failed.length;
  try {
    const { testResults }: Report = JSON.parse(readFileSync(file, 'utf8'));
    for (const { name, status, message, assertionResults } of testResults) {
      const path = relative('.', name);
      for (const { status, fullName } of assertionResults)
        if (status === 'passed') passed++;
        else (status === 'failed' ? failed : skipped).push(`${path} > ${fullName}`);
      // The file didn't load, or a hook failed.
      if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))
        failed.push(`${path}: ${message.split('\n')[0]}`);
    }
  } catch (error) {
    failed.push(`vitest ${what.join(' ')}: ${error}`);
  }
  if (code !== 0 && failed.length === before)
    failed.push(`vitest ${what.join(' ')}: an error outside of tests`);
  rmSync(file, { force: true });
}

/** On the newest Node that people run, on Valkey if it is installed, and in a zone that once skipped a day. */
function elsewhere(): Promise<void> {
  const command = ['--yes', '--package=node@24', 'node', '--print', 'process.execPath'];
  const { status, stdout } = spawnSync('npx', command, { encoding: 'utf8' });
  const hasValkey = spawnSync('valkey-server', ['--version']).status === 0;
  if (status !== 0) skipped.push('Node 24: npm’s package of it can’t be had');
  if (!hasValkey) skipped.push('Valkey: valkey-server is not installed');
  return vitest(['test/domain/time', 'test/domain/money', 'test/vault', 'test/workspace', 'test/redis'], {
    TZ: 'Pacific/Apia',
    ...(status === 0 && { PATH: [dirname(stdout.trim()), PATH].join(delimiter) }),
    ...(hasValkey && { REDIS_SERVER_BINARY: 'valkey-server' }),
  });
}

// The checks run beside the tests. CI sets CHECKED if it has already checked these files.
const checked = process.env.CHECKED === undefined ? checkAll() : Promise.resolve();
if (process.argv.includes('--all')) {
  await vitest(['--retry=1'], { THOROUGH: '1' });
  await elsewhere();
} else await vitest([], { QUICK: '1', TZ: 'America/St_Johns' });
await checked;

// Last, because people read the end of a long output.
for (const finding of findings) console.log(finding);
for (const name of skipped) console.log(`skipped: ${name}`);
for (const name of failed) console.log(`failed: ${name}`);
const rest = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
console.log(`${passed} passed, ${failed.length} failed${rest}`);
process.exitCode = failed.length > 0 ? 1 : 0;
