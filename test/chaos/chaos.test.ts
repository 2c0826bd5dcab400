/**
 * Injects a fault at one step of an operation, removes it, and checks the guarantees. `npm run test:chaos` injects every
 * fault at every step; a normal run injects one for each operation. CHAOS_SEED=… repeats a run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVER_BINARY } from '../support/redis-servers.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type ChaosEnvironment, startChaosEnvironment } from './environment.ts';
import { FAULTS, type Fault, type FaultName } from './faults.ts';
import { createInstallation } from './installation.ts';
import {
  createDeliveries,
  createReseal,
  createTokenIssue,
  createTokenRevocation,
  type Operation,
} from './operations.ts';

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
const names = Object.keys(FAULTS) as FaultName[];

describe.skipIf(SERVER_BINARY === undefined).each(Object.entries(OPERATIONS))(
  '%s',
  (_name, { create, steps }) => {
    let environment: ChaosEnvironment;
    let operation: Operation;
    beforeAll(async () => {
      environment = await startChaosEnvironment();
      operation = await create(environment);
    }, 60_000);
    afterAll(async () => {
      await operation?.close();
      await environment?.stop();
    });

    /** @returns how many steps the operation took */
    async function runWithFault(name: FaultName, step: number): Promise<number> {
      const fault: Fault = FAULTS[name];
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
      expect(broken, `${name}, step ${step} (CHAOS_SEED=${seed})`).toEqual([]);
      return counted;
    }

    if (isFullRun)
      it.each(names)(
        'keeps its guarantees at every step: %s',
        async (name) => {
          for (let step = 1; step <= MAX_STEPS; step += 1) if ((await runWithFault(name, step)) < step) break;
        },
        1_800_000,
      );
    else
      it(`keeps its guarantees when a fault happens at some step (CHAOS_SEED=${seed})`, async () => {
        await runWithFault(names[Math.floor(random() * names.length)]!, 1 + Math.floor(random() * steps));
      }, 60_000);
  },
);
