import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Source, violations } from './rooms.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

function sourcesOf(folder: string): Source[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }));
}

describe('the house', () => {
  it.each(['src', 'sandbox'])('imports downward only, in %s', (folder) => {
    const sources = sourcesOf(folder);
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.flatMap(violations)).toEqual([]);
  });

  it('has one line for each feature in app.ts, so that one line takes it away', () => {
    const folders = readdirSync(`${ROOT}src/features`, { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    const app = readFileSync(`${ROOT}src/app.ts`, 'utf8');
    const imported = [...app.matchAll(/import \{ (\w+) \} from '\.\/features\/([\w-]+)\//g)];
    expect(imported.map(([, , folder]) => folder).sort()).toEqual(folders.map(({ name }) => name).sort());
    for (const [, create] of imported) expect(app.split(`    ${create}(`), create).toHaveLength(2);
  });
});

describe('the checker', () => {
  it.each([
    ['src/domain/money.ts', `import { connectRedis } from '../redis.ts';`],
    ['src/domain/money.ts', `import { randomBytes } from 'node:crypto';`],
    ['src/domain/money.ts', `import type { Redis } from 'ioredis';`],
    ['src/domain/money.ts', `import 'undici';`],
    ['src/domain/period.ts', 'const now = Date.now();'],
    ['src/domain/period.ts', 'const now = new Date();'],
    ['src/domain/period.ts', 'const zone = process.argv[2];'],
    ['src/vault/seal.ts', `import { createHttp } from '../http/request.ts';`],
    ['src/http/agent.ts', `import type { Connection } from '../workspace/connections.ts';`],
    ['src/billing/client.ts', `import { createWorkspaces } from '../workspace/connections.ts';`],
    ['src/billing/client.ts', `import { fetch } from 'undici';`],
    ['src/workspace/store.ts', `import { Redis } from 'ioredis';`],
    ['src/workspace/store.ts', `import { type RedisOptions, Redis } from 'ioredis';`],
    ['src/workspace/store.ts', `const redis = new Redis('redis://x');`],
    ['src/workspace/store.ts', 'const url = process.env.REDIS_URL;'],
    ['src/slack/kit/atoms.ts', `import { Money } from '../../domain/money.ts';`],
    ['src/slack/kit/atoms.ts', `import { Visit } from '../request.ts';`],
    ['src/slack/kit/atoms.ts', `import { App } from '@slack/bolt';`],
    ['src/slack/request.ts', `import { readConfig } from '../config.ts';`],
    ['src/slack/request.ts', `import { createSpend } from '../features/spend/index.ts';`],
    ['src/features/spend/index.ts', `import { words } from '../balance/words.ts';`],
    ['src/features/spend/index.ts', `export * from '../balance/words.ts';`],
    ['src/features/spend/index.ts', `const words = await import('../balance/words.ts');`],
    ['src/features/spend/index.ts', `import {\n  a,\n  b,\n} from '../../app.ts';`],
    ['src/features/feature.ts', `import { createSpend } from './spend/index.ts';`],
    ['src/features/feature.ts', `import { createBilling } from '../billing/client.ts';`],
    ['src/jobs/alarms.ts', `import { connectRedis } from '../redis.ts';`],
    ['src/workspace/store.ts', `import { createHttp } from '../http/request.ts';`],
    ['src/app.ts', `import { startRedis } from '../sandbox/redis.ts';`],
    ['src/app.ts', 'const url = process.env.REDIS_URL;'],
    ['sandbox/main.ts', `import { createTally } from '../src/app.ts';`],
    ['sandbox/page/main.tsx', `import type { Money } from '../../src/domain/money/amount.ts';`],
  ])('finds the fault in %s: %s', (path, text) => {
    expect(violations({ path, text: `${text}\n` })).toHaveLength(1);
  });

  it.each([
    ['src/domain/period.ts', `import { Big } from 'big.js';\nimport { UTCDate } from '@date-fns/utc';`],
    ['src/domain/period.ts', `import { Money } from './money.ts';\nconst day = new Date(0);`],
    ['src/domain/period.ts', '/* never Date.now() */ const a = "https://x"; // nor new Date()'],
    ['src/slack/kit/atoms.ts', `import type { Money } from '../../domain/money.ts';`],
    [
      'src/slack/receiver.ts',
      `import type { Config } from '../config.ts';\nimport { App } from '@slack/bolt';`,
    ],
    [
      'src/workspace/store.ts',
      `import type { Redis } from 'ioredis';\nimport { storeGuard } from '../redis.ts';`,
    ],
    ['src/ops/health.ts', `import { type Redis, type RedisOptions } from 'ioredis';`],
    [
      'src/features/spend/index.ts',
      `import type { Feature } from '../feature.ts';\nimport { a } from './words.ts';`,
    ],
    ['src/main.ts', `import { createTally } from './app.ts';\ncreateTally(process.env);`],
    ['src/redis.ts', `import { Redis } from 'ioredis';\nnew Redis('x');`],
    ['sandbox/main.ts', `import { startRedis } from './redis.ts';\nimport { Redis } from 'ioredis';`],
  ])('finds none in %s: %s', (path, text) => {
    expect(violations({ path, text })).toEqual([]);
  });
});
