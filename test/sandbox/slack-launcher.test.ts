import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../../sandbox/build.ts';
import { formatLogLine, WARN } from '../../sandbox/format-log.ts';
import { ORBIT_OWNER, OWNER, type Slack } from '../../sandbox/slack/index.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';

const COSTS = 'C0COSTS001';
const PATIENCE = { timeout: 15_000, interval: 50 };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.each(['http', 'socket'] as const)('the sandbox over %s', (mode) => {
  let sandbox: Sandbox;
  let pid = 0;
  beforeAll(async () => {
    sandbox = await startSandbox({ mode, withoutPage: true });
  });
  afterAll(() => sandbox.stop());

  it('runs the unmodified bot, which answers', async () => {
    const { slack } = sandbox;
    await slack.say(OWNER, COSTS, '/billing help');
    const answer = await slack.waitFor(() => slack.messages(OWNER, COSTS).at(-1));
    expect(answer).toMatchObject({ from: 'bot', ephemeral: true });
    expect(slack.complaints).toEqual([]);
  });

  it('shows that the bot is down when it dies, and restarts it', async () => {
    const { bot, slack } = sandbox;
    const before = bot.pid() ?? 0;
    process.kill(before, 'SIGKILL');
    await slack.waitFor(() => !slack.snapshot(OWNER).bot.up);
    await slack.waitFor(() => slack.snapshot(OWNER).bot.up, 15_000);
    pid = bot.pid() ?? 0;
    expect(pid).not.toBe(before);
  });

  it('stops and starts the bot from the panel', async () => {
    const { slack } = sandbox;
    const mode = () => slack.snapshot(OWNER).switches.find(({ service }) => service === 'bot')?.mode;
    const turn = async (to: string) => {
      await fetch(`${sandbox.url}/sandbox/switch`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ service: 'bot', mode: to }),
      });
      await slack.waitFor(() => mode() === to, 15_000);
    };
    await turn('stopped');
    expect(isAlive(pid)).toBe(false);
    await turn('running');
  });

  it('shows the traffic to the services without their tokens', async () => {
    const { slack, billing, identity } = sandbox;
    await fetch(`${billing.url}/bill/graphql`, {
      method: 'POST',
      headers: { 'X-User-Token': billing.tokens[0]?.value ?? '' },
    });
    await fetch(`${identity.authUrl}/auth/tokens`);
    await slack.waitFor(() => slack.traffic.entries.some(({ direction }) => direction === 'bot→identity'));
    const logged = JSON.stringify(slack.traffic.entries);
    expect(logged).toContain('bot→billing');
    for (const { value } of billing.tokens) expect(logged).not.toContain(value);
  });

  it('skips time for the bot, Slack and billing', async () => {
    const { slack, clock } = sandbox;
    const tomorrow = clock.now() + 86_400_000;
    const skip = (to: object) =>
      fetch(`${sandbox.url}/sandbox/skip`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ as: OWNER, to }),
      });
    const before = clock.now();
    expect(await (await skip({ time: '09:00' })).json()).toEqual({ ok: true });
    const { tz } = slack.snapshot(OWNER).people.find(({ id }) => id === OWNER)!;
    const shown = (at: number) =>
      new Date(at).toLocaleTimeString('sv-SE', { timeZone: tz, hour: '2-digit', minute: '2-digit' });
    expect(shown(clock.now() + 5_000)).toBe('09:00');
    expect(clock.now()).toBeGreaterThan(before);
    expect(await (await skip({ time: '25:00' })).json()).toEqual({ ok: false, error: 'no_such_time' });
    const later = clock.now();
    expect(await (await skip({ hours: 1 })).json()).toEqual({ ok: true });
    expect(clock.now()).toBeGreaterThanOrEqual(later + 3_600_000);
    expect((await skip({ hours: -1 })).status).toBe(400);

    clock.skipTo(tomorrow + 86_400_000);
    const said = slack.messages(OWNER, COSTS).length;
    await slack.say(OWNER, COSTS, '/spend 123 tomorow');
    const answer = await slack.waitFor(() => slack.messages(OWNER, COSTS)[said]);
    expect(Number(answer.ts) * 1000).toBeGreaterThan(tomorrow);
    expect(slack.complaints).toEqual([]);
    process.kill(sandbox.bot.pid() ?? 0, 'SIGKILL');
    await slack.waitFor(() => !slack.snapshot(OWNER).bot.up);
    await slack.waitFor(() => slack.snapshot(OWNER).bot.up, 15_000);
    const more = slack.messages(OWNER, COSTS).length;
    await slack.say(OWNER, COSTS, '/billing help');
    await slack.waitFor(() => slack.messages(OWNER, COSTS)[more]);
    pid = sandbox.bot.pid() ?? 0;
  });

  it('stops the bot and its own server when it is stopped', async () => {
    const last = sandbox.bot.pid() ?? 0;
    await sandbox.stop();
    expect(isAlive(last)).toBe(false);
    await expect(fetch(sandbox.url)).rejects.toThrow('fetch failed');
  });
});

