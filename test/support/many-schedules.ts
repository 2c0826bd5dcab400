/** Saves many workspaces with many schedules or watches, for crash tests and measurements. */
import { Big } from 'big.js';
import type { RedisConnection } from '../../src/redis/connect.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { serializeConnection } from '../../src/workspace/credentials/credential-records.ts';
import { serializeWatch } from '../../src/workspace/record/automation-records.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-store.ts';
import { schedule } from './delivery.ts';

export interface ScheduleCounts {
  readonly workspaces: number;
  readonly each: number;
  readonly channels: number;
  /** In ms since the epoch, on a whole minute. */
  readonly due: number;
  readonly since: number;
}

export const workspaceId = (n: number): string => `T${String(n).padStart(9, '0')}`;

export async function saveManySchedules(
  redis: RedisConnection,
  { workspaces, each, channels, due, since }: ScheduleCounts,
): Promise<void> {
  const index = createWorkspaceIndex(redis);
  const time = new Date(due).toISOString().slice(11, 16);
  for (let n = 0; n < workspaces; n += 1) {
    const fields = Array.from({ length: each }, (_, at) => {
      const id = `s${String(at).padStart(7, '0')}`;
      const timing = { cadence: { kind: 'daily' as const }, time, zone: 'UTC' };
      const channel = `C${String(n).padStart(5, '0')}${String(at % channels).padStart(4, '0')}`;
      return [`schedule:${id}`, JSON.stringify(schedule({ id, timing, channel, since, createdAt: at }))];
    });
    await index.touch(workspaceId(n));
    await redis.hset(recordKey(workspaceId(n)), Object.fromEntries(fields));
  }
}

/** A fixed key, so that other processes can open what a test has sealed. */
export const FIXED_KEYRING = createKeyring([{ id: 'fixed', key: Buffer.alloc(32, 1) }]);

export async function saveManyWatches(
  redis: RedisConnection,
  { workspaces, each, since }: { readonly workspaces: number; readonly each: number; readonly since: number },
): Promise<void> {
  const index = createWorkspaceIndex(redis);
  for (let n = 0; n < workspaces; n += 1) {
    const team = workspaceId(n);
    const watches = Array.from({ length: each }, (_, at) => {
      const id = `w${String(at).padStart(7, '0')}`;
      const rule = { kind: 'balance', below: new Big(100) } as const;
      const owner = 'U0OWNER001';
      const watch = { id, rule, owner, createdBy: owner, createdAt: since, since };
      const channel = `C${String(n).padStart(5, '0')}${String(at).padStart(4, '0')}`;
      return [
        `watch:${id}`,
        serializeWatch({ ...watch, channel, projects: [{ id: `${at + 1}`, product: 1 }] }),
      ];
    });
    const { json } = serializeConnection(FIXED_KEYRING, team, {
      name: 'main',
      baseUrl: 'https://billing.example',
      token: 'a token',
      role: 'read-only',
      lifetime: 'none',
      registeredBy: 'U0OWNER001',
      registeredAt: since,
    });
    await index.touch(team);
    await redis.hset(recordKey(team), Object.fromEntries([...watches, ['connection:main', json]]));
  }
}
