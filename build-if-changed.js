// @ts-check
/**
 * Builds what is missing, or older than its sources, and only once when several processes want it at the same time. Without
 * packages and without TypeScript: a machine that only runs the bot has neither.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('.', import.meta.url));

/**
 * @typedef {object} BuildTarget
 * @property {string} name for the log
 * @property {readonly [string, ...string[]]} sources files and folders, relative to the root; the code first
 * @property {string} folder the output, which `run` makes anew
 * @property {() => Promise<unknown>} run
 */

/** Digest of the sources, written last: a build that was interrupted has none. */
const STAMP = 'built-from';

/** @param {BuildTarget} target @param {(line: string) => void} log */
export async function buildIfChanged(target, log) {
  if (await isCurrent(target)) return;
  await withLock(target.folder, async () => {
    if (!(await isCurrent(target))) await run(target, log);
  });
}

/** @param {BuildTarget} target @param {(line: string) => void} log */
export const buildAlways = (target, log) => withLock(target.folder, () => run(target, log));

/** @param {BuildTarget} target @param {(line: string) => void} log */
async function run(target, log) {
  log(`Building the ${target.name}…`);
  const startedAt = performance.now();
  // Before the build: a source that changes during it makes the output outdated.
  const digest = digestOf(target.sources);
  await target.run();
  await writeFile(join(target.folder, STAMP), digest);
  log(`Built the ${target.name} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
}

/** An output that came without its code is taken as it is. @param {BuildTarget} target */
async function isCurrent({ sources, folder }) {
  const builtFrom = await readFile(join(folder, STAMP), 'utf8').catch(() => undefined);
  if (builtFrom === undefined) return false;
  return !existsSync(join(ROOT, sources[0])) || builtFrom === digestOf(sources);
}

/** By content: times differ from one checkout of a version to the next. @param {readonly string[]} sources */
function digestOf(sources) {
  const hash = createHash('sha256');
  for (const file of sources.flatMap(filesIn).sort())
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** @param {string} source */
function filesIn(source) {
  const path = join(ROOT, source);
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const STALE_LOCK_MS = 120_000;

/** @param {string} folder @param {() => Promise<void>} work */
async function withLock(folder, work) {
  const lock = `${folder}.lock`;
  await mkdir(dirname(lock), { recursive: true });
  while (!(await takeLock(lock))) await delay(100);
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  try {
    await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

/** @param {string} lock @returns {Promise<boolean>} false while another process builds */
async function takeLock(lock) {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const [owner, age] = await Promise.all([
      readFile(lock, 'utf8').catch(() => ''),
      stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      ),
    ]);
    if ((owner !== '' && !isRunning(Number(owner))) || age > STALE_LOCK_MS) await rm(lock, { force: true });
    return false;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** @param {unknown} error */
export const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;
