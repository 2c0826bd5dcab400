/**
 * `npm test`: format, lint, types, dead code and the quick tests, in a time zone that breaks assumptions. `npm test -- --all`: all tests,
 * all examples of each property, and the tests of time, money and records once more elsewhere. Everything runs to its end. A static check
 * counts as one; the last line is the sum.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const isWhole = process.argv.includes('--all');
const PATH = [join('node_modules', '.bin'), process.env.PATH].join(delimiter);
const sum = { passed: 0, failed: [] as string[], skipped: [] as string[] };

function run(command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const [program = '', ...words] = command;
  const child = spawn(program, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PATH, ...env },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}

async function check(name: string, ...command: readonly string[]): Promise<void> {
  if (await run(command)) sum.passed++;
  else sum.failed.push(name);
}

async function vitest(what: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tally-test-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  // Bots and what they are asked live shortly: with V8's own 16 MB a fifth of the time is spent on collecting them.
  const node = ['node', '--max-semi-space-size=64', 'node_modules/vitest/vitest.mjs', 'run'];
  const ok = await run([...node, ...what, ...reporters], env);
  const { testResults }: Report = await readFile(file, 'utf8').then(JSON.parse, () => ({ testResults: [] }));
  await rm(folder, { recursive: true });
  const failures = sum.failed.length;
  for (const { name, status, message, assertionResults } of testResults) {
    const path = relative('.', name);
    for (const { status, fullName } of assertionResults) {
      if (status === 'passed') sum.passed++;
      else (status === 'failed' ? sum.failed : sum.skipped).push(`${path} > ${fullName}`);
    }
    // It did not load, or what it does before or after its tests went wrong.
    if (status === 'failed' && !assertionResults.some(({ status }) => status === 'failed'))
      sum.failed.push(`${path}: ${message.split('\n')[0]}`);
  }
  if (!ok && sum.failed.length === failures)
    sum.failed.push(`outside of every test: vitest ${what.join(' ')}`);
}

/** On the newest Node that people run, on Valkey where it is installed, and in a zone that once left out a day. */
async function elsewhere(): Promise<void> {
  const node = spawnSync('npx', ['--yes', '--package=node@24', 'node', '--print', 'process.execPath'], {
    encoding: 'utf8',
  });
  const hasValkey = spawnSync('valkey-server', ['--version']).status === 0;
  if (node.status !== 0) sum.skipped.push('Node 24: npm’s package of it can’t be had');
  if (!hasValkey) sum.skipped.push('Valkey: valkey-server is not installed');
  await vitest(['test/domain/time', 'test/domain/money', 'test/vault', 'test/workspace', 'test/redis'], {
    TZ: 'Pacific/Apia',
    ...(node.status === 0 && { PATH: [dirname(node.stdout.trim()), PATH].join(delimiter) }),
    ...(hasValkey && { REDIS_SERVER_BINARY: 'valkey-server' }),
  });
}

await check('format and lint', 'biome', 'check', '.');
await check('types', 'tsc');
await check('types of the page', 'tsc', '-p', 'sandbox/page');
await check('dead code', 'knip', '--no-progress');
// With half-hour offsets and clock changes.
if (!isWhole) await vitest(['--project=quick'], { TZ: 'America/St_Johns' });
else {
  await vitest(['--retry=1'], { THOROUGH: '1' });
  await elsewhere();
}

// Last, because the end of a long output is what is read and kept.
for (const line of sum.skipped) console.log(`skipped: ${line}`);
for (const line of sum.failed) console.log(`failed: ${line}`);
const skipped = sum.skipped.length > 0 ? `, ${sum.skipped.length} skipped` : '';
console.log(`${sum.passed} passed, ${sum.failed.length} failed${skipped}`);
process.exitCode = sum.failed.length > 0 ? 1 : 0;
