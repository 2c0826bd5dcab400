/** What `npm run release` makes of the files as they are, committed in two folders of their own. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../sandbox/bot-process.ts';
import { ROOT, SANDBOX_FOLDER } from '../sandbox/build.ts';
import { slackEnvironment, startTestSlack } from './support/bot.ts';
import { createImageStorage, hasBuildah, NO_BUILDAH } from './support/image-storage.ts';
import { testRedis } from './support/redis.ts';
import { waitUntil } from './support/wait-until.ts';

const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const TGZ = `tally-${version}.tgz`;
const SBOM = `tally-${version}.cdx.json`;
const IMAGE = `tally-${version}-image.tar`;

interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}
const run = (command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
  });

/** The files as they are, committed at one and the same time, and the packages of this machine. */
async function checkout(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const files = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((it) => it !== '' && existsSync(join(ROOT, it))))
    cpSync(join(ROOT, file), join(folder, file));
  execFileSync('cp', ['-al', join(ROOT, 'node_modules'), join(folder, 'node_modules')]);
  const who = { name: 'A test', email: 'test@example.com', date: '2026-11-23T12:00:00Z' };
  const env = {
    ...process.env,
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) =>
        Object.entries(who).map(([key, value]) => [`GIT_${role}_${key.toUpperCase()}`, value]),
      ),
    ),
  };
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'All'],
  ])
    execFileSync('git', args, { cwd: folder, env });
}

const FOLDERS = ['release-a', 'release-b'].map((name) => join(SANDBOX_FOLDER, name)) as [string, string];
const OUTPUT = join(FOLDERS[0], 'release');
let storage: Awaited<ReturnType<typeof createImageStorage>> | undefined;
let printed: Ran[];
/** The release file, unpacked. */
let unpacked: string;

/** The second one is made as on a careful machine, where nobody else may read new files. */
const release = (folder: string, ...options: string[]) => {
  const umask = folder === FOLDERS[0] ? '022' : '077';
  const line = `umask ${umask}; exec npm run --silent release -- "$@"`;
  return run('sh', ['-c', line, 'sh', ...options], folder, storage?.env ?? process.env);
};

beforeAll(async () => {
  storage = hasBuildah ? await createImageStorage() : undefined;
  const option = storage === undefined ? '--without-image' : `--base=${await storage.makeBase()}`;
  printed = [];
  for (const folder of FOLDERS) {
    await checkout(folder);
    printed.push(await release(folder, option));
  }
  unpacked = await mkdtemp(join(tmpdir(), 'tally-unpacked-'));
  await promisify(execFile)('tar', ['-xzf', join(OUTPUT, TGZ), '-C', unpacked, '--strip-components=1']);
}, 300_000);
afterAll(async () => {
  await storage?.remove();
  for (const folder of [...FOLDERS, unpacked]) await rm(folder, { recursive: true, force: true });
}, 60_000);

