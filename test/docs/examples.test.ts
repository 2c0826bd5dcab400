import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { expect, it } from 'vitest';
import { blocksIn } from './pages.ts';

it('the TypeScript examples in the documentation compile in the folder of a feature', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tally-examples-'));
  try {
    await symlink(resolvePath('node_modules'), join(folder, 'node_modules'));
    for (const [at, block] of blocksIn('ts').entries()) {
      const feature = join(folder, 'src/features', `example-${at}`);
      await mkdir(feature, { recursive: true });
      // `declare module` alone doesn't load the module.
      const loaded = block.replaceAll(/declare module ('[^']+')/g, 'import type {} from $1; $&');
      await writeFile(join(feature, 'index.ts'), loaded);
    }
    // Relative imports resolve as if the examples were in src/features.
    const compilerOptions = {
      rootDirs: [process.cwd(), '.'],
      noUnusedLocals: false,
      incremental: false,
      tsBuildInfoFile: null,
    };
    // Loads all features, because they extend the type `Feature`.
    const include = ['src', resolvePath('src/app.ts')];
    const config = { extends: resolvePath('tsconfig.json'), compilerOptions, include, exclude: [] };
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync('node_modules/.bin/tsc', ['-p', folder], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line.includes('/example-'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);
