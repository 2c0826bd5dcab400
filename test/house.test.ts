/** What the linter can't say; who may import whom is in biome.json. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, code: readFileSync(`src/${path}`, 'utf8').replace(/^ *(?:\/\/|\/?\*).*$/gm, '') }));
const where = (word: RegExp, isAllowed: (path: string) => boolean): readonly string[] =>
  SOURCES.filter(({ path, code }) => word.test(code) && !isAllowed(path)).map(({ path }) => path);

it('no code in src/domain or src/slack/block-kit reads the clock or random numbers', () => {
  const isImpure = (path: string) => !/^(?:domain|slack\/block-kit)\//.test(path);
  expect(where(/\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b/, isImpure)).toEqual([]);
});

it('only src/redis/connect.ts opens connections to Redis', () => {
  expect(where(/\bnew (?:Redis|Cluster)\(/, (path) => path === 'redis/connect.ts')).toEqual([]);
});

it('a name is exported from only one file, so that it has one meaning', () => {
  const names = SOURCES.flatMap(({ code }) => [
    ...new Set(code.match(/(?<=^export (?:async )?(?:function|const|class|interface|type) )\w+/gm)),
  ]);
  expect(names.length).toBeGreaterThan(500);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
