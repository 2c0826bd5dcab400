import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createAudit } from '../../src/workspace/record/audit.ts';
import {
  createTokenGrants,
  GRANT_LEASE_MS,
  type GrantClaim,
  grantHandle,
  type TokenGrant,
  type TokenGrants,
} from '../../src/workspace/short-lived/token-grants.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { runs } from '../support/thorough.ts';

const ERRAND: TokenGrant = {
  person: 'U1',
  project: '123',
  word: 'prod',
  authUrl: 'https://id.example.com/v3',
};
const TOKEN = `gAAAAA${'x'.repeat(198)}`;
const KEY = 'tally:{T1}:grants';
const AT = Date.UTC(2026, 10, 21);
const LIFE = { at: AT, until: AT + 3_600_000 };

let store: TestRedis;
let redis: Redis;
let handles: TokenGrants;

beforeAll(async () => {
  store = await testRedis();
  redis = store.client;
  handles = createTokenGrants(redis);
});
beforeEach(async () => {
  await redis.flushdb();
  await redis.hset('tally:{T1}:record', 'settings', '{}');
});
afterAll(() => store.close());

const claim = (grantText: string, more: Partial<GrantClaim> = {}) =>
  handles.claim({ workspace: 'T1', person: 'U1', grantText, purpose: 'revoke', at: AT, ...more });

/** What was claimed, or nothing. */
async function claimed(grantText: string, more: Partial<GrantClaim> = {}) {
  const found = await claim(grantText, more);
  return found === 'busy' ? undefined : found;
}

describe('the two halves of a token', () => {
  it('give the token when joined', async () => {
    const grantText = await handles.keep('T1', ERRAND, LIFE, TOKEN);
    expect(await claim(grantText)).toEqual({ grant: ERRAND, token: TOKEN });
  });

  it('no longer work once they were replaced or dropped', async () => {
    const [one, other] = [
      await handles.keep('T1', ERRAND, LIFE, TOKEN),
      await handles.keep('T1', ERRAND, LIFE, TOKEN),
    ];
    await claim(one);
    const instead = await handles.keep('T1', ERRAND, LIFE, undefined, { replaces: one });
    await handles.drop('T1', other);
    expect(await Promise.all([one, other].map((grantText) => claim(grantText)))).toEqual([
      undefined,
      undefined,
    ]);
    expect((await claimed(instead))?.grant).toEqual(ERRAND);
  });

  it('do not contain the token, in any encoding', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[\x21-\x7e]{12,400}$/), async (token) => {
        await redis.del(KEY);
        const grantText = await handles.keep('T1', ERRAND, LIFE, token);
        const kept = JSON.stringify(await redis.hgetall(KEY));
        for (const text of [
          token,
          Buffer.from(token).toString('base64').replace(/=+$/, ''),
          Buffer.from(token).toString('hex'),
        ])
          for (const half of [grantText, kept]) expect(half).not.toContain(text);
      }),
      { numRuns: runs(30) },
    );
  });

  it('open for one person in one workspace, before they expire', async () => {
    const grantText = await handles.keep('T1', ERRAND, LIFE, TOKEN);
    expect(await claim(grantText, { person: 'U2' })).toBeUndefined();
    expect(await claim(grantText, { workspace: 'T2' })).toBeUndefined();
    expect((await claimed(grantText, { at: LIFE.until - 1 }))?.token).toBe(TOKEN);
    expect(await claim(grantText, { at: LIFE.until + GRANT_LEASE_MS })).toBeUndefined();
  });

  it('do not open beside another service or project than they were kept with', async () => {
    const changes: readonly (readonly [string, string])[] = [
      ['https://id.example.com/v3', 'https://evil.example.com/v3'],
      ['"project":"123"', '"project":"124"'],
      ['"key":"', '"nokey":"'],
    ];
    for (const [before, after] of changes) {
      const grantText = await handles.keep('T1', ERRAND, LIFE, TOKEN);
      const value = (await redis.hget(KEY, grantHandle(grantText)))!;
      await redis.hset(KEY, grantHandle(grantText), value.replace(before, after));
      const found = await claimed(grantText);
      expect([found?.grant.word, found?.token]).toEqual(['prod', undefined]);
    }
    const grantText = await handles.keep('T1', ERRAND, LIFE, TOKEN);
    expect((await claimed(grantHandle(grantText)))?.token).toBeUndefined();
  });

  it('are given to one of many who ask at the same moment', async () => {
    const grantText = await handles.keep('T1', ERRAND, LIFE, TOKEN);
    const asked = await Promise.all(Array.from({ length: 20 }, () => claim(grantText)));
    expect(asked.filter((one) => one !== 'busy')).toHaveLength(1);
  });

  it('are deleted once they expire, at the latest some time after the last one', async () => {
    await claim(await handles.keep('T1', ERRAND, { at: AT, until: AT + 1_000 }, TOKEN));
    await handles.keep('T1', ERRAND, LIFE, TOKEN);
    expect(await redis.hlen(KEY)).toBe(3);
    expect(await redis.pttl(KEY)).toBeGreaterThan(3_590_000);
    await handles.keep('T1', ERRAND, { at: AT + GRANT_LEASE_MS, until: AT + GRANT_LEASE_MS + 1_000 }, TOKEN);
    expect(await redis.hlen(KEY)).toBe(2);
    expect(await redis.pttl(KEY)).toBeGreaterThan(3_590_000);
  });

  it('are not kept of a workspace that has left', async () => {
    await redis.flushdb();
    await expect(handles.keep('T1', ERRAND, LIFE, TOKEN)).rejects.toThrow(
      expect.objectContaining({ kind: 'not-installed' }),
    );
    expect(await redis.keys('*')).toEqual([]);
  });

  it('are stored together with the audit’s entry, or not at all', async () => {
    const entry = {
      at: AT,
      who: 'U1',
      action: 'token issued',
      about: { kind: 'token', id: '123', alias: 'prod' },
    } as const;
    await handles.keep('T1', ERRAND, LIFE, TOKEN, { entry });
    expect((await createAudit(redis).page('T1', 5)).entries).toEqual([entry]);
    await redis.del('tally:{T1}:audit', KEY);
    await redis.set('tally:{T1}:audit', 'no stream');
    await expect(handles.keep('T1', ERRAND, LIFE, TOKEN, { entry })).rejects.toThrow(
      'Another program changed',
    );
    expect(await redis.exists(KEY)).toBe(0);
  });

  it('do not open for a person whose ID is imitated in a name', async () => {
    const grantText = await handles.keep('T1', { ...ERRAND, word: '","person":"U2"' }, LIFE, TOKEN);
    expect(await claim(grantText, { person: 'U2' })).toBeUndefined();
    expect(await claim(grantText, { person: 'U1"' })).toBeUndefined();
    expect((await claimed(grantText))?.token).toBe(TOKEN);
  });

  it.each(['', 'x', ' ', '../../etc', '__proto__', 'A'.repeat(22), `${'A'.repeat(22)} v1.once.x.y`])(
    'are nothing when a window carries “%s”',
    async (grantText) => {
      await handles.keep('T1', ERRAND, LIFE, TOKEN);
      expect(await claim(grantText)).toBeUndefined();
    },
  );
});
