import { describe, expect, it } from 'vitest';
import { isSlackId } from '../../src/domain/slack-id.ts';
import * as keys from '../../src/redis/keys.ts';

/** All functions that make a key from one ID, with the keys of this workspace. */
const namedBy = (id: string): readonly (readonly [name: string, key: string])[] =>
  Object.entries(keys).flatMap(([name, key]) =>
    typeof key === 'function' && /(?<!once)Key$/.test(name) && key.length === 1
      ? [[name, (key as (id: string) => string)(id)]]
      : [],
  );

describe('the Redis keys of a workspace', () => {
  it('include every key with the workspace’s ID, except an organization’s member list', () => {
    const own = namedBy('T1').filter(([, key]) => key.includes('{T1}'));
    expect(own.map(([name]) => name)).toContain('recordKey');
    const listed = own.filter(([name]) => name !== 'membersKey').map(([, key]) => key);
    expect(keys.keysOf('T1').toSorted()).toEqual(listed.toSorted());
  });

  it('are in the same slot, and differ from each other and from another workspace’s keys', () => {
    const [one, other] = [keys.keysOf('T1'), keys.keysOf('T2')];
    for (const key of one) expect(key).toMatch(/^tally:\{T1\}:[a-z-]+$/);
    expect(new Set([...one, ...other]).size).toBe(2 * one.length);
  });

  it.each(['', 't1', 'T1}', 'T 1', 'T1:record', 'T'.repeat(65)])(
    'cannot be made from an invalid workspace ID: “%s”',
    (id) => {
      expect(() => keys.keysOf(id)).toThrow(RangeError);
      expect(isSlackId(id)).toBe(false);
    },
  );
});
