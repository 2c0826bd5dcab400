/** Redis, services and the process that is tried: all of it real, and none of it safe. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { freePort } from '../../sandbox/bot-process.ts';
import { BOT_ENTRY, buildBot, CLOCK, ROOT } from '../../sandbox/build.ts';
import { end, type LastingRedis, startLastingRedis } from '../support/delivery-processes.ts';
import { createLines, type Lines } from './lines.ts';

export interface Stage {
  readonly redis: LastingRedis;
  /** Past the lines. */
  readonly client: Redis;
  /** What a process takes as REDIS_URL: through a line. */
  readonly redisUrl: string;
  readonly lines: Lines;
  /** Of the process that was started last: killed at once. */
  killProcess(): void;
  /** How far the clock of the next processes and of this one is ahead, in ms. */
  setClock(ahead: number): void;
  isAlive(): boolean;
  /** A process that was started elsewhere is the latest one. */
  adopt(child: ChildProcess): void;
  /** Starts `tally` with an environment, after the process before it has ended; comes back when it is ready, or ended where it is no server. */
  run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Process>;
  stop(): Promise<void>;
}

export interface Process {
  readonly url: string;
  readonly child: ChildProcess;
  output(): string;
}

/** What a step mentions of the workspaces on the stage, and what HTTP requests begin with. */
const STEPS = ['T0', 'POST /', 'DELETE /'];

export async function openStage(): Promise<Stage> {
  await buildBot(() => undefined);
  const redis = await startLastingRedis();
  const lines = createLines(STEPS);
  const path = redis.url.replace('unix://', '');
  const redisUrl = `unix://${await lines.open(path)}`;
  const client = new Redis(path, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  let latest: ChildProcess | undefined;
  let ahead = 0;
  const children: ChildProcess[] = [];
  const isAlive = (): boolean => latest?.exitCode === null && latest.signalCode === null;

  return {
    redis,
    client,
    redisUrl,
    lines,
    isAlive,
    adopt(child) {
      latest = child;
      children.push(child);
    },
    killProcess: () => void latest?.kill('SIGKILL'),
    setClock(ms) {
      ahead = ms;
      if (isAlive() && latest?.connected) latest.send({ ahead: ms });
    },
    async run(args, env) {
      if (latest !== undefined) await end(latest, 'SIGKILL');
      const port = await freePort();
      const clock = `${pathToFileURL(CLOCK).href}?ahead=${ahead}`;
      const child = spawn(process.execPath, ['--import', clock, BOT_ENTRY, ...args], {
        cwd: ROOT,
        env: { PATH: process.env.PATH, REDIS_URL: redisUrl, PORT: String(port), ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      latest = child;
      children.push(child);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (part) => {
          output += String(part);
        });
      const url = `http://127.0.0.1:${port}`;
      const started = { url, child, output: () => output };
      if (args[0] !== 'start') {
        await once(child, 'close');
        return started;
      }
      while (
        isAlive() &&
        !(await fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ))
      )
        await delay(20);
      if (!isAlive()) throw new Error(`The bot did not start:\n${output}`);
      return started;
    },
    async stop() {
      client.disconnect();
      await Promise.all(children.map((child) => end(child, 'SIGKILL')));
      await lines.close();
      await redis.stop();
    },
  };
}

/** @returns whether it came to hold within that time */
export async function comes(holds: () => unknown, patience = 8_000): Promise<boolean> {
  const last = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > last) return false;
    await delay(15);
  }
  return true;
}
