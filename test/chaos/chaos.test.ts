/**
 * Injects a fault at one step of an operation, removes it, and checks the guarantees. `npm run test:chaos` injects every
 * fault at every step; a normal run injects one for each operation. CHAOS_SEED=… repeats a run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skippedTitle } from '../support/describe-unless.ts';
import { NO_SERVER } from '../support/redis-servers.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type ChaosEnvironment, startChaosEnvironment } from './environment.ts';
import { FAILOVERS, FAULTS, type Fault } from './faults.ts';
import { createInstallation } from './installation.ts';
import {
  createDeliveries,
  createReseal,
  createTokenIssue,
  createTokenRevocation,
  type Operation,
} from './operations.ts';
import type { StoreKind } from './stores.ts';

const isFullRun = process.env.CHAOS === 'whole';
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1e9));
/** More than any operation takes. */
const MAX_STEPS = 60;

const OPERATIONS: Readonly<
  Record<string, { create: (environment: ChaosEnvironment) => Promise<Operation>; steps: number }>
> = {
  'a delivery': { create: createDeliveries, steps: 30 },
  'an OS_TOKEN’s issue': { create: createTokenIssue, steps: 12 },
  'an OS_TOKEN’s revocation': { create: createTokenRevocation, steps: 10 },
  resealing: { create: createReseal, steps: 14 },
  'an installation': { create: createInstallation, steps: 12 },
};

const random = seededRandom(seed);

interface Run {
  readonly operationName: keyof typeof OPERATIONS;
  readonly store: StoreKind;
  readonly faults: Readonly<Record<string, Fault>>;
}

const runs: readonly Run[] = [
  ...Object.keys(OPERATIONS).map((operationName) => ({
    operationName,
    store: 'one server' as const,
    faults: FAULTS,
  })),
  ...(['Sentinels', 'a Cluster'] as const).flatMap((store) =>
    ['a delivery', 'an OS_TOKEN’s issue', 'an OS_TOKEN’s revocation'].map((operationName) => ({
      operationName,
      store,
      faults: FAILOVERS,
    })),
  ),
];
/** A normal run has one operation with several servers, which take seconds to start. */
const chosen = isFullRun
  ? runs
  : [...runs.filter(({ store }) => store === 'one server'), runs.at(-1 - Math.floor(random() * 6))!];

const titled = chosen.map(
  (run) => [skippedTitle(`${run.operationName} with ${run.store}`, NO_SERVER), run] as const,
);

describe.skipIf(NO_SERVER !== undefined).each(titled)('%s', (title, { operationName, store, faults }) => {
  const { create, steps } = OPERATIONS[operationName]!;
  const names = Object.keys(faults);
  let environment: ChaosEnvironment;
  let operation: Operation;
  beforeAll(async () => {
    environment = await startChaosEnvironment(store);
    operation = await create(environment);
  }, 60_000);
  afterAll(async () => {
    await operation?.close();
    await environment?.stop();
  });

  /** @returns how many steps the operation took, and which guarantees were broken */
  async function runWithFault(name: string, step: number): Promise<{ counted: number; broken: string[] }> {
    const fault = faults[name]!;
    let isStruck = false;
    let counted = 0;
    const broken = await operation.run(
      () =>
        environment.proxies.arm(step, () => {
          isStruck = true;
          return fault.strike(environment);
        }),
      async () => {
        counted = environment.proxies.disarm();
        if (isStruck) await fault.heal?.(environment);
      },
    );
    return { counted, broken: broken.map((guarantee) => `step ${step}: ${guarantee}`) };
  }

  if (isFullRun)
    it.each(names)(
      'keeps its guarantees at every step: %s',
      async (name) => {
        const all: string[] = [];
        const begun = Date.now();
        let step = 1;
        for (; step <= MAX_STEPS; step += 1) {
          const { counted, broken } = await runWithFault(name, step);
          all.push(...broken);
          if (counted < step) break;
        }
        const seconds = ((Date.now() - begun) / 1000).toFixed(0);
        process.stderr.write(`${title}, ${name}: ${step} steps in ${seconds} s\n`);
        expect(all).toEqual([]);
      },
      1_800_000,
    );
  else
    it(`keeps its guarantees when a fault happens at some step (CHAOS_SEED=${seed})`, async () => {
      const name = names[Math.floor(random() * names.length)]!;
      const step = 1 + Math.floor(random() * (store === 'one server' ? steps : 6));
      expect((await runWithFault(name, step)).broken, name).toEqual([]);
    }, 180_000);
});
