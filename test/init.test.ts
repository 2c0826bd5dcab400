import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type BillingService, startBilling } from '../sandbox/billing.ts';
import { freePort } from '../sandbox/bot-process.ts';
import { buildBot, ROOT } from '../sandbox/build.ts';
import { OWNER, type Slack, startSlack } from '../sandbox/slack/index.ts';
import { createManifest } from '../src/slack/install/manifest.ts';
import { BOT_TOKEN, CHANNEL, goodToken, textOf } from './support/bot.ts';
import { describeUnless } from './support/describe-unless.ts';
import { type TestRedis, testRedis } from './support/redis.ts';
import { waitUntil } from './support/wait-until.ts';

const TALLY = join(ROOT, 'dist', 'tally-with-env-file.js');
const APP_TOKEN = 'xapp-1-an-app-token-for-tests-only';
const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
const SECRETS = [BOT_TOKEN, APP_TOKEN, SIGNING_SECRET];

let folder: string;
let billing: BillingService;
let redis: TestRedis;
let slack: Slack;
let port: number;
const children: ChildProcess[] = [];

beforeAll(() => buildBot(() => {}), 60_000);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tally-init-'));
  billing = await startBilling({ now: Date.now, slowFor: 1 });
  redis = await testRedis();
  port = await freePort();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all([slack?.close(), billing.close(), redis.close()]);
  await rm(folder, { recursive: true });
});

const openSlack = async (mode: 'http' | 'socket', prefix?: string) => {
  slack = await startSlack({
    ...{ mode, botUrl: () => `http://127.0.0.1:${port}`, manifest: createManifest({ prefix }) },
    ...{ signingSecret: SIGNING_SECRET, botToken: BOT_TOKEN, appToken: APP_TOKEN },
  });
};

/** The address of the stand-in for Slack is the only thing that a workspace of one's own does without. */
const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  SLACK_API_URL: slack === undefined ? 'http://127.0.0.1:1/api/' : `${slack.url}/api/`,
  PORT: String(port),
  ...more,
});

interface Run {
  /** Everything that it has printed. */
  output(): string;
  /** Waits for a question, then types the answer. */
  answer(question: string, typed: string): Promise<void>;
  readonly ended: Promise<number>;
}

function watch(child: ChildProcess): Run {
  children.push(child);
  let output = '';
  let read = 0;
  const add = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return {
    output: () => output,
    async answer(question, typed) {
      await waitUntil(() => output.indexOf(question, read) >= 0);
      read = output.indexOf(question, read) + question.length;
      child.stdin?.write(typed);
    },
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1))),
  };
}

