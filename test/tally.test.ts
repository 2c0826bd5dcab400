/** Runs the executable from the npm package, unpacked in a folder without other packages. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../sandbox/bot-process.ts';
import { ROOT } from '../sandbox/build.ts';
import { OWNER } from '../sandbox/slack/index.ts';
import { VERSION } from '../src/ops/version.ts';
import { createManifest } from '../src/slack/install/manifest.ts';
import { CHANNEL, slackEnvironment, startBot } from './support/bot.ts';
import { endWithParent } from './support/delivery-processes.ts';
import { addConnection } from './support/projects.ts';
import { testRedis } from './support/redis.ts';
import { waitUntil } from './support/wait-until.ts';

const { PATH, HOME } = process.env;

let folder: string;
let tallyFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tally-pack-'));
  const run = promisify(execFile);
  await run('npm', ['pack', '--silent', `--pack-destination=${folder}`], { cwd: ROOT });
  await run('tar', ['-xzf', join(folder, `tally-${VERSION}.tgz`), '-C', folder]);
  tallyFile = join(folder, 'package', 'dist', 'tally.js');
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env: { PATH, ...env } }, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
  });
}

const tally = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run(process.execPath, [tallyFile, ...args], folder, env);

/** All that a bot needs to start. Only Redis has to answer. */
const environment = (redisUrl: string): NodeJS.ProcessEnv => ({
  SLACK_BOT_TOKEN: 'xoxb-1-of-a-test',
  SLACK_SIGNING_SECRET: '0123456789abcdef0123456789abcdef',
  SLACK_API_URL: 'http://127.0.0.1:1/api/',
  REDIS_URL: redisUrl,
  ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
});

describe('the npm package', () => {
  it('contains the bot, its documentation and the deployment files, but no source code or tests', async () => {
    const all = await readdir(join(folder, 'package'), { recursive: true });
    expect(all).toEqual(
      expect.arrayContaining([
        ...['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'manifest.json'],
        ...['.env.example', 'dist/tally.js', 'deploy/prometheus/tally.rules.yaml', 'docs/running.md'],
      ]),
    );
    expect(all.filter((file) => /^(?:src|test|sandbox|bench)\b|\.ts$|\.png$|^\.env$/.test(file))).toEqual([]);
  });

  it('includes the licenses of the bundled packages', async () => {
    const licenses = await readFile(join(folder, 'package/dist/LICENSES.txt'), 'utf8');
    for (const name of ['@slack/bolt', 'bullmq', 'ioredis', 'undici'])
      expect(licenses).toMatch(new RegExp(`^${name}\\n\\n.*(?:Copyright|License)`, 'm'));
  });
});

describe('the tally executable', () => {
  it('lists its commands, and each command prints its usage without environment variables', async () => {
    expect(await tally(['start', '--help'])).toEqual(await tally(['help']));
    const { output } = await tally(['help']);
    const [first, ...commands] = [...output.matchAll(/^ {2}([\w-]+) /gm)].map(([, name = '']) => name);
    expect([first, commands]).toEqual(['start', expect.arrayContaining(['doctor', 'init', 'reseal'])]);
    const pages = await Promise.all(commands.map((command) => tally([command, '--help'])));
    expect(pages.map((page) => [page.code, page.output.split(' ', 3).join(' ').split('\n')[0]])).toEqual(
      commands.map((command) => [0, `Usage: tally ${command}`]),
    );
  }, 60_000);

  it.each([
    [[], ''],
    [['constructor'], 'Unknown command constructor.'],
    [['--version', 'all'], 'Unknown command --version.'],
    [['start', '--port', '3000'], 'start takes no options'],
  ])('refuses the arguments %j, and prints its usage', async (args, says) => {
    const { code, output, errors } = await tally(args);
    expect({ code, output }).toEqual({ code: 64, output: '' });
    expect(errors).toContain(says);
    expect(errors).toContain('Usage: tally <command>');
  });

  it.each(['version', '--version', '-v'])('prints its version for %s', async (option) => {
    expect(await tally([option])).toEqual({ code: 0, output: `${VERSION}\n`, errors: '' });
  });

  it('does not start without environment variables, and says what is missing', async () => {
    const { code, errors } = await tally(['start']);
    expect({ code, errors }).toEqual({
      code: 78,
      errors: expect.stringContaining('\n  ENCRYPTION_KEYS is not set'),
    });
  });

  it('reads from .env the variables that the environment lacks, or says that it can’t read .env', async () => {
    const home = await mkdtemp(join(tmpdir(), 'tally-env-'));
    onTestFinished(() => rm(home, { recursive: true }));
    const start = (env = {}) => run(process.execPath, [tallyFile, 'start'], home, env);
    await writeFile(join(home, '.env'), '# ours\nLOG_LEVEL="loud"\n');
    expect((await start()).errors).toContain('LOG_LEVEL is not a log level');
    expect((await start({ LOG_LEVEL: 'info' })).errors).not.toContain('LOG_LEVEL');
    await rm(join(home, '.env'));
    await mkdir(join(home, '.env'));
    expect(await start()).toMatchObject({ code: 78, errors: expect.stringMatching(/^\.env can’t be read/) });
  });

  it('logs its version first, and names files and lines of src/ in a stack trace', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const redis = await testRedis();
    const { port } = taken.address() as AddressInfo;
    const { code, output } = await tally(['start'], { ...environment(redis.url), PORT: String(port) });
    await redis.close();
    taken.close();
    expect(code).toBe(1);
    expect(JSON.parse(output.split('\n')[0] ?? '')).toMatchObject({
      msg: 'Tally is starting',
      version: VERSION,
    });
    expect(output).toMatch(/EADDRINUSE[^}]*src\/slack\/server\/slack-server\.ts:\d+/);
  });

  it.each(['3', '2 1.0.0'])(
    'does not start if Redis has another version’s data (layout %s), and changes nothing',
    async (other) => {
      const redis = await testRedis();
      await redis.client.set('tally:layout', other);
      await redis.client.hset('tally:{T0SANDBOX1}:record', { settings: 'of another layout' });
      const { code, output } = await tally(['start'], {
        ...environment(redis.url),
        PORT: String(await freePort()),
      });
      expect(code).toBe(1);
      expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toMatchObject({
        level: 'fatal',
        err: { message: expect.stringContaining(`layout “${other}”, this version uses 5`) },
      });
      expect((await redis.client.keys('*')).sort()).toEqual(['tally:layout', 'tally:{T0SANDBOX1}:record']);
      expect(await redis.client.get('tally:layout')).toBe(other);
      await redis.close();
    },
  );

  it('exits after an uncaught error, which is the last line of the log', async () => {
    const redis = await testRedis();
    const bug =
      "setTimeout(() => { throw new TypeError('a bug', { cause: new Error('its cause') }); }, 2000)";
    const { code, output } = await tally(['start'], {
      ...environment(redis.url),
      PORT: String(await freePort()),
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(bug)}`,
    });
    await redis.close();
    expect(code).toBe(1);
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toMatchObject({
      level: 'fatal',
      err: { name: 'TypeError', message: 'a bug', cause: { message: 'its cause' } },
    });
  });

  it('keeps running if the disk with its log is full', async ({ skip }) => {
    skip(!existsSync('/dev/full'), 'this system has no /dev/full');
    const redis = await testRedis();
    const port = String(await freePort());
    const bot = spawn('sh', ['-c', 'exec "$0" "$1" start >/dev/full', process.execPath, tallyFile], {
      env: { PATH, ...environment(redis.url), PORT: port },
    });
    endWithParent(bot);
    const ended = once(bot, 'exit');
    await waitUntil(() => isUp(`http://127.0.0.1:${port}/healthz`), 15_000);
    bot.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await redis.client.get('tally:layout')).toBe('5');
    await redis.close();
  });

  it('sends the answers in progress before SIGTERM ends it', async () => {
    const encryptionKeys = `test:${randomBytes(32).toString('base64')}`;
    const on = await startBot({ encryptionKeys });
    onTestFinished(() => on.stop());
    await addConnection(on);
    await on.stopBot();
    const child = spawn(process.execPath, [tallyFile, 'start'], {
      env: {
        PATH,
        ...slackEnvironment('http', on.slack),
        REDIS_URL: on.redis.url,
        ENCRYPTION_KEYS: encryptionKeys,
        TRUSTED_API_HOSTS: '127.0.0.1',
        BILLING_BASE_URL: on.billing.url,
        PORT: new URL(on.url).port,
      },
      stdio: 'ignore',
    });
    endWithParent(child);
    const ended = once(child, 'exit');
    await waitUntil(() => isUp(`${on.url}/readyz`), 30_000);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    on.billing.respond(() => released.then(() => undefined));
    const asked = on.billing.requests.length;
    await on.slack.say(OWNER, CHANNEL, '/balance 123');
    await on.slack.waitFor(() => on.billing.requests.length > asked || undefined, 15_000);
    child.kill('SIGTERM');
    await waitUntil(async () => !(await isUp(`${on.url}/healthz`)), 10_000);
    release();
    expect(await ended).toEqual([0, null]);
    expect(JSON.stringify(on.slack.messages(OWNER, CHANNEL))).toContain('left');
  });
});

