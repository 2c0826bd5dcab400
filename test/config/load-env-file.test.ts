import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const LOAD = `import { loadEnvFile } from ${JSON.stringify(resolve('src/config/load-env-file.ts'))};
loadEnvFile();
console.log(process.env.REDIS_URL ?? 'none');`;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tally-env-'));
});
afterEach(() => rm(directory, { recursive: true }));

const load = (env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', LOAD],
    { cwd: directory, env: { PATH: process.env.PATH, ...env } },
  );
/** What a process that loads the file first sees as REDIS_URL. */
const seen = async (env?: NodeJS.ProcessEnv): Promise<string> => (await load(env)).stdout.trim();

const write = (text: string) => writeFile(join(directory, '.env'), text);

describe('.env', () => {
  it('fills in what the environment leaves out, and nothing else', async () => {
    await write('# ours\nREDIS_URL="redis://127.0.0.1:1"\n');
    expect(await load()).toEqual({ stdout: 'redis://127.0.0.1:1\n', stderr: '' });
    expect(await seen({ REDIS_URL: 'redis://127.0.0.1:2' })).toBe('redis://127.0.0.1:2');
  });

  it('may be missing', async () => {
    expect(await seen()).toBe('none');
  });

  it('ends the process when it can’t be read, and says so', async () => {
    await mkdir(join(directory, '.env'));
    await expect(load()).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^\.env can’t be read/),
    });
  });

  it('with the values of .env.example leads to a Redis on this machine', async () => {
    await write(await readFile('.env.example', 'utf8'));
    expect(await seen()).toBe('redis://127.0.0.1:6379');
  });
});
