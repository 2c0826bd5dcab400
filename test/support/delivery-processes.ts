/** Delivery processes and a Redis that writes to disk; a test can kill both. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { bundle } from '../../build.ts';
import { type BuildTarget, build, SANDBOX_FOLDER } from '../../sandbox/build.ts';

/** Bundled once for all that are started: a bundle starts in a fraction of the time. */
const DELIVERER: BuildTarget = {
  name: 'deliverer',
  sources: ['src', 'test/support', 'build.ts', 'package-lock.json'],
  output: join(SANDBOX_FOLDER, 'deliverer', 'delivery-process.js'),
  run: () => bundle([join(import.meta.dirname, 'delivery-process.ts')], join(SANDBOX_FOLDER, 'deliverer')),
};

/** @param speed of its clock from `since` (ms) on, so that what waits by the clock is over sooner */
export async function startDeliverer(
  redisUrl: string,
  slackUrl: string,
  { since = 0, speed = 1 } = {},
): Promise<ChildProcess> {
  await build(DELIVERER, () => undefined);
  const args = [redisUrl, slackUrl, String(since), String(speed)];
  const child = spawn(process.execPath, [DELIVERER.output, ...args], {
    stdio: ['ignore', 'pipe', process.env.DELIVERY_LOG ? 'inherit' : 'ignore'],
  });
  await once(child.stdout!, 'data');
  return child;
}

/** Killed if it does not end in time. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await Promise.race([gone, delay(8_000, undefined, { ref: false })]);
  child.kill('SIGKILL');
  await gone;
}

export interface LastingRedis {
  readonly url: string;
  /** Kills the process and starts another one that reads its file. */
  restart(): Promise<void>;
  /** To its process: SIGSTOP, SIGCONT. */
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** With an append-only file. @throws where there is no redis-server */
export async function startLastingRedis(): Promise<LastingRedis> {
  const home = await mkdtemp(join(tmpdir(), 'tally-lasting-'));
  const socket = join(home, 'redis.sock');
  const start = async () => {
    const args = ['--port', '0', '--unixsocket', socket, '--dir', home, '--appendonly', 'yes', '--save', ''];
    const server = spawn('redis-server', args, { stdio: 'ignore' });
    await once(server, 'spawn');
    const redis = new Redis(socket, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    await redis.ping();
    redis.disconnect();
    return server;
  };
  let server = await start();
  return {
    url: `unix://${socket}`,
    async restart() {
      await end(server, 'SIGKILL');
      server = await start();
    },
    signal: (signal) => void server.kill(signal),
    async stop() {
      await end(server, 'SIGKILL');
      await rm(home, { recursive: true, force: true });
    },
  };
}
