/** When a process looks for lost runs, and when it stops. */
import { mock } from 'node:test';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRepairs } from '../../src/delivery/run-planner.ts';
import { StoreUnavailable } from '../../src/domain/failure/index.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { disconnectedRedis } from '../support/redis.ts';
import { startVirtualTime, type VirtualTime } from '../support/virtual-time.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let time: VirtualTime;
let started: (() => void) | undefined;
beforeEach(() => {
  time = startVirtualTime();
});
afterEach(() => {
  started?.();
  time.end();
});

interface Given {
  readonly due?: readonly string[];
  readonly shards?: number;
  /** Called with each check for lost runs. */
  readonly onCheck?: () => void;
  readonly derive?: (workspace: string) => Promise<void>;
}

function repairs({ due = [], shards = 1, onCheck, derive }: Given = {}) {
  /** When it checked. */
  const checks: number[] = [];
  const [derived, claimed, logged]: [string[], number[], string[]] = [[], [], []];
  const putOff: [workspace: string, until: number][] = [];
  const made = createRepairs(
    {
      index: {
        ...createWorkspaceIndex(disconnectedRedis()),
        get shards() {
          checks.push(time.now());
          onCheck?.();
          return Array.from({ length: shards }, (_, shard) => shard);
        },
        async claimChecks(shard) {
          claimed.push(shard);
          return true;
        },
        due: async () => due.map((workspace) => ({ workspace, at: 1 })),
        setCheck: async (workspace, until) => void putOff.push([workspace, until]),
      },
      clock: () => time.now(),
      log: pino({}, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) }),
    },
    async (workspace) => {
      derived.push(workspace);
      await derive?.(workspace);
    },
  );
  started = made.stop;
  return { ...made, checks, derived, claimed, putOff, logged };
}

const FAILS = 'Could not check for lost runs; Tally tries again soon';
const WORKS = 'Tally checks for lost runs again';

describe('a check for lost runs', () => {
  it.each([
    [0, 45],
    [0.5, 60],
    [0.8, 69],
  ])('is made at once and about every minute, at a moment by chance (%d)', async (chance, seconds) => {
    mock.method(Math, 'random', () => chance);
    const { start, checks } = repairs();
    start();
    await time.pass(2 * seconds * SECOND);
    expect(checks).toEqual([0, seconds * SECOND, 2 * seconds * SECOND]);
  });

  it('is made again five seconds after it failed', async () => {
    mock.method(Math, 'random', () => 0.5);
    let isAway = true;
    const { start, checks, logged } = repairs({
      onCheck() {
        if (isAway) throw new StoreUnavailable();
      },
    });
    start();
    await time.pass(7 * SECOND);
    isAway = false;
    await time.pass(4 * SECOND + MINUTE);
    expect(checks).toEqual([0, 5 * SECOND, 10 * SECOND, 10 * SECOND + MINUTE]);
    expect(logged).toEqual([FAILS, WORKS]);
  });

  it('is logged once when it fails, again every ten minutes, and when it works again', async () => {
    let isAway = true;
    const { start, logged } = repairs({
      onCheck() {
        if (isAway) throw new StoreUnavailable();
      },
    });
    start();
    await time.pass(25 * MINUTE);
    expect(logged).toEqual([FAILS, FAILS, FAILS]);
    isAway = false;
    await time.pass(5 * MINUTE);
    expect(logged).toEqual([FAILS, FAILS, FAILS, WORKS]);
  });

  it('is not made any more once it is stopped', async () => {
    const { start, stop, checks } = repairs();
    start();
    await time.pass(SECOND);
    stop();
    await time.pass(3 * MINUTE);
    expect(checks).toEqual([0]);
  });

  it.each(['ends', 'fails'])('that %s after it was stopped is the last one, and not logged', async (how) => {
    let finish = (): void => undefined;
    const { start, stop, checks, derived, claimed, logged } = repairs({
      due: Array.from({ length: 30 }, (_, n) => `T${n}`),
      shards: 2,
      derive: () =>
        new Promise((resolve, reject) => {
          finish = how === 'ends' ? resolve : () => reject(new StoreUnavailable());
        }),
    });
    start();
    await time.pass(SECOND);
    stop();
    finish();
    await time.pass(3 * MINUTE);
    expect([checks, derived.length, claimed, logged]).toEqual([[0], 20, [0], []]);
  });

  it('looks after twenty workspaces at the same time', async () => {
    const ends: (() => void)[] = [];
    const { start, derived } = repairs({
      due: Array.from({ length: 30 }, (_, n) => `T${n}`),
      derive: () => new Promise((resolve) => void ends.push(resolve)),
    });
    start();
    await time.pass(SECOND);
    expect(derived).toHaveLength(20);
    ends[0]?.();
    await time.pass(SECOND);
    expect(derived).toHaveLength(21);
  });

  it('of one workspace that fails is in the log and made again in ten minutes, and the others are checked', async () => {
    const { run, derived, putOff, logged } = repairs({
      due: ['T1', 'T2'],
      derive: (workspace) => (workspace === 'T1' ? Promise.reject(new Error('broken')) : Promise.resolve()),
    });
    await run();
    expect([derived, putOff]).toEqual([['T1', 'T2'], [['T1', 10 * MINUTE]]]);
    expect(logged).toEqual(['Could not schedule the runs of a workspace']);
  });

  it('ends where the store is away, and puts off no workspace', async () => {
    const { run, putOff } = repairs({ due: ['T1'], derive: () => Promise.reject(new StoreUnavailable()) });
    await expect(run()).rejects.toThrow(StoreUnavailable);
    expect(putOff).toEqual([]);
  });
});
