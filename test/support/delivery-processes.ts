/** Delivery processes and a persistent Redis, for tests that kill them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { bundle } from '../../build.js';
import { SANDBOX_FOLDER } from '../../sandbox/build.ts';
import { requireServer } from './redis-servers.ts';

const FOLDER = join(SANDBOX_FOLDER, 'deliverer');

/** Bundled once, because a bundle starts much faster. */
let bundled: Promise<void> | undefined;

/** @param speed how much faster than real time the clock runs from `since` on */
export async function startDeliveryProcess(
  redisUrl: string,
  slackUrl: string,
  { since = 0, speed = 1 } = {},
): Promise<ChildProcess> {
  bundled ??= bundle([join(import.meta.dirname, 'delivery-process.ts')], FOLDER);
  await bundled;
  const args = [redisUrl, slackUrl, String(since), String(speed)];
  const child = spawn(process.execPath, [join(FOLDER, 'delivery-process.js'), ...args], {
    stdio: ['ignore', 'pipe', process.env.DELIVERY_LOG ? 'inherit' : 'ignore'],
  });
  endWithParent(child);
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The delivery process ended before it was ready (${signal ?? code}).`);
  });
  await Promise.race([once(child.stdout!, 'data'), ended]);
  ended.catch(() => undefined);
  return child;
}

export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
  patience = 8_000,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await Promise.race([gone, delay(patience, undefined, { ref: false })]);
  child.kill('SIGKILL');
  await gone;
}

export interface PersistentRedis {
  readonly url: string;
  restart(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** @throws Error if no server is installed */
export async function startPersistentRedis(): Promise<PersistentRedis> {
  const binary = requireServer();
  const home = await mkdtemp(join(tmpdir(), 'tally-lasting-'));
  const socket = join(home, 'redis.sock');
  const start = async () => {
    const args = ['--port', '0', '--unixsocket', socket, '--dir', home, '--appendonly', 'yes', '--save', ''];
    const server = spawn(binary, args, { stdio: 'ignore' });
    await once(server, 'spawn');
    endWithParent(server, home);
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
      await endProcess(server, 'SIGKILL');
      server = await start();
    },
    signal: (signal) => void server.kill(signal),
    async stop() {
      await endProcess(server, 'SIGKILL');
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The pipe closes when this process ends. SIGCONT comes first, because a stopped process can't end. */
const GUARD_SCRIPT = 'cat >/dev/null; kill -CONT "$1"; kill -9 "$1"; [ -z "$2" ] || rm -rf "$2"';

/**
 * Kills a child when this process ends, however it ends.
 * @param folder deleted with the child
 */
export function endWithParent(child: ChildProcess, folder = ''): void {
  const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'guard', String(child.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Otherwise Ctrl-C would end the guard before the child.
    detached: true,
  });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  child.once('exit', () => guard.kill('SIGKILL'));
}
