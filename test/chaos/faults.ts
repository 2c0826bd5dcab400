/** What breaks, at any step of anything. */
import type { Treatment } from './lines.ts';
import type { Stage } from './stage.ts';

export interface Fault {
  /** At the step. @returns what becomes of what was just said */
  strike(stage: Stage): Treatment | Promise<Treatment>;
  /** Ends what it began. */
  heal?(stage: Stage): Promise<unknown>;
}

const during = (begin: (stage: Stage) => unknown, heal: (stage: Stage) => Promise<unknown>): Fault => ({
  strike: async (stage): Promise<Treatment> => {
    await begin(stage);
    return 'pass';
  },
  heal,
});

const DAY = 86_400_000;
const config = (stage: Stage, ...args: string[]) => stage.client.call('CONFIG', 'SET', ...args);

export const FAULTS = {
  'the process is killed before it is heard': {
    strike: (stage) => {
      stage.killProcess();
      return 'break-before';
    },
  },
  'the process is killed before it hears the answer': {
    strike: (stage) => {
      stage.killProcess();
      return 'break-after';
    },
  },
  'the connection breaks before': { strike: () => 'break-before' },
  'the answer is lost': { strike: () => 'break-after' },
  'Redis is killed and starts again': during(
    (stage) => stage.redis.restart(),
    async () => undefined,
  ),
  'Redis stands still': during(
    (stage) => stage.redis.signal('SIGSTOP'),
    async (stage) => stage.redis.signal('SIGCONT'),
  ),
  'Redis is full': during(
    (stage) => config(stage, 'maxmemory', '1'),
    (stage) => config(stage, 'maxmemory', '0'),
  ),
  'Redis only reads': during(
    (stage) => stage.client.call('REPLICAOF', '127.0.0.1', '1'),
    (stage) => stage.client.call('REPLICAOF', 'NO', 'ONE'),
  ),
  'the clock jumps a day ahead': during(
    (stage) => stage.setClock(DAY),
    async () => undefined,
  ),
  'the clock jumps an hour back': during(
    (stage) => stage.setClock(-DAY / 24),
    async () => undefined,
  ),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
