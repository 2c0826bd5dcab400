import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { DEFAULT_LIMITS } from '../../src/domain/rate-limits.ts';
import { createTokenQuota, type TokenQuota } from '../../src/workspace/credentials/issued-tokens.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const { most: MAX_TOKENS, per: ISSUE_WINDOW } = DEFAULT_LIMITS.osTokens;
const AT = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let store: TestRedis;
let allowance: TokenQuota;

beforeAll(async () => {
  store = await testRedis();
  allowance = createTokenQuota(store.client);
});
beforeEach(async () => {
  await store.client.flushdb();
  for (const team of ['T1', 'T2']) await store.client.hset(`tally:{${team}}:record`, 'settings', '{}');
});
afterAll(() => store.close());

const take = (at: number, person = 'U1', workspace = 'T1') => allowance.take(workspace, person, at);

describe('the allowance', () => {
  it('is five in ten minutes, and says to the millisecond when the next one is possible', async () => {
    for (let count = 0; count < MAX_TOKENS; count += 1) expect(await take(AT + count)).toBeUndefined();
    expect(await take(AT + 1_000)).toBe(AT + ISSUE_WINDOW);
    expect(await take(AT + ISSUE_WINDOW - 1)).toBe(AT + ISSUE_WINDOW);
    expect(await take(AT + ISSUE_WINDOW)).toBeUndefined();
    expect(await take(AT + ISSUE_WINDOW)).toBe(AT + 1 + ISSUE_WINDOW);
  });

  it('is counted for each person in each workspace', async () => {
    for (let count = 0; count < MAX_TOKENS; count += 1) await take(AT);
    expect(await take(AT, 'U2')).toBeUndefined();
    expect(await take(AT, 'U1', 'T2')).toBeUndefined();
    expect(await take(AT)).toBeDefined();
  });

  it('returns one token that was not issued, and no more than one', async () => {
    for (let count = 0; count < MAX_TOKENS; count += 1) await take(AT);
    await allowance.giveBack('T1', 'U1', AT);
    expect(await take(AT)).toBeUndefined();
    expect(await take(AT)).toBeDefined();
  });

  it('rejects for a workspace that has left, and stores nothing', async () => {
    await store.client.flushdb();
    await expect(take(AT)).rejects.toThrow(expect.objectContaining({ kind: 'not-installed' }));
    expect(await store.client.keys('*')).toEqual([]);
  });

  it('leaves nothing behind', async () => {
    await take(AT);
    expect(await store.client.pttl('tally:{T1}:issued')).toBeGreaterThan(0);
    await allowance.giveBack('T1', 'U1', AT);
    expect(await store.client.keys('tally:{*}:issued')).toEqual([]);
  });
});
