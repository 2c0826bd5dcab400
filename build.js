// @ts-check
/**
 * `npm run build`: bundles the bot and its dependencies into `dist/`, which needs nothing else to run. In JavaScript, because
 * `npm start` builds too, and where it runs there may be no development tools.
 */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const ROOT = fileURLToPath(new URL('.', import.meta.url));

/**
 * Parts of dependencies that Tally never runs: Bolt's receiver for Express and its body parser, BullMQ's cron and its
 * queues in PostgreSQL, prom-client's exemplars.
 */
const UNUSED = /^(?:express|raw-body|cron-parser|@opentelemetry\/api|\.\.?\/postgres\b.*)$/;

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
  await writeGrammar();
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
    // Optional dependencies, which are used only where they are installed.
    external: ['msgpackr-extract', 'bufferutil', 'utf-8-validate', 'supports-color'],
    plugins: [withoutUnused],
    // CommonJS among the dependencies asks for Node's own modules by `require`.
    banner: {
      js: `import module from 'node:module'; const require = module.createRequire(import.meta.url);`,
    },
    // A smaller file is loaded sooner. Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
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
 * Makes a folder hold these files alone, by name. A file that is right already isn't written: others may be reading it.
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

/** The licenses of the bundled packages, which have to come along. @param {readonly string[]} paths */
async function licensesOf(paths) {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const files = (await readdir(join(ROOT, folder))).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    const terms = await Promise.all(files.map((file) => readFile(join(ROOT, folder, file), 'utf8')));
    return [folder.replace(/^.*node_modules\//, ''), ...terms].join('\n\n');
  });
  return (await Promise.all(texts)).join('\n\n---\n\n');
}

const LANGUAGE = join(ROOT, 'src/domain/language');
/** The rules that a text can be read by. */
const STARTS = ['Command', 'PeriodOnly', 'Question'];
/** With the cache, reading takes time in proportion to the text's length, whatever it says. */
const GENERATED = /** @type {const} */ ({ output: 'source', format: 'es', cache: true });
/** A start reads any text, so what a rule expected is never told. Both this and the constants took half of the time of a short text. */
const EXPECTED = /^ *const peg\$e\d+ = .*\n|if \(peg\$silentFails === 0\) \{ peg\$fail\(peg\$e\d+\); \}/gm;
/** Peggy makes them anew for each text. */
const CONSTANT = /^ *const peg\$[cr]\d+ = .*\n/gm;

const COMMANDS = 'commands.peggy';

/** Writes the parser of the language, unless it is up to date. Both grammar files are one grammar. */
export async function writeGrammar() {
  const files = [COMMANDS, 'questions/questions.peggy'].map(async (source) => ({
    source,
    text: await readFile(join(LANGUAGE, source), 'utf8'),
  }));
  const sources = await Promise.all(files);
  const path = join(LANGUAGE, 'generated.js');
  const mark = `// Of ${createHash('sha256')
    .update(JSON.stringify([STARTS, GENERATED, `${EXPECTED} ${CONSTANT}`, sources]))
    .digest('hex')}\n`;
  if ((await readFile(path, 'utf8').catch(() => '')).startsWith(mark)) return;
  const { default: peggy } = await import('peggy');
  const parser = peggy.generate(sources, { ...GENERATED, allowedStartRules: STARTS }).replace(EXPECTED, '');
  const code = (parser.match(CONSTANT) ?? []).join('') + parser.replace(CONSTANT, '');
  // From the commands alone: a mistyped word of a command is never corrected to one of a question.
  const commands = sources.find(({ source }) => source === COMMANDS)?.text ?? '';
  const { rules } = peggy.parser.parse(commands, { reservedWords: [] });
  const named = rules.filter(({ expression }) => expression.type === 'named');
  const words = Object.entries({ WORDS: rules, CORRECTIONS: named }).map(
    ([name, of]) => `export const ${name} = ${JSON.stringify([...new Set(literalsIn(of))])};\n`,
  );
  await writeFile(path, mark + code + words.join(''));
}

/** The words in quotes that a part of a grammar's syntax tree has. @param {unknown} node @returns {string[]} */
function literalsIn(node) {
  if (typeof node !== 'object' || node === null) return [];
  if ('type' in node && node.type === 'literal' && 'value' in node) return [String(node.value)];
  return Object.entries(node).flatMap(([key, part]) => (key === 'location' ? [] : literalsIn(part)));
}

export const bundleBot = () => bundle(['src/tally.ts'], join(ROOT, 'dist'));

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  process.stderr.write('Building the bot…\n');
  await bundleBot();
}
