/**
 * `npm run build`: bundles the bot and its dependencies into `dist/`, which needs nothing else to run. Loading more than a
 * thousand small files takes longer than everything else that a start does.
 */
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(ROOT, 'dist');
const ENTRIES = ['src/tally.ts', 'src/env-file.ts'];

/** Native code that dependencies use where it is installed, and do without here. */
const OPTIONAL = ['msgpackr-extract', 'bufferutil', 'utf-8-validate'];

/**
 * Loaded for parts that Tally does not use: Bolt's receivers, whose place Tally's own server has; BullMQ's cron, whose place
 * Tally's calendar has; and its queues in PostgreSQL.
 */
const UNUSED = /^(?:express|raw-body|cron-parser|\.\.?\/postgres\b.*)$/;

/** CommonJS among the dependencies asks for Node's own modules by `require`, which an ES module does not have. */
const BANNER = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/** @param folder emptied first */
export async function bundle(entryPoints: readonly string[], folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: OPTIONAL,
    banner: { js: BANNER },
    plugins: [withoutUnused, partsOfUndici, ascii],
    // Names stay, for whoever reads a stack trace without the source map.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  await writeFile(join(folder, 'LICENSES.txt'), await licensesOf(metafile));
}

const withoutUnused: Plugin = {
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

/** Its index loads all of it: fetch, caches, mocks. What is imported and not here fails the build. */
const PARTS_OF_UNDICI = `
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as errors } from 'undici/lib/core/errors.js';
`;
/** For Slack's package for Socket Mode, which Bolt loads in any mode: all of it, but at its first use. */
const UNDICI_LATER =
  "module.exports = new Proxy({}, { get: (_, name) => require('undici/index.js')[name] });";

const partsOfUndici: Plugin = {
  name: 'parts-of-undici',
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, ({ path, importer }) => {
      if (importer.startsWith(join(ROOT, 'src')))
        return { path, namespace: 'parts', pluginData: PARTS_OF_UNDICI };
      if (importer.includes('@slack/socket-mode'))
        return { path, namespace: 'later', pluginData: UNDICI_LATER };
      return undefined;
    });
    build.onLoad({ filter: /^undici$/ }, ({ pluginData }) => ({ contents: pluginData, resolveDir: ROOT }));
  },
};

/** One letter beyond ASCII makes Node keep two bytes for each of the whole file. */
const inAscii = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const ascii: Plugin = {
  name: 'ascii',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: inAscii(await readFile(path, 'utf8')),
      loader: 'ts',
    }));
    build.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${inAscii(await readFile(path, 'utf8'))}\n//# sourceMappingURL=${mapOfNothing(path)}`,
    }));
  },
};

/** Node reads the whole map when it loads a file, and nobody looks for a mistake in a dependency by its line. */
function mapOfNothing(path: string): string {
  const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'AAAA' });
  return `data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}

/** What the authors of the bundled packages ask for: their names and terms go along. */
async function licensesOf({ inputs }: Metafile): Promise<string> {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  );
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(ROOT, folder, 'package.json'), 'utf8'),
      );
      const files = (await readdir(join(ROOT, folder))).filter((file) => /^licen[cs]e/i.test(file));
      const terms = await Promise.all(files.map((file) => readFile(join(ROOT, folder, file), 'utf8')));
      return [`${name} ${version} (${license})`, ...terms].join('\n\n');
    }),
  );
  return texts.join(`\n\n${'-'.repeat(80)}\n\n`);
}

export async function buildDist(): Promise<void> {
  await bundle(ENTRIES, DIST);
  await chmod(join(DIST, 'tally.js'), 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDist();
