/** Runs the unmodified bot as a child process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { prettyFactory } from 'pino-pretty';
import { BOT_ENTRY, CLOCK } from './build.ts';
import type { Clock } from './clock.ts';

interface BotOptions {
  /** The bot's environment without `PORT`. Of this process's own variables only `INHERITED_ENV` is passed on. */
  env: (url: string) => Record<string, string>;
  verbose: boolean;
  log: (line: string) => void;
  clock: Clock;
  onChange: () => void;
}

export type Bot = Awaited<ReturnType<typeof startBot>>;

const READY_WITHIN = 30_000;
const KILLED_AFTER = 12_000;

const INHERITED_ENV = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot'];

/** Resolves when the bot is ready. @throws Error if it isn't ready in time */
export async function startBot(options: BotOptions) {
  const { clock, log, onChange } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const format = prettyFactory({
    colorize: false,
    singleLine: true,
    ignore: 'time,pid,hostname,name',
    minimumLevel: options.verbose ? 'trace' : 'warn',
  });
  let isUp = false;

  const bot = spawnBot({ ...options.env(url), PORT: String(port) }, clock.skipped());
  clock.onSkip((ahead) => bot.connected && bot.send({ ahead }));
  for (const input of [bot.stdout, bot.stderr]) {
    if (!input) continue;
    createInterface({ input }).on('line', (line) => {
      const shown = format(line)?.trimEnd();
      if (shown) log(shown);
    });
  }
  const gone = once(bot, 'exit').then(() => {
    isUp = false;
    onChange();
  });
  isUp = await Promise.race([waitUntilReady(url, bot), gone.then(() => false)]);
  if (!isUp) {
    await terminate(bot);
    throw new Error('The bot didn’t become ready.');
  }
  onChange();
  return { url, pid: bot.pid, up: () => isUp, stop: () => terminate(bot) };
}

function spawnBot(env: Record<string, string>, ahead: number): ChildProcess {
  const inherited = INHERITED_ENV.filter((name) => process.env[name] !== undefined);
  return spawn(
    process.execPath,
    ['--import', `${pathToFileURL(CLOCK).href}?ahead=${ahead}`, BOT_ENTRY, 'start'],
    {
      // This folder has no .env file, which the bot would read.
      cwd: dirname(CLOCK),
      env: { ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])), ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Its own process group: Ctrl-C reaches only this process, which then stops the bot.
      detached: true,
    },
  );
}

async function waitUntilReady(url: string, bot: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + READY_WITHIN;
  while (bot.exitCode === null && performance.now() < deadline) {
    const signal = AbortSignal.timeout(2_000);
    const answer = await fetch(`${url}/readyz`, { signal }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return true;
    await delay(50);
  }
  return false;
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), KILLED_AFTER);
  await gone;
  clearTimeout(timer);
}

/** The bot needs a port number and can't choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
