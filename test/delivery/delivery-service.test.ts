/** Deliveries as the bot starts them: a change leads to a post, and a store that is away to a line in the log. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createDeliveryService,
  type DeliveryService,
  type DeliveryServiceParts,
} from '../../src/delivery/delivery-service.ts';
import { connectQueue } from '../../src/redis.ts';
import { BACKGROUND_OPTIONS, createClientCache } from '../../src/slack/web-client.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createLastUsed } from '../../src/workspace/last-used.ts';
import { createWorkspaces } from '../../src/workspace/workspaces.ts';
import { finding, save, schedule } from '../support/delivery.ts';
import { type OutsideSlack, startOutsideSlack } from '../support/outside-slack.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const TEAM = 'T0TEAM0001';
const NOW = Date.parse('2026-11-20T08:00:01Z');

let redis: TestRedis;
let slack: OutsideSlack;
let queue: ReturnType<typeof connectQueue>;
let logged: string[];
let service: DeliveryService;

beforeEach(async () => {
  redis = await testRedis();
  slack = await startOutsideSlack();
  queue = connectQueue(redis.url, () => undefined);
  logged = [];
});

afterEach(async () => {
  await service.stop(1_000);
  queue.disconnect();
  await Promise.all([slack.close(), redis.close()]);
});

/** @param client the store of the records; the queue has a connection of its own */
function serviceOn(client: Redis, onSent: DeliveryServiceParts['onSent'] = () => undefined) {
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {} };
  const clients = createClientCache({
    ...{ ...BACKGROUND_OPTIONS, slackApiUrl: slack.url },
    logger: { ...quiet, getLevel: () => 'error' as never },
  });
  const keyring = createKeyring([{ id: 'test', key: randomBytes(32) }]);
  const workspaces = createWorkspaces({ redis: client, keyring });
  const unasked = () => Promise.reject(new Error('no billing'));
  return createDeliveryService({
    ...{ redis: client, queue, workspaces, billing: { balance: unasked, consumption: unasked }, onSent },
    lastUsed: createLastUsed(workspaces, () => undefined),
    clientFor: async (workspace) => clients(`xoxb-${workspace}`, workspace),
    reports: () => ({ yesterday: { run: async () => finding('100'), covers: () => [] } }),
    clock: () => NOW,
    log: pino({}, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) }),
  });
}

it('post what is due after a change, and say how it ended', async () => {
  await save(redis.client, TEAM, schedule());
  const result = await new Promise<string>((resolve) => {
    service = serviceOn(redis.client, resolve);
    service.start();
    void service.scheduling.changed(TEAM);
  });
  expect(result).toBe('posted');
  expect(slack.posts.map(({ channel, workspace }) => [channel, workspace])).toEqual([['C0COSTS001', TEAM]]);
});

it('leave no run of a workspace that is forgotten', async () => {
  service = serviceOn(redis.client);
  await save(redis.client, TEAM, schedule());
  await service.scheduling.changed(TEAM);
  const runs = () => redis.client.keys(`*deliver*${TEAM}*`);
  expect(await runs()).not.toEqual([]);
  await service.forget(TEAM);
  expect(await runs()).toEqual([]);
});

it('leave a change that cannot be scheduled to the next check, with a line in the log', async () => {
  const away = redis.client.duplicate();
  away.disconnect();
  service = serviceOn(away);
  await service.scheduling.changed(TEAM);
  await service.watching.changed(TEAM);
  await service.noteRejection({ workspace: TEAM, kind: 'connection', name: 'main', mark: 'x' });
  expect(logged).toEqual([
    'could not reschedule a workspace; the next repair will',
    'could not reschedule a workspace; the next repair will',
    'could not note that a credential was rejected',
  ]);
});
