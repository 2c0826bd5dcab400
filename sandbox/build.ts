/** Builds the bot and the page, each only when its sources have changed since the last build. */
import { rmSync } from 'node:fs';
import { mkdir, readdir, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Holds everything that the sandbox writes to disk. */
export const SANDBOX_FOLDER = join(ROOT, '.sandbox');
export const PAGE = join(SANDBOX_FOLDER, 'page');
export const BOT_ENTRY = join(ROOT, 'dist', 'tally.js');
export const CLOCK = join(ROOT, 'sandbox', 'bot-clock.js');

type Log = (line: string) => void;

export interface BuildTarget {
  name: string;
  /** Files and folders, relative to the root. */
  sources: readonly string[];
  /** The file written last; a build without it is incomplete. */
  output: string;
  run: () => Promise<void>;
}

const bot: BuildTarget = {
  name: 'bot',
  sources: ['src', 'build.ts', 'package-lock.json'],
  output: BOT_ENTRY,
  async run() {
    const { buildDist } = await import('../build.ts');
    await buildDist();
  },
};

const page: BuildTarget = {
  name: 'page',
  sources: ['sandbox/page', 'sandbox/protocol.ts', 'package-lock.json'],
  output: join(PAGE, 'index.html'),
  async run() {
    const vite = await import('vite');
    await vite.build({
      configFile: join(ROOT, 'sandbox/page/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: PAGE },
    });
  },
};

export const buildBot = (log: Log) => build(bot, log);
export const buildPage = (log: Log) => build(page, log);
export const build = (product: BuildTarget, log: Log) =>
  withLock(product.name, () => buildIfStale(product, log));

async function buildIfStale({ name, sources, output, run }: BuildTarget, log: Log): Promise<void> {
  const stamp = join(SANDBOX_FOLDER, `built-${name}`);
  const newest = Math.max(...(await Promise.all(sources.map((one) => newestIn(join(ROOT, one))))));
  if ((await modified(output)) > 0 && (await modified(stamp)) > newest) return;
  const startedAt = Date.now();
  await run();
  await writeFile(stamp, '');
  // The start of the build: sources that changed during it count as newer.
  await utimes(stamp, startedAt / 1000, startedAt / 1000);
  log(`Built the ${name} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
}

async function newestIn(path: string): Promise<number> {
  const here = await modified(path);
  const entries = await readdir(path, { recursive: true }).catch(() => []);
  return Math.max(here, ...(await Promise.all(entries.map((one) => modified(join(path, one))))));
}

async function modified(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

const STALE_LOCK_MS = 120_000;

/** Tests start several sandboxes at once: one builds, the others wait for it. */
async function withLock(name: string, work: () => Promise<void>): Promise<void> {
  await mkdir(SANDBOX_FOLDER, { recursive: true });
  const lock = join(SANDBOX_FOLDER, `building-${name}`);
  for (;;) {
    const isLocked = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (isLocked) break;
    if (Date.now() - (await modified(lock)) > STALE_LOCK_MS) await rmdir(lock).catch(() => {});
    await delay(100);
  }
  const unlock = () => rmSync(lock, { recursive: true, force: true });
  process.once('exit', unlock);
  try {
    await work();
  } finally {
    process.removeListener('exit', unlock);
    unlock();
  }
}
