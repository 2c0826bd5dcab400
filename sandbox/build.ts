/** Compiles the bot and builds the page, each only when its sources are newer than what was made of them. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, readdir, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Everything that the sandbox leaves on the disk. */
export const SANDBOX_FOLDER = join(ROOT, '.sandbox');
export const PAGE = join(SANDBOX_FOLDER, 'page');
export const BOT_ENTRY = join(ROOT, 'dist', 'main.js');
export const CLOCK = join(ROOT, 'sandbox', 'bot-clock.js');

type Log = (line: string) => void;

interface Product {
  name: string;
  sources: readonly string[];
  /** Made last of all: while it is missing there is nothing. */
  result: string;
  make: () => Promise<void>;
}

const bot: Product = {
  name: 'bot',
  sources: ['src', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'],
  result: BOT_ENTRY,
  async make() {
    await rm(dirname(BOT_ENTRY), { recursive: true, force: true });
    const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
    const compiler = [join(typescript, 'bin', 'tsc'), '-p', 'tsconfig.build.json'];
    try {
      await promisify(execFile)(process.execPath, compiler, { cwd: ROOT });
    } catch (error) {
      const { stdout } = error as { stdout?: string };
      throw new Error(`The bot does not compile:\n${stdout ?? String(error)}`, { cause: error });
    }
  },
};

const page: Product = {
  name: 'page',
  sources: ['sandbox/page', 'sandbox/protocol.ts', 'package-lock.json'],
  result: join(PAGE, 'index.html'),
  async make() {
    const { build } = await import('vite');
    await build({
      configFile: join(ROOT, 'sandbox/page/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: PAGE },
    });
  },
};

export const buildBot = (log: Log) => alone('bot', () => bring(bot, log));
export const buildPage = (log: Log) => alone('page', () => bring(page, log));

async function bring({ name, sources, result, make }: Product, log: Log): Promise<void> {
  const stamp = join(SANDBOX_FOLDER, `built-${name}`);
  const newest = Math.max(...(await Promise.all(sources.map((one) => newestIn(join(ROOT, one))))));
  if ((await modified(result)) > 0 && (await modified(stamp)) > newest) return;
  const begun = Date.now();
  await make();
  await writeFile(stamp, '');
  // What changed while it was being built is newer than this.
  await utimes(stamp, begun / 1000, begun / 1000);
  log(`Built the ${name} in ${((Date.now() - begun) / 1000).toFixed(1)} s.`);
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

const STALE = 120_000;

/** Several sandboxes may start at once, tests do: one builds, the others wait and find it built. */
async function alone(name: string, work: () => Promise<void>): Promise<void> {
  await mkdir(SANDBOX_FOLDER, { recursive: true });
  const lock = join(SANDBOX_FOLDER, `building-${name}`);
  for (;;) {
    const isMine = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (isMine) break;
    if (Date.now() - (await modified(lock)) > STALE) await rmdir(lock).catch(() => {});
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
