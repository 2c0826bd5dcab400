import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../sandbox/bot-process.ts';
import { buildBot, ROOT } from '../sandbox/build.ts';
import { VERSION } from '../src/ops/version.ts';
import { testRedis } from './support/redis.ts';

interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** As in the image: the bundle and package.json, and no other package in reach. */
let folder: string;
beforeAll(async () => {
  await buildBot(() => {});
  folder = await mkdtemp(join(tmpdir(), 'tally-bundle-'));
  await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

function tally(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const { PATH } = process.env;
  return new Promise((resolve) => {
    execFile(
      join(folder, 'dist', 'tally.js'),
      args,
      { cwd: folder, env: { PATH, ...env } },
      (error, output, errors) => resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
  });
}

/** Runs `tally doctor` as npm installs it. @param options of Node */
function installed(options: readonly string[]): Promise<Ran> {
  const entry = join(folder, 'dist', 'tally-with-env-file.js');
  return new Promise((resolve) => {
    execFile(process.execPath, [...options, entry, 'doctor'], { cwd: folder }, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
  });
}

const moduleUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

describe('the executable tally', () => {
  it('names its commands', async () => {
    expect(await tally(['start', '--help'])).toEqual(await tally(['help']));
    const { code, output } = await tally(['help']);
    expect([code, [...output.matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name)]).toEqual([
      0,
      ['start', 'doctor', 'init', 'manifest', 'reseal', 'check-billing'],
    ]);
  });

  it.each([[[]], [['constructor']], [['start', 'now']], [['--version', 'all']]])(
    'refuses %j, and says what works',
    async (args) => {
      const { code, output, errors } = await tally(args);
      expect({ code, output }).toEqual({ code: 64, output: '' });
      expect(errors).toContain('Usage: tally <command>');
    },
  );

  it.each([
    [['dcotor'], 'Unknown command dcotor.'],
    [['start', '--port', '3000'], 'start takes no options'],
  ])('names what it does not know in %j', async (args, says) => {
    expect(await tally(args)).toMatchObject({ code: 64, errors: expect.stringContaining(says) });
  });

  it.each(['version', '--version', '-v'])(
    'says its version (%s), which is the one of package.json',
    async (option) => {
      const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      expect(await tally([option])).toEqual({ code: 0, output: `${version}\n`, errors: '' });
    },
  );

  it('starts nothing without an environment, and says what is missing', async () => {
    const { code, errors } = await tally(['start']);
    expect(code).toBe(78);
    expect(errors).toContain('ENCRYPTION_KEYS is not set');
  });

  it.each(['doctor', 'init', 'manifest', 'reseal', 'check-billing'])(
    'says how %s is used, without an environment',
    async (command) => {
      const { code, output } = await tally([command, '--help']);
      expect({ code, output }).toEqual({
        code: 0,
        output: expect.stringMatching(`^Usage: tally ${command}\\b`),
      });
    },
  );

  it.each([[['reseal', 'now'], 'Expected only options.']])(
    'refuses %j with what is missing, and how it is used',
    async (args, says) => {
      const { code, errors } = await tally(args);
      expect({ code, errors }).toEqual({ code: 64, errors: expect.stringContaining(says) });
      expect(errors).toContain(`Usage: tally ${args[0]}`);
    },
  );

  it('says in a sentence that its output can’t be written', async ({ skip }) => {
    skip(!existsSync('/dev/full'), 'this system has no /dev/full');
    const line = `"${process.execPath}" "${join(folder, 'dist', 'tally.js')}" manifest --socket >/dev/full`;
    const ran = await new Promise<unknown>((resolve) =>
      execFile('sh', ['-c', line], (error, _, errors) => resolve([error?.code, errors])),
    );
    expect(ran).toEqual([73, 'The output can’t be written (ENOSPC).\n']);
  });

  it('says how to allow more files when it can’t load its code', async () => {
    // Where a real limit stops Node between two files differs between versions and machines.
    const noMoreFiles = moduleUrl(`export async function load(url, context, next) {
      if (url.includes('/chunks/')) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      return next(url, context);
    }`);
    const hooks = moduleUrl(
      `import { register } from 'node:module'; register(${JSON.stringify(noMoreFiles)});`,
    );
    const { code, errors } = await installed(['--import', hooks]);
    expect(code).toBe(1);
    expect(errors).toMatch(/^Tally can’t load its code: .*EMFILE.*ulimit -n 65536.*\n$/);
  });

  it('says what takes WebAssembly from it', async () => {
    const { code, errors } = await installed(['--jitless']);
    expect(code).toBe(78);
    expect(errors).toMatch(/Tally needs WebAssembly, .*--jitless out of NODE_OPTIONS.*LimitAS=infinity/);
  });

  it('says which Node it needs to one that is older', async () => {
    const older = moduleUrl(
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.18.3" } });',
    );
    const { code, errors } = await installed(['--import', older]);
    expect(code).toBe(78);
    expect(errors).toMatch(/^Tally needs Node 20\.19 or newer, and this is 20\.18\.3\b/);
    const { engines } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(engines.node).toBe('>=20.19');
  });

  it('runs the doctor and reseal', async () => {
    const doctor = await tally(['doctor']);
    expect(doctor).toMatchObject({ code: 78, output: expect.stringContaining('4 problems to fix.') });
    const reseal = await tally(['reseal']);
    expect(reseal).toMatchObject({ code: 78, errors: expect.stringContaining('REDIS_URL is not set') });
  });

  it('ends at once after an error that nothing caught, which is its last line', async () => {
    const redis = await testRedis();
    const { code, output } = await tally(['start'], {
      PORT: String(await freePort()),
      SLACK_APP_TOKEN: 'xapp-1-of-a-test',
      SLACK_BOT_TOKEN: 'xoxb-1-of-a-test',
      SLACK_API_URL: 'http://127.0.0.1:1/api/',
      REDIS_URL: redis.url,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      NODE_OPTIONS: `--import ${moduleUrl(
        "setTimeout(() => { throw new TypeError('a bug', { cause: new Error('its cause') }); }, 2000)",
      )}`,
    });
    await redis.close();
    expect(code).toBe(1);
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toMatchObject({
      level: 'fatal',
      err: { name: 'TypeError', message: 'a bug', cause: { message: 'its cause' } },
    });
  });

  it('goes on where its log can’t be written, as on a full disk', async ({ skip }) => {
    skip(!existsSync('/dev/full'), 'this system has no /dev/full');
    const redis = await testRedis();
    const port = await freePort();
    const bot = spawn('sh', ['-c', 'exec "$0" start >/dev/full', join(folder, 'dist', 'tally.js')], {
      cwd: folder,
      env: {
        ...{ PATH: process.env.PATH, PORT: String(port), REDIS_URL: redis.url },
        ...{ SLACK_BOT_TOKEN: 'xoxb-1-of-a-test', SLACK_SIGNING_SECRET: 'a-signing-secret-of-a-test' },
        ...{ SLACK_API_URL: 'http://127.0.0.1:1/api/' },
        ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      },
    });
    const ended = once(bot, 'exit');
    const healthy = () => fetch(`http://127.0.0.1:${port}/healthz`).then(({ status }) => status);
    await expect.poll(() => healthy().catch(() => bot.exitCode), { timeout: 15_000 }).toBe(200);
    bot.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await redis.close();
  });

  it('logs its version first, and names the lines of src in a stack trace', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const redis = await testRedis();
    const { code, output } = await tally(['start'], {
      PORT: String((taken.address() as AddressInfo).port),
      SLACK_BOT_TOKEN: 'xoxb-1-of-a-test',
      SLACK_SIGNING_SECRET: 'a-signing-secret-of-a-test',
      REDIS_URL: redis.url,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    });
    await redis.close();
    taken.close();
    expect(code).toBe(1);
    expect(JSON.parse(output.split('\n')[0] ?? '')).toMatchObject({
      msg: 'Tally is starting',
      version: VERSION,
    });
    expect(output).toMatch(/EADDRINUSE[^}]*src\/slack\/server\/slack-server\.ts:\d+/);
  });

  it('brings the terms of every package that is bundled', async () => {
    const licenses = await readFile(join(folder, 'dist', 'LICENSES.txt'), 'utf8');
    for (const name of ['@slack/bolt', 'bullmq', 'ioredis', 'undici'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});

it('reports an error that no command expects, without secrets and without code', async () => {
  const script = `
    import { runCommand } from './src/cli/command.ts';
    setInterval(() => {}, 1_000);
    await runCommand('', {}, () => { throw new TypeError('with xoxb-1-of-a-test'); });`;
  const ran = await new Promise<{ code: unknown; errors: string }>((resolve) => {
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    execFile(process.execPath, args, { cwd: ROOT }, (error, _, errors) =>
      resolve({ code: error?.code, errors }),
    );
  });
  expect(ran.errors).toMatch(/^TypeError: with (?!xoxb-1-of-a-test).*\n +at /);
  expect(ran.errors).not.toContain('throw new');
  expect(ran.code).toBe(1);
});