const initAlone = (options: readonly string[], more?: NodeJS.ProcessEnv): Run =>
  watch(
    spawn(process.execPath, [TALLY, 'init', ...options], {
      cwd: folder,
      env: environment(more),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );

/** At a pseudo-terminal. */
const initAtTerminal = (options = ''): Run =>
  watch(
    spawn('script', ['-qfec', `${process.execPath} ${TALLY} init ${options}`, '/dev/null'], {
      cwd: folder,
      env: environment({ TERM: 'dumb', SHELL: '/bin/sh' }),
    }),
  );

const envFile = () => readFile(join(folder, '.env'), 'utf8');
const ENTER = '\r';
const CTRL_C = '\x03';

/** Starts what `.env` describes, connects it to billing, and asks for a balance, as the last lines of init say. */
async function connectAndAsk(prefix = ''): Promise<string> {
  const bot = watch(spawn(process.execPath, [TALLY, 'start'], { cwd: folder, env: environment() }));
  await waitUntil(async () => {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return ready?.status === 200;
  });
  await slack.say(OWNER, CHANNEL, `/${prefix}billing connect`);
  await slack.waitFor(() => slack.modal(OWNER));
  await slack.submit(OWNER, { token: goodToken(billing), project: '123', lifetime: '90-days' });
  await slack.waitFor(() => textOf(slack.modal(OWNER)?.view).includes('Connected'));
  await slack.dismiss(OWNER);
  const isAnswer = ({ text }: { text: string }) => text.includes('Project 123 ·');
  await slack.say(OWNER, CHANNEL, `/${prefix}balance 123`);
  const { text } = await slack.waitFor(() => slack.messages(OWNER, CHANNEL).find(isAnswer), 15_000);
  children[children.length - 1]?.kill('SIGTERM');
  expect(await bot.ended).toBe(0);
  return text;
}

const HAS_TERMINAL = spawnSync('script', ['-qfec', 'true', '/dev/null']).status === 0;

describeUnless(
  HAS_TERMINAL ? undefined : 'script, which makes a pseudo-terminal, isn’t installed',
  'tally init at a terminal',
  () => {
    it('leads from nothing to an answered /balance in Socket Mode, and shows no secret', async () => {
      await openSlack('socket');
      const init = initAtTerminal();
      await init.answer('1 or 2 [1]:', ENTER);
      await init.answer('Prefix [none]:', ENTER);
      await init.answer('SLACK_BOT_TOKEN (hidden):', `${APP_TOKEN}${ENTER}`);
      await init.answer('is not a bot token', '');
      await init.answer('SLACK_BOT_TOKEN (hidden):', `${BOT_TOKEN}${ENTER}`);
      await init.answer('SLACK_APP_TOKEN (hidden):', `${APP_TOKEN}${ENTER}`);
      await init.answer('REDIS_URL [redis://127.0.0.1:6379]:', `${redis.url}${ENTER}`);
      await init.answer('BILLING_BASE_URL [none]:', `${billing.url}${ENTER}`);
      await init.answer('IDENTITY_AUTH_URL [none]:', `https://identity.example.com${ENTER}`);
      await init.answer('IDENTITY_AUTH_URL has no /v3 at its end', '');
      await init.answer('IDENTITY_AUTH_URL [none]:', ENTER);
      await init.answer(`Trust ${new URL(billing.url).host} as well? [y/N]:`, `y${ENTER}`);
      expect(await init.ended).toBe(0);
      expect(init.output()).toContain('Tally can start.');
      expect(init.output()).toMatch(/1\. Start it: tally start\s+2\. In Slack, .*\/billing connect/);
      for (const secret of SECRETS) expect(init.output()).not.toContain(secret);
      expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
      expect((await readdir(folder)).sort()).toEqual(['.env', 'tally-manifest.yml']);
      expect(parse(await readFile(join(folder, 'tally-manifest.yml'), 'utf8')).settings).toMatchObject({
        socket_mode_enabled: true,
      });
      expect(await connectAndAsk()).toContain('left');
    }, 60_000);

    it('continues after a stop at each question, and changes no line', async () => {
      await openSlack('socket');
      const answers = [
        ['1 or 2 [1]:', ENTER],
        ['Prefix [none]:', ENTER],
        ['SLACK_BOT_TOKEN (hidden):', `${BOT_TOKEN}${ENTER}`],
        ['SLACK_APP_TOKEN (hidden):', `${APP_TOKEN}${ENTER}`],
        ['REDIS_URL [redis://127.0.0.1:6379]:', `${redis.url}${ENTER}`],
        ['BILLING_BASE_URL [none]:', ENTER],
        ['IDENTITY_AUTH_URL [none]:', ENTER],
      ] as const;
      // The first two are noted together.
      let before = '';
      for (const [at, [question]] of answers.entries()) {
        const init = initAtTerminal();
        for (const [asked, typed] of at === 2 ? answers.slice(0, 2) : answers.slice(Math.max(0, at - 1), at))
          await init.answer(asked, typed);
        await init.answer(question, CTRL_C);
        expect(await init.ended).toBe(130);
        expect(init.output()).toContain('Stopped. To continue: tally init');
        const now = at < 2 ? '' : await envFile();
        expect(now.startsWith(before)).toBe(true);
        expect((await readdir(folder)).filter((name) => name !== 'tally-manifest.yml')).toEqual(
          at < 2 ? [] : ['.env'],
        );
        before = now;
      }
      const last = initAtTerminal();
      await last.answer('IDENTITY_AUTH_URL [none]:', ENTER);
      expect(await last.ended).toBe(0);
      expect((await envFile()).match(/^\w+=/gm)).toEqual([
        ...['ENCRYPTION_KEYS=', 'SLACK_BOT_TOKEN=', 'SLACK_APP_TOKEN=', 'REDIS_URL='],
        ...['BILLING_BASE_URL=', 'IDENTITY_AUTH_URL='],
      ]);
    }, 120_000);
  },
);

describe('tally init without a terminal', () => {
  it('refuses keys of the environment that Tally could not start with, by name and without writing them', async () => {
    const short = Buffer.alloc(16, 7).toString('base64');
    const init = initAlone(['--socket'], { ENCRYPTION_KEYS: `2026:${short}` });
    expect(await init.ended).toBe(64);
    expect(init.output()).toMatch(/^ENCRYPTION_KEYS is invalid: key 1 h/m);
    expect(init.output()).not.toContain(short);
    expect(await envFile()).not.toContain('ENCRYPTION_KEYS');
  }, 60_000);

  it('names what is missing, remembers the rest, and leads to /acme-balance over HTTP', async () => {
    await openSlack('http', 'acme');
    const first = initAlone(['--url', 'https://tally.example.com/', '--prefix', 'acme']);
    expect(await first.ended).toBe(64);
    expect(first.output()).toContain(
      'Still missing: --bot-token-file or SLACK_BOT_TOKEN, --signing-secret-file or SLACK_SIGNING_SECRET, --redis-url or REDIS_URL.',
    );
    const begun = await envFile();
    expect(begun).toMatch(
      /^# tally init --url https:\/\/tally\.example\.com --prefix acme\nENCRYPTION_KEYS=\d{4}:.{44}\nCOMMAND_PREFIX=acme\n$/,
    );
    expect(await readFile(join(folder, 'tally-manifest.yml'), 'utf8')).toContain('command: /acme-balance');

    await writeFile(join(folder, 'secret'), `${SIGNING_SECRET}\n`);
    const second = initAlone(
      [
        ...['--signing-secret-file', 'secret', '--redis-url', redis.url, '--billing-url', billing.url],
        ...['--trusted-hosts', '127.0.0.1'],
      ],
      { SLACK_BOT_TOKEN: BOT_TOKEN },
    );
    expect([await second.ended, second.output()]).toEqual([0, expect.stringContaining('Tally can start.')]);
    expect(second.output()).toContain('/acme-billing connect');
    for (const secret of SECRETS) expect(second.output()).not.toContain(secret);
    expect((await envFile()).startsWith(begun)).toBe(true);
    expect(await connectAndAsk('acme-')).toContain('left');
  }, 60_000);

  it('names the file that it can’t write', async () => {
    await mkdir(join(folder, 'tally-manifest.yml'));
    const init = initAlone(['--socket']);
    expect([await init.ended, init.output()]).toEqual([
      73,
      expect.stringContaining('tally-manifest.yml can’t be used (EISDIR).'),
    ]);
  });

  it('takes only what looks like a signing secret', async () => {
    const init = initAlone(['--url', 'https://tally.example.com'], {
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: 'abc',
    });
    expect([await init.ended, init.output()]).toEqual([64, expect.stringContaining('32 hexadecimal digits')]);
  });

  it.each([
    [[], 'Choose one: --url with the bot’s address, or --socket for Socket Mode.'],
    [['--socket', '--url', 'https://a.example.com'], 'Choose one: --url or --socket.'],
    [['--socket', '--prefix', 'A'], '--prefix is not a prefix.'],
    [['--socket', '--bot-token-file', 'nowhere'], 'The file after --bot-token-file can’t be read.'],
    [['--socket', '--redis-url', 'http://127.0.0.1'], 'REDIS_URL '],
    [['--socket', '--bot-token', 'xoxb-1'], 'Unknown option --bot-token.'],
  ])('refuses %j with 64', async (options, line) => {
    const init = initAlone(options);
    expect([await init.ended, init.output()]).toEqual([64, expect.stringContaining(line)]);
    expect(init.output()).not.toContain('xoxb-1');
  });

  it('keeps what an existing file has, adds what is missing, and says when others can read it', async () => {
    await openSlack('socket');
    const own = `# my own\nREDIS_URL=${redis.url}\nLOG_LEVEL=warn`;
    await writeFile(join(folder, '.env'), own);
    await chmod(join(folder, '.env'), 0o644);
    const init = initAlone(['--socket'], { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_APP_TOKEN: APP_TOKEN });
    expect(await init.ended).toBe(0);
    expect((await envFile()).startsWith(`${own}\n# tally init --socket\nENCRYPTION_KEYS=`)).toBe(true);
    expect(init.output()).toContain('chmod 600 .env');
    expect(init.output()).toContain('.env exists. Tally keeps its values and adds the missing ones.');
    const other = initAlone(['--url', 'https://tally.example.com']);
    expect([await other.ended, other.output()]).toEqual([
      64,
      expect.stringContaining('started with --socket'),
    ]);
  });

  it('ends with what the doctor finds where Redis is away and Slack refuses the token', async () => {
    await openSlack('socket');
    const init = initAlone(['--socket', '--redis-url', 'redis://127.0.0.1:1'], {
      SLACK_BOT_TOKEN: 'xoxb-of-another-app',
      SLACK_APP_TOKEN: APP_TOKEN,
    });
    expect(await init.ended).toBe(1);
    expect(init.output()).toMatch(/^BAD +Redis /m);
    expect(init.output()).toMatch(/^BAD +Slack /m);
    expect(init.output()).toContain('Fix it in .env, then check again: tally doctor');
    expect(init.output()).not.toContain('Start it:');
  });
});
