/**
 * buildah with a storage of its own, which goes with the test. A registry is not asked: in the place of the base image comes
 * one from this machine's own Node, npm and a handful of its commands.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../sandbox/build.ts';

const run = promisify(execFile);
const pathOf = (command: string) =>
  run('which', [command]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
export const hasBuildah = process.getuid?.() === 0 && (await pathOf('buildah')) !== undefined;
export const NO_BUILDAH = 'the image is built with buildah, as root';

const COMMANDS = ['sh', 'env', 'sleep', 'rm', 'ln', 'mkdir', 'chown', 'chmod', 'cat', 'id', 'find', 'touch'];
const BASE = 'docker.io/library/node';

export async function createImageStorage() {
  const scratch = await mkdtemp(join(tmpdir(), 'tally-image-'));
  const settings = join(scratch, 'storage.conf');
  const storage = `[storage]\ndriver = "vfs"\nrunroot = "${scratch}/run"\ngraphroot = "${scratch}/store"\n`;
  await writeFile(settings, storage);
  /** For buildah and what runs it. */
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot', CONTAINERS_STORAGE_CONF: settings };
  const buildah = (...args: string[]): Promise<string> =>
    run('buildah', args, { cwd: ROOT, maxBuffer: 2 ** 26, env }).then(({ stdout }) => stdout.trim());

  return {
    scratch,
    env,
    buildah,
    /** @returns its name, with its digest */
    async makeBase(): Promise<string> {
      const root = join(scratch, 'root');
      await copyProgram(root, process.execPath, '/usr/local/bin/node');
      for (const name of COMMANDS) {
        const path = await pathOf(name);
        if (path !== undefined) await copyProgram(root, path, `/usr/bin/${name}`);
      }
      await symlink('usr/bin', join(root, 'bin'));
      const npm = dirname(dirname(await realpath((await pathOf('npm')) ?? '')));
      await cp(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
      await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
      await mkdir(join(root, 'etc'), { recursive: true });
      await writeFile(
        join(root, 'etc/passwd'),
        'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n',
      );
      await writeFile(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
      await mkdir(join(root, 'tmp'), { mode: 0o1777 });
      const container = await buildah('from', 'scratch');
      await buildah('copy', '--quiet', container, root, '/');
      await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin', container);
      await buildah('commit', '--quiet', '--rm', container, BASE);
      const { FromImageDigest } = JSON.parse(await buildah('inspect', '--type', 'image', BASE));
      return `${BASE}@${FromImageDigest}`;
    },
    async remove(): Promise<void> {
      await buildah('rm', '--all').catch(() => undefined);
      await buildah('rmi', '--all', '--force').catch(() => undefined);
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** With the libraries that it is linked with. */
async function copyProgram(root: string, path: string, to: string): Promise<void> {
  const { stdout } = await run('ldd', [path]).catch(() => ({ stdout: '' }));
  const libraries = [...stdout.matchAll(/(\/\S+)/g)].map(([, library = '']) => library);
  for (const [from, target] of [[path, to], ...libraries.map((one) => [one, one] as const)] as const) {
    await mkdir(join(root, dirname(target)), { recursive: true });
    await cp(await realpath(from), join(root, target));
  }
}
