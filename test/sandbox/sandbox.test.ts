import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../../sandbox/build.ts';
import { nextTime } from '../../sandbox/clock.ts';
import { startRedis } from '../../sandbox/redis.ts';
import { ORBIT_OWNER, OWNER } from '../../sandbox/slack/index.ts';
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

describe.each(['http', 'socket'] as const)('the sandbox in %s mode', (mode) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ mode, withoutPage: true });
  }, 60_000);
  afterAll(() => sandbox.stop());

  const answer = async (text: string) => {
    const { slack } = sandbox;
    const said = slack.messages(OWNER, COSTS).length;
    await slack.say(OWNER, COSTS, text);
    return slack.waitFor(() => slack.messages(OWNER, COSTS)[said], 15_000);
  };
  const post = async (verb: string, content: object) => {
    const [headers, body] = [{ 'Content-Type': 'application/json' }, JSON.stringify(content)];
    return (await fetch(`${sandbox.url}/sandbox/${verb}`, { method: 'POST', headers, body })).json();
  };

  it('starts a bot that answers commands', async () => {
    expect(await answer('/billing help')).toMatchObject({ from: 'bot', ephemeral: true });
    expect(sandbox.slack.complaints).toEqual([]);
  });

  it('starts services that work until somebody makes them fail', async () => {
    const { billing, slack } = sandbox;
    for (const { mode, modes } of slack.snapshot(OWNER).switches) expect(mode).toBe(modes[0]?.mode);
    expect(await post('switch', { service: 'billing', mode: 'failing' })).toEqual({ ok: true });
    expect(billing.mode()).toBe('failing');
    expect(await post('switch', { service: 'billing', mode: 'rain' })).toMatchObject({ ok: false });
    await post('switch', { service: 'billing', mode: 'healthy' });
  });

  it('lets people skip ahead by 48 hours, and refuses an impossible time', async () => {
    const { clock } = sandbox;
    expect(await post('skip', { as: OWNER, to: { time: '25:00' } })).toMatchObject({ ok: false });
    const before = clock.now();
    await post('skip', { as: OWNER, to: { hours: 48 } });
    const { ts } = await answer('/spend 123 tomorow');
    expect(Number(ts) * 1000).toBeGreaterThan(before + 48 * 3_600_000);
  });

  it('stops its bot and its server', async () => {
    const pid = sandbox.bot.pid!;
    await sandbox.stop();
    expect(isAlive(pid)).toBe(false);
    await expect(fetch(sandbox.url)).rejects.toThrow('fetch failed');
  });
});

it('the sandbox’s bot stops even if the process of “npm run sandbox” is killed', async () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const args = ['--import', 'tsx', 'sandbox/main.ts', '--no-open', '--port', '0'];
  const launcher = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  launcher.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  const pid = await vi.waitFor(() => Number(/process (\d+)/.exec(said)![1]), { timeout: 60_000 });
  expect(said).toMatch(/Open +http:\/\/127\.0\.0\.1:\d+\n/);
  launcher.kill('SIGKILL');
  await once(launcher, 'exit');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENCE);
}, 90_000);

it('the sandbox’s Tally is installed by OAuth, and an uninstall deletes the workspace’s data', async () => {
  const sandbox = await startSandbox({ oauth: true, withoutPage: true });
  const { slack, redis } = sandbox;
  try {
    const landing = await fetch(slack.snapshot(ORBIT_OWNER).install!.url, { redirect: 'manual' });
    const cookie = landing.headers.getSetCookie().map((each) => each.split(';')[0]!);
    const consent = landing.headers.get('location')!;
    const body = new URLSearchParams({ who: `T0SANDBOX2/${ORBIT_OWNER}`, answer: 'allow' });
    expect(await (await fetch(consent)).text()).toContain('Install Tally?');
    const allowed = await fetch(consent, { method: 'POST', body, redirect: 'manual' });
    const headers = { cookie: cookie.join('; ') };
    expect(await (await fetch(allowed.headers.get('location')!, { headers })).text()).toContain('Thank you!');
    await slack.say(ORBIT_OWNER, 'C0ORBITGEN', '/billing help');
    await slack.waitFor(() => slack.messages(ORBIT_OWNER, 'C0ORBITGEN').some(({ from }) => from === 'bot'));
    const client = new Redis(redis.url.replace('unix://', ''));
    const keys = async () => (await client.keys('*')).filter((key) => key.includes('T0SANDBOX2'));
    expect(await keys()).not.toEqual([]);
    await slack.uninstall(ORBIT_OWNER);
    await expect.poll(keys).toEqual([]);
    client.disconnect();
  } finally {
    await sandbox.stop();
  }
}, 60_000);

it.each([true, false])(
  'the sandbox’s Redis is readable only by the current user, and stops with the sandbox (embedded: %s)',
  async (embedded) => {
    const dir = await mkdtemp(join(tmpdir(), 'tally-test-'));
    const redis = await startRedis({ embedded, dir });
    const client = new Redis(redis.url.replace('unix://', ''));
    expect(await client.set('k', 'v')).toBe('OK');
    client.disconnect();
    expect((await stat(redis.url.replace('unix://', ''))).mode & 0o777).toBe(0o600);
    await redis.stop();
    expect(await readdir(dir)).toEqual([]);
    const module = new URL('../../sandbox/redis.ts', import.meta.url).href;
    const script = `import { startRedis } from ${JSON.stringify(module)};
    console.log((await startRedis(${JSON.stringify({ dir, embedded })})).kind);
    setInterval(() => {}, 1_000);`;
    const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    await once(owner.stdout, 'data');
    expect(await readdir(dir)).toHaveLength(1);
    owner.kill('SIGKILL');
    await vi.waitFor(async () => expect(await readdir(dir)).toEqual([]), PATIENCE);
    await rm(dir, { recursive: true });
  },
);

it.each([
  ['09:00', 'UTC', '2026-11-21T08:00:00Z', '2026-11-21T09:00:00Z'],
  ['09:00', 'UTC', '2026-11-21T08:59:57Z', '2026-11-22T09:00:00Z'],
  ['02:30', 'America/New_York', '2026-03-08T06:00:00Z', '2026-03-09T06:30:00Z'],
])('the next %s in %s after %s is at %s', (time, zone, now, next) => {
  expect(nextTime(time, zone, Date.parse(now))).toBe(Date.parse(next));
});
