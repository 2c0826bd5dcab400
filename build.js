// @ts-check
/**
 * `npm run build`: bundles the bot and its dependencies into `dist/`, which needs nothing else to run. Loading more than a
 * thousand small files takes longer than everything else that a start does. With `--if-changed`, as the other scripts call it,
 * a current `dist/` stays. In JavaScript, because it also runs where no development tools are installed.
 */
import { realpathSync } from 'node:fs';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAlways, buildIfChanged, codeOf, ROOT } from './build-if-changed.js';

/** @typedef {import('esbuild').Plugin} Plugin */

const DIST = join(ROOT, 'dist');
const ENTRIES = ['src/tally.ts', 'src/tally-with-env-file.ts'];

/** What dependencies use where it is installed, and do without here. */
const OPTIONAL = ['msgpackr-extract', 'bufferutil', 'utf-8-validate', 'supports-color'];

/**
 * Loaded for parts that Tally does not use: Bolt's receivers, whose place Tally's own server has; Slack's signed states of an
 * installation, whose place Tally's own have; BullMQ's cron, whose place Tally's calendar has; and its queues in PostgreSQL.
 */
const UNUSED = /^(?:express|raw-body|jsonwebtoken|cron-parser|\.\.?\/postgres\b.*)$/;

/** CommonJS among the dependencies asks for Node's own modules by `require`, which an ES module does not have. */
const BANNER = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/**
 * @typedef {object} BundledPackage
 * @property {string} folder relative to the root; a key of package-lock.json
 * @property {string} name
 * @property {string} version
 * @property {string} license
 */

/**
 * @param {readonly string[]} entryPoints
 * @param {string} folder emptied first
 * @returns {Promise<BundledPackage[]>} the packages that the bundle has code of
 */
export async function bundle(entryPoints, folder) {
  const { build } = await import('esbuild');
  await rm(folder, { recursive: true, force: true });
  /** @type {import('esbuild').BuildOptions & { metafile: true }} */
  const shared = {
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    external: OPTIONAL,
    plugins: [withoutUnused, versionOnly, ascii],
    // Names stay, for whoever reads a stack trace without the source map.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  };
  const bot = await build({
    ...shared,
    entryPoints: [...entryPoints],
    outdir: folder,
    entryNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    format: 'esm',
    banner: { js: BANNER },
  });
  const packages = await packagesIn(bot.metafile.outputs);
  await writeFile(join(folder, 'LICENSES.txt'), await licensesOf(packages));
  return packages;
}

/** @type {Plugin} */
const withoutUnused = {
  name: 'without-unused',
  setup(build) {
    // prom-client asks it for the span of an exemplar, of which Tally has none.
    build.onResolve({ filter: /^@opentelemetry\/api$/ }, ({ path, importer }) =>
      importer.includes('prom-client') ? { path, namespace: 'unused' } : undefined,
    );
    build.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    build.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`${path} is not in this bundle`)}); };`,
    }));
  },
};

/** Of Tally's own package.json nothing else is read. @type {Plugin} */
const versionOnly = {
  name: 'version-only',
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
      if (path !== join(ROOT, 'package.json')) return undefined;
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** One letter beyond ASCII makes Node keep two bytes for each of the whole file. @param {string} text */
const inAscii = (text) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * ioredis adds five hundred methods to a prototype, one by one. V8 copies the list of them for each until the object is known to be
 * a prototype: 20 ms and 5 MB of a start. A first object made from it says so.
 * @param {string} path @param {string} text
 */
function withEarlyPrototype(path, text) {
  if (!path.endsWith(join('ioredis', 'built', 'utils', 'Commander.js'))) return text;
  const loop = 'commands.forEach(function (commandName) {';
  if (!text.includes(loop)) throw new Error(`${path} doesn't add its methods as it did: see build.js`);
  return text.replace(loop, `Object.create(Commander.prototype);\n${loop}`);
}

/** @type {Plugin} */
const ascii = {
  name: 'ascii',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: inAscii(await readFile(path, 'utf8')),
      loader: 'ts',
    }));
    build.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${inAscii(withEarlyPrototype(path, await readFile(path, 'utf8')))}\n//# sourceMappingURL=${mapOfNothing(path)}`,
    }));
  },
};

/** Node reads the whole map when it loads a file, and nobody looks for a mistake in a dependency by its line. @param {string} path */
function mapOfNothing(path) {
  const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'AAAA' });
  return `data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}

/** @param {import('esbuild').Metafile['outputs']} outputs @returns {Promise<BundledPackage[]>} */
async function packagesIn(outputs) {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
  const folders = new Set(
    files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  );
  return Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(ROOT, folder, 'package.json'), 'utf8'),
      );
      return { folder, name, version, license };
    }),
  );
}

/** What the authors of the bundled packages ask for: their names and terms go along. @param {BundledPackage[]} packages */
async function licensesOf(packages) {
  const texts = packages.map(async ({ folder, name, version, license }) => {
    const files = (await readdir(join(ROOT, folder))).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    const terms = await Promise.all(files.sort().map((file) => readFile(join(ROOT, folder, file), 'utf8')));
    return [`${name} ${version} (${license})`, ...terms].join('\n\n');
  });
  return (await Promise.all(texts)).join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** @returns the packages in `dist/` */
export async function bundleBot() {
  const packages = await bundle(ENTRIES, DIST);
  await chmod(join(DIST, 'tally.js'), 0o755);
  await chmod(join(DIST, 'tally-with-env-file.js'), 0o755);
  return packages;
}

/** @type {import('./build-if-changed.js').BuildTarget} */
export const BOT = {
  name: 'bot',
  sources: ['src', 'build.js', 'build-if-changed.js', 'package.json', 'package-lock.json'],
  folder: DIST,
  run: bundleBot,
};

/** @param {unknown} error @returns {string | undefined} what to do; undefined for an error that nobody expects */
function adviceFor(error) {
  const outdated = 'dist is missing or older than src';
  const [why] = /** @type {Error} */ (error).message.split('\n');
  switch (codeOf(error)) {
    case 'ERR_MODULE_NOT_FOUND':
      return `${outdated}, and the packages that build it aren't installed. Run npm ci, then try again.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${outdated}, and this folder can't be written (${why}). Run npm run build where it can, and bring dist here.`;
    default:
      return undefined;
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const build = process.argv.includes('--if-changed') ? buildIfChanged : buildAlways;
  await build(BOT, (line) => process.stderr.write(`${line}\n`)).catch((error) => {
    const advice = adviceFor(error);
    if (advice === undefined) throw error;
    process.stderr.write(`${advice}\n`);
    process.exitCode = 1;
  });
}