describe('a release', () => {
  it('names its commit and its files', async () => {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: FOLDERS[0], encoding: 'utf8' }).trim();
    expect(printed[0]).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Tally ${version} from commit ${commit}`),
    });
    const files = ['SHA256SUMS', ...(hasBuildah ? [IMAGE] : []), SBOM, TGZ];
    expect((await readdir(OUTPUT)).sort()).toEqual(files);
  });

  it('has the same bytes when it is made in another folder and with another umask, and the sums that sha256sum checks', async () => {
    const [one, other] = await Promise.all(
      FOLDERS.map((folder) => readFile(join(folder, 'release', 'SHA256SUMS'), 'utf8')),
    );
    expect(other).toBe(one);
    const { code } = await run('sha256sum', ['-c', 'SHA256SUMS'], OUTPUT, process.env);
    expect(code).toBe(0);
  });

  it('is not made of files that differ from the commit', async () => {
    await writeFile(join(FOLDERS[1], 'src', 'more.ts'), '');
    const { code, errors } = await release(FOLDERS[1], '--without-image');
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^A release is made from a commit, and these files differ from it:\n\?\? src\/more\.ts\n/m,
    );
    await rm(join(FOLDERS[1], 'src', 'more.ts'));
  });

  it('is not made without buildah, nor of a base without a digest, unless the image is left out', async () => {
    const env = { ...process.env, PATH: await pathWithout('buildah') };
    const args = ['--import', 'tsx', 'release.ts'];
    const without = await run(process.execPath, args, FOLDERS[1], env);
    expect([without.code, without.errors]).toEqual([
      1,
      expect.stringContaining('buildah, which builds the image, isn’t installed'),
    ]);
    if (!hasBuildah) return;
    const loose = await release(FOLDERS[1], '--base=node:24-slim');
    expect([loose.code, loose.errors]).toEqual([1, expect.stringContaining('“node:24-slim” has no digest')]);
  });

  it('stays as it is when the base can’t be pulled, and the refusal says what to do', async ({ skip }) => {
    skip(!hasBuildah, NO_BUILDAH);
    const base = `127.0.0.1:${await freePort()}/node@sha256:${'0'.repeat(64)}`;
    const { code, errors } = await release(FOLDERS[0], `--base=${base}`);
    expect([code, errors]).toEqual([
      1,
      expect.stringMatching(/^The base image can’t be pulled\. .*--without-image\n/),
    ]);
    expect(await readdir(OUTPUT)).toContain(IMAGE);
  });
});

/** A PATH with git and npm, and nothing else of the system. */
async function pathWithout(command: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `tally-without-${command}-`));
  for (const name of ['git', 'npm'])
    execFileSync('/bin/sh', ['-c', `ln -s "$(command -v ${name})" ${folder}/${name}`]);
  return `${folder}:${dirname(process.execPath)}`
    .split(':')
    .filter((it) => !existsSync(join(it, command)))
    .join(':');
}

describe('the release file', () => {
  it('needs no other package, and no script runs when it is installed', async () => {
    const { dependencies, devDependencies, scripts, bin, engines } = JSON.parse(
      await readFile(join(unpacked, 'package.json'), 'utf8'),
    );
    expect({ dependencies, devDependencies, scripts, bin, engines }).toEqual({
      bin: { tally: 'dist/tally-with-env-file.js' },
      engines: { node: '>=20.19' },
    });
  });

  it('has the documents, none of the sources or pictures, and no path of the machine', async () => {
    const files = await readdir(unpacked, { recursive: true });
    expect(files).toEqual(
      expect.arrayContaining([
        ...[
          'README.md',
          'CHANGELOG.md',
          'LICENSE',
          'manifest.json',
          '.env.example',
          'compose.yaml',
          'docs/releases.md',
        ],
        ...['dist/tally.js', 'dist/LICENSES.txt', 'dist/sbom.cdx.json', 'deploy/prometheus/tally.rules.yaml'],
      ]),
    );
    expect(await readFile(join(unpacked, 'compose.yaml'), 'utf8')).not.toContain('build');
    expect(files.filter((file) => /\.(ts|png)$|node_modules|compile-cache|\.env$/.test(file))).toEqual([]);
    const { stdout } = await promisify(execFile)('grep', ['-rlF', ROOT, unpacked]).catch(({ stdout }) => ({
      stdout,
    }));
    expect(stdout).toBe('');
  });

  it('has no link that leads nowhere', async () => {
    const pages = (await readdir(unpacked, { recursive: true })).filter((file) => file.endsWith('.md'));
    const broken = await Promise.all(
      pages.map(async (page) => {
        const links = (await readFile(join(unpacked, page), 'utf8'))
          .replace(/^ *```.*?^ *```/gms, '')
          .replace(/`[^`\n]*`/g, '``')
          .matchAll(/\]\((?!\w+:|#)([^)#\s]+)|<img[^>]*src="([^"]+)"/g);
        return [...links]
          .map(([, link, picture]) => link ?? picture ?? '')
          .filter((path) => !existsSync(join(unpacked, normalize(join(dirname(page), path)))))
          .map((path) => `${page}: ${path}`);
      }),
    );
    expect(broken.flat()).toEqual([]);
  });

  it('names each package whose code it has, with its terms, and none that the bundle leaves out', async () => {
    const texts = (await readFile(join(unpacked, 'dist', 'LICENSES.txt'), 'utf8')).split(
      `\n\n${'-'.repeat(80)}\n\n`,
    );
    const licensed = texts.map((text) => /^(\S+) (\S+) \(/.exec(text)?.slice(1).join('@'));
    expect(texts.filter((text) => text.length < 300)).toEqual([]);
    const names = licensed.map((name = '') => name.replace(/@[^@]*$/, ''));
    expect(names).toEqual(
      expect.arrayContaining([
        '@slack/bolt',
        'bullmq',
        'ioredis',
        'pino',
        'undici',
        'zod',
        '@opentelemetry/api',
      ]),
    );
    for (const name of ['express', 'esbuild', 'supports-color', 'cron-parser'])
      expect(names).not.toContain(name);

    const bom = JSON.parse(await readFile(join(OUTPUT, SBOM), 'utf8'));
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      metadata: { timestamp: '2026-11-23T12:00:00.000Z', component: { name: 'tally', version } },
    });
    const refs = bom.components.map((it: { 'bom-ref': string }) => it['bom-ref']);
    expect([...refs].sort()).toEqual([...licensed].sort());
    for (const component of bom.components)
      expect(component).toMatchObject({
        purl: expect.stringMatching(/^pkg:npm\//),
        hashes: [{ alg: 'SHA-512' }],
        licenses: [expect.anything()],
      });
    const known = new Set([bom.metadata.component['bom-ref'], ...refs]);
    for (const { ref, dependsOn } of bom.dependencies)
      expect([ref, ...dependsOn].filter((it) => !known.has(it))).toEqual([]);
  });

  it('runs by npx in an empty folder, without a network and with the .env of the folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tally-npx-'));
    const home = join(folder, 'home');
    await mkdir(home);
    cpSync(join(OUTPUT, TGZ), join(folder, TGZ));
    const env = { PATH: process.env.PATH, HOME: home, npm_config_offline: 'true' };
    const npx = (...args: string[]) => run('npx', ['--yes', `./${TGZ}`, ...args], folder, env);
    expect(await npx('--version')).toMatchObject({ code: 0, output: `${version}\n` });
    expect(await npx('doctor')).toMatchObject({
      code: 78,
      output: expect.stringContaining('4 problems to fix.'),
    });

    const redis = await testRedis();
    const slack = await startTestSlack('http', () => '');
    const port = await freePort();
    const settings = {
      ...slackEnvironment('http', slack),
      PORT: String(port),
      REDIS_URL: redis.url,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
    await writeFile(join(folder, '.env'), lines.join(''));
    const child = spawn('npx', ['--yes', `./${TGZ}`, 'start'], {
      cwd: folder,
      env,
      stdio: 'ignore',
      detached: true,
    });
    try {
      await waitUntil(
        () =>
          fetch(`http://127.0.0.1:${port}/healthz`).then(
            async (response) => ((await response.json()) as { version?: string }).version === version,
            () => false,
          ),
        30_000,
      );
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await slack.close();
      await redis.close();
      await rm(folder, { recursive: true, force: true });
    }
  }, 90_000);

  it('installs as one package, whose tally ends by itself on SIGTERM', async () => {
    const prefix = await mkdtemp(join(tmpdir(), 'tally-global-'));
    const env = { PATH: process.env.PATH, HOME: prefix, npm_config_offline: 'true' };
    const tgz = join(OUTPUT, TGZ);
    const { output } = await run('npm', ['install', '--global', `--prefix=${prefix}`, tgz], prefix, env);
    expect(output).toContain('added 1 package');
    const redis = await testRedis();
    const slack = await startTestSlack('http', () => '');
    const settings = {
      ...slackEnvironment('http', slack),
      PORT: String(await freePort()),
      REDIS_URL: redis.url,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    };
    const child = spawn(join(prefix, 'bin', 'tally'), ['start'], {
      cwd: prefix,
      env: { ...env, ...settings },
    });
    const ended = once(child, 'exit');
    let log = '';
    child.stdout.on('data', (chunk) => {
      log += chunk;
    });
    await waitUntil(() => log.includes('Tally listens'), 30_000);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await slack.close();
    await redis.close();
    await rm(prefix, { recursive: true, force: true });
  }, 60_000);
});

