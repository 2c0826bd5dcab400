/** A real Redis, the fake services, and the process under test, all connected through fault proxies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../sandbox/bot-process.ts';
import { BOT_ENTRY, buildBot, CLOCK, ROOT } from '../../sandbox/build.ts';
import { endProcess } from '../support/delivery-processes.ts';
import { endWithParent } from '../support/end-with-parent.ts';
import { createFaultProxies, type FaultProxies } from './fault-proxies.ts';
import { type ChaosStore, openStore, type StoreKind } from './stores.ts';

export interface ChaosEnvironment {
  readonly store: ChaosStore;
  /** REDIS_URL for the process: through a proxy where there is one server. */
  readonly redisUrl: string;
  readonly proxies: FaultProxies;
  /** Kills the latest process. */
  killProcess(): void;
  /** Sets how far the clock of this and later processes is ahead, in ms. */
  setClock(ahead: number): void;
  isAlive(): boolean;
  /** Makes a process that was started elsewhere the latest one. */
  adopt(child: ChildProcess): void;
  /** Ends the latest process and starts `tally`; resolves when the bot is ready, or when another command has ended. */
  run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Process>;
  stop(): Promise<void>;
}

export interface Process {
  readonly url: string;
  readonly child: ChildProcess;
  output(): string;
}

/** A step contains a workspace's ID or the start of an HTTP request. */
const STEP_MARKERS = ['T0', 'POST /', 'DELETE /'];

export async function startChaosEnvironment(kind: StoreKind = 'one server'): Promise<ChaosEnvironment> {
  await buildBot(() => undefined);
  const store = await openStore(kind);
  const proxies = createFaultProxies(STEP_MARKERS);
  const proxied =
    kind === 'one server' ? `unix://${await proxies.open(store.url.replace('unix://', ''))}` : undefined;
  // Sentinels and Clusters name their servers themselves.
  const redisUrl = () => proxied ?? store.url;
  let latest: ChildProcess | undefined;
  let ahead = 0;
  const children: ChildProcess[] = [];
  const isAlive = (): boolean => latest?.exitCode === null && latest.signalCode === null;

  return {
    store,
    get redisUrl() {
      return redisUrl();
    },
    proxies,
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
      if (latest !== undefined) await endProcess(latest, 'SIGKILL');
      const port = await freePort();
      const clock = `${pathToFileURL(CLOCK).href}?ahead=${ahead}`;
      const child = spawn(process.execPath, ['--import', clock, BOT_ENTRY, ...args], {
        cwd: ROOT,
        env: { PATH: process.env.PATH, REDIS_URL: redisUrl(), PORT: String(port), ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      endWithParent(child);
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
      await Promise.all(children.map((child) => endProcess(child, 'SIGKILL')));
      await proxies.close();
      await store.stop();
    },
  };
}

/** @returns whether `holds` became true in time */
export async function becomesTrue(holds: () => unknown, timeout = 8_000): Promise<boolean> {
  const last = Date.now() + timeout;
  while (!(await holds())) {
    if (Date.now() > last) return false;
    await delay(15);
  }
  return true;
}
