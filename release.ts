/**
 * `npm run release`: makes what is published in `release/`, from a commit and from nothing else. docs/releases.md says what is
 * in it, how people check it, and how they make the same bytes again.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type BundledPackage, bundleBot } from './build.js';
import { ROOT } from './build-if-changed.js';

const OUTPUT = join(ROOT, 'release');
/** What the release file and the image are made of; it does not stay. */
const STAGES = join(OUTPUT, 'stages');
const STAGE = join(STAGES, 'tally');

/** Beside `dist/` and package.json. Pictures are not among them: they are larger than everything else. */
const PUBLISHED = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'manifest.json',
  '.env.example',
  'compose.yaml',
  'deploy',
  'docs',
];
const PICTURES = join(ROOT, 'docs', 'pictures');

/** Says what to do instead; everything else that is thrown is a fault of this script. */
class Refusal extends Error {}

interface Commit {
  readonly id: string;
  /** Seconds since 1970: the time of everything in the release. */
  readonly time: number;
}

interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description: string;
}

/** @throws Refusal with what the command said */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Refusal(`${command} ${args[0]} failed.\n${stderr ?? ''}`.trim());
  return stdout.trim();
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

/** @throws Refusal when the files are not those of a commit */
function readCommit(): Commit {
  const changed = run('git', 'status', '--porcelain');
  if (changed !== '')
    throw new Refusal(
      `A release is made from a commit, and these files differ from it:\n${changed}\nCommit or stash them, then try again.`,
    );
  const [id = '', time] = run('git', 'log', '-1', '--format=%H %ct').split(' ');
  return { id, time: Number(time) };
}

/** @throws Refusal when other packages are installed than package-lock.json names */
function checkInstalled(packages: readonly BundledPackage[]): void {
  const locked = readJson('package-lock.json').packages;
  const other = packages.find(({ folder, version }) => locked[folder]?.version !== version);
  if (other !== undefined)
    throw new Refusal(
      `node_modules has ${other.name} ${other.version}, and package-lock.json another version. Run npm ci, then try again.`,
    );
}

/** Lays out the package: the bundle needs no other one, so it names none. */
function stage({
  scripts,
  dependencies,
  devDependencies,
  overrides,
  ...facts
}: Record<string, unknown>): void {
  for (const path of PUBLISHED)
    cpSync(join(ROOT, path), join(STAGE, path), { recursive: true, filter: (from) => from !== PICTURES });
  cpSync(join(ROOT, 'dist'), join(STAGE, 'dist'), { recursive: true });
  // There is nothing to build: the image comes with the release.
  const compose = join(STAGE, 'compose.yaml');
  writeFileSync(compose, readFileSync(compose, 'utf8').replace(/^ +# A release .*\n|^ +build: .*\n/gm, ''));
  writeFileSync(join(STAGE, 'package.json'), `${JSON.stringify(facts, null, 2)}\n`);
  const pages = readdirSync(STAGE, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.md'),
  );
  for (const page of pages) {
    const path = join(STAGE, page);
    writeFileSync(path, withPublishedLinks(readFileSync(path, 'utf8'), page));
  }
  // Under another umask the files have other modes; and user 1000 has to read them in the image.
  run('chmod', '-R', 'u=rwX,go=rX', STAGE);
}

/** Keeps the words of a link to what only the repository has, and leaves out its pictures. */
const withPublishedLinks = (text: string, page: string): string =>
  text
    .replace(/<picture>.*?<\/picture>\n*|<img [^>]*>\n*/gs, '')
    .replace(/\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g, (link, words: string, path: string) =>
      existsSync(join(STAGE, normalize(join(dirname(page), path)))) ? link : words,
    );

/**
 * What npm knows of the packages whose code is in the bundle, and of no other: express, for one, is a dependency of Bolt that
 * the bundle leaves out. (npm's own `--omit=dev` would leave out zod, which development tools use too.) Time and serial number come from the commit.
 */
function writeSbom(
  path: string,
  packages: readonly BundledPackage[],
  { id, time }: Commit,
  { name, version }: PackageFacts,
): void {
  const bom = JSON.parse(
    run('npm', 'sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'),
  );
  const root: string = bom.metadata.component['bom-ref'];
  const bundled = new Set([root, ...packages.map((it) => `${it.name}@${it.version}`)]);
  const has = (ref: string) => bundled.has(ref);
  const digest = createHash('sha256').update(`${name} ${version} ${id}`).digest('hex');
  const serial = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');
  const components = bom.components.filter((it: { 'bom-ref': string }) => has(it['bom-ref']));
  if (components.length < bundled.size - 1) throw new Error('npm sbom leaves out packages of the bundle');
  const sbom = {
    ...bom,
    serialNumber: `urn:uuid:${serial}`,
    metadata: {
      ...bom.metadata,
      timestamp: new Date(time * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      // npm takes the name of the folder.
      component: { ...bom.metadata.component, name },
    },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }: { ref: string }) => has(ref))
      .map(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => ({
        ref,
        dependsOn: dependsOn.filter(has),
      })),
    compositions: [{ aggregate: 'complete', assemblies: [root] }],
  };
  writeFileSync(path, `${JSON.stringify(sbom, null, 2)}\n`);
}