const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

describe('tally manifest', () => {
  const address = ['--url', 'https://tally.example.com'];

  it.each([
    [[], 'Choose one: --url with the bot’s address, or --socket.'],
    [[...address, '--socket'], 'Choose one: --url'],
    [['--url', 'tally.example.com'], '--url is not an https address. For example https://tally.example.com.'],
    [['--socket=yes'], '--socket'],
    [['https://tally.example.com'], 'This command only takes options.'],
  ])('refuses the options %j in one line, then prints its usage', async (options, line) => {
    const { code, output, errors } = await tally(['manifest', ...options]);
    expect({ code, output }).toEqual({ code: 64, output: '' });
    expect(errors.split('\n')[0]).toContain(line);
    expect(errors).toContain('Usage: tally manifest');
  });

  it('accepts a URL with a port and a trailing slash', async () => {
    const { output } = await tally(['manifest', '--url', 'https://Tally.example.com:8443/']);
    const { request_url } = JSON.parse(output).settings.interactivity;
    expect(request_url).toBe('https://tally.example.com:8443/slack/events');
  });
});

describe('a checkout of the repository', () => {
  it('builds and runs the bot with npm start, and stops the bot when npm is stopped', async () => {
    const redis = await testRedis();
    const port = String(await freePort());
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { PATH, HOME, ...environment(redis.url), PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithParent(npm);
    let output = '';
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk));
    const url = `http://127.0.0.1:${port}/healthz`;
    await waitUntil(() => isUp(url), 50_000);
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    expect(output).toMatch(/Building the bot…\n[\s\S]*Tally is stopping/);
    await waitUntil(async () => !(await isUp(url)));
    await redis.close();
  }, 60_000);

  it('gives Slack’s command line the manifest and no other output', async () => {
    const { hooks } = JSON.parse(await readFile(join(ROOT, '.slack/hooks.json'), 'utf8'));
    const { output } = await run('sh', ['-c', hooks['get-manifest']], ROOT, { HOME });
    expect(JSON.parse(output)).toEqual(createManifest({}));
    expect(hooks.start).toBe('npm run --silent tally -- start');
  }, 60_000);
});
