import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createDeliveryLog,
  type DeliveryLease,
  type DeliveryLog,
  deliveryKey,
  LEASE_MS,
  type LogWrite,
} from '../../src/delivery/log/delivery-log.ts';
import { deliveryLockKey, deliveryLogKey, recordKey } from '../../src/redis/keys.ts';
import { save, schedule } from '../support/delivery.ts';
import { recordFields, type TestRedis, testRedis } from '../support/redis.ts';

const TEAM = 'T0TEAM0001';
const [LOG, LOCK] = [deliveryLogKey(TEAM), deliveryLockKey(TEAM)];
const DAY = 86_400_000;

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

const entry = { state: 'due', due: 1, at: 1, began: 1, tries: 1 } as const;
const write = (more: Partial<LogWrite> = {}): LogWrite => ({
  ...{ name: 'schedul1/2026-11-20', before: undefined, value: entry },
  ...more,
});
const lines = async () => (await log.load(TEAM)).entries.map(({ json }) => json);
const loseLease = () => redis.client.set(LOCK, 'of another process');

describe('an entry of the delivery log', () => {
  it('is written for a date that has none, by the process with the lease', async () => {
    expect(await log.write(lease, write())).toBe('written');
    expect(await lines()).toEqual([JSON.stringify(entry)]);
  });

  it('is not written over one that its writer has not seen', async () => {
    await log.write(lease, write());
    const later = { ...entry, tries: 2 };
    expect(await log.write(lease, write({ value: later }))).toBe('refused');
    expect(await log.write(lease, write({ value: later, before: '{}' }))).toBe('refused');
    expect(await lines()).toEqual([JSON.stringify(entry)]);
  });

  it('is not started without the lease', async () => {
    await loseLease();
    expect(await log.write(lease, write())).toBe('refused');
    expect(await lines()).toEqual([]);
  });

  it('is completed without the lease, unless that was asked for', async () => {
    await log.write(lease, write());
    const before = JSON.stringify(entry);
    await loseLease();
    const later = { ...entry, tries: 2 };
    expect(await log.write(lease, write({ value: later, before, needsLease: true }))).toBe('refused');
    expect(await log.write(lease, write({ value: later, before }))).toBe('written');
    expect(await lines()).toEqual([JSON.stringify(later)]);
  });

  it('is not written if the schedule was changed', async () => {
    const as = (saved: object) => ({ field: 'schedule:schedul1', value: JSON.stringify(saved) });
    const other = as(schedule({ owner: 'U0OTHER001' }));
    expect(await log.write(lease, write({ expected: other }))).toBe('changed');
    expect(await lines()).toEqual([]);
    expect(await log.write(lease, write({ expected: as(schedule()) }))).toBe('written');
    expect(await lines()).toHaveLength(1);
  });

  it('removes lines that are no longer needed', async () => {
    const names = ['2026-11-17', '2026-11-18', '2026-11-19'].map((date) => `schedul1/${date}`);
    for (const name of [...names, 'schedul2/2026-11-17']) await log.write(lease, write({ name }));
    await log.write(lease, write({ drop: ['schedul1/2026-11-17', 'schedul1/2026-11-19'] }));
    const left = (await log.load(TEAM)).entries.map((line) => `${line.schedule} ${line.date}`);
    expect(left.sort()).toEqual(['schedul1 2026-11-18', 'schedul1 2026-11-20', 'schedul2 2026-11-17']);
  });

  it('stores the result of the last delivery in the record, unless the schedule was removed', async () => {
    const lastDelivery = { date: '2026-11-20', due: 1, at: 2, result: 'posted', failures: 0 } as const;
    await log.write(lease, write({ lastDelivery: ['schedul1', lastDelivery] }));
    expect(await redis.client.hget(recordKey(TEAM), 'sent:schedul1')).toBe(JSON.stringify(lastDelivery));
    await log.write(lease, write({ name: 'schedul2/2026-11-20', lastDelivery: ['schedul2', lastDelivery] }));
    expect(Object.keys(await recordFields(redis.client, recordKey(TEAM))).sort()).toEqual([
      'schedule:schedul1',
      'sent:schedul1',
    ]);
  });

  it('notes that its channel was posted to, and is kept for longer than any cadence', async () => {
    await log.write(lease, write({ posted: { channel: 'C1', at: 5 } }));
    await log.write(lease, write({ name: 'schedul2/2026-11-20', posted: { channel: 'C2', at: 9 } }));
    const snapshot = await log.load(TEAM);
    expect([snapshot.lastPost('C1'), snapshot.lastPost('C2'), snapshot.lastPost('C3')]).toEqual([
      5,
      9,
      undefined,
    ]);
    expect([snapshot.lastPost(), (await log.load('T0TEAM0002')).lastPost()]).toEqual([9, undefined]);
    expect(snapshot.entries).toHaveLength(2);
    const kept = await redis.client.pttl(LOG);
    expect(kept).toBeGreaterThan(99 * DAY);
    expect(kept).toBeLessThanOrEqual(100 * DAY);
  });
});

