/**
 * `npm test`: format, lint, types, dead code, every test, and those of time and money again under two other zones of the
 * machine. Everything runs to its end, whatever failed before. The last line is the sum; a static check counts as one.
 */
import { type StdioOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sum } from './support/sum-reporter.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PATH = [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
/** One with half-hour offsets and clock changes, one that once left out a day and lies ahead of UTC. */
const ZONES = ['America/St_Johns', 'Pacific/Apia'];

const CHECKS: [name: string, command: string[]][] = [
  ['format and lint', ['biome', 'check', '.']],
  ['types', ['tsc', '-p', 'tsconfig.json']],
  ...(existsSync(join(ROOT, 'sandbox/page/tsconfig.json'))
    ? [['types of the page', ['tsc', '-p', 'sandbox/page']] as [string, string[]]]
    : []),
  ['dead code', ['knip', '--no-progress']],
];

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
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ok = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
  return { ok, output: Buffer.concat(chunks).toString() };
}

async function check(name: string, command: string[]): Promise<Sum> {
  const { ok, output } = await run(command, ['ignore', 'pipe', 'pipe']);
  console.log(ok ? `✓ ${name}` : `✗ ${name}: ${command.join(' ')}\n${output}`);
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: [] };
}

async function vitest(scratch: string, what: string[], zone?: string): Promise<Sum> {
  console.log(`\nTests${zone === undefined ? '' : ` of time and money, TZ=${zone}`}`);
  const file = join(scratch, `${(zone ?? 'all').replace('/', '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=./test/support/sum-reporter.ts'];
  const env = { SUM_FILE: file, ...(zone !== undefined && { TZ: zone }) };
  const { ok } = await run(['vitest', 'run', ...what, ...reporters], ['ignore', 'inherit', 'inherit'], env);
  const sum = await readFile(file, 'utf8').then(
    (text): Sum => JSON.parse(text),
    (): Sum => ({ passed: 0, failed: 0, skipped: [] }),
  );
  // A run that broke before or after its tests has failed, even when no test did.
  return !ok && sum.failed === 0 ? { ...sum, failed: 1 } : sum;
}

const scratch = await mkdtemp(join(tmpdir(), 'tally-test-'));
const sums = await Promise.all(CHECKS.map(([name, command]) => check(name, command)));
sums.push(await vitest(scratch, []));
for (const zone of ZONES) sums.push(await vitest(scratch, ['test/domain/time', 'test/domain/money'], zone));
await rm(scratch, { recursive: true, force: true });

const passed = sums.reduce((total, sum) => total + sum.passed, 0);
const failed = sums.reduce((total, sum) => total + sum.failed, 0);
const skipped = sums.flatMap((sum) => sum.skipped);
console.log(['', ...skipped.map((reason) => `skipped: ${reason}`)].join('\n'));
console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
