/** The image as the Dockerfile makes it. */
import { readFile, writeFile } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../sandbox/build.ts';
import { createImageStorage, hasBuildah, NO_BUILDAH } from './support/image-storage.ts';

const IMAGE = 'localhost/tally:test';

describe('the image', () => {
  let storage: Awaited<ReturnType<typeof createImageStorage>>;
  let container: string;
  const inside = (...command: string[]) =>
    storage
      .buildah('run', '--user', 'node', container, '--', ...command)
      .catch((error: { stdout: string }) => error.stdout.trim());

  beforeAll(async () => {
    if (!hasBuildah) return;
    storage = await createImageStorage();
    const base = await storage.makeBase();
    // The packages come from this machine, where `npm ci` has put them: the image is what is tested, not the network.
    const packages = ['-v', `${join(ROOT, 'node_modules')}:/node_modules:ro`];
    const text = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
    const dockerfile = join(storage.scratch, 'Dockerfile');
    await writeFile(dockerfile, text.replace('RUN npm ci', 'RUN true npm ci'));
    const options = ['--quiet', '--pull=never', `--build-arg=NODE_IMAGE=${base}`, ...packages];
    await storage.buildah('build', ...options, '-f', dockerfile, '-t', IMAGE, '.');
    container = await storage.buildah('from', '--pull=never', IMAGE);
  }, 240_000);
  afterAll(() => storage?.remove());

  it('runs as somebody who is not root, and starts the bot', async ({ skip }) => {
    skip(!hasBuildah, NO_BUILDAH);
    const { Docker } = JSON.parse(await storage.buildah('inspect', '--type', 'image', IMAGE));
    expect(Docker.config).toMatchObject({ User: '1000', Cmd: ['tally', 'start'], WorkingDir: '/tally' });
    expect(await inside('id', '-u')).toBe('1000');
  });

  it('has no package manager, no tests and no sources', async ({ skip }) => {
    skip(!hasBuildah, NO_BUILDAH);
    const files = (await inside('find', '/tally', '/usr/local')).split('\n');
    expect(files).toContain('/tally/dist/tally.js');
    expect(
      files.filter((file) => /\/(npm|npx|corepack|yarn)(\/|$)|\.test\.|\/src\/|node_modules/.test(file)),
    ).toEqual([]);
  });

  it('answers to tally doctor, and writes nothing', async ({ skip }) => {
    skip(!hasBuildah, NO_BUILDAH);
    const before = await inside('find', '/tally', '-newer', '/tally/package.json');
    expect(await inside('tally', 'doctor')).toContain('4 problems to fix.');
    expect(await inside('find', '/tally', '-newer', '/tally/package.json')).toBe(before);
    expect(await inside('sh', '-c', 'touch /tally/dist/x 2>&1 || true')).toMatch(/denied|read-only/i);
  });

  it('starts with what Node compiled when the image was built', async ({ skip }) => {
    skip(!hasBuildah, NO_BUILDAH);
    skip(!('enableCompileCache' in module), 'this Node keeps nothing');
    const output = await inside('sh', '-c', 'NODE_DEBUG_NATIVE=COMPILE_CACHE tally start 2>&1');
    expect(output).toMatch(/chunks\/main-\w+\.js was accepted/);
  });

  it('has the terms of everything in it', async ({ skip }) => {
    skip(!hasBuildah, NO_BUILDAH);
    expect(await inside('cat', '/tally/LICENSE')).toContain('MIT License');
    expect(await inside('cat', '/tally/dist/LICENSES.txt')).toContain('ioredis 6');
  });
});
