import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createDeliveryLog,
  type DeliveryLease,
  type DeliveryLog,
  type LogWrite,
} from '../../src/delivery/delivery-log.ts';
import { save, schedule } from '../support/delivery.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const TEAM = 'T0TEAM0001';

let redis: TestRedis;
let log: DeliveryLog;
let lease: DeliveryLease;

beforeEach(async () => {
  redis = await testRedis();
  await save(redis.client, TEAM, schedule());
  log = createDeliveryLog(redis.client);
  lease = (await log.lease(TEAM)) as DeliveryLease;
});
afterEach(() => redis.close());

const entry = { state: 'trying', due: 1, at: 1, began: 1, tries: 1 } as const;
const write = (more: Partial<LogWrite> = {}): LogWrite => ({
  ...{ schedule: 'schedul1', date: '2026-11-20', before: undefined, entry },
  ...more,
});
const lines = async () => (await log.read(TEAM)).lines.map(({ json }) => json);
const loseLease = () => redis.client.set(`tally:{${TEAM}}:delivery-lock`, 'of another process');

describe('an entry of the delivery log', () => {
  it('is written for a date that has none, by the process with the lease', async () => {
    expect(await log.write(lease, write())).toBe(JSON.stringify(entry));
    expect(await lines()).toEqual([JSON.stringify(entry)]);
  });

  it('is not written over one that its writer has not seen', async () => {
    await log.write(lease, write());
    const later = { ...entry, tries: 2 };
    expect(await log.write(lease, write({ entry: later }))).toBeUndefined();
    expect(await log.write(lease, write({ entry: later, before: '{}' }))).toBeUndefined();
    expect(await lines()).toEqual([JSON.stringify(entry)]);
  });

  it('is not begun without the lease', async () => {
    await loseLease();
    expect(await log.write(lease, write())).toBeUndefined();
    expect(await lines()).toEqual([]);
  });

  it('is completed without the lease, unless that was asked for', async () => {
    const before = await log.write(lease, write());
    await loseLease();
    const later = { ...entry, tries: 2 };
    expect(await log.write(lease, write({ entry: later, before, needsLease: true }))).toBeUndefined();
    expect(await log.write(lease, write({ entry: later, before }))).toBe(JSON.stringify(later));
    expect(await lines()).toEqual([JSON.stringify(later)]);
  });

  it('is not written where the schedule is another one by now', async () => {
    const expectedSchedule = JSON.stringify(schedule({ owner: 'U0OTHER001' }));
    expect(await log.write(lease, write({ expectedSchedule }))).toBe('');
    expect(await lines()).toEqual([]);
  });
});