/** @returns the name of the file. npm gives every file in it the same time and owner. */
const pack = (): string => run('npm', 'pack', '--silent', STAGE, `--pack-destination=${OUTPUT}`);

/**
 * Builds the image's last stage from what the release file holds, and writes it as an OCI layout that `docker load` reads too.
 *
 * @param base the image of Node, by digest
 */
function writeImage(file: string, base: string, { id, time }: Commit, facts: PackageFacts): void {
  const [baseName = '', digest = ''] = base.split('@');
  const labels = {
    title: facts.name,
    description: facts.description,
    version: facts.version,
    revision: id,
    licenses: facts.license,
    created: new Date(time * 1000).toISOString(),
    'base.name': baseName,
    'base.digest': digest,
  };
  const [layout, iid] = [join(STAGES, 'image'), join(STAGES, 'image-id')];
  const named = Object.entries(labels).map(
    ([name, value]) => `--label=org.opencontainers.image.${name}=${value}`,
  );
  const context = [`--build-context=build=${STAGES}`, `--build-arg=NODE_IMAGE=${base}`];
  const same = [`--timestamp=${time}`, '--identity-label=false', '--format=oci'];
  run('buildah', 'build', '--quiet', '--pull=never', ...context, ...same, ...named, `--iidfile=${iid}`, '.');
  const image = readFileSync(iid, 'utf8').trim();
  const tag = `localhost/${facts.name}:${facts.version}`;
  run('buildah', 'push', '--quiet', image, `oci:${layout}:${tag}`);
  run('buildah', 'rmi', image);
  writeFileSync(join(layout, 'manifest.json'), JSON.stringify([dockerManifest(layout, tag)]));
  const tar = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    '--format=gnu',
  ];
  run('tar', ...tar, `--mtime=@${time}`, '-cf', file, '-C', layout, ...readdirSync(layout).sort());
}

/** How `docker save` names the parts of an image. */
function dockerManifest(layout: string, tag: string) {
  const blob = ({ digest }: { digest: string }) => `blobs/${digest.replace(':', '/')}`;
  const read = (path: string) => JSON.parse(readFileSync(join(layout, path), 'utf8'));
  const { config, layers } = read(blob(read('index.json').manifests[0]));
  return { Config: blob(config), RepoTags: [tag], Layers: layers.map(blob) };
}

const BASE = /^ARG NODE_IMAGE=(\S+)$/m;
/** @throws Refusal for other options */
function parseOptions() {
  try {
    const options = {
      'without-image': { type: 'boolean', default: false },
      base: { type: 'string' },
    } as const;
    return parseArgs({ options }).values;
  } catch {
    throw new Refusal(
      'Usage: npm run release, or npm run release -- [--without-image] [--base image@sha256:…]. docs/releases.md says more.',
    );
  }
}

/** @throws Refusal when no image can be built, or not the same one again */
function readBase(chosen: string | undefined): string {
  if (spawnSync('buildah', ['--version']).error !== undefined)
    throw new Refusal(
      'buildah, which builds the image, isn’t installed. Install it, or leave the image out: npm run release -- --without-image',
    );
  const base = chosen ?? BASE.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '';
  if (!/@sha256:[0-9a-f]{64}$/.test(base))
    throw new Refusal(`The base image “${base}” has no digest. Name it as image@sha256:….`);
  try {
    run('buildah', 'pull', '--quiet', '--policy=missing', base);
  } catch (error) {
    throw new Refusal(
      `The base image can’t be pulled. Name a copy that this machine reaches, --base mirror.example.com/node@sha256:…, or leave the image out: npm run release -- --without-image\n${(error as Error).message}`,
    );
  }
  return base;
}

async function release(): Promise<void> {
  const options = parseOptions();
  const commit = readCommit();
  const base = options['without-image'] ? undefined : readBase(options.base);
  const facts = readJson('package.json');
  const packages = await bundleBot();
  checkInstalled(packages);
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(STAGE, { recursive: true });
  const name = `${facts.name}-${facts.version}`;
  writeSbom(join(ROOT, 'dist', 'sbom.cdx.json'), packages, commit, facts);
  stage(facts);
  pack();
  cpSync(join(STAGE, 'dist', 'sbom.cdx.json'), join(OUTPUT, `${name}.cdx.json`));
  if (base !== undefined) writeImage(join(OUTPUT, `${name}-image.tar`), base, commit, facts);
  rmSync(STAGES, { recursive: true });
  const files = readdirSync(OUTPUT).sort();
  const sums = files.map((file) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(OUTPUT, file)))
      .digest('hex');
    return `${digest}  ${file}\n`;
  });
  writeFileSync(join(OUTPUT, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(
    `Tally ${facts.version} from commit ${commit.id}, in ${relative(ROOT, OUTPUT)}/:\n${sums.join('')}`,
  );
}

await release().catch((error: unknown) => {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
