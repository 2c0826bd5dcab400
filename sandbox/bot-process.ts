/** Runs the unmodified bot as a child process and restarts it when it exits. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { BOT_ENTRY, CLOCK, ROOT } from './build.ts';
import type { Clock } from './clock.ts';
import { formatLogLine } from './format-log.ts';

export interface BotOptions {
  /** The bot's environment, without `PORT`. Nothing else of this process's environment is passed on. */
  env: (url: string) => Record<string, string>;
  /** The lowest level of the bot's log that is shown, as a pino number. */
  minLevel: number;
  log: (line: string) => void;
  /** The bot's clock follows this one. */
  clock: Clock;
  /** Called when the bot becomes ready or exits. */
  onChange: () => void;
}

export interface Bot {
  url: string;
  pid(): number | undefined;
  up(): boolean;
  /** Resolves when the bot is ready; rejects when it does not become ready. */
  start(): Promise<void>;
  /** Sends SIGTERM, and SIGKILL after 12 s. The bot is not restarted. */
  stop(): Promise<void>;
}

const READY_WITHIN = 30_000;
const KILLED_AFTER = 12_000;
const BACK_OFF = [500, 1_000, 2_000, 5_000, 10_000, 30_000];
const LAST_LINES = 20;

/** Node does not run without these. */
const INHERITED_ENV = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot'];

/**
 * Stops the bot when this process is killed: the shell reads a pipe from this process, and the pipe closes with it.
 */
const WATCHDOG = `trap '' INT TERM HUP
cat >/dev/null
kill -TERM "$1" 2>/dev/null || exit 0
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1; kill -0 "$1" 2>/dev/null || exit 0; done
kill -KILL "$1" 2>/dev/null`;

export async function createBot(options: BotOptions): Promise<Bot> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let isWanted = false;
  let isUp = false;
  let deaths = 0;
  const retry = { controller: new AbortController() };

  const setUp = (up: boolean) => {
    isUp = up;
    options.onChange();
  };

  async function launch(): Promise<void> {
    const last: string[] = [];
    const bot = spawnBot(options.env(url), port, options.clock.skipped());
    child = bot;
    const stopWatchdog = startWatchdog(bot);
    const unskip = options.clock.onSkip((ahead) => bot.connected && bot.send({ ahead }));
    for (const stream of [bot.stdout, bot.stderr]) relay(stream, options, last);
    const gone = once(bot, 'exit').then(([code, signal]) => {
      stopWatchdog();
      unskip();
      if (child === bot) child = undefined;
      setUp(false);
      return String(signal ?? `code ${code}`);
    });
    const isReady = await Promise.race([waitUntilReady(url, gone), gone.then(() => false)]);
    if (!isReady) {
      const how = await terminate(bot, gone);
      throw new Error(`The bot did not become ready (${how}).\n${last.join('\n')}`);
    }
    setUp(true);
    void gone.then(restart);
  }

  async function restart(how: string): Promise<void> {
    if (!isWanted) return;
    const wait = BACK_OFF[Math.min(deaths++, BACK_OFF.length - 1)] ?? 0;
    options.log(`The bot ended (${how}); starting it again in ${wait / 1000} s.`);
    await delay(wait, undefined, { signal: retry.controller.signal }).catch(() => {});
    if (!isWanted || child) return;
    await launch().catch((error: Error) => {
      options.log(error.message);
      return restart('not ready');
    });
  }

  return {
    url,
    pid: () => child?.pid,
    up: () => isUp,
    async start() {
      if (child) return;
      isWanted = true;
      deaths = 0;
      retry.controller = new AbortController();
      await launch();
    },
    async stop() {
      isWanted = false;
      retry.controller.abort();
      const bot = child;
      if (bot) await terminate(bot, once(bot, 'exit'));
    },
  };
}

function spawnBot(env: Record<string, string>, port: number, ahead: number): ChildProcess {
  const kept = INHERITED_ENV.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const clock = `${pathToFileURL(CLOCK).href}?ahead=${ahead}`;
  return spawn(process.execPath, ['--import', clock, BOT_ENTRY, 'start'], {
    // Not where a .env may be.
    cwd: join(ROOT, 'sandbox'),
    env: { ...Object.fromEntries(kept), ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // In its own process group, so that Ctrl-C reaches only this process, which then stops the bot.
    detached: true,
  });
}

function startWatchdog(child: ChildProcess): () => void {
  if (process.platform === 'win32' || child.pid === undefined) return () => {};
  const guardian = spawn('/bin/sh', ['-c', WATCHDOG, 'guardian', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guardian.on('error', () => {});
  guardian.unref();
  (guardian.stdin as unknown as Socket).unref();
  return () => guardian.kill('SIGKILL');
}

function relay(stream: Readable | null, { minLevel, log }: BotOptions, last: string[]): void {
  if (!stream) return;
  createInterface({ input: stream }).on('line', (line) => {
    last.push(formatLogLine(line, 0) ?? '');
    if (last.length > LAST_LINES) last.shift();
    const shown = formatLogLine(line, minLevel);
    if (shown !== undefined) log(shown);
  });
}

async function waitUntilReady(url: string, gone: Promise<unknown>): Promise<boolean> {
  let isGone = false;
  void gone.then(() => {
    isGone = true;
  });
  const deadline = performance.now() + READY_WITHIN;
  while (!isGone && performance.now() < deadline) {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    if (answer?.ok) return true;
    await delay(50);
  }
  return false;
}

/** Resolves when the process has exited. */
async function terminate<T>(child: ChildProcess, gone: Promise<T>): Promise<T> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), KILLED_AFTER);
  try {
    return await gone;
  } finally {
    clearTimeout(timer);
  }
}

/** The bot needs a port number and cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
