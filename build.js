// @ts-check
/**
 * `npm run build`: bundles the bot and its dependencies into `dist/`, which needs nothing else to run. In JavaScript, because
 * `npm start` builds too, and where it runs there may be no development tools.
 */
import { realpathSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const ROOT = fileURLToPath(new URL('.', import.meta.url));

/**
 * Of no use here: Bolt's receiver for Express, its reading of bodies and Slack's signed states of an installation, in whose place
 * Tally has its own; BullMQ's cron and its queues in PostgreSQL; the spans of prom-client's exemplars.
 */
const UNUSED = /^(?:express|raw-body|jsonwebtoken|cron-parser|@opentelemetry\/api|\.\.?\/postgres\b.*)$/;

/** @type {import('esbuild').Plugin} */
const withoutUnused = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    const contents = `module.exports = () => { throw new Error('not in this bundle: see build.js'); };`;
    onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents }));
  },
};

/** @param {readonly string[]} entryPoints @param {string} folder holds nothing else afterwards */
export async function bundle(entryPoints, folder) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // What dependencies use where it is installed, and do without here.
    external: ['msgpackr-extract', 'bufferutil', 'utf-8-validate', 'supports-color'],
    plugins: [withoutUnused],
    // CommonJS among the dependencies asks for Node's own modules by `require`.
    banner: {
      js: `import module from 'node:module'; const require = module.createRequire(import.meta.url);`,
    },
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    write: false,
  });
  const files = Object.fromEntries(outputFiles.map((file) => [relative(folder, file.path), file.contents]));
  await writeFiles(folder, { ...files, 'LICENSES.txt': await licensesOf(Object.keys(metafile.inputs)) });
}

/**
 * Makes a folder hold these files, by name. One that is as it should be stays untouched: others may read it at this moment.
 *
 * @param {string} folder @param {Record<string, string | Uint8Array>} files
 */
export async function writeFiles(folder, files) {
  for (const [name, contents] of Object.entries(files)) {
    const path = join(folder, name);
    const before = await readFile(path).catch(() => undefined);
    if (before?.equals(Buffer.from(contents))) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
  }
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !(relative(folder, path) in files)) await rm(path, { force: true });
  }
}

/** What the authors of the bundled packages ask for: their terms go along. @param {readonly string[]} paths */
async function licensesOf(paths) {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const files = (await readdir(join(ROOT, folder))).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    const terms = await Promise.all(files.map((file) => readFile(join(ROOT, folder, file), 'utf8')));
    return [folder.replace(/^.*node_modules\//, ''), ...terms].join('\n\n');
  });
  return (await Promise.all(texts)).join('\n\n---\n\n');
}

export const bundleBot = () => bundle(['src/tally.ts'], join(ROOT, 'dist'));

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  process.stderr.write('Building the bot…\n');
  await bundleBot();
}
