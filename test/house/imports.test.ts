import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findForbiddenImports } from './import-rules.ts';
import { findReservedWords, type Source } from './reserved-words.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const EXPORTS = /^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm;

describe('the rooms', () => {
  it('import downward only and without circles, types included', () => {
    const sources = ['src', 'sandbox'].flatMap(sourcesOf);
    expect(sources.length).toBeGreaterThan(300);
    expect(findForbiddenImports(sources)).toEqual([]);
  });

  it('use reserved words only where they are allowed', () => {
    const sources = ['src', 'sandbox'].flatMap(sourcesOf);
    expect(sources.length).toBeGreaterThan(200);
    expect(sources.flatMap(findReservedWords)).toEqual([]);
  });

  it('export each name from one file only, so that a name means one thing', () => {
    const files = new Map<string, Set<string>>();
    for (const { path, text } of sourcesOf('src'))
      for (const [, name = ''] of text.matchAll(EXPORTS))
        files.set(name, (files.get(name) ?? new Set()).add(path));
    expect(files.size).toBeGreaterThan(700);
    expect([...files].filter(([, paths]) => paths.size > 1).map(([name]) => name)).toEqual([]);
  });

  it('have no folder with more than sixteen files of its own', () => {
    const files = new Map<string, number>();
    for (const { path } of sourcesOf('src')) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
    expect(files.size).toBeGreaterThan(30);
    expect([...files].filter(([, count]) => count > 16)).toEqual([]);
  });

  it('create each feature on one line of app.ts, so that deleting the line removes it', () => {
    const folders = readdirSync(`${ROOT}src/features`, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const app = readFileSync(`${ROOT}src/app.ts`, 'utf8');
    const imported = [...app.matchAll(/import \{ (\w+) \} from '\.\/features\/([\w-]+)\//g)];
    expect(imported.map(([, , folder]) => folder).sort()).toEqual(folders.map(({ name }) => name).sort());
    for (const [, create] of imported) expect(app.split(`    ${create}(`), create).toHaveLength(2);
  });
});

function sourcesOf(folder: string): Source[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }));
}

