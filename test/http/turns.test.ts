import { describe, expect, it } from 'vitest';
import { runInSlices } from '../../src/http/slices.ts';

describe('work in turns', () => {
  function* work(name: string, parts: number, done: string[]): Generator<void, string> {
    for (let part = 1; part <= parts; part += 1) {
      done.push(name);
      yield;
    }
    return `${name} is done`;
  }

  it('lets others’ work happen between its parts', async () => {
    const done: string[] = [];
    const tick = (): void => {
      done.push('-');
      if (done.length < 40) setImmediate(tick);
    };
    setImmediate(tick);
    expect(await runInSlices(work('a', 4, done))).toBe('a is done');
    expect(done.join('')).toMatch(/^a-+a-+a-+a/);
  });

  it('is done a part at a time for every caller', async () => {
    const done: string[] = [];
    const tick = (): void => {
      done.push('-');
      if (done.length < 60) setImmediate(tick);
    };
    const both = Promise.all([runInSlices(work('a', 4, done)), runInSlices(work('b', 4, done))]);
    setImmediate(tick);
    await both;
    // The first part of each begins at once.
    expect(done.join('').slice(2)).not.toMatch(/[ab]{2}/);
    expect(done.filter((one) => one !== '-').join('')).toBe('abababab');
  });

  it('ends at once if it does not pause, and throws what the work throws', async () => {
    const done: string[] = [];
    const short = runInSlices(work('a', 0, done));
    setImmediate(() => done.push('later'));
    await short;
    expect(done).toEqual([]);
    const failing = (function* (): Generator<void, void> {
      yield;
      throw new TypeError('not like that');
    })();
    await expect(runInSlices(failing)).rejects.toThrow('not like that');
  });
});
