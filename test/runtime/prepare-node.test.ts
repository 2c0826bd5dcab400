import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../sandbox/build.ts';

const run = promisify(execFile);
const PREPARE = pathToFileURL(join(ROOT, 'src', 'runtime', 'prepare-node.ts')).href;
const UNDICI = pathToFileURL(join(ROOT, 'node_modules', 'undici', 'index.js')).href;
const SOURCE = `
  import undici from '${UNDICI}';
  export const own = () => new Error('a mistake of ours');
  export const idle = () => new undici.errors.InformationalError('socket idle timeout');
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tally-stack-'));
  await writeFile(join(folder, 'original.ts'), SOURCE);
  await build({
    entryPoints: [join(folder, 'original.ts')],
    outfile: join(folder, 'bundle.mjs'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    sourcemap: true,
    external: [UNDICI],
  });
});
afterAll(() => rm(folder, { recursive: true }));

async function stackOf(error: 'own' | 'idle', file = 'bundle.mjs'): Promise<string> {
  const bundle = pathToFileURL(join(folder, file)).href;
  const code = `
    const { prepareNode } = await import('${PREPARE}');
    prepareNode();
    const errors = await import('${bundle}');
    console.log(errors.${error}().stack);
  `;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
  return (await run(process.execPath, args, { cwd: ROOT })).stdout;
}

describe('a stack trace out of the bundle', () => {
  it('names the line of src', async () => {
    expect(await stackOf('own')).toMatch(/^Error: a mistake of ours\n.*original\.ts:3:\d+/);
  });

  it('stays as it is where a map names no source, as for parts of packages that bring a map of their own', async () => {
    await copyFile(join(folder, 'bundle.mjs'), join(folder, 'unnamed.mjs'));
    const map = { version: 3, sources: ['original.ts'], names: [], mappings: 'A;' };
    await writeFile(join(folder, 'unnamed.mjs.map'), JSON.stringify(map));
    expect(await stackOf('own', 'unnamed.mjs')).toMatch(/^Error: a mistake of ours\n.*unnamed\.mjs:\d+:\d+/);
  });

  it('reads no map for an error of undici, whose stack Node asks for whenever a connection ends', async () => {
    expect(await stackOf('idle')).toMatch(/^InformationalError: socket idle timeout\n.*bundle\.mjs:\d+:\d+/);
  });
});
