/**
 * Starts a Redis: the one at `redisUrl`, else an installed redis-server or valkey-server, else one inside this
 * process. A started one listens on a Unix socket that only this user can open, and leaves no files.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRedisCommandExecutor, RedisServerState, Resp2Server } from 'js-redis-server/core';
import { findExecutable } from './find-executable.ts';

interface RedisOptions {
  /** An existing Redis; it is never stopped. */
  redisUrl?: string;
  /** The parent of the private directory; the system's temporary one by default. A socket's path is limited to 107 bytes. */
  dir?: string;
  /** Runs it inside this process even when a server is installed. */
  embedded?: boolean;
  /** One of the servers, by its name or path; by default the first that is installed. */
  binary?: string | undefined;
}

export interface RunningRedis {
  /** `redisUrl`, or `unix://` and the path of the socket. */
  url: string;
  kind: 'given' | Binary | 'embedded';
  stop(): Promise<void>;
}

type Binary = 'redis-server' | 'valkey-server';

const BINARIES: readonly Binary[] = ['redis-server', 'valkey-server'];
const START_TIMEOUT = 10_000;
/** Redis's default. */
const DATABASES = 16;

/** Removes the directory when the parent process ends, even if it is killed. */
const CLEANUP_SCRIPT = 'cat >/dev/null; rm -rf "$1"';

/** Stops the server when the pipe to the parent process closes, so that it ends with a killed parent too. */
const SUPERVISOR_SCRIPT = `"$1" --port 0 --unixsocket "$2" --unixsocketperm 600 --save '' --appendonly no >/dev/null 2>&1 &
cat >/dev/null
kill "$!"; wait "$!"; rm -rf "$3"`;

export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis> {
  if (options.redisUrl) return { url: options.redisUrl, kind: 'given', stop: async () => {} };
  const home = await mkdtemp(join(options.dir ?? tmpdir(), 'tally-redis-'));
  try {
    const found = options.embedded ? undefined : findBinary(options.binary);
    return found ? await startBinary(found, home) : await startEmbedded(home);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

function findBinary(binary?: string): { kind: Binary; path: string } | undefined {
  const wanted = BINARIES.filter((kind) => binary === undefined || basename(binary) === kind);
  for (const kind of wanted) {
    const path = binary !== undefined && isAbsolute(binary) ? binary : findExecutable(kind);
    if (path !== undefined) return { kind, path };
  }
  return undefined;
}

async function startBinary(
  { kind, path }: { kind: Binary; path: string },
  home: string,
): Promise<RunningRedis> {
  const socket = join(home, 'redis.sock');
  const supervisor = spawn('/bin/sh', ['-c', SUPERVISOR_SCRIPT, 'keeper', path, socket, home], {
    cwd: home,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Otherwise Ctrl-C would stop the server before the parent has saved its state.
    detached: true,
  });
  const gone = new Promise<void>((resolve) => {
    supervisor.once('close', () => resolve());
    supervisor.once('error', () => resolve());
  });
  const stop = async () => {
    supervisor.ref();
    supervisor.stdin.end();
    await gone;
  };
  try {
    await waitUntilReachable(socket);
  } catch (error) {
    await stop();
    throw new Error(`${kind} did not open its socket.`, { cause: error });
  }
  supervisor.unref();
  (supervisor.stdin as unknown as Socket).unref();
  return { url: `unix://${socket}`, kind, stop };
}

async function waitUntilReachable(socket: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT;
  for (;;) {
    try {
      return await tryConnect(socket);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(5);
    }
  }
}

function tryConnect(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

async function startEmbedded(home: string): Promise<RunningRedis> {
  const path = join(home, 'redis.sock');
  const resp = new Resp2Server({
    server: new RedisServerState({ databaseCount: DATABASES }),
    executor: createRedisCommandExecutor(),
  });
  const closeConnections = trackConnections(resp.server);
  const removeHome = () => rmSync(home, { recursive: true, force: true });
  await new Promise<void>((resolve, reject) => {
    resp.server.once('error', reject);
    // `Resp2Server.listen` takes only a port, on every interface.
    resp.server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  process.once('exit', removeHome);
  resp.server.unref();
  const cleanup = spawn('/bin/sh', ['-c', CLEANUP_SCRIPT, 'sweeper', home], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  cleanup.on('error', () => {});
  cleanup.unref();
  (cleanup.stdin as unknown as Socket).unref();
  return {
    url: `unix://${path}`,
    kind: 'embedded',
    async stop() {
      if (!resp.server.listening) return;
      const closed = resp.close();
      closeConnections();
      await closed;
      process.removeListener('exit', removeHome);
      removeHome();
      cleanup.stdin.end();
    },
  };
}

function trackConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
}
