/** Compiles the bot without each of its features: only in `npm test -- --all`, because it takes long. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { literalsIn } from '../support/source-literals.ts';
import {
  type Declared,
  declaredBy,
  FEATURES,
  isOf,
  ROOT,
  SOURCES,
  SRC,
  sourceOf,
} from './feature-declarations.ts';

/** The names of a type's fields, which may be those of a button. */
const PICKED = /\b(?:Pick|Omit)<[^>;]*>/g;

/** Whether the code, without comments, still uses something that the feature declared. */
function mentions(source: string, path: string, { commands, actions, fields }: Declared): boolean {
  const isNamed = (text: string): boolean =>
    commands.some((one) => new RegExp(`${one}(?![\\w-])`).test(text)) ||
    actions.some((one) => text === one || text.startsWith(`${one}:`));
  const isField = (name: string): boolean =>
    path === 'features/feature.ts' ||
    (source.includes('): Feature {') && new RegExp(`^ {4}(?:async )?${name}[:(,]`, 'm').test(source));
  return literalsIn(source.replace(PICKED, '')).some(isNamed) || fields.some(isField);
}

/** Returns `app.ts` without a feature's import and the call that creates it. Throws when there is no such call. */
function withoutFeature(app: string, feature: string): string {
  const [line = '', name = ''] =
    new RegExp(`^import \\{ (create\\w+) \\} from './features/${feature}/[\\w-]+\\.ts';\\n`, 'm').exec(app) ??
    [];
  const start = app.indexOf(`    ${name}(`);
  let end = app.indexOf('(', start);
  for (let depth = 0; ; end++) {
    if (app[end] === '(') depth += 1;
    if (app[end] === ')') depth -= 1;
    if (depth === 0) break;
  }
  if (line === '' || start < 0 || app[end + 1] !== ',') throw new Error(`app.ts does not create ${feature}`);
  return (app.slice(0, start) + app.slice(end + 2)).replace(line, '');
}

/** Compiles a project and returns the files with errors, relative to it. */
const compile = (project: string): Promise<readonly string[]> =>
  new Promise((resolve) => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    execFile(
      process.execPath,
      [tsc, '-p', project, '--singleThreaded', '--pretty', 'false'],
      { cwd: project, maxBuffer: 2 ** 24 },
      (_, stdout) =>
        resolve([
          ...new Set([...stdout.matchAll(/^(\S[^(]*)\(\d+,\d+\): error/gm)].map(([, path = '']) => path)),
        ]),
    );
  });

/**
 * Features that are deleted together, so that the compiler checks four copies of the sources instead of one for each
 * feature. Features of a group should not mention each other.
 */
const APART: readonly (readonly string[])[] = [
  ['audit', 'os-token', 'schedules', 'spend'],
  ['balance', 'status'],
  ['connect', 'mentions', 'settings'],
];
/** The last group has all other features. */
const GROUPS = [...APART, FEATURES.filter((feature) => !APART.flat().includes(feature))];

let folder: string;
/** For each group, the files with errors after its features were deleted. */
let errors: readonly (readonly string[])[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tally-features-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const app = await readFile(join(SRC, 'app.ts'), 'utf8');
  for (const [at, group] of GROUPS.entries()) {
    const copy = join(folder, `${at}`);
    const isLeft = (path: string) => !group.some((feature) => path === join(SRC, 'features', feature));
    await cp(SRC, copy, { recursive: true, filter: isLeft });
    await writeFile(join(copy, 'app.ts'), group.reduce(withoutFeature, app));
  }
  const { compilerOptions } = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), '{"type":"module","version":"0"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*/**/*.ts'] }));
  const found = (await compile(folder)).map((path) => path.split('/'));
  errors = GROUPS.map((_, at) =>
    found.filter(([first]) => first === `${at}`).map(([, ...rest]) => rest.join('/')),
  );
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('without a feature', () => {
  it.each(GROUPS.map((group, at) => ({ group, at })))(
    'the compiler names each file that still mentions it: $group',
    ({ group, at }) => {
      const left = SOURCES.filter((path) => !group.some((feature) => isOf(feature, path)));
      const mentioning = group.flatMap((feature) => {
        const declared = declaredBy(feature);
        return left.filter((path) => {
          const source = sourceOf(path);
          return mentions(source, path, declared) || source.includes(`/features/${feature}/`);
        });
      });
      // app.ts may now have unused variables, which the compiler reports too.
      const expected = [...new Set([...mentioning, 'app.ts'])].sort();
      expect([...new Set([...(errors[at] ?? []), 'app.ts'])].sort()).toEqual(expected);
    },
  );
});