describe('the image of a release', () => {
  const tag = `localhost/tally:${version}`;

  it('is an OCI layout that Docker reads too, and says what it is', async ({ skip }) => {
    skip(storage === undefined, NO_BUILDAH);
    const layout = await mkdtemp(join(tmpdir(), 'tally-layout-'));
    await promisify(execFile)('tar', ['-xf', join(OUTPUT, IMAGE), '-C', layout]);
    const read = async (path: string) => JSON.parse(await readFile(join(layout, path), 'utf8'));
    expect(await read('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    const [{ digest, annotations }] = (await read('index.json')).manifests;
    expect(annotations).toEqual({ 'org.opencontainers.image.ref.name': tag });
    const { config, layers } = await read(`blobs/${digest.replace(':', '/')}`);
    const [docker] = await read('manifest.json');
    expect(docker.RepoTags).toEqual([tag]);
    expect([docker.Config, docker.Layers.length]).toEqual([
      `blobs/${config.digest.replace(':', '/')}`,
      layers.length,
    ]);
    for (const path of [docker.Config, ...docker.Layers])
      expect(existsSync(join(layout, path)), path).toBe(true);
    const image = await read(docker.Config);
    expect(image).toMatchObject({
      created: '2026-11-23T12:00:00Z',
      config: { User: '1000', Cmd: ['tally', 'start'] },
    });
    expect(image.config.Labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/),
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.created': '2026-11-23T12:00:00.000Z',
      'org.opencontainers.image.base.name': 'docker.io/library/node',
      'org.opencontainers.image.base.digest': expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    await rm(layout, { recursive: true });
  });

  it('has the files of the release file', async ({ skip }) => {
    if (storage === undefined) return skip(NO_BUILDAH);
    const { buildah } = storage;
    const container = await buildah('from', '--pull=never', `oci-archive:${join(OUTPUT, IMAGE)}`);
    const inside = (...command: string[]) => buildah('run', container, '--', ...command);
    expect(await inside('tally', '--version')).toBe(version);
    const files = await inside('find', '/tally', '-type', 'f', '-not', '-path', '*/compile-cache/*');
    const dist = (await readdir(join(unpacked, 'dist'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).replace(unpacked, '/tally'));
    expect(files.split('\n').sort()).toEqual([...dist, '/tally/LICENSE', '/tally/package.json'].sort());
  });
});