describe('the import rules', () => {
  /** Returns the rules that a tree with these files breaks. */
  const brokenRules = (files: Readonly<Record<string, string>>): readonly string[] =>
    findForbiddenImports(Object.entries(files).map(([path, text]) => ({ path, text }))).map(
      (sentence) => sentence.split(':')[0] ?? '',
    );

  it.each([
    [
      'domain-imports-downward',
      'src/domain/money/amount.ts',
      `import { connectRedis } from '../../redis/connect.ts';`,
    ],
    ['domain-stays-pure', 'src/domain/money/amount.ts', `import { randomBytes } from 'node:crypto';`],
    ['domain-stays-pure', 'src/domain/money/amount.ts', `import type { Redis } from 'ioredis';`],
    ['domain-stays-pure', 'src/domain/money/amount.ts', `import 'undici';`],
    [
      'vault-imports-downward',
      'src/vault/keyring.ts',
      `import { createGuardedHttp } from '../http/request.ts';`,
    ],
    [
      'http-imports-downward',
      'src/http/exchange.ts',
      `import type { Connection } from '../workspace/settings.ts';`,
    ],
    ['billing-imports-downward', 'src/billing/client.ts', `import { read } from '../workspace/settings.ts';`],
    ['identity-imports-downward', 'src/identity/client.ts', `import { read } from '../billing/client.ts';`],
    [
      'workspace-imports-downward',
      'src/workspace/settings.ts',
      `import { createGuardedHttp } from '../http/request.ts';`,
    ],
    [
      'workspace-imports-downward',
      'src/workspace/settings.ts',
      `import type { Request } from '../slack/web-client.ts';`,
    ],
    ['kit-imports-downward', 'src/slack/kit/blocks.ts', `import type { Request } from '../web-client.ts';`],
    ['kit-stays-pure', 'src/slack/kit/blocks.ts', `import { App } from '@slack/bolt';`],
    [
      'slack-imports-downward',
      'src/slack/web-client.ts',
      `import { createSpendFeature } from '../features/spend/index.ts';`,
    ],
    [
      'slack-imports-downward',
      'src/slack/web-client.ts',
      `import type { Post } from '../delivery/workspace-runner.ts';`,
    ],
    [
      'delivery-imports-downward',
      'src/delivery/posts/posts-job.ts',
      `import { row } from '../../features/schedules/blocks.ts';`,
    ],
    [
      'feature-imports-downward',
      'src/features/spend/index.ts',
      `import { render } from '../balance/blocks.ts';`,
    ],
    [
      'feature-imports-downward',
      'src/features/spend/index.ts',
      `import type { View } from '../balance/blocks.ts';`,
    ],
    ['feature-imports-downward', 'src/features/spend/index.ts', `export * from '../balance/blocks.ts';`],
    [
      'feature-imports-downward',
      'src/features/spend/index.ts',
      `const blocks = await import('../balance/blocks.ts');`,
    ],
    [
      'feature-imports-downward',
      'src/features/spend/index.ts',
      `import {\n  a,\n  b,\n} from '../../app.ts';`,
    ],
    [
      'contract-imports-downward',
      'src/features/feature.ts',
      `import { createSpendFeature } from './spend/index.ts';`,
    ],
    ['bot-apart-from-sandbox', 'src/app.ts', `import { startRedis } from '../sandbox/redis.ts';`],
    ['sandbox-apart-from-bot', 'sandbox/main.ts', `import { createTally } from '../src/app.ts';`],
    [
      'sandbox-apart-from-bot',
      'sandbox/page/dates.ts',
      `import type { Day } from '../../src/domain/time/calendar.ts';`,
    ],
    [
      'sandbox-apart-from-bot',
      'sandbox/page/main.tsx',
      `import type { Amount } from '../../src/domain/money/amount.ts';\nexport const a = <b />;`,
    ],
    ['domain-stays-pure', 'src/domain/money/amount.ts', `type Redis = import('ioredis').Redis;`],
  ])('%s: %s, %s', (rule, path, text) => {
    expect(brokenRules({ [path]: text })).toContain(rule);
  });

  it.each([
    ['bullmq', 'src/workspace/settings.ts'],
    ['undici', 'src/billing/client.ts'],
    ['prom-client', 'src/slack/web-client.ts'],
    ['big.js', 'src/features/spend/blocks.ts'],
    ['ioredis', 'src/billing/client.ts'],
    ['@slack/bolt', 'src/workspace/settings.ts'],
    ['@slack/web-api', 'src/features/spend/index.ts'],
  ])('keep %s out of %s', (name, path) => {
    const [rule] = brokenRules({ [path]: `import { something } from '${name}';` });
    expect(rule).toMatch(/^keeps-/);
  });

  it('find a circle of types', () => {
    const files = {
      'src/workspace/a.ts': `import type { B } from './b.ts';\nexport interface A { b: B }`,
      'src/workspace/b.ts': `import type { A } from './a.ts';\nexport interface B { a: A }`,
    };
    expect(brokenRules(files)).toEqual(['no-circles']);
  });

  it('allow what the rooms are for', () => {
    const files = {
      'src/main.ts': `import { createTally } from './app.ts';`,
      'src/app.ts': `import './redis/connect.ts';\nimport './features/spend/index.ts';\nexport const createTally = 1;`,
      'src/redis/connect.ts': `import { Redis } from 'ioredis';\nimport '../domain/time/calendar.ts';`,
      'src/domain/time/calendar.ts': `import { UTCDate } from '@date-fns/utc';\nimport { addDays } from 'date-fns/addDays';`,
      'src/delivery/wakeup/scheduler.ts': `import { Queue } from 'bullmq';`,
      'src/slack/kit/blocks.ts': `import type { ModalView } from '@slack/types';\nimport '../../domain/time/calendar.ts';`,
      'src/slack/server/slack-server.ts': `import { App } from '@slack/bolt';\nimport '../kit/blocks.ts';`,
      'src/features/feature.ts': `import type { Installations } from '../slack/installations.ts';`,
      'src/features/spend/blocks.ts': 'export const blocks = 1;',
      'src/features/spend/index.ts': `import type { Feature } from '../feature.ts';\nimport './blocks.ts';\nimport '../../delivery/workspace-runner.ts';`,
      'sandbox/main.ts': `import { Redis } from 'ioredis';`,
    };
    expect(brokenRules(files)).toEqual([]);
  });
});

describe('the check of words', () => {
  it.each([
    ['src/domain/time/resolve-period.ts', 'const now = Date.now();'],
    ['src/domain/time/resolve-period.ts', 'const now = new Date();'],
    ['src/domain/time/resolve-period.ts', 'const zone = process.argv[2];'],
    ['src/domain/time/resolve-period.ts', 'const chance = Math.random();'],
    ['src/slack/kit/blocks.ts', 'const now = performance.now();'],
    ['src/workspace/settings.ts', `const redis = new Redis('redis://x');`],
    ['src/workspace/settings.ts', 'const url = process.env.REDIS_URL;'],
    ['src/app.ts', 'const url = process.env.REDIS_URL;'],
  ])('finds the fault in %s: %s', (path, text) => {
    expect(findReservedWords({ path, text: `${text}\n` })).toHaveLength(1);
  });

  it.each([
    ['src/domain/time/resolve-period.ts', 'const day = new Date(0);'],
    ['src/domain/time/resolve-period.ts', '/* never Date.now() */ const a = "https://x"; // nor new Date()'],
    ['src/slack/web-client.ts', 'const now = Date.now();'],
    ['src/main.ts', 'createTally(process.env);'],
    ['src/redis/connect.ts', `new Redis('x');`],
    ['sandbox/main.ts', `new Redis(process.env.REDIS_URL);`],
  ])('finds none in %s: %s', (path, text) => {
    expect(findReservedWords({ path, text })).toEqual([]);
  });
});
