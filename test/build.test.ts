import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuildTarget, buildAlways, buildIfChanged, ROOT } from '../build-if-changed.js';
import { buildBot } from '../sandbox/build.ts';
import { BOT_TOKEN, SIGNING_SECRET } from './support/bot.ts';
import { testRedis } from './support/redis.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tally-build-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a build', () => {
  let builds: number;
  let target: BuildTarget;
  beforeEach(async () => {
    builds = 0;
    const [source, output] = [join(folder, 'source'), join(folder, 'output')];
    await mkdir(join(source, 'deep'), { recursive: true });
    await writeFile(join(source, 'deep', 'a.ts'), 'one');
    target = {
      name: 'thing',
      sources: [relative(ROOT, source), relative(ROOT, join(folder, 'lock'))],
      folder: output,
      async run() {
        builds += 1;
        await rm(output, { recursive: true, force: true });
        await mkdir(output);
      },
    };
  });
  const ask = () => buildIfChanged(target, () => undefined);

  it('is made once, also when several ask for it at the same time', async () => {
    await Promise.all([ask(), ask(), ask()]);
    await ask();
    expect(builds).toBe(1);
  });

  it('is made again when a source has other content, not when only its time differs', async () => {
    await ask();
    await utimes(join(folder, 'source', 'deep', 'a.ts'), new Date(), new Date());
    await ask();
    expect(builds).toBe(1);
    await writeFile(join(folder, 'source', 'deep', 'a.ts'), 'two');
    await ask();
    await writeFile(join(folder, 'source', 'b.ts'), '');
    await ask();
    expect(builds).toBe(3);
  });

  it('is made again when a file beside the code is gone, but not when the code itself is', async () => {
    await writeFile(join(folder, 'lock'), '');
    await ask();
    await rm(join(folder, 'lock'));
    await ask();
    expect(builds).toBe(2);
    await rm(join(folder, 'source'), { recursive: true });
    await ask();
    expect(builds).toBe(2);
  });

  it('is made again when it was asked for, and when the last one was interrupted', async () => {
    await ask();
    await buildAlways(target, () => undefined);
    expect(builds).toBe(2);
    const broken = { ...target, run: () => target.run().then(() => Promise.reject(new Error('killed'))) };
    await writeFile(join(folder, 'source', 'deep', 'a.ts'), 'two');
    await expect(buildIfChanged(broken, () => undefined)).rejects.toThrow('killed');
    await ask();
    expect(builds).toBe(4);
  });

  it('does not wait for a process that ended while it built', async () => {
    const ended = execFile(process.execPath, ['--eval', '']);
    await new Promise((resolve) => ended.once('exit', resolve));
    await writeFile(`${target.folder}.lock`, String(ended.pid));
    await ask();
    expect(builds).toBe(1);
  });
});

describe('npm start', () => {
  const FILES = ['package.json', 'package-lock.json', 'build.js', 'build-if-changed.js', 'src', 'dist'];
  const isRoot = process.getuid?.() === 0;
  /** Root may write everywhere; nobody may not. */
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  const isNodeForAll = spawnSync(process.execPath, ['--version'], user).status === 0;

  /** A checkout with the bot built, and no packages. */
  beforeEach(async ({ skip }) => {
    skip(!isNodeForAll, 'only root can run this Node');
    await buildBot(() => undefined);
    for (const file of FILES) await cp(join(ROOT, file), join(folder, file), { recursive: true });
  });

  interface Ended {
    readonly code: number;
    readonly text: string;
  }
  /** Runs the script of package.json. */
  async function start({ isWritable = false } = {}): Promise<Ended> {
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const [writable, readOnly] = isRoot ? [0o777, 0o755] : [0o755, 0o555];
    await chmod(folder, isWritable ? writable : readOnly);
    const options = { cwd: folder, env: { PATH: dirname(process.execPath) }, ...user };
    const ended = await new Promise<Ended>((resolve) => {
      execFile('/bin/sh', ['-c', scripts.start], options, (error, ...output) =>
        resolve({ code: Number(error?.code ?? 0), text: output.join('') }),
      );
    });
    await chmod(folder, 0o755);
    return ended;
  }

  it('starts what is built of this version as it is: without packages, and where nothing can be written', async () => {
    const { code, text } = await start();
    expect([code, text]).toEqual([78, expect.stringContaining('ENCRYPTION_KEYS is not set')]);
  });

  it('starts a build that came without its sources', async () => {
    await rm(join(folder, 'src'), { recursive: true });
    expect((await start()).code).toBe(78);
  });

  it('says in a line what to do when the build is older than its sources and can’t be made here', async () => {
    await writeFile(join(folder, 'src', 'more.ts'), '');
    const { code, text } = await start();
    expect(code).toBe(1);
    expect(text).toMatch(
      /^dist is missing or older than src, and this folder can't be written \(EACCES.*\n$/,
    );
  });

  it('asks for npm ci when the build is missing and so are the packages', async () => {
    await rm(join(folder, 'dist'), { recursive: true });
    const { code, text } = await start({ isWritable: true });
    expect(code).toBe(1);
    expect(text).toMatch(
      /^Building the bot…\ndist is missing or older than src, .* Run npm ci, then try again\.\n$/,
    );
  });
});

/** Prints the URL of each module that is loaded. */
const HOOKS =
  'export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }';
const WATCH = `import { register } from 'node:module'; register('data:text/javascript,${encodeURIComponent(HOOKS)}');`;

/** @returns the bundle's files that `tally start` loads before it finds its port taken */
async function loadedBy(redis: string, taken: number, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { PATH } = process.env;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(WATCH)}`, 'dist/tally.js', 'start'];
  const { stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: {
      ...{ PATH, SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_SIGNING_SECRET: SIGNING_SECRET, REDIS_URL: redis },
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      PORT: String(taken),
      ...env,
    },
  }).catch((error: { stderr: string }) => error);
  return [...stderr.matchAll(/^file:\S+\/dist\/(\S+\.js)$/gm)].map(([, file = '']) => file);
}

it('loads nothing of OpenTelemetry without a collector', async () => {
  await buildBot(() => {});
  const holdsSdk = async (files: readonly string[]) => {
    const texts = await Promise.all(files.map((file) => readFile(join(ROOT, 'dist', file), 'utf8')));
    return texts.some((bundled) => /opentelemetry\.js\.api|OTLPTraceExporter/.test(bundled));
  };
  const store = await testRedis();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const without = await loadedBy(store.url, port, {});
  expect(without).toContain('tally.js');
  expect(await holdsSdk(without)).toBe(false);
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  expect(await holdsSdk(await loadedBy(store.url, port, traced))).toBe(true);
  taken.close();
  await store.close();
}, 60_000);
