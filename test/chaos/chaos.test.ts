/**
 * Something breaks at a step of an operation, heals, and whatever was promised holds. `npm run test:chaos` tries every
 * fault at every step; the tests of every day try some, which the seed chooses: CHAOS_SEED=… repeats a run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVER_BINARY } from '../support/redis-servers.ts';
import { FAULTS, type Fault, type FaultName } from './faults.ts';
import { delivering, issuing, type Operation, resealing, revoking } from './operations.ts';
import { openStage, type Stage } from './stage.ts';

const isWhole = process.env.CHAOS === 'whole';
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1e9));
/** More than any operation has. */
const MOST_STEPS = 60;

const OPERATIONS: Readonly<Record<string, { open: (stage: Stage) => Promise<Operation>; steps: number }>> = {
  'a delivery': { open: delivering, steps: 30 },
  'an OS_TOKEN’s issue': { open: issuing, steps: 12 },
  'an OS_TOKEN’s revocation': { open: revoking, steps: 10 },
  resealing: { open: resealing, steps: 14 },
};

/** mulberry32 */
function chance(state: number): () => number {
  let s = state;
  return () => {
    s = (s + 0x6d2b79f5) | 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = chance(seed);
const names = Object.keys(FAULTS) as FaultName[];

describe.skipIf(SERVER_BINARY === undefined).each(Object.entries(OPERATIONS))(
  '%s',
  (_name, { open, steps }) => {
    let stage: Stage;
    let operation: Operation;
    beforeAll(async () => {
      stage = await openStage();
      operation = await open(stage);
    }, 60_000);
    afterAll(async () => {
      await operation?.close();
      await stage?.stop();
    });

    /** @returns how many steps there were */
    async function round(name: FaultName, step: number): Promise<number> {
      const fault: Fault = FAULTS[name];
      let isStruck = false;
      let counted = 0;
      const broken = await operation.round(
        () =>
          stage.lines.arm(step, () => {
            isStruck = true;
            return fault.strike(stage);
          }),
        async () => {
          counted = stage.lines.disarm();
          if (isStruck) await fault.heal?.(stage);
        },
      );
      expect(broken, `${name}, step ${step} (CHAOS_SEED=${seed})`).toEqual([]);
      return counted;
    }

    if (isWhole)
      it.each(names)(
        'keeps its promises at every step: %s',
        async (name) => {
          for (let step = 1; step <= MOST_STEPS; step += 1) if ((await round(name, step)) < step) break;
        },
        1_800_000,
      );
    else
      it(`keeps its promises when something breaks on the way (CHAOS_SEED=${seed})`, async () => {
        await round(names[Math.floor(random() * names.length)]!, 1 + Math.floor(random() * steps));
      }, 60_000);
  },
);
