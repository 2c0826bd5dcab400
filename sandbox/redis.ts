/**
 * Connects to an existing Redis, or starts one: an installed redis-server or valkey-server, or one inside this
 * process. A started Redis listens on a private Unix socket and leaves no files.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createRedisCommandExecutor, RedisServerState, Resp2Server } from 'js-redis-server/core';
import { findExecutable } from './find-executable.ts';

interface RedisOptions {
  redisUrl?: string;
  /** The parent folder of the socket. A socket's path can have at most 107 bytes. */
  dir?: string;
  embedded?: boolean;
  /** A server's name or path; by default the first that is installed. */
  binary?: string | undefined;
}

export interface RunningRedis {
  url: string;
  kind: 'given' | Binary | 'embedded';
  stop(): Promise<void>;
}

type Binary = 'redis-server' | 'valkey-server';

const BINARIES: readonly Binary[] = ['redis-server', 'valkey-server'];
const START_TIMEOUT = 10_000;
const DATABASES = 16;

/**
 * When this process ends, even by SIGKILL, the pipe to the shell closes. The shell then ends the server and
 * deletes its folder.
 */
const KEEPER = `if [ -n "$2" ]; then "$2" --port 0 --unixsocket "$1/redis.sock" --unixsocketperm 600 --save '' --appendonly no >/dev/null 2>&1 & fi
cat >/dev/null
[ -z "$!" ] || { kill "$!"; wait "$!"; }
rm -rf "$1"`;

export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis> {
  if (options.redisUrl) return { url: options.redisUrl, kind: 'given', stop: async () => {} };
  const home = await mkdtemp(join(options.dir ?? tmpdir(), 'tally-redis-'));
  const socket = join(home, 'redis.sock');
  const found = options.embedded ? undefined : findBinary(options.binary);
  const keeper = startKeeper(home, found?.path ?? '');
  const gone = once(keeper, 'close');
  let stopEmbedded = async () => {};
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      await stopEmbedded();
      keeper.ref();
      keeper.stdin.end();
      await gone;
    })();
    return stopping;
  };
  try {
    if (!found) stopEmbedded = await startEmbedded(socket);
    await waitUntilReachable(socket);
  } catch (error) {
    await stop();
    throw new Error(`${found?.kind ?? 'Redis'} did not open its socket.`, { cause: error });
  }
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  return { url: `unix://${socket}`, kind: found?.kind ?? 'embedded', stop };
}

/** In its own process group: otherwise Ctrl-C would stop the server before the bot has saved its state. */
function startKeeper(home: string, binary: string): ChildProcessByStdio<Writable, null, null> {
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', home, binary], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  keeper.unref();
  (keeper.stdin as unknown as Socket).unref();
  return keeper;
}

function findBinary(binary?: string): { kind: Binary; path: string } | undefined {
  for (const kind of BINARIES.filter((kind) => binary === undefined || basename(binary) === kind)) {
    const path = binary !== undefined && isAbsolute(binary) ? binary : findExecutable(kind);
    if (path !== undefined) return { kind, path };
  }
  return undefined;
}

async function waitUntilReachable(path: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT;
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(5);
    } finally {
      socket.destroy();
    }
  }
}

async function startEmbedded(path: string): Promise<() => Promise<void>> {
  const resp = new Resp2Server({
    server: new RedisServerState({ databaseCount: DATABASES }),
    executor: createRedisCommandExecutor(),
  });
  const open = new Set<Socket>();
  resp.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // `Resp2Server.listen` accepts only a port, and opens it on every interface.
  await once(resp.server.listen(path), 'listening');
  await chmod(path, 0o600);
  resp.server.unref();
  return async () => {
    const closed = resp.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
}
