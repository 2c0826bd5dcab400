import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/vault/keyring.ts';
import { type Audit, createAudit } from '../../src/workspace/record/audit.ts';
import { auditedChange } from '../../src/workspace/record/audited-change.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import { type AuditEntry, MAX_AUDIT_ENTRIES } from '../../src/workspace/record/workspace-store.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { aFailure } from '../support/failures.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { NO_SERVER } from '../support/redis-servers.ts';

const ENTRY: AuditEntry = {
  at: Date.UTC(2026, 10, 21),
  who: 'U1',
  action: 'added the project',
  about: 'prod',
};
const KEY = 'tally:{T1}:audit';

let store: TestRedis;
let redis: Redis;
let audit: Audit;

beforeAll(async () => {
  store = await testRedis();
  redis = store.client;
  audit = createAudit(redis);
});
beforeEach(async () => {
  await redis.flushdb();
  for (const id of ['T1', 'T2']) await redis.hset(`tally:{${id}}:record`, 'channel:C1', 'prod');
});
afterAll(() => store.close());

const record = async (count: number, workspace = 'T1') => {
  for (let i = 1; i <= count; i += 1) await audit.record(workspace, { ...ENTRY, about: `project-${i}` });
};
const numbers = (entries: readonly AuditEntry[]) => entries.map(({ about }) => Number(about.split('-')[1]));

describe('the audit log', () => {
  it('lists a workspace’s entries, newest first', async () => {
    await audit.record('T1', ENTRY);
    await audit.record('T2', { ...ENTRY, about: 'elsewhere' });
    await audit.record('T1', { ...ENTRY, action: 'removed the project', at: ENTRY.at + 1 });
    expect((await audit.page('T1', 10)).entries).toEqual([
      { ...ENTRY, action: 'removed the project', at: ENTRY.at + 1 },
      ENTRY,
    ]);
  });

  it('stores a replacement character for half an emoji at the end of a text', async () => {
    const workspaces = createWorkspaces({
      redis,
      keyring: createKeyring([{ id: 'k', key: Buffer.alloc(32) }]),
    });
    const request = { at: ENTRY.at, user: { id: 'U1' }, workspace: await workspaces.load('T1') };
    const change = auditedChange(request, ['changed the settings', 'prod \ud83d']);
    await workspaces.saveSettings(change, { zone: 'Asia/Tokyo' });
    expect((await audit.page('T1', 1)).entries).toMatchObject([{ about: 'prod \ufffd' }]);
  });

  it('stores nothing for a workspace that was removed', async () => {
    await expect(audit.record('T3', ENTRY)).rejects.toThrow(aFailure('not-installed'));
    expect((await audit.page('T3', 1)).entries).toEqual([]);
  });

  it('shows each entry on exactly one page, and marks the last page', async () => {
    await record(45);
    const seen: number[] = [];
    const sizes: number[] = [];
    let before: string | undefined;
    do {
      const page = await audit.page('T1', 20, before);
      seen.push(...numbers(page.entries));
      sizes.push(page.entries.length);
      before = page.older;
    } while (before !== undefined);
    expect(seen).toEqual(Array.from({ length: 45 }, (_, i) => 45 - i));
    expect(sizes).toEqual([20, 20, 5]);
  });

  it.each(['', '+', '(1-0', '1-0 COUNT 1', '0-0', '99999999999999999999-0'])(
    'shows the first page if the cursor is invalid: “%s”',
    async (before) => {
      await record(2);
      expect(numbers((await audit.page('T1', 20, before)).entries)).toEqual([2, 1]);
    },
  );
});

// The embedded server takes half a minute for so many entries.
describeUnless(NO_SERVER, 'an audit log with too many entries', () => {
  it('keeps the newest ten thousand entries and drops older ones', async () => {
    await record(1);
    const [[, fields] = ['', []]] = await redis.xrange(KEY, '-', '+');
    for (let length = 1; length < MAX_AUDIT_ENTRIES; ) {
      const many = redis.pipeline();
      for (const end = Math.min(length + 500, MAX_AUDIT_ENTRIES); length < end; length += 1)
        many.xadd(KEY, '*', ...fields);
      await many.exec();
    }
    const [[oldest] = ['']] = await redis.xrange(KEY, '-', '+', 'COUNT', 1);
    await record(7);
    expect(await redis.xlen(KEY)).toBe(MAX_AUDIT_ENTRIES);
    expect(await redis.xrange(KEY, oldest, oldest)).toEqual([]);
    expect(numbers((await audit.page('T1', 7)).entries)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });
});
