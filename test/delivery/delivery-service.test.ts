/** What the bot’s deliveries do where a change cannot be scheduled. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDeliveryService } from '../../src/delivery/delivery-service.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const TEAM = 'T0TEAM0001';

let redis: TestRedis;
beforeEach(async () => {
  redis = await testRedis();
});
afterEach(() => redis.close());

it('leave it to the next check, with a line in the log, and fail for nobody', async () => {
  const logged: string[] = [];
  const away = redis.client.duplicate();
  away.disconnect();
  const unasked = () => Promise.reject(new Error('no billing'));
  const { scheduling, watching, stop } = createDeliveryService({
    ...{ redis: away, queue: away, billing: { balance: unasked, consumption: unasked } },
    workspaces: createWorkspaces({
      redis: away,
      keyring: createKeyring([{ id: 'test', key: randomBytes(32) }]),
    }),
    ...{ answerStore: {} as never, users: {} as never, threads: {} as never },
    clientFor: () => Promise.reject(new Error('no Slack')),
    reports: {} as never,
    clock: () => Date.parse('2026-11-20T08:00:01Z'),
    log: pino({}, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) }),
    onFinished: () => undefined,
  });
  await scheduling.changed(TEAM);
  await watching.changed(TEAM);
  await stop(1_000);
  expect(logged).toEqual([
    'Could not reschedule a workspace; the next check for lost runs will',
    'Could not reschedule a workspace; the next check for lost runs will',
  ]);
});
