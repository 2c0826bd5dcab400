/**
 * The image as the Dockerfile makes it. A registry is not asked: in the place of the base image comes one from this machine's
 * own Node, npm and a handful of its commands.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../sandbox/build.ts';

const run = promisify(execFile);
const has = (command: string) =>
  run('which', [command]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
const buildah = process.getuid?.() === 0 ? await has('buildah') : undefined;
const NO_BUILDAH = 'the image is built with buildah, as root';
const COMMANDS = ['sh', 'env', 'sleep', 'rm', 'ln', 'cat', 'id', 'find', 'touch'];
const BASE = 'docker.io/library/node:24-slim';
const IMAGE = 'localhost/tally:test';

let scratch: string;
const asked = (...args: string[]) =>
  run('buildah', args, {
    cwd: ROOT,
    maxBuffer: 2 ** 26,
    env: {
      ...process.env,
      STORAGE_DRIVER: 'vfs',
      BUILDAH_ISOLATION: 'chroot',
      CONTAINERS_STORAGE_CONF: join(scratch, 'storage.conf'),
    },
  }).then(({ stdout }) => stdout.trim());

/** With the libraries that it is linked with. */
async function copyProgram(root: string, path: string, to: string): Promise<void> {
  const { stdout } = await run('ldd', [path]).catch(() => ({ stdout: '' }));
  const libraries = [...stdout.matchAll(/(\/\S+)/g)].map(([, library = '']) => library);
  for (const [from, target] of [[path, to], ...libraries.map((one) => [one, one] as const)] as const) {
    await mkdir(join(root, dirname(target)), { recursive: true });
    await cp(await realpath(from), join(root, target));
  }
}

async function makeBase(): Promise<void> {
  const root = join(scratch, 'root');
  await copyProgram(root, process.execPath, '/usr/local/bin/node');
  for (const name of COMMANDS) {
    const path = await has(name);
    if (path !== undefined) await copyProgram(root, path, `/usr/bin/${name}`);
  }
  await symlink('usr/bin', join(root, 'bin'));
  const npm = dirname(dirname(await realpath((await has('npm')) ?? '')));
  await cp(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  await mkdir(join(root, 'etc'), { recursive: true });
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  await mkdir(join(root, 'tmp'), { mode: 0o1777 });
  const container = await asked('from', 'scratch');
  await asked('copy', '--quiet', container, root, '/');
  await asked('config', '--env', 'PATH=/usr/local/bin:/usr/bin', container);
  await asked('commit', '--quiet', '--rm', container, BASE);
}

describe('the image', () => {
  let container: string;
  const inside = (...command: string[]) =>
    asked('run', '--user', 'node', container, '--', ...command).catch((error: { stdout: string }) =>
      error.stdout.trim(),
    );

  beforeAll(async () => {
    if (buildah === undefined) return;
    scratch = await mkdtemp(join(tmpdir(), 'tally-image-'));
    const storage = `[storage]\ndriver = "vfs"\nrunroot = "${scratch}/run"\ngraphroot = "${scratch}/store"\n`;
    await writeFile(join(scratch, 'storage.conf'), storage);
    await makeBase();
    // The packages come from this machine, where `npm ci` has put them: the image is what is tested, not the network.
    const packages = ['-v', `${join(ROOT, 'node_modules')}:/node_modules:ro`];
    const dockerfile = (await readFile(join(ROOT, 'Dockerfile'), 'utf8')).replace(
      'RUN npm ci',
      'RUN true npm ci',
    );
    await writeFile(join(scratch, 'Dockerfile'), dockerfile);
    await asked(
      'build',
      '--quiet',
      '--pull=never',
      ...packages,
      '-f',
      join(scratch, 'Dockerfile'),
      '-t',
      IMAGE,
      '.',
    );
    container = await asked('from', '--pull=never', IMAGE);
  }, 240_000);
  afterAll(async () => {
    if (buildah === undefined) return;
    await asked('rm', '--all').catch(() => undefined);
    await asked('rmi', '--all', '--force').catch(() => undefined);
    await rm(scratch, { recursive: true, force: true });
  });

  it('runs as somebody who is not root, and starts the bot', async ({ skip }) => {
    skip(buildah === undefined, NO_BUILDAH);
    const { Docker } = JSON.parse(await asked('inspect', '--type', 'image', IMAGE));
    expect(Docker.config).toMatchObject({ User: 'node', Cmd: ['tally', 'start'], WorkingDir: '/tally' });
    expect(await inside('id', '-u')).toBe('1000');
  });

  it('has no package manager, no tests and no sources', async ({ skip }) => {
    skip(buildah === undefined, NO_BUILDAH);
    const files = (await inside('find', '/tally', '/usr/local')).split('\n');
    expect(files).toContain('/tally/dist/tally.js');
    expect(
      files.filter((file) => /\/(npm|npx|corepack|yarn)(\/|$)|\.test\.|\/src\/|node_modules/.test(file)),
    ).toEqual([]);
  });

  it('answers to tally doctor, and writes nothing', async ({ skip }) => {
    skip(buildah === undefined, NO_BUILDAH);
    const before = await inside('find', '/tally', '-newer', '/tally/package.json');
    expect(await inside('tally', 'doctor')).toContain('4 problems to fix.');
    expect(await inside('find', '/tally', '-newer', '/tally/package.json')).toBe(before);
    expect(await inside('sh', '-c', 'touch /tally/dist/x 2>&1 || true')).toMatch(/denied|read-only/i);
  });
});