describe('a state of the delivery log', () => {
  const NAME = 'watch/abcd1234';
  const state = async () => (await log.load(TEAM)).state(NAME);
  const expected = { field: 'schedule:schedul1', value: JSON.stringify(schedule()) };

  it('is written only over what was read, and started only with the lease', async () => {
    expect(await log.write(lease, { name: NAME, before: undefined, value: 'one' })).toBe('written');
    expect(await log.write(lease, { name: NAME, before: undefined, value: 'two' })).toBe('refused');
    expect(await log.write(lease, { name: NAME, before: 'other', value: 'two' })).toBe('refused');
    await loseLease();
    expect(await log.write(lease, { name: NAME, before: '"one"', value: 'two', needsLease: true })).toBe(
      'refused',
    );
    expect(await state()).toBe('"one"');
    expect(await log.write(lease, { name: NAME, before: '"one"', value: 'two' })).toBe('written');
    expect(await log.write(lease, { name: 'watch/another1', before: undefined, value: 'x' })).toBe('refused');
    expect(await state()).toBe('"two"');
  });

  it('is written only as long as what it is about is as expected', async () => {
    const other = { ...expected, value: 'another' };
    expect(await log.write(lease, { name: NAME, before: undefined, value: 'one', expected: other })).toBe(
      'changed',
    );
    expect(await state()).toBeUndefined();
    expect(await log.write(lease, { name: NAME, before: undefined, value: 'one', expected })).toBe('written');
  });

  it('is written together with other fields, or none of them is', async () => {
    const date = write({ before: 'other' });
    const both = { name: NAME, before: undefined, value: 'one' };
    expect(await log.write(lease, { ...both, with: [date] })).toBe('refused');
    expect([await state(), await lines()]).toEqual([undefined, []]);
    expect(await log.write(lease, { ...both, with: [write()] })).toBe('written');
    expect([await state(), await lines()]).toEqual(['"one"', [JSON.stringify(entry)]]);
  });

  it('notes the message that went out with it, and writes nothing into the record', async () => {
    const before = await redis.client.hgetall(recordKey(TEAM));
    await log.write(lease, {
      name: NAME,
      before: undefined,
      value: 'one',
      expected,
      posted: { channel: 'C1', at: 5 },
    });
    expect((await log.load(TEAM)).lastPost('C1')).toBe(5);
    expect(await redis.client.hgetall(recordKey(TEAM))).toEqual(before);
    expect(await redis.client.hkeys(LOG)).toEqual([NAME, 'channel/C1']);
  });

  it('is found by the prefix of its name, and deleted only with the lease', async () => {
    for (const name of [NAME, 'watch/abcd5678', 'reminder/access:1'])
      await log.write(lease, { name, before: undefined, value: name });
    expect((await log.load(TEAM)).statesOf('watch/').toSorted()).toEqual([
      [NAME, `"${NAME}"`],
      ['watch/abcd5678', '"watch/abcd5678"'],
    ]);
    await log.drop(lease, []);
    await log.drop(lease, [NAME, 'reminder/access:1']);
    expect(await redis.client.hkeys(LOG)).toEqual(['watch/abcd5678']);
    await loseLease();
    await log.drop(lease, ['watch/abcd5678']);
    expect(await redis.client.hkeys(LOG)).toEqual(['watch/abcd5678']);
  });
});

describe('the delivery log', () => {
  it('deletes lines only with the lease', async () => {
    for (const date of ['2026-11-18', '2026-11-19'])
      await log.write(lease, write({ name: `schedul1/${date}` }));
    const [first, second] = (await log.load(TEAM)).entries;
    await log.drop(lease, []);
    await log.drop(lease, [deliveryKey(first!.schedule, first!.date)]);
    expect((await log.load(TEAM)).entries).toEqual([second]);
    await loseLease();
    await log.drop(lease, [deliveryKey(second!.schedule, second!.date)]);
    expect(await lines()).toHaveLength(1);
  });

  it('stores until when Slack limits the rate, only with the lease', async () => {
    expect((await log.load(TEAM)).backOffUntil).toBeUndefined();
    await log.backOff(lease, 7_000);
    expect((await log.load(TEAM)).backOffUntil).toBe(7_000);
    expect(await redis.client.pttl(LOG)).toBeGreaterThan(99 * DAY);
    await loseLease();
    await log.backOff(lease, 9_000);
    expect((await log.load(TEAM)).backOffUntil).toBe(7_000);
  });

  it('belongs to one run at a time, as long as that renews its lease', async () => {
    expect(await log.lease(TEAM)).toBe('taken');
    expect(await log.lease('T0TEAM0002')).toBe('gone');
    await redis.client.pexpire(LOCK, 1_000);
    expect(await log.renew(lease)).toBe(true);
    expect(await redis.client.pttl(LOCK)).toBeGreaterThan(1_000);
    expect(await redis.client.pttl(LOCK)).toBeLessThanOrEqual(LEASE_MS);
    expect(await log.release(lease)).toBe(true);
    expect([await log.renew(lease), await log.release(lease)]).toEqual([false, false]);
    expect(await log.lease(TEAM)).toMatchObject({ teamId: TEAM });
  });

  it('reads a damaged line as a failure that is over, and no other fields as lines', async () => {
    await redis.client.hset(LOG, {
      ...{
        'schedul1/2026-11-20': '{',
        'schedul1/today': '{}',
        'xschedul1/2026-11-20': '{}',
        'SCHEDUL1/2026-11-20': '{}',
      },
      ...{ 'channel/C1': 'soon', quiet: 'soon' },
    });
    const snapshot = await log.load(TEAM);
    expect(snapshot.entries).toEqual([
      {
        ...{ schedule: 'schedul1', date: '2026-11-20', json: '{' },
        entry: { state: 'failed', due: 0, at: 0, began: 0, tries: 0 },
      },
    ]);
    expect([snapshot.lastPost('C1'), snapshot.lastPost(), snapshot.backOffUntil]).toEqual([
      undefined,
      0,
      undefined,
    ]);
  });
});
