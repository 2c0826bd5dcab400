/** The faults that can be injected at any step. */

import type { ChaosEnvironment } from './environment.ts';
import type { ProxyAction } from './fault-proxies.ts';

export interface Fault {
  /** Called at the step. @returns what the proxy does with the data */
  strike(environment: ChaosEnvironment): ProxyAction | Promise<ProxyAction>;
  /** Removes the fault. */
  heal?(environment: ChaosEnvironment): Promise<unknown>;
}

const during = (
  begin: (environment: ChaosEnvironment) => unknown,
  heal: (environment: ChaosEnvironment) => Promise<unknown>,
): Fault => ({
  strike: async (environment): Promise<ProxyAction> => {
    await begin(environment);
    return 'pass';
  },
  heal,
});

const DAY = 86_400_000;
const config = (environment: ChaosEnvironment, ...args: string[]) =>
  environment.store.client.call('CONFIG', 'SET', ...args);

export const FAULTS = {
  'the process is killed before its request arrives': {
    strike: (environment) => {
      environment.killProcess();
      return 'break-before';
    },
  },
  'the process is killed before it gets the answer': {
    strike: (environment) => {
      environment.killProcess();
      return 'break-after';
    },
  },
  'the connection breaks before the request arrives': { strike: () => 'break-before' },
  'the answer is lost': { strike: () => 'break-after' },
  'an error page comes in place of the request': { strike: () => 'error-before' },
  'an error page comes in place of the answer': { strike: () => 'error-after' },
  'Redis is killed and starts again': during(
    (environment) => environment.store.restart(),
    async () => undefined,
  ),
  'Redis is frozen': during(
    (environment) => environment.store.signal('SIGSTOP'),
    async (environment) => environment.store.signal('SIGCONT'),
  ),
  'Redis is full': during(
    (environment) => config(environment, 'maxmemory', '1'),
    (environment) => config(environment, 'maxmemory', '0'),
  ),
  'Redis is read-only': during(
    (environment) => environment.store.client.call('REPLICAOF', '127.0.0.1', '1'),
    (environment) => environment.store.client.call('REPLICAOF', 'NO', 'ONE'),
  ),
  'the clock jumps a day ahead': during(
    (environment) => environment.setClock(DAY),
    async () => undefined,
  ),
  'the clock jumps an hour back': during(
    (environment) => environment.setClock(-DAY / 24),
    async () => undefined,
  ),
} satisfies Record<string, Fault>;

/** Where Redis has several servers. */
export const FAILOVERS = {
  'the master is killed and a replica takes over': during(
    (environment) => environment.store.killMaster(),
    (environment) => environment.store.restore(),
  ),
} satisfies Record<string, Fault>;