describe('npm run sandbox', () => {
  it('stops the bot when it is killed', async () => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const args = ['--import', 'tsx', 'sandbox/main.ts', '--no-open', '--port', '0'];
    const launcher = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    launcher.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    const pid = await vi.waitFor(
      () => {
        const [, found] = /process (\d+)/.exec(said) ?? [];
        if (!found) throw new Error(`It has said only:\n${said}`);
        return Number(found);
      },
      { timeout: 60_000, interval: 50 },
    );
    expect(said).toMatch(/Open +http:\/\/127\.0\.0\.1:\d+\n/);
    expect(isAlive(pid)).toBe(true);
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENCE);
  }, 90_000);
});

describe('the sandbox with --oauth', () => {
  const ORBIT = 'T0SANDBOX2';
  const ORBIT_GENERAL = 'C0ORBITGEN';
  let sandbox: Sandbox;
  let slack: Slack;
  beforeAll(async () => {
    sandbox = await startSandbox({ oauth: true, withoutPage: true });
    slack = sandbox.slack;
  });
  afterAll(() => sandbox.stop());

  const keys = async () => {
    const redis = new Redis(sandbox.redis.url.replace('unix://', ''));
    const found = await redis.keys('*');
    await redis.quit();
    return found.filter((key) => key.includes(ORBIT));
  };

  /** Follows the install flow: the bot's page, Slack's page, and back. */
  async function installAs(who: string): Promise<string> {
    const { install: offered } = slack.snapshot(ORBIT_OWNER);
    const landing = await fetch(offered!.url);
    const cookie = landing.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const link = /href="([^"]*oauth\/v2\/authorize[^"]*)"/
      .exec(await landing.text())![1]!
      .replaceAll('&amp;', '&');
    expect((await fetch(link)).status).toBe(200);
    const body = new URLSearchParams({ who, answer: 'allow' });
    const asked = await fetch(link, { method: 'POST', body, redirect: 'manual' });
    const done = await fetch(asked.headers.get('location')!, { headers: { cookie } });
    return done.text();
  }

  it('installs Tally in the second workspace, where it answers, and deletes that workspace’s data on uninstall', async () => {
    expect(slack.snapshot(ORBIT_OWNER).install).toMatchObject({ isInstalled: false });
    expect(await installAs(`${ORBIT}/${ORBIT_OWNER}`)).toContain('Tally is installed');
    expect(slack.snapshot(ORBIT_OWNER).install).toMatchObject({ isInstalled: true });
    await slack.say(ORBIT_OWNER, ORBIT_GENERAL, '/billing help');
    await slack.waitFor(() => slack.messages(ORBIT_OWNER, ORBIT_GENERAL).some(({ from }) => from === 'bot'));
    expect(await keys()).not.toEqual([]);

    await slack.uninstall(ORBIT_OWNER);
    await expect.poll(keys).toEqual([]);
    expect(slack.snapshot(OWNER).install).toMatchObject({ isInstalled: false });
  });
});

describe('the log of the bot', () => {
  it.each([
    ['{"level":"warn","msg":"slow","took":3,"pid":1}', 'bot  warn  slow  took=3'],
    [
      '{"level":50,"msg":"bad","err":{"stack":"Error: no\\n  at x"}}',
      'bot  error  bad\n    Error: no\n      at x',
    ],
    ['{"level":"info","msg":"fine"}', undefined],
    ['{"level":30,"msg":"fine"}', undefined],
    ['not JSON', 'not JSON'],
    ['', undefined],
  ])('shows %s as a line for people, or not at all', (line, shown) => {
    expect(formatLogLine(line, WARN)).toBe(shown);
  });
});
