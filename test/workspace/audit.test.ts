import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NotInstalled, StoreUnavailable } from '../../src/domain/failure/index.ts';
import { connectRedis } from '../../src/redis/connect.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import {
  type Audit,
  type AuditEntry,
  createAudit,
  MAX_AUDIT_ENTRIES,
  type RecordedEntry,
} from '../../src/workspace/record/audit.ts';
import { createDeletion } from '../../src/workspace/record/deletion.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { changeIn } from '../support/change.ts';
import { type TestRedis, testRedis, workspaceKeys } from '../support/redis.ts';
import { commandsOf } from '../support/redis-commands.ts';

const projectOf = (alias: string) => ({ kind: 'project', alias }) as const;
const ENTRY: AuditEntry = {
  at: Date.UTC(2026, 10, 21),
  who: 'U1',
  action: 'project added',
  about: projectOf('prod'),
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
  for (let i = 1; i <= count; i += 1)
    await audit.record(workspace, { ...ENTRY, about: projectOf(`project-${i}`) });
};
const numbers = (entries: readonly RecordedEntry[]) =>
  entries.map(({ about }) => Number(about?.kind === 'project' && about.alias?.split('-')[1]));

describe('the audit', () => {
  it('lists the entries of one workspace, the newest first', async () => {
    await audit.record('T1', ENTRY);
    await audit.record('T2', { ...ENTRY, about: projectOf('elsewhere') });
    await audit.record('T1', { ...ENTRY, action: 'project removed', at: ENTRY.at + 1 });
    expect((await audit.page('T1', 10)).entries).toEqual([
      { ...ENTRY, action: 'project removed', at: ENTRY.at + 1 },
      ENTRY,
    ]);
  });

  it('reports that it wrote nothing for a workspace that left', async () => {
    await expect(audit.record('T3', ENTRY)).rejects.toThrow(NotInstalled);
    expect((await audit.page('T3', 1)).entries).toEqual([]);
  });

  it('keeps the newest thousand and lets older ones go', async () => {
    await record(MAX_AUDIT_ENTRIES + 7);
    expect(await redis.xlen(KEY)).toBe(MAX_AUDIT_ENTRIES);
    const all = numbers((await audit.page('T1', MAX_AUDIT_ENTRIES)).entries);
    expect(all).toHaveLength(MAX_AUDIT_ENTRIES);
    expect([all[0], all.at(-1)]).toEqual([MAX_AUDIT_ENTRIES + 7, 8]);
  });

  it('pages through all entries once, and marks the last page', async () => {
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

  it('has no older page when one page is exactly full', async () => {
    await record(20);
    expect((await audit.page('T1', 20)).older).toBeUndefined();
  });

  it('keeps the place of a page while new entries arrive', async () => {
    await record(25);
    const { older } = await audit.page('T1', 20);
    await record(3);
    expect(numbers((await audit.page('T1', 20, older)).entries)).toEqual([5, 4, 3, 2, 1]);
  });

  it.each([
    '',
    '+',
    '-',
    '(1-0',
    '1-0 COUNT 1',
    'x'.repeat(99),
    '1'.repeat(30),
    '0-0',
    '99999999999999999999-0',
  ])('shows the first page for an invalid place: %s', async (before) => {
    await record(2);
    expect(numbers((await audit.page('T1', 20, before)).entries)).toEqual([2, 1]);
  });

  it('shows an action of another version as it was recorded, and the stream’s time if its own is damaged', async () => {
    await redis.xadd(KEY, '1795000000000-0', 'who', 'U1', 'action', 'schedule sent', 'at', 'soon');
    expect((await audit.page('T1', 1)).entries).toEqual([
      { at: 1_795_000_000_000, who: 'U1', action: 'schedule sent', about: undefined },
    ]);
  });

  it('is deleted with its workspace, in one round trip', async () => {
    const workspaces = createWorkspaces({
      redis,
      keyring: createKeyring([{ id: 'k', key: Buffer.alloc(32) }]),
    });
    await workspaces.setChannelDefault(await changeIn(workspaces, 'T1'), 'C2', 'prod');
    await record(3);
    await record(1, 'T2');
    const sent = await commandsOf(store, () => createDeletion({ redis }).workspace('T1'));
    expect(sent.filter((name) => name === 'unlink')).toHaveLength(1);
    expect((await workspaceKeys(redis)).filter((key) => !key.includes('T2'))).toEqual([]);
  });

  it('shows entries of its own workspace only, whatever is asked for', async () => {
    for (const id of ['', 't1', 'T1:x', 'T1*', '../T1']) {
      await expect(audit.record(id, ENTRY)).rejects.toThrow(RangeError);
      await expect(audit.page(id, 1)).rejects.toThrow(RangeError);
    }
    expect(await redis.keys('tally:{*}:audit')).toEqual([]);
  });

  it('says that the store is unreachable', async () => {
    const nowhere = connectRedis('unix:///nowhere/redis.sock');
    const lost = createAudit(nowhere);
    for (const work of [lost.record('T1', ENTRY), lost.page('T1', 1)])
      await expect(work).rejects.toThrow(StoreUnavailable);
    nowhere.disconnect();
  });
});
